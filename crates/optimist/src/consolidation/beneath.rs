//! One quadratic below the loss of all data of a set.

use super::Ranges;
use crate::numerics::{Cholesky, add_outer, add_scaled, dot, trace};
use crate::set::LevelSet;

/// At every point of a set with level c, ||theta - centre||_A^2 / 2 <= room - (c - L(theta)): what is left below the level, and
/// the squared distance to the centre, share the room.
pub(crate) struct Beneath {
    pub(crate) centre: Vec<f64>,
    /// Lower triangle of A.
    pub(crate) matrix: Vec<f64>,
    pub(crate) room: f64,
    /// A as a share of the Hessian at the set's centre, on average over its directions.
    pub(crate) share: f64,
}

impl Beneath {
    /// With c the set's centre, g the gradient there and A = sum_s n_s k_s x_s x_s', the least curvature quotients k_s taken over
    /// the log-odds that the set allows x_s, the loss is at least L(c) + g'y + ||y||_A^2/2 for y = theta - c. The square is
    /// completed: the centre is c - A^{-1}g, and the room grows by ||g||^2_{A^{-1}}/2.
    ///
    /// None if the set is empty, or A is not positive definite.
    pub(crate) fn of(set: &LevelSet<'_>) -> Option<Self> {
        if set.is_empty() {
            return None;
        }
        let Ranges { rows, .. } = Ranges::of(set)?;
        let (d, history) = (set.centre().len(), set.history());
        let mut matrix = history.summary().map_or_else(|| vec![0.0; d * d], |s| s.lower().matrix().to_vec());
        for row in &rows {
            add_outer(&mut matrix, history.outcomes(row.index).0 * row.least_curvature(), &row.x);
        }
        // All of this holds for a smaller matrix as well, and this one may be too large by its rounding.
        let doubt = (rows.len() + 8 * d + 16) as f64 * f64::EPSILON * trace(&matrix, d);
        matrix.iter_mut().step_by(d + 1).for_each(|v| *v -= doubt);
        let mut cholesky = Cholesky::new(d);
        if !cholesky.factor(&matrix, 0.0) {
            return None;
        }
        let mut step = set.at_centre.gradient.clone();
        cholesky.solve_lower(&mut step);
        let room = (set.room() + set.rounding() + 0.5 * dot(&step, &step)) * (1.0 + 1e-9);
        cholesky.solve_upper(&mut step);
        let mut centre = set.centre().to_vec();
        add_scaled(&mut centre, -1.0, &step);
        let share = mean_share(&matrix, &set.at_centre.hessian, d)?;
        Some(Self { centre, matrix, room, share })
    }
}

/// trace(H^{-1}A)/d.
fn mean_share(matrix: &[f64], hessian: &[f64], d: usize) -> Option<f64> {
    let mut cholesky = Cholesky::new(d);
    if !cholesky.factor(hessian, 0.0) {
        return None;
    }
    let mut sum = 0.0;
    for j in 0..d {
        let mut column: Vec<f64> = (0..d).map(|i| matrix[i.max(j) * d + i.min(j)]).collect();
        cholesky.solve(&mut column);
        sum += column[j];
    }
    Some(sum / d as f64)
}
