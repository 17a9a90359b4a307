//! Bounded memory: old rows of a history replaced by quadratics, such that the mixture set stays valid.
//!
//! At a look with the set E known, the losses of some rows s are replaced by quadratics around the set's centre c that touch
//! them there, u = x_s'c, h = x_s'(theta - c):
//!
//! ```text
//! l_s(u) + l_s'(u) h + k_s h^2/2  <=  l_s(theta)   where x_s'theta is in the range that E allows,
//! l_s(u) + l_s'(u) h + K_s h^2/2  >=  l_s(theta)   where x_s'theta is in the range of a region R,
//! l_s(u) + l_s'(u) h + w_s h^2/2  >=  l_s(theta)   everywhere.
//! ```
//!
//! **The set.** On the event theta* is in E, so that the sum of the first kind is at most the true loss at theta*, and
//! { lower + remaining losses <= level } holds theta* on the same event if the level is at least what it would be without
//! all this. By induction that is so for any number of consolidations, of which each uses the set of its own time. Nothing
//! has to hold at any other point than theta*, and no set has to be kept.
//!
//! **The level** needs an upper bound on the true loss where it integrates: the second kind, on R, and the third anywhere.
//! The next R is inside the last, so that one region and one sum serve all consolidations ([`region`]). What of the Gaussian
//! lies outside of R is charged to the level ([`set::mixture`](crate::set::Mixture)).
//!
//! E must be a set at which somebody looked: see [`Belief`](crate::Belief). The proofs are in docs/sets.md.

mod beneath;
mod paraboloid;
mod ranges;
mod region;
mod summary;

pub(crate) use beneath::Beneath;
pub(crate) use paraboloid::{ADDITIONS, Paraboloid};
pub(crate) use region::{Region, Scratch};
pub(crate) use summary::Summary;

use self::ranges::{Ranges, Row};
use crate::link;
use crate::numerics::{Cholesky, add_scaled, dot, greatest_curvature, norm};
use crate::set::LevelSet;

/// Log-odds up to which the lower quadratic alone must bound a set without norm bound, so that solves over it are well posed.
const FARTHEST: f64 = 1e4;

/// What a consolidation leads to.
pub(crate) struct Consolidation {
    /// What is known of the rows that are gone.
    pub(crate) summary: Summary,
    /// The rows that stay, in order.
    pub(crate) kept: Vec<usize>,
}

/// Replaces all but `keep` of the rows of a set. `precision` is that of the prior with which the level is fitted.
///
/// None if that cannot be done now: the set is empty, or bounds no log-odds, or (without norm bound) would have no bound
/// afterwards. Then the rows stay until a later look.
pub(crate) fn consolidate(set: &LevelSet<'_>, precision: f64, keep: usize) -> Option<Consolidation> {
    if set.is_empty() || set.history().rows() <= keep {
        return None;
    }
    let Ranges { rows, in_ball } = Ranges::of(set)?;
    let mut summary = set.history().summary().cloned().unwrap_or_else(|| Summary::new(set.centre()));
    summary.recentre(set.centre());
    let bounds = next_region(set, &summary, precision)?;
    let with_curvatures = |row: Row| (Curvatures::of(&row, &bounds), row);
    let mut rows: Vec<(Curvatures, Row)> = rows.into_iter().map(with_curvatures).collect();
    // The least loss of information first. Ties by age: the order must not depend on the sort.
    rows.sort_by(|(a, p), (b, q)| b.quality.total_cmp(&a.quality).then(p.index.cmp(&q.index)));
    let mut kept: Vec<usize> = rows.drain(rows.len() - keep..).map(|(_, row)| row.index).collect();
    kept.sort_unstable();
    for (curvatures, row) in &rows {
        let (count, rewards) = set.history().outcomes(row.index);
        summary.add_row(&row.x, count, rewards, row.log_odds, curvatures);
    }
    let longest = set.history().max_norm();
    summary.conclude(bounds.region, longest, in_ball);
    let is_bounded = set.norm_bound().is_finite() || summary.reach(set.level()) * longest <= FARTHEST;
    is_bounded.then_some(Consolidation { summary, kept })
}

/// The three curvatures of a row.
struct Curvatures {
    least: f64,
    greatest: f64,
    anywhere: f64,
    /// The least curvature as a share of the one at the centre.
    quality: f64,
}

impl Curvatures {
    fn of(row: &Row, bounds: &Bounds) -> Self {
        let (variance, least) = (link::variance(row.log_odds), row.least_curvature());
        let (low, high) = bounds.range(&row.x);
        let anywhere = link::parabola_curvature(row.log_odds) * (1.0 + 1e-14);
        let greatest = (2.0 * greatest_curvature(row.log_odds, low, high)).min(anywhere);
        let quality = if variance > 0.0 { least / variance } else { 0.0 };
        Self { least: least.min(greatest), greatest, anywhere, quality }
    }
}

/// A region and the factor of its matrix.
struct Bounds {
    region: Region,
    cholesky: Cholesky,
}

impl Bounds {
    /// The log-odds of x over the region, a little widened against rounding.
    fn range(&self, x: &[f64]) -> (f64, f64) {
        let middle = dot(x, self.region.centre());
        let mut turned = x.to_vec();
        self.cholesky.solve_lower(&mut turned);
        let width = self.region.radius() * norm(&turned);
        let width = width + 1e-8 * (middle.abs() + width);
        (middle - width, middle + width)
    }
}

/// The region for the rows to come: a new one around the minimiser of the upper loss with its ridge, one Newton step from
/// the set's centre, if it is good; otherwise the old one. None if the matrix has no factor.
fn next_region(set: &LevelSet<'_>, summary: &Summary, precision: f64) -> Option<Bounds> {
    let d = set.centre().len();
    let mut matrix = set.at_centre.hessian.clone();
    add_scaled(&mut matrix, 1.0, summary.excess().matrix());
    matrix.iter_mut().step_by(d + 1).for_each(|v| *v += precision);
    let mut cholesky = Cholesky::new(d);
    if !cholesky.factor(&matrix, 0.0) {
        return None;
    }
    let mut step = set.at_centre.gradient.clone();
    add_scaled(&mut step, 1.0, summary.excess().slope());
    add_scaled(&mut step, precision, set.centre());
    cholesky.solve(&mut step);
    let mut centre = set.centre().to_vec();
    add_scaled(&mut centre, -1.0, &step);
    let region = Region::next(summary.region(), &centre, &matrix).or_else(|| summary.region().cloned())?;
    cholesky.factor(region.matrix(), 0.0).then_some(Bounds { region, cholesky })
}

#[cfg(test)]
mod tests;
