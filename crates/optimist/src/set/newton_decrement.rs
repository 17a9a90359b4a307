//! The set of small Newton decrements, which is not convex.
//!
//! With L_r = L + (ridge/2)||theta||^2 and H_r its Hessian, Abeille, Faury, Calauzenes (2021) prove a bound on
//! ||g(theta*) - g(theta_hat)|| in the norm of H_r(theta*)^{-1}, where g(theta) - g(theta_hat) is the gradient of L_r
//! at theta if theta_hat is its minimiser. So their set is
//!
//! ```text
//! { theta : ||theta|| <= norm_bound, ||grad L_r(theta)||_{H_r(theta)^{-1}} <= gamma },
//! ```
//!
//! the points whose Newton decrement is at most gamma: no estimate is needed to test whether a point belongs to it. A
//! level set of the loss contains it ([`DecrementSet::relaxation_level`]), which is what most planning runs over; the
//! set itself is smaller but not convex, and planning over it branches ([`crate::plan::BranchPlanner`]).
//!
//! **In the paper**: with ridge = lambda_t and gamma = gamma_t(delta) this is C_t(delta) of Section 3.1, which Proposition 1 is
//! about; L_r is L_t, H_r is H_t, and g(theta) - g(theta_hat) is g_t(theta) - g_t(theta_hat_t).

use super::guarantee::{Guarantee, Theorem};
use super::minorant::Minorant;
use super::{Corrected, Paper, Strategy};
use crate::error::{Error, Result, check_number, check_vector};
use crate::fit::{Estimator, Penalty};
use crate::history::History;
use crate::loss::loss;
use crate::numerics::{Elementary, dot, norm};
use crate::problem::Problem;

/// The points of a ball whose Newton decrement is at most gamma.
///
/// ```
/// use optimist::{History, set::DecrementSet};
/// let mut history = History::new(2)?;
/// history.observe(&[0.6, 0.8], 1.0)?;
/// let set = DecrementSet::corrected(&history, 0.05, 3.0)?;
/// assert!(set.contains(&[0.1, 0.1]));
/// # Ok::<(), optimist::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DecrementSet<'a> {
    pub(crate) history: &'a History,
    pub(crate) ridge: f64,
    pub(crate) gamma: f64,
    pub(crate) norm_bound: f64,
    guarantee: Guarantee,
}

/// What is said of a set with a gamma of the caller's: nothing is promised.
static NOTHING: Theorem =
    Theorem { assumptions: &["none: gamma is the caller's, nothing is promised"], order_free: true, citation: "none" };

/// Samples of a ray on which the last crossing is looked for.
const RAY_SAMPLES: usize = 200;

impl<'a> DecrementSet<'a> {
    /// The set of a given ridge and gamma. It promises nothing.
    ///
    /// # Errors
    /// If the ridge, gamma or the norm bound is not positive, or the ridge vanishes next to the data.
    pub fn new(history: &'a History, ridge: f64, gamma: f64, norm_bound: f64) -> Result<Self> {
        // A ridge that rounding swallows would leave the Hessian of few arms singular.
        let size = history.observations() * history.max_norm().square();
        let seen = ridge > 4.0 * history.dimension() as f64 * f64::EPSILON * size;
        check_number("ridge", ridge, ridge > 0.0 && seen, "positive, and not lost in rounding next to the data")?;
        check_number("gamma", gamma, gamma > 0.0, "positive")?;
        check_number("norm_bound", norm_bound, norm_bound > 0.0, "positive")?;
        let guarantee = Guarantee { name: "decrement", delta: None, norm_bound: Some(norm_bound), theorem: &NOTHING };
        Ok(Self { history, ridge, gamma, norm_bound, guarantee })
    }

    /// The set with the ridge d(1 + log t) and a gamma for which it holds the true parameter at all rounds t with
    /// probability 1 - delta: Theorem 4 of Abeille, Faury, Calauzenes (2021) with its closed form corrected.
    ///
    /// # Errors
    /// If delta is not in (0, 1), the norm bound is not positive, or an observed arm is longer than one.
    pub fn corrected(history: &'a History, delta: f64, norm_bound: f64) -> Result<Self> {
        let radius = Corrected::new(&options(history, delta, norm_bound)?)?;
        let n = history.observations();
        let guarantee = Guarantee { name: "decrement", ..radius.guarantee() };
        Ok(Self { guarantee, ..Self::new(history, radius.ridge(n), radius.gamma(n), norm_bound)? })
    }

    /// The set with ridge and gamma as printed in Abeille, Faury, Calauzenes (2021), for comparison: the printed
    /// closed form is smaller than the radius of their Theorem 4 in low dimension, so nothing is promised.
    ///
    /// # Errors
    /// As [`DecrementSet::corrected`].
    pub fn printed(history: &'a History, delta: f64, norm_bound: f64) -> Result<Self> {
        let radius = Paper::new(&options(history, delta, norm_bound)?)?;
        let n = history.observations();
        let guarantee = Guarantee { name: "decrement-printed", ..radius.guarantee() };
        Ok(Self { guarantee, ..Self::new(history, radius.ridge(n), radius.gamma(n), norm_bound)? })
    }

