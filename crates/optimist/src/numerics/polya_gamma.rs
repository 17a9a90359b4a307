//! Draws from the Polya-Gamma distribution PG(n, z).
//!
//! PG(1, z) is the law of (1/(2 pi^2)) sum_k G_k/((k - 1/2)^2 + z^2/(4 pi^2)) with independent exponential G_k, and
//! PG(n, z) that of the sum of n such. A quarter of J, where with c = |z|/2 the density of J is
//!
//!   f(x) = cosh(c) exp(-c^2 x/2) sum_k (-1)^k a_k(x),   a_k(x) = pi (k + 1/2) exp(-(k + 1/2)^2 pi^2 x/2)
//!                                            or, equal,   pi (k + 1/2) (2/(pi x))^{3/2} exp(-2 (k + 1/2)^2/x).
//!
//! Below 0.64 the terms of the second form decrease in k, above it those of the first, so that partial sums lie above and
//! below the density in turn. Devroye's method draws from the first term alone (an inverse normal law up to 0.64, an
//! exponential one beyond) and adds terms until it is sure whether to accept: exact, and a term or two suffice.
//!
//! Polson, Scott, Windle 2013; Devroye 2009.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI};

use rand::{Rng, RngExt};

use super::{Elementary, StandardExponential, StandardNormal};

/// Where one form of the series takes over from the other.
const CUT: f64 = 0.64;

/// Beyond this half-argument the exponential part has a probability below 1e-100: it is left out.
const NO_TAIL: f64 = 30.0;

/// PG(1, z), prepared for many draws.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PolyaGamma {
    z: f64,
    /// |z|/2.
    c: f64,
    /// Rate of the exponential part.
    rate: f64,
    /// Probability of the exponential part.
    tail: f64,
}

impl PolyaGamma {
    pub(crate) fn new(z: f64) -> Self {
        let c = 0.5 * z.abs();
        let rate = PI * PI / 8.0 + 0.5 * c * c;
        let tail = if c > NO_TAIL {
            0.0
        } else {
            let right = FRAC_PI_2 / rate * (-rate * CUT).exponential();
            let below = |a: f64| 0.5 * (-a * FRAC_1_SQRT_2).error_function_rest();
            let root = CUT.sqrt();
            let left =
                (-c).exponential() * below((CUT * c - 1.0) / root) + c.exponential() * below(-(CUT * c + 1.0) / root);
            right / (right + 2.0 * left)
        };
        Self { z, c, rate, tail }
    }

    /// A draw of PG(n, z) for a whole n: the sum of n draws below `threshold`, a normal number of the same mean and variance
    /// from there on.
    pub(crate) fn sum(&self, n: f64, threshold: f64, rng: &mut dyn Rng) -> f64 {
        if n < threshold {
            return (0..n as u64).map(|_| self.draw(rng)).sum();
        }
        let (mean, deviation) = (n * self.mean(), (n * self.variance()).sqrt());
        loop {
            // The deviation is at most mean/sqrt(1.5 n): from n = 50 on a second draw would be needed once in 1e17.
            let value = mean + deviation * rng.sample::<f64, _>(StandardNormal);
            if value > 0.0 {
                return value;
            }
        }
    }

    /// A draw of PG(1, z).
    pub(crate) fn draw(&self, rng: &mut dyn Rng) -> f64 {
        loop {
            let x = if rng.random::<f64>() < self.tail {
                CUT + rng.sample::<f64, _>(StandardExponential) / self.rate
            } else {
                self.inverse_normal(rng)
            };
            if accept(x, rng.random()) {
                return 0.25 * x;
            }
        }
    }

    /// The inverse normal law with mean 1/c and shape 1, given that it is below the cut.
    fn inverse_normal(&self, rng: &mut dyn Rng) -> f64 {
        if self.c * CUT < 1.0 { self.by_levy(rng) } else { self.by_roots(rng) }
    }

