//! All tests of the engine, linked once.

mod decisions;
mod encoding;
mod hostile;
mod records;
mod rewards;
mod support;
