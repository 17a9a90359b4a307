//! Sets without norm bound and without ridge, which may reach to infinity.
//!
//! Mostly they do not, and Newton's method in a large ball finds a maximiser that the entropy dual ([`super::dual`])
//! certifies without the ball. Otherwise it is decided whether the set is unbounded in the direction asked for
//! ([`super::recession`]). If not, the maximum is finite but perhaps only approached at infinity (an arm that always
//! succeeded takes no share of the level in the limit). A primal-dual interior-point method ([`super::interior_point`]) finds
//! it then, in coordinates in which all directions are alike ([`super::coordinates`]): it does not need the maximum to be
//! attained. Its points are moved into the set, its weights are made a certificate by the entropy dual.

use super::coordinates::Coordinates;
use super::dual::{entropy_bound, entropy_bound_at};
use super::interior_point::{InteriorPoint, Progress};
use super::recession::{Reach, reach};
use super::span::is_in_span;
use super::{Support, SupportSolver, SupportStatus, Target, WarmStart};
use crate::fit::{Estimator, GRADIENT_TOLERANCE, Penalty};
use crate::numerics::{add_scaled, dot, norm};
use crate::set::LevelSet;

/// Size of the ball of the first attempt, relative to the distance at which log-odds of one are reached.
const BALL: f64 = 1e3;

/// Newton steps of the first attempt.
const ATTEMPT: usize = 15;

/// Where the interior-point method starts: 2 K mu as a multiple of the room between start and level.
const START: f64 = 4.0;

/// Coordinates that are tried. The first will nearly always do.
const ATTEMPTS: usize = 3;

/// Iterations of the interior-point method in each. About ten are the rule, a hundred were needed by thousands of
/// arms on all scales, which come into play one after the other as theta grows from one to a million.
const ITERATIONS: usize = 150;

/// How much worse than the best the gap may become.
const LOST: f64 = 1e6;

/// Last digit of x'theta, as a share of the gap allowed, from which on theta must not go further out without need.
const FAR: f64 = 1e-2;

/// What an upper bound may be below a value that is attained by rounding, relative to it.
const BELOW: f64 = 1e-6;

/// Ridges for the start, relative to the room between centre and level.
const RIDGES: [f64; 3] = [1e-3, 1e-6, 1e-9];

pub(super) fn maximise(
    solver: &mut SupportSolver,
    set: &LevelSet<'_>,
    x: &[f64],
    warm: Option<WarmStart<'_>>,
    target: Target,
) -> Support {
    // The projection that tells is dear: once is enough.
    let mut known = None;
    let mut attempt = in_ball(solver, set, x, warm, target, &mut known);
    if attempt.status != SupportStatus::Inexact {
        return attempt;
    }
    (attempt.upper_bound, attempt.level_multiplier, attempt.norm_multiplier) = (f64::INFINITY, 0.0, 0.0);
    let is_bounded = match known.unwrap_or_else(|| reach(set.history, x)) {
        Reach::Ray(ray) => return unbounded(solver, set, &ray, attempt.passes),
        Reach::Bounded => true,
        // What follows sees the span of the data only.
        Reach::Unknown if !is_in_span(set.history, x) => return attempt,
        Reach::Unknown => false,
    };
    let mut weights = vec![1.0; set.history.rows()];
    for attempts in 0..ATTEMPTS {
        // Data without any arm that is not zero had given a ray.
        let Some(coordinates) = Coordinates::new(set.history, &weights, attempts > 0) else { break };
        let query = Query { x, target, is_bounded, coordinates: &coordinates };
        if from_inside(solver, set, &query, &mut attempt, &mut weights) {
            break;
        }
    }
    attempt
}

