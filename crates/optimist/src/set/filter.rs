//! A running estimate that never looks back: the Laplace approximation, one observation at a time.
//!
//! **Idea.** Sequential radii need, before each reward, an estimate made from the rewards before it. A full fit each time
//! would cost a pass over the data; the recursion below costs O(d^2) and keeps what a Gaussian can keep. From the prior
//! N(0, I/lambda), with H the precision and theta the mean so far, `count` observations (x, r) give
//!
//! ```text
//! theta' = argmin ||theta' - theta||_H^2 / 2 + count l(x'theta', r)
//! H'     = H + count mu'(x'theta') x x'
//! ```
//!
//! The minimiser lies on the line theta + a H^{-1}x, so that its logit solves one monotone scalar equation. lambda is
//! d/S^2 if a norm bound S is known, so that the prior's scale matches the ball, and one otherwise.
//!
//! Summed over all steps these conditions say that theta solves the score equation with every mu(x_s'theta) replaced by
//! its tangent at the logit that x_s had right after it was observed: the error is of second order in how far the
//! estimate has moved since.
//!
//! Whatever its quality as an approximation, the filter is a function of the past alone, and that is all that the
//! guarantee of a radius built on it asks for.

use serde::{Deserialize, Serialize};

use super::guarantee::{MEAN, NORM_IF_DECLARED, ONCE, ORDER};
use crate::error::{Result, check_count, check_number, check_vector};
use crate::link;
use crate::numerics::{Precision, add_scaled, dot, posterior_logit};
use crate::problem::Problem;

/// What the radii that forecast each outcome from those before it assume.
pub(super) const ASSUMPTIONS: &[&str] = &[MEAN, ONCE, ORDER, NORM_IF_DECLARED];

/// The running Gaussian approximation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct LaplaceFilter {
    theta: Vec<f64>,
    precision: Precision,
    /// H^{-1}x for the arm last predicted.
    #[serde(skip)]
    direction: Vec<f64>,
}

/// What the past says about the logit of an arm.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prediction {
    /// x'theta.
    pub(crate) mean: f64,
    /// x'H^{-1}x.
    pub(crate) variance: f64,
}

impl LaplaceFilter {
    /// The prior N(0, I/lambda).
    pub(super) fn new(options: &Problem) -> Self {
        let d = options.dimension;
        let precision = options.norm_bound.map_or(1.0, |bound| d as f64 / (bound * bound));
        Self { theta: vec![0.0; d], precision: Precision::new(d, precision), direction: vec![0.0; d] }
    }

    /// The estimate.
    pub(super) fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// Mean and variance of the logit of `x`.
    pub(super) fn predict(&mut self, x: &[f64]) -> Prediction {
        self.direction.resize(x.len(), 0.0);
        let variance = self.precision.solve(x, &mut self.direction);
        Prediction { mean: dot(x, &self.theta), variance }
    }

    /// Takes in `count` observations of `x` with outcome `reward`; `prior` is what [`LaplaceFilter::predict`] just said
    /// about `x`.
    pub(super) fn learn(&mut self, x: &[f64], reward: f64, count: f64, prior: Prediction) {
        let logit = posterior_logit(prior.mean, prior.variance, reward, count);
        if prior.variance > 0.0 {
            // The two ends of the step are known better than the gradient there, which for large counts cancels.
            add_scaled(&mut self.theta, (logit - prior.mean) / prior.variance, &self.direction);
        }
        self.precision.add(count * link::variance(logit), x, &self.direction, prior.variance);
    }

    /// Checks a deserialised filter.
    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        check_vector("theta", &self.theta, dimension)?;
        self.precision.check(dimension)
    }
}

/// Consecutive observations of one arm, whatever their outcomes, forecast in blocks.
///
/// Within a block the forecast stays what it was when the block was opened; the filter learns when the block is full, a
/// sixteenth of the run before it, or when another arm is played. Neither depends on a reward that is yet to come, so
/// the forecasts are made from the past alone, and a count of 1e12 costs some four hundred updates. The first 32
/// observations of a run are blocks of one.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Run {
    x: Vec<f64>,
    /// Observations in closed blocks.
    seen: u64,
    /// Observations in the open block, and the sum of their rewards.
    count: u64,
    rewards: f64,
}

