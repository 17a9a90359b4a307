//! The log-loss of a history and its derivatives, in one pass over the data.
//!
//! With n_k observations of arm x_k and reward sum p_k, and z_k = x_k'theta,
//!
//! ```text
//! L(theta)   = sum_k n_k softplus(z_k) - p_k z_k
//! grad L     = sum_k (n_k mu(z_k) - p_k) x_k
//! H(theta)   = sum_k n_k mu'(z_k) x_k x_k'
//! W(theta)   = sum_k n_k w(z_k) x_k x_k',   w(z) = tanh(z/2)/(2z)
//! ```
//!
//! W is the curvature of the parabola that lies above the loss everywhere and touches it at theta: H <= W. Ridge terms
//! are left to the caller, who may need several at once; with the ridge lambda_t, L and H are L_t and H_t of Abeille, Faury
//! and Calauzenes 2021 (Section 3.1), and grad L is g_t(theta) - g_t(theta_hat_t).
//!
//! Where old rows were consolidated, the lower quadratic that stands for them is part of the loss
//! ([`Belief::with_memory`](crate::Belief::with_memory)).
//!
//! A pass costs K (d^2/2 + 2d) multiplications and K link evaluations, all in vector registers: the data are stored in
//! tiles ([`crate::history`]) and the whole pass is compiled for the widest instruction set the machine has. Sums have the same
//! terms in the same order with each of them, and nothing is fused, so that all machines get the same numbers; with fused
//! operations a Hessian would take four fifths of the time at d = 50, and nineteen twentieths at d = 10.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};

use crate::consolidation;
use crate::error::{Result, check_number, check_vector};
use crate::history::{History, TILE, Tile};
use crate::link::{curvature_lane, exp_negative, lane_from, log1p_unit};
use crate::numerics::{LANES, dot};

/// How much of the loss a pass computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// The value.
    Value,
    /// Value and gradient.
    Gradient,
    /// Value, gradient and Hessian H.
    Hessian,
    /// All of these and the upper curvature W.
    Curvature,
}

/// The log-loss at a point: value, gradient, Hessian, upper curvature. Without ridge.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Evaluation {
    /// L(theta).
    pub loss: f64,
    /// Gradient of L.
    #[serde(with = "crate::numerics::stored_numbers")]
    pub gradient: Vec<f64>,
    /// Lower triangle of the Hessian, row-major in a d by d array.
    #[serde(with = "crate::numerics::stored_numbers")]
    pub hessian: Vec<f64>,
    /// Lower triangle of W, row-major in a d by d array; only valid after a pass of [`Order::Curvature`].
    #[serde(with = "crate::numerics::stored_numbers")]
    pub curvature: Vec<f64>,
}

impl Evaluation {
    /// Room for an evaluation in `dimension` dimensions: the evaluation of an empty history.
    pub fn new(dimension: usize) -> Self {
        let matrix = vec![0.0; dimension * dimension];
        Self { loss: 0.0, gradient: vec![0.0; dimension], hessian: matrix.clone(), curvature: matrix }
    }

    /// Checks a deserialised evaluation.
    pub(crate) fn check(&self, dimension: usize) -> Result<()> {
        check_number("loss", self.loss, true, "a number")?;
        check_vector("gradient", &self.gradient, dimension)?;
        check_vector("hessian", &self.hessian, dimension * dimension)?;
        check_vector("curvature", &self.curvature, dimension * dimension)
    }

    /// Copies the parts that a pass of [`Order::Hessian`] computes.
    pub(crate) fn copy_from(&mut self, other: &Evaluation) {
        self.loss = other.loss;
        self.gradient.copy_from_slice(&other.gradient);
        self.hessian.copy_from_slice(&other.hessian);
    }
}

/// Evaluates the log-loss of `history` at `theta` into `out`, up to `order`.
///
/// # Panics
/// If `theta` or `out` has another dimension than the history.
pub fn evaluate(history: &History, theta: &[f64], order: Order, out: &mut Evaluation) {
    let d = history.dimension();
    assert!(theta.len() == d && out.gradient.len() == d, "theta and the evaluation must have the history's dimension");
    out.loss = 0.0;
    out.gradient.fill(0.0);
    if order >= Order::Hessian {
        out.hessian.fill(0.0);
    }
    if order >= Order::Curvature {
        out.curvature.fill(0.0);
    }
    SCRATCH.with_borrow_mut(|scratch| crate::numerics::dispatch(Pass { history, theta, order, scratch, out }));
    if let Some(summary) = history.summary() {
        summary.add_to(theta, order, out);
    }
}

