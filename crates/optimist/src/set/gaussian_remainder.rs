//! What the expected log-loss under a Gaussian adds to its second-order expansion: an upper bound, in one pass.
//!
//! For q = N(m, M^{-1}), row s with log-odds z = x_s'm, variance v = x_s'M^{-1}x_s and h ~ N(0, v),
//!
//! ```text
//! E softplus(z + h) = softplus(z) + mu'(z) v/2 + R,   R <= min { v^2/192,  (w(z) - mu'(z)) v/2,  mu'(z) E(v) }
//! E(v) = E[e^|h| - 1 - |h| - h^2/2]
//! ```
//!
//! - The odd moments of h vanish, and the fourth derivative of softplus, mu'(1 - 6 mu (1 - mu)), is at most 1/24: so R is
//!   at most E h^4/(24 * 24).
//! - Softplus lies below the parabola of curvature w(z) that touches it at z (see [`crate::loss`]).
//! - mu'(z + h) <= mu'(z) e^|h| (self-concordance), integrated twice.
//!
//! The first is best near z = 0 and for small v, the last where the link is flat.

use std::f64::consts::FRAC_2_PI;

use crate::history::{History, TILE, Tile};
use crate::link::{curvature_lane, exp_negative, lane_from};
use crate::numerics::{Cholesky, Elementary, LANES};

/// An upper bound on sum_s n_s R_s at `theta`, for the matrix whose factor is given.
pub(crate) fn remainder(history: &History, theta: &[f64], factor: &Cholesky, scratch: &mut Scratch) -> f64 {
    crate::numerics::dispatch(Pass { history, theta, factor, scratch })
}

/// Working memory: a tile of L^{-1}x, one feature after the other.
#[derive(Debug, Clone)]
pub(crate) struct Scratch {
    solved: Vec<f64>,
}

impl Scratch {
    pub(crate) fn new(dimension: usize) -> Self {
        Self { solved: vec![0.0; dimension * TILE] }
    }
}

/// A type and not a closure for the reason given in [`crate::loss`].
struct Pass<'a> {
    history: &'a History,
    theta: &'a [f64],
    factor: &'a Cholesky,
    scratch: &'a mut Scratch,
}

impl pulp::WithSimd for Pass<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
        let mut sum = 0.0;
        for tile in self.history.tiles() {
            sum += tile_remainder(&tile, self.theta, self.factor, &mut self.scratch.solved);
        }
        sum
    }
}

#[inline(always)]
fn tile_remainder(tile: &Tile<'_>, theta: &[f64], factor: &Cholesky, solved: &mut [f64]) -> f64 {
    // Absent rows have count zero and add nothing.
    let used = tile.used.next_multiple_of(LANES);
    let variance = variances(tile, factor, solved, used);
    let mut z = [0.0; TILE];
    for (t, column) in theta.iter().zip(tile.features.chunks_exact(TILE)) {
        for (zi, xi) in z[..used].iter_mut().zip(column) {
            *zi += t * xi;
        }
    }
    let (mut slope, mut bound) = ([0.0; TILE], [0.0; TILE]);
    for (((slope, bound), z), v) in slope[..used].iter_mut().zip(&mut bound).zip(&z).zip(&variance) {
        *slope = lane_from(*z, exp_negative(z.abs())).variance;
        let by_parabola = 0.5 * (curvature_lane(*z) - *slope) * v;
        let by_fourth = v * v / 192.0;
        *bound = if by_fourth < by_parabola { by_fourth } else { by_parabola };
    }
    let rows = tile.counts[..used].iter().zip(&slope).zip(bound.iter().zip(&variance));
    rows.map(|((n, slope), (bound, v))| n * flat(*bound, *slope, *v)).sum()
}

/// x'(LL')^{-1}x for the rows of a tile, by forward substitution of all of them at once.
#[inline(always)]
fn variances(tile: &Tile<'_>, factor: &Cholesky, solved: &mut [f64], used: usize) -> [f64; TILE] {
    let mut squares = [0.0; TILE];
    for (i, column) in tile.features.chunks_exact(TILE).enumerate() {
        let (done, rest) = solved.split_at_mut(i * TILE);
        let current = &mut rest[..used];
        current.copy_from_slice(&column[..used]);
        let (row, inverse) = factor.row(i);
        for (l, before) in row.iter().zip(done.chunks_exact(TILE)) {
            for (c, b) in current.iter_mut().zip(before) {
                *c -= l * b;
            }
        }
        for (c, square) in current.iter_mut().zip(&mut squares) {
            *c *= inverse;
            *square += *c * *c;
        }
    }
    squares
}

