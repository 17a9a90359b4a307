//! The default radius: a Gaussian mixture of likelihood ratios.
//!
//! **Idea.** Under a prior N(0, I/lambda), M_t = int exp(L_t(theta*) - L_t(theta)) dN(theta) is a non-negative
//! martingale of mean one whatever rule chooses the arms, so with probability 1 - delta it never exceeds 1/delta (Ville):
//! L_t(theta*) <= log(1/delta) - log int exp(-L_t) dN for all t at once.
//! (For rewards between 0 and 1 it is a supermartingale, because exp(ru) is convex in r, and the same follows.)
//! The same holds for a prior that is itself a mixture of Gaussians.
//!
//! **Level.** The integral of one Gaussian is bounded from below in two ways, and the larger bound is taken: both are about
//! the same number, so that the choice costs nothing.
//!
//! - *Parabola.* Softplus lies below the parabola that touches it at any point, with curvature w(z) = tanh(z/2)/(2z). With
//!   any m, the gradient g of L + (lambda/2)||.||^2 there and W = sum_s w(x_s'm) x_s x_s',
//!
//!   ```text
//!   c = L(m) + (lambda/2)||m||^2 - g'(W + lambda)^{-1}g/2 + log(1/delta) + logdet(I + W/lambda)/2
//!   ```
//! - *Jensen.* For q = N(m, M^{-1}), M = H(m) + lambda, the logarithm of the integral is at least -E_q L - KL(q || N). With
//!   the expected loss expanded to second order and the rest R bounded row by row ([`super::gaussian_remainder`]),
//!
//!   ```text
//!   c = L(m) + (lambda/2)||m||^2 + log(1/delta) + logdet(I + H(m)/lambda)/2 + R
//!   ```
//!
//!   This has H in place of the larger W, and no credit for a gradient that is left: m is a Newton step from the estimate,
//!   unless the estimate is that minimiser already.
//!
//! The set is { L_t(theta) <= c_t }, without ridge, in the ball if a norm bound is known. An inexact estimate costs
//! width, never validity. A norm bound that is false breaks the intersection with the ball, but not the level.
//!
//! **Prior.** With a norm bound S the prior is eight parts N(0, I S^2/d), whose mean squared norm is that of the ball, and
//! one part each of half and a quarter of that scale, in case S was declared with caution: c = -log sum_i p_i exp(-c_i) is
//! at most log 1.25 above what the first alone would give, and less by a half if ||theta*|| is a quarter of S = 4 (1,000
//! observations in two dimensions). Without norm bound the scales are 1, 2, ..., 32 in equal parts. The parabola serves all
//! scales at no pass over the data; the scale for which it is best gets the other bound as well.
//!
//! **Growth.** A feature that was zero in all rows so far leaves M_t as it is, whatever prior its parameter has, as long as that
//! is independent of the others: it integrates to one. So features can be added at any time, also because of what was
//! observed, and the martingale and its delta stay the same if the priors of the old parameters do. Hence d above is the
//! number of features that the set was built for, and stays so.

use serde::{Deserialize, Serialize};

use super::gaussian_remainder::{Scratch, remainder};
use super::guarantee::{Guarantee, MEAN_IN_SOME_ORDER, NORM_IF_DECLARED, ONCE, Theorem};
use super::{RadiusInfo, RadiusMaker, RegisteredStrategy, Strategy};
use crate::consolidation::{self, Paraboloid, Region, Summary};
use crate::error::{Result, check_number};
use crate::fit::{Estimator, Penalty};
use crate::history::History;
use crate::loss::{Evaluation, Order, additions, evaluate};
use crate::numerics::{Cholesky, Elementary, add_scaled, dot};
use crate::problem::Problem;

/// Scales of the priors that are mixed when no norm bound is known, in equal parts.
const SCALES: [f64; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];

/// Which of [`SCALES`] the estimate is fitted with. Any would be valid; a fixed one makes the level a function of the
/// data alone, whatever came before.
const FIT_SCALE: usize = 2;

/// Scales of the priors as parts of the norm bound, if there is one, and how much of the mixture each is. The estimate is
/// fitted with the first.
const PARTS: [(f64, f64); 3] = [(1.0, Mixture::FIRST_SHARE), (0.5, 0.1), (0.25, 0.1)];

/// What a gradient at the estimate may cost the second bound before a Newton step and a pass are spent on it.
const NEGLIGIBLE: f64 = 1e-3;

