//! Figures across environments: one policy at several kappa, and regret against kappa.

use super::measure::runs_of;
use optimist_lab::experiment::Truth;
use optimist_lab::figure::{Axis, Chart, Figure, Guide, Mark, Point, Scale, Series};
use optimist_lab::report::count;
use optimist_lab::results::Statistics;
use optimist_lab::store::{EnvironmentRuns, Outcome, PolicyRuns};

/// The kappa of an environment, as it was asked for.
pub(super) fn kappa(environment_runs: &EnvironmentRuns) -> f64 {
    match environment_runs.environment.truth {
        Truth::Kappa(kappa) => kappa,
        ref other => optimist_lab::experiment::kappa_of(other.norm()),
    }
}

/// The mean regret of one policy at every kappa, one standard deviation shaded.
pub(super) fn one_policy(outcome: &Outcome, label: &str) -> Figure {
    let series = outcome.environments.iter().enumerate().filter_map(|(i, environment_runs)| {
        let policy_runs = runs_of(environment_runs, label)?;
        let (points, band) = curve(policy_runs);
        let label = format!("kappa = {}", kappa(environment_runs));
        Some(Series { label, ink: i, points, band: Some(band), ..Series::default() })
    });
    Chart {
        title: format!("Regret at several kappa: {label}"),
        subtitle: match outcome.experiment.runs {
            1 => "1 run".to_owned(),
            runs => format!("Mean of {runs} runs; one standard deviation is shaded."),
        },
        x: Axis { label: "round".to_owned(), ..Axis::default() },
        y: Axis { label: "regret".to_owned(), ..Axis::default() },
        series: series.collect(),
        guides: Vec::new(),
    }
    .draw()
}

/// Points of the mean curve, and the edges of its band.
pub(super) fn curve(policy_runs: &PolicyRuns) -> (Vec<Point>, Vec<(f64, f64)>) {
    let figures = (0..policy_runs.runs[0].1.t.len()).map(|mark| Statistics::of(&policy_runs.regrets(mark)));
    let rounds = policy_runs.runs[0].1.t.iter().map(|t| *t as f64);
    rounds.zip(figures).map(|(t, s)| ((t, s.mean), ((s.mean - s.std).max(0.0), s.mean + s.std))).unzip()
}

/// Regret after all rounds against kappa, with the slope -1/2 that sqrt(T/kappa) would have.
pub(super) fn against_kappa(outcome: &Outcome) -> Figure {
    let series: Vec<Series> =
        outcome.experiment.policies.iter().enumerate().map(|(i, c)| kappa_series(outcome, &c.label, i)).collect();
    let starts = series.iter().filter_map(|s| s.points.first().copied()).filter(|(_, regret)| *regret > 0.0);
    let anchor = starts.min_by(|a, b| a.1.total_cmp(&b.1));
    let guide = |(x, y): (f64, f64)| Guide::Slope {
        through: (x, 3.0 * y),
        slope: -0.5,
        label: "slope of sqrt(T/kappa)".to_owned(),
    };
    Chart {
        title: format!("Regret after {} rounds against kappa", count(outcome.experiment.horizon as u64)),
        subtitle: match outcome.experiment.runs {
            1 => "1 run".to_owned(),
            runs => format!("Mean of {runs} runs and one standard error."),
        },
        x: Axis { label: "kappa".to_owned(), scale: Scale::Log, range: None },
        y: Axis { label: "regret".to_owned(), scale: Scale::Log, range: None },
        series,
        guides: anchor.map(guide).into_iter().collect(),
    }
    .draw()
}

fn kappa_series(outcome: &Outcome, label: &str, ink: usize) -> Series {
    let figures: Vec<(f64, Statistics, f64)> = outcome
        .environments
        .iter()
        .filter_map(|environment_runs| {
            let regrets = runs_of(environment_runs, label)?.final_regrets();
            Some((kappa(environment_runs), Statistics::of(&regrets), (regrets.len() as f64).sqrt()))
        })
        .collect();
    let points = figures.iter().map(|(kappa, s, _)| (*kappa, s.mean)).collect();
    let bars = figures.iter().map(|(_, s, root)| (s.mean - s.std / root, s.mean + s.std / root)).collect();
    Series { label: label.to_owned(), ink, points, band: None, bars: Some(bars), mark: Mark::LineAndDots }
}
