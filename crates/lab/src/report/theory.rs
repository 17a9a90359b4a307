//! What theory says of an environment, beside what happened in it.

use super::numbers::{count, number, percent};
use super::page::{Block, Section, Table};
use crate::error::Result;
use crate::experiment::Experiment;
use crate::figure::{Style, bounds};
use crate::outcome::{Cell, Lane};
use crate::statistics::{Statistics, quantile};
use crate::theory::beside::{Beside, Policy};
use crate::theory::phase::transitory_end;

/// Adds constants, a table of bounds against regret, and the figure of the bounds; `file` names it.
///
/// # Errors
/// If `style` names a policy that is not there.
pub(crate) fn add_theory(
    section: &mut Section,
    experiment: &Experiment,
    cell: &Cell,
    beside: &Beside,
    style: &Style,
    file: &str,
) -> Result<()> {
    section.text(constants(beside));
    let shown = style.shown(experiment)?;
    section.blocks.push(Block::Table(table(experiment, cell, beside, &shown)));
    if let Some(figure) = bounds(cell, experiment, beside, style)? {
        section.figure(figure, file, looseness(experiment, beside));
    }
    Ok(())
}

fn range(figures: &Statistics) -> String {
    if figures.q10 == figures.q90 {
        return number(figures.median);
    }
    format!("{} (from {} to {} in 80% of the runs)", number(figures.median), number(figures.q10), number(figures.q90))
}

fn constants(beside: &Beside) -> String {
    let bad = beside.detrimental.as_ref().map(|bad| format!(" Detrimental arms: {}.", range(bad))).unwrap_or_default();
    let yardstick = match &beside.yardstick {
        Ok(constant) => format!(
            " The Graves-Lai constant is {}: for every policy that is good for all parameters of the norm bound, \
             regret / log T tends to that at least.",
            range(constant)
        ),
        Err(why) => format!(" There is no Graves-Lai constant: {why}."),
    };
    format!(
        "What theory says: kappa_* is {}, which governs the long run, and kappa_X {}, which governs the beginning.{bad}\
         {yardstick}",
        range(&beside.kappa_star),
        range(&beside.kappa_x)
    )
}

/// One line a policy: the parts of its regret and what bounds it.
fn table(experiment: &Experiment, cell: &Cell, beside: &Beside, shown: &[usize]) -> Table {
    let columns = [
        "policy",
        "regret",
        "R1",
        "R1 optimistic",
        "R2, detrimental arms",
        "R2, other arms",
        "sum of mu' / (T/kappa_* + regret)",
        "transitory phase ends",
        "upper bound",
        "bound / regret",
        "bound with what was realised",
        "regret / (Graves-Lai log T)",
    ];
    let rows = shown.iter().filter_map(|i| Some(row(cell.lanes.get(*i)?, beside.policies.get(*i)?))).collect();
    let caption = format!(
        "Means over the runs after {} rounds. R1 and R2 add up to the regret; R1 optimistic has the log-odds that the \
         policy hoped for in place of the best arm's. The transitory phase ends (median) when at most one in ten plays is \
         of a detrimental arm, counted over a time as long as the phase at least.",
        count(experiment.horizon as u64)
    );
    Table { caption, columns: columns.map(str::to_owned).to_vec(), rows }
}

fn row(lane: &Lane, policy: &Policy) -> Vec<String> {
    let dash = || "-".to_owned();
    let mean = |figure: fn(&crate::record::Record) -> Option<f64>| {
        let figures: Option<Vec<f64>> = lane.runs.iter().map(|(_, record)| figure(record)).collect();
        figures.filter(|figures| !figures.is_empty()).map(|figures| Statistics::of(&figures).mean)
    };
    let good = |record: &crate::record::Record| Some(record.r2.last()? - record.r2_bad.last()?);
    let slopes = |record: &crate::record::Record| {
        Some(record.slopes.last()? / (record.best_slopes.last()? + record.regret.last()?))
    };
    let bound = policy.bound.as_ref().ok();
    let ratio = bound.zip(policy.regret).map(|(bound, regret)| bound.value() / regret);
    let shown = |value: Option<f64>| value.map_or_else(dash, number);
    vec![
        policy.label.clone(),
        shown(policy.regret),
        shown(mean(|record| record.r1.last().copied())),
        shown(mean(|record| record.r1_optimistic.as_ref()?.last().copied())),
        shown(mean(|record| record.r2_bad.last().copied())),
        shown(mean(good)),
        shown(mean(slopes)),
        median_end(lane),
        shown(bound.map(crate::theory::beside::Bound::value)),
        shown(ratio),
        shown(bound.map(|bound| bound.realised)),
        shown(policy.yardsticks),
    ]
}

/// The median of the ends of the transitory phases; a run in which it was not seen to end counts as late as any.
fn median_end(lane: &Lane) -> String {
    if lane.runs.is_empty() {
        return "-".to_owned();
    }
    let end = |record| transitory_end(record).map_or(f64::INFINITY, |t| t as f64);
    let mut ends: Vec<f64> = lane.runs.iter().map(|(_, record)| end(record)).collect();
    ends.sort_by(f64::total_cmp);
    let median = quantile(&ends, 0.5);
    if median.is_finite() { number(median) } else { "not seen".to_owned() }
}

/// The honest remark.
fn looseness(experiment: &Experiment, beside: &Beside) -> String {
    let ratios: Vec<f64> = beside
        .policies
        .iter()
        .filter_map(|policy| Some(policy.bound.as_ref().ok()?.value() / policy.regret.filter(|regret| *regret > 0.0)?))
        .collect();
    let (low, high) = ratios.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), r| (low.min(*r), high.max(*r)));
    let loose = if ratios.is_empty() {
        String::new()
    } else if low == high {
        format!("After {} rounds it is {} times what happened. ", count(experiment.horizon as u64), number(low))
    } else {
        let horizon = count(experiment.horizon as u64);
        format!("After {horizon} rounds they are {} to {} times what happened. ", number(low), number(high))
    };
    let surety = beside.policies.iter().filter_map(|policy| Some(policy.bound.as_ref().ok()?.probability));
    let surety = surety.fold(1.0, f64::min);
    format!(
        "Mean regret, and the explicit bounds of Theorem 1 (dashed), which hold with probability {}, capped by what \
         playing the worst arm all the time would cost. They are true and far from tight: {loose}Their use is in how they \
         grow, not in how high they are.",
        percent(surety)
    )
}