/// What may be charged for mass outside of a region before a bound without region is tried as well.
const CHARGED: f64 = 0.05;

/// Newton steps from the estimate to the minimiser of the upper loss, at most.
const NEWTON_STEPS: usize = 4;

/// The Gaussian-mixture radius.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Mixture {
    options: Problem,
    /// The number of features whose ball the priors have the scale of: as many as there were when it was built.
    prior_dimension: usize,
    priors: Vec<Prior>,
    cholesky: Cholesky,
    /// The centre m of the second bound and the loss there, if they are not those of the estimate.
    centre: Vec<f64>,
    at_centre: Evaluation,
    /// The point at which `at_centre` was evaluated, while the next is computed.
    point: Vec<f64>,
    /// The loss at the estimate with the upper quadratic in place of the lower one.
    at_estimate: Evaluation,
    scratch: Vec<f64>,
    rows: Scratch,
    outside: consolidation::Scratch,
    /// What the last level has for the mass outside of the region.
    charged: f64,
}

/// A part of the prior.
#[derive(Debug, Clone, Copy)]
struct Prior {
    precision: f64,
    weight: f64,
}

/// The serialised form.
#[derive(Serialize, Deserialize)]
struct Stored {
    dimension: usize,
    delta: f64,
    norm_bound: Option<f64>,
    /// None if features were never added.
    #[serde(default)]
    prior_dimension: Option<usize>,
}

impl TryFrom<Stored> for Mixture {
    type Error = crate::error::Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let Stored { dimension, delta, norm_bound, prior_dimension } = stored;
        Self::with_priors_for(&Problem { dimension, delta, norm_bound }, prior_dimension.unwrap_or(dimension))
    }
}

impl From<Mixture> for Stored {
    fn from(radius: Mixture) -> Self {
        let Problem { dimension, delta, norm_bound } = radius.options;
        let prior_dimension = Some(radius.prior_dimension).filter(|before| *before != dimension);
        Self { dimension, delta, norm_bound, prior_dimension }
    }
}

impl Mixture {
    /// How much of the prior has the scale of the norm bound. The level is at most the logarithm of its reciprocal above that
    /// of this part alone, which is what bounds on regret are proved with.
    pub const FIRST_SHARE: f64 = 0.8;

    /// The radius for the given options; a norm bound is not needed.
    ///
    /// # Errors
    /// If an option is out of range.
    pub fn new(options: &Problem) -> Result<Self> {
        Self::with_priors_for(options, options.dimension)
    }

    /// The same with the priors of a set that was built for `prior_dimension` features.
    pub(crate) fn with_priors_for(options: &Problem, prior_dimension: usize) -> Result<Self> {
        options.validate()?;
        let d = options.dimension;
        let allowed = (1..=d).contains(&prior_dimension);
        check_number("prior_dimension", prior_dimension as f64, allowed, "at least 1 and at most the dimension")?;
        Ok(Self {
            options: *options,
            prior_dimension,
            priors: priors(&Problem { dimension: prior_dimension, ..*options }),
            cholesky: Cholesky::new(d),
            centre: vec![0.0; d],
            at_centre: Evaluation::new(d),
            point: vec![0.0; d],
            at_estimate: Evaluation::new(d),
            scratch: vec![0.0; d],
            rows: Scratch::new(d),
            outside: consolidation::Scratch::new(d),
            charged: 0.0,
        })
    }

    /// What the set promises with the given options.
    pub(crate) fn promise(options: &Problem) -> Guarantee {
        let &Problem { delta, norm_bound, .. } = options;
        Guarantee { name: Self::INFO.name, delta: Some(delta), norm_bound, theorem: &THEOREM }
    }

    /// Factors what is no less than `matrix + precision`, and returns what was added to the diagonal of the matrix, about; none if
    /// it has no factor.
    ///
    /// For either bound something may be added: a larger W is an upper curvature as well, and q may be any Gaussian (its
    /// precision is larger than M then, for which the terms that are left out of the second bound are negative). So what
    /// rounding may take off is added beforehand ([`Cholesky::factor_above`]): it raises the level by half of that times the
    /// trace of A^{-1} diag(A), by 1e-14 for ordinary data, and by some thousandths where n X^2 S^2/d is 1e12 and all arms are
    /// nearly parallel. Where the data swamp the prior even that may not be definite to working precision, and more is added.
    /// Only the variances in the remainder R are left as they are: it is small where counts are large.
    fn factor(&mut self, matrix: &[f64], precision: f64, additions: f64) -> Option<f64> {
        let mut shift = precision;
        while !self.cholesky.factor_above(matrix, shift, additions) {
            shift *= 4.0;
            if !shift.is_finite() {
                return None;
            }
        }
        Some(shift)
    }

