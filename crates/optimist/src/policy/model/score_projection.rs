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

use super::slabs::Slabs;
use crate::fit::Penalty;
use crate::history::History;
use crate::link;
use crate::loss::{Evaluation, Order, evaluate};
use crate::numerics::{Cholesky, CutBall, Quadratic, TrustRegion, add_scaled, dot, multiply, norm};

/// How the search for a centre ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectionStatus {
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
pub(in crate::policy) enum ScoreNorm<'a> {
    /// That of V^{-1}, of which this is the lower triangle.
    Fixed(&'a [f64]),
    /// That of H(theta)^{-1}.
    Hessian,
}

/// What is projected on.
#[derive(Debug, Clone, Copy)]
pub(in crate::policy) struct Objective<'a> {
    pub(in crate::policy) history: &'a History,
    pub(in crate::policy) penalty: Penalty,
    pub(in crate::policy) metric: ScoreNorm<'a>,
    pub(in crate::policy) slabs: Option<&'a Slabs>,
}

/// Steps of a search; some ten are typical.
const STEP_LIMIT: usize = 300;
/// By what a ridge is multiplied that the data swamp.
const RAISE: f64 = 4.0;
/// By how much a bound on a log-odds may be exceeded, relative to the norm bound.
pub(in crate::policy) const SLAB_TOLERANCE: f64 = 1e-9;

/// The search, in memory of its own.
#[derive(Debug, Clone)]
pub(in crate::policy) struct ScoreProjection {
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
    ball: TrustRegion,
    row: Vec<f64>,
    column: Vec<f64>,
    cut_ball: CutBall,
}

impl ScoreProjection {
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
            ball: TrustRegion::new(dimension),
            row: vector.clone(),
            column: vector,
            cut_ball: CutBall::new(dimension),
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

    /// Hessian without ridge at the point found by the last search.
    pub(in crate::policy) fn hessian(&mut self, objective: Objective<'_>) -> &[f64] {
        evaluate(objective.history, &self.theta, Order::Hessian, &mut self.at);
        &self.at.hessian
    }

    /// Searches from `start`, brought into the ball first.
    pub(in crate::policy) fn search(&mut self, objective: Objective<'_>, start: &[f64]) -> ProjectionStatus {
        self.enter_ball(objective.penalty.norm_bound, start);
        let bound = objective.penalty.norm_bound;
        let slabs = objective.slabs.filter(|slabs| self.load(objective.history, slabs, bound));
        let objective = Objective { slabs, ..objective };
        if slabs.is_some() {
            self.half_squared = self.evaluate_trial(objective);
            self.accept(objective);
            self.goal.copy_from_slice(&self.theta);
            if !self.enter_slabs(objective) {
                let ball_only = Objective { slabs: None, ..objective };
                self.search(ball_only, start);
                return ProjectionStatus::NoFeasiblePoint;
            }
            self.trial.copy_from_slice(&self.goal);
        }
        self.half_squared = self.evaluate_trial(objective);
        self.accept(objective);
        for _ in 0..STEP_LIMIT {
            if !self.propose(objective) {
                return ProjectionStatus::Stalled;
            }
            let fall: f64 = (0..self.theta.len()).map(|i| self.slope[i] * (self.goal[i] - self.theta[i])).sum();
            if -fall <= 1e-13 * self.half_squared {
                return ProjectionStatus::Converged;
            }
            if !self.advance(objective, fall) {
                // A gain of which only the last digits would show may be lost in rounding.
                let rounding = -fall <= 1e-9 * self.half_squared;
                return if rounding { ProjectionStatus::Converged } else { ProjectionStatus::Stalled };
            }
        }
        ProjectionStatus::Stalled
    }

    /// Takes in the slabs that cut the ball, and says whether there are any.
    fn load(&mut self, history: &History, slabs: &Slabs, norm_bound: f64) -> bool {
        self.cut_ball.restart(norm_bound);
        for k in 0..history.rows() {
            history.features(k, &mut self.row);
            let length = norm(&self.row);
            let (lower, upper) = slabs.beyond_ball(k, norm_bound * length);
            if upper < f64::INFINITY {
                self.cut_ball.cut(1.0, &self.row, length, upper);
            }
            if lower > f64::NEG_INFINITY {
                self.cut_ball.cut(-1.0, &self.row, length, -lower);
            }
        }
        !self.cut_ball.is_whole()
    }

    fn enter_ball(&mut self, norm_bound: f64, start: &[f64]) {
        self.trial.copy_from_slice(start);
        shrink(&mut self.trial, norm_bound);
    }

    /// Moves towards the goal as far as half the squared distance falls; false if it does not.
    fn advance(&mut self, objective: Objective<'_>, fall: f64) -> bool {
        let mut length = 1.0;
        while length > 1e-10 {
            for (t, (theta, goal)) in self.trial.iter_mut().zip(self.theta.iter().zip(&self.goal)) {
                *t = theta + length * (goal - theta);
            }
            shrink(&mut self.trial, objective.penalty.norm_bound);
            let value = self.evaluate_trial(objective);
            if value < self.half_squared + 1e-4 * length * fall {
                self.half_squared = value;
                self.accept(objective);
                return true;
            }
            length *= 0.5;
        }
        false
    }

    /// Half the squared distance at `trial`; score and M^{-1} score are left behind.
    fn evaluate_trial(&mut self, objective: Objective<'_>) -> f64 {
        let ridge = objective.penalty.ridge;
        evaluate(objective.history, &self.trial, Order::Hessian, &mut self.at);
        self.score.copy_from_slice(&self.at.gradient);
        add_scaled(&mut self.score, ridge, &self.trial);
        match objective.metric {
            ScoreNorm::Fixed(inverse) => multiply(inverse, &self.score, &mut self.solved),
            ScoreNorm::Hessian => {
                self.factor(ridge);
                self.solved.copy_from_slice(&self.score);
                self.cholesky.solve(&mut self.solved);
            }
        }
        0.5 * dot(&self.score, &self.solved).max(0.0)
    }

