//! A primal-dual interior-point method for sets without norm bound and without ridge.
//!
//! Per row, let z_k = x_k'theta, s_k its weight in the entropy dual ([`super::dual`]), u_k = 1 - s_k, and a_k, b_k >= 0 the
//! multipliers of s_k >= 0 and u_k >= 0. With K rows, theta is looked for where
//!
//! ```text
//! n_k ln(s_k/u_k) - n_k z_k - a_k + b_k = 0,                               (1)
//! sum_k (n_k s_k - p_k) x_k = nu x,                                        (2)
//! a_k s_k = b_k u_k = mu,                                                  (3)
//! sum_k n_k (s_k z_k - h(s_k)) - p_k z_k + 2 K mu = level.                 (4)
//! ```
//!
//! There theta lies in the set, because n softplus(z) <= n (s z - h(s)) + 2 mu by (1) and (3); the dual bound is
//! (level + sum n h(s))/nu; and by (2) and (4) the two differ by 2 K mu/nu. As mu vanishes both become exact, and nothing has to
//! be attained for that: an arm with log-odds of -1000 has s = mu/a long before it has s = e^-1000, as in linear
//! programming, and one whose share of the loss vanishes only at infinity has u = 0 in the limit.
//!
//! A Newton step linearises (1) to (3). (4) is taken to second order: for given mu, (1) and (3) define s as the gradient of a smooth
//! loss whose Hessian is the matrix of the step, and the level meets its quadratic model where a quadratic equation in nu
//! says. So a step is right even from the centre, where the loss has no slope. Steps have a predictor and a corrector
//! (Mehrotra 1992), and (2) is approached no faster than mu falls: u of an arm whose loss vanishes at infinity is as
//! large as the error of (2), and b = mu/u must not grow, or theta is lost in its own rounding errors. (2) is linear, so that its error
//! is known as a share of what it was. Once theta is so far out that rounding begins to count, (2) [waits](InteriorPoint::wait) for mu
//! where that share is smaller than what is left of mu. Not before: where the maximum is far out, b has to grow.

use super::dual::{balance, logarithms};
use super::scaled_factor::ScaledFactor;
use crate::history::{History, TILE};
use crate::link;
use crate::loss::weighted_design;
use crate::numerics::{Elementary, add_scaled, dot};
use crate::set::LevelSet;

/// What of the way to the boundary is gone at most.
const TO_BOUNDARY: f64 = 0.99;

/// The least and the largest factor by which mu is meant to fall in a step.
const FALL: (f64, f64) = (1e-3, 1.0);

/// A row of the data, the variables that belong to it, and their step.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    count: f64,
    rewards: f64,
    z: f64,
    s: f64,
    u: f64,
    a: f64,
    b: f64,
    /// n s u/(n + u a + s b): n times this is the row's curvature.
    response: f64,
    /// What (1) is off by.
    off: f64,
    /// Right sides of (3), linearised.
    for_a: f64,
    for_b: f64,
    /// Right side of (1) after a and b are eliminated.
    pull: f64,
    dz: f64,
    ds: f64,
    da: f64,
    db: f64,
}

impl Row {
    /// n s - p.
    fn balance(&self) -> f64 {
        balance(self.count, self.rewards, self.s, self.u)
    }

    /// n softplus(z) - p z.
    fn loss(&self) -> f64 {
        let ramp = if self.z > 0.0 { self.count - self.rewards } else { -self.rewards };
        self.count * link::softplus(-self.z.abs()) + ramp * self.z
    }

    fn gap(&self) -> f64 {
        self.a * self.s + self.b * self.u
    }

    /// Aims at a s = b u = goal, with a share of the products of the last step's changes.
    fn aim(&mut self, goal: f64, products: f64) {
        self.for_a = goal - self.a * self.s - products * self.da * self.ds;
        self.for_b = goal - self.b * self.u + products * self.db * self.ds;
        self.pull = self.for_a / self.s - self.for_b / self.u - self.off;
    }

    fn step(&mut self, dz: f64) {
        self.dz = dz;
        self.ds = self.response * (dz + self.pull / self.count);
        self.da = (self.for_a - self.a * self.ds) / self.s;
        self.db = (self.for_b + self.b * self.ds) / self.u;
    }