    /// For a large mean: the law for mean infinity, which is that of 1/N^2 given N^2 > 1/CUT, thinned by exp(-c^2 x/2).
    /// With N = 1/sqrt(CUT) + E sqrt(CUT) the normal tail is thinned to exponential E: accept with exp(-CUT E^2/2).
    fn by_levy(&self, rng: &mut dyn Rng) -> f64 {
        loop {
            let (e, f): (f64, f64) = (rng.sample(StandardExponential), rng.sample(StandardExponential));
            if CUT * e * e > 2.0 * f {
                continue;
            }
            let x = CUT / (1.0 + CUT * e).square();
            if rng.random::<f64>() < (-0.5 * self.c * self.c * x).exponential() {
                return x;
            }
        }
    }

    /// For a mean below the cut: both roots of the equation that a squared normal number gives, until one is below.
    fn by_roots(&self, rng: &mut dyn Rng) -> f64 {
        let mean = 1.0 / self.c;
        loop {
            let y = mean * rng.sample::<f64, _>(StandardNormal).square();
            let small = mean / (1.0 + 0.5 * y + (y + 0.25 * y * y).sqrt());
            // The larger root is mean^2/small.
            let x = if rng.random::<f64>() * (mean + small) <= mean { small } else { mean * mean / small };
            if x < CUT {
                return x;
            }
        }
    }

    /// tanh(z/2)/(2z).
    pub(crate) fn mean(&self) -> f64 {
        if self.c < 1e-4 { 0.25 - self.c * self.c / 12.0 } else { self.c.hyperbolic_tangent() / (4.0 * self.c) }
    }

    /// (sinh z - z)/(4 z^3 cosh^2(z/2)).
    pub(crate) fn variance(&self) -> f64 {
        let z = self.z.abs();
        // 2 tanh(z/2) cosh^2(z/2) = sinh z; near zero the difference cancels.
        if z < 1e-2 {
            (1.0 - 0.2 * z * z) / 24.0
        } else {
            (2.0 * self.c.hyperbolic_tangent() - z / self.c.hyperbolic_cosine().square()) / (4.0 * z.cube())
        }
    }
}

