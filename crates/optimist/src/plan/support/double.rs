//! Numbers of twice the working precision, as unevaluated sums of two doubles (Dekker 1971), and vectors of them.

use std::ops::{Add, Div, Mul, Sub};

use crate::numerics::LANES;

/// high + low, where low is at most half a unit in the last place of high.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Double {
    pub(super) high: f64,
    low: f64,
}

/// The sum of two doubles without error, if |a| >= |b|.
#[inline(always)]
fn fast_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    Double { high, low: b - (high - a) }
}

/// The sum of two doubles without error.
#[inline(always)]
fn sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let part = high - a;
    Double { high, low: (a - (high - part)) + (b - part) }
}

impl From<f64> for Double {
    #[inline(always)]
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Add for Double {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (high, low) = (sum(self.high, other.high), sum(self.low, other.low));
        let first = fast_sum(high.high, high.low + low.high);
        fast_sum(first.high, first.low + low.low)
    }
}

impl Sub for Double {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + Self { high: -other.high, low: -other.low }
    }
}

impl Mul for Double {
    type Output = Self;

    #[inline(always)]
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

/// A vector of them, the two parts apart, so that loops over it run in vector registers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Doubles {
    high: Vec<f64>,
    low: Vec<f64>,
}

impl From<&[f64]> for Doubles {
    fn from(x: &[f64]) -> Self {
        Self { high: x.to_vec(), low: vec![0.0; x.len()] }
    }
}

impl Doubles {
    /// The vector in working precision.
    pub(super) fn high(&self) -> &[f64] {
        &self.high
    }

    /// The inner product.
    pub(super) fn dot(&self, other: &Self) -> Double {
        crate::numerics::dispatch(Dot { a: self, b: other })
    }

    /// Subtracts `scale` times another vector.
    pub(super) fn subtract(&mut self, scale: Double, other: &Self) {
        crate::numerics::dispatch(Subtract { from: self, scale, other });
    }

    #[inline(always)]
    fn at(&self, i: usize) -> Double {
        Double { high: self.high[i], low: self.low[i] }
    }
}

/// The loop of [`Doubles::dot`]. A type of its own and not a closure, because it must be marked `inline(always)`, without
/// which every `mul_add` is a call.
struct Dot<'a> {
    a: &'a Doubles,
    b: &'a Doubles,
}

impl pulp::WithSimd for Dot<'_> {
    type Output = Double;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Double {
        let length = self.a.high.len().min(self.b.high.len());
        let whole = length - length % LANES;
        let (mut high, mut low) = ([0.0; LANES], [0.0; LANES]);
        for start in (0..whole).step_by(LANES) {
            let chunk = start..start + LANES;
            let (ah, al) = (&self.a.high[chunk.clone()], &self.a.low[chunk.clone()]);
            let (bh, bl) = (&self.b.high[chunk.clone()], &self.b.low[chunk]);
            for l in 0..LANES {
                let product = Double { high: ah[l], low: al[l] } * Double { high: bh[l], low: bl[l] };
                let total = Double { high: high[l], low: low[l] } + product;
                (high[l], low[l]) = (total.high, total.low);
            }
        }
        let lanes = high.into_iter().zip(low).fold(Double::from(0.0), |sum, (high, low)| sum + Double { high, low });
        (whole..length).fold(lanes, |total, i| total + self.a.at(i) * self.b.at(i))
    }
}

/// The loop of [`Doubles::subtract`].
struct Subtract<'a> {
    from: &'a mut Doubles,
    scale: Double,
    other: &'a Doubles,
}

impl pulp::WithSimd for Subtract<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Doubles { high, low } = self.from;
        let other = self.other.high.iter().zip(&self.other.low);
        for ((high, low), (h, l)) in high.iter_mut().zip(low).zip(other) {
            let rest = Double { high: *high, low: *low } - self.scale * Double { high: *h, low: *l };
            (*high, *low) = (rest.high, rest.low);
        }
    }
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
    }

    #[test]
    fn vectors_keep_them_too() {
        // Of all lengths around that of a register: what cancels is 1e20, what is left is one per number.
        for length in 1..40 {
            let mut numbers = vec![1.0; length];
            numbers.extend([1e20, -1e20]);
            numbers.rotate_left(length / 2);
            let (vector, ones) = (Doubles::from(&numbers[..]), Doubles::from(&vec![1.0; length + 2][..]));
            assert_eq!(vector.dot(&ones).high, length as f64);
        }
        // x - (1/3) 3 x is zero to twice the digits.
        let numbers: Vec<f64> = (1..20).map(|i| f64::from(i).sqrt()).collect();
        let mut rest = Doubles::from(&numbers[..]);
        let triple: Vec<f64> = numbers.iter().map(|v| 3.0 * v).collect();
        let mut exact = Doubles::from(&triple[..]);
        // What rounding took from the products.
        exact.low = numbers.iter().zip(&triple).map(|(v, t)| v.mul_add(3.0, -t)).collect();
        rest.subtract(Double::from(1.0) / Double::from(3.0), &exact);
        assert!(rest.high().iter().all(|r| r.abs() < 1e-30), "{rest:?}");
    }
}
