//! The radius of OFULog+: regret of an online learner turned into a confidence set.
//!
//! **Idea.** An online learner that predicts the rewards with little regret is a sequence of predictable likelihoods; the
//! martingale of their ratio to the true likelihood, with the regret bound in place of the learner, yields a level set
//! around the maximum-likelihood estimate in the ball. No learner has to be run.
//!
//! **Level.** After n observations, with theta_hat the minimiser of L over ||theta|| <= S,
//!
//! ```text
//! c_t = L(theta_hat) + 10 d log(S n/(2d) + e) + 2 ((e - 2) + S) log(1/delta)
//! ```
//!
//! Two variants have been published: S n/(4d) in the text of the paper, S n/(2d) in the code of its authors. This is the
//! larger.
//!
//! **Guarantee.** The true parameter is in the set at all times with probability 1 - delta, because for arms in the unit
//! ball this level is never below that of [`Ofuglb`](super::Ofuglb), whose proof is simpler: with a = S n/d,
//! 10 log(a/2 + e) is at least a for a <= 1 and at least 1 + log a beyond, and 2(e - 2 + S) >= 1. So it also covers rewards
//! between 0 and 1, and does not depend on which variant of the constant is right.

use serde::{Deserialize, Serialize};

use super::bernstein::{ASSUMPTIONS, Bounded};
use super::{Guarantee, SetOptions, Strategy};
use crate::error::Result;
use crate::fit::{Estimator, Penalty};
use crate::history::History;

/// The radius of Lee, Yun and Jun 2024 (AISTATS).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "SetOptions", into = "SetOptions")]
pub struct OfulogPlus {
    bounded: Bounded,
}

impl OfulogPlus {
    /// The radius for the given options.
    ///
    /// # Errors
    /// If an option is out of range or there is no norm bound.
    pub fn new(options: &SetOptions) -> Result<Self> {
        Ok(Self { bounded: Bounded::new(options, "radius \"ofulog-plus\"")? })
    }
}

serialise_as_options!(OfulogPlus, bounded.options);

impl Strategy for OfulogPlus {
    fn dimension(&self) -> usize {
        self.bounded.options.dimension
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee {
            name: "ofulog-plus",
            delta: Some(self.bounded.options.delta),
            norm_bound: Some(self.bounded.norm_bound),
            assumptions: ASSUMPTIONS,
            citation: "Lee, Yun and Jun, Improved regret bounds of (multinomial) logistic bandits via \
                       regret-to-confidence-set conversion, AISTATS 2024, the larger of the two published constants",
        }
    }

    fn feature_bound(&self) -> f64 {
        1.0
    }

    fn penalty(&self, _observations: f64) -> Penalty {
        Penalty::ball(self.bounded.norm_bound)
    }

    fn ridge(&self, _observations: f64) -> f64 {
        0.0
    }

    fn level(&mut self, history: &History, estimate: &mut Estimator) -> f64 {
        use std::f64::consts::E;
        let Bounded { d, norm_bound, confidence, .. } = self.bounded;
        let growth = (norm_bound * history.observations() / (2.0 * d) + E).ln();
        estimate.evaluation().loss + 10.0 * d * growth + 2.0 * (E - 2.0 + norm_bound) * confidence
    }
}
