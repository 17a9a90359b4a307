//! The logistic link `mu(z) = 1 / (1 + exp(-z))`, its integral and its derivatives.
//!
//! Everything here is accurate to a few units in the last place over the whole range of doubles, subnormal
//! results included: a likelihood is a sum of many such terms, a curvature is divided by, and a certificate compares
//! two sums, so that a loss of digits in a tail would show as a wrong verdict and not as a small error.
//!
//! The one kernel, [`evaluate`] on slices and the scalar functions alike, is plain arithmetic without branches, calls
//! or fused operations. The compiler turns a loop over it into vector code, and scalar and slice results agree bit for
//! bit on every machine: IEEE addition, multiplication, division and comparison leave no choice.
//!
//! The bounds stated below are asserted by `tests/link.rs` against values computed with 2400 bits. The largest errors
//! seen at 300 000 random points were 1.6 ulp for softplus, 2.1 for mean, 2.3 for variance, 3.4 for skew, 3.3 for the
//! curvature and 1.6 for log_odds. The polynomials are minimax fits; `tests/data/link.py` derives them.

use crate::numerics::Elementary;
use std::f64::consts::LOG2_E;

/// ln 2 to 42 bits, so that its product with an exponent of at most 11 bits is exact.
const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fefa_3800);
/// ln 2 - LN2_HIGH.
const LN2_LOW: f64 = 5.497923018708371e-14;
/// 1.5 * 2^52: adding it rounds to the nearest integer, which then stands in the low bits in two's complement.
const ROUND: f64 = 6755399441055744.0;

/// Q in exp(r) = 1 + r + r^2/2 + r^3 Q(r) for |r| <= ln(2)/2, within 2^-56.5.
const EXP: [f64; 9] = [
    0.16666666666666669,
    0.04166666666661323,
    0.008333333333327968,
    0.0013888888924518544,
    0.00019841269871771116,
    2.4801510118004016e-05,
    2.7557256849657143e-06,
    2.7625055995588533e-07,
    2.5105217695684516e-08,
];

/// L in log((1+s)/(1-s)) = 2s + s^3 L(s^2) for |s| <= 3 - sqrt(8), within 2^-56.8 of 2s.
const LOG: [f64; 7] = [
    0.6666666666666672,
    0.3999999999988123,
    0.28571428629974194,
    0.2222221078216672,
    0.18182902655853359,
    0.15331529487126344,
    0.14616616060881074,
];

/// The three functions a likelihood, its gradient and its Hessian need, at one point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane {
    /// log(1 + e^z)
    pub(crate) softplus: f64,
    /// log(1 + e^-|z|), which the loss needs apart from the ramp
    pub(crate) log1p_exp: f64,
    /// mu(z)
    pub(crate) mean: f64,
    /// mu'(z)
    pub(crate) variance: f64,
}

/// `x = n ln 2 + r`: returns `(n + ROUND, exp(r) - 1)`. NaN stays NaN.
///
/// By Estrin's scheme, whose chain of dependent operations is half as long as Horner's: 12% faster in the loop of
/// [`evaluate`] where it was measured.
#[inline(always)]
fn reduced_expm1(x: f64) -> (f64, f64) {
    let rounded = x * LOG2_E + ROUND;
    let n = rounded - ROUND;
    // The first difference is exact, so that r is wrong by its own rounding only.
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    let r2 = r * r;
    let r4 = r2 * r2;
    let low = (EXP[0] + EXP[1] * r) + (EXP[2] + EXP[3] * r) * r2;
    let high = (EXP[4] + EXP[5] * r) + (EXP[6] + EXP[7] * r) * r2;
    let q = low + (high + EXP[8] * r4) * r4;
    (rounded, r + r2 * (0.5 + r * q))
}

/// 2^(n + lift) for the integer n that `rounded = n + ROUND` carries in its low bits, -1022 <= n + lift <= 1023.
#[inline(always)]
fn power_of_two(rounded: f64, lift: u64) -> f64 {
    f64::from_bits((rounded.to_bits() << 52).wrapping_add((1023 + lift) << 52))
}

/// exp(-t) for t >= 0. NaN stays NaN.
#[inline(always)]
pub(crate) fn exp_negative(t: f64) -> f64 {
    // exp(-746) already rounds to zero; the clamp keeps n within what the scaling below can express. Written this way
    // round it is one instruction and lets NaN pass.
    let x = if -750.0 > -t { -750.0 } else { -t };
    let (rounded, q) = reduced_expm1(x);
    // In two steps, of which only the second can round, and does where the result is subnormal.
    let down = f64::from_bits((1023 - 64) << 52);
    (1.0 + q) * power_of_two(rounded, 64) * down
}

