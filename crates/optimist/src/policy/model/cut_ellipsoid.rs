//! The sets of one-pass learners: an ellipsoid, cut to the ball of the norm bound.

use super::widths::Best;
use crate::numerics::{Ellipsoid, norm};
use crate::policy::rule::{Direction, EMPTY, Pick};

/// An ellipsoid cut to the ball ||theta|| <= norm_bound.
#[derive(Clone, Copy)]
pub(in crate::policy) struct CutEllipsoid<'a> {
    pub(in crate::policy) ellipsoid: Ellipsoid<'a>,
    /// Square of the radius: negative if the set is empty, which happens only where the promise has failed.
    pub(in crate::policy) squared_radius: f64,
    pub(in crate::policy) norm_bound: f64,
}

impl CutEllipsoid<'_> {
    /// Bounds on x'theta: those of the ellipsoid and those of the ball, whichever are closer. The wrong way round if the two
    /// have nothing in common.
    pub(in crate::policy) fn bounds(&self, x: &[f64]) -> (f64, f64) {
        self.cut(self.ellipsoid.bounds(x), x)
    }

    fn cut(&self, bounds: (f64, f64), x: &[f64]) -> (f64, f64) {
        let reach = self.norm_bound * norm(x);
        if self.squared_radius < 0.0 { EMPTY } else { (bounds.0.max(-reach), bounds.1.min(reach)) }
    }

    pub(in crate::policy) fn contains(&self, theta: &[f64]) -> bool {
        let inside = self.ellipsoid.squared_distance(theta) <= self.squared_radius;
        inside && norm(theta) <= self.norm_bound
    }

    /// The best arm with its bounds.
    pub(in crate::policy) fn pick(&self, best: Best, x: &[f64]) -> Pick {
        let (low, high) = self.cut((best.mean - best.width, best.mean + best.width), x);
        Pick { arm: best.arm, bounds: (Some(low), Some(high)) }
    }

    /// The best direction with its bounds.
    pub(in crate::policy) fn direction(&self) -> Direction {
        let Direction { features, .. } = Direction::along(&self.ellipsoid.farthest());
        let (low, high) = self.bounds(&features);
        Direction { features, bounds: (Some(low), Some(high)) }
    }
}
