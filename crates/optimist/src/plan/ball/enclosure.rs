//! An ellipsoid around a level set of the log-loss, and the largest norm of its points.
//!
//! With the centre c, M the Hessian of the penalised loss there and G its gradient, second-order self-concordance
//! (Abeille, Faury, Calauzenes 2021) gives L(theta) - L(c) >= G'y + y'My/(2 + D) for y = theta - c, where D bounds the
//! change of every log-odds. So every point of the set has
//!
//! ```text
//! ||y + k M^{-1}G||_M^2 <= 2k(level - L(c)) + k^2 ||G||_{M^{-1}}^2,   k = (2 + D)/2.
//! ```

use crate::numerics::{Cholesky, add_scaled, dot, farthest_bound, norm};
use crate::set::LevelSet;

/// The bound on norms gives D, and D gives a bound on norms: turns of this.
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
        let squared_radius = 2.0 * k * room + k * k * decrement;
        let next = farthest_bound(&mut cholesky, hessian, set.ridge, &middle, squared_radius);
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
    let trace: f64 = (0..d).map(|i| hessian[i * d + i]).sum();
    let mut cholesky = Cholesky::new(d);
    if !cholesky.factor(hessian, set.ridge + 1e-9 * trace) {
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
    for _ in 0..50 {
        cholesky.solve(&mut flat);
        super::normalise(&mut flat);
    }
    directions.push(flat);
    directions
}
