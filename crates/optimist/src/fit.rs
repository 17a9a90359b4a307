//! The estimators: maximum likelihood with a ridge, in a ball, or both.
//!
//! Both minimise L(theta) + (ridge/2)||theta||^2 over ||theta|| <= norm_bound (which may be infinite), by Newton's
//! method: every step minimises the second-order model over the ball exactly (a trust-region problem with the model's
//! own ball), and a backtracking line search on the segment makes it globally convergent, because the objective is
//! convex and smooth and the segment stays in the ball. Warm-started, a new observation costs about two passes over the
//! data: the first Newton step needs none, since one more observation changes value, gradient and Hessian at the old
//! estimate by a known rank-one term.
//!
//! With ridge = lambda_t and no bound the objective is L_t and the estimate theta_hat_t of Abeille, Faury and Calauzenes 2021
//! (Section 3.1; "Learning" in their Algorithms 1 and 2). Its score equation is g_t(theta_hat_t) = sum_s r_s x_s, its Hessian is
//! H_t(theta_hat_t).

mod in_ellipsoid;

pub(crate) use in_ellipsoid::minimise_in_ellipsoid;

use serde::{Deserialize, Serialize, Serializer};

use crate::error::{Error, Result, check_count, check_dimension_size, check_number, check_vector};
use crate::history::History;
use crate::link;
use crate::loss::{Evaluation, Order, evaluate};
use crate::numerics::{Elementary, Quadratic, TrustRegion, add_outer, add_scaled, dot, norm, trace};

/// What is added to the log-loss before it is minimised.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Penalty {
    /// Weight of ||theta||^2 / 2.
    pub ridge: f64,
    /// Bound on ||theta||, or infinity.
    pub norm_bound: f64,
}

impl Penalty {
    /// A ridge and no bound on the norm.
    pub fn ridge(ridge: f64) -> Self {
        Self { ridge, norm_bound: f64::INFINITY }
    }

    /// A bound on the norm and no ridge.
    pub fn ball(norm_bound: f64) -> Self {
        Self { ridge: 0.0, norm_bound }
    }

    fn validate(&self) -> Result<()> {
        check_number("ridge", self.ridge, self.ridge >= 0.0, "zero or positive")?;
        if self.norm_bound != f64::INFINITY {
            check_number("norm_bound", self.norm_bound, self.norm_bound > 0.0, "positive")?;
        }
        Ok(())
    }
}

/// How a fit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FitStatus {
    /// The gradient vanishes (to the tolerance) inside the ball.
    Interior,
    /// The minimiser lies on the sphere ||theta|| = norm_bound, where the gradient is normal to it (to the tolerance).
    OnBoundary,
    /// Neither ridge nor bound holds the estimate and the data are separable: the infimum is approached at infinity.
    /// The estimate is a point where the gradient is within the tolerance.
    NotAttained,
    /// Rounding stopped the descent before the tolerance was reached; [`Estimator::residual`] says where.
    Stalled,
    /// The iteration limit was reached before the tolerance.
    IterationLimit,
}

impl FitStatus {
    /// Whether the gradient condition holds to the tolerance.
    pub fn is_converged(self) -> bool {
        matches!(self, FitStatus::Interior | FitStatus::OnBoundary | FitStatus::NotAttained)
    }
}

/// Newton's method runs into rounding long before this many steps; a fit that does not is reported as such.
const ITERATION_LIMIT: usize = 500;

/// Steps in a row of less than a hundredth of Newton's.
const CRAWL_LIMIT: usize = 20;

/// Default bound on the gradient, relative to the larger side of the score equation.
pub(crate) const GRADIENT_TOLERANCE: f64 = 1e-10;

/// A warm-started estimator: it keeps its last estimate, the loss there, and all its working memory.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "RawEstimator")]
pub struct Estimator {
    theta: Vec<f64>,
    at_theta: Evaluation,
    trial: Evaluation,
    trial_theta: Vec<f64>,
    /// Gradient of the whole objective at theta.
    slope: Vec<f64>,
    step: Vec<f64>,
    model: TrustRegion,
    /// Multiplier of the norm bound, as ridge: grad + multiplier * theta = 0.
    multiplier: f64,
    residual: f64,
    /// Whether `at_theta` is the loss of the current data at `theta`.
    fresh: bool,
    /// Whether `at_theta.curvature` is W at `theta`.
    has_curvature: bool,
    passes: u64,
}

/// A linear term -scale * direction'theta added to the objective: the path of the planner's fall-back.
#[derive(Clone, Copy)]
pub(crate) struct Tilt<'a> {
    pub(crate) direction: &'a [f64],
    pub(crate) scale: f64,
}

