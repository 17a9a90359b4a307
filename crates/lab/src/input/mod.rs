//! Reading what users write, JSON and TOML alike: values that know where they stand, so that every refusal names the path
//! of what it refuses, says what is allowed, and guesses what was meant.

mod json;
mod names;
mod node;
mod object;
mod path;
mod toml;
mod value;

pub use json::parse_json;
pub use names::{nearest, shorten, suggest};
pub(crate) use names::{quoted, shown_key, shown_text};
pub use node::Node;
pub use object::{Keys, Object};
pub(crate) use path::Path;
pub(crate) use toml::parse_toml;
pub(crate) use value::{Value, short};
