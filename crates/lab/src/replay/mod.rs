//! Data of one's own, replayed: a labelled table as a bandit ([`Examples`]), or a log of decisions ([`Log`]).
//!
//! ```text
//! Contexts --> Examples --> play   shuffled orders x candidates --> Course --+
//!         \--> Log -------> learn  candidates, in the log's order -> Study --+--> Entry --> JSON, CSV, page
//! ```
//!
//! [`Prepared`] does all of it: it reads a table, finds out what its columns are, and [`Replayed`] is what comes of it.
//!
//! A [`Candidate`] is a policy with a model. Every one meets the same rows in the same orders, and randomness comes from the
//! seed and the number of the order alone, so that results do not depend on the number of threads.

mod apprentice;
mod candidate;
mod candidates;
mod classes;
mod contexts;
mod course;
mod dsjson;
mod entry;
mod estimates;
mod examples;
mod files;
mod log;
mod logs;
mod options;
mod page;
mod prepared;
mod read;
mod rejection;
mod schema;
mod threads;
mod words;

pub use apprentice::{Apprenticeship, evaluate};
pub use candidate::{Candidate, Setup};
pub use contexts::Contexts;
pub use course::{Course, Progressed};
pub use entry::{Entry, best};
pub use estimates::{LoggedValue, Method, Named};
pub use examples::{Examples, Orders, play, usual_orders};
pub use files::{Document, results_csv};
pub use log::{Log, LoggedDecision};
pub use options::{ReplayOptions, read_model, read_scale};
pub use page::{Shown, figure, page};
pub use prepared::{Prepared, Replayed};
pub use rejection::{reject, uneven};
pub use words::tidy;
