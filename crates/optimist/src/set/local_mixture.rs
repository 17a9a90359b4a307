//! A Gaussian mixture of likelihood ratios with a prior that is centred at the candidate: the radius for long logs.
//!
//! **Idea.** To be in a set is to pass a test, and a test of theta_0 may use a prior that depends on theta_0. That of
//! [`Mixture`](super::Mixture) stays at the origin, and its level grows with (d/2) log n, because ever less of it lies near
//! the truth. Here half of the prior is that one and half is spread over Gaussians around the candidate of all widths,
//!
//! ```text
//! pi(theta_0) = p_0 pi + sum_{j >= 1} p_j N(theta_0, I/Lambda_j),   Lambda_j = 4^j lambda,   lambda = d/S^2 (1 without S)
//! p_0 = 1/2,   p_j = (1/2)(1/5)(4/5)^{j-1}
//! ```
//!
//! one of which is about as wide as the data are precise, whatever n. For theta_0 = theta* that prior is fixed before the
//! data, although nobody knows it, so that M_t = int exp(L_t(theta*) - L_t) dpi(theta*) is a non-negative martingale of mean
//! one (a supermartingale for rewards between 0 and 1), and with probability 1 - delta it never reaches 1/delta (Ville).
//!
//! **One centre for all candidates.** Let m be any point (the estimate of `mixture`), g and H gradient and Hessian of L
//! there. By Jensen's inequality with q = N(m, (H + Lambda_j)^{-1}), where the traces cancel as they do for `mixture`,
//!
//! ```text
//! log int exp(-L) dN(theta_0, I/Lambda_j) >= -L(m) - a_j - (Lambda_j/2)||theta_0 - m||^2
//! a_j = logdet(I + H/Lambda_j)/2 + sum_s n_s R_s(v_s),   v_s = x_s'(H + Lambda_j)^{-1}x_s
//! ```
//!
//! with the remainder R_s of [`super::gaussian_remainder`]. It grows with v_s, so that one pass with the least Lambda_j in
//! use serves all. With a_0 = (level of `mixture`) - log(1/delta) - L(m) the event says
//!
//! ```text
//! L(theta*) - L(m) <= C(||theta* - m||),   C(r) = log(1/delta) - log(p_0 e^{-a_0} + sum_j p_j e^{-a_j - Lambda_j r^2/2})   (1)
//! ```
//!
//! **From the distance to a level.** C increases, from which follows a level as soon as theta* is known to be near m. At first
//! it may be anywhere: C(infinity) is the level of `mixture` plus log 2. But a small rise of the loss means a small distance:
//! by mu'(z + h) >= mu'(z)e^{-|h|}, with h the least eigenvalue of H and X the longest row, for ||u|| = r
//!
//! ```text
//! L(m + u) - L(m) >= h (e^{-Xr} + Xr - 1)/X^2 - ||g|| r                                                                  (2)
//! ```
//!
//! so that r <- the root of (2) = C(r) is a bound again, and a smaller one. Once |x_s'(theta* - m)| <= ||x_s|| r is known, each
//! row has a least curvature k_s over that interval, the least 2(softplus(z') - softplus(z) - mu(z)(z' - z))/(z' - z)^2 around
//! z = x_s'm, and with K = sum_s n_s k_s x_s x_s'
//!
//! ```text
//! L(m + u) - L(m) >= (1/2) u'Ku - ||g|| r >= (1/2) lambda_min(K) r^2 - ||g|| r                                            (3)
//! ```
//!
//! Every r on the way is valid on the one event, so it does not matter when one stops. The level is L(m) + C(r). Nothing above
//! uses the norm bound, but for the choice of lambda: the level holds for parameters of any length.
//!
//! **What it costs.** The level is never more than log 2 above that of `mixture`, and below it once the least eigenvalue of H
//! is large (docs/sets.md has widths as data accumulate); where H is singular nothing is gained. The choice between the two radii
//! has to be made before the data are seen: the smaller of both holds with 1 - 2 delta only.

