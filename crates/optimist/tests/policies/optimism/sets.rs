//! The sets, from the formulas of the papers.

use super::slow::{Matrix, Point, Rows, Set, dot, norm, softplus};

pub(super) const DELTA: f64 = 0.05;
pub(super) const D: f64 = 2.0;

/// A set that is kept up to date.
pub(super) trait Slow {
    fn observe(&mut self, x: &[f64], reward: f64);
    fn set(&self) -> Set;
}

/// A function of the data: ridge of the set's loss, estimate, level.
pub(super) type Formula = fn(&Rows, f64) -> (f64, Point, f64);

/// A set that is a function of the data.
pub(super) struct ByFormula {
    pub(super) rows: Rows,
    pub(super) bound: f64,
    pub(super) formula: Formula,
}

impl ByFormula {
    pub(super) fn new(bound: f64, formula: Formula) -> Self {
        Self { rows: Rows::default(), bound, formula }
    }
}

impl Slow for ByFormula {
    fn observe(&mut self, x: &[f64], reward: f64) {
        self.rows.observe(x, reward, 1.0);
    }

    fn set(&self) -> Set {
        let (ridge, estimate, level) = (self.formula)(&self.rows, self.bound);
        Set { rows: self.rows.clone(), ridge, level, bound: self.bound, estimate }
    }
}

fn confidence() -> f64 {
    -DELTA.ln()
}

/// tanh(z/2)/(2z), which is 1/4 at zero.
fn upper_curvature(z: f64) -> f64 {
    if z.abs() < 1e-6 { 0.25 } else { (0.5 * z).tanh() / (2.0 * z) }
}

fn slope(z: f64) -> f64 {
    0.25 / (0.5 * z).cosh().powi(2)
}

/// The level of the prior N(0, I/lambda) by parabolas that touch at `theta`.
fn parabola_level(rows: &Rows, theta: &Point, lambda: f64) -> f64 {
    let m = rows.matrix(theta, lambda, upper_curvature);
    let gain = 0.5 * m.inverse_form(&rows.gradient(theta, lambda));
    rows.loss(theta, lambda) - gain + confidence() + 0.5 * (m.det() / (lambda * lambda)).ln()
}

/// The level of the same prior by Jensen's inequality, for the Gaussian around `theta`, or around the end of a Newton step
/// from there if that gains more than a thousandth.
fn jensen_level(rows: &Rows, theta: &Point, lambda: f64) -> f64 {
    let mut m = *theta;
    let gradient = rows.gradient(theta, lambda);
    if 0.5 * rows.hessian(theta, lambda).inverse_form(&gradient) > 1e-3 {
        let step = rows.hessian(theta, lambda).solve(&gradient);
        m = [theta[0] - step[0], theta[1] - step[1]];
    }
    let hessian = rows.hessian(&m, lambda);
    let rest = rows.sum(|x, n| {
        let (z, v) = (dot(x, &m), hessian.inverse_form(x));
        let sigma = v.sqrt();
        let phi = 0.5 + (sigma - sigma.powi(3) / 6.0 + sigma.powi(5) / 40.0) / std::f64::consts::TAU.sqrt();
        let excess = 2.0 * (0.5 * v).exp() * phi - 1.0 - sigma * (2.0 / std::f64::consts::PI).sqrt() - 0.5 * v;
        n * (v * v / 192.0).min(0.5 * (upper_curvature(z) - slope(z)) * v).min(slope(z) * excess)
    });
    rows.loss(&m, lambda) + confidence() + 0.5 * (hessian.det() / (lambda * lambda)).ln() + rest
}

