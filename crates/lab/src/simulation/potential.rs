//! The elliptical potential of a run: how much each play still tells about theta*, given all before it.

use optimist::linalg::dot;

/// The metric of H_t^{-1}, H_t = d I + sum_{s<t} mu'_s x_s x_s': O(d^2) a play, no allocation.
#[derive(Debug, Clone)]
pub struct Potential {
    /// H_t^{-1}, row by row.
    inverse: Vec<f64>,
    /// H_t^{-1} x.
    direction: Vec<f64>,
}

impl Potential {
    /// Before the first play, with the ridge d that lambda_t = d (1 + log t) has in the first round.
    pub fn new(dimension: usize) -> Self {
        let mut inverse = vec![0.0; dimension * dimension];
        inverse.iter_mut().step_by(dimension + 1).for_each(|v| *v = 1.0 / dimension as f64);
        Self { inverse, direction: vec![0.0; dimension] }
    }

    /// mu' ||x||^2 of a play, which then enters the metric by the formula of Sherman and Morrison. The elliptical sum is the
    /// sum of what is returned.
    pub fn enter(&mut self, x: &[f64], slope: f64) -> f64 {
        let d = x.len();
        for (entry, row) in self.direction.iter_mut().zip(self.inverse.chunks_exact(d)) {
            *entry = dot(row, x);
        }
        let part = slope * dot(&self.direction, x);
        let scale = slope / (1.0 + part);
        for (row, &a) in self.inverse.chunks_exact_mut(d).zip(&self.direction) {
            for (entry, &b) in row.iter_mut().zip(&self.direction) {
                *entry -= scale * a * b;
            }
        }
        part
    }
}
