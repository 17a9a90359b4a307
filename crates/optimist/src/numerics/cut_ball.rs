//! The point of a ball, cut by half-spaces, that is nearest to a given point in the norm of a matrix.
//!
//! A primal-dual interior-point method: with constraints c_i(y) <= 0, slacks s and multipliers l, Newton's method on
//!
//! ```text
//! A(y - p) + sum l_i grad c_i = 0,   c_i(y) + s_i = 0,   l_i s_i = mu
//! ```
//!
//! with mu going to zero and steps that keep s and l positive. Neither the start nor any iterate need be feasible, and a
//! step costs one factorisation of a d by d matrix and m d^2 for m constraints.

use super::{Cholesky, add_outer, add_scaled, dot, multiply, norm};

/// Newton steps; twenty are typical. More mean that there is no feasible point.
const STEP_LIMIT: usize = 150;

/// The ball with its cuts, and working memory.
#[derive(Debug, Clone)]
pub(crate) struct CutBall {
    norm_bound: f64,
    /// Half-spaces n'y <= b with ||n|| = 1, one after the other; the ball is the last constraint.
    normals: Vec<f64>,
    limits: Vec<f64>,
    slack: Vec<f64>,
    multiplier: Vec<f64>,
    slack_step: Vec<f64>,
    multiplier_step: Vec<f64>,
    point: Vec<f64>,
    step: Vec<f64>,
    dual_residual: Vec<f64>,
    normal: Vec<f64>,
    system: Vec<f64>,
    cholesky: Cholesky,
}

impl CutBall {
    pub(crate) fn new(dimension: usize) -> Self {
        let vector = vec![0.0; dimension];
        Self {
            norm_bound: 0.0,
            normals: Vec::new(),
            limits: Vec::new(),
            slack: Vec::new(),
            multiplier: Vec::new(),
            slack_step: Vec::new(),
            multiplier_step: Vec::new(),
            point: vector.clone(),
            step: vector.clone(),
            dual_residual: vector.clone(),
            normal: vector,
            system: vec![0.0; dimension * dimension],
            cholesky: Cholesky::new(dimension),
        }
    }

    /// Becomes the whole ball ||y|| <= `norm_bound`.
    pub(crate) fn restart(&mut self, norm_bound: f64) {
        self.norm_bound = norm_bound;
        self.normals.clear();
        self.limits.clear();
    }

    /// Cuts off what violates sign * `x`'y <= `limit`, for a sign of one or minus one and an x of norm `length`.
    pub(crate) fn cut(&mut self, sign: f64, x: &[f64], length: f64, limit: f64) {
        self.normals.extend(x.iter().map(|v| sign * v / length));
        self.limits.push(limit / length);
    }

    /// Whether nothing was cut off.
    pub(crate) fn is_whole(&self) -> bool {
        self.limits.is_empty()
    }

    /// Replaces `target` by the nearest feasible point in the norm of `a` + `ridge` I; false if none was found.
    pub(crate) fn project(&mut self, a: &[f64], ridge: f64, target: &mut [f64]) -> bool {
        let d = target.len();
        let trace = (0..d).map(|i| a[i * d + i] + ridge).sum::<f64>();
        let size = trace / d as f64 * self.norm_bound;
        self.start(target, 0.1 * size * self.norm_bound);
        for _ in 0..STEP_LIMIT {
            let (mu, violation) = self.residuals(a, ridge, target);
            let done = mu <= 1e-15 * size * self.norm_bound && violation <= 1e-13 * self.norm_bound;
            if done && norm(&self.dual_residual) <= 1e-12 * size {
                break;
            }
            if !self.advance(a, ridge, mu) {
                break;
            }
        }
        let found = self.residuals(a, ridge, target).1 <= 1e-10 * self.norm_bound;
        target.copy_from_slice(&self.point);
        found
    }

    fn constraints(&self) -> usize {
        self.limits.len() + 1
    }

