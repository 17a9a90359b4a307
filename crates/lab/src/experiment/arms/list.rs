//! Arms that are given.

use std::fmt;
use std::sync::Arc;

use super::Redraw;

/// Arms that are given: all of them, or some that are drawn from them. Copies share the arms.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    /// What the list is called, by which lists of the same length are told apart.
    pub name: Option<String>,
    /// The arms.
    pub arms: Arc<[Vec<f64>]>,
    /// The success probability of every arm, if rewards follow these and no theta*; otherwise empty.
    pub rates: Arc<[f64]>,
    /// How many of them are drawn, if not all are there all the time.
    pub sample: Option<Sample>,
}

/// Different items of a list, drawn uniformly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// How many; not more than the list has.
    pub count: usize,
    /// When.
    pub redraw: Redraw,
}

impl List {
    /// All arms, in every round.
    pub fn new(name: Option<String>, arms: Vec<Vec<f64>>) -> Self {
        Self { name, arms: arms.into(), rates: Arc::new([]), sample: None }
    }
}

/// `mine`, `mine count=10 rates`; a list without a name is called by its length.
impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => f.write_str(name)?,
            None => write!(f, "{}", self.arms.len())?,
        }
        if let Some(sample) = self.sample {
            write!(f, " count={}", sample.count)?;
        }
        if !self.rates.is_empty() {
            f.write_str(" rates")?;
        }
        Ok(())
    }
}
