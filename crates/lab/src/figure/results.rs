//! The figures of an experiment's results: regret against rounds.

use super::bootstrap::mean_intervals;
use super::names::{Labels, chosen};
use super::sweep::differences;
use super::{Axis, Chart, Figure, Look, Mark, Panels, Scale, Series};
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::results::Statistics;
use crate::store::{EnvironmentRuns, Outcome, PolicyRuns};

/// What the shade about a curve shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Band {
    /// One standard deviation about the mean.
    #[default]
    Std,
    /// One standard error about the mean.
    StdErr,
    /// An interval that covers the expectation with 95%, by the bootstrap over runs.
    Bootstrap,
    /// From the 10% to the 90% quantile about the median.
    Quantiles,
    /// Nothing; the curve is the mean.
    None,
}

/// What figures of results look like.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Style {
    /// The shade.
    pub band: Band,
    /// The axis of rounds.
    pub x: Scale,
    /// The axis of regret.
    pub y: Scale,
    /// Labels or names of the policies to show; all if none are given.
    pub policies: Option<Vec<String>>,
    /// The environments to show: numbers from 1, names, or words of names such as `kappa=50`; all if none are given.
    pub environments: Option<Vec<String>>,
    /// What figures call policies and environments.
    pub labels: Labels,
    /// What stands in the place of the title and of the names of the axes.
    pub title: Option<String>,
    /// The name of the horizontal axis.
    pub x_label: Option<String>,
    /// The name of the vertical axis.
    pub y_label: Option<String>,
    /// What charts look like.
    pub look: Look,
}

impl Style {
    /// Which of an experiment's policies are shown, in its order. A policy's place in this list is its colour, so that
    /// it has the same colour in all figures of one style.
    ///
    /// # Errors
    /// If a policy is asked for that the experiment does not have.
    pub fn shown(&self, experiment: &Experiment) -> Result<Vec<usize>> {
        let all = experiment.policies.iter().enumerate();
        let Some(wanted) = &self.policies else { return Ok(all.map(|(i, _)| i).collect()) };
        if let Some(unknown) = wanted.iter().find(|name| !experiment.policies.iter().any(|c| c.is_called(name))) {
            let known: Vec<&str> = experiment.policies.iter().map(|c| c.label.as_str()).collect();
            return Err(Error::input(format!(
                "policies: {unknown:?} is not in the experiment {:?}; it has {}",
                experiment.name,
                known.join(", ")
            )));
        }
        Ok(all.filter(|(_, c)| wanted.iter().any(|name| c.is_called(name))).map(|(i, _)| i).collect())
    }

    /// Which environments are shown, in the order of the experiment.
    ///
    /// # Errors
    /// If one is asked for that the experiment does not have.
    pub fn shown_environments(&self, outcome: &Outcome) -> Result<Vec<usize>> {
        let names: Vec<String> = outcome.environments.iter().map(|runs| runs.environment.to_string()).collect();
        match &self.environments {
            Some(wanted) => chosen(wanted, &names),
            None => Ok((0..names.len()).collect()),
        }
    }

    /// Refuses labels for what is not there.
    ///
    /// # Errors
    /// If a label is for neither a policy nor an environment.
    pub fn check_labels(&self, outcome: &Outcome) -> Result<()> {
        let policies = outcome.experiment.policies.iter().map(|policy| policy.label.clone());
        let environments = outcome.environments.iter().map(|runs| runs.environment.to_string());
        let names = policies.chain(environments).chain(differences(outcome)).collect::<Vec<_>>();
        self.labels.check(&names)
    }
}

/// Regret against rounds in one environment, a curve for each policy that has finished runs.
///
/// # Errors
/// If the style asks for a policy that the experiment does not have, if no run is finished, or if the sheet is too small.
pub fn regret(environment_runs: &EnvironmentRuns, experiment: &Experiment, style: &Style) -> Result<Figure> {
    chart(environment_runs, experiment, style)?.draw_as(&style.look)
}

