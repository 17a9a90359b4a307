//! Draws from a normal distribution given by its precision.

use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use crate::linalg::{Cholesky, add_scaled};

/// Fills `out` with independent standard normal numbers.
pub(in crate::policy) fn fill_normal(rng: &mut dyn Rng, out: &mut [f64]) {
    out.iter_mut().for_each(|v| *v = rng.sample(StandardNormal));
}

/// Writes a draw from N(centre, scale^2 A^{-1}) to `draw`, where `cholesky` holds the factor of A: with A = LL',
/// L^{-T} times a standard normal vector has covariance A^{-1}.
pub(in crate::policy) fn perturb(
    centre: &[f64],
    scale: f64,
    cholesky: &Cholesky,
    rng: &mut dyn Rng,
    draw: &mut Vec<f64>,
) {
    draw.resize(centre.len(), 0.0);
    fill_normal(rng, draw);
    cholesky.solve_upper(draw);
    draw.iter_mut().for_each(|v| *v *= scale);
    add_scaled(draw, 1.0, centre);
}
