//! What columns there are, of which kind, and by which rules their values become numbers.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{Error, Result};

/// Levels that a category may have; more are refused with the advice to hash them.
pub(crate) const MOST_LEVELS: usize = 4096;
/// Deviations at which numbers must be cut at last: squares of products of two stay finite by far.
const LARGEST_CUT: f64 = 1e6;
/// Buckets that a hashed column may have.
const MOST_BUCKETS: usize = 1 << 16;

/// A column: its name, its kind, and what a missing value means.
///
/// ```
/// use optimist_engine::{Column, Kind};
/// let age = Column::new("age", Kind::number());
/// let device: Column = serde_json::from_str(r#"{"name": "device", "kind": "category", "levels": ["phone", "desktop"]}"#)?;
/// assert_eq!(device.name, "device");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What its values are.
    #[serde(flatten)]
    pub kind: Kind,
    /// What a missing value means.
    #[serde(default)]
    pub missing: Missing,
}

/// By hand, because a flattened struct cannot refuse fields that it does not know.
impl<'de> Deserialize<'de> for Column {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Head {
            name: String,
            #[serde(default)]
            missing: Missing,
        }
        let mut fields = serde_json::Map::deserialize(deserializer)?;
        let Head { name, missing } = Head::deserialize(&fields).map_err(D::Error::custom)?;
        fields.retain(|field, _| field != "name" && field != "missing");
        let kind = Kind::deserialize(serde_json::Value::Object(fields))
            .map_err(|e| D::Error::custom(format!("column \"{name}\": {e}")))?;
        Ok(Self { name, kind, missing })
    }
}

/// What the values of a column are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Kind {
    /// A number. It becomes its deviation from the mean in standard deviations, cut at `cut` of them. Mean and deviation are
    /// those of the warm-up, unless they are given.
    Number {
        /// The mean, if it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mean: Option<f64>,
        /// The standard deviation, if it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deviation: Option<f64>,
        /// Deviations beyond which a number is cut.
        #[serde(default = "usual_cut")]
        cut: f64,
    },
    /// Yes or no: 1 or -1.
    Boolean,
    /// One of several levels: a one at the place of the level, zeros elsewhere.
    Category {
        /// The levels that are known from the start.
        #[serde(default)]
        levels: Vec<String>,
        /// What becomes of a level that was never seen.
        #[serde(default)]
        unseen: Unseen,
        /// How many levels get a place of their own; those after them share one.
        #[serde(default = "usual_levels")]
        most: usize,
    },
    /// One of very many levels: a one at a place that a hash of the level gives. Levels may share a place.
    Hashed {
        /// The number of places.
        #[serde(default = "usual_buckets")]
        buckets: usize,
    },
    /// Words in any order: every word counts at the place that its hash gives, and the whole has norm one. Words are runs of
    /// letters and digits, in lower case.
    Text {
        /// The number of places.
        #[serde(default = "usual_buckets")]
        buckets: usize,
    },
    /// A moment: seconds since 1970 (UTC) or a text such as 2026-03-01T12:30:00Z. Each part becomes a point on a circle.
    Time {
        /// Which parts.
        #[serde(default = "usual_parts")]
        parts: Vec<Part>,
        /// What to add to the time of UTC, in minutes, to have that of the place.
        #[serde(default)]
        offset_minutes: i32,
    },
    /// Several numbers that belong together, such as an embedding: deviations from their means by one common deviation.
    Vector {
        /// How many.
        length: usize,
        /// Their means, if they are known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        means: Option<Vec<f64>>,
        /// The common standard deviation, if it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deviation: Option<f64>,
        /// Deviations beyond which a number is cut.
        #[serde(default = "usual_cut")]
        cut: f64,
    },
}

/// What a missing value means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// The middle (zero after encoding), and a feature of its own that says that it is missing.
    #[default]
    Flag,
    /// The middle only.
    Middle,
    /// An error.
    Refuse,
}

/// What becomes of a level that was never seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unseen {
    /// It gets a place of its own, if the policy can grow and there are not too many; otherwise it shares one with the others.
    #[default]
    Grow,
    /// It shares one place with all others that are not declared.
    Other,
    /// An error.
    Refuse,
}

/// A part of a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The time of day.
    Hour,
    /// The day of the week.
    Weekday,
    /// The time of the year.
    Season,
}

impl Part {
    /// Seconds after which it repeats.
    pub(crate) fn period(self) -> f64 {
        match self {
            Part::Hour => 86_400.0,
            Part::Weekday => 604_800.0,
            Part::Season => 365.2425 * 86_400.0,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Part::Hour => "hour",
            Part::Weekday => "weekday",
            Part::Season => "season",
        }
    }
}

// What was found best on the data sets that docs/contextual.md names.
fn usual_cut() -> f64 {
    3.0
}

fn usual_levels() -> usize {
    64
}

fn usual_buckets() -> usize {
    64
}

fn usual_parts() -> Vec<Part> {
    vec![Part::Hour, Part::Weekday]
}