    /// The parts of the step after which the first weight and the first multiplier are zero.
    fn longest(&self) -> Lengths {
        let weights = 1.0 / (-self.ds / self.s).max(self.ds / self.u).max(0.0);
        Lengths { weights, multipliers: 1.0 / (-self.da / self.a).max(-self.db / self.b).max(0.0) }
    }

    /// The variables a part of the step further.
    fn moved(&self, lengths: Lengths) -> Self {
        Self {
            z: self.z + lengths.multipliers * self.dz,
            s: self.s + lengths.weights * self.ds,
            u: self.u - lengths.weights * self.ds,
            a: self.a + lengths.multipliers * self.da,
            b: self.b + lengths.multipliers * self.db,
            ..*self
        }
    }
}

/// How much of a step is gone: by the weights, and by theta with the multipliers of the weights.
#[derive(Debug, Clone, Copy)]
struct Lengths {
    weights: f64,
    multipliers: f64,
}

impl Lengths {
    /// At most one, and a share of these.
    fn capped(self, share: f64) -> Self {
        Self { weights: (share * self.weights).min(1.0), multipliers: (share * self.multipliers).min(1.0) }
    }
}

/// How good an iterate is.
pub(super) struct Progress {
    /// x'theta.
    pub(super) value: f64,
    /// About how far the dual bound is above it once (2) holds.
    pub(super) gap: f64,
    /// Rounding error of the gap.
    pub(super) rounding: f64,
}

pub(super) struct InteriorPoint<'a> {
    history: &'a History,
    x: &'a [f64],
    level: f64,
    pub(super) theta: Vec<f64>,
    pub(super) nu: f64,
    rows: Vec<Row>,
    /// One number per row, and zeros for the absent rows of the last tile.
    per_row: Vec<f64>,
    /// sum_k n response x x', and its factor.
    matrix: Vec<f64>,
    factor: ScaledFactor,
    /// Left side of (2), and by how much it is too large.
    slope: Vec<f64>,
    imbalance: Vec<f64>,
    /// What the steps have left of the error of (2) at the start, as a share, and the sum of (3) at the start.
    open: f64,
    first_gap: f64,
    /// Whether (2) waits for mu.
    waits: bool,
    /// sum_k n h(s), and the left side of (4) without its last term.
    entropy: f64,
    smooth_loss: f64,
    /// The solution for the right side x.
    along: Vec<f64>,
    right: Vec<f64>,
    reduced: Vec<f64>,
    step: Vec<f64>,
}

impl<'a> InteriorPoint<'a> {
    /// Starts at `theta`, a point `room` below the level, with a mu of which 2 K mu is `share` of the room. None if the data
    /// have no finite curvature there.
    pub(super) fn new(set: &LevelSet<'a>, x: &'a [f64], theta: Vec<f64>, room: f64, share: f64) -> Option<Self> {
        let (d, history) = (x.len(), set.history);
        let vector = vec![0.0; d];
        let mut this = Self {
            history,
            x,
            level: set.level,
            theta,
            nu: 0.0,
            rows: vec![Row::default(); history.rows()],
            per_row: vec![0.0; history.padded_counts().len()],
            matrix: vec![0.0; d * d],
            factor: ScaledFactor::new(d),
            slope: vector.clone(),
            imbalance: vector.clone(),
            open: 1.0,
            first_gap: share * room,
            waits: false,
            entropy: 0.0,
            smooth_loss: 0.0,
            along: vector.clone(),
            right: vector.clone(),
            reduced: vector.clone(),
            step: vector,
        };
        let mu = share * room / this.pairs();
        products(history, &this.theta, &mut this.per_row);
        for (k, (row, z)) in this.rows.iter_mut().zip(&this.per_row).enumerate() {
            (row.count, row.rewards) = history.outcomes(k);
            row.z = *z;
            (row.s, row.u) = central_weight(*z, mu / row.count);
            (row.a, row.b) = (mu / row.s, mu / row.u);
        }
        if !this.linearise() {
            return None;
        }
        // Where the slope vanishes, that of the quadratic model of the set around its centre.
        this.nu = (2.0 * room / dot(x, &this.along)).sqrt();
        this.weigh_imbalance();
        Some(this)
    }

