//! A quadratic that lies below the squared Newton decrement on a box and touches it at the centre.
//!
//! For any fixed vector u, f(theta) = ||G||^2_{H^{-1}} >= 2u'G(theta) - u'H(theta)u =: q(theta), where G and H are
//! gradient and Hessian of the penalised loss: the right side is maximal at u = H^{-1}G. Choose u = H(c)^{-1}G(c) at
//! the box's centre c. Then q(c) = f(c), and q is a sum of functions of single log-odds z_s = x_s'theta, with a_s =
//! x_s'u:
//!
//! ```text
//! grad q(c)  = 2G(c) - sum_s n_s mu''(z_s) a_s^2 x_s                  ( = grad f(c) )
//! q''        = sum_s n_s (2 a_s mu'' - a_s^2 mu''') x_s x_s'
//! ```
//!
//! Because |mu''| <= min(mu', 0.0963), mu''' <= min(mu', 1/24) and mu'(z + v) <= mu'(z) e^|v|, with p_s the largest
//! change of z_s in the box and K(p) = (e^p - p - 1)/p^2, for theta = c + y in the box
//!
//! ```text
//! f(theta) >= f(c) + grad f(c)'y - y'Qy,
//! Q = sum_s n_s (2|a_s| min(K(p_s) mu'(z_s), 0.0963/2) + a_s^2 min(K(p_s) mu'(z_s), 1/48)) x_s x_s'.
//! ```
//!
//! The error is of second order in the size of the box, so that branching closes a gap with few boxes; the bound by
//! H <= e^p H(c) and the triangle inequality, sqrt f >= e^{-p/2}(sqrt f(c) - (e^p - 1)/p ||y||_{H(c)}), is of first.
//!
//! In the notation of Abeille, Faury and Calauzenes 2021, G = g_t(theta) - g_t(theta_hat_t), H = H_t(theta), and f <= gamma_t^2
//! says that theta is in C_t(delta); mu'(z + v) <= mu'(z) e^|v| is their Lemma 9, the third of those on self-concordance.

use super::DecrementSet;
use crate::history::History;
use crate::link::lane;
use crate::loss::{Evaluation, Order, evaluate};
use crate::numerics::{Cholesky, add_outer, add_scaled, dot, square_form};

/// max |mu''| = 1/(6 sqrt 3), rounded up, and halved: the largest K(0) mu''.
const SKEW_CAP: f64 = 0.5 * 0.0962251;
/// max mu''' = 1/24 (where mu' = 1/12), halved.
const KURTOSIS_CAP: f64 = 1.0 / 48.0;

/// The penalised loss, the squared Newton decrement and its quadratic minorant at a point, in memory of its own.
#[derive(Debug, Clone)]
pub(crate) struct Minorant {
    pub(crate) at: Evaluation,
    pub(crate) cholesky: Cholesky,
    /// Penalised loss.
    pub(crate) loss: f64,
    /// G: gradient of the penalised loss.
    pub(crate) gradient: Vec<f64>,
    /// u = H^{-1}G, the Newton step backwards.
    pub(crate) newton: Vec<f64>,
    /// f: squared Newton decrement.
    pub(crate) squared: f64,
    /// Gradient of f.
    pub(crate) slope: Vec<f64>,
    /// Q, lower triangle.
    pub(crate) remainder: Vec<f64>,
    row: Vec<f64>,
    turned: Vec<f64>,
}

impl Minorant {
    pub(crate) fn new(dimension: usize) -> Self {
        let vector = vec![0.0; dimension];
        Self {
            at: Evaluation::new(dimension),
            cholesky: Cholesky::new(dimension),
            loss: 0.0,
            gradient: vector.clone(),
            newton: vector.clone(),
            squared: 0.0,
            slope: vector.clone(),
            remainder: vec![0.0; dimension * dimension],
            row: vector.clone(),
            turned: vector,
        }
    }

    /// f at `theta`: one pass. Loss, gradient, Hessian and Newton step are left behind.
    pub(crate) fn squared_decrement(&mut self, set: &DecrementSet<'_>, theta: &[f64]) -> f64 {
        evaluate(set.history, theta, Order::Hessian, &mut self.at);
        self.loss = self.at.loss + 0.5 * set.ridge * dot(theta, theta);
        self.gradient.copy_from_slice(&self.at.gradient);
        add_scaled(&mut self.gradient, set.ridge, theta);
        let factored = self.cholesky.factor(&self.at.hessian, set.ridge);
        debug_assert!(factored, "the Hessian is positive semi-definite and the ridge positive");
        self.newton.copy_from_slice(&self.gradient);
        self.cholesky.solve_lower(&mut self.newton);
        self.squared = dot(&self.newton, &self.newton);
        self.cholesky.solve_upper(&mut self.newton);
        self.squared
    }

