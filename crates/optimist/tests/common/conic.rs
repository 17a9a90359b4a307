//! The support problem as a conic program, solved by an independent interior-point method (Clarabel).
//!
//! Variables theta, and per row t_k, u_k, v_k. Softplus: t >= log(1 + e^z) if and only if u + v <= 1 for some
//! u >= e^(z - t), v >= e^(-t). The level: sum_k n_k t_k - p_k z_k + (ridge/2)||theta||^2 <= level, the square as a
//! second-order cone with one more variable q >= ||theta||^2. The ball: a second-order cone. The quadratic of consolidated
//! rows: as the ridge, in other coordinates.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use optimist::history::Consolidated;
use optimist::plan::{Support, SupportStatus};
use optimist::set::LevelSet;

use super::checks::{INFEASIBILITY, infeasibility, norm, rows};
use super::problems::{Arms, RandomProblem};

/// The rows of the constraint matrix as they are written down: b - A y in a cone.
#[derive(Default)]
struct Program {
    /// (row, column, value).
    entries: Vec<(usize, usize, f64)>,
    right: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Program {
    /// Adds the row `right - sum of coefficients times variables`.
    fn row(&mut self, right: f64, coefficients: impl IntoIterator<Item = (usize, f64)>) {
        let row = self.right.len();
        self.entries.extend(coefficients.into_iter().filter(|(_, v)| *v != 0.0).map(|(column, v)| (row, column, v)));
        self.right.push(right);
    }
}

/// Whether a problem is scaled such that the other solver's answer can be trusted to 1e-6: it has been tried, and is not
/// designed for arms of length 1e-6 or levels of 1e9.
pub fn is_moderate(problem: &RandomProblem, set: &LevelSet<'_>) -> bool {
    let arms = match problem.arms {
        Arms::Ball | Arms::OneHot | Arms::LowRank => true,
        Arms::Sphere { radius } => radius >= 1.0,
        Arms::Parallel { angle } => angle >= 1e-4,
        Arms::Scales { .. } => false,
    };
    arms && set.level() < 1e4
}

/// What the other solver says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer {
    Value(f64),
    Empty,
    Unbounded,
    /// It does not reach its tolerance.
    Unsure,
}

/// max x'theta over the set by Clarabel.
pub fn support(set: &LevelSet<'_>, x: &[f64]) -> Answer {
    let d = x.len();
    let data = rows(set.history());
    let square = d + 3 * data.len();
    let quadratic = set.history().consolidated();
    let mut program = Program::default();
    level(&mut program, set, &data, square);
    if set.norm_bound().is_finite() {
        ball(&mut program, set.norm_bound(), d);
    }
    if set.ridge() > 0.0 {
        bowl(&mut program, square, d);
    }
    if let Some(quadratic) = quadratic {
        tilted_bowl(&mut program, square + 1, &quadratic);
    }
    for (k, (arm, _, _)) in data.iter().enumerate() {
        softplus(&mut program, arm, d + 3 * k);
    }
    solve(program, x, square + 1 + usize::from(quadratic.is_some()))
}

fn level(program: &mut Program, set: &LevelSet<'_>, data: &[(Vec<f64>, f64, f64)], square: usize) {
    let d = set.centre().len();
    let mut theta = vec![0.0; d];
    for (arm, _, rewards) in data {
        theta.iter_mut().zip(arm).for_each(|(t, a)| *t -= rewards * a);
    }
    let mut room = set.level();
    let bent = set.history().consolidated().map(|quadratic| (square + 1, 0.5 * size(&quadratic)));
    if let Some(Consolidated { origin, constant, slope, .. }) = set.history().consolidated() {
        theta.iter_mut().zip(slope).for_each(|(t, s)| *t += s);
        room += slope.iter().zip(origin).map(|(s, o)| s * o).sum::<f64>() - constant;
    }
    let heights = data.iter().enumerate().map(|(k, (_, count, _))| (d + 3 * k, *count));
    let coefficients: Vec<(usize, f64)> =
        theta.into_iter().enumerate().chain(heights).chain([(square, 0.5 * set.ridge())]).chain(bent).collect();
    program.row(room, coefficients);
    for k in 0..data.len() {
        program.row(1.0, [(d + 3 * k + 1, 1.0), (d + 3 * k + 2, 1.0)]);
    }
    program.cones.push(SupportedConeT::NonnegativeConeT(1 + data.len()));
}

fn ball(program: &mut Program, bound: f64, d: usize) {
    program.row(bound, []);
    (0..d).for_each(|j| program.row(0.0, [(j, -1.0)]));
    program.cones.push(SupportedConeT::SecondOrderConeT(d + 1));
}

/// q >= ||theta||^2 as (q + 1, 1 - q, 2 theta) in the second-order cone: (q + 1)^2 - (1 - q)^2 = 4 q.
fn bowl(program: &mut Program, square: usize, d: usize) {
    program.row(1.0, [(square, -1.0)]);
    program.row(1.0, [(square, 1.0)]);
    (0..d).for_each(|j| program.row(0.0, [(j, -2.0)]));
    program.cones.push(SupportedConeT::SecondOrderConeT(d + 2));
}

