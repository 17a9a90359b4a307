//! The studies of which `optimist paper` consists, each of them one experiment or several.

use super::options::StudyOptions;
use super::{lower_bound, transitory};
use optimist_lab::Result;
use optimist_lab::experiment::Experiment;
use optimist_lab::store::Outcome;

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
    pub fn experiments(self, options: &StudyOptions) -> Result<Vec<Experiment>> {
        match self {
            Study::Kappas => Ok(vec![options.kappas()]),
            Study::Policies => Ok(vec![options.policies()]),
            Study::LowerBound => lower_bound::experiments(options),
            Study::Transitory => Ok(transitory::experiments(options)),
        }
    }
}

/// A study with what came of its experiments, in their order.
#[derive(Debug, Clone)]
pub(crate) struct Finished {
    /// The study.
    pub study: Study,
    /// One entry an experiment.
    pub outcomes: Vec<Outcome>,
}