/// Regret against rounds, a panel an environment that has finished runs, on axes that all share.
///
/// # Errors
/// If the style asks for what the experiment does not have, if no run is finished, or if the sheet is too small.
pub fn panels(outcome: &Outcome, style: &Style) -> Result<Figure> {
    let names = differences(outcome);
    let mut charts = Vec::new();
    for i in style.shown_environments(outcome)? {
        let environment_runs = &outcome.environments[i];
        if environment_runs.policies.iter().all(|policy_runs| policy_runs.runs.is_empty()) {
            continue;
        }
        let whole = environment_runs.environment.to_string();
        let name = style.labels.find(&whole).or(style.labels.find(&names[i])).unwrap_or(&names[i]);
        charts.push((name.to_owned(), chart(environment_runs, &outcome.experiment, style)?));
    }
    let counts: Vec<usize> = (outcome.environments.iter().flat_map(|runs| &runs.policies))
        .map(|policy_runs| policy_runs.runs.len())
        .filter(|&runs| runs > 0)
        .collect();
    let runs = count(counts.iter().copied().min().unwrap_or(0), counts.iter().copied().max().unwrap_or(0));
    let title = style.title.clone().unwrap_or_else(|| format!("Regret: {}", outcome.experiment.name));
    Panels { title, subtitle: caption(style.band, &runs), charts }.draw_as(&style.look)
}

fn chart(environment_runs: &EnvironmentRuns, experiment: &Experiment, style: &Style) -> Result<Chart> {
    let policies = policies_with_runs(environment_runs, experiment, style)?;
    let runs = policies.iter().map(|(_, policy_runs)| policy_runs.runs.len());
    let runs = count(runs.clone().min().unwrap_or(0), runs.max().unwrap_or(0));
    let named = |given: &Option<String>, name: &str| given.clone().unwrap_or_else(|| name.to_owned());
    let environment = environment_runs.environment.to_string();
    let environment = style.labels.find(&environment).unwrap_or(&environment);
    Ok(Chart {
        title: style.title.clone().unwrap_or_else(|| format!("Regret: {}", experiment.name)),
        subtitle: format!("{environment} — {}", caption(style.band, &runs)),
        x: Axis { label: named(&style.x_label, "round"), scale: style.x, range: None },
        y: Axis { label: named(&style.y_label, "regret"), scale: style.y, range: None },
        series: policies.into_iter().map(|(ink, policy_runs)| curve(policy_runs, ink, style)).collect(),
        guides: Vec::new(),
    })
}

/// The policies to show that have finished runs, with the numbers of their colours.
///
/// # Errors
/// If the style asks for a policy that the experiment does not have, or if no run is finished.
pub(super) fn policies_with_runs<'a>(
    environment_runs: &'a EnvironmentRuns,
    experiment: &Experiment,
    style: &Style,
) -> Result<Vec<(usize, &'a PolicyRuns)>> {
    let shown = style.shown(experiment)?;
    let policies: Vec<(usize, &PolicyRuns)> = (shown.iter().enumerate())
        .filter_map(|(ink, &i)| Some((ink, environment_runs.policies.get(i)?)))
        .filter(|(_, policy_runs)| !policy_runs.runs.is_empty())
        .collect();
    if policies.is_empty() {
        return Err(Error::input(format!(
            "environment {}: no run is finished, so there is nothing to draw; run the experiment first",
            environment_runs.environment
        )));
    }
    Ok(policies)
}

/// `20 runs`, `1 run`, `5 to 20 runs`.
pub(super) fn count(least: usize, most: usize) -> String {
    match (least, most) {
        (1, 1) => "1 run".to_owned(),
        _ if least == most => format!("{most} runs"),
        _ => format!("{least} to {most} runs"),
    }
}

fn caption(band: Band, runs: &str) -> String {
    match band {
        _ if runs == "1 run" => "1 run".to_owned(),
        Band::Std => format!("mean of {runs}, one standard deviation shaded"),
        Band::StdErr => format!("mean of {runs}, one standard error shaded"),
        Band::Bootstrap => format!("mean of {runs}, 95% bootstrap interval shaded"),
        Band::Quantiles => format!("median of {runs}, 10% to 90% quantile shaded"),
        Band::None => format!("mean of {runs}"),
    }
}

