//! Regret between what theory says it is at least and at most, on logarithmic axes.

use super::results::{Style, count, lanes_with_runs};
use super::{Axis, Chart, Figure, Mark, Scale, Series};
use crate::error::Result;
use crate::experiment::Experiment;
use crate::outcome::{Cell, Lane};
use crate::statistics::Statistics;
use crate::theory::beside::Beside;

/// Mean regret of the policies for which there is an upper bound, with the bounds, and the lower bound where there is
/// one; none if no policy has a bound.
///
/// # Errors
/// If the style asks for a policy that the experiment does not have, or if no run is finished.
pub fn bounds(cell: &Cell, experiment: &Experiment, beside: &Beside, style: &Style) -> Result<Option<Figure>> {
    let lanes = lanes_with_runs(cell, experiment, style)?;
    let mut series = Vec::new();
    for (ink, lane) in &lanes {
        let found = beside.policies.iter().find(|policy| policy.label == lane.contender.label);
        let Some(Ok(bound)) = found.map(|policy| &policy.bound) else { continue };
        let curve = bound.curve.iter().map(|(t, bound)| (*t as f64, *bound)).collect();
        series.push(line(format!("bound: {}", lane.contender.label), *ink, curve, Mark::Dashed));
        series.push(line(lane.contender.label.clone(), *ink, means(lane), Mark::Line));
    }
    if series.is_empty() {
        return Ok(None);
    }
    if let Some(lower) = &beside.lower {
        let curve = lower.iter().map(|(t, bound)| (*t as f64, *bound)).collect();
        series.push(line("lower bound".to_owned(), experiment.policies.len(), curve, Mark::Dashed));
    }
    let runs = lanes.iter().map(|(_, lane)| lane.runs.len());
    let runs = count(runs.clone().min().unwrap_or(0), runs.max().unwrap_or(0));
    let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log, range: None };
    let chart = Chart {
        title: format!("Regret and its bounds: {}", experiment.name),
        subtitle: format!("{} — mean of {runs}; bounds are dashed", cell.environment),
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

fn means(lane: &Lane) -> Vec<(f64, f64)> {
    let marks = lane.runs.first().map_or(&[][..], |(_, record)| &record.t);
    let mean = |(mark, t): (usize, &usize)| (*t as f64, Statistics::of(&lane.regrets(mark)).mean);
    marks.iter().enumerate().map(mean).collect()
}