/// exp(-t) - 1 for t >= 0, also for tiny t. NaN stays NaN.
#[inline(always)]
fn expm1_negative(t: f64) -> f64 {
    // exp(-60) is nothing next to 1.
    let x = if -60.0 > -t { -60.0 } else { -t };
    let (rounded, q) = reduced_expm1(x);
    let scale = power_of_two(rounded, 0);
    // Without ever forming exp(-t); for n = 0 it is q itself.
    scale * q + (scale - 1.0)
}

/// log(1 + e) for 0 <= e <= 1. NaN stays NaN.
#[inline(always)]
pub(crate) fn log1p_unit(e: f64) -> f64 {
    // log(1+e) = log(1+f), or ln 2 + log(1+f) with 1+f = (1+e)/2, whichever |f| is smaller; the switch is at sqrt(2)-1.
    let halve = e > 0.414;
    let shifted = e - 1.0;
    let f = if halve { 0.5 * shifted } else { e };
    // s = f / (2 + f), both sides doubled where f was halved, so that the division need not wait for f.
    let s = if halve { shifted } else { e } / (e + if halve { 3.0 } else { 2.0 });
    let high = if halve { LN2_HIGH } else { 0.0 };
    let low = if halve { LN2_LOW } else { 0.0 };
    let w = s * s;
    let w2 = w * w;
    let l = ((LOG[0] + LOG[1] * w) + (LOG[2] + LOG[3] * w) * w2) + ((LOG[4] + LOG[5] * w) + LOG[6] * w2) * (w2 * w2);
    // log(1+f) = 2s + s w l, and 2s = f - s f = f - (f^2/2 - s f^2/2): corrections to f that vanish where f is tiny.
    let square = 0.5 * f * f;
    high - ((square - (s * (square + w * l) + low)) - f)
}

/// softplus, mean and variance at z without a branch: the body of every vectorised loop over logits.
#[inline(always)]
pub(crate) fn lane(z: f64) -> Lane {
    lane_from(z, exp_negative(z.abs()))
}

/// The second half of [`lane`], given e = exp(-|z|).
#[inline(always)]
pub(crate) fn lane_from(z: f64, e: f64) -> Lane {
    let d = 1.0 + e;
    let positive = z > 0.0;
    let ramp = if positive { z } else { 0.0 };
    let numerator = if positive { 1.0 } else { e };
    // (1+e)^2 as 1 + e (2+e): one rounding of a number near 1 instead of three.
    let log1p_exp = log1p_unit(e);
    Lane { softplus: ramp + log1p_exp, log1p_exp, mean: numerator / d, variance: e / (1.0 + e * (2.0 + e)) }
}

/// [`parabola_curvature`] without a branch, for vectorised loops.
#[inline(always)]
pub(crate) fn curvature_lane(z: f64) -> f64 {
    // w = 1/4 - z^2/48 + ... is 1/4 to the last bit below 1e-9, where the quotient would become 0/0.
    let t = z.abs();
    let t = if t < 1e-9 { 1e-9 } else { t };
    // tanh(t/2) / 2 and then the division by t, because 2 t overflows for t that have a (subnormal) reciprocal.
    let m = expm1_negative(t);
    -0.5 * m / (2.0 + m) / t
}

/// `log(1 + exp(z))`, the integral of [`mean`].
///
/// Within 2 ulp for every z. It is 0 at -inf, inf at inf and NaN at NaN.
#[must_use]
#[inline]
pub fn softplus(z: f64) -> f64 {
    lane(z).softplus
}

/// The loss of one observation at logit z.
pub(crate) fn log_loss(z: f64, reward: f64) -> f64 {
    // Without cancellation for rewards of one.
    lane(z).log1p_exp + if z > 0.0 { (1.0 - reward) * z } else { -reward * z }
}

/// `mu(z) = 1 / (1 + exp(-z))`, the probability of a reward at logit z.
///
/// Within 3 ulp for every z. It is 0 at -inf, 1 at inf and NaN at NaN. `1 - mean(z)` is `mean(-z)`, and should be
/// computed so.
#[must_use]
#[inline]
pub fn mean(z: f64) -> f64 {
    lane(z).mean
}

/// `mu'(z) = mu(z) (1 - mu(z))`, the variance of a reward at logit z. It is even and at most 1/4.
///
/// Within 3 ulp for every z. It is 0 at both infinities and NaN at NaN.
#[must_use]
#[inline]
pub fn variance(z: f64) -> f64 {
    lane(z).variance
}

/// `mu''(z) = mu'(z) (1 - 2 mu(z)) = -mu'(z) tanh(z/2)`, the third cumulant of a reward at logit z. It is odd.
///
/// Within 4 ulp for every z, its zero at 0 included. It is 0 at both infinities (with the sign of the limit) and NaN
/// at NaN.
#[must_use]
#[inline]
pub fn skew(z: f64) -> f64 {
    // e (1-e) / (1+e)^3, where neither 1 - e near z = 0 nor the cube for small e suffers from a rounded 1 + e.
    let t = z.abs();
    let e = exp_negative(t);
    (expm1_negative(t) * e / (1.0 + e * (3.0 + e * (3.0 + e)))).copysign(-z)
}

