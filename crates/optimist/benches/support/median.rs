#![allow(dead_code, unreachable_pub)]
//! The middle of repeated measurements, which those that were disturbed do not move.

/// The median, the upper one of an even number.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