/// Three scales of the prior, of which the best gets the smaller of two levels.
pub(super) fn mixture(rows: &Rows, s: f64) -> (f64, Point, f64) {
    let parts = [(1.0, 0.8_f64), (0.5, 0.1), (0.25, 0.1)].map(|(part, weight)| (D / (part * s * part * s), weight));
    let theta = rows.ball_fit(parts[0].0, s);
    let mut levels = parts.map(|(lambda, _)| parabola_level(rows, &theta, lambda));
    let key = |k: &usize| levels[*k] - parts[*k].1.ln();
    let best = (0..3).min_by(|a, b| key(a).total_cmp(&key(b))).unwrap();
    levels[best] = levels[best].min(jensen_level(rows, &theta, parts[best].0));
    let least = levels[best];
    let total: f64 = levels.iter().zip(parts).map(|(level, (_, weight))| weight * (least - level).exp()).sum();
    (0.0, theta, least - total.ln())
}

/// L(theta_hat) plus an excess, theta_hat in the ball and without ridge.
fn around_ball_fit(rows: &Rows, s: f64, excess: f64) -> (f64, Point, f64) {
    let theta = rows.ball_fit(0.0, s);
    (0.0, theta, rows.loss(&theta, 0.0) + excess)
}

/// log(1/delta) + the least of d log(1/c) + a c, by trying many c.
fn uniform_mixture(a: f64) -> f64 {
    let cost = |c: f64| D * (1.0 / c).ln() + a * c;
    let (mut low, mut high) = (-60.0_f64, 0.0_f64);
    for _ in 0..200 {
        let (u, v) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if cost(u.exp()) < cost(v.exp()) { high = v } else { low = u }
    }
    confidence() + cost(high.exp())
}

pub(super) fn ofuglb_excess(rows: &Rows, s: f64) -> f64 {
    uniform_mixture(s * rows.sum(|x, n| n * norm(x)))
}

pub(super) fn ofuglb_published_excess(rows: &Rows, s: f64) -> f64 {
    let lipschitz = (1.0 + s / 2.0) * rows.count();
    uniform_mixture(2.0 * s * lipschitz)
}

pub(super) fn ofuglb(rows: &Rows, s: f64) -> (f64, Point, f64) {
    around_ball_fit(rows, s, ofuglb_excess(rows, s))
}

pub(super) fn ofuglb_published(rows: &Rows, s: f64) -> (f64, Point, f64) {
    around_ball_fit(rows, s, ofuglb_published_excess(rows, s))
}

fn ofulog_plus_with(rows: &Rows, s: f64, divisor: f64) -> (f64, Point, f64) {
    let e = std::f64::consts::E;
    let regret = 10.0 * D * (s * rows.count() / (divisor * D) + e).ln();
    around_ball_fit(rows, s, regret + 2.0 * (e - 2.0 + s) * confidence())
}

pub(super) fn ofulog_plus(rows: &Rows, s: f64) -> (f64, Point, f64) {
    ofulog_plus_with(rows, s, 2.0)
}

pub(super) fn ofulog_plus_published(rows: &Rows, s: f64) -> (f64, Point, f64) {
    ofulog_plus_with(rows, s, 4.0)
}

/// L_lambda(theta_hat) plus an excess that may depend on theta_hat.
fn around_ridge_fit(rows: &Rows, lambda: f64, excess: impl Fn(&Point) -> f64) -> (f64, Point, f64) {
    let theta = rows.ridge_fit(lambda);
    (lambda, theta, rows.loss(&theta, lambda) + excess(&theta))
}

fn squared_beta(gamma: f64, lambda: f64) -> f64 {
    (gamma + gamma * gamma / lambda.sqrt()).powi(2)
}

pub(super) fn tight(rows: &Rows, s: f64) -> (f64, Point, f64) {
    let lambda = D * (1.0 + (rows.count() + 1.0).ln());
    let det = rows.matrix(&[0.0, 0.0], lambda, |_| 0.25).det();
    // Chi-squared with two degrees of freedom is exponential.
    let cdf = |x: f64| 1.0 - (-0.5 * x).exp();
    let truncation = (D * 2_f64.ln()).min((cdf(2.0 * D) / cdf(0.5 * lambda)).ln());
    let w = confidence() + truncation + 0.5 * (det / (D * D)).ln();
    // The least of a + w/a over 0 < a <= sqrt(lambda)/2.
    let a = w.sqrt().min(0.5 * lambda.sqrt());
    let gamma = lambda.sqrt() * s + a + w / a;
    around_ridge_fit(rows, lambda, |theta| {
        (0.25 * (2.0 + s + norm(theta)) * gamma * gamma).min(squared_beta(gamma, lambda))
    })
}