    /// Slope and remainder for a box around the point of the last [`Minorant::squared_decrement`]: a second pass. With
    /// a factor L the box is one in the coordinates L'theta, and the remainder is Q in these coordinates.
    pub(crate) fn expand(
        &mut self,
        set: &DecrementSet<'_>,
        theta: &[f64],
        half_widths: &[f64],
        factor: Option<&Cholesky>,
    ) {
        self.remainder.fill(0.0);
        for (s, g) in self.slope.iter_mut().zip(&self.gradient) {
            *s = 2.0 * g;
        }
        for_rows(set.history, &mut self.row, |x, count| {
            let link = lane(dot(x, theta));
            let a = dot(x, &self.newton);
            let skew = link.variance * (1.0 - 2.0 * link.mean);
            add_scaled(&mut self.slope, -count * skew * a * a, x);
            self.turned.copy_from_slice(x);
            if let Some(factor) = factor {
                factor.solve_lower(&mut self.turned);
            }
            let change: f64 = self.turned.iter().zip(half_widths).map(|(xi, h)| xi.abs() * h).sum();
            let grown = growth(change) * link.variance;
            let weight = 2.0 * a.abs() * grown.min(SKEW_CAP) + a * a * grown.min(KURTOSIS_CAP);
            add_outer(&mut self.remainder, count * weight, &self.turned);
        });
    }

    /// The slope alone: the gradient of f at the point of the last [`Minorant::squared_decrement`], and the matrices
    /// T = sum n mu'' a x x' and P = sum n mu''' a^2 x x' of its second derivative.
    pub(crate) fn differentiate(&mut self, set: &DecrementSet<'_>, theta: &[f64], t: &mut [f64], p: &mut [f64]) {
        t.fill(0.0);
        p.fill(0.0);
        for (s, g) in self.slope.iter_mut().zip(&self.gradient) {
            *s = 2.0 * g;
        }
        for_rows(set.history, &mut self.row, |x, count| {
            let link = lane(dot(x, theta));
            let a = dot(x, &self.newton);
            let skew = link.variance * (1.0 - 2.0 * link.mean);
            add_scaled(&mut self.slope, -count * skew * a * a, x);
            add_outer(t, count * skew * a, x);
            add_outer(p, count * link.variance * (1.0 - 6.0 * link.variance) * a * a, x);
        });
    }

    /// The largest y'Qy over the box: at a vertex, because Q is positive semi-definite.
    pub(crate) fn largest_remainder(&mut self, half_widths: &[f64]) -> f64 {
        let d = half_widths.len();
        if d > MAX_VERTEX_DIMENSION {
            // By Cauchy-Schwarz in the norm of Q.
            let length: f64 = (0..d).map(|i| self.remainder[i * d + i].sqrt() * half_widths[i]).sum();
            return length * length;
        }
        let mut largest = 0.0_f64;
        // Opposite vertices agree: the last sign is fixed.
        for signs in 0..1_u32 << (d - 1) {
            for (i, (y, h)) in self.row.iter_mut().zip(half_widths).enumerate() {
                *y = if signs >> i & 1 == 1 { -h } else { *h };
            }
            largest = largest.max(square_form(&self.remainder, &self.row));
        }
        largest
    }

    /// A lower bound on f over the box of the last [`Minorant::expand`], one in theta.
    pub(crate) fn least(&mut self, half_widths: &[f64]) -> f64 {
        let fall: f64 = self.slope.iter().zip(half_widths).map(|(s, h)| s.abs() * h).sum();
        self.squared - fall - self.largest_remainder(half_widths)
    }
}

/// Above this dimension the vertices of a box are too many to visit.
const MAX_VERTEX_DIMENSION: usize = 4;

/// Calls `visit` with the features and the count of every row.
fn for_rows(history: &History, row: &mut [f64], mut visit: impl FnMut(&[f64], f64)) {
    for k in 0..history.rows() {
        history.features(k, row);
        visit(row, history.outcomes(k).0);
    }
}

/// (e^p - p - 1)/p^2, at least to within rounding; capped where the caps above have taken over long since.
fn growth(p: f64) -> f64 {
    crate::link::growth(p.min(500.0))
}
