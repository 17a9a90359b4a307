//! A fixed excess over the least penalised loss: the plain level set, without a promise.

use serde::{Deserialize, Serialize};

use super::guarantee::{Guarantee, Theorem};
use super::{RadiusInfo, RadiusMaker, RegisteredStrategy, Strategy};
use crate::error::{Error, Result, check_number};
use crate::fit::{Estimator, Penalty};
use crate::history::History;
use crate::numerics::dot;
use crate::problem::Problem;

/// { L_r(theta) <= min L_r + excess } with L_r = L + (ridge/2)||theta||^2, the minimum taken over the ball if there is
/// one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "State")]
pub struct Excess {
    excess: f64,
    ridge: f64,
    dimension: usize,
    norm_bound: Option<f64>,
}

/// The serialised form, checked on the way in.
#[derive(Deserialize)]
struct State {
    excess: f64,
    ridge: f64,
    dimension: usize,
    norm_bound: Option<f64>,
}

impl TryFrom<State> for Excess {
    type Error = Error;

    fn try_from(State { excess, ridge, dimension, norm_bound }: State) -> Result<Self> {
        // Nothing is promised with any delta.
        Self::new(excess, ridge, &Problem { dimension, delta: 0.5, norm_bound })
    }
}

impl Excess {
    /// The set of the given excess and ridge.
    ///
    /// # Errors
    /// If the excess or the ridge is negative or not finite.
    pub fn new(excess: f64, ridge: f64, options: &Problem) -> Result<Self> {
        options.validate()?;
        check_number("excess", excess, excess >= 0.0, "zero or positive")?;
        check_number("ridge", ridge, ridge >= 0.0, "zero or positive")?;
        Ok(Self { excess, ridge, dimension: options.dimension, norm_bound: options.norm_bound })
    }
}

/// What is said of it: nothing is promised.
static NOTHING: Theorem = Theorem {
    assumptions: &["none: the excess is the caller's, nothing is promised"],
    order_free: true,
    citation: "none",
};

impl RegisteredStrategy for Excess {
    const INFO: &'static RadiusInfo = &RadiusInfo {
        name: "excess",
        summary: "a fixed excess over the least loss: no promise, for experiments",
        guaranteed: false,
        needs_norm_bound: false,
        unit_arms: false,
        needs_order: false,
        theorem: &NOTHING,
        maker: RadiusMaker::of::<Self>(),
    };

    /// An excess has no default.
    fn build(_problem: &Problem) -> Result<Self> {
        Err(Error::Missing { field: "excess", needed_by: "radius \"excess\"" })
    }
}

impl Strategy for Excess {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee { name: Self::INFO.name, delta: None, norm_bound: self.norm_bound, theorem: &NOTHING }
    }

    fn penalty(&self, _observations: f64) -> Penalty {
        Penalty { ridge: self.ridge, norm_bound: self.norm_bound.unwrap_or(f64::INFINITY) }
    }

    fn ridge(&self, _observations: f64) -> f64 {
        self.ridge
    }

    fn level(&mut self, _history: &History, estimate: &mut Estimator) -> f64 {
        let theta = estimate.theta();
        estimate.evaluation().loss + 0.5 * self.ridge * dot(theta, theta) + self.excess
    }
}
