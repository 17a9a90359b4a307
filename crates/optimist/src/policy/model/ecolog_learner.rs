//! The learner of `ecolog` and `ts-ecolog`: implicit steps, each of which is one scalar equation.
//!
//! A step solves argmin (1/c)||theta - theta_s||^2_{W_s} + l(x_s'theta, r_s) over the slab { lo <= x_s'theta <= hi }. The
//! loss depends on x_s'theta alone and so does the slab, hence the minimiser lies on the line theta_s + a W_s^{-1}x_s: its
//! logit u is the root of a monotone equation, cut to [lo, hi], and the constraint costs nothing.

use serde::{Deserialize, Serialize};

use super::failure_set::FailureSet;
use super::widths::Widths;
use crate::error::{Error, Result, check_count, check_number, check_vector};
use crate::link;
use crate::numerics::{Elementary, Ellipsoid, Precision, add_scaled, dot, mixed_loss, norm, posterior_logit};
use crate::policy::constants::Constants;
use crate::policy::norm_bound::sane_norm_bound;
use crate::policy::rule::EMPTY;
use crate::problem::Problem;

/// Estimate, matrix, radius and the log of rounds without a step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::policy) struct EcologLearner {
    theta: Vec<f64>,
    precision: Precision,
    widths: Widths,
    failures: FailureSet,
    /// What the data add to the square of the radius.
    surplus: f64,
    observations: u64,
    ridge: f64,
    delta: f64,
    norm_bound: f64,
    constants: Constants,
    #[serde(skip)]
    direction: Vec<f64>,
}

/// What is known about the logit of an arm before its reward.
#[derive(Debug, Clone, Copy)]
struct Forecast {
    /// x'theta_s and x'W_s^{-1}x.
    mean: f64,
    square: f64,
    /// Bounds on x'theta*.
    low: f64,
    high: f64,
    /// c_s = 2 + high - low.
    weight: f64,
}

impl Forecast {
    /// The logit after a step with this reward; `count` equal observations.
    fn step(&self, reward: f64, count: f64) -> f64 {
        let variance = 0.5 * self.weight * self.square;
        posterior_logit(self.mean, variance, reward, count).clamp(self.low, self.high)
    }

    /// The logit after a step with both rewards at once.
    fn middle(&self) -> f64 {
        self.step(0.5, 2.0)
    }

    /// Whether the curvature after the step could be less than half of that at the middle, for one of the outcomes.
    fn is_uncertain(&self) -> bool {
        let least = link::variance(self.step(0.0, 1.0)).min(link::variance(self.step(1.0, 1.0)));
        link::variance(self.middle()) > 2.0 * least
    }
}

impl EcologLearner {
    /// Before any data. Without a ridge of the caller's it is 1 + S, with which every step is shorter than one; that of the
    /// published code is 1.
    pub(in crate::policy) fn new(
        problem: &Problem,
        ridge: Option<f64>,
        constants: Constants,
        needed_by: &'static str,
    ) -> Result<Self> {
        let d = problem.dimension;
        let norm_bound = sane_norm_bound(problem, needed_by)?;
        let default = if constants == Constants::Ours { 1.0 + norm_bound } else { 1.0 };
        let ridge = ridge.unwrap_or(default);
        Ok(Self {
            theta: vec![0.0; d],
            precision: Precision::new(d, ridge),
            widths: Widths::default(),
            failures: FailureSet::new(&Problem { delta: 0.5 * problem.delta, ..*problem })?,
            surplus: 0.0,
            observations: 0,
            ridge,
            delta: problem.delta,
            norm_bound,
            constants,
            direction: Vec::new(),
        })
    }

    pub(in crate::policy) fn theta(&self) -> &[f64] {
        &self.theta
    }

    pub(in crate::policy) fn delta(&self) -> f64 {
        self.delta
    }

    pub(in crate::policy) fn norm_bound(&self) -> f64 {
        self.norm_bound
    }

    pub(in crate::policy) fn constants(&self) -> Constants {
        self.constants
    }

    /// b^2.
    fn squared_radius(&self) -> f64 {
        let (ridge, bound) = (self.ridge, self.norm_bound);
        let ball = ridge * bound * bound;
        match self.constants {
            Constants::Ours => ball - (2.0 + 2.0 * bound) * (0.5 * self.delta).logarithm() + self.surplus,
            Constants::Published => {
                let t = self.observations as f64 + 1.0;
                let log = (2.0 / self.delta).logarithm() + 0.5 * (t / (4.0 * ridge)).logarithm_1p();
                let gamma = 0.5 * ridge.sqrt() + 2.0 * log / ridge.sqrt();
                2.0 * ball + (1.0 + bound).square() * gamma + self.surplus
            }
        }
    }

