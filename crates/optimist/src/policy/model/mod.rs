//! What policies learn and keep: estimates, learners, widths and sets that several of them share.

mod cut_ellipsoid;
mod ecolog_learner;
mod failure_set;
mod laplace;
mod linear;
mod mirror_step;
mod one_pass;
mod posterior;
mod posterior_options;
mod price;
mod score_projection;
mod score_set;
mod set_planner;
mod slabs;
mod warm_up;
mod widths;

pub(super) use cut_ellipsoid::CutEllipsoid;
pub(super) use ecolog_learner::EcologLearner;
pub(super) use laplace::{Gaussian, Laplace};
pub(super) use linear::LinearModel;
pub(super) use mirror_step::{MirrorStep, Move};
pub(super) use one_pass::ONE_PASS;
pub(super) use posterior::Posterior;
pub(super) use posterior_options::{HALF_LIFE, OWN, POSTERIOR, RIDGE};
pub use posterior_options::{PosteriorKind, PosteriorOptions, Ridge};
pub(super) use price::Price;
pub use score_projection::ProjectionStatus;
pub(super) use score_projection::{Objective, SLAB_TOLERANCE, ScoreNorm, ScoreProjection, distance};
pub use score_set::Bonus;
pub(super) use score_set::{Deviation, ScoreSet};
pub(super) use set_planner::{SetPlanner, check_dimension, upper_bound};
pub(super) use slabs::Slabs;
pub(super) use warm_up::WarmUp;
pub(super) use widths::Widths;
