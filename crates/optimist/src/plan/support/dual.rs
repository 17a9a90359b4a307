//! The certificate for sets without norm bound and without ridge: the entropy dual.
//!
//! For any s in [0, 1], softplus(z) >= s z - h(s) with h(s) = s ln s + (1-s) ln(1-s). So if weights s_k satisfy
//! sum_k (n_k s_k - p_k) x_k = nu x, every theta of the set obeys nu x'theta <= level + sum_k n_k h(s_k). The weights
//! mu(z_k) at an approximate maximiser satisfy the equation up to a residual e. The Newton correction of the dual,
//! s_k - mu'(z_k) x_k'H^{-1}e, removes it, with nu corrected along with the weights; weights that it would carry beyond 0
//! or 1 are fixed there and the others corrected again. That is how an arm which always succeeded gets its weight of
//! exactly one when the maximum is only approached at infinity.
//!
//! What rounding leaves of the residual, e, is charged at the size of the maximiser. That is a bound only if the set ends at all in
//! direction x, about which a small residual says nothing: beside an arm that was played a million times, e hides any direction that
//! was never played. But let H = sum_k n_k v_k x_k x_k' over rows with v_k = s_k (1 - s_k) and n_k v_k >= w. The weights
//! s_k - v_k x_k'H^{-1}e satisfy the equation exactly, and by Cauchy-Schwarz they are off by sqrt(v_k/n_k) ||e||_{H^{-1}} at most, which is
//! below v_k, and so within [0, 1], if ||e||_{H^{-1}}^2 <= w. Then the bound is [certain](DualBound::is_certain) to exist.
//! Elsewhere [`super::recession`] has to be asked.

use super::recession::{Reach, reach};
use super::scaled_factor::ScaledFactor;
use crate::link;
use crate::loss::weighted_design;
use crate::numerics::{Elementary, add_outer, add_scaled, dot, norm};
use crate::set::LevelSet;

/// Corrections before the point is given up as too far from a maximiser.
const CORRECTIONS: usize = 30;

/// What rounding may add to the bound, relative to it, without another correction.
const NEGLIGIBLE: f64 = 1e-10;

/// What rounding leaves of the equation, relative to the terms that cancel in it.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// w above: the least n v of the rows that may take up a residual.
const FREE: f64 = 1e-4;

/// An upper bound on max x'theta over the set, and its derivative in the level.
pub(super) struct DualBound {
    pub(super) upper: f64,
    pub(super) level_multiplier: f64,
    /// Whether the maximum is known to be finite by this alone.
    pub(super) is_certain: bool,
}

impl DualBound {
    const NONE: Self = Self { upper: f64::INFINITY, level_multiplier: 0.0, is_certain: false };
}

/// The bound from the point theta with multiplier 1/nu; infinite if theta is too far from a maximiser, or if the set is not known
/// to end in direction x. Allocates and costs a pass or more: it is used for sets without norm bound only. Whether the set ends
/// is asked for at most once, and left in `known`.
pub(super) fn entropy_bound(
    set: &LevelSet<'_>,
    x: &[f64],
    nu: f64,
    theta: &[f64],
    known: &mut Option<Reach>,
) -> DualBound {
    let bound = entropy_bound_at(set, x, nu, theta, |k| {
        let z = set.history.log_odds(k, theta);
        (link::mean(z), link::mean(-z))
    });
    let mut ends = || matches!(known.get_or_insert_with(|| reach(set.history, x)), Reach::Bounded);
    if bound.upper.is_finite() && (bound.is_certain || ends()) { bound } else { DualBound::NONE }
}

/// As [`entropy_bound`], from weights s_k and 1 - s_k, and for the caller to decide whether a bound that is not certain is one.
pub(super) fn entropy_bound_at(
    set: &LevelSet<'_>,
    x: &[f64],
    nu: f64,
    theta: &[f64],
    weight: impl Fn(usize) -> (f64, f64),
) -> DualBound {
    let mut weights = Weights::at(set, nu, weight);
    let mut stale = true;
    let mut factor = ScaledFactor::new(x.len());
    let mut correction = vec![0.0; x.len()];
    let mut hessian = vec![0.0; x.len() * x.len()];
    let mut best = DualBound::NONE;
    for _ in 0..CORRECTIONS {
        let (left, size) = weights.imbalance(x);
        let length = norm(&left);
        if !(weights.nu > 0.0 && length.is_finite()) {
            break;
        }
        if length <= ROUNDING * size {
            // What is left is rounding error; it is charged at the size of the maximiser.
            let charge: f64 = left.iter().zip(theta).map(|(l, t)| (l * t).abs()).sum();
            let plain = set.level + weights.entropy();
            let upper = (plain + charge) / weights.nu;
            let better = upper < best.upper;
            if better {
                best = DualBound { upper, level_multiplier: 1.0 / weights.nu, is_certain: false };
            }
            if !better || charge <= NEGLIGIBLE * plain.abs() {
                break;
            }
        }
        if stale {
            weights.hessian(x, &mut hessian);
            if !factor.factor(&hessian) {
                break;
            }
        }
        factor.solve(&hessian, &left, &mut correction);
        stale = weights.correct(x, &correction);
    }
    // With nu <= 0 the equation says nothing about x, however well it holds.
    best.is_certain = best.upper.is_finite() && weights.nu > 0.0 && weights.absorb_residual(set, x, &mut factor);
    best
}

