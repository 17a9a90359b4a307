//! All tests of the engine, linked once.

mod decisions;
mod encoding;
mod evaluation;
mod hostile;
mod records;
mod rewards;
mod support;
