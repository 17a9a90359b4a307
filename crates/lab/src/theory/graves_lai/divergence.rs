//! Differences of Bernoulli laws by their log-odds, without cancellation.

use optimist::link::{mean, softplus};

/// Beyond this shift of the log-odds, e^h may overflow where softplus does not.
const LONG: f64 = 30.0;
/// Below it, differences of nearly equal numbers are summed as series.
const SHORT: f64 = 0.5;

/// kl(z, z + h) = b(z + h) - b(z) - mu(z) h with b = softplus: the relative entropy of a reward of log-odds z to one of
/// log-odds z + h, that is, what one play tells against the second if the first is true.
///
/// Accurate to a few units in the last place times ten, however small h is: the sum of terms near
/// mu'(z) h^2 / 2 is formed, never the difference of softplus.
#[must_use]
pub fn divergence(z: f64, h: f64) -> f64 {
    // Failure and success change places: kl(z, z + h) = kl(-z, -z - h). With z <= 0 no term below is near 1.
    let (z, h) = if z > 0.0 { (-z, -h) } else { (z, h) };
    let mu = mean(z);
    if h > LONG {
        return softplus(z + h) - softplus(z) - mu * h;
    }
    // b(z + h) - b(z) = log(1 + mu (e^h - 1)).
    let u = mu * h.exp_m1();
    if h.abs() > SHORT {
        return u.ln_1p() - mu * h;
    }
    // mu (e^h - 1 - h) - (u - log(1 + u)): the second is about mu times the first, hence at most about half of it.
    mu * exponential_remainder(h) - logarithm_remainder(u)
}

/// mu(z + h) - mu(z), the derivative of [`divergence`] in h.
#[must_use]
pub fn rise(z: f64, h: f64) -> f64 {
    // mu(a) - mu(b) = mu(a) mu(-b) (1 - e^(b - a)), here with the exponent that is not positive.
    if h >= 0.0 { -mean(z + h) * mean(-z) * (-h).exp_m1() } else { mean(z) * mean(-z - h) * h.exp_m1() }
}

/// e^h - 1 - h for |h| <= 1/2.
fn exponential_remainder(h: f64) -> f64 {
    let (mut term, mut sum, mut k) = (0.5 * h * h, 0.0, 2.0);
    while sum + term != sum {
        sum += term;
        k += 1.0;
        term *= h / k;
    }
    sum
}

/// u - log(1 + u) for |u| <= 0.4, by log(1 + u) = 2 (s + s^3/3 + s^5/5 + ...), s = u / (2 + u).
fn logarithm_remainder(u: f64) -> f64 {
    let s = u / (2.0 + u);
    let square = s * s;
    let (mut power, mut sum, mut k) = (s * square, 0.0, 3.0);
    while sum + power / k != sum {
        sum += power / k;
        power *= square;
        k += 2.0;
    }
    // u - 2 s = u s.
    u * s - 2.0 * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// int_0^1 (1 - v) mu'(z + v h) h^2 dv by Simpson's rule on many panels.
    fn quadrature(z: f64, h: f64) -> f64 {
        let panels = 20_000;
        let at = |k: usize| {
            let v = k as f64 / (2 * panels) as f64;
            (1.0 - v) * optimist::link::variance(z + v * h)
        };
        let inner: f64 = (1..2 * panels).map(|k| if k % 2 == 1 { 4.0 * at(k) } else { 2.0 * at(k) }).sum();
        h * h * (at(0) + at(2 * panels) + inner) / (6 * panels) as f64
    }

    #[test]
    fn divergence_is_its_integral_remainder() {
        for z in [-30.0, -7.0, -1.0, -1e-3, 0.0, 0.4, 3.0, 12.0, 33.0] {
            for size in [1e-12, 1e-7, 1e-3, 0.3, 0.499, 0.501, 1.0, 4.0, 29.0, 31.0, 60.0] {
                for h in [size, -size] {
                    let (got, expected) = (divergence(z, h), quadrature(z, h));
                    assert!((got - expected).abs() <= 1e-11 * expected, "kl({z}, {z} + {h}) = {got}, not {expected}");
                }
            }
        }
    }

    #[test]
    fn rise_is_the_derivative_of_divergence() {
        for z in [-20.0, -2.0, 0.0, 0.7, 15.0] {
            for h in [-40.0, -3.0, -0.2, 0.1, 2.0, 45.0] {
                let step = 1e-4_f64;
                let slope = (divergence(z, h + step) - divergence(z, h - step)) / (2.0 * step);
                assert!((rise(z, h) - slope).abs() <= 1e-6 * slope.abs(), "at {z} + {h}: {} {slope}", rise(z, h));
            }
        }
        assert!((rise(0.0, 1e-15) / 0.25e-15 - 1.0).abs() < 1e-14);
    }
}
