//! What several policies are made of.

mod constants;
mod farthest;
mod gaussian;
mod interior;
mod linear;
mod optimism;
mod posterior;
mod projection;
mod restricted;
mod score;
mod slabs;
mod widths;

pub use constants::Constants;
pub(super) use farthest::farthest;
pub(super) use gaussian::{fill_normal, perturb};
pub(super) use linear::LinearModel;
pub(super) use optimism::Optimism;
pub(super) use posterior::Posterior;
pub use projection::Projected;
pub(super) use projection::{Metric, Projection, SLAB_TOLERANCE, Target};
pub(super) use restricted::minimise_in_ellipsoid;
pub use score::Bonus;
pub(super) use score::{Deviation, Score, kappa};
pub(super) use slabs::Slabs;
pub(super) use widths::{Ellipse, Widths};

/// Whether floor(log_1.2 t) is larger in this round than in the last: the sparse schedule of looks and of optimistic
/// plays, ever rarer but never ending. The first round is one.
pub(super) fn is_milestone(round: u64) -> bool {
    let step = |t: u64| (t as f64).log(1.2).floor();
    round <= 1 || step(round) > step(round - 1)
}
