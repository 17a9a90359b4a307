//! Which differences between policies are more than luck.

use super::numbers::{count, number};
use super::page::{Block, Section, Table};
use crate::results::{ALPHA, Comparison, Difference, differences};
use crate::store::{EnvironmentRuns, Outcome};

/// The section, if there are policies to compare and runs enough to tell.
pub(super) fn significance(outcome: &Outcome, names: &[String]) -> Option<Section> {
    let horizon = outcome.experiment.horizon;
    let all: Vec<Vec<Difference>> = outcome.environments.iter().map(|runs| differences(runs, horizon)).collect();
    if !all.iter().flatten().any(|difference| difference.runs > 1) {
        return None;
    }
    let mut section = Section::new("Which differences are more than luck");
    section.text(format!(
        "Final regret, compared run by run: in the same run policies meet the same bandit with the same luck. A policy is \
         called better than another one in an environment if a paired t test says so at level {ALPHA}, adjusted after Holm for \
         all pairs of policies there, so that one false word in an environment has a probability of at most {ALPHA}. That no \
         difference is found does not mean that there is none. `differences.csv` has all pairs at the checkpoints."
    ));
    section.blocks.push(Block::Table(matrix(outcome, &all)));
    for (environment_runs, (name, differences)) in outcome.environments.iter().zip(names.iter().zip(&all)) {
        section.blocks.extend(against_first(environment_runs, name, differences).map(Block::Table));
    }
    Some(section)
}

/// Wins, ties and losses of the row's policy against the column's, over the environments.
fn matrix(outcome: &Outcome, all: &[Vec<Difference>]) -> Table {
    let labels: Vec<&str> = outcome.experiment.policies.iter().map(|spec| spec.label.as_str()).collect();
    let environments = all.len();
    let cell = |row: &str, column: &str| {
        if row == column {
            return String::new();
        }
        let mut tally = [0, 0, 0];
        for difference in all.iter().flatten() {
            let comparison = match (difference.policy == row, difference.reference == row) {
                (true, _) if difference.reference == column => difference.comparison(),
                (_, true) if difference.policy == column => opposite(difference.comparison()),
                _ => continue,
            };
            tally[comparison as usize] += 1;
        }
        match (environments, tally) {
            (_, [0, 0, 0]) => "-".to_owned(),
            (1, [1, ..]) => "better".to_owned(),
            (1, [.., 1]) => "worse".to_owned(),
            (1, _) => "open".to_owned(),
            (_, [wins, ties, losses]) => format!("{wins} / {ties} / {losses}"),
        }
    };
    let row = |label: &&str| {
        std::iter::once((*label).to_owned()).chain(labels.iter().map(|column| cell(label, column))).collect()
    };
    let caption = match environments {
        1 => "The policy of the line against that of the column.".to_owned(),
        _ => format!(
            "In how many of the {} environments the policy of the line is better than that of the column / neither / worse.",
            count(environments as u64)
        ),
    };
    // A heading is its owner's, whatever it says.
    let columns = std::iter::once("policy").chain(labels.iter().copied()).map(|label| label.replace('`', "'"));
    Table { caption, columns: columns.collect(), rows: labels.iter().map(row).collect() }
}

fn opposite(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Better => Comparison::Worse,
        Comparison::Open => Comparison::Open,
        Comparison::Worse => Comparison::Better,
    }
}

/// The differences from the first policy of the file.
fn against_first(environment_runs: &EnvironmentRuns, name: &str, differences: &[Difference]) -> Option<Table> {
    let first = &environment_runs.policies.first()?.spec.label;
    let rows: Vec<Vec<String>> = differences.iter().filter(|d| d.reference == *first).map(row).collect();
    let columns = ["policy", "difference", "standard error", "95% interval", "p", "p, Holm", "Wilcoxon's p, Holm"];
    let caption = format!("{name}: regret minus that of {first}. Below zero the policy has less.").replace('`', "'");
    (!rows.is_empty()).then(|| Table { caption, columns: columns.map(str::to_owned).to_vec(), rows })
}

fn row(difference: &Difference) -> Vec<String> {
    let test = &difference.test;
    let interval =
        if test.low.is_nan() { "-".to_owned() } else { format!("{} to {}", number(test.low), number(test.high)) };
    vec![
        difference.policy.clone(),
        number(test.mean),
        number(test.standard_error),
        interval,
        number(test.p),
        number(difference.p_holm),
        number(difference.wilcoxon_p_holm),
    ]
}
