//! Sets without norm bound and without ridge, which may reach to infinity.
//!
//! The problem is solved in a large ball. If the ball does not bind, the maximiser is that of the whole set, and the
//! entropy dual certifies it without the ball. If it binds, either the ray from the centre through the maximiser stays
//! in the set as far as doubles reach, and the set is unbounded in this direction, or a larger ball is needed.

use super::support::{Support, SupportSolver, SupportStatus, Target};
use crate::linalg::norm;
use crate::set::LevelSet;

/// The radius of the first ball; every further one is a thousand times larger.
const FIRST_RADIUS: f64 = 1e3;
const LAST_RADIUS: f64 = 1e13;

pub(super) fn maximise(solver: &mut SupportSolver, set: &LevelSet<'_>, x: &[f64], target: Target) -> Support {
    let x_norm = norm(x);
    let mut radius = FIRST_RADIUS * norm(set.centre).max(1.0);
    let mut passes = 0;
    loop {
        let inside = LevelSet { norm_bound: radius, ..*set };
        let mut support = solver.maximise_bounded(&inside, x, x_norm, None, target);
        passes += support.passes;
        support.passes = passes;
        if support.status == SupportStatus::Level {
            let bound = solver.bound_without_ball(set, x, 1.0 / support.level_multiplier);
            support.passes += 1;
            let allowance = 2.0 * target.tolerance * support.value.abs().max(x_norm);
            if bound - support.value <= allowance || radius >= LAST_RADIUS {
                support.upper_bound = bound.max(support.value);
                if bound - support.value > allowance {
                    support.status = SupportStatus::Inexact;
                }
                return support;
            }
        } else if ray_stays_inside(set, solver.maximiser(), x) {
            let value = f64::INFINITY;
            let status = SupportStatus::Unbounded;
            return Support { value, upper_bound: value, level_multiplier: 0.0, norm_multiplier: 0.0, status, passes };
        } else if radius >= LAST_RADIUS {
            return Support { upper_bound: f64::INFINITY, status: SupportStatus::Inexact, ..support };
        }
        radius *= 1e3;
    }
}

/// Whether the set holds points of the ray from the centre through `theta` up to log-odds that doubles cannot tell from
/// certainty: then, the set being convex, it is unbounded for every purpose.
fn ray_stays_inside(set: &LevelSet<'_>, theta: &[f64], x: &[f64]) -> bool {
    let gain: f64 = theta.iter().zip(set.centre).zip(x).map(|((t, c), xi)| (t - c) * xi).sum();
    if !(gain > 0.0) {
        return false;
    }
    let mut point = theta.to_vec();
    [1e3, 1e6, 1e9].iter().all(|factor| {
        for ((p, t), c) in point.iter_mut().zip(theta).zip(set.centre) {
            *p = c + factor * (t - c);
        }
        set.loss(&point) <= set.level
    })
}
