//! Means and standard deviations of what was seen.

use serde::{Deserialize, Serialize};

/// What numbers are measured by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Moments {
    /// One mean per number of the column.
    pub(super) means: Vec<f64>,
    /// The common deviation; zero if all that was seen was the same, and the column then says nothing.
    pub(super) deviation: f64,
}

impl Moments {
    /// Of rows of `length` numbers. In two passes, which loses no digits; nothing seen counts as a standard normal.
    pub(super) fn of<'a>(rows: impl Iterator<Item = &'a [f64]> + Clone, length: usize) -> Self {
        let count = rows.clone().count() as f64;
        if count == 0.0 {
            return Self { means: vec![0.0; length], deviation: 1.0 };
        }
        // Divided before they are added, so that the largest doubles do not overflow.
        let mut means = vec![0.0; length];
        for row in rows.clone() {
            means.iter_mut().zip(row).for_each(|(mean, value)| *mean += value / count);
        }
        let largest = |largest: f64, (value, mean): (&f64, &f64)| largest.max((value - mean).abs());
        let unit = rows.clone().flat_map(|row| row.iter().zip(&means)).fold(0.0, largest);
        let scale = means.iter().fold(unit, |scale: f64, mean| scale.max(mean.abs()));
        // Rounding leaves a trace of a deviation where there is none.
        if !(unit > 1e-12 * scale && unit.is_finite()) {
            return Self { means, deviation: 0.0 };
        }
        let squares: f64 =
            rows.flat_map(|row| row.iter().zip(&means)).map(|(value, mean)| square((value - mean) / unit)).sum();
        let deviation = unit * (squares / (count * length as f64)).sqrt();
        Self { means, deviation }
    }

    /// A number in deviations from its mean, cut.
    pub(super) fn standardise(&self, place: usize, value: f64, cut: f64) -> f64 {
        if self.deviation > 0.0 { ((value - self.means[place]) / self.deviation).clamp(-cut, cut) } else { 0.0 }
    }

    pub(super) fn is_sound(&self) -> bool {
        self.means.iter().all(|mean| mean.is_finite()) && self.deviation >= 0.0 && self.deviation.is_finite()
    }
}

fn square(x: f64) -> f64 {
    x * x
}
