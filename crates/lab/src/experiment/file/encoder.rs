//! Columns of a table as features.

use optimist::arms::normalise;
use optimist::numerics::norm;

use super::columns::{Column, Columns};
use super::keys::{DIMENSION_MOST, NUMBERS_MOST};
use crate::experiment::Scale;
use crate::input::{short, shown_text};

/// How features are made of columns: learnt from one table, and applied to others as well.
#[derive(Debug)]
pub(super) struct Encoder {
    columns: Vec<(String, Coding)>,
    /// By what all features are divided in the end.
    divisor: f64,
}

#[derive(Debug)]
enum Coding {
    /// A number, less `shift` and divided by `divisor`.
    Number { shift: f64, divisor: f64 },
    /// One for the word that it is, in this order.
    Words(Vec<String>),
}

impl Encoder {
    /// Learns the coding; or says what is wrong.
    pub(super) fn of(columns: &Columns, scale: Scale) -> Result<Self, String> {
        let coding = |(name, column): &(String, Column)| (name.clone(), Coding::of(column, scale));
        let mut encoder = Self { columns: columns.columns.iter().map(coding).collect(), divisor: 1.0 };
        if scale != Scale::None {
            let features = encoder.encode(columns)?;
            let longest = features.chunks_exact(encoder.width()).map(norm).fold(0.0, f64::max);
            encoder.divisor = if longest > 0.0 { longest } else { 1.0 };
        }
        Ok(encoder)
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> Vec<String> {
        self.columns.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The features of a row.
    pub(super) fn width(&self) -> usize {
        let width = |coding: &Coding| if let Coding::Words(words) = coding { words.len() } else { 1 };
        self.columns.iter().map(|(_, coding)| width(coding)).sum()
    }

    /// The features of all rows, one row after the other; or what is wrong.
    pub(super) fn encode(&self, columns: &Columns) -> Result<Vec<f64>, String> {
        let (width, rows) = (self.width(), columns.len());
        if width as u64 > DIMENSION_MOST || width.saturating_mul(rows) > NUMBERS_MOST {
            let most = short(NUMBERS_MOST as f64);
            return Err(format!(
                "its columns make {width} features in {rows} rows: at most {DIMENSION_MOST} features and {most} numbers are \
                 allowed; choose columns"
            ));
        }
        let mut features = vec![0.0; rows * width];
        let mut place = 0;
        for ((name, coding), (_, column)) in self.columns.iter().zip(&columns.columns) {
            let rows = features.chunks_exact_mut(width);
            place += coding.fill(column, rows, place).map_err(|what| format!("column {} {what}", shown_text(name)))?;
        }
        features.iter_mut().for_each(|v| *v /= self.divisor);
        // Rounding must not carry the longest beyond norm one.
        features.chunks_exact_mut(width).for_each(normalise);
        Ok(features)
    }
}

fn is_constant(numbers: &[f64]) -> bool {
    numbers.iter().all(|number| *number == numbers[0])
}

impl Coding {
    fn of(column: &Column, scale: Scale) -> Self {
        match column {
            Column::Words(words) => {
                let mut all: Vec<String> = words.clone();
                all.sort();
                all.dedup();
                Coding::Words(all)
            }
            // A column that does not vary becomes zero. Its mean might differ from it in the last digit.
            Column::Numbers(numbers) if scale == Scale::Standard && is_constant(numbers) => {
                Coding::Number { shift: numbers.first().copied().unwrap_or_default(), divisor: 1.0 }
            }
            Column::Numbers(numbers) if scale == Scale::Standard => {
                let count = numbers.len() as f64;
                let shift = numbers.iter().sum::<f64>() / count;
                let square = numbers.iter().map(|v| (v - shift) * (v - shift)).sum::<f64>() / count;
                // Of numbers that differ too little to be squared nothing is left either.
                Coding::Number { shift, divisor: if square > 0.0 { square.sqrt() } else { 1.0 } }
            }
            Column::Numbers(_) => Coding::Number { shift: 0.0, divisor: 1.0 },
        }
    }

    /// Fills in the features of a column from `place`, and says how many these are.
    fn fill<'r>(
        &self,
        column: &Column,
        rows: impl Iterator<Item = &'r mut [f64]>,
        place: usize,
    ) -> Result<usize, String> {
        match (self, column) {
            (Coding::Number { shift, divisor }, Column::Numbers(numbers)) => {
                rows.zip(numbers).for_each(|(row, v)| row[place] = (v - shift) / divisor);
                Ok(1)
            }
            (Coding::Words(known), Column::Words(words)) => {
                for (row, word) in rows.zip(words) {
                    let unknown = |_| format!("has {}, which the table of the arms does not have", shown_text(word));
                    row[place + known.binary_search(word).map_err(unknown)?] = 1.0;
                }
                Ok(known.len())
            }
            (Coding::Number { .. }, _) => Err("has words, and numbers in the table of the arms".to_owned()),
            (Coding::Words(_), _) => Err("has numbers, and words in the table of the arms".to_owned()),
        }
    }
}
