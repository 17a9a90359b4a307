//! Sets without norm bound and without ridge, which may reach to infinity.
//!
//! If the loss does not grow along x itself the answer is known at once. Otherwise the problem is solved in a large
//! ball. If the ball does not bind, the maximiser is that of the whole set, and the entropy dual certifies it without
//! the ball. If it binds, either the ray from the centre through the maximiser stays in the set as far as doubles reach,
//! and the set is unbounded in this direction, or a larger ball is needed.

use super::support::{Support, SupportSolver, SupportStatus, Target};
use crate::history::History;
use crate::linalg::{dot, norm};
use crate::set::LevelSet;

/// The radius of the first ball; every further one is a thousand times larger.
const FIRST_RADIUS: f64 = 1e3;
const LAST_RADIUS: f64 = 1e13;

/// Cosine between x and the maximiser in the last ball from which on the set is unbounded for every purpose. A set that
/// recedes along u may do so beside its centre: then no ray from the centre through a point of it stays inside, but the
/// maximisers in growing balls turn towards u. Where the maximum is finite they turn away from x like 1/radius.
const RECEDING: f64 = 1e-6;

pub(super) fn maximise(solver: &mut SupportSolver, set: &LevelSet<'_>, x: &[f64], target: Target) -> Support {
    if growth_along(set.history, x) == 0.0 {
        return unbounded(0);
    }
    // Falling below the cutoff within a ball proves nothing about the rest of the set.
    let target = Target::exact(target.tolerance);
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
            return unbounded(passes);
        } else if radius >= LAST_RADIUS {
            if support.value > RECEDING * radius * x_norm {
                return unbounded(passes);
            }
            return Support { upper_bound: f64::INFINITY, status: SupportStatus::Inexact, ..support };
        }
        radius *= 1e3;
    }
}

fn unbounded(passes: u32) -> Support {
    let (value, status) = (f64::INFINITY, SupportStatus::Unbounded);
    Support { value, upper_bound: value, level_multiplier: 0.0, norm_multiplier: 0.0, status, passes }
}

/// The slope of the log-loss far out along `u`: its failures where u makes success likely, and the reverse.
fn growth_along(history: &History, u: &[f64]) -> f64 {
    let mut x = vec![0.0; u.len()];
    (0..history.rows())
        .map(|row| {
            history.features(row, &mut x);
            let (count, reward) = history.outcomes(row);
            let z = dot(&x, u);
            if z > 0.0 { (count - reward) * z } else { -reward * z }
        })
        .sum()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Belief;

    /// Successes along the first axis and a failure along the second leave the first without end and the second with
    /// one, and the centre lies beside every ray that stays inside.
    #[test]
    fn a_set_that_recedes_beside_its_centre_is_unbounded() -> crate::Result<()> {
        let mut belief = Belief::new(2, None, 0.05)?;
        belief.observe_many(&[1.0, 0.0], 1.0, 3)?;
        belief.observe(&[0.0, 1.0], 0.0)?;
        let set = belief.set();
        let mut solver = SupportSolver::new(2);
        let mut solve = |x: &[f64; 2]| solver.solve(&set, x, Target::exact(1e-9));
        for x in [[1.0, 0.0], [0.6, 0.8], [-0.6, -0.8], [1e-3, 1.0], [1e-20, 1e-20]] {
            let support = solve(&x)?;
            assert_eq!((support.status, support.value), (SupportStatus::Unbounded, f64::INFINITY), "{x:?}");
        }
        for x in [[-1.0, 0.0], [0.0, 1.0], [-0.6, 0.8]] {
            let support = solve(&x)?;
            assert!(support.value.is_finite() && support.gap() <= 1e-7 * support.value.abs(), "{x:?}: {support:?}");
        }
        Ok(())
    }
}
