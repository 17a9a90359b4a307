//! One step of online mirror descent over the ball, in the norm of a growing matrix.

use serde::{Deserialize, Serialize};

use crate::error::{Result, check_number};
use crate::numerics::{Precision, Quadratic, TrustRegion, add_outer, add_scaled, dot, norm, square_form};

/// Working memory of the step.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(in crate::policy) struct MirrorStep {
    /// Multiplier of the norm bound in the last projection, from which the next one starts: they change little.
    multiplier: f64,
    /// P^{-1}x and x'P^{-1}x of the last step.
    #[serde(skip)]
    direction: Vec<f64>,
    #[serde(skip)]
    square: f64,
    #[serde(skip)]
    next: Vec<f64>,
    /// Only if a step ever left the ball.
    #[serde(skip)]
    model: Option<Box<TrustRegion>>,
    #[serde(skip)]
    matrix: Vec<f64>,
}

/// A = P + weight x x' and the gradient slope x of a loss that depends on x'theta.
#[derive(Clone, Copy)]
pub(in crate::policy) struct Move<'a> {
    pub(in crate::policy) precision: &'a Precision,
    pub(in crate::policy) weight: f64,
    pub(in crate::policy) x: &'a [f64],
    pub(in crate::policy) slope: f64,
}

impl MirrorStep {
    /// theta becomes y = argmin_{||y|| <= bound} slope x'(y - theta) + ||y - theta||_A^2 / 2: the step theta - slope
    /// A^{-1}x, projected on the ball in the norm of A. Returns 2 slope x'(theta - y) - ||theta - y||_A^2, what the step
    /// costs in the analysis of mirror descent: slope^2 x'A^{-1}x if it stays in the ball, and less otherwise.
    pub(in crate::policy) fn take(&mut self, theta: &mut [f64], step: Move<'_>, bound: f64) -> f64 {
        let Move { precision, weight, x, slope } = step;
        self.direction.resize(x.len(), 0.0);
        self.square = precision.solve(x, &mut self.direction);
        // A^{-1}x = P^{-1}x / (1 + weight x'P^{-1}x).
        let scale = slope / (1.0 + weight * self.square);
        self.next.clear();
        self.next.extend_from_slice(theta);
        add_scaled(&mut self.next, -scale, &self.direction);
        if norm(&self.next) <= bound {
            theta.copy_from_slice(&self.next);
            return slope * scale * self.square;
        }
        self.project(theta, step, bound)
    }

    /// Checks a deserialised step.
    pub(in crate::policy) fn check(&self) -> Result<()> {
        check_number("step.multiplier", self.multiplier, self.multiplier >= 0.0, "zero or positive")
    }

    fn project(&mut self, theta: &mut [f64], step: Move<'_>, bound: f64) -> f64 {
        let Move { precision, weight, x, slope } = step;
        let d = x.len();
        self.matrix.clear();
        self.matrix.extend_from_slice(precision.matrix());
        add_outer(&mut self.matrix, weight, x);
        self.next.clear();
        self.next.extend(x.iter().map(|v| slope * v));
        let model = self.model.get_or_insert_with(|| Box::new(TrustRegion::new(d)));
        let quadratic = Quadratic { hessian: &self.matrix, ridge: 0.0, theta, slope: &self.next };
        self.multiplier = model.minimise(quadratic, bound, self.multiplier);
        // The difference, in the memory that held the gradient.
        for ((change, y), t) in self.next.iter_mut().zip(model.minimiser()).zip(&*theta) {
            *change = y - t;
        }
        theta.copy_from_slice(model.minimiser());
        -2.0 * slope * dot(x, &self.next) - square_form(&self.matrix, &self.next)
    }

    /// P^{-1}x of the last step.
    pub(in crate::policy) fn direction(&self) -> &[f64] {
        &self.direction
    }

    /// x'P^{-1}x of the last step.
    pub(in crate::policy) fn square(&self) -> f64 {
        self.square
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against projected gradient descent with a tiny step, inside and on the ball.
    #[test]
    fn the_step_is_the_minimiser_over_the_ball() {
        let mut precision = Precision::new(2, 0.5);
        let mut direction = [0.0; 2];
        for x in [[0.9, 0.1], [0.2, -0.7], [0.9, 0.3]] {
            let square = precision.solve(&x, &mut direction);
            precision.add(0.6, &x, &direction, square);
        }
        let (x, weight, start, bound) = ([0.6, -0.8], 0.3, [0.5, 0.4], 1.0);
        for slope in [0.1, -0.2, 3.0, -5.0] {
            let mut theta = start;
            let cost =
                MirrorStep::default().take(&mut theta, Move { precision: &precision, weight, x: &x, slope }, bound);
            let apply = |v: &[f64; 2]| {
                let m = precision.matrix();
                let along = weight * dot(&x, v);
                [m[0] * v[0] + m[2] * v[1] + along * x[0], m[2] * v[0] + m[3] * v[1] + along * x[1]]
            };
            let mut y = start;
            for _ in 0..20_000 {
                let step = apply(&[y[0] - start[0], y[1] - start[1]]);
                y = [y[0] - 0.1 * (step[0] + slope * x[0]), y[1] - 0.1 * (step[1] + slope * x[1])];
                let scale = (bound / norm(&y)).min(1.0);
                y = [y[0] * scale, y[1] * scale];
            }
            assert!((y[0] - theta[0]).abs() + (y[1] - theta[1]).abs() < 1e-9, "{slope}: {y:?} {theta:?}");
            let change = [y[0] - start[0], y[1] - start[1]];
            let exact = -2.0 * slope * dot(&x, &change) - dot(&change, &apply(&change));
            assert!((cost - exact).abs() < 1e-8, "{slope}: {cost} {exact}");
        }
    }
}
