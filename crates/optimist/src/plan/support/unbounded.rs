//! Sets without norm bound and without ridge, which may reach to infinity.
//!
//! Mostly they do not, and Newton's method in a large ball finds a maximiser that the entropy dual ([`super::dual`])
//! certifies without the ball. Otherwise it is decided whether the set is unbounded in the direction asked for
//! ([`super::recession`]). If not, the maximum is finite but perhaps only approached at infinity (an arm that always
//! succeeded takes no share of the level in the limit). A small ridge in the set's loss, in coordinates in which all
//! directions are alike ([`super::coordinates`]), makes it attained in a subset; the entropy dual bounds the maximum
//! without the ridge, and the ridge is lowered until the two agree.

use super::coordinates::Coordinates;
use super::dual::entropy_bound;
use super::recession::{gaining_ray, is_in_span};
use super::{Support, SupportSolver, SupportStatus, Target, WarmStart};
use crate::fit::{Estimator, GRADIENT_TOLERANCE, Penalty};
use crate::numerics::{add_scaled, dot, norm};
use crate::set::LevelSet;

/// Size of the ball of the first attempt, relative to the distance at which log-odds of one are reached.
const BALL: f64 = 1e3;

/// Newton steps of the first attempt.
const ATTEMPT: usize = 15;

/// Times the ridge is lowered, each time by a factor of a hundred if possible.
const STAGES: usize = 30;

/// Passes of a stage that was hard.
const HARD: u32 = 40;

/// Passes after which the search is abandoned; it rarely needs more than a few hundred.
const PASS_LIMIT: u32 = 5000;

pub(super) fn maximise(
    solver: &mut SupportSolver,
    set: &LevelSet<'_>,
    x: &[f64],
    warm: Option<WarmStart<'_>>,
    target: Target,
) -> Support {
    let mut attempt = in_ball(solver, set, x, warm, target);
    if attempt.status != SupportStatus::Inexact {
        return attempt;
    }
    if let Some(ray) = gaining_ray(set.history, x) {
        return unbounded(solver, set, &ray, attempt.passes);
    }
    (attempt.upper_bound, attempt.level_multiplier) = (f64::INFINITY, 0.0);
    // What follows sees the span of the data only. (Outside of it there is a ray; rounding may have hidden it.)
    if !is_in_span(set.history, x) {
        return attempt;
    }
    // Data without any arm that is not zero had given a ray.
    let Some(coordinates) = Coordinates::new(set.history) else { return attempt };
    by_stages(solver, set, x, target, &coordinates, attempt)
}

/// The attempt to do without all of the rest.
fn in_ball(
    solver: &mut SupportSolver,
    set: &LevelSet<'_>,
    x: &[f64],
    warm: Option<WarmStart<'_>>,
    target: Target,
) -> Support {
    let norm_bound = BALL * norm(set.centre).max(1.0 / set.history.max_norm());
    if norm_bound.is_infinite() {
        return Support { status: SupportStatus::Inexact, ..Support::constant(dot(x, set.centre)) };
    }
    let mut support = solver.attempt(&LevelSet { norm_bound, ..*set }, x, warm, target, ATTEMPT);
    if matches!(support.status, SupportStatus::Level | SupportStatus::Cut) {
        let bound = entropy_bound(set, x, 1.0 / support.level_multiplier, solver.last_point());
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
    if upper >= value - 1e-6 * (1.0 + value.abs()) { upper.max(value) } else { f64::INFINITY }
}

/// Whether the gap is closed. A factor of two is left for two ways to bound the same maximum.
fn is_closed(set: &LevelSet<'_>, x: &[f64], target: Target, support: &Support, length: f64) -> bool {
    let allowance = target.allowance(support.value, norm(x), length);
    support.gap() <= allowance + set.rounding() * support.level_multiplier
}

/// Solves in other coordinates with smaller and smaller ridge.
fn by_stages(
    solver: &mut SupportSolver,
    set: &LevelSet<'_>,
    x: &[f64],
    target: Target,
    coordinates: &Coordinates,
    attempt: Support,
) -> Support {
    let direction = coordinates.of_arm(x);
    let mut search = Search::new(set, coordinates, &direction, attempt);
    let mut inside = vec![0.0; x.len()];
    let mut previous: Option<Vec<f64>> = None;
    for _ in 0..STAGES {
        let maximiser = search.stage(&direction, target);
        coordinates.parameter(search.centre.theta(), &mut inside);
        // Where the maximum is only approached, maximisers move outwards from stage to stage: some may be skipped.
        for skip in if previous.is_some() { &[0.0, 1.0, 4.0, 16.0][..] } else { &[0.0] } {
            let mut point = maximiser.clone();
            for (p, (m, before)) in point.iter_mut().zip(maximiser.iter().zip(previous.as_ref().unwrap_or(&maximiser)))
            {
                *p += skip * (m - before);
            }
            coordinates.parameter(&point, solver.spare());
            let value = search.move_to_level(set, x, &inside, solver.spare());
            if value > search.result.value && search.is_inside(set, solver.spare()) {
                search.result.value = dot(x, solver.spare());
                solver.keep_spare();
            }
        }
        previous = Some(maximiser);
        search.result.upper_bound = consistent(search.result.upper_bound, search.result.value);
        if is_closed(set, x, target, &search.result, norm(solver.maximiser())) {
            search.result.status = SupportStatus::Level;
            break;
        }
        if search.result.passes > PASS_LIMIT {
            break;
        }
    }
    search.result
}

/// The state of the search from one ridge to the next, in the new coordinates.
struct Search<'a> {
    /// Level and data; the centre is that of the present ridge.
    set: LevelSet<'a>,
    /// What the set's own centre leaves to the level.
    room: f64,
    ridge: f64,
    /// The point of least loss with the ridge. The set's own centre may be far out, where the loss is flat.
    centre: Estimator,
    inner: SupportSolver,
    result: Support,
    /// The level's multiplier in the last stage: what a little more of the level is worth.
    worth: f64,
    /// By how much the ridge is lowered next.
    factor: f64,
    /// The last stage that succeeded.
    foothold: Option<Foothold>,
}

