//! Every lemma that the theory of logistic bandits rests on, tried on random problems, and every inequality of Abeille,
//! Faury and Calauzenes (2021) that does not hold as it is printed, with numbers at which it fails.
//!
//! A test named `printed_...` asserts that the printed form fails and that the corrected one holds at the same point.
//! The scalar inequalities of the logistic function itself are in the tests of the core, `lemmas.rs`.

mod decomposition;
mod detrimental;
mod entropy;
mod exchange;
mod lower_bound;
mod matrix;
mod plays;
mod potential;
mod problem;
mod quadrature;
mod radius;
mod relaxation;
mod self_concordance;
mod symbols;