/// Observations of one arm that are learnt together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) count: f64,
    pub(super) mean_reward: f64,
}

impl Run {
    fn size(&self) -> u64 {
        (self.seen / 16).max(1)
    }

    /// Whether an observation of `x` continues the run.
    pub(super) fn continues(&self, x: &[f64]) -> bool {
        self.x == x
    }

    /// The arm of the run; empty before the first.
    pub(super) fn arm(&self) -> &[f64] {
        &self.x
    }

    /// Begins a run of another arm.
    pub(super) fn restart(&mut self, x: &[f64]) {
        self.x.clear();
        self.x.extend_from_slice(x);
        (self.seen, self.count, self.rewards) = (0, 0, 0.0);
    }

    /// Takes as many of `left` observations with outcome `reward` as fit into the open block, and says how many.
    pub(super) fn take(&mut self, reward: f64, left: u64) -> u64 {
        let taken = left.min(self.size() - self.count);
        self.count += taken;
        self.rewards += taken as f64 * reward;
        taken
    }

    /// The open block, if there is anything in it.
    pub(super) fn open_block(&self) -> Option<Block> {
        let count = self.count as f64;
        (self.count > 0).then(|| Block { count, mean_reward: (self.rewards / count).min(1.0) })
    }

    /// Whether the open block is full.
    pub(super) fn is_full(&self) -> bool {
        self.count >= self.size()
    }

    /// Ends the open block, which has been learnt.
    pub(super) fn close(&mut self) {
        self.seen += self.count;
        (self.count, self.rewards) = (0, 0.0);
    }

    /// Checks a deserialised run.
    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        if !self.x.is_empty() {
            check_vector("run.x", &self.x, dimension)?;
        }
        check_count("run.seen", self.seen)?;
        let allowed = self.count < self.size() && self.rewards >= 0.0 && self.rewards <= self.count as f64;
        check_number("run.rewards", self.rewards, allowed, "between 0 and the count of an open block")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{Estimator, Penalty};
    use crate::history::History;
    use crate::loss::{Evaluation, Order, evaluate};
    use crate::numerics::{Cholesky, multiply, norm};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn options(dimension: usize) -> Problem {
        Problem { dimension, delta: 0.05, norm_bound: None }
    }

    fn random_vector(rng: &mut ChaCha8Rng, d: usize, size: f64) -> Vec<f64> {
        (0..d).map(|_| size * rng.random_range(-1.0..1.0)).collect()
    }