/// The attempt to do without all of the rest, except for what it leaves in `known`.
fn in_ball(
    solver: &mut SupportSolver,
    set: &LevelSet<'_>,
    x: &[f64],
    warm: Option<WarmStart<'_>>,
    target: Target,
    known: &mut Option<Reach>,
) -> Support {
    let norm_bound = BALL * norm(set.centre).max(1.0 / set.history.max_norm());
    if norm_bound.is_infinite() {
        return Support { status: SupportStatus::Inexact, ..Support::constant(dot(x, set.centre)) };
    }
    let mut support = solver.attempt(&LevelSet { norm_bound, ..*set }, x, warm, target, ATTEMPT);
    if matches!(support.status, SupportStatus::Level | SupportStatus::Cut) {
        let bound = entropy_bound(set, x, 1.0 / support.level_multiplier, solver.last_point(), known);
        support.passes += 1;
        (support.upper_bound, support.level_multiplier) =
            (consistent(bound.upper, support.value), bound.level_multiplier);
        let lost = support.upper_bound < target.cutoff;
        if lost || is_closed(set, x, target, &support, norm(solver.maximiser())) {
            let status = if lost { SupportStatus::Cut } else { SupportStatus::Level };
            return Support { status, ..support };
        }
    }
    Support { status: SupportStatus::Inexact, ..support }
}

/// An upper bound that is at least a value that is attained. One that is below it by more than rounding is none.
fn consistent(upper: f64, value: f64) -> f64 {
    if upper >= value - BELOW * (1.0 + value.abs()) { upper.max(value) } else { f64::INFINITY }
}

/// Whether a point of the set at a distance of `length` may be reported.
///
/// So far out that the last digit of x'theta exceeds the tolerance, rounding decides about the value, and about whether the point is
/// in the set. Such a point must not be evidence against an upper bound, which does not depend on it. It may be where the bound is
/// met, and is an answer then: the bound is raised to the value, never lowered.
fn is_worth(set: &LevelSet<'_>, x: &[f64], target: Target, point: &Support, length: f64) -> bool {
    let is_sharp = f64::EPSILON * norm(x) * length <= target.allowance(point.value, norm(x), length);
    let upper_bound = consistent(point.upper_bound, point.value);
    is_sharp || is_closed(set, x, target, &Support { upper_bound, ..*point }, length)
}

/// Whether the gap is closed, up to the rounding of the level.
fn is_closed(set: &LevelSet<'_>, x: &[f64], target: Target, support: &Support, length: f64) -> bool {
    let allowance = target.allowance(support.value, norm(x), length);
    support.gap() <= allowance + set.rounding() * support.level_multiplier
}

/// What is asked for, and in which coordinates.
#[derive(Clone, Copy)]
struct Query<'a> {
    x: &'a [f64],
    target: Target,
    /// Whether the set is known to end in this direction, so that a bound need not prove it.
    is_bounded: bool,
    coordinates: &'a Coordinates,
}

/// Solves in other coordinates by the interior-point method; false if it did not get there, and then `weights` are what the
/// arms count for where it came nearest.
fn from_inside(
    solver: &mut SupportSolver,
    set: &LevelSet<'_>,
    query: &Query<'_>,
    result: &mut Support,
    weights: &mut [f64],
) -> bool {
    let Query { x, target, is_bounded, coordinates } = *query;
    let direction = coordinates.of_arm(x);
    let anchor = Anchor::new(set, coordinates);
    result.passes += anchor.passes;
    let inner = LevelSet { history: &coordinates.history, ..*set };
    let start = anchor.components.clone();
    let Some(mut search) = InteriorPoint::new(&inner, &direction, start, anchor.room, START) else { return false };
    let mut least = f64::INFINITY;
    for _ in 0..ITERATIONS {
        if !search.iterate() {
            break;
        }
        result.passes += 1;
        let Progress { value, mut gap, rounding } = search.progress();
        coordinates.parameter(&search.theta, solver.spare());
        let allowance = target.allowance(value, norm(x), norm(solver.spare())) + set.rounding() / search.nu;
        let allowance = 0.5 * allowance + rounding;
        search.wait(f64::EPSILON * norm(x) * norm(solver.spare()) > FAR * allowance);
        if gap <= allowance {
            gap += search.over() / search.nu;
        }
        if gap / allowance < least {
            least = gap / allowance;
            search.holds(weights);
        }
        // Beyond the precision of doubles the search only loses what it had found.
        if !(gap / allowance <= LOST * least) {
            break;
        }
        if gap > allowance && value + gap >= target.cutoff {
            continue;
        }
        let bound = entropy_bound_at(&inner, &direction, search.nu, &search.theta, |k| search.weight(k));
        if bound.upper < result.upper_bound && (is_bounded || bound.is_certain) {
            (result.upper_bound, result.level_multiplier) = (bound.upper, bound.level_multiplier);
        }
        let inside = anchor.pull_inside(set, solver.spare(), &mut result.passes);
        let point = Support { value: dot(x, solver.spare()), ..*result };
        if inside && point.value > result.value && is_worth(set, x, target, &point, norm(solver.spare())) {
            result.value = point.value;
            solver.keep_spare();
        }
        result.upper_bound = consistent(result.upper_bound, result.value);
        if is_closed(set, x, target, result, norm(solver.maximiser())) {
            result.status = SupportStatus::Level;
            return true;
        }
        if result.upper_bound < target.cutoff {
            result.status = SupportStatus::Cut;
            return true;
        }
    }
    false
}

