//! What planning over the unit ball, and over the paper's non-convex set, costs.
//!
//! `cargo bench -p optimist --bench shapes` prints, for random data on thirty arms, how many plans were certified, and
//! solves, boxes and time a plan.

#[path = "../tests/common/simulation.rs"]
mod simulation;

use std::time::Instant;

use optimist::Belief;
use optimist::History;
use optimist::plan::{BallPlanner, BallStatus, BranchPlanner, BranchStatus};
use optimist::set::DecrementSet;
use simulation::{Simulation, unit};

const PLANS: u64 = 40;

fn main() {
    println!("unit ball, mixture radius, S = 4, tolerance 1e-6, sets that do not reach the sphere");
    (1..=4).for_each(ball);
    println!("non-convex set, gamma = 3, ridge 1, S = 4, tolerance 1e-4");
    (1..=4).for_each(branch);
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
