//! Decision logs in dsjson: actions with features, costs, probabilities.

use std::collections::{HashMap, HashSet};

use optimist_engine::{Action, Features as Known, Scale, Value};
use optimist_tables::{Cell, Decision, DecisionLog, Distinct, Features, Guess, Kind};

use super::contexts::Contexts;
use super::log::{Log, LoggedDecision};
use super::logs::{Logged, rewarded};
use super::options::{ReplayOptions, tables};
use super::schema::Schema;
use super::words;
use crate::error::{Error, Result};
use crate::report::count;

/// Different actions that a log may have.
const MOST_ACTIONS: usize = 10_000;
/// Different values that are counted.
const MOST_DISTINCT: usize = 1000;

/// Reads a log.
///
/// # Errors
/// If the data are at fault.
pub(super) fn read(args: &ReplayOptions) -> Result<Logged> {
    let failed = |e| tables(args, &e);
    let file = args.name();
    let mut source = DecisionLog::open(&args.data, &args.tables).map_err(failed)?;
    let scale = args.reward_scale.unwrap_or(Scale::Range(0.0, 1.0));
    let (mut columns, mut rows) = (Gathered::default(), Vec::new());
    let mut menu = Menu::default();
    let mut log = Log::default();
    let (mut without, mut skipped, mut dropping) = (0, 0, false);
    let mut decision = Decision::default();
    while args.rounds.is_none_or(|rounds| log.decisions.len() < rounds.get())
        && source.read(&mut decision).map_err(failed)?
    {
        let Some(cost) = decision.cost.filter(|_| !decision.skip_learn) else {
            *(if decision.skip_learn { &mut skipped } else { &mut without }) += 1;
            continue;
        };
        dropping |= decision.drop_probability > 0.0;
        let wrong = |what: String| Error::input(format!("{file}, line {}: {what}", decision.line));
        let reward = rewarded(scale, -cost).map_err(|what| wrong(format!("minus the cost {what}")))?;
        let logged = menu.logged(&decision, reward);
        if menu.actions.len() > MOST_ACTIONS {
            return Err(wrong(format!(
                "there are more than {} different actions: features that change from decision to decision belong into the \
                 context",
                count(MOST_ACTIONS as u64)
            )));
        }
        log.decisions.push(logged);
        let context = decision.context.iter().filter(|(name, _)| !args.tables.ignore.contains(name));
        rows.push((decision.line, columns.row(context)));
    }
    if log.decisions.is_empty() || menu.actions.len() < 2 {
        let what = if log.decisions.is_empty() { "no decision with an outcome" } else { "one action only" };
        return Err(Error::input(format!("{file}: it has {what}: there is nothing to replay")));
    }
    let mut schema = Schema::new(&columns.guesses(rows.len() as u64), &[], args, true)?;
    log.contexts = Contexts::new(&schema.columns);
    for (line, cells) in &rows {
        log.contexts.push(schema.values(*line, cells))?;
    }
    let mut notes = schema.notes();
    let malformed = source.malformed().to_string();
    notes.extend((!malformed.is_empty()).then(|| malformed.replace("\n  ", "; ")));
    notes.extend((without > 0).then(|| words::left_out(without, "decision", "without an outcome")));
    notes.extend((skipped > 0).then(|| words::left_out(skipped, "decision", "not to be learnt from")));
    notes.extend(dropping.then(|| "the logger dropped some events (pdrop), which is not corrected for".to_owned()));
    let actions = menu.finish();
    log.actions = actions.iter().map(|action| action.name.clone()).collect();
    Ok(Logged { log, actions, columns: schema.columns, lines: schema.lines, notes })
}

/// The different actions of a log.
#[derive(Default)]
struct Menu {
    actions: Vec<(String, Features)>,
    /// By features, written out.
    numbers: HashMap<String, u32>,
    names: HashSet<String>,
}

impl Menu {
    fn logged(&mut self, decision: &Decision, reward: f64) -> LoggedDecision {
        let numbers: Vec<u32> = decision.actions.iter().map(|features| self.number(features)).collect();
        let (mut offered, mut probabilities) = (Vec::new(), Vec::new());
        for (place, number) in numbers.iter().enumerate() {
            let probability = decision.probabilities.get(place).copied();
            // Actions that look alike are one.
            match offered.iter().position(|other| other == number) {
                Some(known) => {
                    if let (Some(sum), Some(p)) = (probabilities.get_mut(known), probability) {
                        *sum += p;
                    }
                }
                None => {
                    offered.push(*number);
                    probabilities.extend(probability);
                }
            }
        }
        let action = numbers[decision.chosen];
        let alike = numbers.iter().filter(|number| **number == action).count();
        let merged = offered.iter().position(|other| *other == action).and_then(|place| probabilities.get(place));
        let propensity = if alike > 1 { merged.copied() } else { None }.unwrap_or(decision.probability);
        LoggedDecision {
            action,
            propensity: Some(propensity.min(1.0)),
            reward,
            offered: Some((offered, probabilities)),
        }
    }

