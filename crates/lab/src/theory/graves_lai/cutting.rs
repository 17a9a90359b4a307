//! The semi-infinite programme by cutting planes: every alternative is a linear inequality of what is spent on the arms.
//!
//! The variables are v_y = eta_y gap_y, the regret spent on arm y per log T: the objective is their sum, and the
//! inequality of an alternative has the coefficients kl_y/gap_y, information per regret.

use optimist::numerics::dot;

use super::alternative::Search;
use super::master;
use super::outcome::{GravesLai, Status};
use super::problem::Problem;

/// The bounds are to agree to this.
const GAP: f64 = 1e-6;
const ITERATIONS: usize = 300;
/// So many programmes without either bound moving by as much as the tolerance, and it is given up.
const PATIENCE: usize = 30;
/// The solver's zeros are below this part of the whole.
const NOTHING: f64 = 1e-7;
/// Spending on an arm that the cuts do not call for is given up if it is below this part of what is still in doubt.
const LITTLE: f64 = 1e-2;

/// How far the next point lies from the best feasible point towards the optimum of the cuts. All the way is Kelley's
/// method, whose points jump about; from in between the cuts are deeper.
const OUTWARDS: f64 = 0.7;
/// Cuts that have borne no weight for so many programmes are forgotten.
const IDLE: usize = 4;

/// The inequality row'v >= 1 of an alternative.
struct Cut {
    row: Vec<f64>,
    /// Programmes since it last bore weight.
    idle: usize,
}

impl Cut {
    fn is_violated(&self, spent: &[f64]) -> bool {
        dot(&self.row, spent) < 1.0
    }
}

/// The programme with what is known of its solution.
struct Cutting<'a> {
    problem: &'a Problem,
    searches: Vec<Search>,
    cuts: Vec<Cut>,
    /// The arms worth thinking of; the lower bound does not rest on it.
    columns: Vec<usize>,
    /// The best feasible point and its value.
    spent: Vec<f64>,
    upper: f64,
    lower: f64,
}

/// Solves the programme.
pub(super) fn solve(problem: &Problem) -> GravesLai {
    let idle = if problem.not_best == 0 {
        Some(Status::AllBest)
    } else if problem.arms.is_empty() {
        Some(Status::AllSpanned)
    } else {
        problem.rivals.is_empty().then_some(Status::OutOfReach)
    };
    if let Some(status) = idle {
        return GravesLai {
            lower: 0.0,
            upper: 0.0,
            plays: Vec::new(),
            lai_robbins: problem.lai_robbins,
            rivals: 0,
            iterations: 0,
            status,
        };
    }
    let mut cutting = Cutting::new(problem);
    let iterations = cutting.run();
    cutting.report(iterations)
}

impl<'a> Cutting<'a> {
    /// Starts from what suffices without structure, which is feasible: the rival itself tells enough.
    fn new(problem: &'a Problem) -> Self {
        let spent: Vec<f64> = problem.arms.iter().map(|arm| arm.gap * arm.plays_alone()).collect();
        let upper = spent.iter().sum();
        let searches = problem.rivals.iter().map(Search::new).collect();
        let columns = (0..spent.len()).collect();
        let mut cutting = Self { problem, searches, cuts: Vec::new(), columns, spent, upper, lower: 0.0 };
        let start = cutting.spent.clone();
        cutting.cuts = cutting.look(&start);
        cutting
    }

    /// Finds the hardest alternatives for this spending, learns from the hardest of all how much of it would suffice,
    /// and returns their cuts.
    fn look(&mut self, spent: &[f64]) -> Vec<Cut> {
        let problem = self.problem;
        let plays: Vec<f64> = spent.iter().zip(&problem.arms).map(|(v, arm)| v / arm.gap).collect();
        let pairs = self.searches.iter_mut().zip(&problem.rivals);
        let hardest: Vec<_> = pairs.map(|(search, rival)| search.solve(problem, rival, &plays)).collect();
        let least = hardest.iter().map(|h| h.least).fold(f64::INFINITY, f64::min);
        let total = spent.iter().sum::<f64>();
        if least > 0.0 && total / least < self.upper {
            self.upper = total / least;
            self.spent = spent.iter().map(|v| v / least).collect();
        }
        hardest.iter().map(|h| Cut { row: problem.information(&h.alternative), idle: 0 }).collect()
    }

    /// Returns the number of programmes solved.
    fn run(&mut self) -> usize {
        let (mut moved, mut bounds) = (0, (self.lower, self.upper));
        for iteration in 1..=ITERATIONS {
            if self.advance().is_none() || self.is_solved() {
                return iteration;
            }
            if self.lower > bounds.0 + GAP * self.upper || self.upper < bounds.1 - GAP * self.upper {
                (moved, bounds) = (iteration, (self.lower, self.upper));
            } else if iteration >= moved + PATIENCE {
                return iteration;
            }
        }
        ITERATIONS
    }

    /// One programme and one look; none if the solver gave up.
    fn advance(&mut self) -> Option<()> {
        let rows: Vec<&[f64]> = self.cuts.iter().map(|cut| cut.row.as_slice()).collect();
        let optimum = master::solve(&rows, &self.columns, self.upper)?;
        // Forgetting only after progress, lest the same cuts be found again for ever.
        if optimum.lower > self.lower {
            self.lower = optimum.lower;
            self.forget(&optimum.weights);
        }
        self.probe(&optimum.spent);
        self.columns = optimum.columns;
        Some(())
    }

    fn is_solved(&self) -> bool {
        self.upper - self.lower <= GAP * self.upper
    }

    /// Drops cuts that have long borne no weight.
    fn forget(&mut self, weights: &[f64]) {
        let total: f64 = weights.iter().sum();
        for (cut, weight) in self.cuts.iter_mut().zip(weights) {
            cut.idle = if *weight > NOTHING * total { 0 } else { cut.idle + 1 };
        }
        self.cuts.retain(|cut| cut.idle < IDLE);
    }

    /// Looks at a point between the optimum of the cuts and the best feasible point, for cuts that the former violates.
    fn probe(&mut self, optimum: &[f64]) {
        let little = LITTLE * (self.upper - self.lower);
        let between = |(o, s): (&f64, &f64)| {
            let spent = OUTWARDS * o + (1.0 - OUTWARDS) * s;
            if *o < NOTHING * self.upper && spent < little { 0.0 } else { spent }
        };
        let point: Vec<f64> = optimum.iter().zip(&self.spent).map(between).collect();
        let mut new = self.look(&point);
        new.retain(|cut| cut.is_violated(optimum));
        if new.is_empty() {
            // What was given up may hide the cuts. At the optimum there are some, or it is feasible.
            new = self.look(optimum);
            new.retain(|cut| cut.is_violated(optimum));
        }
        self.cuts.extend(new);
    }

    fn report(self, iterations: usize) -> GravesLai {
        let is_met = self.is_solved();
        let arms = self.spent.iter().zip(&self.problem.arms).filter(|(v, _)| **v > 0.0);
        GravesLai {
            lower: self.lower.min(self.upper),
            upper: self.upper,
            plays: arms.map(|(v, arm)| (arm.index, v / arm.gap)).collect(),
            lai_robbins: self.problem.lai_robbins,
            rivals: self.problem.rivals.len(),
            iterations,
            status: if is_met { Status::Converged } else { Status::Stopped },
        }
    }
}
