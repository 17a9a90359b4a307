//! The first outcomes of an arm with parameters of its own, which are fitted and not only filtered.
//!
//! A filter weighs an outcome by its variance at the estimate of the moment, and never again. While an arm is young the
//! estimate moves by many times the scale on which the variance changes, all the more under a wide prior: failures count for
//! too much, a first success for too little, and an arm that had bad luck looks well known. So the first outcomes are kept, and
//! the arm's posterior is fitted to all of them now and then. What the filter adds afterwards changes an estimate that has
//! settled.

use serde::{Deserialize, Serialize};

use crate::error::{Result, check_number, check_vector};
use crate::link;
use crate::numerics::{Cholesky, Elementary, Precision, add_outers, add_scaled, dot};

/// Outcomes that are kept of an arm. On eight public data sets 32 save nearly as many mistakes, and 128 hardly more.
const KEPT: usize = 64;
/// A fit costs more updates, the more features there are: with fewer than this every outcome is fitted, with fewer than twice
/// as many every second, and so on.
const FEATURES: usize = 8;
/// One outcome more among many changes little: where a fit is not cheap, none is made before there are a quarter more outcomes
/// than at the last one.
const MORE: usize = 4;
/// Newton steps; a handful are needed.
const STEPS: usize = 40;
/// The last step changes no log-odds by more than this. A variance changes by at most a factor exp of that change, so the Hessian
/// before the step is right to a thousandth, and the estimate after it to a thousandth of the step.
const LAST: f64 = 1e-3;

/// Outcomes of an arm in a row.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Start {
    /// Of every outcome its features, and its reward.
    #[serde(with = "crate::numerics::stored_numbers")]
    numbers: Vec<f64>,
    outcomes: usize,
    /// How many outcomes there were at the last fit.
    fitted: usize,
}

impl Start {
    pub(super) fn note(&mut self, x: &[f64], reward: f64) {
        self.numbers.extend_from_slice(x);
        self.numbers.push(reward);
        self.outcomes += 1;
    }

    /// Whether no more will be kept.
    pub(super) fn is_over(&self) -> bool {
        self.outcomes >= KEPT
    }

    /// Whether it is time for a fit, which is then to be made.
    pub(super) fn falls_due(&mut self, features: usize) -> bool {
        // The filter is exact for a first outcome.
        let wait = if features < FEATURES { 0 } else { (features / FEATURES).max(self.fitted / MORE) };
        let due = self.outcomes > 1 && (self.is_over() || self.outcomes > self.fitted + wait);
        if due {
            self.fitted = self.outcomes;
        }
        due
    }

    /// Moves `theta` to the minimum of all losses and (ridge/2)||theta||^2, and returns the Hessian a last step away from there;
    /// nothing, and leaves `theta` as it is, where rounding forbids that.
    ///
    /// A step is that of Newton times log(1 + D)/D, D the most that it would change a log-odds: it then cannot overshoot (Bach
    /// 2010), and no loss need be evaluated.
    pub(super) fn fit(&self, ridge: f64, theta: &mut [f64]) -> Option<Precision> {
        let d = theta.len();
        let mut at = theta.to_vec();
        let mut work = Work::new(self.rows(d));
        let (mut hessian, mut step, mut cholesky) = (vec![0.0; d * d], vec![0.0; d], Cholesky::new(d));
        for _ in 0..STEPS {
            work.evaluate(ridge, &at, &mut hessian, &mut step);
            if !cholesky.factor(&hessian, 0.0) {
                return None;
            }
            cholesky.solve(&mut step);
            let most = work.rows.chunks_exact(d).map(|x| dot(x, &step).abs()).fold(0.0, f64::max);
            let damping = if most > 0.0 { most.logarithm_1p() / most } else { 1.0 };
            add_scaled(&mut at, -damping, &step);
            if most <= LAST {
                theta.copy_from_slice(&at);
                return Some(Precision::of(hessian, d, ridge));
            }
        }
        None
    }

    fn rows(&self, features: usize) -> impl Iterator<Item = (&[f64], f64)> {
        self.numbers.chunks_exact(features + 1).map(move |row| (&row[..features], row[features]))
    }

