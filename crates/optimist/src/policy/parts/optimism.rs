//! Optimism over a level set: belief, exact planner, planner for the ball.
//!
//! Half of all policies are this with another radius.

use serde::{Deserialize, Serialize};

use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Error, Result};
use crate::plan::{Answers, BallPlanner, Planner};
use crate::policy::rule::{Direction, Pick};
use crate::set::Radius;

/// Relative accuracy of planning over lists.
const TOLERANCE: f64 = 1e-9;
/// Relative accuracy of planning over the ball, where a certificate costs tens of solves.
const BALL_TOLERANCE: f64 = 1e-6;

/// The arm that is best for the most favourable parameter of a level set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub(in crate::policy) struct Optimism {
    belief: Belief,
    planner: Planner,
    ball: BallPlanner,
    answers: Answers,
}

impl Optimism {
    pub(in crate::policy) fn new(radius: Radius) -> Result<Self> {
        let belief = Belief::with_radius(radius)?;
        let planner = Planner::empty(belief.dimension(), TOLERANCE)?;
        Self::assemble(belief, planner)
    }

    fn assemble(belief: Belief, mut planner: Planner) -> Result<Self> {
        let d = belief.dimension();
        planner.adopt(belief.data());
        Ok(Self { planner, ball: BallPlanner::new(d), answers: Answers::new(d, TOLERANCE)?, belief })
    }

    /// The observations and the set.
    pub(in crate::policy) fn belief(&self) -> &Belief {
        &self.belief
    }

    pub(in crate::policy) fn belief_mut(&mut self) -> &mut Belief {
        &mut self.belief
    }

    /// The best arm of a list, with the certified upper bound of its log-odds.
    pub(in crate::policy) fn pick(&mut self, arms: &FiniteArms) -> Result<Pick> {
        let plan = self.planner.choose(&self.belief.set(), arms)?;
        Ok(Pick { arm: plan.arm, bounds: (None, Some(plan.support.upper_bound)) })
    }

    /// The best direction of the ball.
    pub(in crate::policy) fn pick_direction(&mut self) -> Result<Direction> {
        let plan = self.ball.choose(&self.belief.set(), BALL_TOLERANCE)?;
        Ok(Direction { features: plan.arm, bounds: (None, Some(plan.upper_bound)) })
    }

    pub(in crate::policy) fn learn(&mut self, x: &[f64], reward: f64) -> Result<()> {
        self.belief.observe(x, reward)
    }

    /// Bounds on x'theta over the set.
    pub(in crate::policy) fn bounds(&mut self, x: &[f64]) -> Result<(f64, f64)> {
        let interval = self.answers.interval(&self.belief.set(), x)?;
        Ok((interval.log_odds_lower, interval.log_odds_upper))
    }

    pub(in crate::policy) fn check(&self, expected: usize) -> Result<()> {
        let got = self.belief.dimension();
        if got == expected { Ok(()) } else { Err(Error::Dimension { field: "belief".into(), expected, got }) }
    }
}

/// The serialised form. A restored planner's certificates are about the restored data.
#[derive(Serialize, Deserialize)]
struct Raw {
    belief: Belief,
    planner: Planner,
}

impl TryFrom<Raw> for Optimism {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        if raw.planner.dimension() != raw.belief.dimension() {
            let (expected, got) = (raw.belief.dimension(), raw.planner.dimension());
            return Err(Error::Dimension { field: "planner".into(), expected, got });
        }
        Self::assemble(raw.belief, raw.planner)
    }
}

impl From<Optimism> for Raw {
    fn from(optimism: Optimism) -> Self {
        Self { belief: optimism.belief, planner: optimism.planner }
    }
}
