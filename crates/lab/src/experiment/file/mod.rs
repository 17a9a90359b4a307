//! Experiment files: TOML in, an [`Experiment`](super::Experiment) or one line that says what is wrong out.
//!
//! [`KEYS`] is the only list of keys. The reader takes types, ranges and defaults from it; so do the help text, the JSON
//! Schema and the table in the documentation.

mod arms;
mod check;
mod columns;
mod document;
mod drift;
mod encoder;
mod environment;
mod help;
mod keys;
mod kind;
mod labels;
mod names;
mod policies;
mod read;
mod rewards;
mod schema;
mod sweep;
mod table;
mod theta;

pub use arms::read_arms;
pub use document::Document;
pub use help::keys_help;
pub use keys::{Absent, KEYS, Key};
pub use kind::{Kind, Range};
pub use read::read;
pub use schema::schema;