impl Estimator {
    /// An estimator that starts from zero.
    pub fn new(dimension: usize) -> Self {
        let vector = vec![0.0; dimension];
        Self {
            theta: vector.clone(),
            at_theta: Evaluation::new(dimension),
            trial: Evaluation::new(dimension),
            trial_theta: vector.clone(),
            slope: vector.clone(),
            step: vector,
            model: TrustRegion::new(dimension),
            multiplier: 0.0,
            residual: 0.0,
            fresh: false,
            has_curvature: false,
            passes: 0,
        }
    }

    /// The last estimate.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The log-loss (without ridge) and its derivatives at the last estimate.
    pub fn evaluation(&self) -> &Evaluation {
        &self.at_theta
    }

    /// Multiplier of the norm bound at the last estimate: the ridge that would give the same estimate without bound.
    pub fn multiplier(&self) -> f64 {
        self.multiplier
    }

    /// Norm of the gradient left at the last estimate, relative to the larger side of the score equation, sum r x or
    /// ridge times theta. At most 1e-10 after a converged fit, unless the sums themselves cancel so far that rounding
    /// leaves more.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// The Newton step from the last estimate, which was too small to be taken.
    pub(crate) fn step(&self) -> &[f64] {
        &self.step
    }

    /// Passes over the data so far.
    pub fn passes(&self) -> u64 {
        self.passes
    }

    /// The number of features.
    pub fn dimension(&self) -> usize {
        self.theta.len()
    }

    /// Starts the next fit from `theta`.
    ///
    /// # Errors
    /// If `theta` has the wrong length or is not finite.
    pub fn start_from(&mut self, theta: &[f64]) -> Result<()> {
        check_vector("theta", theta, self.theta.len())?;
        self.restart(theta);
        Ok(())
    }

    /// Starts the next fit from a point that is known to be sound. What was fitted before leaves no trace.
    pub(crate) fn restart(&mut self, theta: &[f64]) {
        self.theta.copy_from_slice(theta);
        self.multiplier = 0.0;
        self.fresh = false;
    }

    /// Takes in features that were zero in all data so far; the next fit begins with a pass.
    pub(crate) fn grow(&mut self, dimension: usize) {
        let mut theta = std::mem::take(&mut self.theta);
        theta.resize(dimension, 0.0);
        let &mut Self { multiplier, residual, passes, .. } = self;
        *self = Self { theta, multiplier, residual, passes, ..Self::new(dimension) };
    }

    /// The data have changed in a way that cannot be absorbed: the next fit begins with a pass.
    pub(crate) fn forget_evaluation(&mut self) {
        self.fresh = false;
    }

    /// Fits `history`, starting from the last estimate.
    ///
    /// # Errors
    /// If the ridge is negative or the bound not positive, or if the dimensions differ.
    pub fn fit(&mut self, history: &History, penalty: Penalty) -> Result<FitStatus> {
        penalty.validate()?;
        check_vector("theta", &self.theta, history.dimension())?;
        self.fresh = false;
        Ok(self.minimise(history, penalty, None, GRADIENT_TOLERANCE))
    }

    /// Takes over one more observation of `x` into the loss kept at the current estimate: a rank-one change, no pass.
    pub(crate) fn absorb(&mut self, x: &[f64], reward: f64, count: f64) {
        if !self.fresh {
            return;
        }
        let z = dot(x, &self.theta);
        let residual = count * (link::mean(z) - reward);
        let weight = count * link::variance(z);
        self.at_theta.loss += count * (link::softplus(z) - reward * z);
        add_scaled(&mut self.at_theta.gradient, residual, x);
        add_outer(&mut self.at_theta.hessian, weight, x);
        self.has_curvature = false;
    }

    /// Minimises the objective, trusting `at_theta` if it is marked fresh.
    pub(crate) fn minimise(
        &mut self,
        history: &History,
        penalty: Penalty,
        tilt: Option<Tilt<'_>>,
        tolerance: f64,
    ) -> FitStatus {
        self.enter_ball(penalty.norm_bound);
        if !self.fresh {
            evaluate(history, &self.theta, Order::Hessian, &mut self.at_theta);
            self.passes += 1;
            self.fresh = true;
            self.has_curvature = false;
        }
        let mut previous_residual = f64::INFINITY;
        let (mut stalls, mut crawls) = (0, 0);
        for _ in 0..ITERATION_LIMIT {
            let scale = self.update_slope(history, penalty, tilt);
            let damping = self.damping(history, penalty.norm_bound, scale);
            let on_sphere = norm(&self.theta) >= penalty.norm_bound * (1.0 - 1e-12);
            self.multiplier = if on_sphere { sphere_multiplier(&self.theta, &self.slope) } else { 0.0 };
            self.residual = residual(&self.slope, self.multiplier, &self.theta) / scale;
            self.propose(Penalty { ridge: penalty.ridge + damping, ..penalty });
            if self.residual <= tolerance.max(self.rounding_floor(history) / scale) {
                return self.verdict(history, penalty, on_sphere);
            }
            // Near the solution rounding makes the residual wander instead of falling.
            stalls = if self.residual > 0.5 * previous_residual { stalls + 1 } else { 0 };
            previous_residual = self.residual;
            let length = self.search(history, penalty, tilt, stalls > 3);
            // Newton's method takes short steps at times, but many of them in a row are a sign of rounding, too.
            crawls = if length < 1e-2 { crawls + 1 } else { 0 };
            if length == 0.0 || crawls > CRAWL_LIMIT {
                return FitStatus::Stalled;
            }
        }
        FitStatus::IterationLimit
    }

