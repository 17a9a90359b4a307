//! What a round costs: solves, passes over the data, and time, against the figures the project promises.
//!
//! `cargo bench -p optimist --bench rounds` prints every figure next to its limit and fails if one is missed. Times are
//! compared as ratios within one run, because machines are noisy; counts are exact and repeatable.

#[path = "support/median.rs"]
mod median;
#[path = "../tests/common/simulation.rs"]
mod simulation;

use std::time::{Duration, Instant};

use median::median;
use optimist::Problem;
use optimist::plan::{Planner, SupportSolver, Target};
use optimist::set::{Excess, Radius};
use optimist::{Belief, FiniteArms};
use simulation::Simulation;

const NORM_BOUND: f64 = 4.0;
const DELTA: f64 = 0.05;
const TOLERANCE: f64 = 1e-9;

fn main() {
    let mut report = Report::default();
    let ball = |d, k| World { d, k, sphere: false, norm_bound: Some(NORM_BOUND) };
    counts(&mut report, ball(2, 40), 2000, 20, 1.3, 6.0);
    counts(&mut report, ball(10, 1000), 4000, 1, 5.0, f64::INFINITY);
    // Harder worlds: arms that differ in direction only, and no norm bound.
    counts(&mut report, World { sphere: true, ..ball(2, 40) }, 2000, 20, f64::INFINITY, f64::INFINITY);
    counts(&mut report, World { sphere: true, ..ball(10, 1000) }, 4000, 1, 4.0, f64::INFINITY);
    counts(&mut report, World { norm_bound: None, ..ball(2, 40) }, 2000, 5, f64::INFINITY, f64::INFINITY);
    counts(&mut report, World { norm_bound: None, ..ball(10, 1000) }, 1000, 1, 6.0, f64::INFINITY);
    agreement(&mut report, 2, 40, 2000, 5);
    agreement(&mut report, 10, 1000, 200, 1);
    against_greedy(&mut report, 2, 40, 20_000, 5.0);
    against_greedy(&mut report, 10, 1000, 4000, 10.0);
    growth(&mut report);
    many_arms(&mut report);
    report.finish();
}

/// Solves, looks and passes per round.
fn counts(report: &mut Report, world: World, rounds: usize, seeds: u64, solve_limit: f64, pass_limit: f64) {
    let (mut solves, mut looks, mut plan_passes, mut fit_passes) = (0, 0, 0, 0);
    let start = Instant::now();
    for seed in 0..seeds {
        let mut run = Run::new(world, seed);
        for _ in 0..rounds {
            let plan = run.play();
            solves += u64::from(plan.solves);
            looks += u64::from(plan.looks);
            plan_passes += u64::from(plan.passes);
        }
        fit_passes += run.belief.fit_passes();
    }
    let n = (rounds as u64 * seeds) as f64;
    let each = start.elapsed().as_secs_f64() * 1e6 / n;
    let name = format!("{world} T={rounds} ({seeds} runs)");
    let looks = looks as f64 / n;
    report.limit(&format!("{name}, {looks:.2} looks: solves per round"), solves as f64 / n, solve_limit);
    let total = (plan_passes + fit_passes) as f64 / n;
    report.limit(&format!("{name}, {each:.1} us per round: passes per round, fit and plan"), total, pass_limit);
}

/// Arms and what is known of the parameter.
#[derive(Clone, Copy)]
struct World {
    d: usize,
    k: usize,
    /// Arms uniform on the sphere, instead of in the ball.
    sphere: bool,
    norm_bound: Option<f64>,
}

impl std::fmt::Display for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "d={} K={}", self.d, self.k)?;
        f.write_str(if self.sphere { ", arms of norm one" } else { "" })?;
        f.write_str(if self.norm_bound.is_none() { ", no norm bound" } else { "" })
    }
}

/// The arm chosen against the argmax found by solving every arm from scratch.
fn agreement(report: &mut Report, d: usize, k: usize, rounds: usize, seeds: u64) {
    let mut differ = 0;
    for seed in 0..seeds {
        let mut run = Run::in_ball(d, k, 100 + seed);
        let mut solver = SupportSolver::new(d);
        for _ in 0..rounds {
            let plan = run.plan();
            let set = run.belief.set();
            let value = |x: &[f64]| solver.solve(&set, x, Target::exact(TOLERANCE)).expect("a sound arm").value;
            let best = run.arms.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
            differ += usize::from(plan.support.value < best - 2.0 * TOLERANCE * best.abs());
            run.observe(plan.arm);
        }
    }
    report.limit(&format!("d={d} K={k} T={rounds} ({seeds} runs): rounds unlike brute force"), differ as f64, 0.0);
}