impl Kind {
    /// A number whose mean and deviation are those of the warm-up.
    pub fn number() -> Self {
        Kind::Number { mean: None, deviation: None, cut: usual_cut() }
    }

    /// A category whose levels are learnt as they come.
    pub fn category() -> Self {
        Kind::Category { levels: Vec::new(), unseen: Unseen::Grow, most: usual_levels() }
    }

    /// A hashed category.
    pub fn hashed() -> Self {
        Kind::Hashed { buckets: usual_buckets() }
    }

    /// A text.
    pub fn text() -> Self {
        Kind::Text { buckets: usual_buckets() }
    }

    /// A moment.
    pub fn time() -> Self {
        Kind::Time { parts: usual_parts(), offset_minutes: 0 }
    }

    /// So many numbers that belong together.
    pub fn vector(length: usize) -> Self {
        Kind::Vector { length, means: None, deviation: None, cut: usual_cut() }
    }

    /// Whether contexts must be seen before it can be encoded.
    pub(crate) fn needs_moments(&self) -> bool {
        match self {
            Kind::Number { mean, deviation, .. } => mean.is_none() || deviation.is_none(),
            Kind::Vector { means, deviation, .. } => means.is_none() || deviation.is_none(),
            _ => false,
        }
    }

    /// The name that files have for it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Kind::Number { .. } => "number",
            Kind::Boolean => "boolean",
            Kind::Category { .. } => "category",
            Kind::Hashed { .. } => "hashed category",
            Kind::Text { .. } => "text",
            Kind::Time { .. } => "time",
            Kind::Vector { .. } => "vector",
        }
    }
}

impl Column {
    /// A column of this kind, a missing value of which is flagged.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind, missing: Missing::Flag }
    }

    fn validate(&self) -> Result<()> {
        let wrong = |what: String| Err(Error::column(&self.name, what));
        match &self.kind {
            Kind::Number { mean, deviation, cut } => {
                check_moments(&self.name, mean.as_slice(), *deviation, mean.is_some(), *cut)
            }
            Kind::Vector { length, means, deviation, cut } => {
                if *length == 0 || *length > MOST_LEVELS {
                    return wrong(format!("has length {length}: it must be between 1 and {MOST_LEVELS}"));
                }
                if let Some(means) = means.as_ref().filter(|means| means.len() != *length) {
                    return wrong(format!("has {} means for length {length}", means.len()));
                }
                check_moments(&self.name, means.as_deref().unwrap_or(&[]), *deviation, means.is_some(), *cut)
            }
            Kind::Category { levels, most, .. } => {
                if levels.len() > MOST_LEVELS || *most > MOST_LEVELS {
                    let count = levels.len().max(*most);
                    return wrong(format!(
                        "has {count} levels: a category may have {MOST_LEVELS}; declare it as kind = \"hashed\""
                    ));
                }
                let mut sorted: Vec<&String> = levels.iter().collect();
                sorted.sort();
                match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                    Some(pair) => wrong(format!("declares the level \"{}\" twice", pair[0])),
                    None => Ok(()),
                }
            }
            Kind::Hashed { buckets } | Kind::Text { buckets } if *buckets < 2 || *buckets > MOST_BUCKETS => {
                wrong(format!("has {buckets} buckets: there must be between 2 and {MOST_BUCKETS}"))
            }
            Kind::Time { parts, .. } if parts.is_empty() => {
                wrong("has no parts: give some of hour, weekday and season".into())
            }
            Kind::Time { offset_minutes, .. } if offset_minutes.abs() > 14 * 60 => {
                wrong(format!("has offset_minutes = {offset_minutes}: it must be between -840 and 840"))
            }
            _ => Ok(()),
        }
    }
}

/// Moments must be finite and given together, and the cut positive.
fn check_moments(name: &str, means: &[f64], deviation: Option<f64>, given: bool, cut: f64) -> Result<()> {
    let wrong = |what: String| Err(Error::column(name, what));
    if given != deviation.is_some() {
        return wrong("has a mean or a deviation without the other: give both, or neither".into());
    }
    if let Some(mean) = means.iter().find(|mean| !mean.is_finite()) {
        return wrong(format!("has mean = {mean}: it must be a finite number"));
    }
    if let Some(deviation) = deviation.filter(|d| !(*d > 0.0 && d.is_finite())) {
        return wrong(format!("has deviation = {deviation}: it must be a positive number"));
    }
    if !(cut > 0.0 && cut <= LARGEST_CUT) {
        return wrong(format!("has cut = {cut}: it must be a positive number of deviations, at most {LARGEST_CUT}"));
    }
    Ok(())
}

/// Checks columns that belong together.
pub(crate) fn validate(columns: &[Column]) -> Result<()> {
    let mut names = std::collections::BTreeSet::new();
    for column in columns {
        if column.name.is_empty() || column.name == "action" || column.name.contains(':') {
            return Err(Error::column(
                &column.name,
                "cannot be called so: a name is not empty, not \"action\", and has no colon, which interactions need",
            ));
        }
        if !names.insert(&column.name) {
            return Err(Error::column(&column.name, "is declared twice"));
        }
        column.validate()?;
    }
    Ok(())
}
