//! `two-scales`: a bet on a long parameter and a bet on a short one, in equal parts.
//!
//! **Idea.** The radius `mixture` bets that the true parameter is about as long as the norm bound S, by the prior
//! N(0, I S^2/d). If S was declared with caution, that bet is poor. This radius puts half of its money on S and half on
//! S/4.
//!
//! **Level.** For either prior i, the likelihood ratio M_i(t) = int exp(L_t(theta*) - L_t(theta)) dN_i(theta) is a
//! non-negative supermartingale that starts at one, whatever rule chooses the arms (see
//! [`Mixture`]). So is their mean (M_1 + M_2)/2, and by Ville's inequality it exceeds 1/delta at some time with
//! probability at most delta. Hence with probability 1 - delta, for all t,
//!
//! ```text
//! L_t(theta*) <= log(1/delta) - log((I_1 + I_2)/2),   I_i = int exp(-L_t) dN_i
//! ```
//!
//! The level c_i of `mixture` with prior i is at least log(1/delta) - log I_i, that is, I_i >= exp(-c_i)/delta. Therefore
//!
//! ```text
//! c_t = -log((exp(-c_1) + exp(-c_2))/2)
//! ```
//!
//! is a valid level. It is at most log 2 above the smaller of the two.

use optimist::set::{Guarantee, Mixture, RadiusInfo, RadiusMaker, RegisteredStrategy, Strategy};
use optimist::{Error, Estimator, History, Penalty, Problem, Result};
use serde::{Deserialize, Serialize};

/// The line of the registry.
pub static INFO: RadiusInfo = RadiusInfo {
    name: "two-scales",
    summary: "mixture with half of its money on a parameter a quarter as long as the norm bound",
    guaranteed: true,
    needs_norm_bound: true,
    unit_arms: false,
    needs_order: false,
    // Theta* is where the same theorem puts it, by the mean of two of its bets.
    theorem: Mixture::INFO.theorem,
    maker: RadiusMaker::of::<TwoScales>(),
};

/// The radius. It is a function of the problem alone, so that is what is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Problem", into = "Problem")]
pub struct TwoScales {
    problem: Problem,
    long: Mixture,
    short: Mixture,
}

impl TryFrom<Problem> for TwoScales {
    type Error = Error;

    fn try_from(problem: Problem) -> Result<Self> {
        problem.validate()?;
        let bound = problem.require_norm_bound("radius \"two-scales\"")?;
        let short = Mixture::new(&Problem { norm_bound: Some(bound / 4.0), ..problem })?;
        Ok(Self { problem, long: Mixture::new(&problem)?, short })
    }
}

impl From<TwoScales> for Problem {
    fn from(radius: TwoScales) -> Self {
        radius.problem
    }
}

impl RegisteredStrategy for TwoScales {
    const INFO: &'static RadiusInfo = &INFO;

    fn build(problem: &Problem) -> Result<Self> {
        Self::try_from(*problem)
    }
}

impl Strategy for TwoScales {
    fn dimension(&self) -> usize {
        self.problem.dimension
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee { name: INFO.name, ..self.long.guarantee() }
    }

    fn penalty(&self, observations: f64) -> Penalty {
        // Any estimate gives valid levels; this one lies in the ball.
        self.long.penalty(observations)
    }

    fn ridge(&self, _observations: f64) -> f64 {
        0.0
    }

    fn level(&mut self, history: &History, estimate: &mut Estimator) -> f64 {
        let (a, b) = (self.long.level(history, estimate), self.short.level(history, estimate));
        // The smaller level is taken out, so that nothing underflows.
        a.min(b) - (0.5 * (1.0 + (-(a - b).abs()).exp())).ln()
    }
}
