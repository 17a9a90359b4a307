//! Decisions by name: contexts in words instead of vectors, rewards that join the decisions they belong to, and records that
//! replay to the last bit.

mod actions;
mod decision;
mod encoder;
mod engine;
mod error;
pub mod evaluation;
mod events;
mod explain;
mod layout;
mod model;
mod record;
mod report;
mod schema;
mod settings;
mod snapshot;
mod stored;
mod tally;
mod value;
mod warm_up;

pub use decision::{Decision, Interval, Ranked};
pub use engine::{Engine, Joined, Outcome};
pub use error::{Error, Result};
pub use explain::{Contribution, Explanation};
pub use record::{Answer, Baseline, Change, RECORD_VERSION, Record, Request};
pub use report::{ActionReport, Report};
pub use schema::{Column, Kind, Missing, Part, Unseen};
pub use settings::{Action, Intervals, Late, Learn, Rewards, Scale, Second, Settings, Structure};
pub use value::{Features, Value};
