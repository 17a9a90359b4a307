//! The acceptance test of the planner: random support problems of every kind, each answer checked from outside.
//!
//! `cargo bench -p optimist --bench problems` runs all of them and ends with a verdict;
//! `-- --seed N --only I` repeats one of them and tells more. Times are those of the thread.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/thread_time.rs"]
mod thread_time;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use common::checks::{self, Verdict};
use common::conic;
use common::problems::{Limits, RandomProblem};
use optimist::plan::{Support, SupportSolver, Target};
use thread_time::thread_time;

/// Newton steps after which the planner's fall-backs take over: more passes than that mean that they were used.
const NEWTON_LIMIT: u32 = 25;

/// Problems that are compared with a conic solver as well.
const COMPARED: usize = 200;

/// Up to this dimension a single solve must not be felt; beyond, the slowest is reported by itself.
const SMALL: usize = 50;

const LIMITS: Limits = Limits { dimension: 200, rows: 10_000 };

fn main() -> ExitCode {
    let options = Options::from_arguments();
    if let Some(index) = options.only {
        let records = run_one(options.seed, index, true, true);
        return verdict_of(records.iter().map(|r| r.verdict.failures.len()).sum());
    }
    let start = Instant::now();
    let mut table = Table::default();
    for index in 0..options.problems {
        for record in run_one(options.seed, index, false, table.compared < COMPARED) {
            for failure in &record.verdict.failures {
                println!("problem {index} direction {}: {failure}", record.direction);
            }
            if record.verdict.given_up {
                println!(
                    "problem {index} direction {}: given up with a gap of {:.1e}",
                    record.direction, record.verdict.gap
                );
            }
            table.add(index, record);
        }
    }
    table.print();
    // Every one must be solved: an answer that is honest about its open gap is still not an answer.
    println!("{} of {} solves without norm bound and ridge given up", table.given_up, table.unheld);
    table.print_slowest();
    table.failures += table.given_up;
    println!("{} compared with a conic solver, which was unsure of {} more", table.compared, table.unsure);
    println!("{} problems in {:.1} s", options.problems, start.elapsed().as_secs_f64());
    verdict_of(table.failures)
}

fn verdict_of(failures: usize) -> ExitCode {
    if failures == 0 {
        println!("PASSED: every check holds");
        ExitCode::SUCCESS
    } else {
        println!("FAILED: {failures} checks do not hold");
        ExitCode::FAILURE
    }
}

struct Options {
    seed: u64,
    problems: u64,
    only: Option<u64>,
}

impl Options {
    fn from_arguments() -> Self {
        let mut options = Self { seed: 20_210, problems: 10_000, only: None };
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            let mut number = || arguments.next().and_then(|v| v.parse().ok()).expect("a number after the option");
            match name.as_str() {
                "--seed" => options.seed = number(),
                "--problems" => options.problems = number(),
                "--only" => options.only = Some(number()),
                // Cargo's own.
                "--bench" => {}
                other => panic!("unknown option {other}: --seed, --problems and --only exist"),
            }
        }
        options
    }
}

/// One answer and what is to be said about it.
struct Record {
    dimension: usize,
    /// Whether neither a norm bound nor a ridge holds the set.
    unheld: bool,
    /// Whether the conic solver was asked, and then whether it was sure.
    compared: Option<bool>,
    direction: usize,
    support: Support,
    verdict: Verdict,
    microseconds: f64,
}

fn run_one(seed: u64, index: u64, verbose: bool, compare: bool) -> Vec<Record> {
    let problem = RandomProblem::random(seed, index, LIMITS);
    let mut belief = problem.belief();
    let set = belief.set();
    if verbose {
        describe(&problem);
        println!("level {:e}, loss at centre {:e}, ridge {:e}", set.level(), set.centre_loss(), set.ridge());
        println!("rows {}, norm of centre {:e}", set.history().rows(), checks::norm(set.centre()));
    }
    let mut solver = SupportSolver::new(problem.dimension);
    let mut records: Vec<Record> = Vec::new();
    let mut points: Vec<Vec<f64>> = Vec::new();
    for (direction, x) in problem.directions.iter().enumerate() {
        let before = thread_time();
        let support = solver.solve(&set, x, Target::exact(checks::GAP)).expect("a sound direction");
        let microseconds = thread_time() - before;
        let mut verdict = checks::verify(&set, x, &support, solver.maximiser());
        // Every point of the set is a witness against an upper bound that is too low.
        for point in points.iter().filter(|point| checks::dot(x, point) > support.upper_bound) {
            let over = checks::dot(x, point) - support.upper_bound;
            let digits = checks::ROUNDING * set.level() * support.level_multiplier;
            if set.contains(point) && over > digits + 1e-14 * checks::norm(x) * checks::norm(point) {
                verdict.failures.push(format!("upper bound exceeded by {over:e}"));
            }
        }
        points.push(solver.maximiser().to_vec());
        let small = problem.dimension <= 20 && set.history().rows() <= 200 && checks::norm(x) > 0.0;
        let compared = (compare && direction == 0 && small && conic::is_moderate(&problem, &set)).then(|| {
            let verdict = conic::compare(&set, x, &support, solver.maximiser());
            verdict.map(Result::err)
        });
        if let Some(Some(Some(wrong))) = &compared {
            verdict.failures.push(wrong.clone());
        }
        let compared = compared.map(|verdict| verdict.is_some());
        if verbose {
            println!("direction {direction} of norm {:e}:\n  {support:?}\n  {verdict:?}", checks::norm(x));
        }
        let unheld = set.norm_bound().is_infinite() && set.ridge() == 0.0;
        let dimension = problem.dimension;
        records.push(Record { dimension, unheld, compared, direction, support, verdict, microseconds });
    }
    records
}

