//! Optimism when every vector of the unit ball, or of the unit sphere, may be played.
//!
//! max over ||x|| <= 1 of max over theta of x'theta is the largest norm of a point of the set: maximising a convex
//! function, which local search cannot certify. Here
//! - if the set reaches its norm bound the value is that bound, and any point there will do;
//! - in up to four dimensions (more if asked for) branch and bound over cones of directions ([`cones`])
//!   certifies the maximum;
//! - in more, climbs from many directions give a local maximiser and [`enclosure`] an upper bound.
//!
//! The climb is x <- theta_x/||theta_x|| with theta_x the maximiser of x'theta: ||theta_x|| never falls.

use serde::{Deserialize, Serialize};

mod cones;
mod enclosure;

use self::cones::Cones;
use self::enclosure::{curved_directions, ellipsoid_bound};
use super::support::{Support, SupportSolver, SupportStatus, Target, WarmStart};
use crate::error::{Error, Result, check_number};
use crate::numerics::norm;
use crate::set::LevelSet;

/// What is known about the best arm of the ball.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BallStatus {
    /// The set reaches its norm bound (to the tolerance), so that nothing can be better.
    Saturated,
    /// Value and upper bound agree to the tolerance.
    Certified,
    /// Too many dimensions to certify, or the limit on solves was reached: the value is that of a local maximiser, the
    /// upper bound is valid.
    LocalOptimum,
    /// The set is empty; value, bound and arm are those of its centre, the point of the ball with the least loss.
    Empty,
    /// The set reaches to infinity: value and bound are infinite, and the maximum in the direction of the arm is.
    Unbounded,
}

/// The best arm of the unit ball.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BallPlan {
    /// The arm, of norm one.
    pub arm: Vec<f64>,
    /// The parameter of the set for which it is best.
    pub theta: Vec<f64>,
    /// Their product, which is ||theta||.
    pub value: f64,
    /// No point of the set has a larger norm.
    pub upper_bound: f64,
    /// What is known.
    pub status: BallStatus,
    /// Support problems solved.
    pub solves: usize,
    /// Passes over the data.
    pub passes: u64,
}

/// A direction whose support problem was solved.
#[derive(Debug, Clone)]
pub(super) struct Probe {
    pub(super) direction: Vec<f64>,
    /// Upper bound on the support function there.
    pub(super) upper: f64,
    theta: Vec<f64>,
    level_multiplier: f64,
    norm_multiplier: f64,
}

/// Plans over the unit ball, in memory of its own.
#[derive(Debug, Clone)]
pub struct BallPlanner {
    dimension: usize,
    certified_dimension: usize,
    solve_limit: usize,
    solver: SupportSolver,
    /// The point of the set with the largest norm so far, and that norm.
    pub(super) best: Vec<f64>,
    pub(super) value: f64,
    tolerance: f64,
    pub(super) solves: usize,
    passes: u64,
}

/// Default limit on solves: only a round set, of which every direction is as good as every other, needs more.
const SOLVE_LIMIT: usize = 5_000;
/// The largest dimension for branch and bound unless the caller asks for more: a plan takes milliseconds up to four
/// dimensions, a tenth of a second in five and seconds in six.
const CERTIFIED_DIMENSION: usize = 4;
/// Steps of a climb; a handful is typical.
const CLIMB_LIMIT: usize = 100;
/// Gaps are relative to the value, or to this if that is larger: log-odds of a thousandth mean nothing.
const LEAST_SCALE: f64 = 1e-3;

