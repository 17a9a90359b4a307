//! A filter for rows that meet all parameters.

use serde::{Deserialize, Serialize};

use super::Prediction;
use crate::error::{Result, check_dimension_size, check_number, check_vector};
use crate::link;
use crate::numerics::{Ellipsoid, Precision, TOGETHER, add_scaled, dot, posterior_logit, square_form, square_forms};

/// The running Gaussian approximation N(theta, H^{-1}): O(d^2) per observation, and per arm that is asked about.
///
/// ```
/// use optimist::posterior::DenseFilter;
///
/// let mut filter = DenseFilter::new(2, 1.0)?; // two features, the prior N(0, I)
/// filter.observe(&[1.0, 0.5], 1.0)?;
/// let said = filter.predict(&[1.0, 0.5])?;
/// assert!(said.mean > 0.0 && said.variance < 1.25);
/// # Ok::<(), optimist::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DenseFilter {
    theta: Vec<f64>,
    precision: Precision,
    /// The precision of the prior.
    ridge: f64,
    /// The direction that is next to be given back what forgetting took from the prior.
    next: usize,
    /// Rows with their weights that H^{-1} knows and H does not: H is needed only when its inverse is computed afresh or a
    /// parameter is drawn, and several terms at once cost one reading of it.
    #[serde(with = "crate::numerics::stored_numbers")]
    late: Vec<f64>,
    late_weights: Vec<f64>,
    /// H^{-1}x for the arm last prepared.
    #[serde(skip)]
    direction: Vec<f64>,
}

/// Terms that are added to H at once.
const BATCH: usize = 8;

impl DenseFilter {
    /// The prior N(0, I/ridge).
    ///
    /// # Errors
    /// If the dimension is zero or above 10,000, or the ridge is not positive.
    pub fn new(dimension: usize, ridge: f64) -> Result<Self> {
        check_dimension_size("dimension", dimension)?;
        check_number("ridge", ridge, ridge > 0.0, "positive")?;
        Ok(Self::start(dimension, ridge))
    }

    /// As [`DenseFilter::new`], of numbers that have been checked. No features at all are allowed here.
    pub(crate) fn start(dimension: usize, ridge: f64) -> Self {
        Self::resume(vec![0.0; dimension], Precision::new(dimension, ridge), ridge)
    }

    /// Goes on from a fit: its estimate and its Hessian with the ridge.
    pub(crate) fn resume(theta: Vec<f64>, precision: Precision, ridge: f64) -> Self {
        let direction = vec![0.0; theta.len()];
        Self { theta, precision, ridge, next: 0, late: Vec::new(), late_weights: Vec::new(), direction }
    }

    /// The estimate.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The lower triangle of H^{-1}.
    pub(crate) fn covariance(&self) -> &[f64] {
        self.precision.inverse()
    }

    /// H with its inverse, both up to date.
    pub(crate) fn precision(&mut self) -> &Precision {
        self.catch_up(false);
        &self.precision
    }

    /// The estimate, and H with its inverse.
    pub(crate) fn gaussian(&mut self) -> (&[f64], &Precision) {
        self.catch_up(false);
        (&self.theta, &self.precision)
    }

