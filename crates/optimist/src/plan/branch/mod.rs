//! Exact optimism over the set of small Newton decrements (OFULog of Abeille, Faury, Calauzenes 2021).
//!
//! The set is not convex. A level set of the loss contains it, and its support function is the first upper bound; a
//! local climb from the maximiser there gives a point of the set. In up to four dimensions branch and bound over boxes
//! ([`search`]) closes what gap is left and proves that nothing better exists; in more the climb's end
//! is reported for what it is.

use serde::{Deserialize, Serialize};

mod ascent;
mod cut_box;
mod frame;
mod search;

use self::ascent::Ascent;
use self::cut_box::MAX;
use self::frame::Frame;
use self::search::{Search, SearchInput};
use super::support::{SupportSolver, Target};
use crate::arms::FiniteArms;
use crate::error::{Error, Result, check_vector};
use crate::fit::{Estimator, Penalty};
use crate::numerics::{Elementary, bring_back, norm, raise};
use crate::set::{DecrementSet, LevelSet};

/// What is known about the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BranchStatus {
    /// Value and upper bound agree to the tolerance.
    Certified,
    /// More than four dimensions: the value is that of a local maximiser, the upper bound that of a larger convex set.
    LocalOptimum,
    /// The limit on boxes was reached before the gap was closed: value and upper bound are valid.
    NodeLimit,
    /// The set is empty: value and bound are those of the point of the ball with the least penalised loss.
    Empty,
}

/// The maximum of x'theta over a set of small Newton decrements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BranchPlan {
    /// x'theta at `theta`; minus infinity if no point of the set was found though it may have some.
    pub value: f64,
    /// No point of the set has more.
    pub upper_bound: f64,
    /// The point of the set that has `value`.
    pub theta: Vec<f64>,
    /// What is known about the maximum.
    pub status: BranchStatus,
    /// Boxes examined.
    pub nodes: usize,
}

/// The best arm of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BranchChoice {
    /// Its index.
    pub arm: usize,
    /// Its value and maximiser. The upper bound holds for all arms, the status says what is known about all of them,
    /// and the boxes are those of all arms.
    pub plan: BranchPlan,
    /// Arms for which a bound by the convex set was not enough.
    pub solved: usize,
}

/// Plans over sets of small Newton decrements, in memory of its own.
#[derive(Debug, Clone)]
pub struct BranchPlanner {
    dimension: usize,
    tolerance: f64,
    node_limit: usize,
    solver: SupportSolver,
    minimum: Estimator,
    /// Least penalised loss in the ball: the centre of the relaxation.
    centre: Estimator,
    ascent: Ascent,
    search: Search,
    /// The relaxation's level.
    level: f64,
    /// A point of the set, if one is known.
    inner: Option<Vec<f64>>,
    /// Coordinates for the boxes, and a box around the ball in them; built when they are first needed.
    root: Option<(Frame, Vec<[f64; 2]>)>,
}

/// Default gap, relative to the value.
const TOLERANCE: f64 = 1e-4;
/// Default limit on boxes.
const NODE_LIMIT: usize = 200_000;

impl BranchPlanner {
    /// A planner for `dimension` features with the default tolerance of 1e-4 and a limit of 200 000 boxes per arm.
    pub fn new(dimension: usize) -> Self {
        let planner = Self {
            dimension,
            tolerance: TOLERANCE,
            node_limit: NODE_LIMIT,
            solver: SupportSolver::new(dimension),
            minimum: Estimator::new(dimension),
            centre: Estimator::new(dimension),
            ascent: Ascent::new(dimension),
            search: Search::new(dimension),
            level: 0.0,
            inner: None,
            root: None,
        };
        planner.with_tolerance(TOLERANCE)
    }

