//! Any-time-valid answers: what the confidence set says about single arms and about pairs.
//!
//! If the true parameter is in the set at all times (which the set's guarantee promises with probability 1 - delta),
//! then all of these answers, about any directions, at any times and however often one looks, are right together:
//! the support function h(x) = max x'theta and -h(-x) bound the log-odds of x; arm a is better than arm b for sure when
//! h(x_b - x_a) < 0; and arm a is within eps of the best when max_b h(x_b - x_a) <= eps.

use serde::Serialize;

use super::lazy::Planner;
use super::support::{SupportSolver, SupportStatus, Target};
use crate::arms::FiniteArms;
use crate::error::{Error, Result, check_number, check_vector};
use crate::link;
use crate::numerics::{Cholesky, add_scaled, dot};
use crate::set::LevelSet;

/// Simultaneous bounds on an arm's log-odds and probability of success.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Lower bound on x'theta.
    pub log_odds_lower: f64,
    /// Upper bound on x'theta.
    pub log_odds_upper: f64,
    /// Lower bound on the probability of success.
    pub lower: f64,
    /// Upper bound on the probability of success.
    pub upper: f64,
}

impl Interval {
    pub(crate) fn new(log_odds_lower: f64, log_odds_upper: f64) -> Self {
        let (lower, upper) = (link::mean(log_odds_lower), link::mean(log_odds_upper));
        Self { log_odds_lower, log_odds_upper, lower, upper }
    }
}

/// Which of two arms is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// The first arm has the larger probability of success, for every parameter of the set.
    FirstBetter,
    /// The second arm has.
    SecondBetter,
    /// The data do not decide yet.
    Undecided,
}

/// How close an arm is to the best of a list.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BestArm {
    /// The arm that looks best under the set's centre.
    pub arm: usize,
    /// No arm's log-odds exceed this arm's by more than this, for any parameter of the set.
    pub regret_bound: f64,
    /// Whether that is at most the epsilon that was asked for.
    pub found: bool,
}

/// Answers questions about a set, in memory of its own.
#[derive(Debug, Clone)]
pub struct Answers {
    solver: SupportSolver,
    difference: Vec<f64>,
    tolerance: f64,
}

impl Answers {
    /// For sets in `dimension` dimensions; bounds are solved to the relative gap `tolerance` and rounded outwards by
    /// what is left of it.
    ///
    /// # Errors
    /// If the tolerance is not between 1e-12 and 0.01.
    pub fn new(dimension: usize, tolerance: f64) -> Result<Self> {
        let allowed = (1e-12..=1e-2).contains(&tolerance);
        check_number("tolerance", tolerance, allowed, "between 1e-12 and 0.01")?;
        Ok(Self { solver: SupportSolver::new(dimension), difference: vec![0.0; dimension], tolerance })
    }

    /// Bounds on the log-odds and the probability of success of `x`.
    ///
    /// # Errors
    /// If `x` has the wrong length or is not finite, or if the set is empty.
    pub fn interval(&mut self, set: &LevelSet<'_>, x: &[f64]) -> Result<Interval> {
        check_vector("x", x, self.difference.len())?;
        let upper = self.upper(set, x)?;
        let mut opposite = std::mem::take(&mut self.difference);
        opposite.iter_mut().zip(x).for_each(|(o, v)| *o = -v);
        let lower = self.upper(set, &opposite);
        self.difference = opposite;
        Ok(Interval::new(-lower?, upper))
    }

    /// An upper bound on x'theta over the set.
    fn upper(&mut self, set: &LevelSet<'_>, x: &[f64]) -> Result<f64> {
        let support = self.solver.solve(set, x, Target::exact(self.tolerance))?;
        if support.status == SupportStatus::Empty { Err(Error::EmptySet) } else { Ok(support.upper_bound) }
    }

    /// Whether arm `a` or arm `b` is better for sure.
    ///
    /// # Errors
    /// If an arm has the wrong length or is not finite, or if the set is empty.
    pub fn compare(&mut self, set: &LevelSet<'_>, a: &[f64], b: &[f64]) -> Result<Comparison> {
        let d = self.difference.len();
        check_vector("a", a, d)?;
        check_vector("b", b, d)?;
        let difference: Vec<f64> = a.iter().zip(b).map(|(u, v)| u - v).collect();
        let interval = self.interval(set, &difference)?;
        Ok(if interval.log_odds_lower > 0.0 {
            Comparison::FirstBetter
        } else if interval.log_odds_upper < 0.0 {
            Comparison::SecondBetter
        } else {
            Comparison::Undecided
        })
    }

