//! The semi-infinite programme by cutting planes: every alternative is a linear inequality of what is spent on the arms.
//!
//! The variables are v_y = eta_y gap_y, the regret spent on arm y per log T: the objective is their sum, and the
//! inequality of an alternative has the coefficients kl_y/gap_y, information per regret.

use super::alternative::Search;
use super::master::{self, Optimum, slack};
use super::outcome::{GravesLai, Status};
use super::problem::Problem;

/// The bounds are to agree to this.
const GAP: f64 = 1e-6;
const ITERATIONS: usize = 300;
/// What is less than this part of the whole is not spent.
const NOTHING: f64 = 1e-10;

/// The programme with what is known of its solution.
struct Cutting<'a> {
    problem: &'a Problem,
    searches: Vec<Search>,
    cuts: Vec<Vec<f64>>,
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
        let mut cutting = Self { problem, searches, cuts: Vec::new(), spent, upper, lower: 0.0 };
        let start = cutting.spent.clone();
        cutting.cuts = cutting.look(&start);
        cutting
    }

    /// Finds the hardest alternatives for this spending, learns from the hardest of all how much of it would suffice,
    /// and returns their cuts.
    fn look(&mut self, spent: &[f64]) -> Vec<Vec<f64>> {
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
        hardest.iter().map(|h| problem.information(&h.alternative)).collect()
    }

    fn run(&mut self) -> usize {
        for iteration in 1..=ITERATIONS {
            let Some(optimum) = master::solve(&self.cuts, self.upper) else { return iteration };
            self.lower = self.lower.max(optimum.lower);
            self.probe(&optimum);
            if std::env::var("GLV").is_ok() {
                eprintln!(
                    "{iteration} {} {} {:e} cuts {}",
                    self.lower,
                    self.upper,
                    1.0 - self.lower / self.upper,
                    self.cuts.len()
                );
            }
            if self.upper - self.lower <= GAP * self.upper {
                return iteration;
            }
        }
        ITERATIONS
    }

    fn probe(&mut self, optimum: &Optimum) {
        let total: f64 = optimum.spent.iter().sum();
        let outer: Vec<f64> = optimum.spent.iter().map(|v| if *v < NOTHING * total { 0.0 } else { *v }).collect();
        let a: f64 = std::env::var("GLA").map_or(0.5, |s| s.parse().unwrap());
        let middle: Vec<f64> = outer.iter().zip(&self.spent).map(|(o, s)| a * o + (1.0 - a) * s).collect();
        let keep: Vec<bool> =
            optimum.weights.iter().zip(&self.cuts).map(|(w, c)| *w > 1e-7 * total || slack(c, &outer) < 0.1).collect();
        let mut keep = keep.into_iter();
        self.cuts.retain(|_| keep.next().unwrap());
        let mut new = self.look(&middle);
        if std::env::var("GLB").is_ok() {
            new.extend(self.look(&outer));
        }
        new.retain(|c| slack(c, &outer) < 0.0);
        new.sort_by(|a, b| slack(a, &outer).total_cmp(&slack(b, &outer)));
        let n: usize = std::env::var("GLN").map_or(50, |s| s.parse().unwrap());
        new.truncate(n);
        self.cuts.extend(new);
    }

    fn report(self, iterations: usize) -> GravesLai {
        let is_met = self.upper - self.lower <= GAP * self.upper;
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
