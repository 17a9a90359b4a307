//! The policies: conformance of all of them, and each against a slow computation of its own.

mod bernstein;
mod catalogue;
mod conformance;
mod contextual;
mod coverage;
mod growth;
mod insured;
mod one_pass;
mod optimism;
mod own;
mod sampling;
mod stream;
