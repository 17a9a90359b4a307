//! The largest norm of the points of a level set, bounded by that of the ellipsoid of [`outer`](crate::plan::outer), and
//! the directions in which a set reaches far.
//!
//! Here the bound on norms gives D, and D, through the ellipsoid, a bound on norms: this is repeated while it gains.

use crate::numerics::{Cholesky, add_scaled, dot, farthest_bound, norm, trace};
use crate::plan::outer::squared_radius;
use crate::set::LevelSet;

/// How often D is bounded anew.
const TURNS: usize = 30;

/// An upper bound on the norm of every point of a bounded set.
pub(super) fn ellipsoid_bound(set: &LevelSet<'_>) -> f64 {
    let mut cholesky = Cholesky::new(set.centre.len());
    let hessian = &set.at_centre.hessian;
    if !cholesky.factor(hessian, set.ridge) {
        return set.reach();
    }
    let mut gradient = set.at_centre.gradient.clone();
    add_scaled(&mut gradient, set.ridge, set.centre);
    let mut newton = gradient.clone();
    cholesky.solve(&mut newton);
    let decrement = dot(&gradient, &newton);
    let room = (set.level - set.centre_loss() + set.rounding()).max(0.0);
    let mut bound = set.reach();
    for _ in 0..TURNS {
        let k = 0.5 * (2.0 + set.history.max_norm() * (bound + norm(set.centre)));
        let mut middle = set.centre.to_vec();
        add_scaled(&mut middle, -k, &newton);
        let squared = squared_radius(k, room, decrement);
        let next = farthest_bound(&mut cholesky, hessian, set.ridge, &middle, squared);
        if next >= bound * (1.0 - 1e-3) {
            return bound.min(next);
        }
        bound = next;
    }
    bound
}

/// Directions in which the loss at the centre is little curved, where a set reaches far: the columns of L^{-T} with
/// M = LL', along which M is one and so the ellipsoid of the loss is met, and one direction of least curvature, by
/// inverse iteration from their sum.
pub(super) fn curved_directions(set: &LevelSet<'_>) -> Vec<Vec<f64>> {
    let d = set.centre.len();
    let hessian = &set.at_centre.hessian;
    let mut cholesky = Cholesky::new(d);
    if !cholesky.factor(hessian, set.ridge + 1e-9 * trace(hessian, d)) {
        return Vec::new();
    }
    let mut flat = vec![0.0; d];
    let mut directions = Vec::with_capacity(d + 1);
    for j in 0..d {
        let mut column = vec![0.0; d];
        column[j] = 1.0;
        cholesky.solve_upper(&mut column);
        add_scaled(&mut flat, 1.0, &column);
        directions.push(column);
    }
    let mut before = flat.clone();
    for _ in 0..50 {
        cholesky.solve(&mut flat);
        super::normalise(&mut flat);
        // From here on nothing would change any more.
        if flat == before {
            break;
        }
        before.copy_from_slice(&flat);
    }
    directions.push(flat);
    directions
}
