//! Which log-odds a level set allows each of its rows, from ellipsoids around it and without a solve.
//!
//! With c the centre of the set, g and H gradient and Hessian of its loss there, B the room below the level, y = theta - c,
//! r = ||y||_H, G = ||g||_{H^{-1}} and m the largest ||x_s||_{H^{-1}} of a row, self-concordance says that every theta of the set
//! satisfies
//!
//! ```text
//! -G r + (e^{-mr} + mr - 1)/m^2 <= B                                        (1)
//! ```
//!
//! The left side is convex in r and zero at zero, so that r is at most its largest root, if m G < 1. That bounds the log-odds
//! of every row, |x_s'y| <= r ||x_s||_{H^{-1}}. If K = A + sum_s n_s k_s x_s x_s', where A is the matrix of what was
//! consolidated before and k_s the least curvature quotient of row s over its range, then on the set
//!
//! ```text
//! g'y + y'Ky/2 <= B,   that is,   ||y + K^{-1}g||_K^2 <= 2B + ||g||_{K^{-1}}^2      (2)
//! ```
//!
//! which bounds every log-odds again, mostly better: it is repeated a few times. None of this uses the norm bound, so that
//! what follows holds without the ball. Where (1) says nothing (data that do not span the space, or too few of them) and a norm
//! bound S is declared, ranges start from |x_s'theta| <= S ||x_s||, and (2) has K + tau with tau = d/S^2, and B + tau (S + ||c||)^2/2.
//!
//! Both hold for any smaller matrix as well. So what is factored in place of H and K is a little below them, by what rounding
//! may have added.

use super::ADDITIONS;
use crate::link::least_growth;
use crate::loss::additions;
use crate::numerics::{Cholesky, Elementary, add_outer, dot, least_curvature, norm};
use crate::set::LevelSet;

/// How often (2) is applied.
const TURNS: usize = 4;

/// A row of the set's data with the range of its log-odds.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) index: usize,
    pub(super) x: Vec<f64>,
    count: f64,
    /// x'c.
    pub(super) log_odds: f64,
    low: f64,
    high: f64,
}

impl Row {
    /// Twice the least quotient (softplus(z) - softplus(u) - mu(u)(z - u))/(z - u)^2 over the range, u the log-odds at c.
    pub(super) fn least_curvature(&self) -> f64 {
        2.0 * least_curvature(self.log_odds, self.low, self.high)
    }

    /// Cuts the range down to `middle` plus or minus `width`, a little widened against rounding.
    fn narrow(&mut self, middle: f64, width: f64) {
        let rounding = 1e-8 * (middle.abs() + width);
        self.low = self.low.max(middle - width - rounding);
        self.high = self.high.min(middle + width + rounding);
    }
}

/// The rows of a set with the ranges of their log-odds.
pub(super) struct Ranges {
    pub(super) rows: Vec<Row>,
    /// Whether they rest on the norm bound.
    pub(super) in_ball: bool,
}

impl Ranges {
    /// None if there is no bound on some log-odds.
    pub(super) fn of(set: &LevelSet<'_>) -> Option<Self> {
        let history = set.history();
        let mut rows: Vec<Row> = (0..history.rows())
            .map(|index| {
                let mut x = vec![0.0; history.dimension()];
                history.features(index, &mut x);
                let (count, log_odds) = (history.outcomes(index).0, dot(&x, set.centre()));
                Row { index, x, count, log_odds, low: f64::NEG_INFINITY, high: f64::INFINITY }
            })
            .collect();
        let in_ball = !by_self_concordance(set, &mut rows);
        if in_ball {
            let bound = set.norm_bound();
            if !bound.is_finite() {
                return None;
            }
            rows.iter_mut().for_each(|row| row.narrow(0.0, bound * norm(&row.x)));
        }
        for _ in 0..TURNS {
            by_least_curvature(set, &mut rows, in_ball);
        }
        Some(Self { rows, in_ball })
    }
}