    /// 2 K.
    fn pairs(&self) -> f64 {
        2.0 * self.rows.len() as f64
    }

    /// How much each arm holds theta: the square root of its curvature.
    pub(super) fn holds(&self, weights: &mut [f64]) {
        for (weight, row) in weights.iter_mut().zip(&self.rows) {
            *weight = (row.count * row.response).sqrt();
        }
    }

    /// Lets (2) wait for mu from now on, or not.
    pub(super) fn wait(&mut self, waits: bool) {
        self.waits = waits;
    }

    /// s_k and 1 - s_k.
    pub(super) fn weight(&self, k: usize) -> (f64, f64) {
        let Row { s, u, .. } = self.rows[k];
        (s / (s + u), u / (s + u))
    }

    pub(super) fn progress(&self) -> Progress {
        let value = dot(self.x, &self.theta);
        let open = self.level + self.entropy - self.nu * value;
        let imbalance = dot(&self.slope, &self.theta) - self.nu * value;
        let terms = self.slope.iter().zip(&self.theta).map(|(s, t)| (s * t).abs()).sum::<f64>();
        Progress {
            value,
            gap: (open.abs() + imbalance.abs()) / self.nu,
            rounding: 8.0 * f64::EPSILON * terms / self.nu,
        }
    }

    /// By how much theta is above the level.
    pub(super) fn over(&self) -> f64 {
        (self.rows.iter().map(Row::loss).sum::<f64>() - self.level).max(0.0)
    }

    /// Everything that Newton's equations need at the present point; false if they have no solution.
    fn linearise(&mut self) -> bool {
        self.entropy = 0.0;
        for (row, weight) in self.rows.iter_mut().zip(&mut self.per_row) {
            let (log_s, log_u) = logarithms(row.s, row.u);
            self.entropy += row.count * (row.s * log_s + row.u * log_u);
            row.off = row.count * (log_s - log_u - row.z) - row.a + row.b;
            row.response = row.count * row.s * row.u / (row.count + row.u * row.a + row.s * row.b);
            *weight = row.count * row.response;
        }
        weighted_design(self.history, &self.per_row, &mut self.matrix);
        if !self.factor.factor(&self.matrix) {
            return false;
        }
        self.factor.solve(&self.matrix, self.x, &mut self.along);
        self.smooth_loss = -self.entropy;
        for (row, balance) in self.rows.iter().zip(&mut self.per_row) {
            *balance = row.balance();
            self.smooth_loss += *balance * row.z;
        }
        combine(self.history, &self.per_row, &mut self.slope);
        self.fit_nu();
        true
    }

    /// Nothing but the slope says what nu is: as the weights approach (2) it must not lag behind.
    fn fit_nu(&mut self) {
        let fit = dot(&self.slope, &self.along) / dot(self.x, &self.along);
        self.nu = fit.max(0.01 * self.nu);
        self.weigh_imbalance();
    }

    /// What (2) is off by.
    fn weigh_imbalance(&mut self) {
        self.imbalance.copy_from_slice(&self.slope);
        add_scaled(&mut self.imbalance, -self.nu, self.x);
    }

    /// The step for what the rows [aim](Row::aim) at, of which (3) is `goal`, that leaves the share `keep` of what (2) is off
    /// by. Returns the change of nu.
    fn solve(&mut self, goal: f64, keep: f64) -> f64 {
        // With s eliminated: M dtheta = (nu + dnu) x + keep imbalance - reduced slope.
        let mut loss = self.smooth_loss + self.pairs() * goal;
        for (row, coefficient) in self.rows.iter().zip(&mut self.per_row) {
            *coefficient = row.response * row.pull;
            loss += 0.5 * *coefficient * row.pull / row.count;
        }
        combine(self.history, &self.per_row, &mut self.reduced);
        add_scaled(&mut self.reduced, 1.0, &self.slope);
        for i in 0..self.x.len() {
            self.right[i] = self.nu * self.x[i] + keep * self.imbalance[i] - self.reduced[i];
        }
        self.factor.solve(&self.matrix, &self.right, &mut self.step);
        // The quadratic model meets the level where q2 dnu^2/2 + q1 dnu + q0 = 0.
        let q2 = dot(self.x, &self.along);
        let q1 = dot(&self.reduced, &self.along) + dot(self.x, &self.step);
        let q0 = loss - self.level + dot(&self.reduced, &self.step) + 0.5 * dot(&self.right, &self.step);
        let root = (q1 * q1 - 2.0 * q2 * q0).max(0.0).sqrt();
        let change = if q1 > 0.0 && root > 0.0 { -2.0 * q0 / (q1 + root) } else { (root - q1) / q2 };
        let change = change.max(-TO_BOUNDARY * self.nu);
        add_scaled(&mut self.step, change, &self.along);
        products(self.history, &self.step, &mut self.per_row);
        for (row, dz) in self.rows.iter_mut().zip(&self.per_row) {
            row.step(*dz);
        }
        change
    }

