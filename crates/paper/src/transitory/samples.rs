//! The runs at every level of kappa_X, and the lengths of their transitory phases, some of which were not seen to end.

use optimist_lab::Result;
use optimist_lab::experiment::Experiment;
use optimist_lab::report::number;
use optimist_lab::results::transitory_end;
use optimist_lab::results::{Statistics, quantile};
use optimist_lab::simulation::World;
use optimist_lab::store::{EnvironmentRuns, Outcome, PolicyRuns};

/// All runs at one level.
pub(super) struct Level {
    /// kappa_X, the median of the runs.
    pub(super) kappa_x: f64,
    /// The number of detrimental arms, mean of the runs.
    pub(super) detrimental: f64,
    /// One entry per policy, in the experiment's order.
    pub(super) samples: Vec<Sample>,
}

/// The runs of a policy at one level, in the same order at all levels.
pub(super) struct Sample {
    pub(super) label: String,
    pub(super) lengths: Lengths,
    /// Plays of detrimental arms in every run.
    pub(super) bad_plays: Vec<f64>,
    /// Regret of every run.
    pub(super) regrets: Vec<f64>,
    /// All of the runs as one policy_runs, for curves.
    pub(super) policy_runs: PolicyRuns,
}

/// Lengths of transitory phases; infinite if not seen to end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lengths {
    /// In the order of the runs.
    pub(super) values: Vec<f64>,
    /// Longer phases are not seen to end.
    pub(super) longest: f64,
}

impl Lengths {
    /// A quantile, interpolated between the order statistics where both are finite.
    pub(super) fn quantile(&self, level: f64) -> f64 {
        let mut sorted = self.values.clone();
        sorted.sort_by(f64::total_cmp);
        quantile(&sorted, level)
    }

    /// The same, but no more than what can be seen.
    pub(super) fn seen(&self, level: f64) -> f64 {
        self.quantile(level).min(self.longest)
    }

    /// The same in words.
    pub(super) fn words(&self, level: f64) -> String {
        match self.quantile(level) {
            length if length.is_finite() => number(length),
            _ => format!("over {}", number(self.longest)),
        }
    }

    /// How many were not seen to end.
    pub(super) fn unended(&self) -> usize {
        self.values.iter().filter(|length| length.is_infinite()).count()
    }

    /// How many there are.
    pub(super) fn runs(&self) -> usize {
        self.values.len()
    }
}

/// The mean of a sample that is not empty.
pub(super) fn mean(sample: &[f64]) -> f64 {
    sample.iter().sum::<f64>() / sample.len() as f64
}

/// The levels of an outcome whose environments come level by level.
pub(super) fn levels(outcome: &Outcome, count: usize) -> Result<Vec<Level>> {
    let orders = (outcome.environments.len() / count).max(1);
    outcome.environments.chunks(orders).map(|environments| level(&outcome.experiment, environments)).collect()
}

fn level(experiment: &Experiment, environments: &[EnvironmentRuns]) -> Result<Level> {
    let (mut kappas, mut counts) = (Vec::new(), Vec::new());
    for environment_runs in environments {
        for run in 0..experiment.runs {
            let world = World::new(&environment_runs.environment, experiment.seed, run)?;
            kappas.push(world.instance().kappa_x());
            counts.push(world.instance().detrimental().iter().filter(|is_bad| **is_bad).count() as f64);
        }
    }
    let policies = 0..experiment.policies.len();
    let samples = policies
        .map(|i| sample(environments.iter().map(|environment_runs| &environment_runs.policies[i]), experiment.horizon))
        .collect();
    Ok(Level { kappa_x: Statistics::of(&kappas).median, detrimental: mean(&counts), samples })
}

fn sample<'a>(policies: impl Iterator<Item = &'a PolicyRuns> + Clone, horizon: usize) -> Sample {
    let spec = policies.clone().next().map(|policy_runs| policy_runs.spec.clone());
    let runs: Vec<_> = policies.flat_map(|policy_runs| policy_runs.runs.iter().cloned()).collect();
    let length = |record| transitory_end(record).map_or(f64::INFINITY, |end| end as f64);
    let values = runs.iter().map(|(_, record)| length(record)).collect();
    let bad = runs.iter().map(|(_, record)| record.bad_plays.last().copied().unwrap_or(0) as f64);
    let spec = spec.unwrap_or_else(|| optimist_lab::experiment::PolicySpec::plain(""));
    Sample {
        label: spec.label.clone(),
        lengths: Lengths { values, longest: (horizon / 2) as f64 },
        bad_plays: bad.collect(),
        regrets: runs.iter().map(|(_, record)| record.final_regret()).collect(),
        policy_runs: PolicyRuns { spec, runs },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_seen_to_end_is_longer_than_all_else() {
        let lengths = |values: &[f64]| Lengths { values: values.to_vec(), longest: 500.0 };
        let unseen = f64::INFINITY;
        let some = lengths(&[unseen, 10.0, 30.0, 20.0, unseen]);
        assert_eq!((some.quantile(0.5), some.unended(), some.runs()), (30.0, 2, 5));
        assert_eq!((some.words(0.5).as_str(), some.words(0.9).as_str()), ("30", "over 500"));
        assert_eq!((some.seen(0.5), some.seen(0.9)), (30.0, 500.0));
        // Half way between a number and infinity, and between infinities, is infinity, not "no number".
        assert_eq!(lengths(&[10.0, unseen]).quantile(0.5), unseen);
        assert_eq!(lengths(&[unseen, unseen]).quantile(0.5), unseen);
        assert_eq!(lengths(&[10.0, 20.0]).quantile(0.5), 15.0);
    }
}