mod allowance;
mod reach;

use serde::{Deserialize, Serialize};

use self::allowance::{Allowance, Term};
use self::reach::{Parabola, SelfConcordant, Slope, least_curvatures, shrink};
use super::gaussian_remainder::{Scratch, remainder};
use super::guarantee::{Guarantee, MEAN_IN_SOME_ORDER, NORM_IF_DECLARED, ONCE, Theorem};
use super::{Mixture, RadiusInfo, RadiusMaker, RegisteredStrategy, Strategy};
use crate::error::Result;
use crate::fit::{Estimator, Penalty};
use crate::history::History;
use crate::loss::{additions, weighted_design};
use crate::numerics::{Cholesky, Elementary, LeastEigenvalue, norm};
use crate::problem::Problem;

/// p_0, the part of the prior that stays at the origin: the level is at most the logarithm of its reciprocal above that of
/// `mixture`. With more of it that would be less (0.22 for 0.8), and so would be the gain in long logs, which this radius is for.
const FIXED_SHARE: f64 = 0.5;

/// p_{j+1}/p_j.
const DECAY: f64 = 0.8;

/// Lambda_{j+1}/Lambda_j.
const RATIO: f64 = 4.0;

/// Priors are used whose precision is between the least eigenvalue of H and this part of it: the best is about a tenth, and
/// those farther away would add nothing to the sum.
const WIDEST: f64 = 1.0 / 1024.0;

/// Passes for (3) at most. Two are enough but for data that are just about to make the set smaller than `mixture`.
const PASSES: usize = 4;

/// By how much the last pass must have lowered the level, and the next one could, for it to be spent.
const WORTHWHILE: f64 = 0.01;

/// The mixture with a prior around each candidate.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Problem", into = "Problem")]
pub struct LocalMixture {
    options: Problem,
    fixed: Mixture,
    allowance: Allowance,
    eigenvalue: LeastEigenvalue,
    cholesky: Cholesky,
    rows: Scratch,
    /// The weights of K and K itself.
    weights: Vec<f64>,
    matrix: Vec<f64>,
}

serialise_as_options!(LocalMixture, options);