    /// The parts of the step after which the first variables are zero.
    fn longest(&self) -> Lengths {
        let mut least = Lengths { weights: f64::INFINITY, multipliers: f64::INFINITY };
        for lengths in self.rows.iter().map(Row::longest) {
            least.weights = least.weights.min(lengths.weights);
            least.multipliers = least.multipliers.min(lengths.multipliers);
        }
        least
    }

    /// One iteration, which costs a pass; false if it cannot be taken.
    pub(super) fn iterate(&mut self) -> bool {
        let gap: f64 = self.rows.iter().map(Row::gap).sum();
        self.rows.iter_mut().for_each(|row| row.aim(0.0, 0.0));
        self.solve(0.0, 0.0);
        let lengths = self.longest().capped(1.0);
        let after: f64 = self.rows.iter().map(|row| row.moved(lengths).gap()).sum();
        let fall = (after / gap).cube().clamp(FALL.0, FALL.1);
        // Numbers near the largest double leave nothing to compare.
        if fall.is_nan() {
            return false;
        }
        let goal = fall * gap / self.pairs();
        // The products of the predictor's changes count for as much of them as could be gone.
        let products = (lengths.weights * lengths.multipliers).sqrt();
        self.rows.iter_mut().for_each(|row| row.aim(goal, products));
        let lead = if self.waits { gap / self.first_gap / self.open } else { 1.0 };
        let keep = (fall * lead).clamp(fall, 1.0);
        let change = self.solve(goal, keep);
        let lengths = self.longest().capped(TO_BOUNDARY);
        self.open *= 1.0 - lengths.weights * (1.0 - keep);
        add_scaled(&mut self.theta, lengths.multipliers, &self.step);
        self.nu += lengths.weights * change;
        self.rows.iter_mut().for_each(|row| *row = row.moved(lengths));
        self.nu.is_finite() && self.linearise()
    }
}

/// The s with ln(s/(1 - s)) - m/s + m/(1 - s) = z, and 1 - s: where (1) and (3) hold.
fn central_weight(z: f64, m: f64) -> (f64, f64) {
    let size = z.abs();
    let mut log = link::mean(-size).max(m / (size + 2.0 * m)).logarithm();
    for _ in 0..8 {
        let s = log.exponential();
        let off = log - (-s).logarithm_1p() - m / s + m / (1.0 - s) + size;
        let slope = 1.0 + s / (1.0 - s) + m / s + m * s / (1.0 - s).square();
        log = (log - off / slope).min(-std::f64::consts::LN_2);
    }
    let s = log.exponential();
    if z > 0.0 { (1.0 - s, s) } else { (s, 1.0 - s) }
}

/// x_k'theta for every row.
fn products(history: &History, theta: &[f64], z: &mut [f64]) {
    z.fill(0.0);
    for (tile, z) in history.tiles().zip(z.chunks_exact_mut(TILE)) {
        for (t, column) in theta.iter().zip(tile.features.chunks_exact(TILE)) {
            add_scaled(z, *t, column);
        }
    }
}

/// sum_k c_k x_k.
fn combine(history: &History, coefficients: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (tile, c) in history.tiles().zip(coefficients.chunks_exact(TILE)) {
        for (o, column) in out.iter_mut().zip(tile.features.chunks_exact(TILE)) {
            *o += dot(c, column);
        }
    }
}
