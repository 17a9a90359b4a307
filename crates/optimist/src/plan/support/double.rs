//! Numbers of twice the working precision, as unevaluated sums of two doubles (Dekker 1971).

use std::ops::{Add, Div, Mul, Sub};

/// high + low, where low is at most half a unit in the last place of high.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Double {
    pub(super) high: f64,
    low: f64,
}

/// The sum of two doubles without error, if |a| >= |b|.
fn fast_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    Double { high, low: b - (high - a) }
}

/// The sum of two doubles without error.
fn sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let part = high - a;
    Double { high, low: (a - (high - part)) + (b - part) }
}

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Add for Double {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, low) = (sum(self.high, other.high), sum(self.low, other.low));
        let first = fast_sum(high.high, high.low + low.high);
        fast_sum(first.high, first.low + low.low)
    }
}

impl Sub for Double {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + Self { high: -other.high, low: -other.low }
    }
}

impl Mul for Double {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let error = self.high.mul_add(other.high, -high);
        fast_sum(high, error + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Double {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::from(second);
        fast_sum(first, second) + Self::from(rest.high / other.high)
    }
}

/// The inner product.
pub(super) fn dot(a: &[Double], b: &[Double]) -> Double {
    a.iter().zip(b).fold(Double::from(0.0), |total, (x, y)| total + *x * *y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_digits_are_kept() {
        let third = Double::from(1.0) / Double::from(3.0);
        let one = third * Double::from(3.0);
        assert!((one - Double::from(1.0)).high.abs() < 1e-31);
        assert_ne!(third.low, 0.0);
        // (1 + e)(1 - e) = 1 - e^2, of which a double keeps nothing.
        let e = 2f64.powi(-40);
        let product = (Double::from(1.0) + Double::from(e)) * (Double::from(1.0) - Double::from(e));
        assert_eq!((product - Double::from(1.0)).high, -e * e);
        let vector = [Double::from(1e20), Double::from(1.0), Double::from(-1e20)];
        assert_eq!(dot(&vector, &[Double::from(1.0); 3]).high, 1.0);
    }
}