    fn number(&mut self, features: &Features) -> u32 {
        let key =
            features.iter().fold(String::new(), |key, (name, cell)| key + name + "\u{1}" + &cell.label() + "\u{2}");
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.actions.len() as u32;
        let is_name = |name: &str| {
            let last = name.rsplit('.').next().unwrap_or(name).trim_start_matches('_').to_lowercase();
            matches!(&*last, "id" | "name" | "tag")
        };
        let named = features
            .iter()
            .find(|(name, _)| is_name(name))
            .or_else(|| features.first().filter(|_| features.len() == 1));
        let wish = named.map_or_else(String::new, |(_, cell)| cell.label().into_owned());
        let mut name = if wish.is_empty() { format!("action {}", number + 1) } else { wish };
        while !self.names.insert(name.clone()) {
            name = format!("{name} ({})", number + 1);
        }
        self.actions.push((name, features.clone()));
        self.numbers.insert(key, number);
        number
    }

    /// Actions with features of one type per name.
    fn finish(self) -> Vec<Action> {
        let mut types: HashMap<&str, Option<u8>> = HashMap::new();
        for (name, cell) in
            self.actions.iter().flat_map(|(_, features)| features).filter(|(_, cell)| !cell.is_missing())
        {
            let known = types.entry(name).or_insert(Some(type_of(cell)));
            *known = known.filter(|known| *known == type_of(cell));
        }
        let value = |name: &str, cell: &Cell| match cell {
            Cell::Missing => Value::Missing,
            _ if types.get(name) == Some(&None) => Value::Text(cell.label().into_owned()),
            Cell::Bool(value) => Value::Bool(*value),
            Cell::Number(number) => Value::Number(*number),
            // Lists may be of any length.
            other => Value::Text(other.label().into_owned()),
        };
        let features = |features: &Features| -> Known {
            features.iter().map(|(name, cell)| (name.replace(':', "."), value(name, cell))).collect()
        };
        self.actions.iter().map(|(name, cells)| Action::new(name.clone(), features(cells))).collect()
    }
}

fn type_of(cell: &Cell) -> u8 {
    match cell {
        Cell::Missing => 0,
        Cell::Bool(_) => 1,
        Cell::Number(_) => 2,
        _ => 3,
    }
}

/// The columns of contexts, as they come.
#[derive(Default)]
struct Gathered {
    columns: Vec<Seen>,
    positions: HashMap<String, usize>,
}

#[derive(Default)]
struct Seen {
    name: String,
    values: u64,
    numbers: u64,
    bools: u64,
    different: HashSet<String>,
    example: Option<String>,
}

impl Gathered {
    fn row<'a>(&mut self, context: impl Iterator<Item = &'a (String, Cell)>) -> Vec<Cell> {
        let mut cells = Vec::new();
        for (name, cell) in context {
            let next = self.columns.len();
            let position = *self.positions.entry(name.clone()).or_insert(next);
            if position == next {
                self.columns.push(Seen { name: name.clone(), ..Seen::default() });
            }
            if cells.len() <= position {
                cells.resize(position + 1, Cell::Missing);
            }
            self.columns[position].add(cell);
            cells[position] = cell.clone();
        }
        cells
    }

    fn guesses(&self, rows: u64) -> Vec<Guess> {
        self.columns.iter().map(|seen| seen.guess(rows)).collect()
    }
}

impl Seen {
    fn add(&mut self, cell: &Cell) {
        if cell.is_missing() {
            return;
        }
        self.values += 1;
        self.numbers += u64::from(matches!(cell, Cell::Number(_)));
        self.bools += u64::from(matches!(cell, Cell::Bool(_)));
        if self.different.len() < MOST_DISTINCT {
            self.different.insert(cell.label().into_owned());
        }
        self.example.get_or_insert_with(|| cell.label().into_owned());
    }

    fn guess(&self, rows: u64) -> Guess {
        let levels = self.different.len();
        let nearly_all = self.values >= 20 && levels as f64 >= 0.95 * self.values.min(MOST_DISTINCT as u64) as f64;
        let different = format!("has {levels} different values");
        let (kind, why) = match () {
            _ if levels <= 1 && self.values == rows => (Kind::Constant, "has the same value in all rows".to_owned()),
            _ if self.values == 0 => (Kind::Constant, "has no value".to_owned()),
            _ if self.numbers == self.values => (Kind::Number, "has numbers only".to_owned()),
            _ if self.bools == self.values => (Kind::Boolean, "is either true or false".to_owned()),
            _ if nearly_all => (Kind::Identifier, "is different in nearly every row".to_owned()),
            _ => (Kind::Category { levels }, different),
        };
        let distinct = if levels < MOST_DISTINCT { Distinct::Exactly(levels) } else { Distinct::AtLeast(levels) };
        let (missing, example) = (rows - self.values, self.example.clone());
        Guess { column: self.name.as_str().into(), kind, why, otherwise: None, distinct, missing, rows, example }
    }
}
