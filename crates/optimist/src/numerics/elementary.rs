//! Elementary functions that are the same on every machine.
//!
//! The standard library leaves logarithms and exponentials to the C library of the system: results differ by a bit or so from one
//! system to the next, and on one system between processors with and without fused operations. A bit is enough for a tie to
//! fall otherwise, after which two machines with the same records are in different states. Here they come from the crate
//! `libm`, which is plain Rust: additions, multiplications and comparisons that IEEE 754 defines to the last bit. Square
//! roots are defined so as well, and stay those of the standard library. What would bypass this is forbidden by `clippy.toml`.

/// Functions of a number, within a unit in the last place or so. The names are not those of the standard library, whose methods
/// would come first.
pub(crate) trait Elementary {
    /// log(x).
    fn logarithm(self) -> f64;
    /// log(1 + x), also for tiny x.
    fn logarithm_1p(self) -> f64;
    /// The logarithm to base two.
    fn logarithm_2(self) -> f64;
    /// e^x.
    fn exponential(self) -> f64;
    /// e^x - 1, also for tiny x.
    fn exponential_m1(self) -> f64;
    /// x^y.
    fn power(self, exponent: f64) -> f64;
    /// x^2.
    fn square(self) -> f64;
    /// x^3.
    fn cube(self) -> f64;
    /// tanh(x).
    fn hyperbolic_tangent(self) -> f64;
    /// cosh(x).
    fn hyperbolic_cosine(self) -> f64;
    /// sin(x).
    fn sine(self) -> f64;
    /// cos(x).
    fn cosine(self) -> f64;
    /// (2/sqrt(pi)) int_0^x exp(-t^2) dt.
    fn error_function(self) -> f64;
    /// One less that, without cancellation for large x.
    fn error_function_rest(self) -> f64;
}

impl Elementary for f64 {
    fn logarithm(self) -> f64 {
        libm::log(self)
    }

    fn logarithm_1p(self) -> f64 {
        libm::log1p(self)
    }

    fn logarithm_2(self) -> f64 {
        libm::log2(self)
    }

    fn exponential(self) -> f64 {
        libm::exp(self)
    }

    fn exponential_m1(self) -> f64 {
        libm::expm1(self)
    }

    fn power(self, exponent: f64) -> f64 {
        libm::pow(self, exponent)
    }

    #[inline]
    fn square(self) -> f64 {
        self * self
    }

    #[inline]
    fn cube(self) -> f64 {
        self * self * self
    }

    fn hyperbolic_tangent(self) -> f64 {
        libm::tanh(self)
    }

    fn hyperbolic_cosine(self) -> f64 {
        libm::cosh(self)
    }

    fn sine(self) -> f64 {
        libm::sin(self)
    }

    fn cosine(self) -> f64 {
        libm::cos(self)
    }

    fn error_function(self) -> f64 {
        libm::erf(self)
    }

    fn error_function_rest(self) -> f64 {
        libm::erfc(self)
    }
}

/// 2^exponent, exactly; zero or infinity beyond the range of doubles.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    libm::ldexp(1.0, exponent)
}

/// The share of the integral of t^(a-1) e^-t over t > 0 that lies below x, for a > 0 and x >= 0, by its series, whose terms are
/// positive: as many as x exceeds a, and a few dozen more. The relative error is some 1e-15 times a.
pub(crate) fn gamma_share(a: f64, x: f64) -> f64 {
    if !(x > 0.0) {
        return 0.0;
    }
    let (mut term, mut sum, mut k) = (1.0 / a, 1.0 / a, a);
    while term > sum * f64::EPSILON {
        k += 1.0;
        term *= x / k;
        sum += term;
    }
    if sum == f64::INFINITY {
        // x is so far above a that the rest is below e^-700.
        return 1.0;
    }
    (sum * (a * x.logarithm() - x - libm::lgamma(a)).exponential()).min(1.0)
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{ChiSquared, ContinuousCDF};

    use super::*;

    #[test]
    fn the_share_of_the_gamma_integral_is_that_of_chi_squared() {
        for d in [1.0, 2.0, 3.0, 10.0, 101.0, 2000.0] {
            let law = ChiSquared::new(d).unwrap();
            for part in [0.1, 0.5, 0.9, 1.0, 1.1, 2.0, 4.0] {
                let (ours, theirs) = (gamma_share(0.5 * d, 0.5 * part * d), law.cdf(part * d));
                assert!((ours - theirs).abs() <= 1e-10 * theirs + 1e-300, "{d} {part}: {ours} {theirs}");
            }
        }
        assert_eq!((gamma_share(2.0, 0.0), gamma_share(1.0, 800.0)), (0.0, 1.0));
    }

    /// To the bit: a result that depends on the machine, or on the version of the crate, shows here.
    #[test]
    fn results_are_these_numbers_everywhere() {
        let x = [1e-9_f64, 0.3, 1.0, 2.5, 17.0, 123.456];
        let mut words = Vec::new();
        for x in x {
            words.extend([x.logarithm(), x.logarithm_1p(), x.logarithm_2(), x.exponential(), x.exponential_m1()]);
            words.extend([x.power(0.37), x.hyperbolic_tangent(), x.hyperbolic_cosine(), x.sine(), x.cosine()]);
            words.extend([x.error_function(), x.error_function_rest(), (-x).exponential(), (-x).exponential_m1()]);
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_bits().to_le_bytes()).collect();
        assert_eq!(crate::hash::bytes(&bytes), EXPECTED, "{words:?}");
    }

    const EXPECTED: u64 = 16_924_766_343_192_552_277;

    #[test]
    fn results_are_close_to_those_of_the_system() {
        let close = |a: f64, b: f64| (a - b).abs() <= 4.0 * f64::EPSILON * b.abs() || a == b;
        for i in 1..20_000 {
            let x = f64::from(i) * 1e-3;
            assert!(close(x.logarithm(), x.ln()) && close(x.logarithm_1p(), x.ln_1p()), "{x}");
            assert!(close(x.exponential(), x.exp()) && close((-x).exponential(), (-x).exp()), "{x}");
            assert!(close(x.exponential_m1(), x.exp_m1()) && close((-x).exponential_m1(), (-x).exp_m1()), "{x}");
            assert!(close(x.power(0.3), x.powf(0.3)) && close(x.hyperbolic_tangent(), x.tanh()), "{x}");
            assert!(close(x.logarithm_2(), x.log2()) && close(x.hyperbolic_cosine(), x.cosh()), "{x}");
        }
        assert_eq!((3.0_f64.square(), 2.0_f64.cube()), (9.0, 8.0));
        assert_eq!((power_of_two(-1074), power_of_two(3)), (f64::from_bits(1), 8.0));
        assert_eq!((power_of_two(1024), power_of_two(-1080)), (f64::INFINITY, 0.0));
    }
}
