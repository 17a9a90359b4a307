//! Ridge regression, one observation at a time.

use serde::{Deserialize, Serialize};

use super::widths::Widths;
use crate::error::{Result, check_vector};
use crate::link;
use crate::numerics::{Elementary, Ellipsoid, Precision, add_scaled, dot};

/// V = ridge I + sum x x' and theta = V^{-1} sum r x.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::policy) struct LinearModel {
    theta: Vec<f64>,
    precision: Precision,
    #[serde(skip)]
    direction: Vec<f64>,
}

impl LinearModel {
    pub(in crate::policy) fn new(dimension: usize, ridge: f64) -> Self {
        Self { theta: vec![0.0; dimension], precision: Precision::new(dimension, ridge), direction: Vec::new() }
    }

    pub(in crate::policy) fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The log-odds of x'theta as a probability. A linear model may leave [0, 1]: it is cut to what may be believed of it.
    pub(in crate::policy) fn log_odds(&self, x: &[f64]) -> f64 {
        link::log_odds(dot(x, &self.theta).clamp(0.001, 0.999))
    }

    pub(in crate::policy) fn precision(&self) -> &Precision {
        &self.precision
    }

    /// { ||theta - theta_hat||_V <= radius }.
    pub(in crate::policy) fn ellipsoid(&self, radius: f64) -> Ellipsoid<'_> {
        self.precision.ellipsoid(&self.theta, radius)
    }

    /// logdet V - d log ridge.
    pub(in crate::policy) fn log_growth(&self, ridge: f64) -> f64 {
        (self.precision.log_det() - self.theta.len() as f64 * ridge.logarithm()).max(0.0)
    }

    /// theta moves by V'^{-1}x times the error of its forecast, V' the matrix after the observation.
    pub(in crate::policy) fn learn(&mut self, widths: &mut Widths, x: &[f64], target: f64) {
        self.direction.resize(x.len(), 0.0);
        let square = self.precision.solve(x, &mut self.direction);
        let error = target - dot(x, &self.theta);
        add_scaled(&mut self.theta, error / (1.0 + square), &self.direction);
        widths.add(&mut self.precision, 1.0, x, &self.direction, square);
    }

    pub(in crate::policy) fn check(&self, dimension: usize) -> Result<()> {
        check_vector("theta", &self.theta, dimension)?;
        self.precision.check(dimension)
    }
}
