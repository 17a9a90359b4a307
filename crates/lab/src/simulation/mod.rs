//! One run of a policy in an environment whose parameter is known: a world, the policy in it, and what is kept of it.

mod delayed_feedback;
mod draws;
mod errors;
mod instance;
mod law;
mod ledger;
mod observer;
mod parameter;
mod play;
mod potential;
mod record;
mod setting;
mod streams;
mod sum;
mod world;

pub use delayed_feedback::Arrival;
pub use instance::Instance;
pub use observer::{PlayedRound, Progress, RoundLog};
pub use play::play;
pub use potential::Potential;
pub use record::Record;
pub use setting::Setting;
pub use world::{Play, World};
