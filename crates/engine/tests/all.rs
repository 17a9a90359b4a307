//! All tests of the engine, linked once.

mod attack;
mod decisions;
mod encoding;
mod evaluation;
mod hostile;
mod records;
mod report;
mod rewards;
mod support;
mod what_if;