impl BallPlanner {
    /// A planner for `dimension` features.
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            certified_dimension: CERTIFIED_DIMENSION,
            solve_limit: SOLVE_LIMIT,
            solver: SupportSolver::new(dimension),
            best: vec![0.0; dimension],
            value: 0.0,
            tolerance: 0.0,
            solves: 0,
            passes: 0,
        }
    }

    /// Certifies the maximum in up to `dimension` dimensions, four if this is not called. The time grows by a factor
    /// of about thirty with each.
    #[must_use]
    pub fn certify_up_to(mut self, dimension: usize) -> Self {
        self.certified_dimension = dimension;
        self
    }

    /// Solves at most about `limit` support problems per plan.
    #[must_use]
    pub fn with_solve_limit(mut self, limit: usize) -> Self {
        self.solve_limit = limit;
        self
    }

    /// The best arm of the unit ball for `set`, up to a gap of `tolerance` relative to its value.
    ///
    /// # Errors
    /// If the set has another dimension, or the tolerance is not in (0, 1).
    pub fn choose(&mut self, set: &LevelSet<'_>, tolerance: f64) -> Result<BallPlan> {
        let got = set.history.dimension();
        if got != self.dimension {
            return Err(Error::Dimension { field: "set".into(), expected: self.dimension, got });
        }
        check_number("tolerance", tolerance, tolerance > 0.0 && tolerance < 1.0, "strictly between 0 and 1")?;
        (self.tolerance, self.solves, self.passes) = (tolerance, 0, 0);
        self.best.copy_from_slice(set.centre);
        self.value = norm(set.centre);
        if set.is_empty() {
            return Ok(self.plan(self.value, BallStatus::Empty));
        }
        if self.find_corner(set) {
            return Ok(self.plan(set.norm_bound, BallStatus::Saturated));
        }
        if let Some(flat) = self.find_flat_direction(set) {
            return Ok(self.unbounded(flat));
        }
        Ok(self.search(set))
    }

    /// Where nothing bounds the set but data that do not span the space, a direction in which they say nothing: points
    /// of the set as far along it as doubles distinguish log-odds.
    fn find_flat_direction(&mut self, set: &LevelSet<'_>) -> Option<Vec<f64>> {
        if set.reach().is_finite() {
            return None;
        }
        let mut lines = vec![self.axis(0, 1.0)];
        lines.extend(curved_directions(set));
        lines.retain_mut(|line| normalise(line));
        lines.into_iter().find(|line| {
            [1e3, 1e6, 1e9].iter().all(|scale| {
                self.passes += 1;
                let far: Vec<f64> = set.centre.iter().zip(line).map(|(c, v)| c + scale * v).collect();
                set.loss(&far) <= set.level
            })
        })
    }

    fn unbounded(&mut self, arm: Vec<f64>) -> BallPlan {
        self.value = f64::INFINITY;
        BallPlan { arm, ..self.plan(f64::INFINITY, BallStatus::Unbounded) }
    }

    /// Whether the set holds a point of the sphere in one of a few directions; if so the one with the least loss, the
    /// most plausible of equally good parameters, becomes the best.
    fn find_corner(&mut self, set: &LevelSet<'_>) -> bool {
        if set.norm_bound.is_infinite() {
            return false;
        }
        let mut least = f64::INFINITY;
        for direction in self.directions(set) {
            let corner: Vec<f64> = direction.iter().map(|v| v * set.norm_bound).collect();
            if set.is_surely_below(&corner) == Some(false) {
                continue;
            }
            self.passes += 1;
            let loss = set.loss_up_to(&corner, set.level.min(least));
            if loss <= set.level && loss < least {
                least = loss;
                self.best.copy_from_slice(&corner);
                self.value = set.norm_bound;
            }
        }
        least < f64::INFINITY
    }

    /// Where climbs and the search for corners start: the centre's direction, the axes, and the directions in which
    /// the loss at the centre is least curved, all with both signs.
    fn directions(&self, set: &LevelSet<'_>) -> Vec<Vec<f64>> {
        let mut lines = Vec::with_capacity(2 * self.dimension + 2);
        lines.push(set.centre.to_vec());
        lines.extend((0..self.dimension).map(|j| self.axis(j, 1.0)));
        lines.extend(curved_directions(set));
        lines.retain_mut(|line| normalise(line));
        let opposite: Vec<Vec<f64>> = lines.iter().map(|line| line.iter().map(|v| -v).collect()).collect();
        lines.extend(opposite);
        lines
    }

    fn axis(&self, j: usize, sign: f64) -> Vec<f64> {
        let mut axis = vec![0.0; self.dimension];
        axis[j] = sign;
        axis
    }

    /// Probes the axes, then certifies if the dimension allows it.
    fn search(&mut self, set: &LevelSet<'_>) -> BallPlan {
        let mut probes = Vec::with_capacity(2 * self.dimension);
        for j in 0..self.dimension {
            for sign in [1.0, -1.0] {
                let (probe, support) = self.probe(set, self.axis(j, sign), None);
                // A set that is unbounded in any direction is so along one of the axes.
                if support.status == SupportStatus::Unbounded {
                    return self.unbounded(probe.direction);
                }
                probes.push(probe);
            }
        }
        let reach = set.reach().min(box_reach(&probes));
        // The same set, but known to be bounded: everything after this may use the fast path.
        let bounded = LevelSet { norm_bound: set.norm_bound.min(reach), ..*set };
        if reach.is_finite() {
            self.climb_from_best(&bounded, &probes);
        }
        let upper = if self.value >= self.threshold_below(reach) || reach.is_infinite() {
            reach
        } else if self.dimension <= self.certified_dimension {
            Cones::new(probes).search(self, &bounded)
        } else {
            self.climb_from(&bounded, self.directions(&bounded));
            ellipsoid_bound(&bounded).min(reach)
        };
        self.conclude(set, upper.max(self.value))
    }

    fn conclude(&self, set: &LevelSet<'_>, upper: f64) -> BallPlan {
        let status = if self.value >= self.threshold_below(set.norm_bound) {
            BallStatus::Saturated
        } else if upper <= self.threshold() {
            BallStatus::Certified
        } else {
            BallStatus::LocalOptimum
        };
        self.plan(upper.min(set.norm_bound).max(self.value), status)
    }

    fn plan(&self, upper_bound: f64, status: BallStatus) -> BallPlan {
        let mut arm = self.best.clone();
        if !normalise(&mut arm) {
            // Only the zero parameter: every arm is as good.
            arm = self.axis(0, 1.0);
        }
        let (theta, value, solves, passes) = (self.best.clone(), self.value, self.solves, self.passes);
        BallPlan { arm, theta, value, upper_bound, status, solves, passes }
    }

    /// Value plus allowed gap: what need not be searched for any more.
    pub(super) fn threshold(&self) -> f64 {
        self.value + self.tolerance * self.value.max(LEAST_SCALE)
    }

    /// A value from which `bound` is within the allowed gap.
    fn threshold_below(&self, bound: f64) -> f64 {
        bound - self.tolerance * bound.max(LEAST_SCALE)
    }

    pub(super) fn exhausted(&self) -> bool {
        self.solves >= self.solve_limit
    }

    /// Solves the support problem in a direction, from a neighbour's solution if there is one.
    fn probe(&mut self, set: &LevelSet<'_>, direction: Vec<f64>, neighbour: Option<&Probe>) -> (Probe, Support) {
        let warm = neighbour.filter(|p| p.level_multiplier > 0.0).map(|p| WarmStart {
            theta: &p.theta,
            level_multiplier: p.level_multiplier,
            norm_multiplier: p.norm_multiplier,
        });
        let support = self.solver.maximise(set, &direction, warm, Target::exact(0.1 * self.tolerance));
        self.solves += 1;
        self.passes += u64::from(support.passes);
        let theta = self.solver.maximiser().to_vec();
        let length = norm(&theta);
        if length > self.value {
            self.value = length;
            self.best.copy_from_slice(&theta);
        }
        let probe = Probe {
            direction,
            upper: support.upper_bound,
            theta,
            level_multiplier: support.level_multiplier,
            norm_multiplier: support.norm_multiplier,
        };
        (probe, support)
    }

    /// As [`BallPlanner::probe`], and climbs from the maximiser if it is the best point so far.
    pub(super) fn probe_and_climb(&mut self, set: &LevelSet<'_>, direction: Vec<f64>, neighbour: &Probe) -> Probe {
        let before = self.value;
        let (probe, _) = self.probe(set, direction, Some(neighbour));
        if self.value > before {
            self.climb(set, probe.clone());
        }
        probe
    }

    /// Climbs from the best of the first probes.
    fn climb_from_best(&mut self, set: &LevelSet<'_>, probes: &[Probe]) {
        let best = probes.iter().max_by(|a, b| norm(&a.theta).total_cmp(&norm(&b.theta)));
        if let Some(probe) = best {
            self.climb(set, probe.clone());
        }
    }

    fn climb_from(&mut self, set: &LevelSet<'_>, directions: Vec<Vec<f64>>) {
        for direction in directions {
            if self.exhausted() {
                return;
            }
            let (probe, _) = self.probe(set, direction, None);
            self.climb(set, probe);
        }
    }

    /// x <- theta/||theta|| until the norm grows no more.
    fn climb(&mut self, set: &LevelSet<'_>, mut probe: Probe) {
        let mut length = norm(&probe.theta);
        for _ in 0..CLIMB_LIMIT {
            let mut direction = probe.theta.clone();
            if length >= set.norm_bound || !normalise(&mut direction) {
                return;
            }
            let (next, _) = self.probe(set, direction, Some(&probe));
            let longer = norm(&next.theta);
            if longer <= length * (1.0 + 0.01 * self.tolerance) {
                return;
            }
            (probe, length) = (next, longer);
        }
    }
}

/// The norm of the farthest corner of the box that the probes along the axes enclose.
fn box_reach(probes: &[Probe]) -> f64 {
    let side = |pair: &[Probe]| pair[0].upper.abs().max(pair[1].upper.abs());
    let corner: Vec<f64> = probes.chunks_exact(2).map(side).collect();
    norm(&corner) * (1.0 + 1e-12)
}

/// Scales a vector to norm one; false if it is zero.
pub(super) fn normalise(v: &mut [f64]) -> bool {
    let length = norm(v);
    if length > 0.0 {
        v.iter_mut().for_each(|c| *c /= length);
    }
    length > 0.0
}