fn describe(problem: &RandomProblem) {
    let RandomProblem { dimension, radius, norm_bound, arms, rewards, truth_norm, data, .. } = problem;
    println!("dimension {dimension}, {radius:?}, norm bound {norm_bound:?}, arms {arms:?}, rewards {rewards:?}");
    println!("norm of the truth {truth_norm}, {} data", data.len());
    if data.len() * dimension <= 60 {
        data.iter().for_each(|(x, reward, count)| println!("  {count} x reward {reward} at {x:?}"));
    }
}

/// What is printed at the end.
#[derive(Default)]
struct Table {
    by_status: BTreeMap<String, Line>,
    by_dimension: BTreeMap<usize, Line>,
    failures: usize,
    unheld: usize,
    given_up: usize,
    /// The slowest solve without norm bound and ridge up to [`SMALL`] dimensions, and beyond.
    slowest: [Option<Slowest>; 2],
    compared: usize,
    unsure: usize,
}

/// A solve that took longer than all others.
struct Slowest {
    index: u64,
    direction: usize,
    dimension: usize,
    passes: u32,
    microseconds: f64,
}

#[derive(Default)]
struct Line {
    count: usize,
    passes: u64,
    most_passes: u32,
    most_passes_at: u64,
    fall_backs: usize,
    gap: f64,
    infeasibility: f64,
    microseconds: f64,
}

impl Table {
    fn add(&mut self, index: u64, record: Record) {
        self.failures += record.verdict.failures.len();
        self.unheld += usize::from(record.unheld);
        self.given_up += usize::from(record.verdict.given_up);
        self.compared += usize::from(record.compared == Some(true));
        self.unsure += usize::from(record.compared == Some(false));
        if record.unheld {
            self.add_unheld(index, &record);
        }
        self.by_status.entry(format!("{:?}", record.support.status)).or_default().add(index, &record);
        self.by_dimension.entry(record.dimension).or_default().add(index, &record);
    }

    fn add_unheld(&mut self, index: u64, record: &Record) {
        let Record { dimension, direction, microseconds, .. } = *record;
        let slowest = &mut self.slowest[usize::from(dimension > SMALL)];
        if slowest.as_ref().is_none_or(|s| s.microseconds < microseconds) {
            *slowest = Some(Slowest { index, direction, dimension, passes: record.support.passes, microseconds });
        }
    }

    fn print_slowest(&self) {
        for (dimensions, slowest) in [format!("up to {SMALL}"), format!("above {SMALL}")].iter().zip(&self.slowest) {
            let Some(Slowest { index, direction, dimension, passes, microseconds }) = slowest else { continue };
            let milliseconds = microseconds * 1e-3;
            println!(
                "slowest of them with d {dimensions}: {milliseconds:.1} ms, {passes} passes \
                 (problem {index} direction {direction}, d = {dimension})"
            );
        }
    }

    fn print(&self) {
        let heads = ["", "count", "passes", "most", "(problem)", "fall-backs", "worst gap", "infeasible", "us"];
        println!(
            "{:>13} {:>6} {:>7} {:>5} {:>9} {:>10} {:>10} {:>10} {:>9}",
            heads[0], heads[1], heads[2], heads[3], heads[4], heads[5], heads[6], heads[7], heads[8]
        );
        self.by_status.iter().for_each(|(status, line)| line.print(status));
        self.by_dimension.iter().for_each(|(d, line)| line.print(&format!("d = {d}")));
    }
}

impl Line {
    fn add(&mut self, index: u64, record: &Record) {
        let support = &record.support;
        self.count += 1;
        self.passes += u64::from(support.passes);
        if support.passes > self.most_passes {
            (self.most_passes, self.most_passes_at) = (support.passes, index);
        }
        self.fall_backs += usize::from(support.passes > NEWTON_LIMIT);
        self.gap = self.gap.max(record.verdict.gap);
        self.infeasibility = self.infeasibility.max(record.verdict.infeasibility);
        self.microseconds += record.microseconds;
    }

    fn print(&self, name: &str) {
        let count = self.count as f64;
        println!(
            "{name:>13} {:>6} {:>7.2} {:>5} {:>9} {:>10} {:>10.2e} {:>10.2e} {:>9.1}",
            self.count,
            self.passes as f64 / count,
            self.most_passes,
            self.most_passes_at,
            self.fall_backs,
            self.gap,
            self.infeasibility,
            self.microseconds / count
        );
    }
}
