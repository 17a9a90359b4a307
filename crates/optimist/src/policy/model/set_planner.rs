//! Exact planning over the set of a belief, for lists and for the ball.

use serde::{Deserialize, Serialize};

use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Error, Result};
use crate::plan::{BallPlanner, BallStatus, Planner, SupportStatus};
use crate::policy::rule::{Direction, EMPTY, Pick};

/// Relative accuracy of planning over lists, of intervals and of comparisons.
pub(super) const TOLERANCE: f64 = 1e-9;
/// Relative accuracy of planning over the ball, where a certificate costs tens of solves.
const BALL_TOLERANCE: f64 = 1e-6;

/// Exact planning over a belief's set, for lists and for the ball.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "RawSetPlanner")]
pub(in crate::policy) struct SetPlanner {
    planner: Planner,
    #[serde(skip_serializing)]
    ball: BallPlanner,
    /// Support problems solved so far.
    solves: u64,
}

/// The serialised form: the list's planner, whose certificates are worth keeping, and the count.
#[derive(Deserialize)]
struct RawSetPlanner {
    planner: Planner,
    solves: u64,
}

impl SetPlanner {
    pub(in crate::policy) fn new(dimension: usize) -> Result<Self> {
        Ok(RawSetPlanner { planner: Planner::empty(dimension, TOLERANCE)?, solves: 0 }.into())
    }

    /// Goes on with rows of more features: bounds of arms of a list that is gone are worth nothing.
    pub(in crate::policy) fn grow(&mut self, dimension: usize) -> Result<()> {
        *self = Self { solves: self.solves, ..Self::new(dimension)? };
        Ok(())
    }

    /// Support problems solved by all picks so far.
    pub(in crate::policy) fn solves(&self) -> u64 {
        self.solves
    }

    /// Tells a restored planner that its certificates are about `belief`, which was restored with it.
    pub(in crate::policy) fn adopt(&mut self, belief: &Belief) {
        self.planner.adopt(belief.data());
    }

    /// The best arm of a list, with the certified upper bound of its log-odds.
    pub(in crate::policy) fn pick(&mut self, belief: &mut Belief, arms: &FiniteArms) -> Result<Pick> {
        let plan = self.planner.choose(&belief.set(), arms)?;
        self.solves = self.solves.saturating_add(plan.solves.into());
        let empty = plan.support.status == SupportStatus::Empty;
        Ok(Pick { arm: plan.arm, bounds: upper_bound(plan.support.upper_bound, empty) })
    }

    /// An upper bound on the log-odds of every arm of the list that was planned last, given what was picked: others may
    /// exceed the best by what is left of the tolerance, or by more if a solve stayed open.
    pub(in crate::policy) fn ceiling(&self, best: &Pick) -> f64 {
        best.bounds.1.unwrap_or(f64::INFINITY).max(self.planner.runner_up(best.arm))
    }

    /// The parameter for which the arm of the last list that was planned is best.
    pub(in crate::policy) fn maximiser(&self) -> &[f64] {
        self.planner.maximiser()
    }

    /// The best direction of the ball.
    pub(in crate::policy) fn pick_direction(&mut self, belief: &mut Belief) -> Result<Direction> {
        let plan = self.ball.choose(&belief.set(), BALL_TOLERANCE)?;
        self.solves = self.solves.saturating_add(plan.solves as u64);
        let empty = plan.status == BallStatus::Empty;
        Ok(Direction { features: plan.arm, bounds: upper_bound(plan.upper_bound, empty) })
    }

    pub(in crate::policy) fn check(&self, expected: usize) -> Result<()> {
        check_dimension("planner", self.planner.dimension(), expected)
    }
}

impl From<RawSetPlanner> for SetPlanner {
    fn from(raw: RawSetPlanner) -> Self {
        let RawSetPlanner { planner, solves } = raw;
        Self { ball: BallPlanner::new(planner.dimension()), planner, solves }
    }
}

/// What is known of an arm that was planned.
pub(in crate::policy) fn upper_bound(upper: f64, empty: bool) -> (Option<f64>, Option<f64>) {
    if empty { (Some(EMPTY.0), Some(EMPTY.1)) } else { (None, Some(upper)) }
}

/// The error of a part whose dimension is not that of the policy.
pub(in crate::policy) fn check_dimension(field: &str, got: usize, expected: usize) -> Result<()> {
    if got == expected { Ok(()) } else { Err(Error::Dimension { field: field.to_owned(), expected, got }) }
}
