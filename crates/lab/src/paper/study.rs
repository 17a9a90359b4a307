//! The studies of which `optimist paper` consists, each of them one experiment or several.

use super::plan::Plan;
use super::{lower_bound, transitory};
use crate::error::Result;
use crate::experiment::Experiment;
use crate::outcome::Outcome;

/// A part of the report that can be run by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Study {
    /// The paper's experiments: its algorithms at six levels of kappa.
    Kappas,
    /// Every policy of the registry on the same instances.
    Policies,
    /// Theorem 2: what no policy escapes.
    LowerBound,
    /// Instances with a long transitory phase.
    Transitory,
}

impl Study {
    /// All of them.
    pub const ALL: [Study; 4] = [Study::Kappas, Study::Policies, Study::LowerBound, Study::Transitory];

    /// What the user calls it.
    pub fn name(self) -> &'static str {
        match self {
            Study::Kappas => "kappas",
            Study::Policies => "policies",
            Study::LowerBound => "lower-bound",
            Study::Transitory => "transitory",
        }
    }

    /// What it runs. Names and horizons tell the experiments of all studies apart.
    ///
    /// # Errors
    /// If a constant of the theory cannot be computed, which would be a bug.
    pub fn experiments(self, plan: &Plan) -> Result<Vec<Experiment>> {
        match self {
            Study::Kappas => Ok(vec![plan.kappas()]),
            Study::Policies => Ok(vec![plan.policies()]),
            Study::LowerBound => lower_bound::experiments(plan),
            Study::Transitory => Ok(transitory::experiments(plan)),
        }
    }
}

/// A study with what came of its experiments, in their order.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The study.
    pub study: Study,
    /// One entry an experiment.
    pub outcomes: Vec<Outcome>,
}
