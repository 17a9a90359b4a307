//! What a key may hold, in words and as ranges.

use crate::input::{quoted, short};

/// What a key may hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A text in quotes.
    Text,
    /// Yes or no.
    Truth,
    /// A text in quotes, or a list of them.
    Labels,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number, both ends included.
    Whole(u64, u64),
    /// A number.
    Number(Range),
    /// One of these words, or a number.
    WordOrNumber(&'static [&'static str], Range),
    /// Rounds: a list of whole numbers from 1, or a rule.
    Rounds,
    /// A list of numbers.
    Vector,
    /// A list of lists of numbers.
    Rows,
    /// A list of texts.
    Texts,
    /// Whole numbers from 1.
    Wholes,
    /// A list of numbers, or a text.
    VectorOrText,
    /// A list of numbers, or a table with keys of its own, with an example.
    VectorOrTable(&'static str),
    /// A table with keys of its own, with an example.
    Table(&'static str),
    /// Tables, each headed by the name in double brackets.
    Tables,
}

/// An interval of numbers, and a remark about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The lower end.
    pub from: f64,
    /// Whether the lower end belongs to it.
    pub from_included: bool,
    /// The upper end; infinity itself never belongs to it.
    pub to: f64,
    /// Whether the upper end belongs to it.
    pub to_included: bool,
    /// What else to know, or nothing.
    pub note: &'static str,
}

impl Range {
    /// Both ends excluded.
    pub const fn between(from: f64, to: f64) -> Self {
        Self { from, from_included: false, to, to_included: false, note: "" }
    }

    /// The lower end included, the upper end not.
    pub(super) const fn from_below(from: f64, to: f64) -> Self {
        Self { from_included: true, ..Self::between(from, to) }
    }

    /// The upper end included, the lower end not.
    pub(super) const fn above_to(from: f64, to: f64) -> Self {
        Self { to_included: true, ..Self::between(from, to) }
    }

    /// Both ends included.
    pub(super) const fn from_to(from: f64, to: f64) -> Self {
        Self { to_included: true, ..Self::from_below(from, to) }
    }

    /// The same with a remark.
    pub(super) const fn noting(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    /// Whether a number belongs to it; NaN does not.
    pub fn contains(&self, value: f64) -> bool {
        let above = value > self.from || self.from_included && value == self.from;
        let below = value < self.to || self.to_included && value == self.to;
        above && below
    }

    /// What it allows.
    fn words(&self) -> String {
        let from = format!("{} {}", if self.from_included { "at least" } else { "above" }, short(self.from));
        let note = if self.note.is_empty() { String::new() } else { format!(" ({})", self.note) };
        if self.to.is_infinite() {
            return format!("a finite number, {from}{note}");
        }
        format!("a number {from} and {} {}{note}", if self.to_included { "at most" } else { "below" }, short(self.to))
    }
}

impl Kind {
    /// What is allowed, to follow "it must be".
    pub fn words(&self) -> String {
        match self {
            Kind::Text => "a text in quotes, not empty, on one line".to_owned(),
            Kind::Labels => "a text in quotes, or a list of texts, one for every environment of a sweep".to_owned(),
            Kind::Truth => "true or false".to_owned(),
            Kind::Word(words) => format!("one of {}", quoted(words)),
            Kind::Whole(from, to) => format!("a whole number from {from} to {}", short_whole(*to)),
            Kind::Number(range) => range.words(),
            Kind::WordOrNumber(words, range) => format!("{} or {}", quoted(words), range.words()),
            Kind::Rounds => {
                "a list of whole numbers from 1 to the horizon, or \"every N\", \"log N\" (N of them) or \"all\""
                    .to_owned()
            }
            Kind::Vector => "a list of finite numbers".to_owned(),
            Kind::Rows => "a list of lists of finite numbers".to_owned(),
            Kind::Texts => "a list of texts in quotes".to_owned(),
            Kind::Wholes => "a list of whole numbers from 1".to_owned(),
            Kind::VectorOrText => "a list of finite numbers, or a text in quotes".to_owned(),
            Kind::VectorOrTable(example) => format!("a list of finite numbers, or a table, for instance {example}"),
            Kind::Table(example) => format!("a table, for instance {example}"),
            Kind::Tables => "one or more tables, each headed by [[policy]]".to_owned(),
        }
    }
}

/// The same for whole numbers, exactly.
fn short_whole(value: u64) -> String {
    if value.is_multiple_of(100_000) { short(value as f64) } else { value.to_string() }
}