    /// A start outside the ball is pulled back onto it.
    fn enter_ball(&mut self, norm_bound: f64) {
        let length = norm(&self.theta);
        if length > norm_bound {
            self.theta.iter_mut().for_each(|v| *v *= norm_bound / length);
            self.fresh = false;
        }
    }

    /// Gradient of the whole objective into `slope`; returns the size of the terms that cancel in it.
    fn update_slope(&mut self, history: &History, penalty: Penalty, tilt: Option<Tilt<'_>>) -> f64 {
        self.slope.copy_from_slice(&self.at_theta.gradient);
        add_scaled(&mut self.slope, penalty.ridge, &self.theta);
        let mut scale = norm(history.reward_sum()).max((penalty.ridge + self.multiplier) * norm(&self.theta));
        if let Some(tilt) = tilt {
            add_scaled(&mut self.slope, -tilt.scale, tilt.direction);
            scale = scale.max(tilt.scale * norm(tilt.direction));
        }
        // All rewards zero and no ridge: the fitted side of the score equation is then the gradient itself.
        if scale > 0.0 { scale } else { self.at_theta.hessian_trace().sqrt().max(f64::MIN_POSITIVE) }
    }

    /// What rounding leaves of a gradient that vanishes: the sums that cancel in it have terms of this size in all.
    fn rounding_floor(&self, history: &History) -> f64 {
        4.0 * f64::EPSILON * history.total_norm()
    }

    /// Extra curvature that holds the step in directions in which the data say nothing: there the slope is rounding
    /// error only, relative to the `scale` of what cancels in it, and the step would be that error divided by zero. It
    /// keeps that part of the step below a thousandth of the estimate's size.
    fn damping(&self, history: &History, norm_bound: f64, scale: f64) -> f64 {
        let length = norm(&self.theta);
        let size = norm_bound.min(length.max(1.0 / history.max_norm()));
        if size > 0.0 && size.is_finite() {
            1e3 * f64::EPSILON * (scale + self.at_theta.hessian_trace() * length) / size
        } else {
            0.0
        }
    }

    /// The Newton step over the ball, into `step`.
    fn propose(&mut self, penalty: Penalty) {
        let hessian = &self.at_theta.hessian;
        let model = Quadratic { hessian, ridge: penalty.ridge, theta: &self.theta, slope: &self.slope };
        self.model.minimise(model, penalty.norm_bound, self.multiplier);
        self.step.copy_from_slice(self.model.minimiser());
        add_scaled(&mut self.step, -1.0, &self.theta);
    }

    fn verdict(&self, history: &History, penalty: Penalty, on_sphere: bool) -> FitStatus {
        if on_sphere && self.multiplier > 0.0 {
            return FitStatus::OnBoundary;
        }
        // At an attained minimiser the Newton step vanishes with the gradient; in the exponential tail it does not.
        let free = penalty.ridge == 0.0 && penalty.norm_bound == f64::INFINITY;
        if free && history.max_norm() * norm(&self.step) > 1e-3 { FitStatus::NotAttained } else { FitStatus::Interior }
    }

    /// slope'step. On the sphere the slope is nearly normal to a step that is nearly tangent, and the plain product would
    /// be rounding error: for a step s from theta to another point of the sphere theta's = -||s||^2/2 exactly.
    fn descent(&self) -> f64 {
        let plain = dot(&self.slope, &self.step);
        let squared = dot(&self.step, &self.step);
        let along = dot(&self.theta, &self.step);
        let tangent = (along + 0.5 * squared).abs() <= 16.0 * f64::EPSILON * dot(&self.theta, &self.theta);
        if self.multiplier > 0.0 && tangent { plain + self.multiplier * (along + 0.5 * squared) } else { plain }
    }