/// The dual weights, one per row.
struct Weights {
    rows: Vec<Row>,
    nu: f64,
    /// How freely nu moves: the bound's second derivative in nu is about level/nu^2, as 1/variance is in a weight.
    nu_variance: f64,
}

struct Row {
    x: Vec<f64>,
    count: f64,
    rewards: f64,
    /// s and 1 - s, both kept, so that neither loses digits near its end.
    success: f64,
    failure: f64,
    /// s (1 - s), or zero once the weight is fixed at an end.
    variance: f64,
}

impl Weights {
    fn at(set: &LevelSet<'_>, nu: f64, weight: impl Fn(usize) -> (f64, f64)) -> Self {
        let row = |k| {
            let mut x = vec![0.0; set.history.dimension()];
            set.history.features(k, &mut x);
            let (count, rewards) = set.history.outcomes(k);
            let (success, failure) = weight(k);
            Row { x, count, rewards, success, failure, variance: success * failure }
        };
        Self { rows: (0..set.history.rows()).map(row).collect(), nu, nu_variance: nu * nu / set.level }
    }

    /// sum_k (n_k s_k - p_k) x_k - nu x, and the size of the terms that cancel in it.
    fn imbalance(&self, x: &[f64]) -> (Vec<f64>, f64) {
        let mut left: Vec<f64> = x.iter().map(|v| -self.nu * v).collect();
        let mut size = self.nu * norm(x);
        for row in &self.rows {
            add_scaled(&mut left, balance(row.count, row.rewards, row.success, row.failure), &row.x);
            size += row.count * norm(&row.x);
        }
        (left, size)
    }

    /// The matrix of the correction.
    fn hessian(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        add_outer(out, self.nu_variance, x);
        for row in self.rows.iter().filter(|row| row.variance > 0.0) {
            add_outer(out, row.count * row.variance, &row.x);
        }
    }

    /// Subtracts variance x'correction from every weight; true if some were fixed at an end.
    fn correct(&mut self, x: &[f64], correction: &[f64]) -> bool {
        let mut fixed = false;
        self.nu += self.nu_variance * dot(x, correction);
        for row in self.rows.iter_mut().filter(|row| row.variance > 0.0) {
            let shift = row.variance * dot(&row.x, correction);
            (row.success, row.failure) = (row.success - shift, row.failure + shift);
            if row.success < 0.0 || row.failure < 0.0 {
                (row.success, row.failure) = if row.success < 0.0 { (0.0, 1.0) } else { (1.0, 0.0) };
                (row.variance, fixed) = (0.0, true);
            }
        }
        fixed
    }

    /// Whether rows that are free to move can take up whatever is left of the equation, and all that rounding may hide of it.
    fn absorb_residual(&self, set: &LevelSet<'_>, x: &[f64], factor: &mut ScaledFactor) -> bool {
        let (left, size) = self.imbalance(x);
        let mut free = vec![0.0; set.history.padded_counts().len()];
        for (weight, row) in free.iter_mut().zip(&self.rows) {
            let variance = row.count * row.success * row.failure;
            *weight = if variance >= FREE { variance } else { 0.0 };
        }
        let mut hessian = vec![0.0; x.len() * x.len()];
        weighted_design(set.history, &free, &mut hessian);
        // Each entry of the residual is wrong by the rounding of its own sum at most.
        let rounding = (64 + self.rows.len()) as f64 * f64::EPSILON * size;
        let residual: Vec<f64> = left.iter().map(|l| l.abs() + rounding).collect();
        factor.bound_inverse_form(&hessian, &residual).is_some_and(|bound| bound <= FREE)
    }

    /// sum_k n_k h(s_k).
    fn entropy(&self) -> f64 {
        let of = |p: f64, log: f64| if p > 0.0 { p * log } else { 0.0 };
        let terms = self.rows.iter().map(|row| {
            let (log_success, log_failure) = logarithms(row.success, row.failure);
            row.count * (of(row.success, log_success) + of(row.failure, log_failure))
        });
        terms.sum()
    }
}

/// n s - p for n outcomes with sum p, from s and u = 1 - s: from the side on which nothing cancels.
pub(super) fn balance(count: f64, rewards: f64, s: f64, u: f64) -> f64 {
    if rewards > 0.5 * count { (count - rewards) - count * u } else { count * s - rewards }
}

/// ln s and ln(1 - s) from s and 1 - s. The logarithm near zero is taken from the smaller number: beside s = 1e-15 the other has one
/// digit of it left, and 1e12 observations would make an error of 1e-4 of that in the bound.
pub(super) fn logarithms(success: f64, failure: f64) -> (f64, f64) {
    if success < failure {
        (success.logarithm(), (-success).logarithm_1p())
    } else {
        ((-failure).logarithm_1p(), failure.logarithm())
    }
}
