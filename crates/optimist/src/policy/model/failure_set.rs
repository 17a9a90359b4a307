//! A set from the few rounds in which a one-pass learner dared no step.

use serde::{Deserialize, Serialize};

use crate::belief::Belief;
use crate::error::Result;
use crate::numerics::StoredEllipsoid;
use crate::problem::Problem;
use crate::set::EnclosingEllipsoid;

/// Those rounds with the mixture set, and the ellipsoid around it.
///
/// Whether a round enters is decided before its reward is seen, so that the mixture set over those rounds alone holds as it
/// would over all.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::policy) struct FailureSet {
    belief: Belief,
    ellipsoid: Option<StoredEllipsoid>,
}

impl FailureSet {
    pub(in crate::policy) fn new(options: &Problem) -> Result<Self> {
        let belief = Belief::new(options.dimension, options.norm_bound, options.delta)?;
        Ok(Self { belief, ellipsoid: None })
    }

    pub(in crate::policy) fn dimension(&self) -> usize {
        self.belief.dimension()
    }

    pub(in crate::policy) fn learn(&mut self, x: &[f64], reward: f64) {
        self.belief.record(x, reward, 1);
        let guarantee = self.belief.guarantee();
        // Without one (a matrix singular to working precision) the last is kept: the sets hold at all times together.
        if let Ok(found) = EnclosingEllipsoid::around(&self.belief.set(), &guarantee) {
            self.ellipsoid = Some(found.into_stored());
        }
    }

    /// Bounds on x'theta; infinite before the first failure.
    pub(in crate::policy) fn bounds(&self, x: &[f64]) -> (f64, f64) {
        self.ellipsoid.as_ref().map_or((f64::NEG_INFINITY, f64::INFINITY), |set| set.view().bounds(x))
    }

    pub(in crate::policy) fn contains(&self, theta: &[f64]) -> bool {
        self.ellipsoid.as_ref().is_none_or(|set| set.view().contains(theta))
    }

    pub(in crate::policy) fn check(&self, dimension: usize) -> Result<()> {
        self.ellipsoid.as_ref().map_or(Ok(()), |set| set.check("failures", dimension))
    }
}
