//! The radius of OFULog-r exactly as it is printed, for comparison.
//!
//! **Idea.** Level set of the ridge-penalised loss that contains the paper's set { ||grad L_lambda|| <= gamma } in the
//! metric of the inverse Hessian.
//!
//! **Level.** In round t = n + 1, with lambda_t = d log max(t, 2) (the printed d log t is zero in the first round),
//!
//! ```text
//! gamma_t = sqrt(lambda_t)(S + 1/2) + (d/sqrt(lambda_t)) log((4/delta)(1 + t/(16 d lambda_t)))
//! beta_t  = gamma_t + gamma_t^2/sqrt(lambda_t)
//! c_t     = min L_lambda + beta_t^2
//! ```
//!
//! **Guarantee: none.** The printed gamma_t is not the one that the paper's theorem implies. A variance is at most 1/4,
//! so the 16 should be a 4; (2/sqrt(lambda)) log(1/delta) has become (d/sqrt(lambda)) log(1/delta), which is less for
//! d = 1; and the mixing density of the proof may not vary with lambda_t. For d <= 3 there are instances where gamma_t is
//! below the theorem's radius. [`Corrected`](super::Corrected) repairs all three. In practice the set is so large that
//! it misses nothing: it is the whole ball for thousands of rounds.
//!
//! **In the paper** (Abeille, Faury and Calauzenes 2021): gamma_t is the printed one of Section 3.1 and Proposition 1, beta_t
//! and the set E_t(delta) are those of Section 6, and Lemma 1 says that E_t contains C_t.

use serde::{Deserialize, Serialize};

use super::bernstein::{Bounded, ridge_loss, squared_beta};
use super::guarantee::{Guarantee, Theorem};
use super::{RadiusInfo, RadiusMaker, RegisteredStrategy, Strategy};
use crate::error::Result;
use crate::fit::{Estimator, Penalty};
use crate::history::History;
use crate::numerics::Elementary;
use crate::problem::Problem;

/// The radius as printed in Abeille, Faury and Calauzenes 2021.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Problem", into = "Problem")]
pub struct Paper {
    bounded: Bounded,
}

impl Paper {
    /// The radius for the given options.
    ///
    /// # Errors
    /// If an option is out of range or there is no norm bound.
    pub fn new(options: &Problem) -> Result<Self> {
        Ok(Self { bounded: Bounded::new(options, "radius \"paper\"")? })
    }

    /// gamma_t after n = `observations`.
    pub(super) fn gamma(&self, observations: f64) -> f64 {
        let Bounded { d, norm_bound, confidence, .. } = self.bounded;
        let (t, ridge) = (observations + 1.0, self.ridge(observations));
        let log = confidence + (4.0 * (1.0 + t / (16.0 * d * ridge))).logarithm();
        ridge.sqrt() * (norm_bound + 0.5) + d / ridge.sqrt() * log
    }
}

serialise_as_options!(Paper, bounded.options);

/// What is said of it: nothing is promised.
static NOTHING: Theorem = Theorem {
    assumptions: &["none: the printed constants are smaller than what the paper's theorem proves"],
    order_free: true,
    citation: "Abeille, Faury and Calauzenes, Instance-wise minimax-optimal algorithms for logistic bandits, AISTATS 2021, \
               constants as printed",
};

impl RegisteredStrategy for Paper {
    const INFO: &'static RadiusInfo = &RadiusInfo {
        name: "paper",
        summary: "the same exactly as printed, for comparison: no promise, vacuous for thousands of rounds",
        guaranteed: false,
        needs_norm_bound: true,
        unit_arms: true,
        needs_order: false,
        theorem: &NOTHING,
        maker: RadiusMaker::of::<Self>(),
    };

    fn build(problem: &Problem) -> Result<Self> {
        Self::new(problem)
    }
}

impl Strategy for Paper {
    fn dimension(&self) -> usize {
        self.bounded.options.dimension
    }

    fn guarantee(&self) -> Guarantee {
        let norm_bound = Some(self.bounded.norm_bound);
        Guarantee { name: Self::INFO.name, delta: None, norm_bound, theorem: &NOTHING }
    }

    fn feature_bound(&self) -> f64 {
        1.0
    }

    fn penalty(&self, observations: f64) -> Penalty {
        Penalty::ridge(self.ridge(observations))
    }

    fn ridge(&self, observations: f64) -> f64 {
        self.bounded.d * (observations + 1.0).max(2.0).logarithm()
    }

    fn level(&mut self, history: &History, estimate: &mut Estimator) -> f64 {
        let n = history.observations();
        let ridge = self.ridge(n);
        ridge_loss(estimate, ridge) + squared_beta(self.gamma(n), ridge)
    }
}
