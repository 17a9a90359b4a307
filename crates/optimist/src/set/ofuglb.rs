//! The radius of OFUGLB: a mixture that is uniform on the ball, bounded near the estimate.
//!
//! **Idea.** Under the uniform distribution on the ball Theta = { ||theta|| <= S }, the mixture of exp(L_t(theta*) -
//! L_t(theta)) is a non-negative martingale of mean one, so with probability 1 - delta it never exceeds 1/delta (Ville).
//! For theta_hat in Theta and 0 < c <= 1 the shrunken ball (1 - c) theta_hat + c Theta lies in Theta and has the share
//! c^d of its volume; there L <= L(theta_hat) + c (max L - L(theta_hat)) by convexity. And over Theta the loss of one
//! observation varies by at most S||x||: that is exactly softplus(z) - softplus(-z) for z = S||x||, and a reward between
//! 0 and 1 averages two such terms.
//!
//! **Level.** With theta_hat the minimiser of L over the ball and A = S sum_s ||x_s||,
//!
//! ```text
//! c_t = L(theta_hat) + log(1/delta) + inf over 0 < c <= 1 of (d log(1/c) + A c)
//!     = L(theta_hat) + log(1/delta) + (A if A <= d, else d log(e A/d))
//! ```
//!
//! The paper has 2 S Lip in place of A, with Lip a bound on the gradient over the ball. Even the best such bound,
//! Lip = sum_s ||x_s|| mu(S||x_s||), makes that up to twice A: convexity saves up to d log 2. [`Ofuglb::published`] has
//! the paper's own Lip = (1 + S/2) n, for arms in the unit ball, where it makes a larger level than A does.
//!
//! **Guarantee.** The true parameter is in the set at all times with probability 1 - delta, for arms of any norm. Any
//! point of the ball may stand for theta_hat, so an inexact estimate costs width, never validity.

use serde::{Deserialize, Serialize};

use super::bernstein::Bounded;
use super::guarantee::{Guarantee, MEAN_IN_SOME_ORDER, NORM, ONCE, Theorem, UNIT_ARMS_ANY_ORDER};
use super::{RadiusInfo, RadiusMaker, RegisteredStrategy, Strategy};
use crate::error::{Error, Result, check_number};
use crate::fit::{Estimator, Penalty};
use crate::history::History;
use crate::numerics::{Elementary, norm};
use crate::problem::Problem;

/// The radius of Lee, Yun and Jun 2024 (NeurIPS), sharpened.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "State", into = "State")]
pub struct Ofuglb {
    bounded: Bounded,
    /// sum_s ||x_s||.
    total_norm: f64,
    /// Whether the level is the paper's.
    published: bool,
}

/// The serialised form.
#[derive(Serialize, Deserialize)]
struct State {
    options: Problem,
    total_norm: f64,
    published: bool,
}

impl Ofuglb {
    /// The radius for the given options.
    ///
    /// # Errors
    /// If an option is out of range or there is no norm bound.
    pub fn new(options: &Problem) -> Result<Self> {
        Ok(Self { bounded: Bounded::new(options, "radius \"ofuglb\"")?, total_norm: 0.0, published: false })
    }

    /// The radius with the paper's constants, A = 2 S (1 + S/2) n.
    ///
    /// # Errors
    /// As [`Ofuglb::new`].
    pub fn published(options: &Problem) -> Result<Self> {
        Ok(Self { published: true, ..Self::new(options)? })
    }

    /// A, a bound on how much the loss varies over the ball after n = `observations`.
    fn variation(&self, observations: f64) -> f64 {
        let s = self.bounded.norm_bound;
        if self.published { 2.0 * s * (1.0 + 0.5 * s) * observations } else { s * self.total_norm }
    }
}

impl TryFrom<State> for Ofuglb {
    type Error = Error;

    fn try_from(state: State) -> Result<Self> {
        check_number("total_norm", state.total_norm, state.total_norm >= 0.0, "zero or positive")?;
        Ok(Self { total_norm: state.total_norm, published: state.published, ..Self::new(&state.options)? })
    }
}

impl From<Ofuglb> for State {
    fn from(radius: Ofuglb) -> Self {
        Self { options: radius.bounded.options, total_norm: radius.total_norm, published: radius.published }
    }
}

/// The least of d log(1/c) + slope c over 0 < c <= 1.
fn least_cost(d: f64, slope: f64) -> f64 {
    if slope <= d { slope } else { d * (1.0 + (slope / d).logarithm()) }
}

/// What the sharpened radius assumes: nothing of the arms' norms.
/// What is proved of it with the published constants.
static PUBLISHED: Theorem = Theorem {
    assumptions: UNIT_ARMS_ANY_ORDER,
    order_free: true,
    citation: "Lee, Yun and Jun, A unified confidence sequence for generalized linear models, with applications to bandits, NeurIPS \
               2024",
};

/// What is proved of it, for arms of any length.
static THEOREM: Theorem = Theorem {
    assumptions: &[MEAN_IN_SOME_ORDER, ONCE, NORM],
    order_free: true,
    citation: "Lee, Yun and Jun, A unified confidence sequence for generalized linear models, with applications to bandits, NeurIPS \
               2024, with the range of the loss over the ball in place of its Lipschitz constant",
};

impl RegisteredStrategy for Ofuglb {
    const INFO: &'static RadiusInfo = &RadiusInfo {
        name: "ofuglb",
        summary: "uniform mixture on the ball (Lee, Yun, Jun, NeurIPS 2024); about twice the default's level",
        guaranteed: true,
        needs_norm_bound: true,
        unit_arms: false,
        needs_order: false,
        theorem: &THEOREM,
        maker: RadiusMaker::of::<Self>(),
    };

    fn build(problem: &Problem) -> Result<Self> {
        Self::new(problem)
    }
}

impl Strategy for Ofuglb {
    fn dimension(&self) -> usize {
        self.bounded.options.dimension
    }

    fn guarantee(&self) -> Guarantee {
        let (name, theorem) = if self.published { ("ofuglb-published", &PUBLISHED) } else { ("ofuglb", &THEOREM) };
        let (delta, norm_bound) = (Some(self.bounded.options.delta), Some(self.bounded.norm_bound));
        Guarantee { name, delta, norm_bound, theorem }
    }

    fn feature_bound(&self) -> f64 {
        if self.published { 1.0 } else { f64::INFINITY }
    }

    fn penalty(&self, _observations: f64) -> Penalty {
        Penalty::ball(self.bounded.norm_bound)
    }

    fn ridge(&self, _observations: f64) -> f64 {
        0.0
    }

    fn observe(&mut self, x: &[f64], _reward: f64, count: u64) {
        self.total_norm += count as f64 * norm(x);
    }

    fn level(&mut self, history: &History, estimate: &mut Estimator) -> f64 {
        let Bounded { d, confidence, .. } = self.bounded;
        estimate.evaluation().loss + confidence + least_cost(d, self.variation(history.observations()))
    }
}
