//! One dimension and one horizon: what the theorem says, and the worst that every policy did.

use super::bound;
use crate::measure::{Estimate, jackknife, mean_without};
use optimist_lab::Result;
use optimist_lab::store::{EnvironmentRuns, Outcome};
use optimist_lab::theory::lower::Packing;

/// One dimension and one horizon.
pub(super) struct Trial {
    pub(super) dimension: usize,
    pub(super) horizon: usize,
    /// Among the neighbours of the universal bound.
    pub(super) universal: Side,
    /// Among those of the sharper one.
    pub(super) sharp: Side,
}

/// A bound with what happened among its neighbours.
pub(super) struct Side {
    pub(super) packing: Packing,
    /// One entry per policy, in the experiment's order.
    pub(super) worst: Vec<Worst>,
}

/// The largest of a policy's mean regrets.
pub(super) struct Worst {
    pub(super) label: String,
    pub(super) regret: Estimate,
    /// For every run the average over the neighbours, whose mean the largest mean is not below. By these a policy is
    /// judged: chance lifts the largest of several means.
    pub(super) averages: Vec<f64>,
}

impl Side {
    /// How many times the bound every policy's worst mean regret is.
    pub(super) fn ratios(&self) -> impl Iterator<Item = (&str, f64)> {
        self.worst.iter().map(|worst| (worst.label.as_str(), worst.regret.value / self.packing.value))
    }
}

/// The trials of the study, in the order of its experiments.
pub(super) fn trials(outcomes: &[Outcome]) -> Result<Vec<Trial>> {
    let mut trials = Vec::new();
    for outcome in outcomes {
        let Some(first) = outcome.environments.first() else { continue };
        let (dimension, horizon) = (first.environment.dimension, outcome.experiment.horizon);
        let bound = bound(dimension, horizon)?;
        let Some(packing) = bound.universal else { continue };
        let (ours, theirs) = outcome.environments.split_at(outcome.environments.len() / 2);
        trials.push(Trial {
            dimension,
            horizon,
            universal: Side { packing, worst: worst(ours) },
            sharp: Side { packing: bound.sharp, worst: worst(theirs) },
        });
    }
    Ok(trials)
}

/// The runs of a policy meet the same luck on all neighbours, so the error is by leaving out one run at a time.
fn worst(environments: &[EnvironmentRuns]) -> Vec<Worst> {
    let policies = 0..environments.first().map_or(0, |environment_runs| environment_runs.policies.len());
    let policy = |i: usize| {
        let regrets: Vec<Vec<f64>> =
            environments.iter().map(|environment_runs| environment_runs.policies[i].final_regrets()).collect();
        let largest = |left_out| regrets.iter().map(|sample| mean_without(sample, left_out)).fold(0.0, f64::max);
        let average = |run: usize| regrets.iter().map(|sample| sample[run]).sum::<f64>() / regrets.len() as f64;
        let (label, runs) = (environments[0].policies[i].spec.label.clone(), regrets[0].len());
        Worst { label, regret: jackknife(runs, largest), averages: (0..runs).map(average).collect() }
    };
    policies.map(policy).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use optimist_lab::experiment::PolicySpec;
    use optimist_lab::simulation::Record;
    use optimist_lab::store::PolicyRuns;

    #[test]
    fn the_worst_is_the_largest_mean() {
        let options = crate::StudyOptions::default();
        let experiment = &super::super::experiments(&options).unwrap()[0];
        let environment_runs = |regrets: [f64; 3]| {
            let record = |regret: f64| Record { t: vec![100], regret: vec![regret], ..Record::default() };
            let runs = regrets.iter().enumerate().map(|(i, regret)| (i, record(*regret))).collect();
            let policy_runs = PolicyRuns { spec: PolicySpec::plain("uniform"), runs };
            EnvironmentRuns { environment: experiment.environments[0].clone(), policies: vec![policy_runs] }
        };
        let worst = worst(&[environment_runs([1.0, 2.0, 3.0]), environment_runs([4.0, 5.0, 9.0])]);
        assert_eq!((worst.len(), worst[0].label.as_str(), worst[0].regret.value), (1, "uniform", 6.0));
        assert_eq!(worst[0].averages, [2.5, 3.5, 6.0]);
        // The error of the mean of the second: 7/3 is its variance over the number of runs.
        assert!((worst[0].regret.error - (7.0_f64 / 3.0).sqrt()).abs() < 1e-12, "{:?}", worst[0].regret);
        assert!(trials(&[]).unwrap().is_empty());
    }
}
