//! The parameters among which no policy does well.

use optimist::numerics::{dot, norm};

use super::check_finite;
use crate::error::{Error, Result};

/// More features would mean more than 32 768 neighbours.
const MOST_FEATURES: usize = 16;

/// Xi = { theta* + eps (v_2 e_2 + ... + v_d e_d) : v in {-1, 1}^(d-1) }, in an orthonormal frame whose first axis points
/// along theta*. Neighbour k has v_i = 1 where bit i - 2 of k is set.
#[derive(Debug, Clone)]
pub struct Neighbours {
    theta: Vec<f64>,
    /// e_2, ..., e_d.
    axes: Vec<Vec<f64>>,
    eps: f64,
}

impl Neighbours {
    /// The neighbours of theta* at distance eps in every coordinate.
    ///
    /// # Errors
    /// If theta* has fewer than 2 or more than 16 entries or is not finite, or eps is not positive.
    pub fn new(theta: &[f64], eps: f64) -> Result<Self> {
        let d = theta.len();
        if !(2..=MOST_FEATURES).contains(&d) {
            let text =
                format!("the dimension is {d}: neighbours, 2^(d-1) of them, are listed for 2 to {MOST_FEATURES}");
            return Err(Error::input(text));
        }
        check_finite(theta)?;
        if !(eps > 0.0 && eps.is_finite()) {
            return Err(Error::input(format!("eps is {eps}: it must be positive")));
        }
        Ok(Self { theta: theta.to_vec(), axes: axes(theta), eps })
    }

    /// How many there are: 2^(d-1).
    pub fn count(&self) -> usize {
        1 << self.axes.len()
    }

    /// Neighbour number `k` modulo their number.
    pub fn get(&self, k: usize) -> Vec<f64> {
        let mut theta = self.theta.clone();
        for (bit, axis) in self.axes.iter().enumerate() {
            let step = if k >> bit & 1 == 1 { self.eps } else { -self.eps };
            theta.iter_mut().zip(axis).for_each(|(value, e)| *value += step * e);
        }
        theta
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Vec<f64>> + '_ {
        (0..self.count()).map(|k| self.get(k))
    }

    /// The number of the neighbour that differs from number `k` in the sign along axis `axis`, of 0 to d - 2.
    pub fn flip(&self, k: usize, axis: usize) -> usize {
        k ^ (1 << axis)
    }

    /// The axes e_2, ..., e_d.
    pub fn axes(&self) -> &[Vec<f64>] {
        &self.axes
    }
}

/// The images of the second and further unit vectors under the reflection that takes the first to plus or minus the
/// direction of theta*, whichever is farther, so that nothing cancels.
fn axes(theta: &[f64]) -> Vec<Vec<f64>> {
    let (d, length) = (theta.len(), norm(theta));
    let mut mirror: Vec<f64> = if length > 0.0 { theta.iter().map(|v| v / length).collect() } else { vec![0.0; d] };
    mirror[0] += if mirror[0] >= 0.0 { 1.0 } else { -1.0 };
    let square = dot(&mirror, &mirror);
    let image = |i: usize| {
        let mut axis: Vec<f64> = mirror.iter().map(|v| -2.0 * v * mirror[i] / square).collect();
        axis[i] += 1.0;
        axis
    };
    (1..d).map(image).collect()
}