    pub(in crate::policy) fn radius(&self) -> f64 {
        self.squared_radius().max(0.0).sqrt()
    }

    /// { ||theta - theta_t||_W <= b }.
    pub(in crate::policy) fn ellipsoid(&self) -> Ellipsoid<'_> {
        self.precision.ellipsoid(&self.theta, self.radius())
    }

    /// The learner's own ellipsoid with the widths of a list, for the index.
    pub(in crate::policy) fn indexed(&mut self) -> (Ellipsoid<'_>, &mut Widths) {
        let radius = self.radius();
        (self.precision.ellipsoid(&self.theta, radius), &mut self.widths)
    }

    /// Bounds on x'theta over ball, failure set and own ellipsoid; the wrong way round if these have nothing in common.
    pub(in crate::policy) fn bounds(&self, x: &[f64]) -> (f64, f64) {
        if self.squared_radius() < 0.0 {
            return EMPTY;
        }
        let (outer, own) = (self.outer_bounds(x), self.ellipsoid().bounds(x));
        (outer.0.max(own.0), outer.1.min(own.1))
    }

    /// Over ball and failure set.
    fn outer_bounds(&self, x: &[f64]) -> (f64, f64) {
        let reach = self.norm_bound * norm(x);
        intersect((-reach, reach), self.failures.bounds(x))
    }

    fn own_bounds(&self, outer: (f64, f64), mean: f64, square: f64) -> (f64, f64) {
        let width = self.radius() * square.sqrt();
        intersect(outer, (mean - width, mean + width))
    }

    pub(in crate::policy) fn contains(&self, theta: &[f64]) -> bool {
        let own = self.ellipsoid().squared_distance(theta) <= self.squared_radius();
        own && norm(theta) <= self.norm_bound && self.failures.contains(theta)
    }

    fn forecast(&mut self, x: &[f64]) -> Forecast {
        self.direction.resize(x.len(), 0.0);
        let square = self.precision.solve(x, &mut self.direction);
        let mean = dot(x, &self.theta);
        let outer = self.outer_bounds(x);
        let (low, high) = match self.constants {
            Constants::Ours => self.own_bounds(outer, mean, square),
            Constants::Published => outer,
        };
        Forecast { mean, square, low, high, weight: 2.0 + high - low }
    }

    pub(in crate::policy) fn learn(&mut self, x: &[f64], reward: f64) {
        let forecast = self.forecast(x);
        if forecast.is_uncertain() {
            self.failures.learn(x, reward);
        } else if forecast.square > 0.0 {
            self.step(forecast, x, reward);
        }
        self.observations += 1;
    }

    fn step(&mut self, forecast: Forecast, x: &[f64], reward: f64) {
        let Forecast { mean, square, weight, .. } = forecast;
        let logit = forecast.step(reward, 1.0);
        let change = (logit - mean) / square;
        let loss = link::log_loss(logit, reward);
        self.surplus += match self.constants {
            Constants::Ours => {
                let deviation = (0.5 * weight * square).sqrt();
                weight * (mixed_loss(mean, deviation, reward, 1.0) - loss) - change * (logit - mean)
            }
            Constants::Published => {
                let middle = forecast.middle();
                let gap = (logit - middle).abs() / square.sqrt();
                2.0 * (1.0 + self.norm_bound) * (link::log_loss(middle, reward) - loss) - 0.5 * gap
            }
        };
        add_scaled(&mut self.theta, change, &self.direction);
        self.widths.add(&mut self.precision, link::variance(logit), x, &self.direction, square);
    }

    pub(in crate::policy) fn check(&self, dimension: usize) -> Result<()> {
        check_vector("theta", &self.theta, dimension)?;
        check_number("surplus", self.surplus, true, "a number")?;
        check_count("observations", self.observations)?;
        check_number("ridge", self.ridge, self.ridge > 0.0, "positive")?;
        let problem = Problem { dimension, delta: self.delta, norm_bound: Some(self.norm_bound) };
        sane_norm_bound(&problem, "this policy")?;
        self.precision.check(dimension)?;
        self.widths.check(dimension)?;
        let got = self.failures.dimension();
        if got != dimension {
            return Err(Error::Dimension { field: "failures".into(), expected: dimension, got });
        }
        self.failures.check(dimension)
    }
}

/// The common part; where there is none, which happens only if the promise has failed, the middle of the gap.
fn intersect(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let (low, high) = (a.0.max(b.0), a.1.min(b.1));
    if low <= high {
        return (low, high);
    }
    let middle = (0.5 * (low + high)).clamp(a.0, a.1);
    (middle, middle)
}
