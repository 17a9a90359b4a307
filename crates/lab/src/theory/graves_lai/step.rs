//! One step of Newton's method within a ball.

use optimist::numerics::{Cholesky, Quadratic, TrustRegion, add_outer, add_scaled, dot, square_form, trace};

/// Added to the curvature, relative to its mean: directions in which the objective is flat are then not moved along.
const RIDGE: f64 = 1e-13;

/// A quadratic model at v: gradient and Hessian (lower half, size x size).
#[derive(Debug)]
pub(super) struct Model {
    pub(super) gradient: Vec<f64>,
    hessian: Vec<f64>,
    region: TrustRegion,
    cholesky: Cholesky,
}

impl Model {
    pub(super) fn new(size: usize) -> Self {
        Self {
            gradient: vec![0.0; size],
            hessian: vec![0.0; size * size],
            region: TrustRegion::new(size),
            cholesky: Cholesky::new(size),
        }
    }

    pub(super) fn clear(&mut self) {
        self.gradient.fill(0.0);
        self.hessian.fill(0.0);
    }

    /// Adds slope b to the gradient and curvature bb' to the Hessian.
    pub(super) fn add(&mut self, b: &[f64], slope: f64, curvature: f64) {
        add_scaled(&mut self.gradient, slope, b);
        add_outer(&mut self.hessian, curvature, b);
    }

    /// The step from v to the minimiser of the model over ||v|| <= radius; none if the curvature is not finite, or zero on
    /// a slope.
    ///
    /// The ridge is centred at v, so that it slows the method down and does not move its limit.
    pub(super) fn step(&mut self, v: &[f64], radius: f64) -> Option<Vec<f64>> {
        let trace = self.trace();
        if trace == 0.0 {
            return self.gradient.iter().all(|g| *g == 0.0).then(|| vec![0.0; v.len()]);
        }
        if !trace.is_finite() {
            return None;
        }
        let model = Quadratic { hessian: &self.hessian, ridge: RIDGE * trace, theta: v, slope: &self.gradient };
        self.region.minimise(model, radius, 0.0);
        let mut step = self.region.minimiser().to_vec();
        add_scaled(&mut step, -1.0, v);
        Some(step)
    }

    fn trace(&self) -> f64 {
        trace(&self.hessian, self.gradient.len())
    }

    /// The largest norm of these vectors in the metric of the inverse Hessian; none if there is no curvature.
    pub(super) fn spread<'a>(&mut self, vectors: impl Iterator<Item = &'a [f64]>) -> Option<f64> {
        if self.gradient.is_empty() {
            return Some(0.0);
        }
        let trace = self.trace();
        if !(trace > 0.0) {
            return None;
        }
        self.factor(RIDGE * trace)?;
        let mut square: f64 = 0.0;
        for vector in vectors {
            let mut half = vector.to_vec();
            self.cholesky.solve_lower(&mut half);
            square = square.max(dot(&half, &half));
        }
        Some(square.sqrt())
    }

    /// Factors the Hessian with a ridge as small as may be; none if there is none.
    fn factor(&mut self, least: f64) -> Option<()> {
        let mut ridge = least;
        while !self.cholesky.factor(&self.hessian, ridge) {
            ridge *= 10.0;
            if !(ridge < 1e20 * least) {
                return None;
            }
        }
        Some(())
    }

    /// By how much the model falls along a step.
    pub(super) fn fall(&self, step: &[f64]) -> f64 {
        -dot(&self.gradient, step) - 0.5 * square_form(&self.hessian, step)
    }
}
