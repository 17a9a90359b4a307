//! Worst regret against the horizon.

use super::trial::Trial;
use crate::measure::Estimate;
use optimist_lab::figure::{Axis, Chart, Figure, Mark, Scale, Series};

/// The worst regret of every policy among all neighbours, and the two bounds.
pub(super) fn against_horizon(trials: &[&Trial]) -> Figure {
    let policies = trials.first().map_or(0, |trial| trial.universal.worst.len());
    let mut series: Vec<Series> = (0..policies).map(|i| policy(trials, i)).collect();
    let bound = |label: &str, ink: usize, value: fn(&Trial) -> f64| Series {
        label: label.to_owned(),
        ink,
        points: trials.iter().map(|trial| (trial.horizon as f64, value(trial))).collect(),
        mark: Mark::Dashed,
        ..Series::default()
    };
    series.push(bound("sharper bound", policies, |trial| trial.sharp.packing.value));
    series.push(bound("bound", policies + 1, |trial| trial.universal.packing.value));
    let runs = trials.first().and_then(|trial| Some(trial.universal.worst.first()?.regret.runs)).unwrap_or(0);
    Chart {
        title: format!("Worst regret, d = {}", trials.first().map_or(0, |trial| trial.dimension)),
        subtitle: match runs {
            1 => "1 run".to_owned(),
            _ => format!("Largest mean of {runs} runs among the neighbours, and one standard error."),
        },
        x: Axis { label: "rounds".to_owned(), scale: Scale::Log, range: None },
        y: Axis { label: "regret".to_owned(), scale: Scale::Log, range: None },
        series,
        guides: Vec::new(),
    }
    .draw()
}

/// Dots of different policies at the same horizon stand beside each other.
const APART: f64 = 1.03;

fn policy(trials: &[&Trial], i: usize) -> Series {
    let shift = APART.powf(i as f64 - 2.0);
    let worst = |trial: &&Trial| -> Estimate {
        let sides = (trial.universal.worst[i].regret, trial.sharp.worst[i].regret);
        if sides.0.value >= sides.1.value { sides.0 } else { sides.1 }
    };
    let bar = |regret: Estimate| (regret.value - regret.error, regret.value + regret.error);
    Series {
        label: trials.first().map(|trial| trial.universal.worst[i].label.clone()).unwrap_or_default(),
        ink: i,
        points: trials.iter().map(|trial| (trial.horizon as f64 * shift, worst(trial).value)).collect(),
        band: None,
        bars: Some(trials.iter().map(|trial| bar(worst(trial))).collect()),
        mark: Mark::LineAndDots,
    }
}
