//! Numerical methods that know nothing of bandits: small dense linear algebra, ellipsoids, the ball, random draws.
//!
//! Symmetric matrices are slices of d*d numbers in row-major order of which only the lower triangle is read or written.
//! All this is written by hand because a round at d = 2 costs about a microsecond in all, which leaves no room for a
//! general library's dispatch, and because every buffer must be the caller's.

mod cholesky;
mod curvature;
mod cut_ball;
mod dispatch;
mod elementary;
mod ellipsoid;
mod farthest;
mod gaussian;
mod growth;
mod hermite;
mod least_eigenvalue;
mod normal_logit;
mod polya_gamma;
mod precision;
pub(crate) mod stored_numbers;
mod symmetric;
mod trust_region;
mod vectors;
mod ziggurat;

pub use cholesky::Cholesky;
pub(crate) use curvature::{greatest_curvature, least_curvature, least_curvature_lane};
pub(crate) use cut_ball::CutBall;
pub(crate) use dispatch::dispatch;
#[doc(hidden)]
pub use dispatch::force_scalar;
pub(crate) use elementary::{Elementary, gamma_share, power_of_two};
pub use ellipsoid::Ellipsoid;
pub(crate) use ellipsoid::{StoredEllipsoid, half_width};
pub(crate) use farthest::{farthest_bound, farthest_point};
pub(crate) use gaussian::{Draws, fill_normal, perturb};
pub(crate) use growth::{grow_matrix, grow_rows};
pub(crate) use least_eigenvalue::LeastEigenvalue;
pub(crate) use normal_logit::{mixed_loss, posterior_logit};
pub(crate) use polya_gamma::PolyaGamma;
pub use precision::Precision;
pub(crate) use symmetric::{TOGETHER, add_outers, multiply, quadratic_form, square_forms};
pub use symmetric::{add_outer, square_form, trace};
pub use trust_region::{Quadratic, TrustRegion};
pub(crate) use vectors::{LANES, bring_back, raise};
pub use vectors::{add_scaled, dot, norm};
pub(crate) use ziggurat::{StandardExponential, StandardNormal};
