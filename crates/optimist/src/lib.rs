//! Logistic bandits: exact optimistic planning with certificates, and any-time-valid answers.
//!
//! An arm with features x succeeds with probability 1/(1 + exp(-x'theta)) for an unknown theta. A [`Belief`] learns from
//! outcomes and keeps a confidence set for theta that is right at all times with probability 1 - delta; a
//! [`plan::Planner`] finds the arm that is best for the most favourable theta of the set, with a proof; and
//! [`plan::Answers`] turns the set into statements about arms.
//!
//! ```
//! use optimist::plan::{Answers, Planner};
//! use optimist::{Belief, FiniteArms};
//!
//! let arms = FiniteArms::from_rows(&[[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])?;
//! let mut belief = Belief::new(2, Some(4.0), 0.05)?; // 2 features, ||theta|| <= 4, wrong at most 5% of the time
//! let mut planner = Planner::new(&arms, 1e-9)?;
//! for outcome in [1.0, 0.0, 1.0, 1.0] {
//!     let plan = planner.choose(&belief.set(), &arms)?;
//!     assert!(plan.proved);
//!     belief.observe(arms.arm(plan.arm), outcome)?;
//! }
//! let interval = Answers::new(2, 1e-9)?.interval(&belief.set(), arms.arm(0))?;
//! assert!(interval.lower < interval.upper);
//! # Ok::<(), optimist::Error>(())
//! ```
//!
//! One round is the architecture: [`history`] (observations, merged by distinct arm), [`fit`] (the estimate), [`set`]
//! (the confidence set, its radius one of many strategies), [`plan`] (its support function, with a certificate). Each
//! module can be used alone, and data flow one way. The crate does no input or output, starts no threads, reads no
//! clock, and takes its randomness from the caller.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod arms;
mod belief;
// Checks decide nothing that another machine must repeat.
#[cfg(feature = "conformance")]
#[allow(clippy::disallowed_methods)]
pub mod conformance;
mod consolidation;
pub mod error;
pub mod fit;
pub mod hash;
pub mod history;
pub mod link;
pub mod loss;
pub mod numerics;
pub mod plan;
pub mod policy;
pub mod posterior;
mod problem;
mod random;
pub mod rate;
mod registry;
pub mod set;

pub use arms::{ArmSet, Catalogue, CatalogueArms, FiniteArms, Found, HybridArms, SparseArms};
pub use belief::Belief;
pub use error::{Error, Result};
pub use fit::{Estimator, FitStatus, Penalty};
pub use history::History;
pub use posterior::Row;
pub use problem::Problem;
pub use rand;
pub use random::{Generator, generator};
