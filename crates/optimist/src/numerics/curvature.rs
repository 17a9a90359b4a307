//! How much the log-loss of one observation curves over an interval of log-odds.
//!
//! The least curvature is the smallest that the weight alpha~(x, theta_1, theta_2) of Abeille, Faury and Calauzenes 2021 can be if
//! x'theta_1 = u and x'theta_2 lies in the interval: exact where their Lemma 8 has mu'(u)/(2 + |z - u|).

use crate::link::{self, lane};

/// The least (softplus(z) - softplus(u) - mu(u)(z - u))/(z - u)^2 over low <= z <= high; at z = u it is mu'(u)/2.
///
/// With h = z - u and G(h) the numerator, the quotient's derivative has the sign of N = (h G' - 2G)/h, and
/// (h G' - 2G)'' = h mu''(u + h) changes sign once, at u + h = 0, from rising to falling: on either side of u the quotient
/// first rises and then falls, so that its least value is at u or at an end.
pub(crate) fn least_curvature(u: f64, low: f64, high: f64) -> f64 {
    curvature(u, low).min(curvature(u, high)).min(0.5 * link::variance(u))
}

/// Twice the [`least_curvature`] over |z - u| <= `change`, a little less, without a branch: for vectorised loops.
///
/// It is at the end that is farther from zero: mu' is even and falls with the distance from zero, so that at each step
/// outwards it is at most what it is at the same step inwards. With u <= 0 that is z = u - b, b = `change`, and the quotient
/// is 2 int_0^b (b - v) mu'(u - v) dv / b^2. Where that cancels, Taylor's formula for mu' at u takes its place, with the slope
/// mu'(1 - 2 mu) and the second derivative mu'(1 - 6 mu') >= -mu'(u)/2 on that side of u.
#[inline(always)]
pub(crate) fn least_curvature_lane(u: f64, change: f64) -> f64 {
    let from = -u.abs();
    let (start, end) = (lane(from), lane(from - change));
    let slope = start.mean * change;
    // Logarithms and exponentials are within a few units in the last place.
    let rounding = 16.0 * f64::EPSILON * (end.log1p_exp + start.log1p_exp + slope);
    let far = 2.0 * (end.log1p_exp - start.log1p_exp + slope - rounding) / (change * change);
    let near = start.variance * (1.0 - change * (1.0 - 2.0 * start.mean) / 3.0 - change * change / 24.0);
    let least = if change < 0.02 { near } else { far };
    if least > 0.0 { least } else { 0.0 }
}

/// The greatest such quotient over low <= z <= high.
///
/// By the same argument it is unimodal on the whole line. Its mode is z = -u, where the parabola that touches softplus at u
/// and lies above it touches it again: there it is w(u)/2. So its greatest value is at the point of the range nearest to -u.
pub(crate) fn greatest_curvature(u: f64, low: f64, high: f64) -> f64 {
    let most = 0.5 * link::parabola_curvature(u) * (1.0 + 1e-14);
    let z = (-u).max(low).min(high);
    if z == -u { most } else { curvature_above(u, z).min(most) }
}

/// The quotient at one z, from above.
fn curvature_above(u: f64, z: f64) -> f64 {
    let h = z - u;
    // The third term of the series is at most h^2/576.
    if h.abs() < 1e-4 {
        return 0.5 * link::variance(u) * (1.0 + 1e-12) + h * link::skew(u) / 6.0 + h * h / 500.0;
    }
    let (u, z) = if u > 0.0 { (-u, -z) } else { (u, z) };
    let terms = [link::softplus(z), link::softplus(u), link::mean(u) * (z - u)];
    let rounding = 4.0 * f64::EPSILON * (terms[0] + terms[1] + terms[2].abs());
    (terms[0] - terms[1] - terms[2] + rounding) / (h * h)
}

