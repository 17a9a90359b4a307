//! Rounds that only spread out: as long as an arm is too uncertain, the most uncertain one is played.

use serde::{Deserialize, Serialize};

use super::widths::Widths;
use crate::arms::FiniteArms;
use crate::error::{Result, check_number};
use crate::numerics::{Elementary, Precision, norm};
use crate::policy::rule::Direction;

/// V = ridge I + sum x x', and the bound on ||x||^2_{V^{-1}} above which an arm is too uncertain.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::policy) struct WarmUp {
    precision: Precision,
    widths: Widths,
    bound: f64,
    #[serde(skip)]
    direction: Vec<f64>,
}

impl WarmUp {
    pub(in crate::policy) fn new(dimension: usize, ridge: f64, bound: f64) -> Self {
        let precision = Precision::new(dimension, ridge);
        Self { precision, widths: Widths::default(), bound, direction: Vec::new() }
    }

    /// The arm with the largest ||x||^2_{V^{-1}}, the first of equals, if that is above the bound.
    pub(in crate::policy) fn pick(&mut self, arms: &FiniteArms) -> Option<usize> {
        let mut best = (None, self.bound);
        for (k, square) in self.widths.squares(&self.precision, arms).iter().enumerate() {
            if *square > best.1 {
                best = (Some(k), *square);
            }
        }
        best.0
    }

    /// The unit vector with the largest ||x||^2_{V^{-1}}, if that is above the bound. The farthest point of the ellipsoid
    /// of radius one has that direction, and the root of that size.
    pub(in crate::policy) fn direction(&self, dimension: usize) -> Option<Direction> {
        let origin = vec![0.0; dimension];
        let point = self.precision.ellipsoid(&origin, 1.0).farthest();
        (norm(&point).square() > self.bound).then(|| Direction::along(&point))
    }

    pub(in crate::policy) fn learn(&mut self, x: &[f64]) {
        self.direction.resize(x.len(), 0.0);
        let square = self.precision.solve(x, &mut self.direction);
        self.widths.add(&mut self.precision, 1.0, x, &self.direction, square);
    }

    pub(in crate::policy) fn check(&self, dimension: usize) -> Result<()> {
        check_number("bound", self.bound, self.bound >= 0.0, "zero or positive")?;
        self.precision.check(dimension)?;
        self.widths.check(dimension)
    }
}
