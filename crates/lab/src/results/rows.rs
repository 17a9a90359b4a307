//! What a table of results holds: the columns and the rows, whatever the format.

use crate::build::Build;
use crate::error::{Error, Result};
use crate::results::transitory_end;
use crate::simulation::Record;
use crate::store::Outcome;

/// A row: one run at one mark.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    environment: &'a str,
    policy: &'a str,
    run: usize,
    record: &'a Record,
    /// When the transitory phase of the run ended, if it was seen to end.
    transitory_end: Option<u64>,
    /// Where it is among the record's marks.
    mark: usize,
}

/// A column: its name, and how a row fills it.
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) read: Read,
}

/// How a row fills a column; the variants are the types that columns have.
pub(super) enum Read {
    /// Words.
    Text(for<'a> fn(&Row<'a>) -> &'a str),
    /// A count.
    Whole(fn(&Row<'_>) -> u64),
    /// A figure.
    Number(fn(&Row<'_>) -> f64),
    /// A figure that some runs lack.
    Maybe(fn(&Row<'_>) -> Option<f64>),
    /// A count that some runs lack.
    MaybeWhole(fn(&Row<'_>) -> Option<u64>),
    /// Yes, no, or nobody looked.
    Truth(fn(&Row<'_>) -> Option<bool>),
}

/// All columns, in order. New ones come last, so that whoever reads by position goes on to read what they did.
pub(super) const COLUMNS: [Column; 18] = [
    Column { name: "environment", read: Read::Text(|row| row.environment) },
    Column { name: "policy", read: Read::Text(|row| row.policy) },
    Column { name: "run", read: Read::Whole(|row| row.run as u64) },
    Column { name: "t", read: Read::Whole(|row| row.t() as u64) },
    Column { name: "regret", read: Read::Number(|row| row.record.regret[row.mark]) },
    Column { name: "reward", read: Read::Number(|row| row.record.reward[row.mark]) },
    Column { name: "R1", read: Read::Number(|row| row.record.r1[row.mark]) },
    Column { name: "R2", read: Read::Number(|row| row.record.r2[row.mark]) },
    Column { name: "in_set", read: Read::Truth(|row| row.record.in_set(row.t())) },
    Column { name: "bad_arm_plays", read: Read::Whole(|row| row.record.bad_plays[row.mark]) },
    Column { name: "R2_bad", read: Read::Number(|row| row.record.r2_bad[row.mark]) },
    Column { name: "R2_good", read: Read::Number(|row| row.record.r2[row.mark] - row.record.r2_bad[row.mark]) },
    Column { name: "R1_optimistic", read: Read::Maybe(|row| Some(row.record.r1_optimistic.as_ref()?[row.mark])) },
    Column { name: "slope_sum", read: Read::Number(|row| row.record.slopes[row.mark]) },
    Column {
        name: "slope_bound",
        read: Read::Number(|row| row.record.best_slopes[row.mark] + row.record.regret[row.mark]),
    },
    Column { name: "elliptical", read: Read::Number(|row| row.record.elliptical[row.mark]) },
    Column { name: "transitory_end", read: Read::MaybeWhole(|row| row.transitory_end) },
    Column { name: "build", read: Read::Text(|row| row.record.build.as_ref().map_or("", Build::short)) },
];

impl Row<'_> {
    /// The round.
    fn t(&self) -> usize {
        self.record.t[self.mark]
    }
}

/// The names of the environments, one a environment_runs: rows borrow them.
pub(super) fn environment_names(outcome: &Outcome) -> Vec<String> {
    outcome.environments.iter().map(|environment_runs| environment_runs.environment.to_string()).collect()
}

/// All rows: environment by environment, policy by policy, run by run, and of each run one after each of these rounds.
///
/// # Errors
/// An item is an error if a record lacks figures for a round.
pub(super) fn rows<'a>(
    outcome: &'a Outcome,
    names: &'a [String],
    rounds: &'a [usize],
) -> impl Iterator<Item = Result<Row<'a>>> {
    let policies = outcome.environments.iter().zip(names).flat_map(|(environment_runs, name)| {
        environment_runs.policies.iter().map(move |policy_runs| (name, policy_runs))
    });
    let runs = policies.flat_map(|(name, policy_runs)| {
        policy_runs.runs.iter().map(move |(run, record)| (name, policy_runs, *run, record))
    });
    runs.flat_map(move |(environment, policy_runs, run, record)| {
        let transitory_end = transitory_end(record).map(|t| t as u64);
        // The mark is found for every round below.
        let first = Row { environment, policy: &policy_runs.spec.label, run, record, transitory_end, mark: 0 };
        rounds.iter().map(move |&t| first.at(t))
    })
}

impl Row<'_> {
    /// The row of the same run after another round.
    fn at(self, t: usize) -> Result<Self> {
        let Self { environment, policy, run, record, .. } = self;
        match mark_of(record, t) {
            Some(mark) => Ok(Self { mark, ..self }),
            None => Err(Error::File(format!(
                "run {run} of \"{policy}\" in {environment} has no figures after round {t}: delete it and run it again"
            ))),
        }
    }
}

/// Where round `t` is among the record's marks, if all figures are there.
fn mark_of(record: &Record, t: usize) -> Option<usize> {
    record.t.binary_search(&t).ok().filter(|_| record.is_whole())
}