    #[test]
    fn the_inverse_stays_accurate() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let d = 6;
        let mut filter = LaplaceFilter::new(&options(d));
        // A few long arms among many short ones, and one direction that is hardly ever seen.
        for i in 0..100_000 {
            let mut x = random_vector(&mut rng, d, if i % 1000 == 0 { 100.0 } else { 1.0 });
            x[d - 1] *= 1e-3;
            let prior = filter.predict(&x);
            filter.learn(&x, f64::from(rng.random_bool(0.3)), 1.0, prior);
        }
        let (matrix, inverse) = (filter.precision.matrix(), filter.precision.inverse());
        let mut worst: f64 = 0.0;
        for j in 0..d {
            let mut unit = vec![0.0; d];
            unit[j] = 1.0;
            let (mut column, mut back) = (vec![0.0; d], vec![0.0; d]);
            multiply(inverse, &unit, &mut column);
            multiply(matrix, &column, &mut back);
            worst = back.iter().zip(&unit).map(|(b, u)| (b - u).abs()).fold(worst, f64::max);
        }
        println!("H H^-1 differs from the identity by {worst:e}");
        assert!(worst < 1e-8, "{worst:e}");
    }

    /// A filter after some observations; per observation the arm, its reward and its logit right afterwards.
    fn filtered(seed: u64, n: usize) -> (LaplaceFilter, History, Vec<(Vec<f64>, f64)>) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut filter = LaplaceFilter::new(&options(3));
        let mut history = History::new(3).unwrap();
        let theta = [0.8, -0.5, 0.3];
        let trail = (0..n).map(|_| {
            let x = random_vector(&mut rng, 3, 0.8);
            let reward = f64::from(rng.random_bool(link::mean(dot(&x, &theta))));
            let prior = filter.predict(&x);
            filter.learn(&x, reward, 1.0, prior);
            history.observe(&x, reward).unwrap();
            let logit = dot(&x, filter.theta());
            (x, logit)
        });
        let trail = trail.collect();
        (filter, history, trail)
    }

    #[test]
    fn the_score_is_left_over_to_second_order_exactly() {
        let (filter, history, trail) = filtered(3, 500);
        let mut at = Evaluation::new(3);
        evaluate(&history, filter.theta(), Order::Gradient, &mut at);
        add_scaled(&mut at.gradient, 1.0, filter.theta());
        let mut expected = vec![0.0; 3];
        for (x, then) in &trail {
            let now = dot(x, filter.theta());
            let curved = link::mean(now) - link::mean(*then) - link::variance(*then) * (now - then);
            add_scaled(&mut expected, curved, x);
        }
        for (g, e) in at.gradient.iter().zip(&expected) {
            assert!((g - e).abs() < 1e-9, "{g} and {e}");
        }
    }

    #[test]
    fn the_filter_is_close_to_the_full_fit_on_easy_data() {
        for seed in 10..20 {
            let (filter, history, trail) = filtered(seed, 500);
            let mut estimator = Estimator::new(3);
            estimator.fit(&history, Penalty::ridge(1.0)).unwrap();
            let mut step = filter.theta().to_vec();
            add_scaled(&mut step, -1.0, estimator.theta());
            // The score left over, g, is the averaged Hessian times this step, and that Hessian is at least H/(1 + D):
            // ||step||_H <= (1 + D)||g||_{H^-1}.
            let mut at = Evaluation::new(3);
            evaluate(&history, filter.theta(), Order::Hessian, &mut at);
            add_scaled(&mut at.gradient, 1.0, filter.theta());
            let mut cholesky = Cholesky::new(3);
            assert!(cholesky.factor(&at.hessian, 1.0));
            cholesky.solve_lower(&mut at.gradient);
            let distance = trail.iter().map(|(x, _)| dot(x, &step).abs()).fold(0.0, f64::max);
            let length = (crate::numerics::square_form(&at.hessian, &step) + dot(&step, &step)).sqrt();
            let bound = (1.0 + distance) * norm(&at.gradient);
            assert!(length <= bound * (1.0 + 1e-9), "{length} exceeds {bound}");
            // And this is little next to the width of the posterior, in which it is measured.
            assert!(length < 0.3, "{length} posterior deviations");
            // The precision is that of the full fit but for the change of variances on the way.
            let ratio = crate::numerics::square_form(filter.precision.matrix(), &step) / (length * length);
            assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
        }
    }

    #[test]
    fn blocks_of_a_run_grow_and_do_not_depend_on_outcomes() {
        for count in [1, 2, 15, 16, 17, 100, 12_345, 1_000_000_000_000] {
            let sizes = |batches: &[(f64, u64)]| {
                let mut run = Run::default();
                run.restart(&[1.0]);
                let mut sizes = Vec::new();
                for (reward, batch) in batches {
                    let mut left = *batch;
                    while left > 0 {
                        left -= run.take(*reward, left);
                        if run.is_full() {
                            sizes.extend(run.open_block().map(|block| block.count));
                            run.close();
                        }
                    }
                }
                sizes.extend(run.open_block().map(|block| block.count));
                sizes
            };
            let whole = sizes(&[(1.0, count)]);
            assert_eq!(whole.iter().sum::<f64>(), count as f64);
            assert!(whole.len() < 500, "{}", whole.len());
            assert!(whole.iter().take(32).all(|size| *size == 1.0));
            assert_eq!(whole, sizes(&[(0.0, count / 3), (1.0, count - count / 3)]));
        }
    }
}
