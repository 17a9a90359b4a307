//! The ridge estimate with its Hessian: the Laplace approximation of a posterior under the prior N(0, I/ridge).

use serde::{Deserialize, Serialize};

use super::check_dimension;
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Error, Result, check_number, check_vector};
use crate::fit::{Estimator, GRADIENT_TOLERANCE, Penalty};
use crate::numerics::{Cholesky, Elementary, Precision, add_outer, add_scaled, dot, grow_matrix, square_form};
use crate::posterior::DenseFilter;
use crate::problem::Problem;

/// theta_hat = argmin L + (ridge/2)||theta||^2 over all observations, H its Hessian there, and the factor and the inverse
/// of H. The observations live in a belief with the mixture set, so that whoever keeps a posterior can certify. Where old
/// rows were consolidated, L has the lower quadratic in their place, which is a little too flat: the posterior is a little
/// wider than that of all rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub(in crate::policy) struct Posterior {
    belief: Belief,
    fit: Estimator,
    ridge: f64,
    #[serde(skip_serializing)]
    cholesky: Cholesky,
    #[serde(skip_serializing)]
    inverse: Vec<f64>,
    /// Lower triangle of what open plays are counted for, sum of weight x x'; empty as long as there was none.
    lent: Vec<f64>,
    /// Whether estimate and factor are in step with the observations.
    #[serde(skip_serializing)]
    current: bool,
    /// Whether the inverse is.
    #[serde(skip_serializing)]
    inverted: bool,
}

impl Posterior {
    /// Before any data. Without a ridge of the caller's it is d/S^2, so that the prior's scale matches the ball, or one
    /// if there is no norm bound.
    pub(in crate::policy) fn new(problem: &Problem, ridge: Option<f64>) -> Result<Self> {
        let d = problem.dimension;
        let ridge = ridge.unwrap_or_else(|| problem.default_ridge());
        let belief = Belief::new(d, problem.norm_bound, problem.delta)?;
        Self::assemble(belief, Estimator::new(d), ridge, Vec::new())
    }

    fn assemble(belief: Belief, fit: Estimator, ridge: f64, lent: Vec<f64>) -> Result<Self> {
        check_number("ridge", ridge, ridge > 0.0, "positive")?;
        let d = belief.dimension();
        check_dimension("fit", fit.dimension(), d)?;
        if !lent.is_empty() {
            check_vector("lent", &lent, d * d)?;
        }
        Ok(Self {
            belief,
            fit,
            ridge,
            cholesky: Cholesky::new(d),
            inverse: vec![0.0; d * d],
            lent,
            current: false,
            inverted: false,
        })
    }

    /// The observations and the mixture set.
    pub(in crate::policy) fn belief_mut(&mut self) -> &mut Belief {
        &mut self.belief
    }

    pub(in crate::policy) fn belief(&self) -> &Belief {
        &self.belief
    }

    pub(in crate::policy) fn ridge(&self) -> f64 {
        self.ridge
    }

    /// Changes the ridge, for schedules that let it grow.
    pub(in crate::policy) fn set_ridge(&mut self, ridge: f64) {
        if ridge != self.ridge {
            self.ridge = ridge;
            self.current = false;
        }
    }

    pub(in crate::policy) fn learn(&mut self, x: &[f64], reward: f64) {
        let consolidations = self.belief.history().consolidations();
        self.belief.record(x, reward, 1);
        if self.belief.history().consolidations() == consolidations {
            self.fit.absorb(x, reward, 1.0);
        } else {
            self.fit.forget_evaluation();
        }
        self.current = false;
    }

    /// Brings estimate and factor in step with the observations.
    pub(in crate::policy) fn refresh(&mut self) {
        if self.current {
            return;
        }
        // A fit that rounding stops early is an estimate still. What is proved does not rest on its status: the mixture set
        // holds for any estimate, and the bonuses of score type count the gradient that is left.
        self.fit.minimise(self.belief.history(), Penalty::ridge(self.ridge), None, GRADIENT_TOLERANCE);
        // With a positive ridge the Hessian is singular only where 1e15 observations swamp it: then the ridge is raised.
        self.cholesky.factor_raised(&self.fit.evaluation().hessian, self.ridge, 4.0);
        self.current = true;
        self.inverted = false;
    }

    /// The same by a fit that starts from zero, so that it does not depend on earlier ones, and so not on when there were any.
    pub(in crate::policy) fn refit(&mut self) {
        if !self.current {
            self.fit.restart(&vec![0.0; self.belief.dimension()]);
            self.refresh();
        }
    }

    /// theta_hat.
    pub(in crate::policy) fn theta(&mut self) -> &[f64] {
        self.refresh();
        self.fit.theta()
    }

    /// theta_hat as of the last [`Posterior::refresh`], after which nothing may have been learnt.
    pub(in crate::policy) fn current_theta(&self) -> &[f64] {
        debug_assert!(self.current, "the estimate is asked for before it is brought up to date");
        self.fit.theta()
    }

    /// The same whatever has been learnt since.
    pub(in crate::policy) fn last_theta(&self) -> &[f64] {
        self.fit.theta()
    }

