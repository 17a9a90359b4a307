//! Sets without norm bound and without ridge, which may reach to infinity.
//!
//! Whether they do in the direction asked for is decided first ([`super::recession`]). If not, the maximum is finite but
//! perhaps only approached at infinity (an arm that always succeeded takes no share of the level in the limit). A small
//! ridge in the set's loss makes it attained, in a subset; the entropy dual ([`super::dual`]) bounds the maximum without
//! the ridge, and the ridge is lowered until the two agree.

use super::dual::entropy_bound;
use super::recession::gaining_ray;
use super::support::{Support, SupportSolver, SupportStatus, Target, WarmStart};
use crate::linalg::{dot, norm};
use crate::set::LevelSet;

/// Times the ridge is lowered, each time by a factor of a hundred at least.
const STAGES: usize = 10;

pub(super) fn maximise(solver: &mut SupportSolver, set: &LevelSet<'_>, x: &[f64], target: Target) -> Support {
    if let Some(ray) = gaining_ray(set.history, x) {
        return unbounded(solver, set, &ray);
    }
    let room = set.level - set.centre_loss();
    // The data are not empty, or the ray had been found: log-odds of one are reached at this distance.
    let unit = norm(set.centre).max(1.0 / set.history.max_norm());
    let mut ridge = 1e-4 * room / (unit * unit);
    let mut result = Support { upper_bound: f64::INFINITY, ..nothing(dot(x, set.centre)) };
    let mut last = Vec::new();
    let mut best = set.centre.to_vec();
    for _ in 0..STAGES {
        let warm = (!last.is_empty()).then(|| WarmStart {
            theta: &last,
            level_multiplier: result.level_multiplier,
            norm_multiplier: 0.0,
        });
        let stage = solver.approach(&LevelSet { ridge, ..*set }, x, warm, target);
        result.passes += stage.passes;
        if stage.value > result.value {
            result.value = stage.value;
            best.copy_from_slice(solver.maximiser());
        }
        last = solver.last_point().to_vec();
        let upper = entropy_bound(set, x, 1.0 / stage.level_multiplier, &last);
        result.passes += 1;
        if upper < result.upper_bound {
            result.upper_bound = upper.max(result.value);
        }
        result.level_multiplier = stage.level_multiplier;
        let length = norm(&last);
        let allowance = target.allowance(result.value, norm(x), norm(&best));
        if result.gap() <= allowance + set.rounding() * result.level_multiplier {
            result.status = SupportStatus::Level;
            break;
        }
        // The ridge takes ridge ||theta||^2/2 from the level, which is worth that much times the multiplier.
        ridge = (0.01 * ridge).min(0.2 * allowance / (result.level_multiplier * length * length));
    }
    solver.best_mut().copy_from_slice(&best);
    result
}

fn nothing(value: f64) -> Support {
    let status = SupportStatus::Inexact;
    Support { value, upper_bound: value, level_multiplier: 0.0, norm_multiplier: 0.0, status, passes: 0 }
}

/// The answer for a direction in which the set does not end. The point reported is one of the set, far out on the ray.
fn unbounded(solver: &mut SupportSolver, set: &LevelSet<'_>, ray: &[f64]) -> Support {
    let far = 1e3 * norm(set.centre).max(1.0) / norm(ray);
    for ((b, c), r) in solver.best_mut().iter_mut().zip(set.centre).zip(ray) {
        *b = c + far * r;
    }
    Support { status: SupportStatus::Unbounded, ..nothing(f64::INFINITY) }
}
