//! How long work will take, from a short trial.

use std::time::{Duration, Instant};

use super::work::Remaining;
use crate::error::Result;
use crate::experiment::{Coverage, Experiment};
use crate::simulation::{Progress, Setting, play};

/// Rounds of the first trial of a policy in an environment, and by how much every further one is longer.
const FIRST: usize = 4;
const LONGER: usize = 4;

/// Work that takes fewer seconds is not worth a closer look.
const SHORT: f64 = 10.0;

/// How long work will take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Seconds until it is done.
    pub seconds: f64,
    /// Runs to do.
    pub runs: usize,
    /// Runs at a time.
    pub threads: usize,
}

/// What the runs of a policy in an environment take, as far as trials have shown.
struct Cost<'a> {
    part: usize,
    experiment: &'a Experiment,
    /// Of the experiment.
    environment: usize,
    policy: usize,
    /// Runs to do.
    runs: usize,
    /// Rounds and seconds of the last two trials.
    trials: [Option<(usize, f64)>; 2],
}

impl Cost<'_> {
    /// Seconds of a run of so many rounds: the last trial, and from there on what its later rounds took.
    fn predict(&self, rounds: usize) -> Option<f64> {
        let (tried, seconds) = self.trials[1]?;
        let slope = match self.trials[0] {
            Some((before, shorter)) if tried > before => ((seconds - shorter) / (tried - before) as f64).max(0.0),
            _ => seconds / tried as f64,
        };
        Some((seconds + slope * (rounds as f64 - tried as f64)).max(0.0))
    }

    /// Plays so many rounds of the first run and throws them away.
    fn try_out(&mut self, rounds: usize, progress: &dyn Progress) -> Result<()> {
        let Experiment { name, seed, delta, coverage, .. } = self.experiment;
        // Looking at checkpoints only would look at none.
        let coverage = if *coverage == Coverage::Checkpoints { Coverage::Off } else { *coverage };
        let short = Experiment {
            name: name.clone(),
            seed: *seed,
            runs: 1,
            horizon: rounds,
            delta: *delta,
            checkpoints: vec![rounds],
            coverage,
            environments: Vec::new(),
            policies: Vec::new(),
        };
        let environment = &self.experiment.environments[self.environment];
        let setting = Setting::new(&short, environment, &self.experiment.policies[self.policy]);
        let start = Instant::now();
        if play(&setting, 0, &Silent(progress), None)?.is_some() {
            self.trials = [self.trials[1], Some((rounds, start.elapsed().as_secs_f64()))];
        }
        Ok(())
    }
}

/// Rounds of trials do not count, but whoever stops the work stops them.
struct Silent<'a>(&'a dyn Progress);

impl Progress for Silent<'_> {
    fn played(&self, _: usize) {}

    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
}

/// How long several parts of work will take, one after the other, by trials of every policy in every environment that take
/// about `budget` in all. None if there is nothing to do or the user has stopped it.
///
/// Costs that grow with the rounds beyond what a trial sees are underestimated.
///
/// # Errors
/// If a policy refuses something.
pub fn estimate(parts: &[&Remaining<'_>], budget: Duration, progress: &dyn Progress) -> Result<Option<Estimate>> {
    let (start, mut costs) = (Instant::now(), costs(parts));
    let longest = parts.iter().map(|part| part.experiment().horizon).max().unwrap_or(0);
    let mut rounds = FIRST;
    while rounds <= longest && start.elapsed() < budget {
        for cost in costs.iter_mut().filter(|cost| rounds <= cost.experiment.horizon) {
            let left = budget.saturating_sub(start.elapsed()).as_secs_f64();
            let is_affordable = left > 0.0 && cost.predict(rounds).is_none_or(|seconds| seconds <= 0.5 * left);
            if is_affordable && !progress.is_stopped() {
                cost.try_out(rounds, progress)?;
            }
        }
        if seconds(parts, &costs).is_some_and(|seconds| seconds < SHORT) {
            break;
        }
        rounds *= LONGER;
    }
    let (runs, threads) = (costs.iter().map(|cost| cost.runs).sum(), parts.iter().map(|part| part.threads()).max());
    let seconds = seconds(parts, &costs).filter(|_| runs > 0 && !progress.is_stopped());
    Ok(seconds.map(|seconds| Estimate { seconds, runs, threads: threads.unwrap_or(1) }))
}

fn costs<'a>(parts: &[&'a Remaining<'_>]) -> Vec<Cost<'a>> {
    let mut costs: Vec<Cost<'a>> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        for place in part.places() {
            let same = |cost: &&mut Cost<'_>| {
                (cost.part, cost.environment, cost.policy) == (number, place.environment, place.policy)
            };
            match costs.iter_mut().rev().find(same) {
                Some(cost) => cost.runs += 1,
                None => costs.push(Cost {
                    part: number,
                    experiment: part.experiment(),
                    environment: place.environment,
                    policy: place.policy,
                    runs: 1,
                    trials: [None, None],
                }),
            }
        }
    }
    costs
}