    /// From `target`, brought into the ball, with all products of slack and multiplier equal to `mu`.
    fn start(&mut self, target: &[f64], mu: f64) {
        self.point.copy_from_slice(target);
        let length = norm(&self.point);
        if length > 0.5 * self.norm_bound {
            self.point.iter_mut().for_each(|v| *v *= 0.5 * self.norm_bound / length);
        }
        let m = self.constraints();
        for vector in [&mut self.slack, &mut self.multiplier, &mut self.slack_step, &mut self.multiplier_step] {
            vector.clear();
            vector.resize(m, 0.0);
        }
        for i in 0..m {
            self.slack[i] = (-self.value(i)).max(0.1 * self.norm_bound);
            self.multiplier[i] = mu / self.slack[i];
        }
    }

    /// c_i at the point at hand; its gradient is left in `normal`. The ball's is (||y||^2/S - S)/2, with unit gradient
    /// on the sphere.
    fn value(&mut self, i: usize) -> f64 {
        let d = self.point.len();
        if i == self.limits.len() {
            let bound = self.norm_bound;
            self.normal.iter_mut().zip(&self.point).for_each(|(n, y)| *n = y / bound);
            return 0.5 * (dot(&self.point, &self.normal) - bound);
        }
        self.normal.copy_from_slice(&self.normals[i * d..][..d]);
        dot(&self.normal, &self.point) - self.limits[i]
    }

    /// The dual residual into its vector; returns the mean product of slack and multiplier and the largest violation.
    fn residuals(&mut self, a: &[f64], ridge: f64, target: &[f64]) -> (f64, f64) {
        for (s, (y, p)) in self.step.iter_mut().zip(self.point.iter().zip(target)) {
            *s = y - p;
        }
        multiply(a, &self.step, &mut self.dual_residual);
        add_scaled(&mut self.dual_residual, ridge, &self.step);
        let mut violation = 0.0_f64;
        for i in 0..self.constraints() {
            violation = violation.max((self.value(i) + self.slack[i]).abs());
            add_scaled(&mut self.dual_residual, self.multiplier[i], &self.normal);
        }
        (dot(&self.slack, &self.multiplier) / self.constraints() as f64, violation)
    }

    /// One Newton step towards products of a tenth of `mu`; false if rounding makes the system singular.
    fn advance(&mut self, a: &[f64], ridge: f64, mu: f64) -> bool {
        let m = self.constraints();
        self.system.copy_from_slice(a);
        self.step.iter_mut().zip(&self.dual_residual).for_each(|(s, r)| *s = -r);
        for i in 0..m {
            let violation = self.value(i) + self.slack[i];
            let (slack, multiplier) = (self.slack[i], self.multiplier[i]);
            let weight = multiplier / slack;
            add_outer(&mut self.system, weight, &self.normal);
            let centrality = multiplier * slack - 0.1 * mu;
            add_scaled(&mut self.step, (centrality - multiplier * violation) / slack, &self.normal);
        }
        // The ball's own curvature.
        if !self.cholesky.factor(&self.system, ridge + self.multiplier[m - 1] / self.norm_bound) {
            return false;
        }
        self.cholesky.solve(&mut self.step);
        let mut length = 1.0_f64;
        for i in 0..m {
            let violation = self.value(i) + self.slack[i];
            let (slack, multiplier) = (self.slack[i], self.multiplier[i]);
            let slack_step = -violation - dot(&self.normal, &self.step);
            let multiplier_step = (0.1 * mu - multiplier * slack - multiplier * slack_step) / slack;
            for (value, change) in [(slack, slack_step), (multiplier, multiplier_step)] {
                if change < 0.0 {
                    length = length.min(-0.99 * value / change);
                }
            }
            (self.slack_step[i], self.multiplier_step[i]) = (slack_step, multiplier_step);
        }
        add_scaled(&mut self.point, length, &self.step);
        add_scaled(&mut self.slack, length, &self.slack_step);
        add_scaled(&mut self.multiplier, length, &self.multiplier_step);
        true
    }
}
