//! The default radius: a Gaussian mixture of likelihood ratios.
//!
//! **Idea.** Under the prior N(0, I/lambda), M_t = int exp(L_t(theta*) - L_t(theta)) dN(theta) is a non-negative
//! martingale of mean one whatever rule chooses the arms, so with probability 1 - delta it never exceeds 1/delta (Ville):
//! L_t(theta*) <= log(1/delta) - log int exp(-L_t) dN for all t at once.
//! (For rewards between 0 and 1 it is a supermartingale, because exp(ru) is convex in r, and the same follows.)
//!
//! **Level.** Softplus lies below the parabola that touches it at any point, with curvature w(z) = tanh(z/2)/(2z). The
//! Gaussian integral of that parabola bounds the integral from below: with any theta_hat, gradient g of
//! L + (lambda/2)||.||^2 there and W = sum_s w(x_s'theta_hat) x_s x_s',
//!
//! ```text
//! c_t = L_t(theta_hat) + (lambda/2)||theta_hat||^2 - g'(W + lambda)^{-1}g/2 + log(1/delta) + logdet(I + W/lambda)/2
//! ```
//!
//! and the set is { L_t(theta) <= c_t }, without ridge, in the ball if a norm bound is known. An inexact estimate costs
//! width, never validity.
//!
//! **Choice of lambda.** d/S^2 when a norm bound S is known: the prior's scale matches the ball. Without one the prior is
//! itself a mixture, in equal parts, of the six with S = 1, 2, ..., 32; its level is -log of the mean of exp(-c_t), which
//! is at most log 6 above the least of the six.

use serde::{Deserialize, Serialize};

use super::guarantee::{Guarantee, MEAN_IN_SOME_ORDER, NORM_IF_DECLARED, ONCE, Theorem};
use super::{RadiusInfo, RadiusMaker, RegisteredStrategy, Strategy};
use crate::error::Result;
use crate::fit::{Estimator, Penalty};
use crate::history::History;
use crate::numerics::{Cholesky, add_scaled, dot};
use crate::problem::Problem;

/// Scales of the priors that are mixed when no norm bound is known.
const SCALES: [f64; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];

/// Which of [`SCALES`] the estimate is fitted with. Any would be valid; a fixed one makes the level a function of the
/// data alone, whatever came before.
const FIT_SCALE: usize = 2;

/// The Gaussian-mixture radius.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Problem", into = "Problem")]
pub struct Mixture {
    options: Problem,
    cholesky: Cholesky,
    scratch: Vec<f64>,
}

serialise_as_options!(Mixture, options);

impl Mixture {
    /// The radius for the given options; a norm bound is not needed.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(options: &Problem) -> Result<Self> {
        options.validate()?;
        let d = options.dimension;
        Ok(Self { options: *options, cholesky: Cholesky::new(d), scratch: vec![0.0; d] })
    }

    /// What the set promises with the given options.
    pub(crate) fn promise(options: &Problem) -> Guarantee {
        let &Problem { delta, norm_bound, .. } = options;
        Guarantee { name: Self::INFO.name, delta: Some(delta), norm_bound, theorem: &THEOREM }
    }

    /// The precision of a prior whose mean squared norm is the square of `scale`.
    fn precision(&self, scale: f64) -> f64 {
        self.options.dimension as f64 / (scale * scale)
    }

    /// The level for one prior precision; `estimate` must hold the upper curvature W.
    fn level_for(&mut self, estimate: &Estimator, precision: f64) -> f64 {
        let (theta, at) = (estimate.theta(), estimate.evaluation());
        // Where the data swamp the prior, W + lambda may not be definite to working precision. A larger W is an upper
        // curvature as well, so adding a multiple of the identity costs width, never validity.
        let mut shift = precision;
        while !self.cholesky.factor(&at.curvature, shift) {
            shift *= 4.0;
            if !shift.is_finite() {
                return f64::INFINITY;
            }
        }
        self.scratch.copy_from_slice(&at.gradient);
        add_scaled(&mut self.scratch, precision, theta);
        self.cholesky.solve_lower(&mut self.scratch);
        let log_det = self.cholesky.log_det() - self.options.dimension as f64 * precision.ln();
        at.loss + 0.5 * precision * dot(theta, theta) - 0.5 * dot(&self.scratch, &self.scratch) + 0.5 * log_det
            - self.options.delta.ln()
    }
}

/// What is proved of it.
static THEOREM: Theorem = Theorem {
    assumptions: &[MEAN_IN_SOME_ORDER, ONCE, NORM_IF_DECLARED],
    order_free: true,
    citation: "method of mixtures (Ville 1939; Robbins 1970) with the tangent-parabola bound of Jaakkola and Jordan 2000",
};

impl RegisteredStrategy for Mixture {
    const INFO: &'static RadiusInfo = &RadiusInfo {
        name: "mixture",
        summary: "Gaussian mixture of likelihood ratios; tight for every dimension, norm bound optional (the default)",
        guaranteed: true,
        needs_norm_bound: false,
        unit_arms: false,
        needs_order: false,
        maker: RadiusMaker::of::<Self>(),
    };

    fn build(problem: &Problem) -> Result<Self> {
        Self::new(problem)
    }
}

impl Strategy for Mixture {
    fn dimension(&self) -> usize {
        self.options.dimension
    }

    fn guarantee(&self) -> Guarantee {
        Self::promise(&self.options)
    }

    fn penalty(&self, _observations: f64) -> Penalty {
        // In the ball, so that the estimate can serve as the set's centre; the gradient this leaves is accounted for.
        let ridge = self.precision(self.options.norm_bound.unwrap_or(SCALES[FIT_SCALE]));
        Penalty { ridge, norm_bound: self.options.norm_bound.unwrap_or(f64::INFINITY) }
    }

    fn ridge(&self, _observations: f64) -> f64 {
        0.0
    }

    fn level(&mut self, history: &History, estimate: &mut Estimator) -> f64 {
        estimate.ensure_curvature(history);
        if let Some(bound) = self.options.norm_bound {
            return self.level_for(estimate, self.precision(bound));
        }
        let levels = SCALES.map(|scale| self.level_for(estimate, self.precision(scale)));
        let least = levels.iter().copied().fold(f64::INFINITY, f64::min);
        let mean = levels.iter().map(|level| (least - level).exp()).sum::<f64>() / SCALES.len() as f64;
        least - mean.ln()
    }
}

#[cfg(test)]
mod tests {
    use crate::Belief;

    /// W = n w xx' with n so large that adding the prior's precision changes nothing in doubles.
    #[test]
    fn data_that_swamp_the_prior_leave_a_set_with_the_estimate_in_it() -> crate::Result<()> {
        for (scale, count) in [(1.0, 10_u64.pow(17)), (1e6, 1_000_000), (1e6, 10_u64.pow(15))] {
            let mut belief = Belief::new(2, Some(4.0), 0.05)?;
            belief.observe_many(&[0.3 * scale, 0.7 * scale], 0.5, count)?;
            let estimate = belief.estimate().to_vec();
            let set = belief.set();
            assert!(set.level().is_finite() && set.contains(&estimate) && !set.is_empty(), "{scale} {count}");
        }
        Ok(())
    }
}