    /// Closes gaps to `tolerance`, relative to the value or to ||x|| min(||theta||, 1), whichever is larger.
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance.max(1e-12);
        self.ascent.set_precision(self.tolerance);
        self
    }

    /// Examines at most `limit` boxes per arm.
    #[must_use]
    pub fn with_node_limit(mut self, limit: usize) -> Self {
        self.node_limit = limit;
        self
    }

    /// Starts the next search from `theta`, normally an estimate. What was planned before leaves no trace then.
    ///
    /// # Errors
    /// If `theta` has the wrong length or is not finite.
    pub fn start_from(&mut self, theta: &[f64]) -> Result<()> {
        self.minimum.start_from(theta)
    }

    /// Maximises x'theta over `set`.
    ///
    /// # Errors
    /// If `x` has the wrong length or holds a number that is not finite, or if the set has another dimension.
    pub fn maximise(&mut self, set: &DecrementSet<'_>, x: &[f64]) -> Result<BranchPlan> {
        check_vector("x", x, self.dimension)?;
        self.prepare(set)?;
        let (relaxed, start) = self.relax(set, x, f64::NEG_INFINITY);
        Ok(self.plan(set, x, relaxed, &start, f64::NEG_INFINITY))
    }

    /// The arm with the largest maximum. Arms come up in the order of their bounds, which are norm_bound ||x|| at first
    /// and those over the convex relaxation when they have come up once; what stays below the best value is not tried.
    ///
    /// # Errors
    /// If the arms or the set have another dimension than the planner.
    pub fn choose(&mut self, set: &DecrementSet<'_>, arms: &FiniteArms) -> Result<BranchChoice> {
        check_dimension("arms", arms.dimension(), self.dimension)?;
        self.prepare(set)?;
        // Maximisers over the relaxation, for the arms that have come up.
        let mut waiting: Vec<(f64, Option<Vec<f64>>)> =
            arms.iter().map(|x| (within_ball(set.norm_bound, x), None)).collect();
        let mut best: Option<BranchChoice> = None;
        let (mut upper, mut nodes, mut solved) = (f64::NEG_INFINITY, 0, 0);
        loop {
            let (arm, bound) = first_largest(&waiting);
            let x = arms.arm(arm);
            let cutoff = best.as_ref().map_or(f64::NEG_INFINITY, |b| self.threshold(&b.plan, arms.arm(b.arm)));
            if bound <= cutoff {
                // Nor can any arm after it win.
                upper = upper.max(bound);
                break;
            }
            let Some(start) = waiting[arm].1.take() else {
                let (relaxed, start) = self.relax(set, x, cutoff);
                waiting[arm] = (relaxed.min(bound), Some(start));
                continue;
            };
            let plan = self.plan(set, x, bound, &start, cutoff);
            if plan.status == BranchStatus::Empty {
                return Ok(self.greedy(arms, nodes + plan.nodes, solved + 1));
            }
            waiting[arm].0 = f64::NEG_INFINITY;
            upper = upper.max(plan.upper_bound);
            nodes += plan.nodes;
            solved += 1;
            if best.as_ref().is_none_or(|b| plan.value > b.plan.value) {
                best = Some(BranchChoice { arm, plan, solved });
            }
        }
        let best = best.expect("the first arm is always tried");
        Ok(self.conclude(best, arms, upper, nodes, solved))
    }

    /// The choice with bounds and status for the whole list.
    fn conclude(&self, best: BranchChoice, arms: &FiniteArms, upper: f64, nodes: usize, solved: usize) -> BranchChoice {
        let mut plan = BranchPlan { upper_bound: upper.max(best.plan.value), nodes, ..best.plan };
        let closed = plan.upper_bound <= self.threshold(&plan, arms.arm(best.arm));
        plan.status = match closed {
            true => BranchStatus::Certified,
            false if self.dimension > MAX => BranchStatus::LocalOptimum,
            false => BranchStatus::NodeLimit,
        };
        BranchChoice { plan, solved, ..best }
    }

    /// The best arm for the point of the ball with the least loss: what is left to do when the set is empty.
    fn greedy(&self, arms: &FiniteArms, nodes: usize, solved: usize) -> BranchChoice {
        let plans = arms.iter().map(|x| self.empty(x)).enumerate();
        let (arm, plan) = plans.max_by(|a, b| a.1.value.total_cmp(&b.1.value)).expect("a list of arms is never empty");
        BranchChoice { arm, plan: BranchPlan { nodes, ..plan }, solved }
    }

    /// Value plus allowed gap: what need not be searched for any more.
    fn threshold(&self, plan: &BranchPlan, x: &[f64]) -> f64 {
        search::threshold(plan.value, self.tolerance, norm(x) * norm(&plan.theta).min(1.0))
    }

    /// Fits the estimates and the relaxation's level to `set`.
    fn prepare(&mut self, set: &DecrementSet<'_>) -> Result<()> {
        check_dimension("set", set.history.dimension(), self.dimension)?;
        self.minimum.fit(set.history, Penalty::ridge(set.ridge))?;
        self.centre.start_from(self.minimum.theta())?;
        self.centre.fit(set.history, Penalty { ridge: set.ridge, norm_bound: set.norm_bound })?;
        let candidates = [self.minimum.theta(), self.centre.theta()];
        let level = candidates.map(|y| set.relaxation_level(y)).into_iter().fold(f64::INFINITY, f64::min);
        // The loss at either point is known to its rounding only.
        self.level = level + 1e-12 * level.abs();
        self.inner = candidates.into_iter().find(|y| set.contains(y)).map(<[f64]>::to_vec);
        self.root = None;
        Ok(())
    }

    /// Upper bound and maximiser over the relaxation; a bound below `cutoff` is as good as any.
    fn relax(&mut self, set: &DecrementSet<'_>, x: &[f64], cutoff: f64) -> (f64, Vec<f64>) {
        let relaxation = relaxation(set, self.level, &self.centre);
        let (x, power) = raise(x);
        let target = Target { tolerance: 0.1 * self.tolerance, cutoff: cutoff * power };
        let support = self.solver.maximise(&relaxation, &x, None, target);
        (bring_back(support.upper_bound, power), self.solver.maximiser().to_vec())
    }

    /// The plan for one arm, given the relaxation's bound and maximiser; what cannot exceed `cutoff` is not searched. The
    /// maximum is in proportion to the arm, so that one that is too short to be divided by is planned for at another length.
    fn plan(&mut self, set: &DecrementSet<'_>, x: &[f64], relaxed: f64, start: &[f64], cutoff: f64) -> BranchPlan {
        let (x, power) = raise(x);
        let mut plan = self.plan_raised(set, &x, relaxed * power, start, cutoff * power);
        plan.value /= power;
        plan.upper_bound = bring_back(plan.upper_bound, power);
        plan
    }

    fn plan_raised(
        &mut self,
        set: &DecrementSet<'_>,
        x: &[f64],
        relaxed: f64,
        start: &[f64],
        cutoff: f64,
    ) -> BranchPlan {
        if relaxation(set, self.level, &self.centre).is_empty() {
            return self.empty(x);
        }
        let mut plan = BranchPlan {
            value: f64::NEG_INFINITY,
            upper_bound: relaxed,
            theta: self.centre.theta().to_vec(),
            status: BranchStatus::LocalOptimum,
            nodes: 0,
        };
        // An arm that must beat another is climbed for when its bound needs more than a box.
        let waits = cutoff > f64::NEG_INFINITY && self.dimension <= MAX;
        if let Some(inner) = self.inner.as_ref().filter(|_| !waits) {
            plan.value = self.ascent.climb(set, x, inner, start);
            plan.theta.copy_from_slice(self.ascent.theta());
        }
        if relaxed <= self.threshold(&plan, x) {
            plan.upper_bound = relaxed.max(plan.value);
            plan.status = BranchStatus::Certified;
        } else if self.dimension <= MAX {
            self.branch(set, x, start, cutoff, &mut plan);
        }
        plan
    }

    fn branch(&mut self, set: &DecrementSet<'_>, x: &[f64], start: &[f64], cutoff: f64, plan: &mut BranchPlan) {
        if self.root.is_none() {
            self.root = Some(self.enclose(set));
        }
        let (frame, root) = self.root.as_ref().expect("it has just been set");
        let mut turned = x.to_vec();
        frame.turn(&mut turned);
        let problem = SearchInput {
            set,
            x,
            turned: &turned,
            frame,
            level: self.level,
            root,
            tolerance: self.tolerance,
            node_limit: self.node_limit,
            start,
            cutoff,
        };
        self.search.run(&problem, &mut self.ascent, &mut self.inner, plan);
        if plan.status == BranchStatus::Empty {
            *plan = BranchPlan { nodes: plan.nodes, ..self.empty(x) };
        }
    }

    fn empty(&self, x: &[f64]) -> BranchPlan {
        let theta = self.centre.theta().to_vec();
        let value = crate::numerics::dot(x, &theta);
        BranchPlan { value, upper_bound: value, theta, status: BranchStatus::Empty, nodes: 0 }
    }

    /// A frame and the least box around the ball in it. The search shrinks it sooner than the relaxation could be enclosed.
    fn enclose(&self, set: &DecrementSet<'_>) -> (Frame, Vec<[f64; 2]>) {
        // In directions of little curvature the ball ends the set before the decrement does: it counts like a ridge.
        // Any ridge gives coordinates; that of a tiny ball must not overflow.
        let frame = Frame::new(&self.centre, set.ridge + (set.gamma / set.norm_bound).square().min(1e100));
        let side =
            |(a, at_origin): (&[f64], f64)| [-1.0, 1.0].map(|sign| sign * within_ball(set.norm_bound, a) - at_origin);
        let root = frame.covectors().map(side).collect();
        (frame, root)
    }
}

/// The arm with the largest bound, the first of equals.
fn first_largest<T>(waiting: &[(f64, T)]) -> (usize, f64) {
    let mut largest = (0, f64::NEG_INFINITY);
    for (k, (bound, _)) in waiting.iter().enumerate() {
        if *bound > largest.1 {
            largest = (k, *bound);
        }
    }
    largest
}

/// The largest x'theta in the ball, at least.
fn within_ball(norm_bound: f64, x: &[f64]) -> f64 {
    let (x, power) = raise(x);
    bring_back(norm_bound * norm(&x) * (1.0 + 4.0 * f64::EPSILON), power)
}

/// The level set that contains `set`.
fn relaxation<'a>(set: &DecrementSet<'a>, level: f64, centre: &'a Estimator) -> LevelSet<'a> {
    LevelSet::new(set.history, set.ridge, level, set.norm_bound, centre.theta(), centre.evaluation())
}

fn check_dimension(field: &str, got: usize, expected: usize) -> Result<()> {
    if got == expected { Ok(()) } else { Err(Error::Dimension { field: field.to_owned(), expected, got }) }
}