    /// logdet(A/lambda)/2 + log(1/delta) for the matrix A that is factored; no less than that of the exact one.
    fn volume(&self, precision: f64) -> f64 {
        let log_det = self.cholesky.log_det() - self.options.dimension as f64 * precision.logarithm();
        0.5 * log_det - self.options.delta.logarithm()
    }

    /// L^{-1}g into `scratch`, with the gradient g of the loss with its ridge.
    fn turn_gradient(&mut self, theta: &[f64], gradient: &[f64], precision: f64) {
        self.scratch.copy_from_slice(gradient);
        add_scaled(&mut self.scratch, precision, theta);
        self.cholesky.solve_lower(&mut self.scratch);
    }

    /// theta - L^{-T}`scratch` into the centre: where the quadratic with the factored matrix is least.
    fn step_from(&mut self, theta: &[f64]) {
        self.cholesky.solve_upper(&mut self.scratch);
        self.centre.copy_from_slice(theta);
        add_scaled(&mut self.centre, -1.0, &self.scratch);
    }

    /// The level of one prior by the parabola; `at` must hold the upper curvature W.
    fn by_parabola(
        &mut self,
        history: &History,
        theta: &[f64],
        at: &Evaluation,
        precision: f64,
        region: Option<&Region>,
    ) -> f64 {
        let Some(shift) = self.factor(&at.curvature, precision, additions(history)) else { return f64::INFINITY };
        self.turn_gradient(theta, &at.gradient, precision);
        let fall = 0.5 * dot(&self.scratch, &self.scratch);
        let level = at.loss + 0.5 * precision * dot(theta, theta) - fall + self.volume(precision);
        let Some(region) = region else { return level };
        self.step_from(theta);
        level + region.penalty(&self.centre, &at.curvature, shift, self.cholesky.log_det(), &mut self.outside)
    }

    /// The level of one prior by Jensen's inequality, around theta or, if the gradient there matters, a Newton step away;
    /// several such steps, if the loss is that of the upper quadratic, whose minimiser is not the estimate.
    fn by_jensen(
        &mut self,
        history: &History,
        theta: &[f64],
        at: &Evaluation,
        precision: f64,
        upper: Option<&Upper<'_>>,
    ) -> f64 {
        let steps = if upper.is_some() { NEWTON_STEPS } else { 1 };
        let Some(mut shift) = self.factor(&at.hessian, precision, additions(history)) else { return f64::INFINITY };
        if self.is_settled(theta, at, precision) {
            return self.jensen_at(history, theta, at, precision, shift, upper);
        }
        self.step_from(theta);
        let mut at_centre = std::mem::replace(&mut self.at_centre, Evaluation::new(0));
        let mut centre = std::mem::take(&mut self.point);
        centre.copy_from_slice(&self.centre);
        let mut level = f64::INFINITY;
        for step in 1..=steps {
            evaluate(history, &centre, Order::Hessian, &mut at_centre);
            if let Some(upper) = upper {
                upper.excess.add_to(upper.origin, &centre, Order::Hessian, &mut at_centre);
            }
            let Some(factored) = self.factor(&at_centre.hessian, precision, additions(history)) else { break };
            shift = factored;
            if step == steps || self.is_settled(&centre, &at_centre, precision) {
                level = self.jensen_at(history, &centre, &at_centre, precision, shift, upper);
                break;
            }
            self.step_from(&centre);
            centre.copy_from_slice(&self.centre);
        }
        (self.at_centre, self.point) = (at_centre, centre);
        level
    }

    /// Whether the gradient at the centre is negligible. Leaves L^{-1}g in `scratch`.
    fn is_settled(&mut self, centre: &[f64], at: &Evaluation, precision: f64) -> bool {
        self.turn_gradient(centre, &at.gradient, precision);
        0.5 * dot(&self.scratch, &self.scratch) <= NEGLIGIBLE
    }

    /// Jensen's bound around m, with the matrix that is factored.
    fn jensen_at(
        &mut self,
        history: &History,
        m: &[f64],
        at: &Evaluation,
        precision: f64,
        shift: f64,
        upper: Option<&Upper<'_>>,
    ) -> f64 {
        let remainder = remainder(history, m, &self.cholesky, &mut self.rows);
        let level = at.loss + 0.5 * precision * dot(m, m) + self.volume(precision) + remainder;
        let Some(region) = upper.and_then(|upper| upper.region) else { return level };
        self.charged = region.penalty(m, &at.hessian, shift, self.cholesky.log_det(), &mut self.outside);
        level + self.charged
    }

