//! The elliptical potential of a run: how much each play still tells about theta*, given all before it.

use optimist::numerics::Precision;

/// The metric of H_t^{-1}, H_t = d I + sum_{s<t} mu'_s x_s x_s': O(d^2) per play, and no allocation after the first.
#[derive(Debug, Clone)]
pub struct Potential {
    /// H_t.
    precision: Precision,
    /// H_t^{-1} x.
    direction: Vec<f64>,
}

impl Potential {
    /// Before the first play, with the ridge d that lambda_t = d (1 + log t) has in the first round.
    pub fn new(dimension: usize) -> Self {
        Self { precision: Precision::new(dimension, dimension as f64), direction: vec![0.0; dimension] }
    }

    /// mu' ||x||^2 of a play, which then enters the metric. The elliptical sum is the sum of what is returned.
    pub fn enter(&mut self, x: &[f64], slope: f64) -> f64 {
        let square = self.precision.solve(x, &mut self.direction);
        self.precision.add(slope, x, &self.direction, square);
        slope * square
    }
}
