//! What theory says of an environment, beside what happened in it.

use super::numbers::{count, number, percent};
use super::page::{Block, Section, Table};
use crate::error::Result;
use crate::experiment::Experiment;
use crate::figure::{Style, bounds};
use crate::results::transitory_end;
use crate::results::{Statistics, quantile};
use crate::simulation::Record;
use crate::store::{EnvironmentRuns, PolicyRuns};
use crate::theory::comparison::{Bound, Comparison, GravesLaiConstants, PolicyComparison};

/// Adds constants, the parts of the regret, its bounds, and the figure of the bounds; `file` names it.
///
/// # Errors
/// If `style` names a policy that is not there.
pub fn add_theory(
    section: &mut Section,
    experiment: &Experiment,
    environment_runs: &EnvironmentRuns,
    comparison: &Comparison,
    style: &Style,
    file: &str,
) -> Result<()> {
    section.text(constants(comparison));
    let shown = style.shown(experiment)?;
    section.blocks.push(Block::Table(parts(experiment, environment_runs, &shown)));
    section.blocks.push(Block::Table(limits(comparison, &shown)));
    if let Some(figure) = bounds(environment_runs, experiment, comparison, style)? {
        section.figure(figure, file, looseness(experiment, comparison));
    }
    Ok(())
}

/// The median, and where most runs are.
fn range(figures: &Statistics) -> String {
    if figures.q10 == figures.q90 {
        return number(figures.median);
    }
    format!("{} (median; 80% of the runs: {} to {})", number(figures.median), number(figures.q10), number(figures.q90))
}

fn constants(comparison: &Comparison) -> String {
    let bad =
        comparison.detrimental.as_ref().map(|bad| format!(" Detrimental arms: {}.", range(bad))).unwrap_or_default();
    let yardstick = match &comparison.graves_lai {
        Some(yardstick) => yardstick_words(yardstick),
        None => format!(" No Graves-Lai constant: {}.", comparison.no_graves_lai.as_deref().unwrap_or("not computed")),
    };
    let note = comparison.note.as_ref().map(|note| format!(" But {note}.")).unwrap_or_default();
    format!(
        "What theory says: kappa_*, which governs the long run, is {}; kappa_X, which governs the beginning, is {}.{bad}\
         {yardstick}{note}",
        range(&comparison.kappa_star),
        range(&comparison.kappa_x)
    )
}

fn yardstick_words(yardstick: &GravesLaiConstants) -> String {
    let GravesLaiConstants { free, bounded, unsettled } = yardstick;
    let less = bounded.as_ref().map(|c| format!(" For policies that rely on the norm bound it is {}.", range(c)));
    let open = match unsettled {
        0 => String::new(),
        n => format!(" For {n} of the instances it is known from above only."),
    };
    format!(
        " The Graves-Lai constant is {}: as T grows, regret / log T tends to that at least, for every policy that is good for \
         all parameters.{}{open}",
        range(free),
        less.unwrap_or_default()
    )
}

/// One line per policy: the parts of its regret.
fn parts(experiment: &Experiment, environment_runs: &EnvironmentRuns, shown: &[usize]) -> Table {
    let columns = [
        "policy",
        "R1",
        "R1 optimistic",
        "R2, detrimental arms",
        "R2, other arms",
        "information",
        "transitory phase ends",
    ];
    let caption = format!(
        "Means over the runs after {} rounds. R1 optimistic has the log-odds that the policy hoped for in place of the best \
         arm's. Information: the sum of the slopes at the arms played, as a part of its bound T/kappa_* + regret. The \
         transitory phase ends (median) when at most one in ten plays is of a detrimental arm, counted over a time as long as \
         the phase at least.",
        count(experiment.horizon as u64)
    );
    let rows = shown.iter().filter_map(|i| environment_runs.policies.get(*i)).map(parts_row).collect();
    Table { caption, columns: columns.map(str::to_owned).to_vec(), rows }
}

