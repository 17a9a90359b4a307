//! What a policy costs per round after the parameter has changed at once, by how fast it forgets.

use std::num::NonZero;

use optimist_lab::Result;
use optimist_lab::experiment::{
    Arms, Coverage, Drift, Environment, Experiment, Feedback, NormBound, PolicySpec, Redraw, Rewards, Shape, Truth,
};
use optimist_lab::figure::{Axis, Chart, Figure, Guide, Mark, Scale, Series};
use optimist_lab::results::Statistics;
use optimist_lab::run::{RunOptions, run};
use optimist_lab::simulation::Progress;
use optimist_lab::store::{Memory, PolicyRuns};

/// As in `examples/step.toml`, whose figures the documentation has.
const SEED: u64 = 33;
const RUNS: usize = 200;
const CHANGE: usize = 2_000;
const ROUNDS: usize = 4_000;
/// Rounds of a stretch.
const STRETCH: usize = 100;
const HALF_LIVES: [Option<u32>; 4] = [None, Some(500), Some(200), Some(100)];

fn experiment() -> Experiment {
    let policy = |life: Option<u32>| match life {
        None => PolicySpec::plain("bayes-ucb").labelled("nothing is forgotten"),
        Some(life) => PolicySpec::plain("bayes-ucb").with("half_life", life).labelled(&format!("half-life {life}")),
    };
    Experiment {
        name: "step".to_owned(),
        seed: SEED,
        runs: RUNS,
        horizon: ROUNDS,
        delta: 0.05,
        checkpoints: (STRETCH..=ROUNDS).step_by(STRETCH).collect(),
        coverage: Coverage::Off,
        environments: vec![Environment {
            label: None,
            dimension: 3,
            arms: Arms::Drawn { shape: Shape::Sphere, count: 20, redraw: Redraw::Round },
            truth: Truth::ThetaNorm(3.0),
            norm_bound: NormBound::Exact,
            feedback: Feedback::default(),
            drift: Drift::Steps { every: CHANGE },
            rewards: Rewards::default(),
        }],
        policies: HALF_LIVES.map(policy).to_vec(),
    }
}

/// Runs the experiment and draws it.
///
/// # Errors
/// If `progress` stops the work.
pub(super) fn draw(jobs: Option<NonZero<usize>>, progress: &dyn Progress) -> Result<Figure> {
    let options = RunOptions { jobs, ..RunOptions::default() };
    let experiment = experiment();
    let outcome = run(&experiment, &options, &Memory::default(), progress)?;
    let policies = &outcome.environments[0].policies;
    let chart = Chart {
        title: "Regret per round before and after a step change".to_owned(),
        subtitle: format!(
            "bayes-ucb, 20 new arms per round, d = 3; mean of {RUNS} runs, stretches of {STRETCH} rounds"
        ),
        x: Axis { label: "round".to_owned(), ..Axis::default() },
        y: Axis { label: "regret per round".to_owned(), scale: Scale::Log, range: Some((1e-3, 1.0)) },
        series: policies.iter().enumerate().map(|(ink, runs)| series(ink, runs, &experiment.marks())).collect(),
        guides: vec![Guide::Vertical { at: CHANGE as f64, label: "theta changes".to_owned() }],
    };
    Ok(chart.draw())
}

/// Mean regret per round of each stretch, at its middle. Stretches end at some of the marks.
fn series(ink: usize, runs: &PolicyRuns, marks: &[usize]) -> Series {
    let ends = marks.iter().enumerate().filter(|(_, t)| **t % STRETCH == 0);
    let means: Vec<f64> = ends.map(|(mark, _)| Statistics::of(&runs.regrets(mark)).mean).collect();
    let before = std::iter::once(0.0).chain(means.iter().copied());
    let per_round = means.iter().zip(before).map(|(now, before)| (now - before) / STRETCH as f64);
    let middle = |k: usize| (k as f64 + 0.5) * STRETCH as f64;
    Series {
        label: runs.spec.label.clone(),
        ink,
        points: per_round.enumerate().map(|(k, value)| (middle(k), value)).collect(),
        band: None,
        bars: None,
        mark: Mark::Line,
    }
}