/// An optimistic round (observe, fit, plan) against a greedy one (observe, fit, best estimate) on the same data.
fn against_greedy(report: &mut Report, d: usize, k: usize, rounds: usize, limit: f64) {
    let mut run = Run::in_ball(d, k, 200);
    let options = Problem { dimension: d, delta: DELTA, norm_bound: None };
    let ridge = d as f64 / (NORM_BOUND * NORM_BOUND);
    let radius = Radius::from(Excess::new(1.0, ridge, &options).expect("sound options"));
    let mut greedy = Belief::with_radius(radius).expect("sound options");
    let (mut optimistic_times, mut greedy_times, mut sink) = (Vec::new(), Vec::new(), 0);
    for _ in 0..rounds / BLOCK {
        let (mut optimistic_time, mut greedy_time) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..BLOCK {
            let start = Instant::now();
            let arm = run.plan().arm;
            optimistic_time += start.elapsed();
            let start = Instant::now();
            sink += run.arms.best_for(greedy.estimate());
            greedy_time += start.elapsed();
            let reward = run.simulation.reward(run.arms.arm(arm));
            let start = Instant::now();
            run.belief.observe(run.arms.arm(arm), reward).expect("a sound observation");
            optimistic_time += start.elapsed();
            let start = Instant::now();
            greedy.observe(run.arms.arm(arm), reward).expect("a sound observation");
            greedy_time += start.elapsed();
        }
        optimistic_times.push(optimistic_time.as_secs_f64());
        greedy_times.push(greedy_time.as_secs_f64());
    }
    std::hint::black_box(sink);
    let (optimistic, greedy) = (median_microseconds(optimistic_times), median_microseconds(greedy_times));
    let name = format!("d={d} K={k} T={rounds}: optimistic {optimistic:.2} us, greedy {greedy:.2} us per round; ratio");
    report.limit(&name, optimistic / greedy, limit);
}

/// Rounds that are timed together.
const BLOCK: usize = 100;

/// Median over blocks, a round: what a busy machine disturbs least.
fn median_microseconds(blocks: Vec<f64>) -> f64 {
    median(blocks) * 1e6 / BLOCK as f64
}

/// Time per round after a million rounds against that after a thousand.
fn growth(report: &mut Report) {
    let mut run = Run::in_ball(2, 40, 300);
    let mut blocks = |rounds: usize| {
        let block = |_| {
            let start = Instant::now();
            for _ in 0..BLOCK {
                run.play();
            }
            start.elapsed().as_secs_f64()
        };
        median_microseconds((0..rounds / BLOCK).map(block).collect())
    };
    blocks(1000);
    let early = blocks(20_000);
    blocks(1_000_000 - 41_000);
    let late = blocks(20_000);
    let name = format!("d=2 K=40: {early:.2} us per round at t=1,000, {late:.2} at t=1,000,000; ratio");
    report.limit(&name, late / early, 1.2);
}

/// A hundred thousand arms.
fn many_arms(report: &mut Report) {
    let mut run = Run::in_ball(10, 100_000, 400);
    let start = Instant::now();
    let solves: u32 = (0..1000).map(|_| run.play().solves).sum();
    let each = start.elapsed().as_secs_f64();
    let name = format!("d=10 K=100,000 T=1,000 ({:.1} solves per round): ms per round", f64::from(solves) / 1000.0);
    report.limit(&name, each, 20.0);
}

/// A belief, a planner and a simulated world.
struct Run {
    simulation: Simulation,
    arms: FiniteArms<'static>,
    belief: Belief,
    planner: Planner,
}

impl Run {
    fn new(world: World, seed: u64) -> Self {
        let mut simulation = Simulation::new(world.d, 3.87, seed);
        let arms = if world.sphere { simulation.sphere_arms(world.k) } else { simulation.ball_arms(world.k) };
        let belief = Belief::new(world.d, world.norm_bound, DELTA).expect("sound options");
        let planner = Planner::new(&arms, TOLERANCE).expect("a sound tolerance");
        Self { simulation, arms, belief, planner }
    }

    /// Arms uniform in the ball, and the usual norm bound.
    fn in_ball(d: usize, k: usize, seed: u64) -> Self {
        Self::new(World { d, k, sphere: false, norm_bound: Some(NORM_BOUND) }, seed)
    }

    fn plan(&mut self) -> optimist::plan::Plan {
        let plan = self.planner.choose(&self.belief.set(), &self.arms).expect("the planner's own arms");
        assert!(plan.proved, "an unproved plan: {plan:?}");
        plan
    }

    fn observe(&mut self, arm: usize) {
        let x = self.arms.arm(arm);
        self.belief.observe(x, self.simulation.reward(x)).expect("a sound observation");
    }

    fn play(&mut self) -> optimist::plan::Plan {
        let plan = self.plan();
        self.observe(plan.arm);
        plan
    }
}

/// Figures next to their limits.
#[derive(Default)]
struct Report {
    missed: usize,
}

impl Report {
    fn limit(&mut self, name: &str, figure: f64, limit: f64) {
        let verdict = if figure <= limit { "ok" } else { "MISSED" };
        self.missed += usize::from(figure > limit);
        let limit = if limit.is_finite() { format!("at most {limit}") } else { "no limit".into() };
        println!("{name}: {figure:.3} ({limit}) {verdict}");
    }

    fn finish(&self) {
        if self.missed > 0 {
            println!("{} figures missed", self.missed);
            std::process::exit(1);
        }
        println!("all figures met");
    }
}
