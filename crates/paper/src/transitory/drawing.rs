//! Length against kappa_X, and regret on the hardest instance.

use super::Family;
use super::samples::Level;
use crate::figures::curve;
use optimist_lab::figure::{Axis, Chart, Figure, Guide, Mark, Scale, Series};
use optimist_lab::report::{count, number};

/// Dots of different policies at the same kappa_X stand beside each other.
const APART: f64 = 1.1;

/// The length of the transitory phase against kappa_X.
pub(super) fn lengths(family: &Family<'_>) -> Figure {
    let Family { name, arms, levels, outcome, .. } = family;
    let longest = outcome.experiment.horizon / 2;
    let policies = outcome.experiment.policies.len();
    let guides = vec![
        Guide::Horizontal { at: longest as f64, label: format!("not seen to end: over {}", count(longest as u64)) },
        Guide::Horizontal { at: *arms as f64, label: format!("{arms}: one round an arm") },
        Guide::Slope { through: (100.0, 100.0), slope: 1.0, label: "κ_X rounds".to_owned() },
    ];
    Chart {
        title: format!("Length of the transitory phase: {name}"),
        subtitle: match levels.first().and_then(|level| level.samples.first()).map(|sample| sample.lengths.runs()) {
            Some(1) | None => "1 run".to_owned(),
            Some(runs) => format!("Median of {runs} runs; bars reach from the 10% to the 90% quantile."),
        },
        x: Axis { label: "κ_X".to_owned(), scale: Scale::Log, range: None },
        y: Axis {
            label: "rounds".to_owned(),
            scale: Scale::Log,
            range: Some((shortest(levels, *arms), 2.0 * longest as f64)),
        },
        series: (0..policies).map(|i| series(levels, i, APART.powf(i as f64 - 1.0))).collect(),
        guides,
    }
    .draw()
}

/// Below all that is drawn. Above there is room for a label over the longest.
fn shortest(levels: &[Level], arms: usize) -> f64 {
    let samples = levels.iter().flat_map(|level| &level.samples);
    let ends = samples.flat_map(|sample| [sample.lengths.seen(0.1), sample.lengths.seen(0.5)]);
    0.7 * ends.filter(|length| *length > 0.0).fold(arms as f64, f64::min)
}

fn series(levels: &[Level], policy: usize, shift: f64) -> Series {
    let lengths = || levels.iter().map(|level| (level.kappa_x * shift, &level.samples[policy].lengths));
    Series {
        label: levels.first().map(|level| level.samples[policy].label.clone()).unwrap_or_default(),
        ink: policy,
        points: lengths().map(|(x, lengths)| (x, lengths.seen(0.5))).collect(),
        band: None,
        bars: Some(lengths().map(|(_, lengths)| (lengths.seen(0.1), lengths.seen(0.9))).collect()),
        mark: Mark::LineAndDots,
    }
}

/// Mean regret at the largest kappa_X, on linear axes.
pub(super) fn regret(family: &Family<'_>) -> Figure {
    let level = family.levels.last();
    let samples = level.iter().flat_map(|level| &level.samples);
    let series = samples.enumerate().filter(|(_, sample)| !sample.policy_runs.runs.is_empty()).map(|(ink, sample)| {
        let (points, band) = curve(&sample.policy_runs);
        let band = (sample.policy_runs.runs.len() > 1).then_some(band);
        Series { label: sample.label.clone(), ink, points, band, ..Series::default() }
    });
    let runs = level.and_then(|level| level.samples.first()).map_or(0, |sample| sample.policy_runs.runs.len());
    let kappa = number(level.map_or(f64::NAN, |level| level.kappa_x));
    Chart {
        title: format!("Regret where one arm of {} is good, κ_X = {kappa}", family.arms),
        subtitle: match runs {
            1 => "1 run".to_owned(),
            _ => format!("Mean of {runs} runs; one standard deviation is shaded."),
        },
        x: Axis { label: "round".to_owned(), ..Axis::default() },
        y: Axis { label: "regret".to_owned(), ..Axis::default() },
        series: series.collect(),
        guides: vec![Guide::Slope { through: (0.0, 0.0), slope: 0.5, label: "one half a round".to_owned() }],
    }
    .draw()
}