/// Where a stage may start from.
struct Foothold {
    ridge: f64,
    theta: Vec<f64>,
    level_multiplier: f64,
}

impl<'a> Search<'a> {
    fn new(set: &LevelSet<'a>, coordinates: &'a Coordinates, direction: &[f64], result: Support) -> Self {
        let room = set.room();
        Self {
            set: LevelSet { history: &coordinates.history, ..*set },
            room,
            ridge: 1e-3 * room,
            centre: Estimator::new(direction.len()),
            inner: SupportSolver::new(direction.len()),
            result,
            worth: 0.0,
            factor: 1e-2,
            foothold: None,
        }
    }

    /// Solves with the next ridge and improves the upper bound; returns the maximiser.
    fn stage(&mut self, direction: &[f64], target: Target) -> Vec<f64> {
        if let Some(foothold) = &self.foothold {
            self.ridge = self.factor * foothold.ridge;
        }
        let level = self.find_centre();
        let (centre, at_centre) = (self.centre.theta(), self.centre.evaluation());
        let set = LevelSet { ridge: self.ridge, level, centre, at_centre, ..self.set };
        let warm = self.foothold.as_ref().map(|foothold| WarmStart {
            theta: &foothold.theta,
            level_multiplier: foothold.level_multiplier,
            norm_multiplier: 0.0,
        });
        let stage = self.inner.approach(&set, direction, warm, target);
        self.result.passes += stage.passes + 1;
        self.worth = stage.level_multiplier;
        let bound = entropy_bound(&self.set, direction, 1.0 / stage.level_multiplier, self.inner.last_point());
        if bound.upper < self.result.upper_bound {
            (self.result.upper_bound, self.result.level_multiplier) = (bound.upper, bound.level_multiplier);
        }
        self.take_foothold(&stage);
        self.inner.maximiser().to_vec()
    }

    /// A stage that did not succeed is tried again with a ridge nearer to that of the last which did.
    fn take_foothold(&mut self, stage: &Support) {
        if stage.status == SupportStatus::Inexact && self.foothold.is_some() {
            self.factor = self.factor.sqrt().min(0.7);
            return;
        }
        let (theta, level_multiplier) = (self.inner.last_point().to_vec(), stage.level_multiplier);
        self.foothold = Some(Foothold { ridge: self.ridge, theta, level_multiplier });
        // The next stage is as far away as this one was easy.
        let power = if stage.passes > HARD { 0.5 } else { 2.0 };
        self.factor = self.factor.powf(power).clamp(1e-2, 0.3);
    }

    /// Minimises the loss with the ridge and returns the stage's level: the set's, or if that leaves too little room, as
    /// with a large ridge, a higher one. Such a stage only leads to the next.
    fn find_centre(&mut self) -> f64 {
        let before = self.centre.passes();
        self.centre.minimise(self.set.history, Penalty::ridge(self.ridge), None, GRADIENT_TOLERANCE);
        self.result.passes += (self.centre.passes() - before) as u32;
        let theta = self.centre.theta();
        let least = self.centre.evaluation().loss + 0.5 * self.ridge * dot(theta, theta);
        self.set.level.max(least + 0.5 * self.room)
    }

    /// Moves a point to the level and returns its value. One above it, because the stage's level was higher or because
    /// of rounding, goes towards the set's own centre. One below it, because the ridge took its share, goes away from
    /// `inside`, the stage's centre: at a maximiser every direction gains as much for what it costs, to first order.
    /// Either way convexity gives a point of the set.
    fn move_to_level(&mut self, set: &LevelSet<'_>, x: &[f64], inside: &[f64], theta: &mut [f64]) -> f64 {
        let slack = set.level - set.loss(theta);
        self.result.passes += 1;
        if slack < 0.0 {
            self.pull_back(set, -slack, theta);
            return dot(x, theta);
        }
        let outward: Vec<f64> = theta.iter().zip(inside).map(|(t, c)| t - c).collect();
        let length = slack * self.worth / dot(x, &outward);
        let beyond: Vec<f64> = theta.iter().zip(&outward).map(|(t, o)| t + length * o).collect();
        if length > 0.0 && length < 1.0 {
            let cost = slack - (set.level - set.loss(&beyond));
            self.result.passes += 1;
            let share = if cost > slack { slack / cost } else { 1.0 };
            add_scaled(theta, share * length, &outward);
        }
        dot(x, theta)
    }

    /// Moves a point that lies `over` the level so far towards the set's own centre that convexity puts it below.
    fn pull_back(&self, set: &LevelSet<'_>, over: f64, theta: &mut [f64]) {
        let give = over / (over + self.room);
        theta.iter_mut().for_each(|t| *t *= 1.0 - give);
        add_scaled(theta, give, set.centre);
    }

    /// Whether a point that convexity puts in the set lies there when the loss is evaluated. Far out along arms that
    /// nearly cancel it may not, by rounding; a little more is given then.
    fn is_inside(&mut self, set: &LevelSet<'_>, theta: &mut [f64]) -> bool {
        for _ in 0..3 {
            let over = set.loss(theta) - set.level;
            self.result.passes += 1;
            if over <= 0.0 {
                return true;
            }
            self.pull_back(set, 2.0 * over, theta);
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