    /// Moves along the step as far as it decreases the objective, and returns how far. Zero if rounding allows no
    /// decrease.
    fn search(&mut self, history: &History, penalty: Penalty, tilt: Option<Tilt<'_>>, last_chance: bool) -> f64 {
        let value = objective(&self.at_theta, &self.theta, penalty, tilt);
        let descent = self.descent();
        let rounding = 8.0 * f64::EPSILON * (value.abs() + self.at_theta.loss.abs());
        // A step that does not descend is made of rounding errors.
        if descent >= 0.0 || last_chance && descent.abs() <= rounding {
            return 0.0;
        }
        // A tiny step is expected to land on the minimiser: let that pass compute the upper curvature as well.
        let order = if self.residual < 1e-4 { Order::Curvature } else { Order::Hessian };
        let mut length = 1.0;
        while length > 1e-12 {
            for ((t, theta), step) in self.trial_theta.iter_mut().zip(&self.theta).zip(&self.step) {
                *t = theta + length * step;
            }
            evaluate(history, &self.trial_theta, order, &mut self.trial);
            self.passes += 1;
            let trial_value = objective(&self.trial, &self.trial_theta, penalty, tilt);
            if trial_value <= value + 1e-4 * length * descent + rounding {
                std::mem::swap(&mut self.theta, &mut self.trial_theta);
                std::mem::swap(&mut self.at_theta, &mut self.trial);
                self.has_curvature = order == Order::Curvature;
                return length;
            }
            length *= 0.5;
        }
        0.0
    }

    /// Makes sure that the evaluation holds the upper curvature W at the estimate; a pass only if it does not yet.
    pub(crate) fn ensure_curvature(&mut self, history: &History) {
        if !(self.fresh && self.has_curvature) {
            evaluate(history, &self.theta, Order::Curvature, &mut self.at_theta);
            self.passes += 1;
            self.fresh = true;
            self.has_curvature = true;
        }
    }
}

impl Evaluation {
    fn hessian_trace(&self) -> f64 {
        trace(&self.hessian, self.gradient.len())
    }
}

/// The serialised form: all that the next fit depends on, so that a restored estimator goes on to the last digit.
#[derive(Deserialize)]
struct RawEstimator {
    theta: Vec<f64>,
    step: Vec<f64>,
    multiplier: f64,
    residual: f64,
    passes: u64,
    /// The loss at theta, if it is that of the current data.
    evaluation: Option<Evaluation>,
    has_curvature: bool,
}

impl TryFrom<RawEstimator> for Estimator {
    type Error = Error;

    fn try_from(raw: RawEstimator) -> Result<Self> {
        let d = raw.theta.len();
        check_vector("theta", &raw.theta, d)?;
        check_vector("step", &raw.step, d)?;
        check_dimension_size("theta", d)?;
        check_number("multiplier", raw.multiplier, raw.multiplier >= 0.0, "zero or positive")?;
        check_number("residual", raw.residual, raw.residual >= 0.0, "zero or positive")?;
        check_count("passes", raw.passes)?;
        let fresh = raw.evaluation.is_some();
        let at_theta = raw.evaluation.unwrap_or_else(|| Evaluation::new(d));
        at_theta.check(d)?;
        let RawEstimator { theta, step, multiplier, residual, passes, has_curvature, .. } = raw;
        Ok(Self { theta, at_theta, step, multiplier, residual, fresh, has_curvature, passes, ..Self::new(d) })
    }
}

impl Serialize for Estimator {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form<'a> {
            theta: &'a [f64],
            step: &'a [f64],
            multiplier: f64,
            residual: f64,
            passes: u64,
            evaluation: Option<&'a Evaluation>,
            has_curvature: bool,
        }
        let Self { theta, step, multiplier, residual, passes, has_curvature, .. } = self;
        Form {
            theta,
            step,
            multiplier: *multiplier,
            residual: *residual,
            passes: *passes,
            evaluation: self.fresh.then_some(&self.at_theta),
            has_curvature: *has_curvature,
        }
        .serialize(serializer)
    }
}

fn objective(at: &Evaluation, theta: &[f64], penalty: Penalty, tilt: Option<Tilt<'_>>) -> f64 {
    let tilted = tilt.map_or(0.0, |t| t.scale * dot(t.direction, theta));
    at.loss + 0.5 * penalty.ridge * dot(theta, theta) - tilted
}

/// The least-squares multiplier of the norm bound at a point of the sphere.
fn sphere_multiplier(theta: &[f64], slope: &[f64]) -> f64 {
    (-dot(theta, slope) / dot(theta, theta)).max(0.0)
}

fn residual(slope: &[f64], multiplier: f64, theta: &[f64]) -> f64 {
    slope.iter().zip(theta).map(|(s, t)| (s + multiplier * t).square()).sum::<f64>().sqrt()
}
