//! A round on a fixed list of arms allocates nothing once every buffer has its size.

use crate::simulation::Simulation;
use optimist::Problem;
use optimist::plan::Planner;
use optimist::set::Radius;
use optimist::{ArmSet, Belief, policy};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn allocations_of_rounds(radius: &str, dimension: usize, arms: usize, warm_up: usize, rounds: usize) -> u64 {
    let mut simulation = Simulation::new(dimension, 3.0, 1);
    let arms = simulation.ball_arms(arms);
    let problem = Problem { dimension, delta: 0.05, norm_bound: Some(4.0) };
    let mut belief = Belief::with_radius(Radius::by_name(radius, &problem).unwrap()).unwrap();
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
    assert_eq!(allocations_of_rounds("mixture", 2, 40, 50, 2000), 0);
    assert_eq!(allocations_of_rounds("mixture", 10, 200, 50, 500), 0);
}

#[test]
fn a_prior_around_each_candidate_allocates_nothing_after_warm_up() {
    // Every arm was played twice by then, which is enough for the local priors to be in use.
    assert_eq!(allocations_of_rounds("local-mixture", 2, 40, 800, 1000), 0);
}

/// Those that allocate, and why: branch and bound keeps boxes; elimination looks and switches of design come ever more
/// rarely.
const ALLOCATING: [&str; 4] = ["ofulog", "bayes-ucb", "insured", "rs-glincb"];

#[test]
fn policies_allocate_nothing_after_warm_up() {
    for info in policy::registry() {
        let mut simulation = Simulation::new(2, 3.0, 1);
        let list = simulation.ball_arms(40);
        let options = info.required.iter().map(|name| ((*name).to_owned(), 100_000.into())).collect();
        let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) };
        let mut policy = policy::build_with(info.name, &problem, serde_json::Value::Object(options)).unwrap();
        for x in list.iter().chain(list.iter()) {
            policy.observe(x, simulation.reward(x)).unwrap();
        }
        let arms = ArmSet::from(list);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut play = |rounds: usize| {
            for _ in 0..rounds {
                let choice = policy.choose(&arms, &mut rng).unwrap();
                policy.observe(&choice.features, simulation.reward(&choice.features)).unwrap();
            }
        };
        play(300);
        let count = allocation_counter::measure(|| play(500)).count_total;
        assert_eq!(count > 0, ALLOCATING.contains(&info.name), "{}: {count} allocations", info.name);
    }
}

#[test]
fn the_counter_counts() {
    let info = allocation_counter::measure(|| drop(std::hint::black_box(vec![1.0_f64; 100])));
    assert_eq!(info.count_total, 1);
}
