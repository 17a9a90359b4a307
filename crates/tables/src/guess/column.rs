//! What was seen of one column, in bounded memory.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::{Distinct, TimeForm, time};
use crate::Cell;
use crate::words::is_with_comma;

/// Longest example that is kept, in characters.
const EXAMPLE: usize = 40;

#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: Arc<str>,
    pub(super) missing: u64,
    pub(super) bools: u64,
    pub(super) numbers: u64,
    pub(super) texts: u64,
    pub(super) vectors: u64,
    /// Numbers that are whole.
    pub(super) wholes: u64,
    /// Hashes of the different values. Values may be long, and a collision among a thousand is out of the question.
    distinct: HashSet<u64>,
    /// How many values had been seen when there were too many different ones to count.
    full_after: Option<u64>,
    /// The same in small letters, as long as there are no more than two, for yes and no.
    pub(super) two: Vec<String>,
    pub(super) words: u64,
    /// Least and greatest number.
    pub(super) range: Option<(f64, f64)>,
    last: Option<f64>,
    /// Whether every number is one more than that before.
    pub(super) is_counting: bool,
    /// The form of time of all texts so far; `None` within once there are two forms, or a text that is no time.
    time: Option<Option<TimeForm>>,
    /// The common length of all vectors, as above.
    length: Option<Option<usize>>,
    /// Texts that could be numbers with a decimal comma.
    pub(super) commas: u64,
    pub(super) first_text: Option<String>,
    pub(super) example: Option<String>,
}

impl Column {
    pub(super) fn new(name: Arc<str>, missing: u64) -> Self {
        Self {
            name,
            missing,
            bools: 0,
            numbers: 0,
            texts: 0,
            vectors: 0,
            wholes: 0,
            distinct: HashSet::new(),
            full_after: None,
            two: Vec::new(),
            words: 0,
            range: None,
            last: None,
            is_counting: true,
            time: None,
            length: None,
            commas: 0,
            first_text: None,
            example: None,
        }
    }

    pub(super) fn add(&mut self, cell: &Cell, max_distinct: usize) {
        match cell {
            Cell::Missing => {
                self.missing += 1;
                return;
            }
            Cell::Bool(_) => self.bools += 1,
            Cell::Number(number) => self.add_number(*number),
            Cell::Text(text) => self.add_text(text),
            Cell::Vector(vector) => {
                self.vectors += 1;
                let length = *self.length.get_or_insert(Some(vector.len()));
                self.length = Some(length.filter(|&length| length == vector.len()));
            }
        }
        self.add_distinct(cell, max_distinct);
        if self.example.is_none() {
            self.example = Some(shorten(&cell.label()));
        }
    }

    fn add_number(&mut self, number: f64) {
        self.numbers += 1;
        self.wholes += u64::from(number.fract() == 0.0);
        self.range = Some(self.range.map_or((number, number), |(least, most)| (least.min(number), most.max(number))));
        self.is_counting &= self.last.map_or(number == 0.0 || number == 1.0, |last| number == last + 1.0);
        self.last = Some(number);
    }

    fn add_text(&mut self, text: &str) {
        self.texts += 1;
        self.words += text.split_whitespace().count() as u64;
        self.commas += u64::from(is_with_comma(text));
        if self.time != Some(None) {
            let form = time::form(text);
            let before = *self.time.get_or_insert(form);
            self.time = Some(before.filter(|_| before == form));
        }
        if self.first_text.is_none() {
            self.first_text = Some(shorten(text));
        }
    }

    fn add_distinct(&mut self, cell: &Cell, max_distinct: usize) {
        if self.full_after.is_some() {
            return;
        }
        // Numbers by their bits: their labels would take longer than everything else. Kinds are told apart.
        let mut hasher = DefaultHasher::new();
        match cell {
            Cell::Number(number) => (0, (number + 0.0).to_bits()).hash(&mut hasher),
            other => (1, other.label()).hash(&mut hasher),
        }
        if self.distinct.insert(hasher.finish()) && self.two.len() < 3 {
            let label = shorten(&cell.label()).to_lowercase();
            self.two.push(label);
        }
        if self.distinct.len() >= max_distinct {
            self.full_after = Some(self.values());
        }
    }

    pub(super) fn values(&self) -> u64 {
        self.bools + self.numbers + self.texts + self.vectors
    }

    pub(super) fn distinct(&self) -> Distinct {
        match self.full_after {
            Some(_) => Distinct::AtLeast(self.distinct.len()),
            None => Distinct::Exactly(self.distinct.len()),
        }
    }

    pub(super) fn distinct_count(&self) -> usize {
        self.distinct.len()
    }

    /// Whether at least 95 in 100 of at least 20 values are different, as far as they were counted.
    pub(super) fn is_nearly_all_different(&self) -> bool {
        let values = self.full_after.unwrap_or_else(|| self.values());
        values >= 20 && self.distinct.len() as f64 >= 0.95 * values as f64
    }

    pub(super) fn time(&self) -> Option<TimeForm> {
        self.time.flatten()
    }

    pub(super) fn length(&self) -> Option<usize> {
        self.length.flatten()
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(EXAMPLE) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
