//! The point of the ball, or of a part of it, whose score is closest to that of the data.
//!
//! With r(theta) = grad L + ridge theta, which is g(theta) - g(theta_hat) for the minimiser theta_hat, this looks for
//!
//! ```text
//! argmin ||r(theta)||_{M^{-1}}   over ||theta|| <= S and lower_k <= x_k'theta <= upper_k
//! ```
//!
//! with M a fixed matrix or the Hessian H(theta) itself. Neither is convex, so that what is found is a local minimum, by
//! steps of Gauss and Newton: a quadratic model of half the squared distance with its exact gradient, minimised over the
//! feasible points, and a line search. With u = H^{-1}r the gradient is H V^{-1}r for a fixed matrix V, and
//! r - (1/2) sum_k n_k mu''(z_k) (x_k'u)^2 x_k for the Hessian; the models' matrices are H V^{-1} H and H.
//!
//! No guarantee rests on the search: every point of the ball is a sound centre if its own distance enters the bonus, and
//! that is computed. A worse minimum costs width.

use super::interior::Interior;
use super::slabs::Slabs;
use crate::fit::Penalty;
use crate::history::History;
use crate::linalg::{Cholesky, add_scaled, dot, multiply, norm};
use crate::link;
use crate::loss::{Evaluation, Order, evaluate};
use crate::trust::BallModel;

/// How the search for a centre ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Projected {
    /// The estimate itself is feasible: nothing was searched.
    Skipped,
    /// At a local minimum of the distance, to rounding.
    Converged,
    /// At a feasible point where no step along the model's direction gained anything before the gradient vanished, or
    /// after the limit of steps. The bonus uses the distance there, so that nothing but width is lost.
    Stalled,
    /// No point of the ball was found that satisfies the bounds on the log-odds: on the event of the guarantee that is a
    /// matter of rounding. The bounds were then dropped and the centre is that of the ball alone.
    NoFeasiblePoint,
}

/// The norm in which scores are compared.
#[derive(Debug, Clone, Copy)]
pub(in crate::policy) enum Metric<'a> {
    /// That of V^{-1}, of which this is the lower triangle.
    Fixed(&'a [f64]),
    /// That of H(theta)^{-1}.
    Hessian,
}

/// What is projected on.
#[derive(Debug, Clone, Copy)]
pub(in crate::policy) struct Target<'a> {
    pub(in crate::policy) history: &'a History,
    pub(in crate::policy) penalty: Penalty,
    pub(in crate::policy) metric: Metric<'a>,
    pub(in crate::policy) slabs: Option<&'a Slabs>,
}

/// Steps of a search; some ten are typical.
const STEP_LIMIT: usize = 300;
/// By how much a bound on a log-odds may be exceeded, relative to the norm bound.
pub(in crate::policy) const SLAB_TOLERANCE: f64 = 1e-9;

/// The search, in memory of its own.
#[derive(Debug, Clone)]
pub(in crate::policy) struct Projection {
    theta: Vec<f64>,
    trial: Vec<f64>,
    /// Where the model is least.
    goal: Vec<f64>,
    at: Evaluation,
    /// r.
    score: Vec<f64>,
    /// M^{-1}r.
    solved: Vec<f64>,
    /// Gradient of half the squared distance.
    slope: Vec<f64>,
    /// Matrix of the model, without the ridge if that is the Hessian.
    matrix: Vec<f64>,
    half_squared: f64,
    cholesky: Cholesky,
    ball: BallModel,
    row: Vec<f64>,
    column: Vec<f64>,
    interior: Interior,
}

impl Projection {
    pub(in crate::policy) fn new(dimension: usize) -> Self {
        let vector = vec![0.0; dimension];
        Self {
            theta: vector.clone(),
            trial: vector.clone(),
            goal: vector.clone(),
            at: Evaluation::new(dimension),
            score: vector.clone(),
            solved: vector.clone(),
            slope: vector.clone(),
            matrix: vec![0.0; dimension * dimension],
            half_squared: 0.0,
            cholesky: Cholesky::new(dimension),
            ball: BallModel::new(dimension),
            row: vector.clone(),
            column: vector,
            interior: Interior::new(dimension),
        }
    }