    /// theta_hat and the factor of H.
    pub(in crate::policy) fn gaussian(&mut self) -> (&[f64], &Cholesky) {
        self.refresh();
        (self.fit.theta(), &self.cholesky)
    }

    /// theta_hat and the lower triangle of H^{-1}, in which open plays count as if their rewards were known.
    pub(in crate::policy) fn moments(&mut self) -> (&[f64], &[f64]) {
        self.refresh();
        if !self.inverted {
            if self.lent.is_empty() {
                self.cholesky.inverse_into(&mut self.inverse);
            } else {
                let mut factor = Cholesky::new(self.belief.dimension());
                factor.factor_raised(&self.precision_with_lent(), self.ridge, 4.0);
                factor.inverse_into(&mut self.inverse);
            }
            self.inverted = true;
        }
        (self.fit.theta(), &self.inverse)
    }

    /// The Hessian without its ridge, and what is lent.
    fn precision_with_lent(&self) -> Vec<f64> {
        let mut matrix = self.fit.evaluation().hessian.clone();
        add_scaled(&mut matrix, 1.0, &self.lent);
        matrix
    }

    /// The lower triangle of H with its ridge, in new memory, open plays included.
    pub(in crate::policy) fn precision(&mut self) -> Vec<f64> {
        self.refresh();
        let mut matrix = self.precision_with_lent();
        matrix.iter_mut().step_by(self.belief.dimension() + 1).for_each(|v| *v += self.ridge);
        matrix
    }

    /// H += weight x x' in the widths, for a play whose reward is out; below zero to take that away. Where none is left,
    /// nothing is, to the last bit.
    pub(in crate::policy) fn lend(&mut self, x: &[f64], weight: f64, left: usize) {
        if left == 0 {
            self.lent.clear();
        } else {
            self.lent.resize(x.len() * x.len(), 0.0);
            add_outer(&mut self.lent, weight, x);
        }
        self.inverted = false;
    }

    /// What is lent.
    pub(in crate::policy) fn lent(&self) -> &[f64] {
        &self.lent
    }

    /// The estimator: theta_hat with the loss and its derivatives there.
    pub(in crate::policy) fn estimator(&mut self) -> &Estimator {
        self.refresh();
        &self.fit
    }

    /// The arm with the largest x'theta_hat + z ||x||_{H^{-1}}, the first of equals, where z is a function of x'theta_hat
    /// and ||x||^2_{H^{-1}}.
    pub(in crate::policy) fn best_index(&mut self, arms: &FiniteArms, z: impl Fn(f64, f64) -> f64) -> usize {
        let (theta, inverse) = self.moments();
        let mut best = (0, f64::NEG_INFINITY);
        for (k, x) in arms.iter().enumerate() {
            let (mean, square) = (dot(x, theta), square_form(inverse, x).max(0.0));
            let value = mean + z(mean, square) * square.sqrt();
            if value > best.1 {
                best = (k, value);
            }
        }
        best.0
    }

    /// The posterior under the prior N(0, I/ridge) as a filter, with the logarithm of its evidence by Laplace's method,
    /// -L - (ridge/2)||theta||^2 - logdet(H/ridge)/2.
    pub(in crate::policy) fn filter_with(&mut self, ridge: f64) -> (DenseFilter, f64) {
        let (d, before) = (self.belief.dimension(), self.ridge);
        self.set_ridge(ridge);
        self.refresh();
        let mut matrix = self.fit.evaluation().hessian.clone();
        matrix.iter_mut().step_by(d + 1).for_each(|v| *v += ridge);
        let theta = self.fit.theta().to_vec();
        let precision = Precision::of(matrix, d, ridge);
        let loss = self.fit.evaluation().loss + 0.5 * ridge * dot(&theta, &theta);
        let evidence = -loss - 0.5 * (precision.log_det() - d as f64 * ridge.logarithm());
        self.set_ridge(before);
        (DenseFilter::resume(theta, precision, ridge), evidence)
    }

    /// Takes in features that were zero in all observations so far.
    ///
    /// # Errors
    /// As [`Belief::grow`].
    pub(in crate::policy) fn grow(&mut self, dimension: usize) -> Result<()> {
        let from = self.belief.dimension();
        self.belief.grow(dimension)?;
        self.fit.grow(dimension);
        if !self.lent.is_empty() {
            grow_matrix(&mut self.lent, from, dimension, 0.0);
        }
        self.cholesky = Cholesky::new(dimension);
        self.inverse = vec![0.0; dimension * dimension];
        (self.current, self.inverted) = (false, false);
        Ok(())
    }

    /// The observations, out of a posterior that is given up.
    pub(in crate::policy) fn into_belief(self) -> Belief {
        self.belief
    }

    pub(in crate::policy) fn check(&self, expected: usize) -> Result<()> {
        check_dimension("belief", self.belief.dimension(), expected)
    }
}

/// The serialised form. What is derived is computed again, from the same numbers by the same operations.
#[derive(Deserialize)]
struct Raw {
    belief: Belief,
    fit: Estimator,
    ridge: f64,
    lent: Vec<f64>,
}

impl TryFrom<Raw> for Posterior {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        Self::assemble(raw.belief, raw.fit, raw.ridge, raw.lent)
    }
}
