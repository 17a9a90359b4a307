//! How far from m a parameter can be whose loss is at most so much above that at m.
//!
//! Both bounds are of the form "the loss rises by at least F(r) within the distance r", and a parameter with a rise of c is
//! within the largest r with F(r) <= c. All that goes in is taken a relative 1e-9 to the safe side ([`Slope::new`],
//! [`shrink`]), which is far more than what a few operations in doubles can get wrong: so results are bounds without further
//! care.

use crate::history::{History, TILE};
use crate::link::least_growth;
use crate::numerics::{Elementary, least_curvature_lane};

/// What is taken off every number that a bound is computed from.
const SAFETY: f64 = 1e-9;

/// A lower bound, a little lower.
pub(super) fn shrink(bound: f64) -> f64 {
    bound * (1.0 - SAFETY)
}

/// An upper bound, a little higher; a negative rise is taken for none, which is valid as well.
fn stretch(bound: f64) -> f64 {
    bound.max(0.0) * (1.0 + SAFETY)
}

/// The norm of the gradient at m, at least: the loss may fall by that much for each unit of distance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slope(f64);

impl Slope {
    /// `norm` of a gradient whose terms have norms that add up to `total`: this is what rounding may have hidden.
    pub(super) fn new(norm: f64, total: f64) -> Self {
        Self(stretch(norm + 4.0 * f64::EPSILON * total))
    }
}

/// F(r) = (k/2) r^2 - ||g|| r: the loss curves by at least k in all directions, as far as one knows theta* to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parabola {
    pub(super) curvature: f64,
    pub(super) slope: Slope,
}

impl Parabola {
    /// The largest r with F(r) <= c.
    pub(super) fn reach(self, c: f64) -> f64 {
        let Self { curvature, slope: Slope(slope) } = self;
        // Infinite for a curvature of zero, but NaN if the slope is zero, too.
        if !(curvature > 0.0) {
            return f64::INFINITY;
        }
        (slope + (slope * slope + 2.0 * curvature * stretch(c)).sqrt()) / curvature
    }
}

/// F(r) = h (e^{-Xr} + Xr - 1)/X^2 - ||g|| r: equation (2) of the parent module, which asks nothing of theta*.
#[derive(Debug, Clone, Copy)]
pub(super) struct SelfConcordant {
    /// h, the least eigenvalue of the Hessian at m.
    pub(super) curvature: f64,
    pub(super) slope: Slope,
    /// X, the norm of the longest row.
    pub(super) longest: f64,
}

impl SelfConcordant {
    /// F' at infinity: if that is not positive, F never exceeds a bound.
    fn final_slope(self) -> f64 {
        self.curvature / stretch(self.longest) - self.slope.0
    }

    /// Whether F grows without bound.
    pub(super) fn grows(self) -> bool {
        self.final_slope() > 0.0
    }

    /// An r that is at least the largest one with F(r) <= c, and very close to it.
    ///
    /// F is convex, so Newton's method from the right of the root comes down to it without ever passing it: every iterate is
    /// a bound. It starts where the straight line h (Xr - 1)/X^2 - ||g|| r, which is below F, reaches c.
    pub(super) fn reach(self, c: f64) -> f64 {
        let Self { curvature, slope: Slope(slope), longest } = self;
        if !self.grows() {
            return f64::INFINITY;
        }
        let (c, longest) = (stretch(c), stretch(longest));
        let mut r = (c + curvature / (longest * longest)) / self.final_slope();
        for _ in 0..60 {
            let above = curvature * least_growth(longest * r) * r * r - slope * r - c;
            let steepness = -curvature * (-longest * r).exponential_m1() / longest - slope;
            if !(above > 0.0 && steepness > 0.0) {
                break;
            }
            let step = above / steepness;
            r -= step;
            if step < 1e-9 * r {
                break;
            }
        }
        r
    }
}

/// n_s times the least curvature of row s at `theta`, if theta* is within `r` of it: the weights of K in equation (3) of the
/// parent module, and zeros for absent rows.
pub(super) fn least_curvatures(history: &History, theta: &[f64], r: f64, weights: &mut Vec<f64>) {
    weights.resize(history.padded_counts().len(), 0.0);
    crate::numerics::dispatch(Pass { history, theta, r, weights });
}

