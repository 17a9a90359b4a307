//! The radius of a level set as a strategy, and the registry of all radii.

use serde::{Deserialize, Serialize};

use super::{Corrected, Excess, LikelihoodRatio, Mixture, Ofuglb, OfulogPlus, Paper, SequentialMixing, Tight};
use crate::error::{Error, Result};
use crate::fit::{Estimator, Penalty};
use crate::history::History;
use crate::problem::Problem;

/// What a set promises, as data.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Guarantee {
    /// Registry name of the radius.
    pub name: &'static str,
    /// The true parameter is in the set at all times with probability at least 1 - delta; none if nothing is promised.
    pub delta: Option<f64>,
    /// The bound on the true parameter's norm that is relied upon, if any.
    pub norm_bound: Option<f64>,
    /// Under which conditions the promise holds.
    pub assumptions: &'static [&'static str],
    /// Where it is proved.
    pub citation: &'static str,
}

/// How a radius turns data into a level. Everything else about a level set is shared.
///
/// The calls come in this order, as often as there is data: `observe` for each batch of equal observations *before* it
/// enters the history (so that sequential radii can predict it), then `penalty`, a fit, and `level`.
pub trait Strategy {
    /// The number of features.
    fn dimension(&self) -> usize;

    /// What is promised, under which assumptions, and where that is proved.
    fn guarantee(&self) -> Guarantee;

    /// The largest norm of an arm for which the promise is proved; infinite if it does not matter.
    fn feature_bound(&self) -> f64 {
        f64::INFINITY
    }

    /// Which estimate the level is built around, after `observations` observations.
    fn penalty(&self, observations: f64) -> Penalty;

    /// The ridge inside the set's own loss; must never decrease with the number of observations.
    fn ridge(&self, observations: f64) -> f64;

    /// Sees `count` observations of `x`, each with outcome `reward`, that are about to enter the history.
    fn observe(&mut self, _x: &[f64], _reward: f64, _count: u64) {}

    /// The level of the loss (with [`Strategy::ridge`]), given the data and the estimate.
    fn level(&mut self, history: &History, estimate: &mut Estimator) -> f64;

    /// The data of the set's loss, where they are not the plain observations.
    fn weighted_history(&self) -> Option<&History> {
        None
    }
}

/// A radius of any kind.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Radius {
    /// Gaussian mixture of likelihood ratios: the default.
    Mixture(Mixture),
    /// Losses of a running Bayesian forecaster.
    SequentialMixing(SequentialMixing),
    /// Uniform mixture on the ball.
    Ofuglb(Ofuglb),
    /// Likelihood ratios against a running estimate.
    LikelihoodRatio(LikelihoodRatio),
    /// Regret of an online learner.
    OfulogPlus(OfulogPlus),
    /// Bernstein bound of the score, sharpened.
    Tight(Tight),
    /// Bernstein bound of the score, with proved constants.
    Corrected(Corrected),
    /// Bernstein bound of the score, with the constants as printed: no promise.
    Paper(Paper),
    /// A fixed excess over the least loss: no promise, for experiments.
    Excess(Excess),
}

/// A line of the registry.
#[derive(Debug, Clone, Copy)]
pub struct RadiusInfo {
    /// The name users write.
    pub name: &'static str,
    /// One line for help texts.
    pub summary: &'static str,
    /// Whether a norm bound must be given.
    pub needs_norm_bound: bool,
    /// Whether observations must be handed over in an order, and grouped into counts, without regard to their outcomes.
    pub needs_order: bool,
    build: fn(&Problem) -> Result<Radius>,
}

