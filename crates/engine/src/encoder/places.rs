//! Where the values of one column go.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Need;
use super::moments::Moments;
use super::seen::{Seen, bucket, hash, words};
use super::time::{on_circle, seconds};
use crate::schema::{Column, Kind, Part, Unseen};
use crate::value::Value;

/// The coordinates of a column and what it takes to fill them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Places {
    Numbers { first: u32, moments: Moments, cut: f64, vector: bool },
    Boolean { at: u32 },
    Levels { at: BTreeMap<String, u32>, other: Option<u32>, unseen: Unseen, most: usize },
    Hashed { first: u32, buckets: usize, words: bool, seen: Seen },
    Time { first: u32, parts: Vec<Part>, offset: f64 },
}

impl Places {
    /// Gives a column its coordinates, and names to these.
    pub(super) fn new<'a>(
        column: &Column,
        values: impl Iterator<Item = &'a Value> + Clone,
        names: &mut Vec<String>,
    ) -> Self {
        let first = names.len() as u32;
        let name = &column.name;
        match &column.kind {
            Kind::Number { mean, deviation, cut } => {
                names.push(name.clone());
                let known = mean.zip(*deviation).map(|(mean, deviation)| Moments { means: vec![mean], deviation });
                let moments = known.unwrap_or_else(|| Moments::of(values.filter_map(numbers), 1));
                Places::Numbers { first, moments, cut: *cut, vector: false }
            }
            Kind::Vector { length, means, deviation, cut } => {
                names.extend((0..*length).map(|i| format!("{name}[{i}]")));
                let known = means.clone().zip(*deviation).map(|(means, deviation)| Moments { means, deviation });
                let fits = |row: &&[f64]| row.len() == *length;
                let moments = known.unwrap_or_else(|| Moments::of(values.filter_map(numbers).filter(fits), *length));
                Places::Numbers { first, moments, cut: *cut, vector: true }
            }
            Kind::Boolean => {
                names.push(name.clone());
                Places::Boolean { at: first }
            }
            Kind::Category { levels, unseen, most } => {
                let mut at = BTreeMap::new();
                let mut add = |level: &str| {
                    if !at.contains_key(level) {
                        names.push(format!("{name}={level}"));
                        at.insert(level.to_owned(), names.len() as u32 - 1);
                    }
                    at.len()
                };
                levels.iter().for_each(|level| {
                    add(level);
                });
                if *unseen == Unseen::Grow && levels.len() < *most {
                    let mut seen = values.filter_map(level_of);
                    while at_most(&mut seen, &mut add, *most) {}
                }
                Places::Levels { at, other: None, unseen: *unseen, most: *most }
            }
            Kind::Hashed { buckets } | Kind::Text { buckets } => {
                names.extend((0..*buckets).map(|i| format!("{name}#{i}")));
                let words = matches!(column.kind, Kind::Text { .. });
                let mut this = Places::Hashed { first, buckets: *buckets, words, seen: Seen::default() };
                values.for_each(|value| this.note(Some(value)));
                this
            }
            Kind::Time { parts, offset_minutes } => {
                for part in parts {
                    names.extend(["sine", "cosine"].map(|what| format!("{name}.{} {what}", part.name())));
                }
                Places::Time { first, parts: parts.clone(), offset: 60.0 * f64::from(*offset_minutes) }
            }
        }
    }

    pub(super) fn coordinates(&self) -> Vec<u32> {
        let run = |first: u32, count: usize| (first..first + count as u32).collect();
        match self {
            Places::Numbers { first, moments, .. } => run(*first, moments.means.len()),
            Places::Boolean { at } => vec![*at],
            Places::Levels { at, other, .. } => at.values().copied().chain(*other).collect(),
            Places::Hashed { first, buckets, .. } => run(*first, *buckets),
            Places::Time { first, parts, .. } => run(*first, 2 * parts.len()),
        }
    }

    pub(super) fn is_missing(&self, value: Option<&Value>) -> bool {
        matches!(value, None | Some(Value::Missing))
    }

    /// Whether there is a value; what is wrong with it, if something is.
    pub(super) fn check(&self, value: Option<&Value>) -> Result<bool, String> {
        let Some(value) = value.filter(|value| **value != Value::Missing) else { return Ok(false) };
        let finite = |v: &f64| if v.is_finite() { Ok(()) } else { Err(format!("is {v}: it must be a finite number")) };
        match (self, value) {
            (Places::Numbers { vector: false, .. }, Value::Number(v)) => finite(v)?,
            (Places::Numbers { vector: true, moments, .. }, Value::Vector(v)) => {
                if v.len() != moments.means.len() {
                    return Err(format!("has {} numbers: the schema says {}", v.len(), moments.means.len()));
                }
                v.iter().try_for_each(finite)?;
            }
            (Places::Boolean { .. }, Value::Bool(_)) => {}
            (Places::Levels { .. } | Places::Hashed { words: false, .. }, Value::Text(_) | Value::Bool(_)) => {}
            (Places::Levels { .. } | Places::Hashed { words: false, .. }, Value::Number(v)) => finite(v)?,
            (Places::Hashed { words: true, .. }, Value::Text(_)) => {}
            (Places::Time { .. }, Value::Number(v)) => finite(v)?,
            (Places::Time { .. }, Value::Text(text)) => {
                if seconds(text).is_none() {
                    return Err(format!(
                        "is \"{text}\": give seconds since 1970 or a text such as 2026-03-01T12:30:00Z"
                    ));
                }
            }
            _ => return Err(format!("is {}: the schema says {}", value.type_name(), self.type_name())),
        }
        if let Places::Levels { at, unseen: Unseen::Refuse, .. } = self
            && let Some(level) = level_of(value).filter(|level| !at.contains_key(level))
        {
            return Err(format!("is \"{level}\", a level that was not declared, which its rule does not allow"));
        }
        Ok(true)
    }

    fn type_name(&self) -> &'static str {
        match self {
            Places::Numbers { vector: false, .. } => "a number",
            Places::Numbers { .. } => "a vector",
            Places::Boolean { .. } => "a boolean",
            Places::Levels { .. } => "a category",
            Places::Hashed { words: false, .. } => "a hashed category",
            Places::Hashed { .. } => "a text",
            Places::Time { .. } => "a time",
        }
    }

    /// The coordinate that a value of column `i` needs and that is not there.
    pub(super) fn need(&self, i: usize, value: Option<&Value>) -> Option<Need> {
        let Places::Levels { at, other, unseen, most } = self else { return None };
        match value? {
            Value::Text(text) if at.contains_key(text) => return None,
            _ => {}
        }
        let level = level_of(value?).filter(|level| !at.contains_key(level))?;
        match unseen {
            Unseen::Grow if at.len() < *most => Some(Need::Level(i, level)),
            Unseen::Refuse => None,
            _ if other.is_some() => None,
            _ => Some(Need::Other(i)),
        }
    }

    pub(super) fn add_level(&mut self, level: String, place: u32) {
        if let Places::Levels { at, .. } = self {
            at.insert(level, place);
        }
    }

    pub(super) fn add_other(&mut self, place: u32) {
        if let Places::Levels { other, .. } = self {
            *other = Some(place);
        }
    }

    pub(super) fn note(&mut self, value: Option<&Value>) {
        let Places::Hashed { words: by_word, seen, .. } = self else { return };
        match value {
            Some(Value::Text(text)) if *by_word => words(text).for_each(|word| seen.note(hash(&word))),
            Some(value) => level_of(value).iter().for_each(|level| seen.note(hash(level))),
            None => {}
        }
    }

    /// Writes a value that was checked and is not missing.
    pub(super) fn encode(&self, value: Option<&Value>, out: &mut [f64]) {
        let Some(value) = value else { return };
        match (self, value) {
            (Places::Numbers { first, moments, cut, .. }, Value::Number(v)) => {
                out[*first as usize] = moments.standardise(0, *v, *cut);
            }
            (Places::Numbers { first, moments, cut, .. }, Value::Vector(v)) => {
                let places = out[*first as usize..].iter_mut();
                places.zip(v).enumerate().for_each(|(i, (out, v))| *out = moments.standardise(i, *v, *cut));
            }
            (Places::Boolean { at }, Value::Bool(v)) => out[*at as usize] = if *v { 1.0 } else { -1.0 },
            (Places::Levels { at, other, .. }, value) => {
                let place = match value {
                    Value::Text(text) => at.get(text),
                    value => level_of(value).and_then(|level| at.get(&level)),
                };
                if let Some(place) = place.or(other.as_ref()) {
                    out[*place as usize] = 1.0;
                }
            }
            (Places::Hashed { first, buckets, words: true, .. }, Value::Text(text)) => {
                let out = &mut out[*first as usize..][..*buckets];
                words(text).for_each(|word| out[bucket(hash(&word), *buckets)] += 1.0);
                let norm = out.iter().map(|v| v * v).sum::<f64>().sqrt();
                if norm > 0.0 {
                    out.iter_mut().for_each(|v| *v /= norm);
                }
            }
            (Places::Hashed { first, buckets, .. }, value) => {
                if let Some(level) = level_of(value) {
                    out[*first as usize + bucket(hash(&level), *buckets)] = 1.0;
                }
            }
            (Places::Time { first, parts, offset }, value) => {
                let time = match value {
                    Value::Number(v) => Some(*v),
                    Value::Text(text) => seconds(text),
                    _ => None,
                };
                for (i, part) in parts.iter().enumerate() {
                    let (sine, cosine) = on_circle(time.unwrap_or(0.0) + offset, part.period());
                    out[*first as usize + 2 * i] = sine;
                    out[*first as usize + 2 * i + 1] = cosine;
                }
            }
            _ => {}
        }
    }

    /// Whether a number in these coordinates was cut.
    pub(super) fn is_cut(&self, encoded: &[f64]) -> bool {
        let Places::Numbers { first, moments, cut, .. } = self else { return false };
        encoded[*first as usize..][..moments.means.len()].iter().any(|v| v.abs() >= *cut)
    }

    /// The largest that the square of the norm of these coordinates can be.
    pub(super) fn largest_square_norm(&self) -> f64 {
        match self {
            Places::Numbers { moments, cut, .. } => moments.means.len() as f64 * cut * cut,
            other => other.usual_square_norm(),
        }
    }

    pub(super) fn usual_square_norm(&self) -> f64 {
        match self {
            Places::Numbers { moments, .. } => moments.means.len() as f64,
            Places::Time { parts, .. } => parts.len() as f64,
            _ => 1.0,
        }
    }

    pub(super) fn describe(&self) -> String {
        match self {
            Places::Numbers { moments: Moments { deviation: 0.0, .. }, .. } => {
                "the same in all of the warm-up, and so left out".into()
            }
            Places::Numbers { moments: Moments { means, deviation }, cut, vector: false, .. } => {
                format!("(value - {}) / {}, cut at {cut} deviations", significant(means[0]), significant(*deviation))
            }
            Places::Numbers { moments: Moments { means, deviation }, cut, .. } => format!(
                "{} numbers less their means, divided by {}, cut at {cut} deviations",
                means.len(),
                significant(*deviation)
            ),
            Places::Boolean { .. } => "1 if true, -1 if false".into(),
            Places::Levels { at, other, unseen, most } => {
                let unseen = match unseen {
                    Unseen::Grow => format!("a new one gets a place of its own, up to {most}"),
                    Unseen::Other => "a new one shares a place with all others".into(),
                    Unseen::Refuse => "a new one is refused".into(),
                };
                let shared = if other.is_some() { "; some share a place" } else { "" };
                format!("{} levels, a one for each; {unseen}{shared}", at.len())
            }
            Places::Hashed { buckets, words, seen, .. } => {
                seen.describe(*buckets, if *words { "words" } else { "levels" })
            }
            Places::Time { parts, .. } => {
                let parts: Vec<&str> = parts.iter().map(|part| part.name()).collect();
                format!("{} as points on a circle", parts.join(", "))
            }
        }
    }

    /// Checks a stored state in which there are `dimension` coordinates.
    pub(super) fn is_sound(&self, dimension: usize) -> bool {
        // A run that ends beyond them all is not counted out, which might take all memory.
        let fits = |first: u32, count: usize| count <= dimension && first as usize <= dimension - count;
        match self {
            Places::Numbers { first, moments, cut, vector } => {
                fits(*first, moments.means.len())
                    && moments.is_sound()
                    && *cut > 0.0
                    && (*vector || moments.means.len() == 1)
            }
            Places::Hashed { first, buckets, .. } => *buckets > 0 && fits(*first, *buckets),
            Places::Time { first, parts, offset } => fits(*first, 2 * parts.len()) && offset.is_finite(),
            Places::Boolean { .. } | Places::Levels { .. } => true,
        }
    }
}

/// The numbers of a value that has some.
fn numbers(value: &Value) -> Option<&[f64]> {
    match value {
        Value::Number(v) => Some(std::slice::from_ref(v)),
        Value::Vector(v) => Some(v),
        _ => None,
    }
}

/// A level as text: codes are often written as numbers.
pub(super) fn level_of(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Bool(v) => Some(v.to_string()),
        Value::Number(v) => Some(v.to_string()),
        Value::Missing | Value::Vector(_) => None,
    }
}

/// Adds the next level that was seen, as long as there are some and not too many are there.
fn at_most(seen: &mut impl Iterator<Item = String>, add: &mut impl FnMut(&str) -> usize, most: usize) -> bool {
    seen.next().is_some_and(|level| add(&level) < most)
}

/// A number to six digits.
fn significant(value: f64) -> String {
    if value == 0.0 || (1e-3..1e7).contains(&value.abs()) {
        let digits = (5 - libm::log10(value.abs().max(1e-3)).floor() as i32).clamp(0, 9) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{value:.5e}")
    }
}
