//! What a certified limit on the cost of a heuristic's picks does to regret: `insured` with one budget after another.

use std::num::NonZero;

use optimist_lab::Result;
use optimist_lab::experiment::{Experiment, PolicySpec};
use optimist_lab::figure::{Axis, Chart, Figure, Guide, Mark, Series};
use optimist_lab::report::count;
use optimist_lab::results::Statistics;
use optimist_lab::run::{RunOptions, run};
use optimist_lab::simulation::Progress;
use optimist_lab::store::{Memory, PolicyRuns};

use crate::options::{COMMON_KAPPA, StudyOptions, environment};

/// As in `examples/insurance.toml`, whose table the documentation has.
const SEED: u64 = 3;
const RUNS: usize = 100;
const ROUNDS: usize = 16_000;

/// Budgets that stay, and scales of those that grow with the square root of the rounds.
const NUMBERS: [u32; 10] = [0, 10, 30, 100, 200, 300, 400, 500, 600, 800];
const SCALES: [f64; 6] = [0.5, 1.0, 2.0, 3.0, 4.0, 6.0];

/// The ends of the axis of budgets, with room for the names of the lines to the right of the last bar.
const BUDGETS: (f64, f64) = (-35.0, 915.0);

fn experiment() -> Experiment {
    let insured = |budget: serde_json::Value| PolicySpec::plain("insured").with("budget", budget);
    let numbers = NUMBERS.map(|budget| insured(budget.into()));
    let curves = SCALES.map(|scale| insured(serde_json::json!({ "scale": scale, "power": 0.5 })));
    let policies = [PolicySpec::plain("insured")].into_iter().chain(numbers).chain(curves).collect();
    let options = StudyOptions { seed: SEED, ..StudyOptions::default() };
    options.experiment("insurance", (RUNS, ROUNDS), vec![environment(COMMON_KAPPA)], policies)
}

/// Runs the experiment and draws it.
///
/// # Errors
/// If `progress` stops the work.
pub(super) fn draw(jobs: Option<NonZero<usize>>, progress: &dyn Progress) -> Result<Figure> {
    let options = RunOptions { jobs, ..RunOptions::default() };
    let outcome = run(&experiment(), &options, &Memory::default(), progress)?;
    let policies = &outcome.environments[0].policies;
    let (unlimited, limited) = (&policies[0], &policies[1..]);
    let (numbers, curves) = limited.split_at(NUMBERS.len());
    let free = Statistics::of(&unlimited.final_regrets()).mean;
    let last = (ROUNDS as f64).sqrt();
    let figure = Chart {
        title: "Regret of insured picks, by budget".to_owned(),
        subtitle: format!(
            "Mean of {RUNS} runs of {} rounds; bars are standard errors. Budget 0 is optimism alone.",
            count(ROUNDS as u64)
        ),
        x: Axis {
            label: "what the picks may cost, certified, at the end".to_owned(),
            range: Some(BUDGETS),
            ..Axis::default()
        },
        y: Axis { label: "regret".to_owned(), range: Some((0.0, 2.0 * free)), ..Axis::default() },
        series: vec![
            series("the same in every round", 0, NUMBERS.map(f64::from).into_iter(), numbers),
            series("growing like √t", 1, SCALES.map(|scale| scale * last).into_iter(), curves),
        ],
        guides: vec![
            Guide::Horizontal { at: free, label: "no limit".to_owned() },
            Guide::Horizontal { at: 1.1 * free, label: "a tenth more".to_owned() },
        ],
    };
    Ok(figure.draw())
}

fn series(label: &str, ink: usize, budgets: impl Iterator<Item = f64>, policies: &[PolicyRuns]) -> Series {
    let statistics = || policies.iter().map(|runs| Statistics::of(&runs.final_regrets()));
    let error = |s: &Statistics| s.std / (RUNS as f64).sqrt();
    Series {
        label: label.to_owned(),
        ink,
        points: budgets.zip(statistics()).map(|(budget, s)| (budget, s.mean)).collect(),
        band: None,
        bars: Some(statistics().map(|s| (s.mean - error(&s), s.mean + error(&s))).collect()),
        mark: Mark::LineAndDots,
    }
}