/// A point well inside the set from which the search starts and towards which points above the level are pulled.
///
/// The set's own centre may be bad for both. Arms that always succeeded or failed may have driven it far out, where every value is
/// lost in rounding errors of the size of theta; short arms may have kept it from the least loss. A point of least loss with a
/// small ridge, in coordinates that are log-odds, is neither.
struct Anchor {
    theta: Vec<f64>,
    /// The same in the other coordinates.
    components: Vec<f64>,
    /// What it leaves to the level.
    room: f64,
    passes: u32,
}

impl Anchor {
    fn new(set: &LevelSet<'_>, coordinates: &Coordinates) -> Self {
        let mut estimator = Estimator::new(coordinates.history.dimension());
        for ridge in RIDGES {
            let penalty = Penalty::ridge(ridge * set.room());
            estimator.minimise(&coordinates.history, penalty, None, GRADIENT_TOLERANCE);
            let room = set.level - estimator.evaluation().loss;
            if room >= 0.5 * set.room() {
                let (components, passes) = (estimator.theta().to_vec(), estimator.passes() as u32);
                let mut theta = vec![0.0; set.centre.len()];
                coordinates.parameter(&components, &mut theta);
                return Self { theta, components, room, passes };
            }
        }
        let components = coordinates.of_parameter(set.centre);
        Self { theta: set.centre.to_vec(), components, room: set.room(), passes: estimator.passes() as u32 }
    }

    /// Moves a point that lies over the level, by what the method had left open or by rounding, so far towards the anchor
    /// that convexity puts it below; a little more where that is lost in rounding. False if even that fails.
    fn pull_inside(&self, set: &LevelSet<'_>, theta: &mut [f64], passes: &mut u32) -> bool {
        for attempt in 0..4 {
            let over = set.loss(theta) - set.level;
            *passes += 1;
            if over <= 0.0 {
                return true;
            }
            let over = if attempt == 0 { over } else { 2.0 * over };
            let give = over / (over + self.room);
            theta.iter_mut().for_each(|t| *t *= 1.0 - give);
            add_scaled(theta, give, &self.theta);
        }
        false
    }
}

/// The answer for a direction in which the set does not end. The point reported is one of the set, far out on the ray.
fn unbounded(solver: &mut SupportSolver, set: &LevelSet<'_>, ray: &[f64], passes: u32) -> Support {
    let far = 1e3 * norm(set.centre).max(1.0) / norm(ray);
    let point = solver.spare();
    point.copy_from_slice(set.centre);
    add_scaled(point, far, ray);
    solver.keep_spare();
    Support { status: SupportStatus::Unbounded, passes, ..Support::constant(f64::INFINITY) }
}