/// `log(p / (1 - p))`, the inverse of [`mean`].
///
/// Within 2 ulp for every p, its zero at 1/2 and subnormal p included: the logarithms are within 1 ulp.
/// It is -inf at 0, inf at 1, and NaN outside `[0, 1]` and at NaN.
#[must_use]
pub fn log_odds(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        f64::NAN
    } else if p < 0.25 {
        // The terms are of opposite sign, but the second is at most a fifth of the first.
        p.logarithm() - (-p).logarithm_1p()
    } else if p < 0.5 {
        // From 1/4 on 2p - 1 is exact, and so is p: one rounded quotient, and log1p of a positive number magnifies
        // no error.
        -((1.0 - 2.0 * p) / p).logarithm_1p()
    } else {
        // Here 1 - p is exact as well; at p = 1 this is log1p(1/0).
        ((2.0 * p - 1.0) / (1.0 - p)).logarithm_1p()
    }
}

/// `w(z) = tanh(z/2) / (2z)`, `w(0) = 1/4`: the curvature of the parabola that touches [`softplus`] at z and at -z and
/// lies above it everywhere else. It is even, decreasing in |z| and at least [`variance`].
///
/// `softplus(x) <= softplus(z) + mean(z) (x - z) + w(z)/2 (x - z)^2` for all x and z, and no smaller curvature will do.
///
/// Within 4 ulp for every z. It is 0 at both infinities and NaN at NaN.
#[must_use]
#[inline]
pub fn parabola_curvature(z: f64) -> f64 {
    curvature_lane(z)
}

/// (e^u - u - 1)/u^2, one half at zero: by how much the loss may grow beyond its tangent, relative to the
/// curvature, when no log-odds changes by more than u (self-concordance with constant one).
pub(crate) fn growth(u: f64) -> f64 {
    if u < 1e-2 { 0.5 + u / 6.0 + u * u / 24.0 + u * u * u / 100.0 } else { (u.exponential_m1() - u) / (u * u) }
}

/// (e^{-u} + u - 1)/u^2, one half at zero: by how much the loss grows beyond its tangent at least, relative to the curvature,
/// when no log-odds changes by more than u.
pub(crate) fn least_growth(u: f64) -> f64 {
    // Below that the formula would cancel, and the series is exact to the last digits; cut after a negative term it is a
    // lower bound.
    if u < 1e-3 { 0.5 - u / 6.0 + u * u / 24.0 - u * u * u / 120.0 } else { ((-u).exponential_m1() + u) / (u * u) }
}

/// [`softplus`], [`mean`] and [`variance`] of every element of `z` in one pass, bit for bit what these return.
///
/// # Panics
///
/// If the four slices are not of equal length.
pub fn evaluate(z: &[f64], softplus: &mut [f64], mean: &mut [f64], variance: &mut [f64]) {
    let n = z.len();
    assert!(
        softplus.len() == n && mean.len() == n && variance.len() == n,
        "link::evaluate: {n} logits, but room for {} softplus, {} means and {} variances",
        softplus.len(),
        mean.len(),
        variance.len()
    );
    crate::numerics::dispatch(Pass { z, softplus, mean, variance });
}

/// Elements to a block of [`Pass`]: four slices of it fit in the first-level cache.
const BLOCK: usize = 256;

/// The loop of [`evaluate`], which the dispatch compiles once for each instruction set.
///
/// A closure would do the same but for one thing: it cannot be marked `inline(always)`, and left to itself the compiler
/// keeps one copy of so large a body, built for the oldest processor, and calls it from everywhere.
struct Pass<'a> {
    z: &'a [f64],
    softplus: &'a mut [f64],
    mean: &'a mut [f64],
    variance: &'a mut [f64],
}

impl pulp::WithSimd for Pass<'_> {
    type Output = ();

    // The chain of dependent operations in `lane` is longer than what a processor can look ahead, so that a loop over
    // it waits for results most of the time. Two shorter loops over a block, the first leaving the exponentials where
    // the variances will be, keep more elements in flight: 4.4 ns instead of 5.7 an element where this was measured.
    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let blocks = self.z.chunks(BLOCK).zip(self.softplus.chunks_mut(BLOCK));
        let blocks = blocks.zip(self.mean.chunks_mut(BLOCK)).zip(self.variance.chunks_mut(BLOCK));
        for (((z, softplus), mean), variance) in blocks {
            for (&z, e) in z.iter().zip(&mut *variance) {
                *e = exp_negative(z.abs());
            }
            for (((&z, s), m), v) in z.iter().zip(softplus).zip(mean).zip(variance) {
                let at = lane_from(z, *v);
                (*s, *m, *v) = (at.softplus, at.mean, at.variance);
            }
        }
    }
}
