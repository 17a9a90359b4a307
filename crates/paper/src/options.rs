//! What `optimist paper` runs: the paper's instances, with the paper's algorithms, then with every policy there is.

use optimist::policy::registry;

use optimist_lab::experiment::{
    Arms, Coverage, Drift, Environment, Experiment, Feedback, NormBound, PolicySpec, Redraw, Rewards, Shape, Truth,
    log_spaced,
};

/// How much is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// Seconds: to see that everything works.
    Quick,
    /// A few minutes: all figures, horizons at which the phases are seen.
    #[default]
    Standard,
    /// More than an hour: 100,000 rounds, and two more algorithms: OFULog itself, without relaxation, and LogUCB2,
    /// which the authors did not implement.
    Full,
}

/// What is run, and how long.
#[derive(Debug, Clone, Copy, Default)]
pub struct StudyOptions {
    /// How much, where nothing else is said.
    pub extent: Extent,
    /// Runs of each policy, if not the extent's.
    pub runs: Option<usize>,
    /// Rounds of a run, if not the extent's.
    pub horizon: Option<usize>,
    /// The seed.
    pub seed: u64,
}

/// The levels of kappa; the first figure of the paper has 50, the second 400, the third several.
pub(crate) const KAPPAS: [f64; 6] = [10.0, 25.0, 50.0, 100.0, 200.0, 400.0];
/// The kappa at which all policies are compared.
pub(crate) const COMMON_KAPPA: f64 = 50.0;
/// The paper's delta is not stated; this is ours.
pub(super) const DELTA: f64 = 0.05;
/// Checkpoints of the tables.
const CHECKPOINTS: usize = 25;
/// Comparing all policies needs fewer rounds than seeing the phases of one.
const LONGEST_COMPARISON: usize = 20_000;

/// Labels of the policies in the paper's figures.
pub(crate) mod label {
    /// Filippi et al. 2010 with its published constants.
    pub(crate) const GLM_UCB: &str = "glm-ucb (published)";
    /// Faury et al. 2020 with the bonus of its theorem.
    pub(crate) const LOG_UCB_1: &str = "log-ucb-1 (paper's bonus)";
    /// The paper's tractable algorithm with the constants it prints.
    pub(crate) const PRINTED: &str = "ofulog-r (as printed)";
    /// The same with the tightest constants that its proof allows.
    pub(crate) const TIGHT: &str = "ofulog-r (tight)";
    /// Our default.
    pub(crate) const OPTIMIST: &str = "optimist";
}

impl StudyOptions {
    /// Runs of each policy.
    pub fn runs(&self) -> usize {
        self.runs.unwrap_or(match self.extent {
            Extent::Quick => 5,
            _ => 50,
        })
    }

    /// Rounds of a run of the paper's experiments.
    pub fn horizon(&self) -> usize {
        self.horizon.unwrap_or(match self.extent {
            Extent::Quick => 2_000,
            Extent::Standard => 20_000,
            Extent::Full => 100_000,
        })
    }

    /// Runs of each policy on each instance of the lower bound.
    pub fn lower_bound_runs(&self) -> usize {
        self.runs.unwrap_or(match self.extent {
            Extent::Quick => 3,
            Extent::Standard => 4,
            Extent::Full => 10,
        })
    }

    /// The longest horizon of the study of the lower bound. On the sphere every arm is played once, so that the time of
    /// policies that keep their observations grows with the square of it.
    pub fn lower_bound_horizon(&self) -> usize {
        self.horizon.unwrap_or(match self.extent {
            Extent::Quick => 1_000,
            Extent::Standard => 5_000,
            Extent::Full => 10_000,
        })
    }

    /// Runs of each policy at each level of kappa_X of the study of the transitory phase.
    pub fn transitory_runs(&self) -> usize {
        self.runs.unwrap_or(match self.extent {
            Extent::Quick => 2,
            Extent::Standard => 6,
            Extent::Full => 20,
        })
    }

    /// Rounds of a run of the study of the transitory phase.
    pub fn transitory_horizon(&self) -> usize {
        self.horizon.unwrap_or(match self.extent {
            Extent::Quick => 1_000,
            Extent::Standard => 10_000,
            Extent::Full => 50_000,
        })
    }

    /// The paper's experiments: six levels of kappa.
    pub fn kappas(&self) -> Experiment {
        let policies = [
            Some(PolicySpec::plain("glm-ucb").with("constants", "published").labelled(label::GLM_UCB)),
            Some(PolicySpec::plain("log-ucb-1").with("bonus", "paper").labelled(label::LOG_UCB_1)),
            Some(PolicySpec::plain("ofulog-r").with("radius", "paper").labelled(label::PRINTED)),
            Some(PolicySpec::plain("ofulog-r").labelled(label::TIGHT)),
            Some(PolicySpec::plain("optimist")),
            self.is_full().then(|| PolicySpec::plain("ofulog")),
            self.is_full().then(|| PolicySpec::plain("log-ucb-2")),
        ];
        let environments = KAPPAS.iter().map(|kappa| environment(*kappa)).collect();
        let policies = policies.into_iter().flatten().collect();
        let name = "OFULog and its rivals";
        Experiment {
            coverage: Coverage::Rounds,
            ..self.experiment(name, (self.runs(), self.horizon()), environments, policies)
        }
    }

    /// Every policy of the registry on the instances with kappa = 50.
    pub fn policies(&self) -> Experiment {
        let longest = if self.is_full() { LONGEST_COMPARISON } else { LONGEST_COMPARISON / 5 };
        let policies = registry().iter().map(|info| PolicySpec::plain(info.name)).collect();
        let size = (self.runs(), self.horizon().min(longest));
        let experiment = self.experiment("All policies", size, vec![environment(COMMON_KAPPA)], policies);
        Experiment { coverage: Coverage::Rounds, ..experiment }
    }

    fn is_full(&self) -> bool {
        self.extent == Extent::Full
    }

    /// What all experiments have in common. `size` has the runs and the rounds.
    pub(super) fn experiment(
        &self,
        name: &str,
        (runs, horizon): (usize, usize),
        environments: Vec<Environment>,
        policies: Vec<PolicySpec>,
    ) -> Experiment {
        Experiment {
            name: name.to_owned(),
            seed: self.seed,
            runs,
            horizon,
            delta: DELTA,
            checkpoints: log_spaced(horizon, CHECKPOINTS),
            coverage: Coverage::Checkpoints,
            environments,
            policies,
        }
    }
}

/// 40 arms, uniform in the disc, drawn afresh for every run; policies are told the norm of theta*.
pub(crate) fn environment(kappa: f64) -> Environment {
    Environment {
        label: None,
        dimension: 2,
        arms: Arms::Drawn { shape: Shape::Ball, count: 40, redraw: Redraw::Run },
        truth: Truth::Kappa(kappa),
        norm_bound: NormBound::Exact,
        feedback: Feedback::default(),
        drift: Drift::None,
        rewards: Rewards::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_full_plan_has_two_more_algorithms() {
        let names =
            |options: StudyOptions| options.kappas().policies.iter().map(|c| c.label.clone()).collect::<Vec<_>>();
        let standard = names(StudyOptions::default());
        let full = StudyOptions { extent: Extent::Full, ..StudyOptions::default() };
        assert_eq!(full.kappas().horizon, 100_000);
        let more: Vec<String> = names(full).into_iter().filter(|label| !standard.contains(label)).collect();
        assert_eq!(more, ["ofulog", "log-ucb-2"]);
        assert_eq!(StudyOptions::default().policies().policies.len(), registry().len());
    }
}