/// All radii that can be named, the default first.
pub(super) const RADII: &[RadiusInfo] = &[
    RadiusInfo {
        name: "mixture",
        summary: "Gaussian mixture of likelihood ratios; tight for every dimension, norm bound optional (the default)",
        needs_norm_bound: false,
        needs_order: false,
        build: |options| Ok(Radius::Mixture(Mixture::new(options)?)),
    },
    RadiusInfo {
        name: "sequential-mixing",
        summary: "losses of a running Bayesian forecaster; tight, but needs the data in order, norm bound optional",
        needs_norm_bound: false,
        needs_order: true,
        build: |options| Ok(Radius::SequentialMixing(SequentialMixing::new(options)?)),
    },
    RadiusInfo {
        name: "ofuglb",
        summary: "uniform mixture on the ball (Lee, Yun, Jun, NeurIPS 2024); about twice the default's level",
        needs_norm_bound: true,
        needs_order: false,
        build: |options| Ok(Radius::Ofuglb(Ofuglb::new(options)?)),
    },
    RadiusInfo {
        name: "likelihood-ratio",
        summary: "ratios against a running estimate (Emmenegger, Mutny, Krause 2023); data in order, norm bound optional",
        needs_norm_bound: false,
        needs_order: true,
        build: |options| Ok(Radius::LikelihoodRatio(LikelihoodRatio::new(options)?)),
    },
    RadiusInfo {
        name: "ofulog-plus",
        summary: "regret of an online learner turned into a set (Lee, Yun, Jun, AISTATS 2024)",
        needs_norm_bound: true,
        needs_order: false,
        build: |options| Ok(Radius::OfulogPlus(OfulogPlus::new(options)?)),
    },
    RadiusInfo {
        name: "tight",
        summary: "Bernstein bound of the score (Abeille, Faury, Calauzenes 2021), sharpened; arms in the unit ball",
        needs_norm_bound: true,
        needs_order: false,
        build: |options| Ok(Radius::Tight(Tight::new(options)?)),
    },
    RadiusInfo {
        name: "corrected",
        summary: "the same in the paper's form, with constants that its proof supports; arms in the unit ball",
        needs_norm_bound: true,
        needs_order: false,
        build: |options| Ok(Radius::Corrected(Corrected::new(options)?)),
    },
    RadiusInfo {
        name: "paper",
        summary: "the same exactly as printed, for comparison: no promise, vacuous for thousands of rounds",
        needs_norm_bound: true,
        needs_order: false,
        build: |options| Ok(Radius::Paper(Paper::new(options)?)),
    },
];

impl Radius {
    /// The registry.
    pub fn all() -> &'static [RadiusInfo] {
        RADII
    }

    /// The radius of that name.
    ///
    /// # Errors
    /// If there is no such radius, if an option is out of range, or if the radius needs a norm bound and has none.
    pub fn by_name(name: &str, options: &Problem) -> Result<Self> {
        options.validate()?;
        match RADII.iter().find(|info| info.name == name) {
            Some(info) => (info.build)(options),
            None => Err(Error::UnknownName {
                field: "radius",
                value: name.to_owned(),
                expected: RADII.iter().map(|info| info.name).collect::<Vec<_>>().join(", "),
            }),
        }
    }

    /// The strategy behind the name.
    pub fn strategy(&self) -> &dyn Strategy {
        match self {
            Radius::Mixture(radius) => radius,
            Radius::SequentialMixing(radius) => radius,
            Radius::Ofuglb(radius) => radius,
            Radius::LikelihoodRatio(radius) => radius,
            Radius::OfulogPlus(radius) => radius,
            Radius::Tight(radius) => radius,
            Radius::Corrected(radius) => radius,
            Radius::Paper(radius) => radius,
            Radius::Excess(radius) => radius,
        }
    }

    /// The strategy behind the name, to be fed with data.
    pub fn strategy_mut(&mut self) -> &mut dyn Strategy {
        match self {
            Radius::Mixture(radius) => radius,
            Radius::SequentialMixing(radius) => radius,
            Radius::Ofuglb(radius) => radius,
            Radius::LikelihoodRatio(radius) => radius,
            Radius::OfulogPlus(radius) => radius,
            Radius::Tight(radius) => radius,
            Radius::Corrected(radius) => radius,
            Radius::Paper(radius) => radius,
            Radius::Excess(radius) => radius,
        }
    }
}
