//! Elliptical sums: how much can be learnt in T rounds.
//!
//! **Bound.** Let a_t = ||v_t||^2 in the metric of the inverse of V_t = lambda I + sum_{s<t} v_s v_s', with
//! ||v_t||^2 <= b. Then a_t <= b/lambda =: u, so a_t <= c(u) log(1 + a_t) with c(u) = u/log(1 + u), and the product of
//! the 1 + a_t is the growth of the determinant, at most (1 + T b/(d lambda))^d.
//!
//! The ridge lambda_t of the sets grows, which only shrinks the norms: lambda_1 = d serves throughout.

use optimist::linalg::dot;
use optimist::link;

use crate::error::Result;
use crate::simulation::{Log, Round};

/// Bound on the sum of ||v_t||^2 in the metric of V_t^{-1}, for T = `rounds` vectors of squared norm at most `square`.
fn potential(d: f64, rounds: f64, square: f64, ridge: f64) -> f64 {
    let u = square / ridge;
    let slack = if u > 0.0 { u / u.ln_1p() } else { 1.0 };
    slack * d * (rounds * u / d).ln_1p()
}

/// E, a bound on the sum of mu'(x_t'theta*) ||x_t||^2 in the metric of H_t(theta*)^{-1}.
pub(super) fn weighted_sum(d: f64, rounds: f64) -> f64 {
    potential(d, rounds, 0.25, d)
}

/// A bound on the sum of ||x_t||^2 in the metric of H_t(theta*)^{-1}, where no mu'(x'theta*) is below 1/kappa_x: then
/// H_t(theta*) is at least 1/kappa_x times the matrix of the x_t with ridge kappa_x lambda_1.
pub(super) fn plain_sum(d: f64, rounds: f64, kappa_x: f64) -> f64 {
    // The bound tends to T/lambda_1, which would be infinity times zero.
    let limit = rounds / d;
    if kappa_x.is_finite() { (kappa_x * potential(d, rounds, 1.0, kappa_x * d)).min(limit) } else { limit }
}

/// What a run realised: the elliptical sum that [`weighted_sum`] bounds, with ridge lambda_1 = d, and the plays of
/// detrimental arms. Fed with every play, or handed to a run as its log.
#[derive(Debug, Clone)]
pub struct Realised {
    dimension: usize,
    /// Inverse of H with ridge lambda_1.
    inverse: Vec<f64>,
    /// Inverse times the arm.
    image: Vec<f64>,
    elliptical: f64,
    detrimental_plays: u64,
}

impl Realised {
    /// Before any play of arms with so many features.
    pub fn new(dimension: usize) -> Self {
        let mut inverse = vec![0.0; dimension * dimension];
        inverse.iter_mut().step_by(dimension + 1).for_each(|v| *v = 1.0 / dimension as f64);
        Self { dimension, inverse, image: vec![0.0; dimension], elliptical: 0.0, detrimental_plays: 0 }
    }

    /// A play of `x`, whose log-odds under theta* are `log_odds`: O(d^2).
    ///
    /// # Panics
    /// If `x` has another dimension.
    pub fn play(&mut self, x: &[f64], log_odds: f64, is_detrimental: bool) {
        assert_eq!(x.len(), self.dimension, "an arm has as many features as the others");
        let slope = link::variance(log_odds);
        for (image, row) in self.image.iter_mut().zip(self.inverse.chunks(self.dimension)) {
            *image = dot(row, x);
        }
        let gain = slope * dot(&self.image, x);
        self.elliptical += gain;
        self.detrimental_plays += u64::from(is_detrimental);
        // Sherman-Morrison.
        let scale = slope / (1.0 + gain);
        for (i, row) in self.inverse.chunks_mut(self.dimension).enumerate() {
            for (entry, image) in row.iter_mut().zip(&self.image) {
                *entry -= scale * self.image[i] * image;
            }
        }
    }

    /// The elliptical sum so far.
    pub fn elliptical(&self) -> f64 {
        self.elliptical
    }

    /// Plays of detrimental arms so far.
    pub fn detrimental_plays(&self) -> u64 {
        self.detrimental_plays
    }
}

impl Log for Realised {
    fn round(&mut self, round: &Round<'_>) -> Result<()> {
        self.play(round.features, round.play.log_odds, round.play.is_detrimental);
        Ok(())
    }
}