/// How many additions an entry of H or W takes at most, if `history` is passed over: those of a tile in [`PARTS`] partial sums
/// (of an entry near the diagonal in [`LANES`], which are fewer) with the sum of these, and one per tile. Rows that were consolidated count as a few,
/// however many they were, and their sum is added once, as may be that of an upper quadratic.
pub(crate) fn additions(history: &History) -> f64 {
    let rows = history.rows();
    let consolidated = history.summary().map_or(0.0, |_| consolidation::ADDITIONS + 2.0);
    (rows.min(TILE / PARTS + LANES) + rows.div_ceil(TILE)) as f64 + consolidated
}

/// The log-loss of `history` at `theta`.
pub fn loss(history: &History, theta: &[f64]) -> f64 {
    loss_up_to(history, theta, f64::INFINITY)
}

/// The log-loss of `history` at `theta` if that is at most `limit`; otherwise some number above the limit, mostly found after a
/// part of the rows.
pub(crate) fn loss_up_to(history: &History, theta: &[f64], limit: f64) -> f64 {
    assert!(theta.len() == history.dimension(), "theta must have the history's dimension");
    // What stands for consolidated rows may be negative, so that no part of the sum is a bound.
    let stop = if history.summary().is_some() { f64::INFINITY } else { limit + LOST * (1.0 + limit.abs()) };
    let rows =
        SCRATCH.with_borrow_mut(|scratch| crate::numerics::dispatch(ValuePass { history, theta, stop, scratch }));
    history.summary().map_or(rows, |summary| rows + summary.loss(theta))
}

/// No row has a negative loss, but for rounding where sums of fractional rewards come to a little more than their count. What that
/// adds up to is far less than this part of a limit.
const LOST: f64 = 1e-6;

/// The loop of [`evaluate`]. A type of its own and not a closure, because it must be marked `inline(always)`: left to
/// itself the compiler calls one copy of the body, built for the oldest processor.
struct Pass<'a> {
    history: &'a History,
    theta: &'a [f64],
    order: Order,
    scratch: &'a mut Scratch,
    out: &'a mut Evaluation,
}

impl pulp::WithSimd for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        for tile in self.history.tiles() {
            add_tile(&tile, self.theta, self.order, self.scratch, self.out);
        }
    }
}

/// The loop of [`loss`], which ends when the sum exceeds `stop`.
struct ValuePass<'a> {
    history: &'a History,
    theta: &'a [f64],
    stop: f64,
    scratch: &'a mut Scratch,
}

impl pulp::WithSimd for ValuePass<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
        let mut sum = 0.0;
        for tile in self.history.tiles() {
            sum += tile_loss(&tile, self.theta, self.scratch);
            if sum > self.stop {
                break;
            }
        }
        sum
    }
}

/// The loop of [`weighted_design`].
struct DesignPass<'a> {
    history: &'a History,
    weights: &'a [f64],
    scratch: &'a mut Scratch,
    out: &'a mut [f64],
}

impl pulp::WithSimd for DesignPass<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        for (tile, weights) in self.history.tiles().zip(self.weights.chunks_exact(TILE)) {
            add_weighted_tile(&tile, weights, self.scratch, self.out);
        }
    }
}

/// Per-row quantities of one tile.
struct Scratch {
    z: [f64; TILE],
    /// exp(-|z|).
    exp: [f64; TILE],
    /// n softplus(z) - p z.
    term: [f64; TILE],
    /// n mu(z) - p.
    residual: [f64; TILE],
    /// n mu'(z).
    weight: [f64; TILE],
    /// n w(z).
    upper: [f64; TILE],
    /// Weight times feature, for a few features.
    products: [[f64; TILE]; BLOCK],
}

thread_local! {
    /// Kept from pass to pass: to fill it with zeros takes as long as a pass over a dozen rows.
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::ZERO) };
}

impl Scratch {
    const ZERO: Self = {
        let zero = [0.0; TILE];
        Self { z: zero, exp: zero, term: zero, residual: zero, weight: zero, upper: zero, products: [zero; BLOCK] }
    };

