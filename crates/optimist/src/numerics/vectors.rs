//! Sums over the entries of vectors.

use std::borrow::Cow;

/// Number of independent partial sums of a dot product: enough to fill two vector registers and hide their latency.
pub(crate) const LANES: usize = 8;

/// Inner product, with `LANES` partial sums so that the compiler may use vector registers.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (a_main, a_tail) = a.as_chunks::<LANES>();
    let (b_main, b_tail) = b.as_chunks::<LANES>();
    for (x, y) in a_main.iter().zip(b_main) {
        for l in 0..LANES {
            lanes[l] += x[l] * y[l];
        }
    }
    let mut sum = 0.0;
    for (x, y) in a_tail.iter().zip(b_tail) {
        sum += x * y;
    }
    if a_main.is_empty() { sum } else { sum + lanes.iter().sum::<f64>() }
}

/// Euclidean norm, safe against overflow and underflow of the squares.
pub fn norm(a: &[f64]) -> f64 {
    let squared = dot(a, a);
    if squared > 1e-280 && squared < 1e280 {
        return squared.sqrt();
    }
    if squared.is_nan() {
        return f64::NAN;
    }
    let scale = a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if scale == 0.0 || !scale.is_finite() {
        return scale;
    }
    scale * a.iter().map(|v| (v / scale) * (v / scale)).sum::<f64>().sqrt()
}

/// `x` times a power of two, and that power: one, unless `x` is so short that its products would vanish and its reciprocal
/// overflow. No digit is lost. Zero stays as it is.
pub(crate) fn raise(x: &[f64]) -> (Cow<'_, [f64]>, f64) {
    /// 2^100.
    const STEP: f64 = (1_u128 << 100) as f64;
    let largest = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let mut power = 1.0;
    // Ten steps lift the least double of all above 2^-100, and their power is still a double.
    while largest > 0.0 && largest * power < 1.0 / STEP {
        power *= STEP;
    }
    if power == 1.0 { (Cow::Borrowed(x), power) } else { (x.iter().map(|v| v * power).collect(), power) }
}

/// A bound for a vector that was [raised](raise), as one for the vector itself: rounded upwards.
pub(crate) fn bring_back(bound: f64, power: f64) -> f64 {
    if power == 1.0 || bound.is_infinite() { bound } else { (bound / power).next_up() }
}

/// `y += s * x`.
#[inline(always)]
pub fn add_scaled(y: &mut [f64], s: f64, x: &[f64]) {
    for (yi, xi) in y.iter_mut().zip(x) {
        *yi += s * xi;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_of_all_sizes_and_of_none() {
        assert_eq!(norm(&[3.0, 4.0]), 5.0);
        assert_eq!(norm(&[0.0, -0.0]), 0.0);
        for scale in [1e-200, 1e200] {
            assert!((norm(&[3.0 * scale, -4.0 * scale]) / (5.0 * scale) - 1.0).abs() < 1e-15);
        }
        assert_eq!(norm(&[f64::NEG_INFINITY, 1.0]), f64::INFINITY);
        // What is not a number must not pass for a short vector.
        assert!(norm(&[f64::NAN, 0.0]).is_nan() && norm(&[1e200, f64::NAN]).is_nan());
    }

    #[test]
    fn raising_loses_no_digit_and_bounds_come_back_as_bounds() {
        let least = f64::from_bits(1);
        for x in [[least, 0.0], [-1e-310, 3.0 * least], [1e-200, least], [7e-31, 0.0]] {
            let (raised, power) = raise(&x);
            assert!(power > 1.0 && norm(&raised) > 1e-31, "{raised:?}");
            assert!(raised.iter().zip(&x).all(|(r, v)| r / power == *v), "{x:?}");
            for factor in [0.1, 0.5, 1.5, 1e3] {
                let bound = factor * norm(&raised);
                let back = bring_back(bound, power);
                assert!(back * power > bound && back <= 1.5 * bound / power + least, "{back:e}");
            }
            assert_eq!(bring_back(f64::NEG_INFINITY, power), f64::NEG_INFINITY);
        }
        for x in [[0.0, 0.0], [1e-30, 0.0], [1e300, least]] {
            assert_eq!(raise(&x), (Cow::Borrowed(&x[..]), 1.0));
        }
    }
}