/// Ridge and gamma of the score's bound as corrected.
pub(super) fn corrected_gamma(n: f64, s: f64) -> (f64, f64) {
    let lambda = D * (1.0 + (n + 1.0).ln());
    let growth = 4.0 * (lambda / D) * (1.0 + n / (4.0 * D * lambda));
    (lambda, lambda.sqrt() * (s + 0.5) + (2.0 * confidence() + D * growth.ln()) / lambda.sqrt())
}

/// Ridge and gamma of the score's bound as printed; in the first round, where the ridge would be zero, that of the second.
pub(super) fn printed_gamma(n: f64, s: f64) -> (f64, f64) {
    let t = n + 1.0;
    let lambda = D * t.max(2.0).ln();
    let log = (4.0 / DELTA * (1.0 + t / (16.0 * D * lambda))).ln();
    (lambda, lambda.sqrt() * (s + 0.5) + D / lambda.sqrt() * log)
}

pub(super) fn corrected(rows: &Rows, s: f64) -> (f64, Point, f64) {
    let (lambda, gamma) = corrected_gamma(rows.count(), s);
    around_ridge_fit(rows, lambda, |_| squared_beta(gamma, lambda))
}

pub(super) fn paper(rows: &Rows, s: f64) -> (f64, Point, f64) {
    let (lambda, gamma) = printed_gamma(rows.count(), s);
    around_ridge_fit(rows, lambda, |_| squared_beta(gamma, lambda))
}

/// Likelihood ratios against a running estimate, one observation after the other.
pub(super) struct Ratios {
    rows: Rows,
    bound: f64,
    discounted: bool,
    lost: f64,
    theta: Point,
    precision: Matrix,
    design: Matrix,
}

impl Ratios {
    pub(super) fn new(bound: f64, discounted: bool) -> Self {
        let precision = Matrix::identity(D / (bound * bound));
        let design = Matrix::identity(1.0);
        Self { rows: Rows::default(), bound, discounted, lost: 0.0, theta: [0.0, 0.0], precision, design }
    }
}

impl Slow for Ratios {
    fn observe(&mut self, x: &[f64], reward: f64) {
        let s = self.bound;
        let square = self.design.inverse_form(x);
        let weight = if self.discounted { 1.0 / (1.0 + 2.0 * s * s * square / 4.0) } else { 1.0 };
        // The forecast comes first.
        let pull = (s / norm(&self.theta)).min(1.0);
        let z = pull * dot(x, &self.theta);
        self.lost += weight * (softplus(z) - reward * z);
        self.rows.observe(x, reward, weight);
        self.design.add(1.0 / (2.0 + s.exp() + (-s).exp()), x);
        // theta moves along A^{-1}x to where its logit solves z - m + v (mu(z) - r) = 0.
        let (variance, prior) = (self.precision.inverse_form(x), dot(x, &self.theta));
        let (mut low, mut high) = (prior - variance, prior + variance);
        for _ in 0..100 {
            let z = 0.5 * (low + high);
            let value = z - prior + variance * (1.0 / (1.0 + (-z).exp()) - reward);
            if value > 0.0 { high = z } else { low = z }
        }
        let direction = self.precision.solve(x);
        let step = (low - prior) / variance;
        self.theta = [self.theta[0] + step * direction[0], self.theta[1] + step * direction[1]];
        let p = 1.0 / (1.0 + (-low).exp());
        self.precision.add(p * (1.0 - p), x);
    }

    fn set(&self) -> Set {
        let estimate = self.rows.ball_fit(0.0, self.bound);
        Set { rows: self.rows.clone(), ridge: 0.0, level: confidence() + self.lost, bound: self.bound, estimate }
    }
}
