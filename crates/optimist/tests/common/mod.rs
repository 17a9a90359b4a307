//! What several tests and the acceptance benchmark share: random problems, independent checks, a conic reference.
//!
//! Every user takes a part of it only.
#![allow(dead_code, missing_docs, unreachable_pub)]

pub mod checks;
pub mod conic;
pub mod problems;