/// The smaller of `bound` and mu' E(v). Its first term, mu' E|h|^3/6, tells most rows from those for which it pays.
#[inline(always)]
fn flat(bound: f64, slope: f64, v: f64) -> f64 {
    let third = 2.0 * FRAC_2_PI.sqrt() * v * v.sqrt() / 6.0;
    if !(slope * third < bound) {
        return bound;
    }
    bound.min(slope * exponential_excess(v))
}

/// An upper bound on E[e^|h| - 1 - |h| - h^2/2] for h ~ N(0, v), with the right first term.
///
/// With s = v/2 and sigma = sqrt(v), E e^|h| = 2 e^s Phi(sigma), and because e^-u <= 1 - u + u^2/2,
/// Phi(sigma) <= 1/2 + (sigma - sigma^3/6 + sigma^5/40)/sqrt(2 pi). Written so that nothing cancels.
fn exponential_excess(v: f64) -> f64 {
    let (s, sigma) = (0.5 * v, v.sqrt());
    let grown = s.exponential_m1();
    (grown - s) + FRAC_2_PI.sqrt() * sigma * (grown - (1.0 + grown) * v * (1.0 / 6.0 - v / 40.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link;

    /// E f(h) for h ~ N(0, v), by the trapezoidal rule, which converges faster than any power of the step.
    fn expectation(v: f64, f: impl Fn(f64) -> f64) -> f64 {
        let (step, reach) = (1.0 / 256.0, 14.0);
        let nodes = (-reach / step) as i64..=(reach / step) as i64;
        nodes.map(|i| i as f64 * step).map(|u| (-0.5 * u * u).exp() * f(v.sqrt() * u)).sum::<f64>() * step
            / std::f64::consts::TAU.sqrt()
    }

    #[test]
    fn the_bound_is_one_for_every_row() {
        for z in [0.0, 0.3, 1.0, 2.0, 4.0, 8.0, 15.0] {
            for v in [1e-4, 1e-2, 0.1, 0.5, 1.0, 3.0, 10.0, 40.0] {
                let exact = expectation(v, |h| {
                    link::softplus(z + h) - link::softplus(z) - link::mean(z) * h - 0.5 * link::variance(z) * h * h
                });
                let mut history = History::new(1).unwrap();
                history.observe_many(&[1.0], 0.5, 3).unwrap();
                let mut factor = Cholesky::new(1);
                assert!(factor.factor(&[1.0 / v], 0.0));
                let bound = remainder(&history, &[z], &factor, &mut Scratch::new(1)) / 3.0;
                assert!(bound >= exact - 1e-12, "z={z} v={v}: {bound} below {exact}");
                let parabola = 0.5 * (curvature_lane(z) - link::variance(z)) * v;
                assert!(bound <= parabola + 1e-15, "z={z} v={v}: {bound} above {parabola}");
            }
        }
    }

    #[test]
    fn the_excess_of_the_exponential_is_bounded_closely() {
        for v in [1e-6, 1e-3, 0.1, 0.5, 1.0, 2.0] {
            let exact = expectation(v, |h| h.abs().exp_m1() - h.abs() - 0.5 * h * h);
            let bound = exponential_excess(v);
            // The trapezoidal rule sees the kink of |h|^3 at zero to the fourth power of its step.
            assert!(bound >= exact * (1.0 - 1e-6) && bound <= 1.1 * exact, "v={v}: {bound} for {exact}");
        }
    }

    #[test]
    fn variances_are_quadratic_forms() {
        let mut history = History::new(3).unwrap();
        let rows: Vec<[f64; 3]> = (0..70).map(|i| [1.0, f64::from(i) / 70.0, f64::from(i % 7) / 7.0]).collect();
        for x in &rows {
            history.observe(x, 1.0).unwrap();
        }
        let matrix = [4.0, 0.0, 0.0, 1.0, 3.0, 0.0, -0.5, 0.2, 2.0];
        let mut factor = Cholesky::new(3);
        assert!(factor.factor(&matrix, 0.1));
        let mut solved = vec![0.0; 3 * TILE];
        let mut seen = 0;
        for tile in history.tiles() {
            let squares = variances(&tile, &factor, &mut solved, tile.used.next_multiple_of(LANES));
            for square in &squares[..tile.used] {
                let mut x = rows[seen].to_vec();
                factor.solve_lower(&mut x);
                let expected: f64 = x.iter().map(|v| v * v).sum();
                assert!((square - expected).abs() <= 1e-14 * expected);
                seen += 1;
            }
        }
        assert_eq!(seen, rows.len());
    }
}
