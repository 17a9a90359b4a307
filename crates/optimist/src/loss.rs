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
//! are left to the caller, who may need several at once.
//!
//! A pass costs K (d^2/2 + 2d) multiplications and K link evaluations, all in vector registers: the data are stored in
//! tiles ([`crate::history`]) and the whole pass is compiled for the widest instruction set the machine has.

use crate::history::{History, TILE, Tile};
use crate::linalg::{LANES, dot};
use crate::link::{curvature_lane, exp_negative, lane_from};

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
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// L(theta).
    pub loss: f64,
    /// Gradient of L.
    pub gradient: Vec<f64>,
    /// Lower triangle of the Hessian, row-major in a d by d array.
    pub hessian: Vec<f64>,
    /// Lower triangle of W, row-major in a d by d array; only valid after a pass of [`Order::Curvature`].
    pub curvature: Vec<f64>,
}

impl Evaluation {
    /// Room for an evaluation in `dimension` dimensions: the evaluation of an empty history.
    pub fn new(dimension: usize) -> Self {
        let matrix = vec![0.0; dimension * dimension];
        Self { loss: 0.0, gradient: vec![0.0; dimension], hessian: matrix.clone(), curvature: matrix }
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
    pulp::Arch::new().dispatch(Pass { history, theta, order, out });
}

/// The log-loss of `history` at `theta`.
pub fn loss(history: &History, theta: &[f64]) -> f64 {
    assert!(theta.len() == history.dimension(), "theta must have the history's dimension");
    pulp::Arch::new().dispatch(ValuePass { history, theta })
}

// A type per loop rather than a closure: only a method can be `inline(always)`, without which the compiler keeps one
// copy of the loop, built for the oldest processor.

/// The loop of [`evaluate`].
struct Pass<'a> {
    history: &'a History,
    theta: &'a [f64],
    order: Order,
    out: &'a mut Evaluation,
}

impl pulp::WithSimd for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let mut scratch = Scratch::new();
        for tile in self.history.tiles() {
            add_tile(&tile, self.theta, self.order, &mut scratch, self.out);
        }
    }
}

/// The loop of [`loss`].
struct ValuePass<'a> {
    history: &'a History,
    theta: &'a [f64],
}

impl pulp::WithSimd for ValuePass<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
        let mut scratch = Scratch::new();
        self.history.tiles().map(|tile| scratch.link(&tile, self.theta, false)).sum()
    }
}

/// The loop of [`design`].
struct DesignPass<'a> {
    history: &'a History,
    out: &'a mut [f64],
}

impl pulp::WithSimd for DesignPass<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let mut scratch = Scratch::new();
        for tile in self.history.tiles() {
            scratch.weight.copy_from_slice(tile.counts);
            add_outer_products(&tile, &scratch.weight, &mut scratch.product, self.out);
        }
    }
}

/// Per-row quantities of one tile.
struct Scratch {
    z: [f64; TILE],
    /// n mu(z) - p.
    residual: [f64; TILE],
    /// n mu'(z).
    weight: [f64; TILE],
    /// n w(z).
    upper: [f64; TILE],
    product: [f64; TILE],
}

impl Scratch {
    #[inline(always)]
    fn new() -> Self {
        let zero = [0.0; TILE];
        Self { z: zero, residual: zero, weight: zero, upper: zero, product: zero }
    }

    /// Fills the per-row quantities and returns the tile's loss.
    #[inline(always)]
    fn link(&mut self, tile: &Tile<'_>, theta: &[f64], curvature: bool) -> f64 {
        // Absent rows up to the next multiple of LANES have count zero and add nothing.
        let used = tile.used.next_multiple_of(LANES);
        let z = &mut self.z[..used];
        z.fill(0.0);
        for (t, column) in theta.iter().zip(tile.features.chunks_exact(TILE)) {
            for (zi, xi) in z.iter_mut().zip(column) {
                *zi += t * xi;
            }
        }
        // Two short loops keep more elements in flight than one long one (see `link::evaluate`).
        for (e, zi) in self.weight[..used].iter_mut().zip(self.z.iter()) {
            *e = exp_negative(zi.abs());
        }
        // Plain slices of one length, so that no bounds check stands in the way of vector registers.
        let (z, exps) = (&self.z[..used], &mut self.weight[..used]);
        let (residuals, terms) = (&mut self.residual[..used], &mut self.product[..used]);
        let (counts, rewards) = (&tile.counts[..used], &tile.rewards[..used]);
        for i in 0..used {
            let (zi, n, p) = (z[i], counts[i], rewards[i]);
            let link = lane_from(zi, exps[i]);
            // n softplus(z) - p z, without cancellation when every reward was one.
            let ramp = if zi > 0.0 { n - p } else { -p };
            terms[i] = n * link.log1p_exp + ramp * zi;
            residuals[i] = n * link.mean - p;
            exps[i] = n * link.variance;
        }
        if curvature {
            for (u, (zi, n)) in self.upper[..used].iter_mut().zip(self.z.iter().zip(tile.counts)) {
                *u = n * curvature_lane(*zi);
            }
        }
        sum(&self.product[..used])
    }
}

/// Sum of a slice whose length is a multiple of [`LANES`].
#[inline(always)]
fn sum(values: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for chunk in values.as_chunks::<LANES>().0 {
        for l in 0..LANES {
            lanes[l] += chunk[l];
        }
    }
    lanes.iter().sum()
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
        add_outer_products(tile, &scratch.weight, &mut scratch.product, &mut out.hessian);
    }
    if order >= Order::Curvature {
        add_outer_products(tile, &scratch.upper, &mut scratch.product, &mut out.curvature);
    }
}

/// `matrix += sum_i weight_i x_i x_i'` over the rows of a tile, lower triangle.
#[inline(always)]
fn add_outer_products(tile: &Tile<'_>, weight: &[f64; TILE], product: &mut [f64; TILE], matrix: &mut [f64]) {
    let d = tile.features.len() / TILE;
    let used = tile.used.next_multiple_of(LANES);
    for i in 0..d {
        let column = &tile.features[i * TILE..][..used];
        for ((p, w), x) in product.iter_mut().zip(weight).zip(column) {
            *p = w * x;
        }
        for (j, entry) in matrix[i * d..][..=i].iter_mut().enumerate() {
            *entry += dot(&product[..used], &tile.features[j * TILE..][..used]);
        }
    }
}

/// `sum_k n_k x_k x_k'`, lower triangle, into `out`: the design matrix of the history.
pub(crate) fn design(history: &History, out: &mut [f64]) {
    out.fill(0.0);
    pulp::Arch::new().dispatch(DesignPass { history, out });
}