/// Whether `u` is below sum_k (-1)^k a_k(x)/a_0(x).
fn accept(x: f64, u: f64) -> bool {
    let exponent = if x <= CUT { -2.0 / x } else { -0.5 * PI * PI * x };
    let mut sum = 1.0;
    let mut k = 0.0;
    loop {
        k += 1.0;
        let term = |k: f64| (2.0 * k + 1.0) * (k * (k + 1.0) * exponent).exponential();
        // An odd term leads below the limit, an even one above.
        sum -= term(k);
        if u <= sum {
            return true;
        }
        k += 1.0;
        sum += term(k);
        if u > sum {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    const DRAWS: usize = 200_000;
    const ARGUMENTS: [f64; 9] = [0.0, 1e-3, -0.5, 1.0, 3.0, 3.2, -7.0, 40.0, 3000.0];

    fn draws(z: f64) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(z.to_bits());
        let law = PolyaGamma::new(z);
        (0..DRAWS).map(|_| law.draw(&mut rng)).collect()
    }

    /// Mean and its standard error.
    fn average(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
        let n = values.clone().count() as f64;
        let mean = values.clone().sum::<f64>() / n;
        let variance = values.map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        (mean, (variance / n).sqrt())
    }

    /// The defining series of gamma variables: mean and variance as sums, without closed forms.
    fn moments(z: f64) -> (f64, f64) {
        let weight = |k: f64| 1.0 / (2.0 * PI * PI * ((k - 0.5).powi(2) + z * z / (4.0 * PI * PI)));
        let weights = (1..=2_000_000).rev().map(|k| weight(f64::from(k)));
        // What is left of sum 1/k^2.
        let rest = 1.0 / (2.0 * PI * PI * 2e6);
        (weights.clone().sum::<f64>() + rest, weights.map(|w| w * w).sum())
    }

    #[test]
    fn closed_forms_agree_with_the_series() {
        for z in ARGUMENTS.into_iter().chain([1e-2, 9.99e-3, 1e-4, 2e-4]) {
            let (law, (mean, variance)) = (PolyaGamma::new(z), moments(z));
            assert!((law.mean() - mean).abs() <= 1e-8 * mean, "{z}: {} and {mean}", law.mean());
            assert!((law.variance() - variance).abs() <= 1e-8 * variance, "{z}: {} and {variance}", law.variance());
        }
    }

    #[test]
    fn mean_and_variance() {
        for z in ARGUMENTS {
            let (law, values) = (PolyaGamma::new(z), draws(z));
            assert!(values.iter().all(|v| *v > 0.0 && v.is_finite()));
            let (mean, error) = average(values.iter().copied());
            assert!((mean - law.mean()).abs() <= 4.0 * error, "{z}: {mean} +- {error}, not {}", law.mean());
            let (variance, error) = average(values.iter().map(|v| (v - law.mean()).powi(2)));
            assert!((variance - law.variance()).abs() <= 4.0 * error, "{z}: {variance}, not {}", law.variance());
        }
    }

    #[test]
    fn laplace_transform() {
        for z in ARGUMENTS {
            let values = draws(z);
            for s in [0.5_f64, 3.0, 20.0, 100.0] {
                // cosh(z/2)/cosh(sqrt(z^2/4 + s/2)), without overflow.
                let (a, b) = (0.5 * z.abs(), (0.25 * z * z + 0.5 * s).sqrt());
                let exact = (a - b).exp() * (1.0 + (-2.0 * a).exp()) / (1.0 + (-2.0 * b).exp());
                let (mean, error) = average(values.iter().map(|v| (-s * v).exp()));
                assert!((mean - exact).abs() <= 4.0 * error + 1e-12, "{z}, {s}: {mean} +- {error}, not {exact}");
            }
        }
    }

    /// Kolmogorov's distance to draws by the truncated series: another sampler altogether.
    #[test]
    fn the_same_law_as_the_series_of_exponentials() {
        let n = 20_000;
        for z in [0.0, 2.0, 3.5, 9.0] {
            let mut rng = ChaCha8Rng::seed_from_u64(5);
            let law = PolyaGamma::new(z);
            let weight = |k: u32| 1.0 / (2.0 * PI * PI * ((f64::from(k) - 0.5).powi(2) + z * z / (4.0 * PI * PI)));
            // 200 terms, and the mean of the rest in its place.
            let rest = law.mean() - (1..=200).map(weight).sum::<f64>();
            let mut series =
                || rest + (1..=200).map(|k| weight(k) * rng.sample::<f64, _>(StandardExponential)).sum::<f64>();
            let mut theirs: Vec<f64> = (0..n).map(|_| series()).collect();
            let mut ours: Vec<f64> = (0..n).map(|_| law.draw(&mut rng)).collect();
            theirs.sort_by(f64::total_cmp);
            ours.sort_by(f64::total_cmp);
            let below = |v: f64| theirs.partition_point(|t| *t <= v) as f64;
            let distance = ours.iter().enumerate().map(|(i, v)| (i as f64 - below(*v)).abs()).fold(0.0, f64::max);
            // 1.95 sqrt(2/n): exceeded once in a thousand.
            assert!(distance / n as f64 <= 1.95 * (2.0 / n as f64).sqrt(), "{z}: {}", distance / n as f64);
        }
    }

    #[test]
    fn sums_below_and_above_the_threshold() {
        for (z, n) in [(0.7, 3.0), (0.7, 60.0), (-5.0, 49.0), (-5.0, 400.0), (0.0, 1e6)] {
            let mut rng = ChaCha8Rng::seed_from_u64(3);
            let law = PolyaGamma::new(z);
            let values: Vec<f64> = (0..20_000).map(|_| law.sum(n, 50.0, &mut rng)).collect();
            let (mean, error) = average(values.iter().copied());
            assert!((mean - n * law.mean()).abs() <= 4.0 * error, "{z}, {n}: {mean}");
            let (variance, error) = average(values.iter().map(|v| (v - n * law.mean()).powi(2)));
            assert!((variance - n * law.variance()).abs() <= 4.0 * error, "{z}, {n}: {variance}");
        }
    }
}
