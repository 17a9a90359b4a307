//! What columns are: guessed, overruled, and how their cells become values.

use std::collections::HashSet;

use optimist_engine::{Column, Kind, Value};
use optimist_tables::{Cell, Guess, Kind as Guessed, TimeForm};

use super::options::ReplayOptions;
use crate::error::{Error, Result};
use crate::input::nearest;

/// Levels up to which a category has a place for each; the engine's own number.
const MOST_LEVELS: usize = 64;
/// Milliseconds since 1970 are larger than this, seconds are smaller.
const MILLISECONDS: f64 = 1e11;

/// The columns of contexts.
pub(super) struct Schema {
    /// As the engine wants them.
    pub(super) columns: Vec<Column>,
    /// As people want them: name, what it was read as, why.
    pub(super) lines: Vec<[String; 3]>,
    sources: Vec<Source>,
}

/// Where the values of a column come from.
struct Source {
    position: usize,
    reading: Reading,
    /// The name in the file.
    name: String,
    /// Cells that were not of its kind: how many, and the first with its line.
    misfits: u64,
    first: Option<(u64, String)>,
}

#[derive(Clone, Copy)]
enum Reading {
    Number,
    Boolean,
    Level,
    Time,
    Text,
    Vector(usize),
}

impl Schema {
    /// From guesses and what the user says; `targets` are no part of contexts. Where actions have features, contexts may have
    /// none.
    ///
    /// # Errors
    /// If the user names a column that is not there, twice, or a target; or if no column is left.
    pub(super) fn new(guesses: &[Guess], targets: &[&str], args: &ReplayOptions, may_be_empty: bool) -> Result<Self> {
        let names: Vec<&str> = guesses.iter().map(|guess| &*guess.column).collect();
        let wishes = wishes(args, &names, targets)?;
        let mut schema = Self { columns: Vec::new(), lines: Vec::new(), sources: Vec::new() };
        let mut taken = HashSet::new();
        for (position, guess) in guesses.iter().enumerate().filter(|(_, guess)| !targets.contains(&&*guess.column)) {
            let name = guess.column.to_string();
            let wish = wishes.iter().find(|(column, _)| *column == name).map(|(_, kind)| *kind);
            let (read_as, kind, reading) = match wish {
                Some(word) => wished(word),
                None => found(guess.kind),
            };
            let why = why(guess, wish, read_as);
            schema.lines.push([name.clone(), read_as.to_owned(), why]);
            if let (Some(kind), Some(reading)) = (kind, reading) {
                let own = engine_name(&name, &mut taken);
                schema.columns.push(Column::new(own, kind));
                schema.sources.push(Source { position, reading, name, misfits: 0, first: None });
            }
        }
        if schema.columns.is_empty() && !may_be_empty {
            let what = "no column is left to decide by: all are identifiers, constants, ignored or the answer itself";
            return Err(Error::input(format!("{what}; --category COL or --number COL keeps one")));
        }
        Ok(schema)
    }

    /// The values of a row, in the order of the columns. A cell that is not of its column's kind counts as missing.
    pub(super) fn values(&mut self, line: u64, cells: &[Cell]) -> Vec<Value> {
        let missing = Cell::Missing;
        let value = |source: &mut Source| {
            let cell = cells.get(source.position).unwrap_or(&missing);
            source.reading.value(cell).unwrap_or_else(|| {
                source.misfits += 1;
                source.first.get_or_insert_with(|| (line, cell.label().into_owned()));
                Value::Missing
            })
        };
        self.sources.iter_mut().map(value).collect()
    }

    /// What the user should know of cells that did not fit.
    pub(super) fn notes(&self) -> Vec<String> {
        let note = |(source, column): (&Source, &Column)| {
            let (line, example) = source.first.as_ref()?;
            let (count, name) = (source.misfits, &source.name);
            let cells = if count == 1 { "1 cell".to_owned() } else { format!("{count} cells") };
            let kind = kind_name(&column.kind);
            Some(format!(
                "{cells} of `{name}` {} no {kind} and {} as missing, the first \"{}\" in line {line}",
                if count == 1 { "is" } else { "are" },
                if count == 1 { "counts" } else { "count" },
                crate::input::shorten(example)
            ))
        };
        self.sources.iter().zip(&self.columns).filter_map(note).collect()
    }
}

impl Reading {
    /// The value of a cell; none if it is not of this kind.
    fn value(self, cell: &Cell) -> Option<Value> {
        if cell.is_missing() {
            return Some(Value::Missing);
        }
        match self {
            Reading::Number => {
                let of_text = || cell.text()?.trim().parse::<f64>().ok();
                cell.number().or_else(of_text).filter(|number| number.is_finite()).map(Value::Number)
            }
            Reading::Boolean => match cell {
                Cell::Bool(value) => Some(Value::Bool(*value)),
                Cell::Number(0.0) => Some(Value::Bool(false)),
                Cell::Number(1.0) => Some(Value::Bool(true)),
                other => match &*other.label().to_lowercase() {
                    "yes" | "y" | "t" | "true" => Some(Value::Bool(true)),
                    "no" | "n" | "f" | "false" => Some(Value::Bool(false)),
                    _ => None,
                },
            },
            Reading::Level | Reading::Text => Some(Value::Text(cell.label().into_owned())),
            Reading::Time => match cell {
                Cell::Number(number) if *number > MILLISECONDS => Some(Value::Number(number / 1000.0)),
                Cell::Number(number) => Some(Value::Number(*number)),
                Cell::Text(text) => looks_like_a_date(text).then(|| Value::Text(text.clone())),
                _ => None,
            },
            Reading::Vector(length) => {
                cell.vector().filter(|vector| vector.len() == length).map(|vector| Value::Vector(vector.to_vec()))
            }
        }
    }
}

