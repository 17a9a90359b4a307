//! Sums over the entries of vectors.

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
}
