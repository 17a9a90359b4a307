//! The definitions.