    /// { theta' : ||theta' - theta||_H <= radius }.
    pub(crate) fn ellipsoid(&mut self, radius: f64) -> Ellipsoid<'_> {
        let (theta, precision) = self.gaussian();
        precision.ellipsoid(theta, radius)
    }

    fn catch_up(&mut self, afresh: bool) {
        if afresh || !self.late_weights.is_empty() {
            self.precision.catch_up(&self.late, &self.late_weights, self.theta.len(), afresh);
            self.late.clear();
            self.late_weights.clear();
        }
    }

    /// Mean and variance of the log-odds of `x`.
    ///
    /// # Errors
    /// If `x` has the wrong length or a number that is not finite.
    pub fn predict(&self, x: &[f64]) -> Result<Prediction> {
        check_vector("x", x, self.theta.len())?;
        Ok(self.score(x))
    }

    /// Learns an outcome of `x`.
    ///
    /// # Errors
    /// If `x` has the wrong length or a number that is not finite, or the reward is outside [0, 1].
    pub fn observe(&mut self, x: &[f64], reward: f64) -> Result<()> {
        crate::history::check_observation(x, reward, self.theta.len())?;
        let prior = self.prepare(x);
        self.learn(x, reward, 1.0, prior);
        Ok(())
    }

    /// [`DenseFilter::predict`] for an arm that has been checked.
    pub(crate) fn score(&self, x: &[f64]) -> Prediction {
        Prediction { mean: dot(x, &self.theta), variance: square_form(self.precision.inverse(), x).max(0.0) }
    }

    /// The same for several arms, with one reading of the matrix.
    pub(crate) fn score_together(&self, x: [&[f64]; TOGETHER]) -> [Prediction; TOGETHER] {
        let squares = square_forms(self.precision.inverse(), x);
        std::array::from_fn(|k| Prediction { mean: dot(x[k], &self.theta), variance: squares[k].max(0.0) })
    }

    /// The same for a row of which only some numbers are not zero, at the square of their number.
    pub(crate) fn score_sparse(&self, indices: &[u32], values: &[f64]) -> Prediction {
        let (d, inverse) = (self.theta.len(), self.precision.inverse());
        let mut said = Prediction { mean: 0.0, variance: 0.0 };
        for (k, (i, value)) in indices.iter().zip(values).enumerate() {
            let row = &inverse[*i as usize * d..][..d];
            let below: f64 = indices[..k].iter().zip(values).map(|(j, v)| row[*j as usize] * v).sum();
            said.mean += value * self.theta[*i as usize];
            said.variance += value * (row[*i as usize] * value + 2.0 * below);
        }
        said.variance = said.variance.max(0.0);
        said
    }

    /// Mean and variance of the log-odds of `x`, and the direction in which an outcome of it will move the estimate.
    pub(crate) fn prepare(&mut self, x: &[f64]) -> Prediction {
        self.direction.resize(x.len(), 0.0);
        let variance = self.precision.solve(x, &mut self.direction);
        Prediction { mean: dot(x, &self.theta), variance }
    }

    /// Takes in `count` observations of `x` with outcome `reward`; `prior` is what [`DenseFilter::prepare`] just said about
    /// `x`. Returns the weight that was added to H along x.
    pub(crate) fn learn(&mut self, x: &[f64], reward: f64, count: f64, prior: Prediction) -> f64 {
        let logit = posterior_logit(prior.mean, prior.variance, reward, count);
        if prior.variance > 0.0 {
            // The two ends of the step are known better than the gradient there, which for large counts cancels.
            self.shift((logit - prior.mean) / prior.variance);
        }
        let weight = count * link::variance(logit);
        self.add(weight, x, prior.variance);
        weight
    }

    /// H += weight x x'; the estimate stays.
    pub(crate) fn inform(&mut self, x: &[f64], weight: f64) {
        let variance = self.prepare(x).variance;
        self.add(weight, x, variance);
    }

    /// H += the symmetric matrix of which `lower` is the lower triangle; the estimate stays.
    pub(crate) fn inform_by(&mut self, lower: &[f64]) {
        let mut matrix = self.precision().matrix().to_vec();
        add_scaled(&mut matrix, 1.0, lower);
        self.precision = Precision::of(matrix, self.theta.len(), self.ridge);
    }

    /// Moves the estimate along the direction prepared.
    pub(super) fn shift(&mut self, step: f64) {
        add_scaled(&mut self.theta, step, &self.direction);
    }

    /// H += weight x x' for the row prepared, whose variance was `variance`. The estimate stays.
    pub(super) fn add(&mut self, weight: f64, x: &[f64], variance: f64) {
        self.late.extend_from_slice(x);
        self.late_weights.push(weight);
        let due = self.precision.change_only_inverse(weight, &self.direction, variance);
        if due || self.late_weights.len() >= BATCH {
            self.catch_up(due);
        }
    }

    /// Information decays towards the prior, H <- keep H + (1 - keep) ridge I; the estimate stays.
    ///
    /// What goes back to the prior is given in one direction at a time, d times as much, so that it costs O(d^2).
    pub(crate) fn forget(&mut self, keep: f64) {
        let d = self.theta.len();
        if d == 0 {
            return;
        }
        self.catch_up(false);
        self.precision.scale(keep, d);
        self.precision.add_to_axis((1.0 - keep) * self.ridge * d as f64, self.next % d, d);
        self.next = (self.next + 1) % d;
    }

    /// Takes in features that were zero in all rows so far: their parameters have their prior, and nothing else changes.
    pub(crate) fn grow(&mut self, to: usize) {
        self.catch_up(false);
        self.precision.grow(self.theta.len(), to, self.ridge);
        self.theta.resize(to, 0.0);
        self.direction.clear();
    }

    /// Checks a deserialised filter.
    pub(crate) fn check(&self, dimension: usize) -> Result<()> {
        check_vector("theta", &self.theta, dimension)?;
        check_number("ridge", self.ridge, self.ridge > 0.0, "positive")?;
        check_vector("late_weights", &self.late_weights, self.late_weights.len().min(BATCH))?;
        check_vector("late", &self.late, self.late_weights.len() * dimension)?;
        self.precision.check(dimension)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::fit::{Estimator, Penalty};
    use crate::history::History;
    use crate::loss::{Evaluation, Order, evaluate};
    use crate::numerics::{Cholesky, multiply, norm};

    fn random_vector(rng: &mut ChaCha8Rng, d: usize, size: f64) -> Vec<f64> {
        (0..d).map(|_| size * rng.random_range(-1.0..1.0)).collect()
    }

    #[test]
    fn the_inverse_stays_accurate() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let d = 6;
        let mut filter = DenseFilter::start(d, 1.0);
        // A few long arms among many short ones, and one direction that is hardly ever seen.
        for i in 0..100_000 {
            let mut x = random_vector(&mut rng, d, if i % 1000 == 0 { 100.0 } else { 1.0 });
            x[d - 1] *= 1e-3;
            let prior = filter.prepare(&x);
            filter.learn(&x, f64::from(rng.random_bool(0.3)), 1.0, prior);
        }
        let precision = filter.precision();
        let (matrix, inverse) = (precision.matrix(), precision.inverse());
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
    fn filtered(seed: u64, n: usize) -> (DenseFilter, History, Vec<(Vec<f64>, f64)>) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut filter = DenseFilter::start(3, 1.0);
        let mut history = History::new(3).unwrap();
        let theta = [0.8, -0.5, 0.3];
        let trail = (0..n).map(|_| {
            let x = random_vector(&mut rng, 3, 0.8);
            let reward = f64::from(rng.random_bool(link::mean(dot(&x, &theta))));
            let prior = filter.prepare(&x);
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
            let (mut filter, history, trail) = filtered(seed, 500);
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
            let ratio = crate::numerics::square_form(filter.precision().matrix(), &step) / (length * length);
            assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
        }
    }
}
