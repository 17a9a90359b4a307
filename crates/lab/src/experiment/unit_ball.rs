//! Unit vectors that were written with few digits.

use optimist::numerics::norm;

/// How far above one a norm may be for rounding to explain it: six digits are kept by most programs.
const ROUNDING: f64 = 1e-5;

/// Scales a vector whose norm is above one by no more than rounding explains, so that its norm is at most one; any other
/// is left as it is.
///
/// Guarantees are for arms of norm at most one, and 0.707107, 0.707107 is a little longer. The computed norm is then at
/// most one as well, so that nobody who computes it again finds otherwise.
pub fn onto_unit_ball(x: &mut [f64]) {
    let length = norm(x);
    if !(length > 1.0 && length <= 1.0 + ROUNDING) {
        return;
    }
    x.iter_mut().for_each(|v| *v /= length);
    while norm(x) > 1.0 {
        x.iter_mut().for_each(|v| *v *= 1.0 - f64::EPSILON);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rounded_unit_vectors_are_scaled() {
        let mut rounded = [0.707107, 0.707107];
        onto_unit_ball(&mut rounded);
        assert!(norm(&rounded) <= 1.0 && norm(&rounded) > 1.0 - 1e-15, "{rounded:?}");
        assert!((rounded[0] - std::f64::consts::FRAC_1_SQRT_2).abs() < 1e-15);
        for x in [[0.6, 0.8], [0.707106, 0.707106], [1.0, 0.0], [1.1, 0.0], [0.0, 1.0 + 2e-5], [0.0, 0.0]] {
            let mut same = x;
            onto_unit_ball(&mut same);
            assert_eq!(same, x);
        }
    }

    #[test]
    fn norms_are_never_above_one_afterwards() {
        for i in 0..10_000 {
            let angle = f64::from(i) * 0.001;
            let mut x: Vec<f64> = [angle.cos(), angle.sin(), 0.0].iter().map(|v| (v * 1e5).round() / 1e5).collect();
            onto_unit_ball(&mut x);
            assert!(norm(&x) <= 1.0, "{x:?}");
        }
    }
}