/// A type and not a closure for the reason given in [`crate::loss`].
struct Pass<'a> {
    history: &'a History,
    theta: &'a [f64],
    r: f64,
    weights: &'a mut [f64],
}

impl pulp::WithSimd for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        for (tile, weights) in self.history.tiles().zip(self.weights.chunks_exact_mut(TILE)) {
            let (mut z, mut squares) = ([0.0; TILE], [0.0; TILE]);
            for (t, column) in self.theta.iter().zip(tile.features.chunks_exact(TILE)) {
                for ((z, square), x) in z.iter_mut().zip(&mut squares).zip(column) {
                    *z += t * x;
                    *square += x * x;
                }
            }
            for ((weight, n), (z, square)) in weights.iter_mut().zip(tile.counts).zip(z.iter().zip(&squares)) {
                *weight = n * least_curvature_lane(*z, square.sqrt() * self.r * (1.0 + SAFETY));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::least_curvature;

    /// The largest r with F(r) <= c, by bisection.
    fn largest(f: impl Fn(f64) -> f64, c: f64) -> f64 {
        let mut high = 1e-9;
        while f(high) <= c {
            high *= 2.0;
        }
        let mut low = 0.0;
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            // From above, in case the function dips first: it is convex, and c is not negative.
            if f(middle) <= c { low = middle } else { high = middle }
        }
        high
    }

    /// e^{-a} + a - 1, by its series where that cancels.
    fn bend(a: f64) -> f64 {
        let series = a * a * (0.5 - a / 6.0 + a * a / 24.0 - a.powi(3) / 120.0);
        if a < 1e-2 { series } else { (-a).exp() + a - 1.0 }
    }

    #[test]
    fn reaches_are_bounds_and_close() {
        for curvature in [1e-2, 1.0, 30.0, 1e4, 1e9] {
            for norm in [0.0, 1e-3, 0.5, 20.0] {
                for c in [0.0, 1e-3, 8.0, 60.0] {
                    let slope = Slope::new(norm, 0.0);
                    let exact = largest(|r| 0.5 * curvature * r * r - norm * r, c);
                    let reach = Parabola { curvature, slope }.reach(c);
                    // Without slope and rise bisection ends somewhere above zero.
                    let low = exact * (1.0 - 1e-12) - 1e-30;
                    assert!(reach >= low && reach <= exact * (1.0 + 1e-6) + 1e-8, "{reach} {exact}");
                    for longest in [0.1, 1.0, 5.0] {
                        let reach = SelfConcordant { curvature, slope, longest }.reach(c);
                        if curvature / longest <= norm * (1.0 + 1e-8) {
                            assert_eq!(reach, f64::INFINITY);
                            continue;
                        }
                        let x = longest;
                        let exact = largest(|r| curvature * bend(x * r) / (x * x) - norm * r, c);
                        assert!(
                            reach >= exact * (1.0 - 1e-12) - 1e-30 && reach <= exact * (1.0 + 1e-5) + 1e-6,
                            "{curvature} {norm} {c} {longest}: {reach} for {exact}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn weights_are_counts_times_least_curvatures() {
        let mut history = History::new(2).unwrap();
        for i in 0..70_u32 {
            history.observe_many(&[1.0, 0.1 * f64::from(i)], 0.5, u64::from(i) + 1).unwrap();
        }
        let mut weights = vec![7.0; 3];
        for r in [1e-6, 1e-2, 1.0, 30.0] {
            least_curvatures(&history, &[0.5, -0.3], r, &mut weights);
            assert_eq!(weights.len(), 2 * TILE);
            for (i, weight) in weights.iter().enumerate() {
                let (y, n) = (0.1 * i as f64, (i + 1) as f64);
                let (z, change) = (0.5 - 0.3 * y, r * 1f64.hypot(y));
                let expected = if i < 70 { 2.0 * n * least_curvature(z, z - change, z + change) } else { 0.0 };
                assert!((weight - expected).abs() <= 1e-4 * expected, "{r} {i}: {weight} {expected}");
            }
        }
    }
}