/// The quotient at one z, from below.
fn curvature(u: f64, z: f64) -> f64 {
    let h = z - u;
    // Below that the numerator cancels. The first two terms of the series are exact to 1e-8 of the variance, and taking
    // 1e-6 off makes the result a lower bound.
    if h.abs() < 1e-4 {
        return (0.5 * link::variance(u) + h * link::skew(u) / 6.0).max(0.0) * (1.0 - 1e-6);
    }
    // softplus(v) = v + softplus(-v): the numerator is the same for (-u, -z), and its terms are small on this side.
    let (u, z) = if u > 0.0 { (-u, -z) } else { (u, z) };
    let terms = [link::softplus(z), link::softplus(u), link::mean(u) * (z - u)];
    let rounding = 4.0 * f64::EPSILON * (terms[0] + terms[1] + terms[2].abs());
    ((terms[0] - terms[1] - terms[2] - rounding) / (h * h)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// The integral of (1 - v) mu'(u + v h) over v in [0, 1], by Simpson's rule: the quotient without cancellation.
    fn quadrature(u: f64, z: f64) -> f64 {
        let n = 2000;
        let at = |i: usize| {
            let v = i as f64 / n as f64;
            let weight = if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
            weight * (1.0 - v) * link::variance(u + v * (z - u))
        };
        (0..=n).map(at).sum::<f64>() / (3.0 * n as f64)
    }

    #[test]
    fn the_vectorised_bound_is_twice_the_least_curvature_of_both_ends() {
        for u in [0.0, 0.2, -1.0, 3.0, -9.0, 40.0] {
            for change in [0.0, 1e-6, 1e-3, 0.0199, 0.02, 0.1, 1.0, 4.0, 30.0] {
                let bound = least_curvature_lane(u, change);
                let ends = [u - change, u, u + change].map(|z| 2.0 * quadrature(u, z));
                let least = ends.into_iter().fold(f64::INFINITY, f64::min);
                // Simpson's rule is itself good to seven digits or so.
                assert!(
                    bound <= least * (1.0 + 1e-7) && bound >= least * (1.0 - 1e-4),
                    "{u} {change}: {bound} {least}"
                );
            }
        }
        // What is too far away to be seen.
        assert_eq!(least_curvature_lane(-900.0, 1.0), 0.0);
        assert!(least_curvature_lane(1.0, 1e12) >= 0.0);
    }

    #[test]
    fn the_least_curvature_is_a_lower_bound_that_is_attained() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for _ in 0..300 {
            let u = rng.random_range(-12.0..12.0);
            let a: f64 = u + rng.random_range(-10.0..10.0) * 10f64.powf(rng.random_range(-6.0..0.0));
            let b: f64 = u + rng.random_range(-10.0..10.0) * 10f64.powf(rng.random_range(-6.0..0.0));
            let (low, high) = (a.min(b), a.max(b));
            let least = least_curvature(u, low, high);
            let mut seen = quadrature(u, u);
            for i in 0..=40 {
                let value = quadrature(u, low + (high - low) * f64::from(i) / 40.0);
                seen = seen.min(value);
                assert!(least <= value * (1.0 + 1e-9), "u {u}, [{low}, {high}]: {least} above {value}");
            }
            assert!(least >= seen * (1.0 - 1e-4), "u {u}, [{low}, {high}]: {least} far below {seen}");
        }
    }

    #[test]
    fn the_greatest_curvature_is_an_upper_bound_that_is_attained() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        for _ in 0..300 {
            let u = rng.random_range(-12.0..12.0);
            let a: f64 = u + rng.random_range(-20.0..20.0) * 10f64.powf(rng.random_range(-6.0..0.0));
            let b: f64 = u + rng.random_range(-20.0..20.0) * 10f64.powf(rng.random_range(-6.0..0.0));
            let (low, high) = (a.min(b), a.max(b));
            let greatest = greatest_curvature(u, low, high);
            let mut seen: f64 = 0.0;
            for i in 0..=400 {
                let value = quadrature(u, low + (high - low) * f64::from(i) / 400.0);
                seen = seen.max(value);
                assert!(greatest >= value * (1.0 - 1e-9), "u {u}, [{low}, {high}]: {greatest} below {value}");
            }
            assert!(greatest <= seen * (1.0 + 1e-3), "u {u}, [{low}, {high}]: {greatest} far above {seen}");
        }
    }
}
