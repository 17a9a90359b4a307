//! The linear programme over the cuts found so far, with a lower bound that does not rest on the solver's accuracy.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};

/// The solver's tolerances; the bounds below hold whether it reaches them or not.
const TOLERANCE: f64 = 1e-9;
/// Columns whose load is below this part of what they may bear are left out of the next programme,
const LIGHT: f64 = 0.7;
/// and those left out whose load is above this are taken in.
const HEAVY: f64 = 1.0 + 1e-8;

/// What the programme says.
#[derive(Debug)]
pub(super) struct Optimum {
    /// Regret spent on each arm.
    pub(super) spent: Vec<f64>,
    /// The weight of each cut.
    pub(super) weights: Vec<f64>,
    /// A lower bound of the smallest regret, whatever columns were left out.
    pub(super) lower: f64,
    /// The columns that matter.
    pub(super) columns: Vec<usize>,
}

/// min sum(v) over v >= 0 with cut'v >= 1 for every cut; `unit` is about the value. None if the solver gave up.
///
/// Few of the arms matter: the programme is solved over `columns`, and over more of them as long as its multipliers say
/// that others would help.
pub(super) fn solve(cuts: &[&[f64]], columns: &[usize], unit: f64) -> Option<Optimum> {
    let mut columns = columns.to_vec();
    loop {
        let (x, z) = minimise(cuts, &columns, unit)?;
        let weights: Vec<f64> = z[..cuts.len()].iter().map(|w| unit * w.max(0.0)).collect();
        let loads = loads(cuts, &weights);
        let missing: Vec<usize> = (0..loads.len()).filter(|k| loads[*k] > HEAVY && !columns.contains(k)).collect();
        if missing.is_empty() {
            return optimum(&columns, &x, weights, &loads, unit);
        }
        columns.extend(missing);
    }
}

fn optimum(columns: &[usize], x: &[f64], weights: Vec<f64>, loads: &[f64], unit: f64) -> Option<Optimum> {
    let mut spent = vec![0.0; loads.len()];
    columns.iter().zip(x).for_each(|(column, v)| spent[*column] = unit * v.max(0.0));
    // Any weights w >= 0, scaled such that sum_i w_i cut_i <= 1 in every column, bound the value from below by their sum.
    let heaviest = loads.iter().copied().fold(0.0, f64::max);
    let lower = weights.iter().sum::<f64>() / heaviest;
    let columns = (0..loads.len()).filter(|k| loads[*k] >= LIGHT * heaviest).collect();
    let is_sound = lower.is_finite() && heaviest > 0.0 && spent.iter().all(|v| v.is_finite());
    is_sound.then_some(Optimum { spent, weights, lower, columns })
}

/// The solver's answer: v / `unit`, and the multipliers of all rows.
fn minimise(cuts: &[&[f64]], columns: &[usize], unit: f64) -> Option<(Vec<f64>, Vec<f64>)> {
    let rows = cuts.len() + columns.len();
    let (mut starts, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
    for (k, &column) in columns.iter().enumerate() {
        for (row, cut) in cuts.iter().enumerate() {
            places.push(row);
            values.push(-unit * cut[column]);
        }
        places.push(cuts.len() + k);
        values.push(-1.0);
        starts.push(places.len());
    }
    let matrix = CscMatrix::new(rows, columns.len(), starts, places, values);
    let mut right = vec![-1.0; cuts.len()];
    right.resize(rows, 0.0);
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_rel: TOLERANCE,
        tol_gap_abs: TOLERANCE,
        tol_feas: TOLERANCE,
        max_threads: 1,
        ..DefaultSettings::default()
    };
    let cones = [SupportedConeT::NonnegativeConeT(rows)];
    let flat = CscMatrix::zeros((columns.len(), columns.len()));
    let costs = vec![1.0; columns.len()];
    let mut solver = DefaultSolver::new(&flat, &costs, &matrix, &right, &cones, settings).ok()?;
    solver.solve();
    Some((solver.solution.x.clone(), solver.solution.z.clone()))
}

/// sum_i w_i cut_i.
fn loads(cuts: &[&[f64]], weights: &[f64]) -> Vec<f64> {
    let mut loads = vec![0.0; cuts[0].len()];
    for (cut, w) in cuts.iter().zip(weights) {
        loads.iter_mut().zip(*cut).for_each(|(l, c)| *l += w * c);
    }
    loads
}
