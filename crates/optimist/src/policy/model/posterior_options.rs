//! Options of policies that choose by the Laplace posterior.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, check_number};
use crate::policy::info::OptionInfo;
use crate::posterior::Structure;
use crate::problem::Problem;

/// Prior precisions that are weighed by evidence where neither a ridge nor a norm bound is given.
const RIDGES: [f64; 4] = [0.03, 0.17, 1.0, 6.0];

/// Which posterior is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PosteriorKind {
    /// The exact one while few distinct arms make it cheap, one pass beyond.
    #[default]
    Auto,
    /// A fit to all observations.
    Exact,
    /// A filter that looks at every observation once.
    OnePass,
}

/// The precision of the prior, or several of which evidence decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Ridge {
    /// One.
    Fixed(f64),
    /// Several, weighed by how well each foretold the rewards; the exact posterior takes the middle one.
    Weighed(Vec<f64>),
}

/// Options of every policy that chooses by the Laplace posterior.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PosteriorOptions {
    /// Precision of the prior.
    pub ridge: Option<Ridge>,
    /// Which posterior is kept.
    pub posterior: PosteriorKind,
    /// How many of the features, the last ones, meet parameters that belong to one arm alone.
    pub own: usize,
    /// After how many observations the information of one has halved.
    pub half_life: Option<f64>,
}

pub(in crate::policy) const RIDGE: OptionInfo = OptionInfo {
    name: "ridge",
    help: "precision of the prior: a number; a list, of which the one is used that foretold the rewards best (each costs \
           one more update per reward); null: d/S^2, or without a norm bound 1 and, in one pass, [0.03, 0.17, 1, 6]",
};
pub(in crate::policy) const POSTERIOR: OptionInfo = OptionInfo {
    name: "posterior",
    help: "\"exact\": a fit to all observations; \"one-pass\": a filter at constant cost; \"auto\": exact while there are no \
           more distinct arms than the longest list holds (or 32), then one pass",
};
pub(in crate::policy) const OWN: OptionInfo = OptionInfo {
    name: "own",
    help: "how many of an arm's features, the last ones, meet parameters of that arm alone: for hybrid arms; the number of all \
           features: one model per arm; 0: all arms share all parameters",
};
pub(in crate::policy) const HALF_LIFE: OptionInfo = OptionInfo {
    name: "half_life",
    help: "for laws that drift: the number of observations after which what one taught has halved; positive; null: never. In \
           one pass only, and without certificates",
};

impl PosteriorOptions {
    pub(in crate::policy) fn validate(&self) -> Result<()> {
        for ridge in self.given_ridges() {
            check_number("ridge", *ridge, *ridge > 0.0, "positive")?;
        }
        if matches!(&self.ridge, Some(Ridge::Weighed(list)) if list.is_empty()) {
            return Err(Error::Empty { field: "ridge" });
        }
        if let Some(life) = self.half_life {
            check_number("half_life", life, life > 0.0, "a positive number of observations, or null")?;
        }
        if self.posterior == PosteriorKind::Exact && self.needs_one_pass() {
            let what = "is \"exact\": half_life and own need \"one-pass\" or \"auto\"".into();
            return Err(Error::Option { field: "posterior".into(), what });
        }
        Ok(())
    }

    /// Why no set certifies what is learnt with these options, if none does.
    pub(in crate::policy) fn uncertified(&self, dimension: usize) -> Option<&'static str> {
        if self.half_life.is_some() {
            Some("half_life is set: the sets hold for a parameter that does not change")
        } else if self.own > 0 && self.own < dimension {
            Some("own is set: no set is kept where arms have parameters of their own beside shared ones")
        } else {
            None
        }
    }

    fn given_ridges(&self) -> &[f64] {
        match &self.ridge {
            Some(Ridge::Fixed(ridge)) => std::slice::from_ref(ridge),
            Some(Ridge::Weighed(list)) => list,
            None => &[],
        }
    }

    /// The ridges of one pass.
    pub(in crate::policy) fn ridges(&self, problem: &Problem) -> Cow<'_, [f64]> {
        match (&self.ridge, problem.norm_bound) {
            (Some(_), _) => self.given_ridges().into(),
            (None, Some(_)) => vec![problem.default_ridge()].into(),
            (None, None) => RIDGES[..].into(),
        }
    }

    /// The ridge of the exact posterior.
    pub(in crate::policy) fn ridge(&self, problem: &Problem) -> f64 {
        let given = self.given_ridges();
        given.get(given.len() / 2).copied().unwrap_or_else(|| problem.default_ridge())
    }

    pub(in crate::policy) fn needs_one_pass(&self) -> bool {
        self.half_life.is_some() || self.own > 0
    }

    pub(in crate::policy) fn structure(&self, problem: &Problem) -> Structure {
        let d = problem.dimension;
        match self.own {
            0 => Structure::Shared { dimension: d },
            own => Structure::Hybrid { shared: d - own, own },
        }
    }
}