    /// The point found by the last search.
    pub(in crate::policy) fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// Its distance, ||r||_{M^{-1}}.
    pub(in crate::policy) fn distance(&self) -> f64 {
        (2.0 * self.half_squared).sqrt()
    }

    /// Hessian with ridge at the point found by the last search with [`Metric::Hessian`]: its factor.
    pub(in crate::policy) fn factor_hessian(&mut self, target: Target<'_>) -> &Cholesky {
        evaluate(target.history, &self.theta, Order::Hessian, &mut self.at);
        self.factor(target.penalty.ridge);
        &self.cholesky
    }

    /// The distance at any point.
    pub(in crate::policy) fn distance_at(&mut self, target: Target<'_>, theta: &[f64]) -> f64 {
        self.trial.copy_from_slice(theta);
        (2.0 * self.evaluate_trial(target)).sqrt()
    }

    /// Searches from `start`, brought into the ball first.
    pub(in crate::policy) fn search(&mut self, target: Target<'_>, start: &[f64]) -> Projected {
        self.enter_ball(target.penalty.norm_bound, start);
        let bound = target.penalty.norm_bound;
        let slabs = target.slabs.filter(|slabs| self.interior.load(target.history, slabs, bound));
        let target = Target { slabs, ..target };
        if slabs.is_some() {
            self.half_squared = self.evaluate_trial(target);
            self.accept(target);
            self.goal.copy_from_slice(&self.theta);
            if !self.enter_slabs(target) {
                let ball_only = Target { slabs: None, ..target };
                self.search(ball_only, start);
                return Projected::NoFeasiblePoint;
            }
            self.trial.copy_from_slice(&self.goal);
        }
        self.half_squared = self.evaluate_trial(target);
        self.accept(target);
        for _ in 0..STEP_LIMIT {
            if !self.propose(target) {
                return Projected::Stalled;
            }
            let fall: f64 = (0..self.theta.len()).map(|i| self.slope[i] * (self.goal[i] - self.theta[i])).sum();
            if -fall <= 1e-13 * self.half_squared {
                return Projected::Converged;
            }
            if !self.advance(target, fall) {
                // A gain of which only the last digits would show may be lost in rounding.
                let rounding = -fall <= 1e-9 * self.half_squared;
                return if rounding { Projected::Converged } else { Projected::Stalled };
            }
        }
        Projected::Stalled
    }

    fn enter_ball(&mut self, norm_bound: f64, start: &[f64]) {
        self.trial.copy_from_slice(start);
        shrink(&mut self.trial, norm_bound);
    }

    /// Moves towards the goal as far as half the squared distance falls; false if it does not.
    fn advance(&mut self, target: Target<'_>, fall: f64) -> bool {
        let mut length = 1.0;
        while length > 1e-10 {
            for (t, (theta, goal)) in self.trial.iter_mut().zip(self.theta.iter().zip(&self.goal)) {
                *t = theta + length * (goal - theta);
            }
            shrink(&mut self.trial, target.penalty.norm_bound);
            let value = self.evaluate_trial(target);
            if value < self.half_squared + 1e-4 * length * fall {
                self.half_squared = value;
                self.accept(target);
                return true;
            }
            length *= 0.5;
        }
        false
    }

    /// Half the squared distance at `trial`; score and M^{-1} score are left behind.
    fn evaluate_trial(&mut self, target: Target<'_>) -> f64 {
        let ridge = target.penalty.ridge;
        evaluate(target.history, &self.trial, Order::Hessian, &mut self.at);
        self.score.copy_from_slice(&self.at.gradient);
        add_scaled(&mut self.score, ridge, &self.trial);
        match target.metric {
            Metric::Fixed(inverse) => multiply(inverse, &self.score, &mut self.solved),
            Metric::Hessian => {
                self.factor(ridge);
                self.solved.copy_from_slice(&self.score);
                self.cholesky.solve(&mut self.solved);
            }
        }
        0.5 * dot(&self.score, &self.solved).max(0.0)
    }

