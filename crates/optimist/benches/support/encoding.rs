#![allow(dead_code, unreachable_pub)]
//! A table as rows of numbers: what a linear model of log-odds can use.

use super::table::{Column, Table};

/// Standard deviations beyond which a number is cut: a few values far out would make all others small.
const CUT: f64 = 3.0;

/// Rows of numbers with their classes.
#[derive(Debug)]
pub struct Encoded {
    /// Numbers per row.
    pub dimension: usize,
    /// All rows, one after the other.
    features: Vec<f64>,
    pub class_of: Vec<usize>,
    /// The number of classes.
    pub classes: usize,
    /// What all numbers were divided by.
    pub scale: f64,
}

impl Encoded {
    /// Numbers become deviations from their mean in units of their standard deviation, over all rows, cut at three of them; one
    /// that is missing becomes their mean. Levels become one zero or one each. What is the same in all rows is left out.
    ///
    /// A constant comes last that is as large as the largest norm of the rest: written as a one beside many standardised
    /// numbers, it would need a parameter that every prior finds unlikely wherever an arm is seldom right. Then all numbers
    /// are divided by the largest norm of a row, so that none exceeds one, and a norm bound means the same on all data sets.
    pub fn of(table: &Table) -> Self {
        let mut columns: Vec<Vec<f64>> = table.columns.iter().flat_map(encode).collect();
        let constant = largest_norm(&columns, table.rows());
        columns.push(vec![if constant > 0.0 { constant } else { 1.0 }; table.rows()]);
        let scale = largest_norm(&columns, table.rows());
        let numbers = |row: usize| columns.iter().map(move |column| column[row] / scale);
        Self {
            dimension: columns.len(),
            features: (0..table.rows()).flat_map(numbers).collect(),
            class_of: table.class_of.clone(),
            classes: table.classes.len(),
            scale,
        }
    }

    pub fn rows(&self) -> usize {
        self.class_of.len()
    }

    pub fn row(&self, row: usize) -> &[f64] {
        &self.features[row * self.dimension..][..self.dimension]
    }
}

/// The columns that a column of the table becomes.
fn encode(column: &Column) -> Vec<Vec<f64>> {
    match column {
        Column::Numbers(values) => standardised(values).into_iter().collect(),
        Column::Levels { names, .. } if names.len() < 2 => Vec::new(),
        Column::Levels { names, of } => {
            let is = |level: usize| of.iter().map(|l| f64::from(u8::from(*l == level))).collect();
            (0..names.len()).map(is).collect()
        }
    }
}

/// Nothing, if all that are known are the same.
fn standardised(values: &[Option<f64>]) -> Option<Vec<f64>> {
    let known = || values.iter().flatten();
    let count = known().count() as f64;
    let mean = known().sum::<f64>() / count;
    let deviation = (known().map(|v| (v - mean).powi(2)).sum::<f64>() / count).sqrt();
    // Rounding leaves a trace of a deviation where there is none.
    if !(deviation > 1e-12 * mean.abs()) {
        return None;
    }
    Some(values.iter().map(|v| v.map_or(0.0, |v| ((v - mean) / deviation).clamp(-CUT, CUT))).collect())
}

fn largest_norm(columns: &[Vec<f64>], rows: usize) -> f64 {
    let square = |row: usize| columns.iter().map(|column| column[row] * column[row]).sum::<f64>();
    (0..rows).map(square).fold(0.0, f64::max).sqrt()
}
