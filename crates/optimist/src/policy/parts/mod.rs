//! What several policies are made of.

mod constants;
mod curvature;
mod draws;
mod ecolog;
mod failures;
mod farthest;
mod gaussian;
mod interior;
mod linear;
mod optimism;
mod optimistic;
mod polya_gamma;
mod posterior;
mod projected;
mod projection;
mod promise;
mod restricted;
mod score;
mod slabs;
mod warm_up;
mod widths;

pub use constants::Constants;
pub(super) use curvature::least_curvature;
pub(super) use draws::Draws;
pub(super) use ecolog::EcologLearner;
pub(super) use farthest::farthest;
pub(super) use gaussian::{fill_normal, perturb};
pub(super) use linear::LinearModel;
pub(super) use optimism::{Optimism, SetPlanner, check_dimension, upper_bound};
pub use optimistic::{ConstantsOptions, Optimistic, SetPolicy};
pub(super) use polya_gamma::PolyaGamma;
pub(super) use posterior::Posterior;
pub(super) use projected::{Move, ProjectedStep};
pub use projection::Projected;
pub(super) use projection::{Metric, Projection, SLAB_TOLERANCE, Target};
pub(super) use promise::{CutEllipse, moderate_norm_bound, one_pass, sane_norm_bound};
pub(super) use restricted::minimise_in_ellipsoid;
pub use score::Bonus;
pub(super) use score::{Deviation, Score, kappa};
pub(super) use slabs::Slabs;
pub(super) use warm_up::WarmUp;
pub(super) use widths::{Ellipse, Widths};

/// Whether floor(log t), to this base, is larger in this round than in the last: the sparse schedule of looks and of
/// optimistic plays, ever rarer but never ending. The first round is one.
pub(super) fn is_milestone(round: u64, base: f64) -> bool {
    let step = |t: u64| (t as f64).log(base).floor();
    round <= 1 || step(round) > step(round - 1)
}