    /// Factors the Hessian. With a positive ridge it is singular only where the data swamp the ridge: that is then raised.
    fn factor(&mut self, ridge: f64) {
        self.cholesky.factor_raised(&self.at.hessian, ridge, RAISE);
    }

    /// Makes `trial`, just evaluated, the point at hand, with slope and matrix of the model there.
    fn accept(&mut self, objective: Objective<'_>) {
        self.theta.copy_from_slice(&self.trial);
        match objective.metric {
            ScoreNorm::Fixed(inverse) => self.fixed_model(objective.penalty.ridge, inverse),
            ScoreNorm::Hessian => self.hessian_model(objective.history),
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
    fn model_penalty(objective: Objective<'_>) -> Penalty {
        let ridge = if matches!(objective.metric, ScoreNorm::Hessian) { objective.penalty.ridge } else { 0.0 };
        Penalty { ridge, ..objective.penalty }
    }

    /// The feasible minimiser of the model, into `goal`; false if none was found.
    fn propose(&mut self, objective: Objective<'_>) -> bool {
        let penalty = Self::model_penalty(objective);
        if objective.slabs.is_none() {
            self.minimise_model(penalty);
            return true;
        }
        // Over all of space first; the feasible minimiser is the projection of that in the norm of the matrix.
        let free = Penalty { norm_bound: f64::INFINITY, ..penalty };
        self.minimise_model(free);
        self.enter_slabs(objective)
    }

    /// The minimiser of the model over a ball, into `goal`.
    fn minimise_model(&mut self, Penalty { ridge, norm_bound }: Penalty) {
        let model = Quadratic { hessian: &self.matrix, ridge, theta: &self.theta, slope: &self.slope };
        self.ball.minimise(model, norm_bound, 0.0);
        self.goal.copy_from_slice(self.ball.minimiser());
    }

    /// Projects `goal` on ball and slabs in the norm of the model's matrix; false if no feasible point was found.
    fn enter_slabs(&mut self, objective: Objective<'_>) -> bool {
        self.cut_ball.project(&self.matrix, Self::model_penalty(objective).ridge, &mut self.goal)
    }
}

/// The distance ||r||_{M^{-1}} at any point, without the memory of a search.
pub(in crate::policy) fn distance(objective: Objective<'_>, theta: &[f64]) -> f64 {
    let Objective { history, penalty: Penalty { ridge, .. }, metric, .. } = objective;
    let (mut at, mut solved) = (Evaluation::new(theta.len()), vec![0.0; theta.len()]);
    let order = if matches!(metric, ScoreNorm::Fixed(_)) { Order::Gradient } else { Order::Hessian };
    evaluate(history, theta, order, &mut at);
    add_scaled(&mut at.gradient, ridge, theta);
    match metric {
        ScoreNorm::Fixed(inverse) => multiply(inverse, &at.gradient, &mut solved),
        ScoreNorm::Hessian => {
            let mut cholesky = Cholesky::new(theta.len());
            cholesky.factor_raised(&at.hessian, ridge, RAISE);
            solved.copy_from_slice(&at.gradient);
            cholesky.solve(&mut solved);
        }
    }
    dot(&at.gradient, &solved).max(0.0).sqrt()
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
    fn least_on_grids(objective: Objective<'_>, slabs: &Slabs) -> f64 {
        let mut best = (f64::INFINITY, [0.0, 0.0]);
        let (mut row, mut size) = (vec![0.0; 2], BOUND);
        for _ in 0..6 {
            let middle = best.1;
            for i in -100..=100 {
                for j in -100..=100 {
                    let at = |c: f64, k: i32| c + size * f64::from(k) / 100.0;
                    let theta = [at(middle[0], i), at(middle[1], j)];
                    if norm(&theta) > BOUND || !slabs.contain(objective.history, &theta, &mut row, 0.0) {
                        continue;
                    }
                    let distance = distance(objective, &theta);
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
            let metric = if case % 2 == 0 { ScoreNorm::Hessian } else { ScoreNorm::Fixed(&inverse) };
            let penalty = Penalty { ridge: 0.5, norm_bound: BOUND };
            let objective = Objective { history: &history, penalty, metric, slabs: Some(&slabs) };
            let mut projection = ScoreProjection::new(2);
            let status = projection.search(objective, &[5.0, 0.1]);
            assert_eq!(status, ProjectionStatus::Converged, "case {case}");
            let theta = projection.theta().to_vec();
            assert!(norm(&theta) <= BOUND * (1.0 + 1e-12));
            assert!(slabs.contain(&history, &theta, &mut [0.0; 2], SLAB_TOLERANCE * BOUND), "case {case}");
            bound += usize::from(norm(&theta) < 0.999 * BOUND);
            let (found, least) = (projection.distance(), least_on_grids(objective, &slabs));
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
        let objective = Objective { history: &history, penalty, metric: ScoreNorm::Hessian, slabs: Some(&slabs) };
        let mut projection = ScoreProjection::new(2);
        assert_eq!(projection.search(objective, &[5.0, 0.1]), ProjectionStatus::NoFeasiblePoint);
        let kept = projection.theta().to_vec();
        assert_eq!(projection.search(Objective { slabs: None, ..objective }, &[5.0, 0.1]), ProjectionStatus::Converged);
        assert_eq!(projection.theta(), kept);
    }
}
