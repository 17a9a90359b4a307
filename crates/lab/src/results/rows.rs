//! What a table of results holds: the columns and the rows, whatever the format.

use crate::build::Build;
use crate::error::{Error, Result};
use crate::experiment::SweptColumn;
use crate::results::transitory_end;
use crate::simulation::Record;
use crate::store::Outcome;

/// A row: one run at one mark.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    /// The number of the environment.
    place: usize,
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
pub(super) struct Column<'a> {
    pub(super) name: &'static str,
    pub(super) read: Read<'a>,
}

type Reader<'a, T> = Box<dyn Fn(&Row<'a>) -> T + 'a>;

/// How a row fills a column; the variants are the types that columns have.
pub(super) enum Read<'a> {
    /// Words.
    Text(Reader<'a, &'a str>),
    /// A count.
    Whole(Reader<'a, u64>),
    /// A figure.
    Number(Reader<'a, f64>),
    /// A figure that some rows lack.
    Maybe(Reader<'a, Option<f64>>),
    /// A count that some rows lack.
    MaybeWhole(Reader<'a, Option<u64>>),
    /// Yes, no, or unknown.
    Truth(Reader<'a, Option<bool>>),
}

fn text<'a>(name: &'static str, read: impl Fn(&Row<'a>) -> &'a str + 'a) -> Column<'a> {
    Column { name, read: Read::Text(Box::new(read)) }
}

fn whole<'a>(name: &'static str, read: impl Fn(&Row<'a>) -> u64 + 'a) -> Column<'a> {
    Column { name, read: Read::Whole(Box::new(read)) }
}

fn number<'a>(name: &'static str, read: impl Fn(&Row<'a>) -> f64 + 'a) -> Column<'a> {
    Column { name, read: Read::Number(Box::new(read)) }
}

/// What rows borrow: the names of the environments, and the settings that vary among them.
pub(super) struct Frame {
    environments: Vec<String>,
    swept: Vec<(&'static str, SweptColumn)>,
}

impl Frame {
    pub(super) fn of(outcome: &Outcome) -> Self {
        let names = outcome.environments.iter().map(|runs| runs.environment.to_string());
        let swept = outcome.experiment.swept();
        Self { environments: names.collect(), swept: swept.iter().map(|swept| (swept.name, swept.column())).collect() }
    }

    /// All columns, in order. New ones come last, so that whoever reads by position goes on to read what they did.
    pub(super) fn columns(&self) -> Vec<Column<'_>> {
        let mut columns = vec![
            text("environment", |row| row.environment),
            text("policy", |row| row.policy),
            whole("run", |row| row.run as u64),
            whole("t", |row| row.t() as u64),
            number("regret", |row| row.record.regret[row.mark]),
            number("reward", |row| row.record.reward[row.mark]),
            number("R1", |row| row.record.r1[row.mark]),
            number("R2", |row| row.record.r2[row.mark]),
            Column { name: "in_set", read: Read::Truth(Box::new(|row| row.record.in_set(row.t()))) },
            whole("bad_arm_plays", |row| row.record.bad_plays[row.mark]),
            number("R2_bad", |row| row.record.r2_bad[row.mark]),
            number("R2_good", |row| row.record.r2[row.mark] - row.record.r2_bad[row.mark]),
            Column {
                name: "R1_optimistic",
                read: Read::Maybe(Box::new(|row| Some(row.record.r1_optimistic.as_ref()?[row.mark]))),
            },
            number("slope_sum", |row| row.record.slopes[row.mark]),
            number("slope_bound", |row| row.record.best_slopes[row.mark] + row.record.regret[row.mark]),
            number("elliptical", |row| row.record.elliptical[row.mark]),
            Column { name: "transitory_end", read: Read::MaybeWhole(Box::new(|row| row.transitory_end)) },
            text("build", |row| row.record.build.as_ref().map_or("", Build::short)),
        ];
        columns.extend(self.swept.iter().map(|(name, values)| swept_column(name, values)));
        columns
    }

    /// All rows: environment by environment, policy by policy, run by run, and of each run one after each of these rounds.
    ///
    /// # Errors
    /// An item is an error if a record lacks figures for a round.
    pub(super) fn rows<'a>(
        &'a self,
        outcome: &'a Outcome,
        rounds: &'a [usize],
    ) -> impl Iterator<Item = Result<Row<'a>>> {
        let environments = outcome.environments.iter().zip(&self.environments).enumerate();
        let policies = environments.flat_map(|(place, (environment_runs, name))| {
            environment_runs.policies.iter().map(move |policy_runs| (place, name, policy_runs))
        });
        let runs = policies.flat_map(|(place, name, policy_runs)| {
            policy_runs.runs.iter().map(move |(run, record)| (place, name, policy_runs, *run, record))
        });
        runs.flat_map(move |(place, environment, policy_runs, run, record)| {
            let transitory_end = transitory_end(record).map(|t| t as u64);
            // The mark is found for every round below.
            let first =
                Row { place, environment, policy: &policy_runs.spec.label, run, record, transitory_end, mark: 0 };
            rounds.iter().map(move |&t| first.at(t))
        })
    }
}

fn swept_column<'a>(name: &'static str, values: &'a SweptColumn) -> Column<'a> {
    let read: Read<'a> = match values {
        SweptColumn::Whole(values) => Read::MaybeWhole(Box::new(|row| values[row.place])),
        SweptColumn::Number(values) => Read::Maybe(Box::new(|row| values[row.place])),
        SweptColumn::Truth(values) => Read::Truth(Box::new(|row| values[row.place])),
        SweptColumn::Text(values) => Read::Text(Box::new(|row| &values[row.place])),
    };
    Column { name, read }
}

impl Row<'_> {
    /// The round.
    fn t(&self) -> usize {
        self.record.t[self.mark]
    }

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
