//! The point of an ellipsoid that is farthest from the origin: the best arm of the unit ball, up to its length.
//!
//! Over { theta : ||theta - c||_A <= r } the norm is largest at c + y with (A - s I)y = s c, where 0 <= s <= the least
//! eigenvalue of A and ||y||_A = r. Such a point is the global maximum although the problem is not convex (the trust-region
//! problem with its sign turned). ||y||_A grows with s, so that s is found by bisection; where c has no part in the
//! flattest direction of A it may stay below r up to the very eigenvalue, and the rest is walked in that direction.
//!
//! By weak duality every s below the least eigenvalue gives a bound, ||theta||^2 <= r^2/s + ||c||^2 + s c'(A - s)^{-1}c,
//! with equality at the best s (the S-lemma). It holds whatever the rounding in the search for s, which the point does
//! not: a proof takes the bound, a pick takes the point.

use super::{Cholesky, Elementary, add_scaled, dot, norm, quadratic_form, square_form};

/// The farthest point of { ||theta - centre||_A <= radius }, A given by its lower triangle.
pub(crate) fn farthest_point(centre: &[f64], a: &[f64], radius: f64) -> Vec<f64> {
    let d = centre.len();
    let mut cholesky = Cholesky::new(d);
    let mut offset = vec![0.0; d];
    let mut reach = |s: f64, offset: &mut Vec<f64>| {
        if !cholesky.factor(a, -s) {
            return f64::INFINITY;
        }
        offset.copy_from_slice(centre);
        cholesky.solve(offset);
        offset.iter_mut().for_each(|v| *v *= s);
        square_form(a, offset).max(0.0).sqrt()
    };
    // The least eigenvalue is at most the least entry of the diagonal.
    let (mut low, mut high) = (0.0, (0..d).map(|i| a[i * d + i]).fold(f64::INFINITY, f64::min));
    // A hundred halvings exhaust the doubles.
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if reach(middle, &mut offset) <= radius { low = middle } else { high = middle }
    }
    reach(low, &mut offset);
    walk(&cholesky, a, radius, centre, &mut offset);
    add_scaled(&mut offset, 1.0, centre);
    offset
}

/// Adds to `offset` what is missing to `radius`, in the flattest direction of A, to the side that leads away from the
/// origin. `cholesky` holds A - s I for an s just below the least eigenvalue, where anything is missing.
fn walk(cholesky: &Cholesky, a: &[f64], radius: f64, centre: &[f64], offset: &mut [f64]) {
    let missing = radius * radius - square_form(a, offset);
    if !(missing > 1e-9 * radius * radius) {
        return;
    }
    // Inverse iteration, from a start that is no eigenvector of any matrix one would meet.
    let mut flat: Vec<f64> = (0..offset.len()).map(|i| 1.0 + (i as f64 + 1.0).sqrt().fract()).collect();
    for _ in 0..8 {
        cholesky.solve(&mut flat);
        let length = norm(&flat);
        flat.iter_mut().for_each(|v| *v /= length);
    }
    let (square, cross) = (square_form(a, &flat), quadratic_form(a, &flat, offset));
    let root = (cross * cross + square * missing).sqrt();
    let away = |step: f64| {
        let sum = |i: usize| centre[i] + offset[i] + step * flat[i];
        (0..centre.len()).map(|i| sum(i).square()).sum::<f64>()
    };
    let steps = [(root - cross) / square, (-root - cross) / square];
    let step = if away(steps[0]) >= away(steps[1]) { steps[0] } else { steps[1] };
    if dot(&flat, &flat).is_finite() {
        add_scaled(offset, step, &flat);
    }
}

/// An upper bound on the norm of every point of { ||theta - middle||_A^2 <= squared_radius } with A = `a` + `ridge` I: the
/// square root of the least dual bound, by ternary search on log s, because the bound is convex in 1/s. `cholesky` is
/// working memory.
pub(crate) fn farthest_bound(
    cholesky: &mut Cholesky,
    a: &[f64],
    ridge: f64,
    middle: &[f64],
    squared_radius: f64,
) -> f64 {
    let d = middle.len();
    let trace: f64 = (0..d).map(|i| a[i * d + i] + ridge).sum();
    let mut at = |log_s: f64| {
        let s = log_s.exponential();
        if !cholesky.factor(a, ridge - s) {
            return f64::INFINITY;
        }
        let mut solved = middle.to_vec();
        cholesky.solve_lower(&mut solved);
        squared_radius / s + dot(middle, middle) + s * dot(&solved, &solved)
    };
    // The least eigenvalue is below the trace; where the factorisation fails, s is too large.
    let (mut low, mut high) =
        ((trace * 1e-18).max(f64::MIN_POSITIVE).logarithm(), trace.max(f64::MIN_POSITIVE).logarithm());
    let mut least = f64::INFINITY;
    for _ in 0..100 {
        let third = (high - low) / 3.0;
        let (left, right) = (at(low + third), at(high - third));
        least = least.min(left).min(right);
        if left <= right { high -= third } else { low += third }
    }
    least.sqrt() * (1.0 + 1e-12)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a fine grid of boundary points, in the plane.
    #[test]
    fn no_point_of_an_ellipse_is_farther() {
        let cases = [
            ([0.3, -0.2], [2.0, 0.0, 0.5, 1.0], 0.7),
            ([0.0, 0.0], [1.0, 0.0, 0.0, 4.0], 2.0),
            ([0.0, 1.0], [1.0, 0.0, 0.0, 4.0], 0.5),
            ([1.0, 0.0], [4.0, 0.0, 0.0, 1.0], 5.0),
            ([0.0, 0.0], [3.0, 0.0, 0.0, 3.0], 1.0),
            ([5.0, 5.0], [300.0, 0.0, 299.0, 299.0], 1.0),
        ];
        for (centre, a, radius) in cases {
            let found = farthest_point(&centre, &a, radius);
            let offset = [found[0] - centre[0], found[1] - centre[1]];
            let size = square_form(&a, &offset).sqrt();
            assert!((size - radius).abs() <= 1e-6 * radius, "{centre:?}: {size}");
            for i in 0..100_000 {
                let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 100_000.0).sin_cos();
                let u = [cos, sin];
                let scale = radius / square_form(&a, &u).sqrt();
                let point = [centre[0] + scale * cos, centre[1] + scale * sin];
                assert!(norm(&point) <= norm(&found) * (1.0 + 1e-6), "{centre:?}: {point:?} beats {found:?}");
            }
        }
    }
}