impl LocalMixture {
    /// The radius for the given options; a norm bound is not needed.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(options: &Problem) -> Result<Self> {
        let d = options.dimension;
        Ok(Self {
            options: *options,
            fixed: Mixture::new(options)?,
            allowance: Allowance::new(options.delta),
            eigenvalue: LeastEigenvalue::new(d),
            cholesky: Cholesky::new(d),
            rows: Scratch::new(d),
            weights: Vec::new(),
            matrix: vec![0.0; d * d],
        })
    }

    /// A bound on the distance of theta* from the estimate, on the event.
    fn distance(&mut self, history: &History, estimate: &Estimator) -> f64 {
        let at = estimate.evaluation();
        let curvature = shrink(self.eigenvalue.bound(&at.hessian, history.rows()));
        let slope = Slope::new(norm(&at.gradient), history.total_norm());
        let everywhere = SelfConcordant { curvature, slope, longest: history.max_norm() };
        // Without growth in all directions, or with a slope that outweighs it, theta* may be anywhere.
        if !everywhere.grows() || !self.add_local_priors(history, estimate, curvature) {
            return f64::INFINITY;
        }
        let mut r = self.settle(f64::INFINITY, |c| everywhere.reach(c));
        // What (3) would give if the loss were a parabola: it cannot give more.
        let ideal = self.settle(r, |c| Parabola { curvature, slope }.reach(c));
        let (mut before, floor) = (f64::INFINITY, self.allowance.at(ideal));
        for _ in 0..PASSES {
            let now = self.allowance.at(r);
            if !(now - floor > WORTHWHILE && before - now > WORTHWHILE) {
                break;
            }
            before = now;
            least_curvatures(history, estimate.theta(), r, &mut self.weights);
            weighted_design(history, &self.weights, &mut self.matrix);
            let curvature = shrink(self.eigenvalue.bound(&self.matrix, history.rows()));
            r = self.settle(r, |c| Parabola { curvature, slope }.reach(c));
        }
        r
    }

    /// Lowers the bound `r` on the distance as long as C of it allows.
    fn settle(&self, mut r: f64, reach: impl Fn(f64) -> f64) -> f64 {
        for _ in 0..100 {
            let next = reach(self.allowance.at(r));
            let done = !(next < r * (1.0 - 1e-6));
            r = r.min(next);
            if done {
                break;
            }
        }
        r
    }

    /// Adds those priors around the candidate whose width suits the data. Returns false if there is none.
    fn add_local_priors(&mut self, history: &History, estimate: &Estimator, curvature: f64) -> bool {
        let (d, hessian) = (self.options.dimension as f64, &estimate.evaluation().hessian);
        let mut precision = RATIO * self.options.default_ridge();
        let mut log_weight = ((1.0 - FIXED_SHARE) * (1.0 - DECAY)).logarithm();
        let mut rest = None;
        while precision <= curvature {
            if precision >= WIDEST * curvature && self.cholesky.factor_above(hessian, precision, additions(history)) {
                // The first has the least precision, and so the largest v_s.
                let rest =
                    *rest.get_or_insert_with(|| remainder(history, estimate.theta(), &self.cholesky, &mut self.rows));
                let volume = 0.5 * (self.cholesky.log_det() - d * precision.logarithm());
                self.allowance.add(Term { precision, log_share: log_weight - volume - rest });
            }
            precision *= RATIO;
            log_weight += DECAY.logarithm();
        }
        rest.is_some()
    }
}

/// What is proved of it.
static THEOREM: Theorem = Theorem {
    assumptions: &[MEAN_IN_SOME_ORDER, ONCE, NORM_IF_DECLARED],
    order_free: true,
    citation: "method of mixtures (Ville 1939; Robbins 1970) with a prior centred at each candidate, by Jensen's inequality \
               around one estimate and self-concordance; to be chosen before the data are seen",
};

impl RegisteredStrategy for LocalMixture {
    const INFO: &'static RadiusInfo = &RadiusInfo {
        name: "local-mixture",
        summary: "mixture with a prior around each candidate; for reports on a thousand observations or more",
        guaranteed: true,
        needs_norm_bound: false,
        unit_arms: false,
        needs_order: false,
        theorem: &THEOREM,
        maker: RadiusMaker::of::<Self>(),
    };

    fn build(problem: &Problem) -> Result<Self> {
        Self::new(problem)
    }
}

impl Strategy for LocalMixture {
    fn dimension(&self) -> usize {
        self.options.dimension
    }

    fn guarantee(&self) -> Guarantee {
        let Problem { delta, norm_bound, .. } = self.options;
        Guarantee { name: Self::INFO.name, delta: Some(delta), norm_bound, theorem: &THEOREM }
    }

    fn penalty(&self, observations: f64) -> Penalty {
        self.fixed.penalty(observations)
    }

    fn ridge(&self, observations: f64) -> f64 {
        self.fixed.ridge(observations)
    }

    /// The minimiser with the ridge is below the level, as it has to be: without the ball its loss is at most L(m), the local
    /// priors contribute a level of at least L(m) + log(1/delta), and the fixed one what is shown for `mixture`.
    fn holds_beyond_ball(&self) -> bool {
        true
    }

    fn level(&mut self, history: &History, estimate: &mut Estimator) -> f64 {
        let fixed = self.fixed.level(history, estimate);
        let loss = estimate.evaluation().loss;
        self.allowance.restart(fixed - loss, FIXED_SHARE.logarithm());
        let r = self.distance(history, estimate);
        loss + self.allowance.at(r)
    }
}

#[cfg(test)]
mod tests;
