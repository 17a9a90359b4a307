//! One step of Newton's method within a ball.

use optimist::numerics::{dot, norm};

use super::matrix::Cholesky;

/// Added to the curvature, relative to its mean: directions in which the objective is flat are then not moved along.
const RIDGE: f64 = 1e-13;
/// The multiplier of the ball is sought until the norm is this close.
const NORM_TOLERANCE: f64 = 1e-12;
const MULTIPLIER_ROUNDS: usize = 200;

/// A quadratic model at v: gradient and Hessian (lower half, size x size).
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) gradient: Vec<f64>,
    pub(super) hessian: Vec<f64>,
    factor: Cholesky,
}

impl Model {
    pub(super) fn clear(&mut self, size: usize) {
        self.gradient.clear();
        self.gradient.resize(size, 0.0);
        self.hessian.clear();
        self.hessian.resize(size * size, 0.0);
    }

    /// Adds slope b to the gradient and curvature bb' to the Hessian.
    pub(super) fn add(&mut self, b: &[f64], slope: f64, curvature: f64) {
        let size = b.len();
        for (i, bi) in b.iter().enumerate() {
            self.gradient[i] += slope * bi;
            let scaled = curvature * bi;
            let row = &mut self.hessian[i * size..=i * size + i];
            row.iter_mut().zip(b).for_each(|(h, bj)| *h += scaled * bj);
        }
    }

    /// The step from v to the minimiser of the model over ||v|| <= radius; none if the curvature is not finite, or zero on
    /// a slope.
    ///
    /// The ridge is centred at v, so that it slows the method down and does not move its limit.
    pub(super) fn step(&mut self, v: &[f64], radius: f64) -> Option<Vec<f64>> {
        let size = v.len();
        let trace: f64 = (0..size).map(|i| self.hessian[i * size + i]).sum();
        if trace == 0.0 {
            return self.gradient.iter().all(|g| *g == 0.0).then(|| vec![0.0; size]);
        }
        let ridge = self.factor_with_ridge(size, RIDGE * trace)?;
        let mut step: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        self.factor.solve(&mut step);
        let end: Vec<f64> = v.iter().zip(&step).map(|(v, s)| v + s).collect();
        if norm(&end) <= radius {
            return Some(step);
        }
        let end = self.on_sphere(v, ridge, end, radius)?;
        Some(end.iter().zip(v).map(|(e, v)| e - v).collect())
    }

    /// The minimiser on the sphere: (H + ridge + nu) end = (H + ridge) v - g, with nu >= 0 such that ||end|| = radius.
    ///
    /// By Newton's method for 1/||end||, nearly linear in nu, which from nu = 0 rises to the solution.
    fn on_sphere(&mut self, v: &[f64], ridge: f64, mut end: Vec<f64>, radius: f64) -> Option<Vec<f64>> {
        let size = v.len();
        let right: Vec<f64> = (0..size).map(|i| self.row_times(i, v) + ridge * v[i] - self.gradient[i]).collect();
        let mut nu = 0.0;
        for _ in 0..MULTIPLIER_ROUNDS {
            let length = norm(&end);
            if length <= radius * (1.0 + NORM_TOLERANCE) {
                break;
            }
            let mut half = end.clone();
            self.factor.half_solve(&mut half);
            nu += (length * length / dot(&half, &half)) * (length - radius) / radius;
            if !self.factor.factor(&self.hessian, size, ridge + nu) {
                return None;
            }
            end.copy_from_slice(&right);
            self.factor.solve(&mut end);
        }
        let shrink = (radius / norm(&end)).min(1.0);
        end.iter_mut().for_each(|e| *e *= shrink);
        Some(end)
    }

    fn factor_with_ridge(&mut self, size: usize, least: f64) -> Option<f64> {
        let mut ridge = least;
        while !self.factor.factor(&self.hessian, size, ridge) {
            ridge *= 10.0;
            if !(ridge < 1e20 * least) {
                return None;
            }
        }
        Some(ridge)
    }

    fn row_times(&self, i: usize, v: &[f64]) -> f64 {
        let size = v.len();
        (0..size).map(|j| self.hessian[i.max(j) * size + i.min(j)] * v[j]).sum()
    }

    /// The largest norm of these vectors in the metric of the inverse Hessian; none if there is no curvature.
    pub(super) fn spread<'a>(&mut self, vectors: impl Iterator<Item = &'a [f64]>) -> Option<f64> {
        let size = self.gradient.len();
        let trace: f64 = (0..size).map(|i| self.hessian[i * size + i]).sum();
        if size == 0 {
            return Some(0.0);
        }
        if !(trace > 0.0) {
            return None;
        }
        self.factor_with_ridge(size, RIDGE * trace)?;
        let mut square: f64 = 0.0;
        for vector in vectors {
            let mut half = vector.to_vec();
            self.factor.half_solve(&mut half);
            square = square.max(dot(&half, &half));
        }
        Some(square.sqrt())
    }

    /// By how much the model falls along a step.
    pub(super) fn fall(&self, step: &[f64]) -> f64 {
        let bend: f64 = (0..step.len()).map(|i| step[i] * self.row_times(i, step)).sum();
        -dot(&self.gradient, step) - 0.5 * bend
    }
}
