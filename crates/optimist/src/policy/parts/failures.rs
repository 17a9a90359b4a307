//! A set from the few rounds in which a one-pass learner dared no step.

use serde::{Deserialize, Serialize};

use crate::belief::Belief;
use crate::error::{Result, check_number, check_vector};
use crate::linalg::{dot, square_form};
use crate::problem::Problem;
use crate::set::Ellipsoid;

/// Those rounds with the mixture set, and the ellipsoid around it.
///
/// Whether a round enters is decided before its reward is seen, so that the mixture set over those rounds alone holds as it
/// would over all.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::policy) struct FailureSet {
    belief: Belief,
    ellipsoid: Option<Stored>,
}

/// { ||theta - centre||_M <= radius }. Stored rather than derived: a restored learner goes on to the last digit.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Stored {
    centre: Vec<f64>,
    matrix: Vec<f64>,
    inverse: Vec<f64>,
    radius: f64,
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
        if let Ok(found) = Ellipsoid::enclosing(&self.belief.set(), &guarantee) {
            self.ellipsoid = Some(Stored {
                centre: found.centre().to_vec(),
                matrix: found.matrix().to_vec(),
                inverse: found.inverse().to_vec(),
                radius: found.radius(),
            });
        }
    }

    /// Bounds on x'theta; infinite before the first failure.
    pub(in crate::policy) fn bounds(&self, x: &[f64]) -> (f64, f64) {
        self.ellipsoid.as_ref().map_or((f64::NEG_INFINITY, f64::INFINITY), |set| {
            let width = set.radius * square_form(&set.inverse, x).max(0.0).sqrt();
            let mean = dot(x, &set.centre);
            (mean - width, mean + width)
        })
    }

    pub(in crate::policy) fn contains(&self, theta: &[f64]) -> bool {
        self.ellipsoid.as_ref().is_none_or(|set| {
            let offset: Vec<f64> = theta.iter().zip(&set.centre).map(|(t, c)| t - c).collect();
            square_form(&set.matrix, &offset) <= set.radius * set.radius
        })
    }

    pub(in crate::policy) fn check(&self, dimension: usize) -> Result<()> {
        let Some(set) = &self.ellipsoid else { return Ok(()) };
        check_vector("failures.centre", &set.centre, dimension)?;
        check_vector("failures.matrix", &set.matrix, dimension * dimension)?;
        check_vector("failures.inverse", &set.inverse, dimension * dimension)?;
        check_number("failures.radius", set.radius, set.radius >= 0.0, "zero or positive")
    }
}
