//! Decisions by name: contexts in words instead of vectors, rewards that join the decisions they belong to, and records that
//! replay to the last bit.

pub mod evaluation;