    /// Fills the per-row quantities and returns the tile's loss.
    #[inline(always)]
    fn link(&mut self, tile: &Tile<'_>, theta: &[f64], curvature: bool) -> f64 {
        let used = self.exponentials(tile, theta);
        let outcomes = tile.counts.iter().zip(tile.rewards);
        let results = self.term.iter_mut().zip(&mut self.residual).zip(&mut self.weight);
        for (((z, e), (n, p)), ((term, residual), weight)) in
            self.z[..used].iter().zip(&self.exp).zip(outcomes).zip(results)
        {
            let link = lane_from(*z, *e);
            // n softplus(z) - p z, without cancellation when every reward was one.
            *term = n * link.log1p_exp + if *z > 0.0 { n - p } else { -p } * z;
            *residual = n * link.mean - p;
            *weight = n * link.variance;
        }
        if curvature {
            for (u, (z, n)) in self.upper[..used].iter_mut().zip(self.z.iter().zip(tile.counts)) {
                *u = n * curvature_lane(*z);
            }
        }
        sum(&self.term[..used])
    }

    /// Fills `z` and `exp`, and returns how many rows there are, absent ones up to the next multiple of LANES included: these
    /// have count zero and add nothing.
    #[inline(always)]
    fn exponentials(&mut self, tile: &Tile<'_>, theta: &[f64]) -> usize {
        let used = tile.used.next_multiple_of(LANES);
        self.log_odds(tile, theta, used);
        // In a loop of their own, because the chain of operations is longer than what a processor can look ahead.
        for (e, z) in self.exp[..used].iter_mut().zip(&self.z) {
            *e = exp_negative(z.abs());
        }
        used
    }

    #[inline(always)]
    fn log_odds(&mut self, tile: &Tile<'_>, theta: &[f64], used: usize) {
        let z = &mut self.z[..used];
        let mut columns = theta.iter().zip(tile.features.chunks_exact(TILE));
        if let Some((t, column)) = columns.next() {
            for (zi, xi) in z.iter_mut().zip(column) {
                // With the zero, whose sum with a product of -0 is 0: as if all had been set to zero first.
                *zi = 0.0 + t * xi;
            }
        }
        for (t, column) in columns {
            for (zi, xi) in z.iter_mut().zip(column) {
                *zi += t * xi;
            }
        }
    }
}

/// What [`Scratch::link`] returns, to the last bit, and nothing else: a third of the divisions.
#[inline(always)]
fn tile_loss(tile: &Tile<'_>, theta: &[f64], scratch: &mut Scratch) -> f64 {
    let used = scratch.exponentials(tile, theta);
    let rows = scratch.z[..used].iter().zip(&scratch.exp).zip(tile.counts.iter().zip(tile.rewards));
    for (((z, e), (n, p)), term) in rows.zip(&mut scratch.term) {
        *term = n * log1p_unit(*e) + if *z > 0.0 { n - p } else { -p } * z;
    }
    sum(&scratch.term[..used])
}

/// The rows of a tile with weights of their own.
#[inline(always)]
fn add_weighted_tile(tile: &Tile<'_>, weights: &[f64], scratch: &mut Scratch, matrix: &mut [f64]) {
    scratch.weight.copy_from_slice(weights);
    add_outer_products(tile, &scratch.weight, &mut scratch.products, matrix);
}

#[inline(always)]
fn add_tile(tile: &Tile<'_>, theta: &[f64], order: Order, scratch: &mut Scratch, out: &mut Evaluation) {
    out.loss += scratch.link(tile, theta, order >= Order::Curvature);
    if order == Order::Value {
        return;
    }
    let used = tile.used.next_multiple_of(LANES);
    for (g, column) in out.gradient.iter_mut().zip(tile.features.chunks_exact(TILE)) {
        *g += dot(&scratch.residual[..used], &column[..used]);
    }
    if order >= Order::Hessian {
        add_outer_products(tile, &scratch.weight, &mut scratch.products, &mut out.hessian);
    }
    if order >= Order::Curvature {
        add_outer_products(tile, &scratch.upper, &mut scratch.products, &mut out.curvature);
    }
}

/// The sum of a multiple of [`LANES`] numbers.
#[inline(always)]
fn sum(terms: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for chunk in terms.as_chunks::<LANES>().0 {
        for l in 0..LANES {
            lanes[l] += chunk[l];
        }
    }
    lanes.iter().sum()
}

/// Rows and columns of a block of the matrix that is computed at once: as many sums as fit in registers, so that every
/// number loaded is used several times.
const BLOCK: usize = 4;
const WIDTH: usize = 3;

