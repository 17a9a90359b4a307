//! A law of all parameters, seen from a catalogue of items in one context.

use crate::numerics::add_scaled;

/// The law of Theta'c, where theta = (Theta_1, ..., Theta_m) has one block per feature of the context c: what the features of
/// an item meet.
pub(crate) struct Contracted {
    /// b = sum_i c_i Theta_i.
    pub(crate) mean: Vec<f64>,
    /// M = sum_{i,j} c_i c_j P_ij, the lower triangle, for blocks P_ij of the covariance.
    pub(crate) square: Vec<f64>,
}

/// b alone.
pub(crate) fn contracted_mean(theta: &[f64], context: &[f64]) -> Vec<f64> {
    let q = theta.len() / context.len();
    let mut mean = vec![0.0; q];
    for (c, block) in context.iter().zip(theta.chunks_exact(q)) {
        add_scaled(&mut mean, *c, block);
    }
    mean
}

impl Contracted {
    /// One reading of the lower triangle of the covariance.
    pub(crate) fn new(theta: &[f64], covariance: &[f64], context: &[f64]) -> Self {
        let (d, q) = (theta.len(), theta.len() / context.len());
        // Blocks below the diagonal, whole; those on it, of which the lower triangle is stored.
        let (mut below, mut square) = (vec![0.0; q * q], vec![0.0; q * q]);
        for (i, a) in context.iter().enumerate() {
            for row in 0..q {
                let line = &covariance[(i * q + row) * d..][..d];
                for (j, b) in context[..i].iter().enumerate() {
                    add_scaled(&mut below[row * q..][..q], a * b, &line[j * q..][..q]);
                }
                add_scaled(&mut square[row * q..][..=row], a * a, &line[i * q..][..=row]);
            }
        }
        for row in 0..q {
            for column in 0..=row {
                square[row * q + column] += below[row * q + column] + below[column * q + row];
            }
        }
        Self { mean: contracted_mean(theta, context), square }
    }
}
