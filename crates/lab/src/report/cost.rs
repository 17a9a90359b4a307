//! The table of what policies cost.

use super::numbers::{count, duration, number, percent};
use super::page::Table;
use crate::results::PolicyCost;

/// The columns of [`cost_table`].
const COLUMNS: [&str; 5] = ["policy", "runs", "time per run", "rounds per second", "share of the time"];

/// A line for each of the `most` dearest policies, and one for the others together.
pub fn cost_table(costs: &[PolicyCost], most: usize) -> Table {
    // A line for a single one takes no more room than to name it.
    let shown = if costs.len() > most + 1 { most } else { costs.len() };
    let (dearest, others) = costs.split_at(shown);
    let caption = "What the policies cost, the dearest first: time on one core of all their runs, with the environment, the \
                   books and the looks at their sets.";
    let rows = dearest.iter().map(row).chain(rest(others).as_ref().map(row)).collect();
    Table { caption: caption.to_owned(), columns: COLUMNS.map(str::to_owned).to_vec(), rows }
}

fn row(cost: &PolicyCost) -> Vec<String> {
    let dash = || "-".to_owned();
    vec![
        cost.label.clone(),
        count(cost.runs as u64),
        cost.seconds_per_run().map_or_else(dash, duration),
        cost.rounds_per_second().map_or_else(dash, number),
        percent(cost.share),
    ]
}

/// Several policies in one line.
fn rest(others: &[PolicyCost]) -> Option<PolicyCost> {
    let label = format!("{} others", others.len());
    (!others.is_empty()).then(|| PolicyCost {
        label,
        runs: others.iter().map(|cost| cost.runs).sum(),
        rounds: others.iter().map(|cost| cost.rounds).sum(),
        seconds: others.iter().map(|cost| cost.seconds).sum(),
        share: others.iter().map(|cost| cost.share).sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(label: &str, seconds: f64, share: f64) -> PolicyCost {
        PolicyCost { label: label.to_owned(), runs: 2, rounds: 1000, seconds, share }
    }

    #[test]
    fn cheap_policies_share_a_line() {
        let costs = [cost("a", 5.0, 0.5), cost("b", 3.0, 0.3), cost("c", 1.0, 0.1), cost("d", 1.0, 0.1)];
        let table = cost_table(&costs, 2);
        let rows: Vec<String> = table.rows.iter().map(|row| row.join(", ")).collect();
        assert_eq!(rows, ["a, 2, 2.50 s, 200, 50%", "b, 2, 1.50 s, 333, 30%", "2 others, 4, 500 ms, 1,000, 20%"]);
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
        // The last one is named, and not called "1 others".
        assert_eq!(cost_table(&costs, 3).rows.len(), 4);
        assert_eq!(cost_table(&costs, 3).rows[3][0], "d");
    }
}
