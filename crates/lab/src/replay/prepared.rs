//! Data that were read, and what came of replaying them.

use std::path::Path;

use optimist_engine::{Action, Column};
use optimist_tables::{Format, Table};

use super::candidate::{Candidate, Setup};
use super::entry::Entry;
use super::estimates::Named;
use super::examples::{Examples, Orders};
use super::files::{Document, results_csv};
use super::log::Log;
use super::options::{ReplayOptions, Target, tables};
use super::page::{Shown, page};
use super::{classes, dsjson, logs, schema};
use crate::error::{Error, Result};
use crate::report::publish_page;
use crate::simulation::Progress;
use crate::store::write_whole;

/// Data that were read and can be replayed: every candidate has an engine that takes them.
#[derive(Debug)]
pub struct Prepared {
    pub(super) options: ReplayOptions,
    pub(super) data: Data,
    pub(super) setup: Setup,
    pub(super) candidates: Vec<Candidate>,
    /// Columns with what they were read as, and why.
    pub lines: Vec<[String; 3]>,
    /// What became of rows.
    pub notes: Vec<String>,
}

#[derive(Debug)]
pub(super) enum Data {
    Examples { examples: Examples, orders: Orders },
    Log { log: Log, weighted: bool },
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Replayed {
    /// Rounds per order that were asked for.
    pub rounds: usize,
    /// One entry per candidate that has begun.
    pub entries: Vec<Entry>,
    /// What a page says beside them.
    pub shown: Shown,
    /// What was replayed, in a line.
    pub what: String,
    /// Of a table with classes: how the most frequent one does, in a line.
    pub yardstick: Option<String>,
    /// Of a log: what it has earned itself.
    pub logged: Option<Named>,
    /// The probability with which an interval may be wrong.
    pub delta: f64,
    /// What is missing, if somebody stopped the work.
    pub stopped: Option<String>,
}

impl Prepared {
    /// Reads the file that the options name.
    ///
    /// # Errors
    /// If options or data are at fault.
    pub fn open(options: &ReplayOptions) -> Result<Self> {
        options.check()?;
        if options.tables.format == Some(Format::Dsjson) && options.target().is_none() {
            return logs::prepare(options, dsjson::read(options)?);
        }
        Self::read(options, Table::open(&options.data, &options.tables).map_err(|e| tables(options, &e))?)
    }

    /// Reads a table that is open; the options say what messages call it.
    ///
    /// # Errors
    /// If options or data are at fault.
    pub fn read(options: &ReplayOptions, table: Table) -> Result<Self> {
        options.check()?;
        match (table.format(), options.target()) {
            (_, Some(Target::Label(label))) => classes::prepare(options, table, label),
            (_, Some(Target::Arm { arm, reward, propensity })) => {
                logs::prepare(options, logs::read(options, table, arm, reward, propensity)?)
            }
            (Format::Dsjson, None) if options.data.as_os_str() == "-" => {
                Err(Error::input("standard input is dsjson: say --format dsjson, because it can be read only once"))
            }
            (Format::Dsjson, None) => logs::prepare(options, dsjson::read(options)?),
            (_, None) => Err(Error::input(format!(
                "{}: say what to replay: --label COLUMN for a table with classes, or --arm COLUMN --reward COLUMN for a log; \
                 there are {}",
                options.name(),
                schema::listed(table.columns().iter().map(AsRef::as_ref))
            ))),
        }
    }

    /// Replays all of it; less if `progress` stops the work.
    ///
    /// # Errors
    /// If an engine refuses its settings or a context.
    pub fn run(&self, progress: &dyn Progress) -> Result<Replayed> {
        match &self.data {
            Data::Examples { examples, orders } => classes::run(self, examples, *orders, progress),
            Data::Log { log, weighted } => logs::run(self, log, *weighted, progress),
        }
    }
}

impl Replayed {
    /// The entries as a JSON document.
    ///
    /// # Errors
    /// Never in practice: all keys are texts.
    pub fn to_json(&self) -> Result<String> {
        Document { rounds: self.rounds, entries: &self.entries }.to_json()
    }

    /// Writes `results.csv`, `results.json`, `report.html` and `figures/` to a directory.
    ///
    /// # Errors
    /// If something cannot be written.
    pub fn save(&self, out: &Path) -> Result<()> {
        write_whole(&out.join("results.csv"), &results_csv(&self.entries)?)?;
        write_whole(&out.join("results.json"), self.to_json()?.as_bytes())?;
        publish_page(out, &page(&self.entries, &self.shown))
    }

    /// What engines had to say about their choices.
    pub fn warnings(&self) -> Vec<String> {
        let noted =
            self.entries.iter().filter_map(|entry| Some(format!("{}: {}", entry.label(), entry.note.as_ref()?)));
        noted.collect()
    }
}

/// What all engines are told.
pub(super) fn setup(options: &ReplayOptions, columns: Vec<Column>, actions: Vec<Action>) -> Setup {
    let ReplayOptions { explore, certify, norm_bound, seed, jobs, .. } = *options;
    Setup { columns, actions, explore, certify, norm_bound, seed, jobs }
}

/// What a page says was run.
pub(super) fn facts(options: &ReplayOptions, what: &str, notes: &[String]) -> Vec<(String, String)> {
    let mut facts = vec![
        ("data".to_owned(), options.data.display().to_string()),
        ("rows".to_owned(), what.to_owned()),
        ("seed".to_owned(), options.seed.to_string()),
        ("explore".to_owned(), options.explore.to_string()),
    ];
    facts.extend(options.options.iter().map(|options| ("options".to_owned(), options.clone())));
    facts.extend(notes.iter().map(|note| ("note".to_owned(), note.clone())));
    facts.push(("optimist".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
    facts
}