fn parts_row(policy_runs: &PolicyRuns) -> Vec<String> {
    let mean = |figure: fn(&Record) -> Option<f64>| {
        let figures: Option<Vec<f64>> = policy_runs.runs.iter().map(|(_, record)| figure(record)).collect();
        shown(figures.filter(|figures| !figures.is_empty()).map(|figures| Statistics::of(&figures).mean))
    };
    let good = |record: &Record| Some(record.r2.last()? - record.r2_bad.last()?);
    let slopes = |record: &Record| Some(record.slopes.last()? / (record.best_slopes.last()? + record.regret.last()?));
    vec![
        policy_runs.spec.label.clone(),
        mean(|record| record.r1.last().copied()),
        mean(|record| record.r1_optimistic.as_ref()?.last().copied()),
        mean(|record| record.r2_bad.last().copied()),
        mean(good),
        mean(slopes),
        median_end(policy_runs),
    ]
}

/// One line per policy: what bounds its regret.
fn limits(comparison: &Comparison, indices: &[usize]) -> Table {
    let columns = [
        "policy",
        "regret",
        "Theorem 1",
        "Theorem 1 / regret",
        "with what was realised",
        "least bound",
        "regret / (Graves-Lai log T)",
        "within the norm bound",
    ];
    let caption = "Theorem 1 is the paper's bound with all constants, then with the elliptical sum and the detrimental \
                   plays of the runs. The least bound may also be what every arm's plays can cost, or the worst arm in all \
                   rounds. The last columns are mean regret over the mean Graves-Lai constant times log T. The constants are \
                   about the limit of large T: before that, regret may be far below, and often cannot even reach them. \
                   That within the norm bound is the one that binds policies which rely on it.";
    let rows = indices.iter().filter_map(|i| comparison.policies.get(*i)).map(limits_row).collect();
    Table { caption: caption.to_owned(), columns: columns.map(str::to_owned).to_vec(), rows }
}

fn limits_row(policy: &PolicyComparison) -> Vec<String> {
    let bound = policy.bound.as_ref();
    let ratio = bound.zip(policy.regret).map(|(bound, regret)| bound.value() / regret);
    vec![
        policy.label.clone(),
        shown(policy.regret),
        shown(bound.map(Bound::value)),
        shown(ratio),
        shown(bound.map(|bound| bound.realised)),
        shown(bound.map(|bound| bound.least)),
        shown(policy.graves_lai_ratio),
        shown(policy.graves_lai_bounded_ratio),
    ]
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), number)
}

/// The median of the ends of the transitory phases; a run in which it was not seen to end counts as late as any.
fn median_end(policy_runs: &PolicyRuns) -> String {
    if policy_runs.runs.is_empty() {
        return "-".to_owned();
    }
    let end = |record| transitory_end(record).map_or(f64::INFINITY, |t| t as f64);
    let mut ends: Vec<f64> = policy_runs.runs.iter().map(|(_, record)| end(record)).collect();
    ends.sort_by(f64::total_cmp);
    let median = quantile(&ends, 0.5);
    if median.is_finite() { number(median) } else { "not seen".to_owned() }
}

/// The honest remark.
fn looseness(experiment: &Experiment, comparison: &Comparison) -> String {
    let ratios: Vec<f64> = comparison
        .policies
        .iter()
        .filter_map(|policy| Some(policy.bound.as_ref()?.value() / policy.regret.filter(|regret| *regret > 0.0)?))
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
    let surety = comparison.policies.iter().filter_map(|policy| Some(policy.bound.as_ref()?.probability));
    let surety = surety.fold(1.0, f64::min);
    let lower = match comparison.lower {
        Some(_) => {
            " The lower bound is about the worst of some parameters near theta*, on average: for theta* itself regret may be \
             below it."
        }
        None => "",
    };
    format!(
        "Mean regret, and the explicit bounds of Theorem 1 (dashed), which hold with probability {}. They \
         are true and far from tight. {loose}Their use is in how they \
         grow, not in how high they are.{lower}",
        percent(surety)
    )
}