    /// The arms that are not worse than arm `best` for every parameter of the set, in order.
    ///
    /// Most arms are far from being decided: the point of the hyperplane on which an arm equals the best one that is
    /// nearest to the centre, in the metric of the loss, then lies in the set, and one pass over the data shows it. Only
    /// the others take a solve.
    ///
    /// # Errors
    /// If the arms have another dimension, or if the set is empty.
    pub(crate) fn not_worse(&mut self, set: &LevelSet<'_>, arms: &FiniteArms, best: usize) -> Result<Vec<usize>> {
        check_vector("arms[0]", arms.arm(0), self.difference.len())?;
        if set.is_empty() {
            return Err(Error::EmptySet);
        }
        let metric = Metric::of(set);
        let mut kept = Vec::new();
        for k in 0..arms.len() {
            let pair = arms.arm(k).iter().zip(arms.arm(best));
            self.difference.iter_mut().zip(pair).for_each(|(o, (u, v))| *o = u - v);
            let target = Target { tolerance: self.tolerance, cutoff: 0.0 };
            let open = metric.as_ref().is_some_and(|metric| metric.touches(set, &self.difference));
            if open || self.solver.solve(set, &self.difference, target)?.upper_bound >= 0.0 {
                kept.push(k);
            }
        }
        Ok(kept)
    }

    /// How far the arm that looks best may be from the best, in log-odds, and whether that is at most `epsilon`.
    ///
    /// # Errors
    /// If the arms have another dimension, `epsilon` is negative, or the set is empty.
    pub fn best_arm(&mut self, set: &LevelSet<'_>, arms: &FiniteArms, epsilon: f64) -> Result<BestArm> {
        check_number("epsilon", epsilon, epsilon >= 0.0, "zero or positive")?;
        check_vector("arms[0]", arms.arm(0), self.difference.len())?;
        if set.is_empty() {
            return Err(Error::EmptySet);
        }
        let arm = arms.best_for(set.centre);
        let chosen = arms.arm(arm);
        let differences: Vec<f64> = arms.iter().flat_map(|x| x.iter().zip(chosen).map(|(u, v)| u - v)).collect();
        let differences = FiniteArms::new(arms.dimension(), differences)?;
        let mut planner = Planner::new(&differences, self.tolerance)?;
        let plan = planner.choose_fresh(set, &differences)?;
        // Other arms may exceed the best by what is left of the tolerance, or by more if a solve stayed open. The arm
        // itself is among the differences, as zero: the bound is never negative.
        let regret_bound = plan.support.upper_bound.max(planner.runner_up(plan.arm)).max(0.0);
        Ok(BestArm { arm, regret_bound, found: regret_bound <= epsilon })
    }
}

/// The metric of the loss at the centre of a set.
struct Metric(Cholesky);

impl Metric {
    /// None if the loss is flat in some direction.
    fn of(set: &LevelSet<'_>) -> Option<Self> {
        let mut cholesky = Cholesky::new(set.centre.len());
        let prior = if set.norm_bound.is_finite() { 1.0 / (set.norm_bound * set.norm_bound) } else { 0.0 };
        cholesky.factor(&set.at_centre.hessian, set.ridge + prior).then_some(Self(cholesky))
    }

    /// Whether the set is seen to hold a point where `x`'theta >= 0.
    fn touches(&self, set: &LevelSet<'_>, x: &[f64]) -> bool {
        let value = dot(x, set.centre);
        if value >= 0.0 {
            return true;
        }
        let mut point = x.to_vec();
        self.0.solve(&mut point);
        // A little beyond the hyperplane, so that rounding does not leave it on the wrong side.
        let scale = -value * (1.0 + 1e-9) / dot(x, &point);
        point.iter_mut().for_each(|v| *v *= scale);
        add_scaled(&mut point, 1.0, set.centre);
        set.contains(&point) && dot(x, &point) >= 0.0
    }
}
