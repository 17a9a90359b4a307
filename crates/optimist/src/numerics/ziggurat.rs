//! Normal and exponential draws that are the same on every machine.
//!
//! The ziggurat of Marsaglia and Tsang (2000) in the variant of Doornik (2005): 256 layers of equal area, of which nearly every draw
//! needs a table and a product only. It is the method of `rand_distr`, with the same use of random numbers and the same tables,
//! and the same draws but for the last digits: what differs is that logarithms and exponentials are those of
//! [`Elementary`], while `rand_distr` takes the system's as soon as any crate of the program switches them on.

use std::sync::OnceLock;

use rand::distr::{Distribution, Open01};
use rand::{Rng, RngExt};

use super::Elementary;

const LAYERS: usize = 256;

/// Where layers end, the widest first, and the density there.
struct Table {
    ends: [f64; LAYERS + 1],
    heights: [f64; LAYERS + 1],
}

impl Table {
    /// `tail` is where the tail begins, `area` that of every layer, the tail's included.
    fn new(tail: f64, area: f64, density: impl Fn(f64) -> f64, inverse: impl Fn(f64) -> f64) -> Self {
        let mut ends = [0.0; LAYERS + 1];
        ends[0] = area / density(tail);
        ends[1] = tail;
        for i in 2..LAYERS {
            let last = ends[i - 1];
            ends[i] = inverse(area / last + density(last));
        }
        Self { ends, heights: ends.map(density) }
    }
}

fn half_normal_density(x: f64) -> f64 {
    (-x * x / 2.0).exponential()
}

/// The standard normal law.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StandardNormal;

impl StandardNormal {
    const TAIL: f64 = 3.654152885361009;
    const AREA: f64 = 0.00492867323399;

    fn table() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        let inverse = |y: f64| (-2.0 * y.logarithm()).sqrt();
        TABLE.get_or_init(|| Table::new(Self::TAIL, Self::AREA, half_normal_density, inverse))
    }
}

impl Distribution<f64> for StandardNormal {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let Table { ends, heights } = Self::table();
        loop {
            let bits = rng.next_u64();
            let layer = bits as usize & 0xff;
            // 52 bits as a number between 2 and 4, less three.
            let u = f64::from_bits(1024 << 52 | bits >> 12) - 3.0;
            let x = u * ends[layer];
            if x.abs() < ends[layer + 1] {
                return x;
            }
            if layer == 0 {
                return normal_tail(rng).copysign(u);
            }
            if heights[layer + 1] + (heights[layer] - heights[layer + 1]) * rng.random::<f64>() < half_normal_density(x)
            {
                return x;
            }
        }
    }
}

/// A normal number given that it is beyond where the tail begins (Marsaglia 1964).
#[cold]
fn normal_tail<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    loop {
        let x = rng.sample::<f64, _>(Open01).logarithm() / StandardNormal::TAIL;
        let y = rng.sample::<f64, _>(Open01).logarithm();
        if -2.0 * y >= x * x {
            return StandardNormal::TAIL - x;
        }
    }
}

/// The exponential law of mean one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StandardExponential;

impl StandardExponential {
    const TAIL: f64 = 7.69711747013105;
    const AREA: f64 = 0.003949659822581557;

    fn table() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        let density = |x: f64| (-x).exponential();
        TABLE.get_or_init(|| Table::new(Self::TAIL, Self::AREA, density, |y: f64| -y.logarithm()))
    }
}

impl Distribution<f64> for StandardExponential {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let Table { ends, heights } = Self::table();
        loop {
            let bits = rng.next_u64();
            let layer = bits as usize & 0xff;
            // 52 bits as a number between 1 and 2, less almost one: never zero.
            let u = f64::from_bits(1023 << 52 | bits >> 12) - (1.0 - f64::EPSILON / 2.0);
            let x = u * ends[layer];
            if x < ends[layer + 1] {
                return x;
            }
            if layer == 0 {
                return Self::TAIL - rng.random::<f64>().logarithm();
            }
            if heights[layer + 1] + (heights[layer] - heights[layer + 1]) * rng.random::<f64>() < (-x).exponential() {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator;

    /// Tails included, which one draw in 3,700 takes.
    #[test]
    fn draws_are_those_of_the_library_but_for_the_last_digits() {
        let (mut ours, mut theirs) = (generator(1), generator(1));
        let mut tails = 0;
        for i in 0..300_000 {
            let a: f64 = ours.sample(StandardNormal);
            let b: f64 = theirs.sample(rand_distr::StandardNormal);
            assert!((a - b).abs() <= 1e-12 * b.abs(), "{i}: {a} {b}");
            tails += u32::from(a.abs() > StandardNormal::TAIL);
            let a: f64 = ours.sample(StandardExponential);
            let b: f64 = theirs.sample(rand_distr::Exp1);
            assert!((a - b).abs() <= 1e-12 * b.abs(), "{i}: {a} {b}");
        }
        assert!(tails > 40, "{tails}");
    }
}