fn curve(policy_runs: &PolicyRuns, ink: usize, style: &Style) -> Series {
    // Runs of one experiment have the same marks; a damaged record must not be read beyond its end.
    let marks = policy_runs.runs.iter().map(|(_, record)| record.regret.len().min(record.t.len())).min().unwrap_or(0);
    let figures: Vec<(f64, Statistics)> = (policy_runs.runs.first().into_iter())
        .flat_map(|(_, record)| record.t.iter().take(marks).enumerate())
        .map(|(mark, &t)| (t as f64, Statistics::of(&policy_runs.regrets(mark))))
        .collect();
    let middle = |s: &Statistics| if style.band == Band::Quantiles { s.median } else { s.mean };
    // Regret is not negative, whatever a symmetric interval says.
    let floor = if style.y == Scale::Linear { 0.0 } else { f64::NEG_INFINITY };
    let about = |s: &Statistics, spread: f64| ((s.mean - spread).max(floor.min(s.mean)), s.mean + spread);
    let root = (policy_runs.runs.len() as f64).sqrt();
    let banded = style.band != Band::None && policy_runs.runs.len() > 1;
    let edges = || -> Vec<(f64, f64)> {
        match style.band {
            Band::Quantiles => figures.iter().map(|(_, s)| (s.q10, s.q90)).collect(),
            Band::StdErr => figures.iter().map(|(_, s)| about(s, s.std / root)).collect(),
            Band::Bootstrap => mean_intervals(&(0..marks).map(|mark| policy_runs.regrets(mark)).collect::<Vec<_>>()),
            Band::Std | Band::None => figures.iter().map(|(_, s)| about(s, s.std)).collect(),
        }
    };
    Series {
        label: style.labels.find(&policy_runs.spec.label).unwrap_or(&policy_runs.spec.label).to_owned(),
        ink,
        points: figures.iter().map(|(t, s)| (*t, middle(s))).collect(),
        band: banded.then(edges),
        bars: None,
        mark: Mark::Line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::tests::{environment_runs, experiment};

    #[test]
    fn curves_are_means_with_deviations() {
        let environment_runs = environment_runs(50.0, 4);
        let series = curve(&environment_runs.policies[1], 1, &Style::default());
        let last = Statistics::of(&environment_runs.policies[1].final_regrets());
        assert_eq!(series.points.last(), Some(&(1000.0, last.mean)));
        let (low, high) = *series.band.as_ref().unwrap().last().unwrap();
        assert!((high - last.mean - last.std).abs() < 1e-12 && (low - (last.mean - last.std).max(0.0)).abs() < 1e-12);
        let quantiles = curve(&environment_runs.policies[1], 1, &Style { band: Band::Quantiles, ..Style::default() });
        assert_eq!(quantiles.points.last(), Some(&(1000.0, last.median)));
        assert_eq!(quantiles.band.unwrap().last(), Some(&(last.q10, last.q90)));
    }

    #[test]
    fn lower_edges_are_not_negative_on_a_linear_axis() {
        let mut environment_runs = environment_runs(50.0, 2);
        environment_runs.policies[0].runs[0].1.regret.iter_mut().for_each(|r| *r *= 100.0);
        let low = |style| {
            curve(&environment_runs.policies[0], 0, &style).band.unwrap().iter().map(|b| b.0).fold(1.0, f64::min)
        };
        assert_eq!(low(Style::default()), 0.0);
        assert!(low(Style { y: Scale::Log, ..Style::default() }) < 0.0);
    }

    #[test]
    fn single_runs_have_no_band_and_missing_ones_no_curve() {
        let mut environment_runs = environment_runs(50.0, 1);
        assert_eq!(curve(&environment_runs.policies[0], 0, &Style::default()).band, None);
        environment_runs.policies[0].runs.clear();
        let figure = regret(&environment_runs, &experiment(&[50.0]), &Style::default()).unwrap();
        assert!(!figure.description.contains("ofulog-r") && figure.description.contains("greedy"));
        environment_runs.policies.iter_mut().for_each(|policy_runs| policy_runs.runs.clear());
        let error = regret(&environment_runs, &experiment(&[50.0]), &Style::default()).unwrap_err().to_string();
        assert!(error.contains("kappa=50") && error.contains("no run is finished"), "{error}");
    }

    #[test]
    fn policies_are_chosen_by_label_or_name() {
        let style = |names: &[&str]| Style {
            policies: Some(names.iter().map(|n| (*n).to_owned()).collect()),
            ..Style::default()
        };
        let experiment = experiment(&[50.0]);
        assert_eq!(style(&["tuned"]).shown(&experiment).unwrap(), [2]);
        assert_eq!(style(&["greedy", "ofulog-r"]).shown(&experiment).unwrap(), [0, 1]);
        assert_eq!(style(&["glm-ucb"]).shown(&experiment).unwrap(), [2]);
        let error = style(&["nobody"]).shown(&experiment).unwrap_err().to_string();
        assert_eq!(error, "policies: \"nobody\" is not in the experiment \"small\"; it has ofulog-r, greedy, tuned");
    }
}
