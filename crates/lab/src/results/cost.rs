//! What policies cost in time.

use crate::store::{Outcome, PolicyRuns};

/// The time that the runs of a policy took, in all environments of all experiments that are looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyCost {
    /// What reports call the policy.
    pub label: String,
    /// Finished runs.
    pub runs: usize,
    /// Rounds of these runs.
    pub rounds: usize,
    /// Time of these runs on one core, environment, books and looks at the set included.
    pub seconds: f64,
    /// The same as a fraction of the time of all policies.
    pub share: f64,
}

impl PolicyCost {
    /// What policies cost, the dearest first. Policies of the same label are one.
    pub fn of(outcomes: &[&Outcome]) -> Vec<Self> {
        let mut costs: Vec<Self> = Vec::new();
        for outcome in outcomes {
            let horizon = outcome.experiment.horizon;
            for policy_runs in outcome.environments.iter().flat_map(|environment_runs| &environment_runs.policies) {
                let label = &policy_runs.spec.label;
                let known = costs.iter().position(|cost| cost.label == *label);
                let place = known.unwrap_or_else(|| {
                    costs.push(Self { label: label.clone(), runs: 0, rounds: 0, seconds: 0.0, share: 0.0 });
                    costs.len() - 1
                });
                costs[place].add(policy_runs, horizon);
            }
        }
        let all: f64 = costs.iter().map(|cost| cost.seconds).sum();
        costs.iter_mut().filter(|_| all > 0.0).for_each(|cost| cost.share = cost.seconds / all);
        costs.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        costs
    }

    fn add(&mut self, policy_runs: &PolicyRuns, horizon: usize) {
        self.runs += policy_runs.runs.len();
        self.rounds += policy_runs.runs.len() * horizon;
        self.seconds += policy_runs.runs.iter().map(|(_, record)| record.seconds).sum::<f64>();
    }

    /// Mean time of a run; none if no run is finished.
    pub fn seconds_per_run(&self) -> Option<f64> {
        (self.runs > 0).then(|| self.seconds / self.runs as f64)
    }

    /// Rounds in a second; none if no time was measured.
    pub fn rounds_per_second(&self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.rounds as f64 / self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{PolicySpec, read};
    use crate::simulation::Record;
    use crate::store::EnvironmentRuns;

    /// An experiment of so many rounds in which every policy has runs of these seconds.
    fn outcome(horizon: usize, policies: &[(&str, &[f64])]) -> Outcome {
        let text = format!(
            "name = \"a\"\nruns = 2\nhorizon = {horizon}\n[environment]\ndimension = 2\nkappa = 10\n\
             arms = {{ kind = \"sphere\" }}\n[[policy]]\nname = \"greedy\"\n"
        );
        let experiment = read(&text, std::path::Path::new(".")).unwrap();
        let record = |seconds: &f64| Record { seconds: *seconds, ..Record::default() };
        let runs = |(label, seconds): &(&str, &[f64])| PolicyRuns {
            spec: PolicySpec::plain("greedy").labelled(label),
            runs: seconds.iter().map(record).enumerate().collect(),
        };
        let environment = experiment.environments[0].clone();
        let environments = vec![EnvironmentRuns { environment, policies: policies.iter().map(runs).collect() }];
        Outcome { experiment, environments }
    }

    #[test]
    fn time_is_added_up_over_experiments() {
        let [short, long] =
            [outcome(100, &[("a", &[1.0, 2.0]), ("b", &[0.5])]), outcome(1000, &[("b", &[4.5]), ("c", &[])])];
        let costs = PolicyCost::of(&[&short, &long]);
        let labels: Vec<&str> = costs.iter().map(|cost| cost.label.as_str()).collect();
        assert_eq!(labels, ["b", "a", "c"]);
        assert_eq!((costs[0].runs, costs[0].rounds, costs[0].seconds, costs[0].share), (2, 1100, 5.0, 0.625));
        assert_eq!((costs[1].seconds_per_run(), costs[1].rounds_per_second()), (Some(1.5), Some(200.0 / 3.0)));
        assert_eq!((costs[2].seconds_per_run(), costs[2].rounds_per_second(), costs[2].share), (None, None, 0.0));
        assert!(PolicyCost::of(&[]).is_empty());
    }
}
