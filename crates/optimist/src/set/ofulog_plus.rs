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
//! Two variants have been published: S n/(4d) in the text of the paper ([`OfulogPlus::printed`]), S n/(2d) in the code of
//! its authors. The default is the larger.
//!
//! **Guarantee.** The true parameter is in the set at all times with probability 1 - delta, because for arms in the unit
//! ball this level is never below that of [`Ofuglb`](super::Ofuglb), whose proof is simpler: with a = S n/d,
//! 10 log(a/4 + e) is at least 10 for a <= 1, and beyond it exceeds 1 + log a by 9.8 at least (at a = 4e/9 the two grow
//! equally fast); and 2(e - 2 + S) >= 1. So both variants hold, for rewards between 0 and 1 as well.

use serde::{Deserialize, Serialize};

use super::bernstein::Bounded;
use super::guarantee::{Guarantee, Theorem, UNIT_ARMS_ANY_ORDER};
use super::{RadiusInfo, RadiusMaker, RegisteredStrategy, Strategy};
use crate::error::{Error, Result};
use crate::fit::{Estimator, Penalty};
use crate::history::History;
use crate::numerics::Elementary;
use crate::problem::Problem;

/// The radius of Lee, Yun and Jun 2024 (AISTATS).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct OfulogPlus {
    bounded: Bounded,
    /// Whether n S/d is divided by 4, as in the text, and not by 2.
    printed: bool,
}

/// The serialised form.
#[derive(Serialize, Deserialize)]
struct State {
    options: Problem,
    printed: bool,
}

impl OfulogPlus {
    /// The radius for the given options.
    ///
    /// # Errors
    /// If an option is out of range or there is no norm bound.
    pub fn new(options: &Problem) -> Result<Self> {
        Ok(Self { bounded: Bounded::new(options, "radius \"ofulog-plus\"")?, printed: false })
    }

    /// The radius with the constant of the paper's text.
    ///
    /// # Errors
    /// As [`OfulogPlus::new`].
    pub fn printed(options: &Problem) -> Result<Self> {
        Ok(Self { printed: true, ..Self::new(options)? })
    }
}

impl TryFrom<State> for OfulogPlus {
    type Error = Error;

    fn try_from(state: State) -> Result<Self> {
        Ok(Self { printed: state.printed, ..Self::new(&state.options)? })
    }
}

impl From<OfulogPlus> for State {
    fn from(radius: OfulogPlus) -> Self {
        Self { options: radius.bounded.options, printed: radius.printed }
    }
}

/// What is proved of it with the constants as printed.
static PRINTED: Theorem = Theorem {
    assumptions: UNIT_ARMS_ANY_ORDER,
    order_free: true,
    citation: "Lee, Yun and Jun, Improved regret bounds of (multinomial) logistic bandits via regret-to-confidence-set conversion, \
               AISTATS 2024",
};

/// What is proved of it.
static THEOREM: Theorem = Theorem {
    assumptions: UNIT_ARMS_ANY_ORDER,
    order_free: true,
    citation: "Lee, Yun and Jun, Improved regret bounds of (multinomial) logistic bandits via regret-to-confidence-set conversion, \
               AISTATS 2024, the larger of the two published constants",
};

impl RegisteredStrategy for OfulogPlus {
    const INFO: &'static RadiusInfo = &RadiusInfo {
        name: "ofulog-plus",
        summary: "regret of an online learner turned into a set (Lee, Yun, Jun, AISTATS 2024)",
        guaranteed: true,
        needs_norm_bound: true,
        unit_arms: true,
        needs_order: false,
        theorem: &THEOREM,
        maker: RadiusMaker::of::<Self>(),
    };

    fn build(problem: &Problem) -> Result<Self> {
        Self::new(problem)
    }
}

impl Strategy for OfulogPlus {
    fn dimension(&self) -> usize {
        self.bounded.options.dimension
    }

    fn guarantee(&self) -> Guarantee {
        let (name, theorem) = if self.printed { ("ofulog-plus-printed", &PRINTED) } else { ("ofulog-plus", &THEOREM) };
        let (delta, norm_bound) = (Some(self.bounded.options.delta), Some(self.bounded.norm_bound));
        Guarantee { name, delta, norm_bound, theorem }
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
        let divisor = if self.printed { 4.0 } else { 2.0 };
        let growth = (norm_bound * history.observations() / (divisor * d) + E).logarithm();
        estimate.evaluation().loss + 10.0 * d * growth + 2.0 * (E - 2.0 + norm_bound) * confidence
    }
}
