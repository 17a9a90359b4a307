//! What playing an arm costs at most, as long as the true parameter is in a level set.
//!
//! Let every arm's log-odds be at most U over the set, those of b at least L, and h be the support function. If y is better
//! than b, then L <= b'theta < y'theta <= U, and between the two mu is no steeper than the largest slope m over [L, U]:
//!
//! ```text
//! rho(b) = min{ mu(U) - mu(L),  m max over y of h(y - b) },   m = max of mu' over [L, U] <= 1/4
//! ```
//!
//! bounds mu(y'theta) - mu(b'theta) for all arms y and all theta of the set. It is zero once b is certified best, because
//! y = b is one of the arms; mu(U) - mu(L) alone stays positive there. The maximum over y of the smaller of mu(h(y)) - mu(L)
//! and m h(y - b) would be smaller where the two maxima belong to different arms, and take intervals of many arms; each of
//! the two maxima is one plan, whose certificates carry over from round to round.

use serde::{Deserialize, Serialize};

use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::Result;
use crate::link;
use crate::plan::{Planner, SupportStatus};
use crate::set::LevelSet;

use super::check_dimension;
use super::set_planner::TOLERANCE;

/// Prices arms, round after round.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::policy) struct Price {
    /// Over the differences y - b.
    gaps: Planner,
    /// Over -b alone.
    floor: Planner,
    /// Support problems solved so far.
    solves: u64,
    /// What the two are about, kept while neither the list nor the arm changes.
    #[serde(skip)]
    subject: Option<Subject>,
}

#[derive(Debug, Clone)]
struct Subject {
    list: u64,
    arm: usize,
    differences: FiniteArms<'static>,
    opposite: FiniteArms<'static>,
}

impl Subject {
    fn new(arms: &FiniteArms, arm: usize) -> Result<Self> {
        let (d, b) = (arms.dimension(), arms.arm(arm));
        let differences: Vec<f64> = arms.iter().flat_map(|y| y.iter().zip(b).map(|(u, v)| u - v)).collect();
        let differences = FiniteArms::new(d, differences)?;
        Ok(Self { list: arms.fingerprint(), arm, differences, opposite: negative(b)? })
    }

    fn is_about(&self, arms: &FiniteArms, arm: usize) -> bool {
        self.arm == arm && self.list == arms.fingerprint() && self.differences.len() == arms.len()
    }
}

fn negative(x: &[f64]) -> Result<FiniteArms<'static>> {
    FiniteArms::new(x.len(), x.iter().map(|v| -v).collect::<Vec<f64>>())
}

impl Price {
    pub(in crate::policy) fn new(dimension: usize) -> Result<Self> {
        let planner = || Planner::empty(dimension, TOLERANCE);
        Ok(Self { gaps: planner()?, floor: planner()?, solves: 0, subject: None })
    }

    /// Support problems solved so far.
    pub(in crate::policy) fn solves(&self) -> u64 {
        self.solves
    }

    /// Tells restored planners that their certificates are about `belief`, which was restored with them.
    pub(in crate::policy) fn adopt(&mut self, belief: &Belief) {
        self.gaps.adopt(belief.data());
        self.floor.adopt(belief.data());
    }

    pub(in crate::policy) fn check(&self, expected: usize) -> Result<()> {
        check_dimension("price.gaps", self.gaps.dimension(), expected)?;
        check_dimension("price.floor", self.floor.dimension(), expected)
    }

    /// rho of an arm of a list; `ceiling` is U. Nothing is known of a set without points: then it is one.
    pub(in crate::policy) fn of_arm(
        &mut self,
        set: &LevelSet<'_>,
        arms: &FiniteArms,
        arm: usize,
        ceiling: f64,
    ) -> Result<f64> {
        if set.is_empty() {
            return Ok(1.0);
        }
        let subject = match self.subject.take().filter(|subject| subject.is_about(arms, arm)) {
            Some(subject) => subject,
            None => Subject::new(arms, arm)?,
        };
        let lower = self.lower(set, &subject.opposite)?;
        let plan = self.gaps.choose(set, &subject.differences)?;
        self.count(plan.solves);
        // Others may exceed the largest by what is left of the tolerance, or by more if a solve stayed open.
        let gap = plan.support.upper_bound.max(self.gaps.runner_up(plan.arm)).max(0.0);
        self.subject = Some(subject);
        Ok(spread(lower, ceiling).min(largest_slope(lower, ceiling) * gap))
    }

    /// The same for a point of the ball or the sphere, by the first of the two bounds alone: the largest (y - b)'theta over
    /// all y of the ball is ||theta|| - b'theta, which is not concave and never certified to be zero.
    pub(in crate::policy) fn of_point(&mut self, set: &LevelSet<'_>, x: &[f64], ceiling: f64) -> Result<f64> {
        if set.is_empty() {
            return Ok(1.0);
        }
        Ok(spread(self.lower(set, &negative(x)?)?, ceiling))
    }

    /// L.
    fn lower(&mut self, set: &LevelSet<'_>, opposite: &FiniteArms) -> Result<f64> {
        let plan = self.floor.choose(set, opposite)?;
        self.count(plan.solves);
        debug_assert!(plan.support.status != SupportStatus::Empty);
        Ok(-plan.support.upper_bound)
    }

    fn count(&mut self, solves: u32) {
        self.solves = self.solves.saturating_add(solves.into());
    }
}

/// mu(U) - mu(L), without cancellation where both are near one.
fn spread(lower: f64, upper: f64) -> f64 {
    let difference =
        if lower > 0.0 { link::mean(-lower) - link::mean(-upper) } else { link::mean(upper) - link::mean(lower) };
    difference.clamp(0.0, 1.0)
}

/// The largest mu' over [lower, upper].
fn largest_slope(lower: f64, upper: f64) -> f64 {
    link::variance(0f64.clamp(lower.min(upper), upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_the_largest_of_the_interval() {
        for (lower, upper) in [(-3.0, -1.0), (-1.0, 2.0), (0.5, 4.0), (2.0, 2.0), (f64::NEG_INFINITY, f64::INFINITY)] {
            let (a, b) = (f64::max(lower, -40.0), f64::min(upper, 40.0));
            let grid = (0..=8000).map(|i| link::variance(a + (b - a) * f64::from(i) / 8000.0));
            let largest = grid.fold(0.0, f64::max);
            assert!((largest_slope(lower, upper) - largest).abs() < 1e-9, "{lower} {upper}");
        }
    }

    #[test]
    fn the_spread_is_a_difference_of_probabilities() {
        assert_eq!(spread(f64::NEG_INFINITY, f64::INFINITY), 1.0);
        assert!((spread(-1.0, 2.0) - (link::mean(2.0) - link::mean(-1.0))).abs() < 1e-15);
        assert!((spread(40.0, 41.0) / ((-40f64).exp() - (-41f64).exp()) - 1.0).abs() < 1e-12);
        // Rounding may leave bounds that meet the wrong way round.
        assert_eq!(spread(1.0 + 1e-12, 1.0), 0.0);
    }
}
