//! Arms and contexts that are rows of a table.

use std::fmt;
use std::sync::Arc;

use optimist::numerics::norm;
use serde::{Deserialize, Serialize};

use crate::experiment::hybrid::{Context, Hybrid};

/// Rows of a table, other ones every round. When all rows are used up, they begin again. Copies share the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The name of the file, without directory and ending.
    pub name: String,
    /// A digest of the features, by which a changed file is noticed.
    pub digest: String,
    /// The columns that they are made of.
    pub columns: Vec<String>,
    /// In which order rows come.
    pub order: Order,
    /// How they were scaled.
    pub scale: Scale,
    /// What a row is.
    pub rows: Rows,
    /// How many arms there are in a round.
    pub count: usize,
    /// If rows are contexts: whether policies are given dense rows, most of whose numbers are zero.
    pub written_out: bool,
    /// The features of a row.
    pub width: usize,
    /// The features of all rows, one row after the other.
    pub features: Features,
}

/// Numbers that copies share.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<f64>", into = "Vec<f64>")]
pub struct Features(pub Arc<[f64]>);

impl From<Vec<f64>> for Features {
    fn from(numbers: Vec<f64>) -> Self {
        Self(numbers.into())
    }
}

impl From<Features> for Vec<f64> {
    fn from(features: Features) -> Self {
        features.0.to_vec()
    }
}

/// In which order rows come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As in the file, the same in every run.
    #[default]
    File,
    /// Each once, in a random order, and in another one when all were there.
    Shuffle,
    /// Each drawn from all, independently.
    Resample,
}

/// How features are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Not at all.
    None,
    /// Divided by the largest norm of a row.
    #[default]
    Norm,
    /// Columns of numbers less their mean and divided by their standard deviation; then the same.
    Standard,
}

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rows {
    /// An arm; several make a round.
    #[default]
    Arms,
    /// What all arms of a round see, which have parameters of their own.
    Context,
}

impl Table {
    /// The arms, if they have parameters of their own.
    pub(crate) fn hybrid(&self) -> Option<Hybrid> {
        let Self { count, width: own, written_out, .. } = *self;
        let hybrid = Hybrid { count, shared: 0, own, context: Context::Common, written_out };
        (self.rows == Rows::Context).then_some(hybrid)
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.features.0.len() / self.width
    }

    /// The features of a row.
    pub(crate) fn row(&self, number: usize) -> &[f64] {
        &self.features.0[number * self.width..][..self.width]
    }

    /// The row with the largest norm.
    pub(crate) fn longest(&self) -> &[f64] {
        let rows = self.features.0.chunks_exact(self.width);
        rows.max_by(|a, b| norm(a).total_cmp(&norm(b))).unwrap_or_default()
    }

    pub(super) fn without_rows(&self) -> Self {
        Self { features: Features::default(), ..self.clone() }
    }
}

/// `visits count=10 rows=context order=shuffle scale=standard`.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} count={}", self.name, self.count)?;
        if self.rows == Rows::Context {
            f.write_str(" rows=context")?;
        }
        if self.written_out {
            f.write_str(" written_out")?;
        }
        match self.order {
            Order::File => {}
            Order::Shuffle => f.write_str(" order=shuffle")?,
            Order::Resample => f.write_str(" order=resample")?,
        }
        match self.scale {
            Scale::None => f.write_str(" scale=none"),
            Scale::Norm => Ok(()),
            Scale::Standard => f.write_str(" scale=standard"),
        }
    }
}