    /// Factors the Hessian. With a positive ridge it is singular only where the data swamp the ridge: that is then raised.
    fn factor(&mut self, ridge: f64) {
        let mut shift = ridge;
        while !self.cholesky.factor(&self.at.hessian, shift) && shift < 1e300 {
            shift *= 4.0;
        }
    }

    /// Makes `trial`, just evaluated, the point at hand, with slope and matrix of the model there.
    fn accept(&mut self, target: Target<'_>) {
        self.theta.copy_from_slice(&self.trial);
        match target.metric {
            Metric::Fixed(inverse) => self.fixed_model(target.penalty.ridge, inverse),
            Metric::Hessian => self.hessian_model(target.history),
        }
    }

    /// Slope H V^{-1} r, matrix H V^{-1} H.
    fn fixed_model(&mut self, ridge: f64, inverse: &[f64]) {
        let d = self.theta.len();
        self.at.hessian.iter_mut().step_by(d + 1).for_each(|v| *v += ridge);
        multiply(&self.at.hessian, &self.solved, &mut self.slope);
        for j in 0..d {
            for i in 0..d {
                self.row[i] = self.at.hessian[if i >= j { i * d + j } else { j * d + i }];
            }
            multiply(inverse, &self.row, &mut self.column);
            multiply(&self.at.hessian, &self.column, &mut self.row);
            for i in j..d {
                self.matrix[i * d + j] = self.row[i];
            }
        }
    }

    /// Slope r - (1/2) sum n mu'' (x'u)^2 x, matrix H.
    fn hessian_model(&mut self, history: &History) {
        self.matrix.copy_from_slice(&self.at.hessian);
        self.slope.copy_from_slice(&self.score);
        for k in 0..history.rows() {
            history.features(k, &mut self.row);
            let a = dot(&self.row, &self.solved);
            let weight = history.outcomes(k).0 * link::skew(dot(&self.row, &self.theta));
            add_scaled(&mut self.slope, -0.5 * weight * a * a, &self.row);
        }
    }

    /// The ridge that the model's matrix lacks.
    fn model_penalty(target: Target<'_>) -> Penalty {
        let ridge = if matches!(target.metric, Metric::Hessian) { target.penalty.ridge } else { 0.0 };
        Penalty { ridge, ..target.penalty }
    }

    /// The feasible minimiser of the model, into `goal`; false if none was found.
    fn propose(&mut self, target: Target<'_>) -> bool {
        let penalty = Self::model_penalty(target);
        if target.slabs.is_none() {
            self.ball.minimise(&self.matrix, penalty, &self.theta, &self.slope, 0.0);
            self.goal.copy_from_slice(self.ball.minimiser());
            return true;
        }
        // Over all of space first; the feasible minimiser is the projection of that in the norm of the matrix.
        let free = Penalty { norm_bound: f64::INFINITY, ..penalty };
        self.ball.minimise(&self.matrix, free, &self.theta, &self.slope, 0.0);
        self.goal.copy_from_slice(self.ball.minimiser());
        self.enter_slabs(target)
    }

    /// Projects `goal` on ball and slabs in the norm of the model's matrix; false if no feasible point was found.
    fn enter_slabs(&mut self, target: Target<'_>) -> bool {
        self.interior.project(&self.matrix, Self::model_penalty(target).ridge, &mut self.goal)
    }
}