/// Four digits and a dash: the rest is for the engine to judge.
fn looks_like_a_date(text: &str) -> bool {
    let text = text.trim().as_bytes();
    text.len() >= 10 && text[..4].iter().all(u8::is_ascii_digit) && text[4] == b'-'
}

/// What the user says of columns, checked.
fn wishes<'a>(args: &'a ReplayOptions, names: &[&str], targets: &[&str]) -> Result<Vec<(&'a str, &'static str)>> {
    let lists = [
        ("number", &args.number),
        ("category", &args.category),
        ("text", &args.text),
        ("time", &args.time),
        ("hashed", &args.hashed),
    ];
    let mut wishes: Vec<(&str, &'static str)> = Vec::new();
    for (option, list) in lists {
        for column in list {
            if !names.contains(&column.as_str()) {
                return Err(unknown(&format!("--{option}"), column, names));
            }
            if targets.contains(&column.as_str()) {
                return Err(Error::input(format!(
                    "--{option} names the column \"{column}\", which is no part of the context: leave it out"
                )));
            }
            if let Some((_, other)) = wishes.iter().find(|(known, _)| known == column) {
                return Err(Error::input(format!(
                    "both --{other} and --{option} name the column \"{column}\": keep one"
                )));
            }
            wishes.push((column, option));
        }
    }
    Ok(wishes)
}

/// A column that is not there.
pub(super) fn unknown(option: &str, column: &str, names: &[&str]) -> Error {
    let remedy = nearest(column, names).map_or_else(
        || format!("there is no such column; there are {}", listed(names.iter().copied())),
        |near| format!("did you mean \"{near}\"?"),
    );
    Error::input(format!("{option} is \"{}\": {remedy}", crate::input::shorten(column)))
}

/// The first few names.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let more = if names.len() > 20 { " and more" } else { "" };
    names.iter().take(20).copied().collect::<Vec<_>>().join(", ") + more
}

type Found = (&'static str, Option<Kind>, Option<Reading>);

fn wished(word: &'static str) -> Found {
    let (kind, reading) = match word {
        "number" => (Kind::number(), Reading::Number),
        "category" => (Kind::category(), Reading::Level),
        "text" => (Kind::text(), Reading::Text),
        "time" => (Kind::time(), Reading::Time),
        _ => (Kind::hashed(), Reading::Level),
    };
    (word, Some(kind), Some(reading))
}

fn found(kind: Guessed) -> Found {
    match kind {
        Guessed::Number => wished("number"),
        Guessed::Boolean => ("boolean", Some(Kind::Boolean), Some(Reading::Boolean)),
        Guessed::Category { levels } if levels <= MOST_LEVELS => wished("category"),
        Guessed::Category { .. } => wished("hashed"),
        Guessed::Time(TimeForm::Date) => {
            // A date has no hour.
            let parts = vec![optimist_engine::Part::Weekday, optimist_engine::Part::Season];
            ("time", Some(Kind::Time { parts, offset_minutes: 0 }), Some(Reading::Time))
        }
        Guessed::Time(_) => wished("time"),
        Guessed::Text => wished("text"),
        Guessed::Vector(length) => ("vector", Some(Kind::vector(length)), Some(Reading::Vector(length))),
        _ => ("left out", None, None),
    }
}

fn why(guess: &Guess, wish: Option<&str>, read_as: &str) -> String {
    if let Some(wish) = wish {
        return format!("as --{wish} says");
    }
    let mut why = match guess.kind {
        Guessed::Identifier => format!("{}: an identifier", guess.why),
        _ => guess.why.clone(),
    };
    if read_as == "hashed" {
        why += &format!("; more than {MOST_LEVELS} share places");
    }
    if guess.missing > 0 && guess.kind != Guessed::Constant {
        why += &format!("; missing in {} of {} rows", guess.missing, guess.rows);
    }
    match guess.otherwise {
        Some("identifier") => why + &format!(" (or --ignore {})", guess.column),
        Some(otherwise) => why + &format!(" (or --{otherwise} {})", guess.column),
        None => why,
    }
}

/// A name that the engine allows, and that no other column has.
fn engine_name(name: &str, taken: &mut HashSet<String>) -> String {
    let mut own = name.replace(':', ".");
    if own.is_empty() || own == "action" {
        own += "column";
    }
    while !taken.insert(own.clone()) {
        own.push('_');
    }
    own
}

fn kind_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Number { .. } => "number",
        Kind::Boolean => "boolean",
        Kind::Time { .. } => "time",
        Kind::Vector { .. } => "vector of that length",
        _ => "value",
    }
}