    /// The level of all priors together. `at` is the evaluation at theta of a loss that is not below the true one (on the
    /// region of `upper`, if there is one), with its upper curvature.
    fn of_all_priors(&mut self, history: &History, theta: &[f64], at: &Evaluation, upper: Option<&Upper<'_>>) -> f64 {
        let region = upper.and_then(|upper| upper.region);
        // c_i - log p_i of every part; the level is -log sum_i exp of their negatives.
        let mut least = (0, f64::INFINITY);
        let mut rest = 0.0;
        for k in 0..self.priors.len() {
            let Prior { precision, weight } = self.priors[k];
            let level = self.by_parabola(history, theta, at, precision, region) - weight.logarithm();
            if level == f64::INFINITY {
                continue;
            }
            let (low, high) = if level < least.1 { (level, least.1) } else { (least.1, level) };
            rest = if level < least.1 {
                (rest + 1.0) * (low - high).exponential()
            } else {
                rest + (low - high).exponential()
            };
            least = if level < least.1 { (k, level) } else { least };
        }
        let Prior { precision, weight } = self.priors[least.0];
        let better = self.by_jensen(history, theta, at, precision, upper) - weight.logarithm();
        if better < least.1 {
            better - (rest * (better - least.1).exponential()).logarithm_1p()
        } else {
            least.1 - rest.logarithm_1p()
        }
    }

    /// The level where rows were consolidated: from the quadratic above the true loss on the region, or from the one that
    /// is above it anywhere. Both are about the same integral.
    fn of_consolidated(&mut self, history: &History, summary: &Summary, estimate: &Estimator) -> f64 {
        let theta = estimate.theta();
        let anywhere = Upper { origin: summary.origin(), excess: summary.excess_anywhere(), region: None };
        let on_region = Upper { excess: summary.excess(), region: summary.region(), ..anywhere };
        let mut at = std::mem::replace(&mut self.at_estimate, Evaluation::new(0));
        let mut level_of = |this: &mut Self, upper: &Upper<'_>| {
            at.copy_from(estimate.evaluation());
            at.curvature.copy_from_slice(&estimate.evaluation().curvature);
            upper.excess.add_to(upper.origin, theta, Order::Curvature, &mut at);
            this.charged = f64::INFINITY;
            this.of_all_priors(history, theta, &at, Some(upper))
        };
        let mut level = level_of(self, &on_region);
        // The other quadratic is larger everywhere, and can gain no more than was charged for the region.
        if !(self.charged <= CHARGED) {
            level = level.min(level_of(self, &anywhere));
        }
        self.at_estimate = at;
        level
    }
}

/// A quadratic to be added to the set's loss to have one above the true loss, on a region if there is one.
struct Upper<'a> {
    origin: &'a [f64],
    excess: &'a Paraboloid,
    region: Option<&'a Region>,
}

/// The parts of the prior, the one that the estimate is fitted with first.
fn priors(options: &Problem) -> Vec<Prior> {
    // The mean squared norm of N(0, I/lambda) is d/lambda.
    let prior = |scale: f64, weight| Prior { precision: options.dimension as f64 / (scale * scale), weight };
    match options.norm_bound {
        Some(bound) => PARTS.map(|(part, weight)| prior(part * bound, weight)).to_vec(),
        None => {
            let mut scales = SCALES;
            scales.swap(0, FIT_SCALE);
            scales.map(|scale| prior(scale, 1.0 / SCALES.len() as f64)).to_vec()
        }
    }
}

/// What is proved of it.
static THEOREM: Theorem = Theorem {
    assumptions: &[MEAN_IN_SOME_ORDER, ONCE, NORM_IF_DECLARED],
    order_free: true,
    citation: "method of mixtures (Ville 1939; Robbins 1970) with the tangent-parabola bound of Jaakkola and Jordan 2000 and \
               Jensen's inequality, whichever is smaller",
};

impl RegisteredStrategy for Mixture {
    const INFO: &'static RadiusInfo = &RadiusInfo {
        name: "mixture",
        summary: "Gaussian mixture of likelihood ratios; tight for every dimension, norm bound optional (the default)",
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

impl Strategy for Mixture {
    fn dimension(&self) -> usize {
        self.options.dimension
    }

