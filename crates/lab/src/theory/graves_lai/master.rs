//! The linear programme over the cuts found so far, with a lower bound that does not rest on the solver's accuracy.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};
use optimist::linalg::dot;

/// What the programme says.
#[derive(Debug)]
pub(super) struct Optimum {
    /// Regret spent on each arm.
    pub(super) spent: Vec<f64>,
    /// The weight of each cut.
    pub(super) weights: Vec<f64>,
    /// A lower bound of the smallest regret.
    pub(super) lower: f64,
}

/// min sum(v) over v >= 0 with cut'v >= 1 for every cut; `unit` is about the value. None if the solver gave up.
pub(super) fn solve(cuts: &[Vec<f64>], unit: f64) -> Option<Optimum> {
    let columns = cuts.first()?.len();
    let rows = cuts.len() + columns;
    let (mut starts, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in 0..columns {
        for (row, cut) in cuts.iter().enumerate() {
            places.push(row);
            values.push(-unit * cut[column]);
        }
        places.push(cuts.len() + column);
        values.push(-1.0);
        starts.push(places.len());
    }
    let matrix = CscMatrix::new(rows, columns, starts, places, values);
    let mut right = vec![-1.0; cuts.len()];
    right.resize(rows, 0.0);
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_rel: 1e-9,
        tol_gap_abs: 1e-9,
        tol_feas: 1e-9,
        max_threads: 1,
        ..DefaultSettings::default()
    };
    let cones = [SupportedConeT::NonnegativeConeT(rows)];
    let flat = CscMatrix::zeros((columns, columns));
    let mut solver = DefaultSolver::new(&flat, &vec![1.0; columns], &matrix, &right, &cones, settings).ok()?;
    solver.solve();
    let spent: Vec<f64> = solver.solution.x.iter().map(|v| unit * v.max(0.0)).collect();
    let weights: Vec<f64> = solver.solution.z[..cuts.len()].iter().map(|w| w.max(0.0)).collect();
    let sound = spent.iter().chain(&weights).all(|v| v.is_finite()) && spent.iter().any(|v| *v > 0.0);
    sound.then(|| Optimum { lower: lower_bound(cuts, &weights), spent, weights })
}

/// Any weights w >= 0, scaled such that sum_i w_i cut_i <= 1 in every column, bound the value from below by their sum.
fn lower_bound(cuts: &[Vec<f64>], weights: &[f64]) -> f64 {
    let mut load = vec![0.0; cuts[0].len()];
    for (cut, w) in cuts.iter().zip(weights) {
        load.iter_mut().zip(cut).for_each(|(l, c)| *l += w * c);
    }
    let heaviest = load.iter().copied().fold(0.0, f64::max);
    if heaviest > 0.0 { weights.iter().sum::<f64>() / heaviest } else { 0.0 }
}

/// The cut's slack at v, negative if v violates it.
pub(super) fn slack(cut: &[f64], spent: &[f64]) -> f64 {
    dot(cut, spent) - 1.0
}
