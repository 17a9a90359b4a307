//! Runs of a policy in an environment whose parameter is known.

mod ledger;
mod mail;
mod run;
mod streams;
mod sum;
mod world;

pub use mail::Fate;
pub use run::{Log, Round, Setting, Watch, play};
pub use world::{Play, World};