    fn guarantee(&self) -> Guarantee {
        Self::promise(&self.options)
    }

    fn penalty(&self, _observations: f64) -> Penalty {
        // In the ball, so that the estimate can serve as the set's centre; the gradient this leaves is accounted for.
        Penalty { ridge: self.priors[0].precision, norm_bound: self.options.norm_bound.unwrap_or(f64::INFINITY) }
    }

    fn ridge(&self, _observations: f64) -> f64 {
        0.0
    }

    fn holds_beyond_ball(&self) -> bool {
        true
    }

    fn level(&mut self, history: &History, estimate: &mut Estimator) -> f64 {
        estimate.ensure_curvature(history);
        match history.summary() {
            None => self.of_all_priors(history, estimate.theta(), estimate.evaluation(), None),
            Some(summary) => self.of_consolidated(history, summary, estimate),
        }
    }

    fn allows_consolidation(&self) -> bool {
        true
    }

    fn grow(&mut self, dimension: usize) -> Result<()> {
        let options = Problem { dimension, ..self.options };
        *self = Self::with_priors_for(&options, self.prior_dimension)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::{Belief, generator, link};

    /// The level above the least loss of 1,000 observations in two dimensions, the mean of ten runs: by the parabola with
    /// one scale, and by the smaller of both bounds with one scale and with three.
    fn mean_excess(norm_bound: f64, length: f64, longest: f64) -> [f64; 3] {
        let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(norm_bound) };
        let mut sums = [0.0; 3];
        for seed in 0..10 {
            let mut rng = generator(seed);
            let mut history = History::new(2).unwrap();
            for _ in 0..1000 {
                let (angle, r) = (rng.random_range(0.0..std::f64::consts::TAU), longest * rng.random::<f64>().sqrt());
                let x = [r * angle.cos(), r * angle.sin()];
                let success = rng.random::<f64>() < link::mean(length * x[0]);
                history.observe(&x, f64::from(u8::from(success))).unwrap();
            }
            let mut least = Estimator::new(2);
            least.fit(&history, Penalty::ball(norm_bound)).unwrap();
            let mut radius = Mixture::new(&problem).unwrap();
            let mut estimate = Estimator::new(2);
            estimate.fit(&history, radius.penalty(1000.0)).unwrap();
            let three = radius.level(&history, &mut estimate);
            radius.priors = vec![Prior { weight: 1.0, ..radius.priors[0] }];
            let one = radius.level(&history, &mut estimate);
            let (theta, at) = (estimate.theta(), estimate.evaluation());
            let parabola = radius.by_parabola(&history, theta, at, radius.priors[0].precision, None);
            for (sum, level) in sums.iter_mut().zip([parabola, one, three]) {
                *sum += 0.1 * (level - least.evaluation().loss);
            }
        }
        sums
    }

    #[test]
    fn jensen_and_three_scales_make_the_set_as_small_as_they_should() {
        for (norm_bound, longest, parabola, most) in
            [(4.0, 1.0, 9.5, [9.25, 9.5]), (8.0, 1.0, 10.7, [9.8, 10.1]), (3.0, 5.0, 11.4, [10.1, 10.3])]
        {
            let [before, one, three] = mean_excess(norm_bound, norm_bound - 1.0, longest);
            assert!(before > parabola && one <= most[0] && three <= most[1], "S={norm_bound}: {before} {one} {three}");
            println!("S={norm_bound}, norms to {longest}: parabola {before:.2}, one scale {one:.2}, three {three:.2}");
            assert!(three <= one - Mixture::FIRST_SHARE.ln());
        }
        // A norm bound that was declared with caution.
        let [_, one, three] = mean_excess(4.0, 1.0, 1.0);
        println!("S=4, ||theta*||=1: one scale {one:.2}, three {three:.2}");
        assert!(three <= one - 0.5, "{one} {three}");
    }

    /// Arms whose coordinates are whole numbers below 2^20, in units of 2^-20, so that determinants of some of them are exact.
    const UNIT: f64 = 1.0 / (1 << 20) as f64;
    type Rows = [([i128; 3], f64)];

    /// det of the matrix whose rows these are.
    fn determinant(a: [i128; 3], b: [i128; 3], c: [i128; 3]) -> f64 {
        let minor = |i: usize, j: usize| b[i] * c[j] - b[j] * c[i];
        (a[0] * minor(1, 2) - a[1] * minor(0, 2) + a[2] * minor(0, 1)) as f64
    }

