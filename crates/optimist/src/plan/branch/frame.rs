//! Coordinates in which the sets are round: y = L'(theta - origin) with LL' the Hessian of the loss there plus a ridge.
//!
//! With few arms or a small ridge a set is a thin sliver across the axes of theta, which boxes along these axes would
//! have to cover piece by piece; in y it is about as wide as it is long.

use crate::fit::Estimator;
use crate::numerics::{Cholesky, add_scaled, dot, multiply};

/// The coordinates y.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    origin: Vec<f64>,
    cholesky: Cholesky,
    /// a_j with y_j = a_j'(theta - origin), one after the other: the columns of L.
    covectors: Vec<f64>,
}

impl Frame {
    /// The frame at an estimate, with a positive ridge.
    pub(super) fn new(estimate: &Estimator, ridge: f64) -> Self {
        let d = estimate.theta().len();
        let hessian = &estimate.evaluation().hessian;
        let mut cholesky = Cholesky::new(d);
        let factored = cholesky.factor(hessian, ridge);
        debug_assert!(factored, "the Hessian is positive semi-definite and the ridge positive");
        let mut covectors = vec![0.0; d * d];
        let mut column = vec![0.0; d];
        for (j, covector) in covectors.chunks_exact_mut(d).enumerate() {
            // L e_j = (LL') L^{-T} e_j.
            column.fill(0.0);
            column[j] = 1.0;
            cholesky.solve_upper(&mut column);
            multiply(hessian, &column, covector);
            add_scaled(covector, ridge, &column);
        }
        Self { origin: estimate.theta().to_vec(), cholesky, covectors }
    }

    /// The factor L.
    pub(super) fn cholesky(&self) -> &Cholesky {
        &self.cholesky
    }

    /// The covectors of the coordinates, each with its value at the origin.
    pub(super) fn covectors(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.covectors.chunks_exact(self.origin.len()).map(|a| (a, dot(a, &self.origin)))
    }

    /// theta of y.
    pub(super) fn place(&self, y: &[f64], theta: &mut [f64]) {
        theta.copy_from_slice(y);
        self.cholesky.solve_upper(theta);
        add_scaled(theta, 1.0, &self.origin);
    }

    /// Turns v, of the form v'theta, into w with w'y = v'(theta - origin).
    pub(super) fn turn(&self, v: &mut [f64]) {
        self.cholesky.solve_lower(v);
    }
}