    /// Takes in features that were zero in all outcomes so far.
    pub(super) fn grow(&mut self, from: usize, to: usize) {
        let mut numbers = Vec::with_capacity(self.outcomes * (to + 1));
        for (x, reward) in self.rows(from) {
            numbers.extend_from_slice(x);
            numbers.resize(numbers.len() + to - from, 0.0);
            numbers.push(reward);
        }
        self.numbers = numbers;
    }

    /// Checks what was stored.
    pub(super) fn check(&self, features: usize) -> Result<()> {
        let few = self.outcomes <= KEPT && self.fitted <= self.outcomes;
        check_number("start.outcomes", self.outcomes as f64, few, "at most 64, and not below start.fitted")?;
        check_vector("start.numbers", &self.numbers, self.outcomes * (features + 1))
    }
}

/// Outcomes as the sums over all of them want them.
struct Work {
    /// One after the other.
    rows: Vec<f64>,
    rewards: Vec<f64>,
    /// Variances at the estimate.
    weights: Vec<f64>,
}

impl Work {
    fn new<'a>(outcomes: impl Iterator<Item = (&'a [f64], f64)>) -> Self {
        let mut this = Self { rows: Vec::new(), rewards: Vec::new(), weights: Vec::new() };
        for (x, reward) in outcomes {
            this.rows.extend_from_slice(x);
            this.rewards.push(reward);
        }
        this
    }

    /// The Hessian, lower triangle, and the gradient.
    fn evaluate(&mut self, ridge: f64, theta: &[f64], hessian: &mut [f64], gradient: &mut [f64]) {
        let d = theta.len();
        hessian.fill(0.0);
        hessian.iter_mut().step_by(d + 1).for_each(|v| *v = ridge);
        gradient.iter_mut().zip(theta).for_each(|(g, t)| *g = ridge * t);
        self.weights.clear();
        for (x, reward) in self.rows.chunks_exact(d).zip(&self.rewards) {
            let z = dot(x, theta);
            self.weights.push(link::variance(z));
            add_scaled(gradient, link::mean(z) - reward, x);
        }
        add_outers(hessian, &self.weights, &self.rows, d);
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::fit::{Estimator, Penalty};
    use crate::history::History;
    use crate::numerics::square_form;

    /// Wide and narrow priors, features of very different size, and outcomes that can be told apart perfectly.
    #[test]
    fn the_fit_is_that_of_the_estimator() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for (ridge, size, d) in [(1.0, 1.0, 3), (0.001, 1.0, 5), (0.03, 50.0, 4), (1e-6, 1e3, 2), (6.0, 0.01, 7)] {
            let (mut start, mut history) = (Start::default(), History::new(d).unwrap());
            for _ in 0..KEPT {
                let x: Vec<f64> = (0..d).map(|_| size * rng.random_range(-1.0..1.0)).collect();
                let reward = f64::from(u8::from(x[0] > 0.3 * size));
                start.note(&x, reward);
                history.observe(&x, reward).unwrap();
            }
            let mut exact = Estimator::new(d);
            exact.fit(&history, Penalty::ridge(ridge)).unwrap();
            let mut theta = vec![0.0; d];
            let precision = start.fit(ridge, &mut theta).unwrap();
            add_scaled(&mut theta, -1.0, exact.theta());
            let off = square_form(precision.matrix(), &theta).sqrt();
            assert!(off < 2e-3, "ridge {ridge}, size {size}: {off} posterior deviations");
        }
    }

    #[test]
    fn fits_are_rarer_where_they_cost_more() {
        for (features, most) in [(1, KEPT), (8, 14), (100, 6)] {
            let mut start = Start::default();
            let fits = (0..KEPT).filter(|_| {
                start.note(&vec![1.0; features], 1.0);
                start.falls_due(features)
            });
            let fits = fits.count();
            assert!(fits <= most && fits + 2 >= most, "{features} features: {fits} fits");
            assert!(start.is_over() && start.fitted == KEPT, "the last outcome is fitted");
        }
    }
}