    /// The sum of the squared 2 by 2 minors.
    fn area(a: [i128; 3], b: [i128; 3]) -> f64 {
        [(0, 1), (0, 2), (1, 2)].iter().map(|&(i, j)| ((a[i] * b[j] - a[j] * b[i]) as f64).powi(2)).sum()
    }

    /// logdet(I + sum_s w_s x_s x_s'/precision) by the formula of Cauchy and Binet: every term is positive, no digit is lost.
    fn exact_log_det(rows: &Rows, precision: f64) -> f64 {
        let mut sums = [0.0; 3];
        for (i, (a, u)) in rows.iter().enumerate() {
            sums[0] += u / precision * a.iter().map(|v| (*v as f64).powi(2)).sum::<f64>();
            for (j, (b, v)) in rows.iter().enumerate().take(i) {
                sums[1] += (u / precision) * (v / precision) * area(*a, *b);
                for (c, w) in &rows[..j] {
                    let weight = (u / precision) * (v / precision) * (w / precision);
                    sums[2] += weight * determinant(*a, *b, *c).powi(2);
                }
            }
        }
        sums.iter().sum::<f64>().ln_1p()
    }

    /// The logarithm of the determinant at theta = 0, where every weight is exactly a quarter of the count, for both matrices
    /// that are factored, above the exact one: the largest difference and the least.
    fn log_det_error(arms: &[[i128; 3]], counts: &[u64], norm_bound: f64) -> [f64; 2] {
        let problem = Problem { dimension: 3, delta: 0.05, norm_bound: Some(norm_bound) };
        let mut history = History::new(3).unwrap();
        for (x, count) in arms.iter().zip(counts) {
            history.observe_many(&x.map(|v| v as f64 * UNIT), 0.5, *count).unwrap();
        }
        let mut at = Evaluation::new(3);
        evaluate(&history, &[0.0; 3], Order::Curvature, &mut at);
        let rows: Vec<([i128; 3], f64)> =
            arms.iter().zip(counts).map(|(x, n)| (*x, 0.25 * UNIT * UNIT * *n as f64)).collect();
        let mut radius = Mixture::new(&problem).unwrap();
        let mut errors = [f64::NEG_INFINITY, f64::INFINITY];
        for Prior { precision, .. } in radius.priors.clone() {
            let exact = exact_log_det(&rows, precision);
            for matrix in [&at.hessian, &at.curvature] {
                assert!(radius.factor(matrix, precision, additions(&history)).is_some());
                let error = 2.0 * (radius.volume(precision) + problem.delta.ln()) - exact;
                errors = [errors[0].max(error), errors[1].min(error)];
            }
        }
        errors
    }

    /// Arms that agree in all but their last digits, up to 1e13 observations of them.
    #[test]
    fn rounding_never_lowers_the_log_determinant() {
        let mut rng = generator(3);
        let (mut largest, mut least) = (0.0_f64, f64::INFINITY);
        for case in 0..400 {
            let base = [0; 3].map(|_| rng.random_range(1 << 18..1 << 20));
            let arms: Vec<[i128; 3]> =
                (0..[3, 10, 70][case % 3]).map(|_| base.map(|v| v + rng.random_range(-40..=40))).collect();
            let total = 10_f64.powi(rng.random_range(9..=13));
            let counts: Vec<u64> = arms.iter().map(|_| (total / arms.len() as f64) as u64).collect();
            // n X^2 S^2/d from 5e9 to 5e13.
            let [above, below] = log_det_error(&arms, &counts, 4.0);
            (largest, least) = (largest.max(above), least.min(below));
        }
        println!("log-determinant above the exact one by {least:e} to {largest:e}");
        assert!(least >= -1e-13, "{least:e}");
        assert!(largest <= 0.1, "{largest:e}");
    }

    /// Orthogonal and random arms, up to a million observations.
    #[test]
    fn what_rounding_costs_is_nothing_at_ordinary_sizes() {
        let mut rng = generator(4);
        for count in [1, 100, 10_000] {
            let arms: Vec<[i128; 3]> =
                (0..100).map(|_| [0; 3].map(|_| rng.random_range(-(1 << 20)..1 << 20))).collect();
            let [above, below] = log_det_error(&arms, &vec![count; 100], 4.0);
            assert!(below >= -1e-13 && above <= 1e-12, "{count}: {below:e} {above:e}");
        }
    }

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
