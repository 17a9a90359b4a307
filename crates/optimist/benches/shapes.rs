//! What planning over the unit ball, and over the paper's non-convex set, costs.
//!
//! `cargo bench -p optimist --bench shapes` prints, for random data on thirty arms, how many plans were certified, and
//! solves, boxes and time a plan; and what a round of OFULog costs on instances such as those of docs/policies.md.

#[path = "../tests/common/simulation.rs"]
mod simulation;

use std::time::Instant;

use optimist::Belief;
use optimist::plan::{BallPlanner, BallStatus, BranchPlanner, BranchStatus};
use optimist::set::{DecrementSet, Radius};
use optimist::{History, Problem};
use simulation::{Simulation, unit};

const PLANS: u64 = 40;

fn main() {
    println!("unit ball, mixture radius, S = 4, tolerance 1e-6, sets that do not reach the sphere");
    (1..=4).for_each(ball);
    println!("non-convex set, gamma = 3, ridge 1, S = 4, tolerance 1e-4");
    (1..=4).for_each(branch);
    println!("OFULog, d=2, 40 arms in the unit disk, S = ||theta*|| = 3.87, 2,000 rounds");
    rounds(50);
}

fn observations(seed: u64) -> usize {
    // From a few hundred to some ten thousand.
    300 << (seed % 6)
}

fn ball(d: usize) {
    let (mut plans, mut certified, mut solves, mut passes, mut seconds) = (0, 0, 0, 0, 0.0);
    for seed in 0..PLANS {
        let mut simulation = Simulation::new(d, 2.5, seed);
        let arms = simulation.ball_arms(30);
        let mut belief = Belief::new(d, Some(4.0), 0.05).expect("sound options");
        for round in 0..observations(seed) {
            let x = arms.arm(round % arms.len());
            belief.observe(x, simulation.reward(x)).expect("a sound observation");
        }
        let set = belief.set();
        let start = Instant::now();
        let plan = BallPlanner::new(d).choose(&set, 1e-6).expect("a sound tolerance");
        if plan.status == BallStatus::Saturated {
            continue;
        }
        seconds += start.elapsed().as_secs_f64();
        plans += 1;
        certified += usize::from(plan.status == BallStatus::Certified);
        solves += plan.solves;
        passes += plan.passes;
    }
    let n = f64::from(plans.max(1));
    println!(
        "  d={d}: {certified} of {plans} certified, {:.1} solves, {:.0} passes, {:.2} ms a plan",
        solves as f64 / n,
        passes as f64 / n,
        1e3 * seconds / n
    );
}

fn branch(d: usize) {
    let (mut certified, mut nodes, mut most, mut seconds) = (0, 0, 0, 0.0);
    for seed in 0..PLANS {
        let mut simulation = Simulation::new(d, 2.5, seed);
        let arms = simulation.ball_arms(30);
        let mut history = History::new(d).expect("a sound dimension");
        for round in 0..observations(seed) {
            let x = arms.arm(round % arms.len());
            history.observe(x, simulation.reward(x)).expect("a sound observation");
        }
        let set = DecrementSet::new(&history, 1.0, 3.0, 4.0).expect("sound options");
        let x = unit(&mut simulation.rng, d);
        let start = Instant::now();
        let plan = BranchPlanner::new(d).maximise(&set, &x).expect("a sound direction");
        seconds += start.elapsed().as_secs_f64();
        certified += usize::from(plan.status == BranchStatus::Certified);
        nodes += plan.nodes;
        most = most.max(plan.nodes);
    }
    let n = PLANS as f64;
    println!(
        "  d={d}: {certified} of {PLANS} certified, {:.0} boxes (at most {most}), {:.2} ms a plan",
        nodes as f64 / n,
        1e3 * seconds / n
    );
}

/// Whole rounds of OFULog: a choice over all arms and an observation.
fn rounds(instances: u64) {
    let (problem, length) = (Problem { dimension: 2, delta: 0.05, norm_bound: Some(3.87) }, 2000);
    let (mut boxes, mut searched, mut certified, mut seconds) = (0, 0, 0, 0.0);
    for seed in 0..instances {
        let mut simulation = Simulation::new(2, 3.87, seed);
        let arms = simulation.ball_arms(40);
        let mut planner = BranchPlanner::new(2).with_node_limit(20_000);
        let radius = Radius::by_name("corrected", &problem).expect("sound options");
        let mut belief = Belief::with_radius(radius).expect("sound options");
        let start = Instant::now();
        for _ in 0..length {
            planner.start_from(belief.estimate()).expect("a sound estimate");
            let set = DecrementSet::corrected(belief.history(), problem.delta, 3.87).expect("sound options");
            let choice = planner.choose(&set, &arms).expect("the planner's own dimension");
            boxes += choice.plan.nodes;
            searched += usize::from(choice.plan.nodes > 0);
            certified += usize::from(choice.plan.status == BranchStatus::Certified);
            let x = arms.arm(choice.arm);
            belief.observe(x, simulation.reward(x)).expect("a sound observation");
        }
        seconds += start.elapsed().as_secs_f64();
    }
    let n = (instances * length) as f64;
    println!(
        "  {certified} of {n} certified, {:.1} boxes a round ({:.0}% of rounds have any), {:.0} rounds per second",
        boxes as f64 / n,
        100.0 * searched as f64 / n,
        n / seconds
    );
}