    /// The data.
    pub fn history(&self) -> &'a History {
        self.history
    }

    /// Weight of ||theta||^2 / 2 in the loss.
    pub fn ridge(&self) -> f64 {
        self.ridge
    }

    /// The largest Newton decrement of a point of the set.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// The bound on ||theta||.
    pub fn norm_bound(&self) -> f64 {
        self.norm_bound
    }

    /// What is promised.
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// The Newton decrement at `theta`, ||grad L_r||_{H_r^{-1}}: one pass over the data.
    ///
    /// # Panics
    /// If `theta` has another dimension than the history.
    pub fn decrement(&self, theta: &[f64]) -> f64 {
        Minorant::new(theta.len()).squared_decrement(self, theta).sqrt()
    }

    /// Whether `theta` belongs to the set.
    ///
    /// # Panics
    /// If `theta` has another dimension than the history.
    pub fn contains(&self, theta: &[f64]) -> bool {
        norm(theta) <= self.norm_bound && self.decrement(theta) <= self.gamma
    }

    /// A lower bound on the Newton decrement over the box of points within `half_widths` of `centre` in every
    /// coordinate: two passes over the data. Its error is of second order in the box's size.
    ///
    /// # Errors
    /// If a vector has the wrong length or holds a number that is not finite.
    pub fn least_decrement(&self, centre: &[f64], half_widths: &[f64]) -> Result<f64> {
        let d = self.history.dimension();
        check_vector("centre", centre, d)?;
        check_vector("half_widths", half_widths, d)?;
        let mut minorant = Minorant::new(d);
        minorant.squared_decrement(self, centre);
        minorant.expand(self, centre, half_widths, None);
        Ok(minorant.least(half_widths).max(0.0).sqrt())
    }

    /// A level of the loss (with its ridge) that no point of the set exceeds, from the loss at any one point `y`:
    /// L_r(y) + (2 + D) gamma^2/4 with D the largest change of a log-odds between y and a point of the ball. It is
    /// least near the minimiser of L_r.
    ///
    /// By Taylor at theta, L_r(y) >= L_r(theta) - u v + u^2/(2 + D), where u = ||y - theta|| in the norm of H_r(theta)
    /// and v is the decrement at theta (second-order self-concordance, Abeille, Faury, Calauzenes 2021); maximise over
    /// u.
    ///
    /// # Panics
    /// If `y` has another dimension than the history.
    pub fn relaxation_level(&self, y: &[f64]) -> f64 {
        let change = self.history.max_norm() * (self.norm_bound + norm(y));
        self.loss(y) + 0.25 * (2.0 + change) * self.gamma * self.gamma
    }

    fn loss(&self, theta: &[f64]) -> f64 {
        loss(self.history, theta) + 0.5 * self.ridge * dot(theta, theta)
    }

    /// Points on the boundary of a set in two dimensions, seen from the least penalised loss in the ball at equally
    /// spaced angles. On each ray it is the last crossing among a fine sample, because it is not known whether the set
    /// is star-shaped; rays that meet no point of the set are left out.
    ///
    /// # Panics
    /// If the dimension is not two.
    pub fn boundary(&self, points: usize) -> Vec<[f64; 2]> {
        assert!(self.history.dimension() == 2, "boundary points are for two dimensions");
        let mut estimator = Estimator::new(2);
        let penalty = Penalty { ridge: self.ridge, norm_bound: self.norm_bound };
        estimator.fit(self.history, penalty).expect("the set's own options are sound");
        let centre = [estimator.theta()[0], estimator.theta()[1]];
        let mut minorant = Minorant::new(2);
        (0..points)
            .filter_map(|i| {
                let angle = std::f64::consts::TAU * i as f64 / points as f64;
                self.last_crossing(&mut minorant, centre, [angle.cosine(), angle.sine()])
            })
            .collect()
    }

    fn last_crossing(&self, minorant: &mut Minorant, centre: [f64; 2], ray: [f64; 2]) -> Option<[f64; 2]> {
        let horizon = exit_distance(&centre, &ray, self.norm_bound);
        let at = |r: f64| [centre[0] + r * ray[0], centre[1] + r * ray[1]];
        let mut inside = |r: f64| minorant.squared_decrement(self, &at(r)) <= self.gamma * self.gamma;
        let sample = |k: usize| horizon * k as f64 / RAY_SAMPLES as f64;
        let last = (0..=RAY_SAMPLES).rev().find(|&k| inside(sample(k)))?;
        if last == RAY_SAMPLES {
            return Some(at(horizon));
        }
        let (mut low, mut high) = (sample(last), sample(last + 1));
        // Sixty halvings reach the last bit of a double.
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if inside(middle) { low = middle } else { high = middle }
        }
        Some(at(low))
    }
}

/// How far one can go from `start`, a point of the ball, along the unit vector `ray` without leaving the ball.
fn exit_distance(start: &[f64], ray: &[f64], norm_bound: f64) -> f64 {
    let along = dot(start, ray);
    let room = (norm_bound * norm_bound - dot(start, start)).max(0.0);
    // Whichever form of the root does not cancel.
    let root = (along * along + room).sqrt();
    if along > 0.0 { room / (along + root) } else { root - along }
}

/// The options of a radius, once it is known that no observed arm is longer than its proof allows.
fn options(history: &History, delta: f64, norm_bound: f64) -> Result<Problem> {
    let length = history.max_norm();
    // A norm of one computed with rounding must pass.
    if length > 1.0 + 1e-9 {
        let field = "the longest observed arm".into();
        return Err(Error::NormAboveBound { field, norm: length, bound: 1.0, needed_by: "decrement" });
    }
    Ok(Problem { dimension: history.dimension(), delta, norm_bound: Some(norm_bound) })
}