/// Of all parts, if anything is known. What was not tried costs, a round, what the others do on average.
fn seconds(parts: &[&Remaining<'_>], costs: &[Cost<'_>]) -> Option<f64> {
    let a_round = |cost: &Cost<'_>| Some(cost.predict(cost.experiment.horizon)? / cost.experiment.horizon as f64);
    let known: Vec<f64> = costs.iter().filter_map(a_round).collect();
    let mean = (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)?;
    let of_part = |(number, part): (usize, &&Remaining<'_>)| {
        let costs = costs.iter().filter(|cost| cost.part == number);
        let run = |cost: &Cost<'_>| a_round(cost).unwrap_or(mean) * cost.experiment.horizon as f64;
        let (sum, longest) = costs
            .fold((0.0, 0.0_f64), |(sum, longest), cost| (sum + run(cost) * cost.runs as f64, longest.max(run(cost))));
        (sum / part.threads().max(1) as f64).max(longest)
    };
    Some(parts.iter().enumerate().map(of_part).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{RunOptions, Work};
    use crate::store::Memory;

    const FILE: &str = "name = \"trial\"\nruns = 10\nhorizon = 100000\n[environment]\ndimension = 2\nkappa = [10, 30]\n\
                        arms = { kind = \"ball-sample\", count = 4 }\n[[policy]]\nname = \"greedy\"\n\
                        [[policy]]\nname = \"uniform\"\n";

    #[test]
    fn later_rounds_decide() {
        let experiment = crate::experiment::read(FILE, std::path::Path::new(".")).unwrap();
        let mut cost =
            Cost { part: 0, experiment: &experiment, environment: 0, policy: 0, runs: 1, trials: [None, None] };
        assert_eq!(cost.predict(100), None);
        cost.trials = [None, Some((4, 2.0))];
        assert_eq!(cost.predict(100), Some(50.0));
        // A slow beginning is paid once.
        cost.trials = [Some((4, 2.0)), Some((16, 5.0))];
        assert_eq!(cost.predict(100), Some(5.0 + 84.0 * 0.25));
        cost.trials = [Some((4, 2.0)), Some((16, 1.0))];
        assert_eq!(cost.predict(100), Some(1.0));
    }

    /// Nothing is told of how long anything takes here: only that all is counted and nothing is left behind.
    #[test]
    fn a_trial_leaves_no_trace() {
        let experiment = crate::experiment::read(FILE, std::path::Path::new(".")).unwrap();
        let (options, store) = (RunOptions::default(), Memory::default());
        let work = Work::new(&experiment, &options).unwrap();
        let remaining = work.remaining(&store).unwrap();
        let found = estimate(&[&remaining], Duration::from_millis(20), &()).unwrap().expect("there is work");
        assert_eq!(found.runs, 40);
        assert!(found.seconds.is_finite() && found.seconds > 0.0 && found.threads >= 1, "{found:?}");
        assert_eq!(work.remaining(&store).unwrap().runs(), 40);
        assert_eq!(estimate(&[], Duration::from_millis(1), &()).unwrap(), None);
        struct Stopped;
        impl Progress for Stopped {
            fn played(&self, _: usize) {}
            fn is_stopped(&self) -> bool {
                true
            }
        }
        assert_eq!(estimate(&[&remaining], Duration::from_millis(20), &Stopped).unwrap(), None);
    }
}