/// Brings a point into the ball.
fn shrink(theta: &mut [f64], norm_bound: f64) {
    let length = norm(theta);
    if length > norm_bound {
        theta.iter_mut().for_each(|v| *v *= norm_bound / length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const BOUND: f64 = 2.0;

    fn in_disk(rng: &mut ChaCha8Rng, radius: f64) -> [f64; 2] {
        loop {
            let x = [rng.random_range(-radius..radius), rng.random_range(-radius..radius)];
            if norm(&x) <= radius {
                return x;
            }
        }
    }

    /// Rewards all alike for arms on one side, so that the estimate is far outside the ball, and intervals around the
    /// log-odds of a point of the ball.
    fn problem(rng: &mut ChaCha8Rng, width: f64) -> (History, Slabs) {
        let mut history = History::new(2).unwrap();
        let mut slabs = Slabs::default();
        let inner = in_disk(rng, 0.9 * BOUND);
        for _ in 0..6 {
            let x = in_disk(rng, 1.0);
            let row = history.observe_many(&x, f64::from(u8::from(x[0] > 0.0)), 20).unwrap();
            let z = dot(&x, &inner);
            let sides = (rng.random_range(0.01..1.0), rng.random_range(0.01..1.0));
            slabs.tighten(row, (z - width * sides.0, z + width * sides.1));
        }
        (history, slabs)
    }

    /// The least distance on grids that shrink around the best point of the last.
    fn least_on_grids(projection: &mut Projection, target: Target<'_>, slabs: &Slabs) -> f64 {
        let mut best = (f64::INFINITY, [0.0, 0.0]);
        let (mut row, mut size) = (vec![0.0; 2], BOUND);
        for _ in 0..6 {
            let middle = best.1;
            for i in -100..=100 {
                for j in -100..=100 {
                    let at = |c: f64, k: i32| c + size * f64::from(k) / 100.0;
                    let theta = [at(middle[0], i), at(middle[1], j)];
                    if norm(&theta) > BOUND || !slabs.contain(target.history, &theta, &mut row, 0.0) {
                        continue;
                    }
                    let distance = projection.distance_at(target, &theta);
                    if distance < best.0 {
                        best = (distance, theta);
                    }
                }
            }
            size *= 0.1;
        }
        best.0
    }

    #[test]
    fn no_feasible_point_has_a_closer_score() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let inverse = [0.05, 0.0, 0.01, 0.03];
        let mut bound = 0;
        for case in 0..40 {
            let (history, slabs) = problem(&mut rng, [0.2, 1.0, 3.0][case % 3]);
            let metric = if case % 2 == 0 { Metric::Hessian } else { Metric::Fixed(&inverse) };
            let penalty = Penalty { ridge: 0.5, norm_bound: BOUND };
            let target = Target { history: &history, penalty, metric, slabs: Some(&slabs) };
            let mut projection = Projection::new(2);
            let status = projection.search(target, &[5.0, 0.1]);
            assert_eq!(status, Projected::Converged, "case {case}");
            let theta = projection.theta().to_vec();
            assert!(norm(&theta) <= BOUND * (1.0 + 1e-12));
            assert!(slabs.contain(&history, &theta, &mut [0.0; 2], SLAB_TOLERANCE * BOUND), "case {case}");
            bound += usize::from(norm(&theta) < 0.999 * BOUND);
            let (found, least) = (projection.distance(), least_on_grids(&mut projection, target, &slabs));
            assert!(found <= least * (1.0 + 1e-6), "case {case}: {found} {least}");
        }
        assert!(bound > 10, "the slabs decided in {bound} cases only");
    }

    #[test]
    fn contradictory_bounds_are_reported_and_dropped() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let (history, mut slabs) = problem(&mut rng, 1.0);
        let (lower, upper) = slabs.get(0);
        slabs.tighten(0, (upper + 0.1, lower - 0.1));
        let penalty = Penalty { ridge: 0.5, norm_bound: BOUND };
        let target = Target { history: &history, penalty, metric: Metric::Hessian, slabs: Some(&slabs) };
        let mut projection = Projection::new(2);
        assert_eq!(projection.search(target, &[5.0, 0.1]), Projected::NoFeasiblePoint);
        let kept = projection.theta().to_vec();
        assert_eq!(projection.search(Target { slabs: None, ..target }, &[5.0, 0.1]), Projected::Converged);
        assert_eq!(projection.theta(), kept);
    }
}
