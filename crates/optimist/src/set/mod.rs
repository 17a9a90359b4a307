//! Confidence sets: which parameters the data still allow.
//!
//! Most of them are level sets of the log-loss ([`LevelSet`]) that differ only in how high the level is: that is a
//! [`Radius`], one file each. [`Belief`](crate::Belief) joins a radius with a history and keeps the set up to date.

use crate::numerics::Elementary;

/// A radius that is a function of its options alone is serialised as its options, and checked on the way in.
macro_rules! serialise_as_options {
    ($radius:ty, $($field:ident).+) => {
        impl TryFrom<$crate::problem::Problem> for $radius {
            type Error = $crate::error::Error;

            fn try_from(options: $crate::problem::Problem) -> $crate::error::Result<Self> {
                Self::new(&options)
            }
        }

        impl From<$radius> for $crate::problem::Problem {
            fn from(radius: $radius) -> Self {
                radius.$($field).+
            }
        }
    };
}

pub(crate) mod bernstein;
mod corrected;
mod enclosing_ellipsoid;
mod excess;
mod filter;
mod gaussian_remainder;
pub(crate) mod guarantee;
mod level;
mod likelihood_ratio;
mod local_mixture;
mod minorant;
mod mixture;
mod newton_decrement;
mod ofuglb;
mod ofulog_plus;
mod paper;
mod radius;
mod sequential_mixing;
mod tight;

pub use bernstein::deviation_radius;
pub use corrected::Corrected;
pub use enclosing_ellipsoid::EnclosingEllipsoid;
pub use excess::Excess;
pub use guarantee::{Guarantee, Theorem};
pub use level::LevelSet;
pub use likelihood_ratio::LikelihoodRatio;
pub use local_mixture::LocalMixture;
pub(crate) use minorant::Minorant;
pub use mixture::Mixture;
pub use newton_decrement::DecrementSet;
pub use ofuglb::Ofuglb;
pub use ofulog_plus::OfulogPlus;
pub use paper::Paper;
pub use radius::{Radius, RadiusInfo, RadiusMaker, RegisteredStrategy, Strategy, StrategyObject};
pub use sequential_mixing::SequentialMixing;
pub use tight::Tight;

/// Boundary points of a planar set that is star-shaped around `centre`, at equally spaced angles.
pub(crate) fn cast_rays(
    centre: [f64; 2],
    points: usize,
    horizon: f64,
    inside: impl Fn(&[f64]) -> bool,
) -> Vec<[f64; 2]> {
    let at = |angle: f64, r: f64| [centre[0] + r * angle.cosine(), centre[1] + r * angle.sine()];
    (0..points)
        .map(|i| {
            let angle = std::f64::consts::TAU * i as f64 / points as f64;
            if inside(&at(angle, horizon)) {
                return at(angle, horizon);
            }
            let (mut low, mut high) = (0.0, horizon);
            // Sixty halvings reach the last bit of a double.
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if inside(&at(angle, middle)) { low = middle } else { high = middle }
            }
            at(angle, low)
        })
        .collect()
}
