//! Mean regret of eight policies, round by round, in the same worlds with the same luck.

use std::num::NonZero;

use optimist_lab::Result;
use optimist_lab::experiment::{Experiment, PolicySpec};
use optimist_lab::figure::{Band, Figure, Scale, Style, regret};
use optimist_lab::run::{RunOptions, run};
use optimist_lab::simulation::Progress;
use optimist_lab::store::Memory;

use crate::options::{COMMON_KAPPA, StudyOptions, environment};

const RUNS: usize = 50;
const ROUNDS: usize = 10_000;

fn experiment() -> Experiment {
    let policies = [
        PolicySpec::plain("ofulog-r").with("radius", "paper").labelled("ofulog-r, as printed"),
        PolicySpec::plain("optimist"),
        PolicySpec::plain("bayes-ucb"),
        PolicySpec::plain("ofulog-r"),
        PolicySpec::plain("greedy"),
        PolicySpec::plain("laplace-ts"),
        PolicySpec::plain("ofuglb"),
        PolicySpec::plain("optimist-stream"),
    ];
    let options = StudyOptions { seed: 1, ..StudyOptions::default() };
    options.experiment("eight policies", (RUNS, ROUNDS), vec![environment(COMMON_KAPPA)], policies.to_vec())
}

/// Runs the experiment and draws it.
///
/// # Errors
/// If `progress` stops the work.
pub(super) fn draw(jobs: Option<NonZero<usize>>, progress: &dyn Progress) -> Result<Figure> {
    let experiment = experiment();
    let options = RunOptions { jobs, ..RunOptions::default() };
    let outcome = run(&experiment, &options, &Memory::default(), progress)?;
    let style = Style { band: Band::None, x: Scale::Log, y: Scale::Log, ..Style::default() };
    regret(&outcome.environments[0], &experiment, &style)
}
