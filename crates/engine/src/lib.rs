//! Decisions by name: contexts in words instead of vectors, rewards that join the decisions they belong to, and records that
//! replay to the last bit.
//!
//! ```
//! use optimist_engine::{Engine, Features, Request, Settings};
//!
//! let mut engine = Engine::new(Settings { actions: vec!["banner".into(), "video".into()], ..Settings::default() })?;
//! let visitor = Features::from([("device", "phone".into()), ("age", 31.0.into())]);
//! let decision = engine.decide(Request::new("visit-1", visitor), 0.0)?; // an event id, a context, a time
//! engine.reward("visit-1", 1.0, 0.0)?;                                  // joins by the id
//! println!("{} with probability {:?}", decision.action, decision.probability);
//! # Ok::<(), optimist_engine::Error>(())
//! ```
//!
//! [`Settings`] say what there is to choose from, which columns contexts have (or that they are to be inferred), how parameters
//! belong to actions, which policy of the crate [`optimist`] chooses, and how rewards join. [`Engine`] decides and learns;
//! [`Record`]s are all that changes it, and [`Engine::snapshot`] is a shortcut to the state that they say. [`Engine::report`] and
//! [`Engine::explain`] say what is known; [`WhatIf`] and [`evaluation`] what another policy would have earned.
//!
//! The crate does no input or output, reads no clock and starts no threads. The same records in the same order give the same
//! state on every machine, to the last bit.

// What the C library computes differs between machines; the state must not.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

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
mod what_if;

pub use decision::{Decision, Interval, Ranked};
pub use engine::{Engine, Joined, Outcome};
pub use error::{Error, Result};
pub use explain::{Contribution, Explanation};
pub use record::{Answer, Baseline, Change, RECORD_VERSION, Record, Request};
pub use report::{ActionReport, Report, SliceAction, SliceReport, Stopping};
pub use schema::{Column, Kind, Missing, Part, Unseen};
pub use settings::{Action, Intervals, Late, Learn, Rewards, Scale, Second, Settings, Structure};
pub use value::{Features, Value};
pub use what_if::{Judged, Logged, WhatIf, WhatIfReport};
