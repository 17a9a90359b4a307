//! The elementary functions that evaluation needs, in one place so that they can be exchanged together.

/// The natural logarithm.
pub(super) fn ln(x: f64) -> f64 {
    x.ln()
}

/// `ln(1 + x)`, exact for small `x`.
pub(super) fn ln_1p(x: f64) -> f64 {
    x.ln_1p()
}

/// The exponential function.
pub(super) fn exp(x: f64) -> f64 {
    x.exp()
}

/// The `z` beyond which, on both sides together, a standard normal variable lies with probability `delta`.
pub(super) fn normal_two_sided(delta: f64) -> f64 {
    std::f64::consts::SQRT_2 * statrs::function::erf::erfc_inv(delta)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_quantiles_agree_with_tables() {
        for (delta, z) in [(0.05, 1.959963984540054), (0.01, 2.5758293035489004), (0.5, 0.6744897501960817)] {
            assert!((normal_two_sided(delta) - z).abs() < 1e-9, "{delta}: {}", normal_two_sided(delta));
        }
    }
}