/// The size of a quadratic, by which it is divided: the other solver's tolerances are made for numbers around one.
fn size(quadratic: &Consolidated<'_>) -> f64 {
    quadratic.matrix.iter().step_by(quadratic.origin.len() + 1).sum()
}

/// q >= y'Ay/size with y = theta - origin, as [`bowl`] has it of R'y for A/size = RR'.
fn tilted_bowl(program: &mut Program, square: usize, quadratic: &Consolidated<'_>) {
    let d = quadratic.origin.len();
    let size = size(quadratic);
    let factor = factor(&quadratic.matrix.iter().map(|a| a / size).collect::<Vec<_>>(), d);
    program.row(1.0, [(square, -1.0)]);
    program.row(1.0, [(square, 1.0)]);
    for j in 0..d {
        let column = |i: usize| 2.0 * factor[i * d + j];
        let middle: f64 = (j..d).map(|i| column(i) * quadratic.origin[i]).sum();
        program.row(-middle, (j..d).map(|i| (i, -column(i))));
    }
    program.cones.push(SupportedConeT::SecondOrderConeT(d + 2));
}

/// The lower triangle R of A = RR', by the textbook.
fn factor(a: &[f64], d: usize) -> Vec<f64> {
    let mut r = vec![0.0; d * d];
    for i in 0..d {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| r[i * d + k] * r[j * d + k]).sum();
            r[i * d + j] = if i == j { (a[i * d + i] - sum).sqrt() } else { (a[i * d + j] - sum) / r[j * d + j] };
        }
    }
    r
}

/// (z - t, 1, u) and (-t, 1, v) in the exponential cone, with t, u, v from column `first` on.
fn softplus(program: &mut Program, arm: &[f64], first: usize) {
    let slope = arm.iter().enumerate().map(|(j, a)| (j, -a));
    program.row(0.0, slope.chain([(first, 1.0)]));
    program.row(1.0, []);
    program.row(0.0, [(first + 1, -1.0)]);
    program.row(0.0, [(first, 1.0)]);
    program.row(1.0, []);
    program.row(0.0, [(first + 2, -1.0)]);
    program.cones.extend([SupportedConeT::ExponentialConeT(), SupportedConeT::ExponentialConeT()]);
}

fn solve(program: Program, x: &[f64], variables: usize) -> Answer {
    let rows = program.right.len();
    let (mut i, mut j, mut v) = (vec![], vec![], vec![]);
    for (row, column, value) in program.entries {
        i.push(row);
        j.push(column);
        v.push(value);
    }
    let a = CscMatrix::new_from_triplets(rows, variables, i, j, v);
    let p = CscMatrix::zeros((variables, variables));
    let mut objective = vec![0.0; variables];
    // Its tolerances are absolute for small numbers: the direction is made a unit vector.
    let scale = norm(x);
    objective.iter_mut().zip(x).for_each(|(o, x)| *o = -x / scale);
    let (tol_gap_abs, tol_gap_rel, tol_feas) = (1e-9, 1e-9, 1e-9);
    let settings =
        DefaultSettings { verbose: false, max_iter: 500, tol_gap_abs, tol_gap_rel, tol_feas, ..Default::default() };
    let mut solver = DefaultSolver::new(&p, &objective, &a, &program.right, &program.cones, settings).expect("sound");
    solver.solve();
    match solver.solution.status {
        SolverStatus::Solved => Answer::Value(-solver.solution.obj_val * scale),
        SolverStatus::PrimalInfeasible => Answer::Empty,
        SolverStatus::DualInfeasible => Answer::Unbounded,
        _ => Answer::Unsure,
    }
}

/// Compares an answer with the other solver's: none if that is unsure, otherwise what is wrong, if anything.
///
/// Its value may be too large by what its tolerance on the level is worth. A smaller one than that of a point which is
/// known to be feasible only shows that it stopped early.
pub fn compare(set: &LevelSet<'_>, x: &[f64], support: &Support, maximiser: &[f64]) -> Option<Result<(), String>> {
    let answer = self::support(set, x);
    let size = support.value.abs().max(norm(x) * norm(maximiser).min(1.0));
    let tolerance = 1e-6 * size + 1e-8 * set.level() * support.level_multiplier;
    let feasible = infeasibility(set, maximiser) <= INFEASIBILITY;
    let agrees = match (answer, support.status) {
        (Answer::Unsure, _) => return None,
        // It stops at the first certificate: of a direction in which no level set ends, whether or not this one has a point. That
        // it has none is proved by convexity (`checks::verify`).
        (Answer::Unbounded, SupportStatus::Empty) => return None,
        (Answer::Value(_), SupportStatus::Empty | SupportStatus::Unbounded) => false,
        (Answer::Value(value), _) if value < support.value - tolerance && feasible => return None,
        (Answer::Value(value), _) => (support.value - value).abs() <= tolerance,
        (Answer::Empty, status) => status == SupportStatus::Empty,
        (Answer::Unbounded, status) => status == SupportStatus::Unbounded,
    };
    Some(if agrees { Ok(()) } else { Err(format!("{support:?}, but {answer:?} by cones")) })
}