/// Applies (1); false if it says nothing.
fn by_self_concordance(set: &LevelSet<'_>, rows: &mut [Row]) -> bool {
    let mut cholesky = Cholesky::new(set.centre().len());
    if !cholesky.factor_below(&set.at_centre.hessian, 0.0, additions(set.history())) {
        return false;
    }
    let mut turned = vec![0.0; set.centre().len()];
    let mut length = |x: &[f64]| turned_length(&cholesky, x, &mut turned);
    let lengths: Vec<f64> = rows.iter().map(|row| length(&row.x)).collect();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let radius = largest_root(longest, length(&set.at_centre.gradient), room(set));
    if !radius.is_finite() {
        return false;
    }
    for (row, length) in rows.iter_mut().zip(lengths) {
        row.narrow(row.log_odds, radius * length);
    }
    true
}

/// Applies (2). Where K has no factor the ranges stay as they are.
fn by_least_curvature(set: &LevelSet<'_>, rows: &mut [Row], in_ball: bool) {
    let d = set.centre().len();
    let mut matrix =
        set.history().summary().map_or_else(|| vec![0.0; d * d], |summary| summary.lower().matrix().to_vec());
    for row in rows.iter() {
        add_outer(&mut matrix, row.count * row.least_curvature(), &row.x);
    }
    let (bound, length) = (set.norm_bound(), norm(set.centre()));
    let tau = if in_ball { d as f64 / (bound * bound) } else { 0.0 };
    let mut cholesky = Cholesky::new(d);
    if !cholesky.factor_below(&matrix, tau, rows.len() as f64 + ADDITIONS) {
        return;
    }
    let mut newton = set.at_centre.gradient.clone();
    cholesky.solve_lower(&mut newton);
    let ball = if in_ball { tau * (bound + length).square() } else { 0.0 };
    let radius = (2.0 * room(set) + ball + dot(&newton, &newton)).sqrt();
    cholesky.solve_upper(&mut newton);
    let mut turned = vec![0.0; d];
    for row in rows {
        let length = turned_length(&cholesky, &row.x, &mut turned);
        row.narrow(row.log_odds - dot(&row.x, &newton), radius * length);
    }
}

/// (x'A^{-1}x)^(1/2) for the matrix A that is factored; `turned` is working memory.
fn turned_length(cholesky: &Cholesky, x: &[f64], turned: &mut [f64]) -> f64 {
    turned.copy_from_slice(x);
    cholesky.solve_lower(turned);
    norm(turned)
}

/// B, with what rounding may hide of it.
fn room(set: &LevelSet<'_>) -> f64 {
    set.room() + set.rounding()
}

/// An upper bound on the largest r with (e^{-mr} + mr - 1)/m^2 - G r <= B; infinite if there is none.
fn largest_root(m: f64, slope: f64, room: f64) -> f64 {
    // From below: what rounding may have added is far less than what is taken off.
    let excess = |r: f64| least_growth(m * r) * (1.0 - 1e-9) * r * r - slope * r - room;
    // Beyond that the excess would grow too slowly for a useful bound.
    if !(m * slope < 0.9) {
        return f64::INFINITY;
    }
    let mut high = 1.0;
    while excess(high) <= 0.0 {
        high *= 2.0;
        if high > 1e12 {
            return f64::INFINITY;
        }
    }
    let mut low = 0.0;
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if excess(middle) <= 0.0 { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_solves_the_equation() {
        for (m, slope, room) in [(1e-6, 0.0, 10.0), (0.3, 0.1, 5.0), (1.0, 0.5, 20.0), (0.01, 3.0, 8.0)] {
            let r = largest_root(m, slope, room);
            let at = |r: f64| ((-m * r).exp_m1() + m * r) / (m * m) - slope * r - room;
            assert!(m < 1e-5 || at(r).abs() < 1e-5 * room, "{m} {slope} {room}: {r} {}", at(r));
            assert!(m > 1e-5 || (r - (2.0 * room).sqrt()).abs() < 1e-3, "{r}");
        }
        assert_eq!(largest_root(1.0, 1.0, 1.0), f64::INFINITY);
    }
}
