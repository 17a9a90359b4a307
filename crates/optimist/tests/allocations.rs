//! A round on a fixed list of arms allocates nothing once every buffer has its size.

mod common {
    pub mod simulation;
}

use common::simulation::Simulation;
use optimist::Belief;
use optimist::plan::Planner;

fn allocations_of_rounds(dimension: usize, arms: usize, warm_up: usize, rounds: usize) -> u64 {
    let mut simulation = Simulation::new(dimension, 3.0, 1);
    let arms = simulation.ball_arms(arms);
    let mut belief = Belief::new(dimension, Some(4.0), 0.05).unwrap();
    let mut planner = Planner::new(&arms, 1e-9).unwrap();
    // The history grows by one row when an arm is played for the first time: that is the warm-up.
    for x in arms.iter() {
        belief.observe(x, 1.0).unwrap();
        belief.observe(x, 0.0).unwrap();
    }
    let mut play = |rounds: usize| {
        for _ in 0..rounds {
            let plan = planner.choose(&belief.set(), &arms).unwrap();
            let x = arms.arm(plan.arm);
            belief.observe(x, simulation.reward(x)).unwrap();
        }
    };
    play(warm_up);
    allocation_counter::measure(|| play(rounds)).count_total
}

#[test]
fn a_round_allocates_nothing_after_warm_up() {
    assert_eq!(allocations_of_rounds(2, 40, 50, 2000), 0);
    assert_eq!(allocations_of_rounds(10, 200, 50, 500), 0);
}

#[test]
fn the_counter_counts() {
    let info = allocation_counter::measure(|| drop(std::hint::black_box(vec![1.0_f64; 100])));
    assert_eq!(info.count_total, 1);
}
