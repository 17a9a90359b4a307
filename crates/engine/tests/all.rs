//! All tests of the engine, linked once.

mod evaluation;