/// `matrix += sum_i weight_i x_i x_i'` over the rows of a tile, lower triangle.
#[inline(always)]
fn add_outer_products(tile: &Tile<'_>, weight: &[f64; TILE], products: &mut [[f64; TILE]; BLOCK], matrix: &mut [f64]) {
    let d = tile.features.len() / TILE;
    let used = tile.used.next_multiple_of(LANES);
    for first in (0..d).step_by(BLOCK) {
        let height = BLOCK.min(d - first);
        for (b, product) in products[..height].iter_mut().enumerate() {
            let column = &tile.features[(first + b) * TILE..][..used];
            for ((p, w), x) in product.iter_mut().zip(weight).zip(column) {
                *p = w * x;
            }
        }
        // Columns up to the diagonal of the first row, all rows together; then what is left, one by one.
        let together = if height == BLOCK { (first + 1) / WIDTH * WIDTH } else { 0 };
        for done in (0..together).step_by(WIDTH) {
            let sums = block(products, &tile.features[done * TILE..][..WIDTH * TILE], used);
            for (b, row) in sums.iter().enumerate() {
                for (entry, sum) in matrix[(first + b) * d + done..][..WIDTH].iter_mut().zip(row) {
                    *entry += sum;
                }
            }
        }
        for (b, product) in products[..height].iter().enumerate() {
            let row = &mut matrix[(first + b) * d..][..=first + b];
            for (j, entry) in row.iter_mut().enumerate().skip(together) {
                *entry += dot(&product[..used], &tile.features[j * TILE..][..used]);
            }
        }
    }
}

/// Partial sums of an inner product in a block: as many on every processor, each with the same terms in the same order, and no
/// fused operation, so that the result is the same everywhere. Four are one vector register where this is fastest.
const PARTS: usize = 4;

/// Inner products of [`BLOCK`] vectors with the first `used` numbers of [`WIDTH`] columns.
#[inline(always)]
fn block(products: &[[f64; TILE]; BLOCK], columns: &[f64], used: usize) -> [[f64; WIDTH]; BLOCK] {
    // `used` is a multiple of LANES, and so of PARTS: no tail is left.
    let steps = used / PARTS;
    let left: [&[[f64; PARTS]]; BLOCK] = std::array::from_fn(|b| &products[b].as_chunks().0[..steps]);
    let right: [&[[f64; PARTS]]; WIDTH] = std::array::from_fn(|j| &columns[j * TILE..].as_chunks().0[..steps]);
    let mut sums = [[[0.0; PARTS]; WIDTH]; BLOCK];
    for v in 0..steps {
        for b in 0..BLOCK {
            for j in 0..WIDTH {
                for p in 0..PARTS {
                    sums[b][j][p] += left[b][v][p] * right[j][v][p];
                }
            }
        }
    }
    sums.map(|row| row.map(|[a, b, c, d]| (a + b) + (c + d)))
}

/// `sum_k n_k x_k x_k'`, lower triangle, into `out`: the design matrix of the history.
pub(crate) fn design(history: &History, out: &mut [f64]) {
    weighted_design(history, history.padded_counts(), out);
}

/// `sum_k weight_k x_k x_k'`, lower triangle, into `out`, with a weight of zero for every absent row of the last tile.
pub(crate) fn weighted_design(history: &History, weights: &[f64], out: &mut [f64]) {
    debug_assert!(weights.len() == history.padded_counts().len());
    out.fill(0.0);
    SCRATCH.with_borrow_mut(|scratch| crate::numerics::dispatch(DesignPass { history, weights, scratch, out }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pass for the value alone is another loop than that for the derivatives.
    #[test]
    fn both_passes_give_the_same_loss_to_the_last_bit() {
        for rows in [1_u32, 7, 8, 40, 63, 64, 65, 200] {
            let mut history = History::new(3).unwrap();
            for k in 0..rows {
                let at = |i: u32| (1.3 * f64::from((k + 1) * (i + 2)) % 1.9) - 0.9;
                history.observe_many(&[at(0), at(1), -at(2)], f64::from(k % 3) / 2.0, 1 + u64::from(k) % 4).unwrap();
            }
            for size in [0.0, 1e-3, 1.0, 30.0] {
                let theta = [size, -0.5 * size, 0.7 * size];
                let mut at = Evaluation::new(3);
                evaluate(&history, &theta, Order::Gradient, &mut at);
                assert_eq!(loss(&history, &theta).to_bits(), at.loss.to_bits(), "{rows} rows, {theta:?}");
            }
        }
    }
}
