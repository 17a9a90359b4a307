//! Regret between what theory says it is at least and at most, on logarithmic axes.

use super::results::{Style, count, policies_with_runs};
use super::{Axis, Chart, Figure, Mark, Scale, Series};
use crate::error::Result;
use crate::experiment::Experiment;
use crate::results::Statistics;
use crate::store::{EnvironmentRuns, PolicyRuns};
use crate::theory::comparison::Comparison;

/// Mean regret of the policies for which there is an upper bound, with the bounds, and the lower bound where there is
/// one; none if no policy has a bound.
///
/// # Errors
/// If the style asks for a policy that the experiment does not have, or if no run is finished.
pub fn bounds(
    environment_runs: &EnvironmentRuns,
    experiment: &Experiment,
    comparison: &Comparison,
    style: &Style,
) -> Result<Option<Figure>> {
    let policies = policies_with_runs(environment_runs, experiment, style)?;
    let mut series = Vec::new();
    for (ink, policy_runs) in &policies {
        let found = comparison.policies.iter().find(|policy| policy.label == policy_runs.spec.label);
        let Some(bound) = found.and_then(|policy| policy.bound.as_ref()) else { continue };
        let curve = bound.curve.iter().map(|(t, bound)| (*t as f64, *bound)).collect();
        series.push(line(format!("bound: {}", policy_runs.spec.label), *ink, curve, Mark::Dashed));
        series.push(line(policy_runs.spec.label.clone(), *ink, means(policy_runs), Mark::Line));
    }
    if series.is_empty() {
        return Ok(None);
    }
    if let Some(lower) = &comparison.lower {
        let curve = lower.iter().map(|(t, bound)| (*t as f64, *bound)).collect();
        series.push(line("lower bound".to_owned(), experiment.policies.len(), curve, Mark::Dashed));
    }
    let runs = policies.iter().map(|(_, policy_runs)| policy_runs.runs.len());
    let runs = count(runs.clone().min().unwrap_or(0), runs.max().unwrap_or(0));
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log, range: None };
    let chart = Chart {
        title: format!("Regret and its bounds: {}", experiment.name),
        subtitle: format!("{} — mean of {runs}; bounds are dashed", environment_runs.environment),
        x: axis("round"),
        y: axis("regret"),
        series,
        guides: Vec::new(),
    };
    Ok(Some(chart.draw()))
}

fn line(label: String, ink: usize, points: Vec<(f64, f64)>, mark: Mark) -> Series {
    Series { label, ink, points, mark, ..Series::default() }
}

fn means(policy_runs: &PolicyRuns) -> Vec<(f64, f64)> {
    let marks = policy_runs.runs.first().map_or(&[][..], |(_, record)| &record.t);
    let mean = |(mark, t): (usize, &usize)| (*t as f64, Statistics::of(&policy_runs.regrets(mark)).mean);
    marks.iter().enumerate().map(mean).collect()
}
