//! How often the sets are wrong: the share of runs in which theta* is outside at any look, for every radius and for every
//! policy that keeps a set of its own.
//!
//! `cargo bench -p optimist --bench coverage` prints a Markdown table (`-- --runs N` for other than 1,000 runs). Two
//! dimensions, 200 observations, S = 3, ||theta*|| = 2. Radii see random arms and are looked at after every tenth observation,
//! or after batches of fifty that were sorted by outcome, or hold rewards between zero and one; policies play twenty arms, and
//! are looked at in every round. Then what holds where arms are new in every round: bounded memory, a stream without norm bound,
//! and one set per arm, of which the intervals are asked for. A promise is kept if no more than delta of the runs miss; what is in brackets is outside of
//! the assumptions.

#[path = "support/arguments.rs"]
mod arguments;
#[path = "../tests/common/hand_over.rs"]
mod hand_over;

use arguments::Arguments;
use hand_over::{Data, HandOver, OBSERVATIONS};
use optimist::policy::{self, Claim, Policy, PolicyInfo};
use optimist::posterior::Row;
use optimist::set::{Radius, RadiusInfo};
use optimist::{ArmSet, Belief, FiniteArms, HybridArms, Problem, generator, link};
use rand::RngExt;
use serde_json::{Value, json};

const USAGE: &str = "\
cargo bench -p optimist --bench coverage -- [ARGUMENTS]

  --runs N      runs for each figure (1000)";

const RUNS: u64 = 1000;
const DELTAS: [f64; 2] = [0.05, 0.5];
const HAND_OVERS: [(HandOver, &str); 3] =
    [(HandOver::AsTheyCome, "as they come"), (HandOver::Sorted, "sorted"), (HandOver::Fractional, "fractions")];
const NORM: f64 = 2.0;
const ARMS: usize = 20;

fn main() {
    let arguments = Arguments::read(USAGE, &["runs"], &[]);
    let runs = arguments.get("runs").unwrap_or(RUNS).max(1);
    let headings = HAND_OVERS.map(|(_, name)| DELTAS.map(|delta| format!(" {name}, {}% |", 100.0 * delta)).concat());
    println!("| set |{}", headings.concat());
    println!("|---|{}", "---:|".repeat(DELTAS.len() * HAND_OVERS.len()));
    for info in Radius::all().into_iter().filter(|info| info.guaranteed) {
        let cells =
            HAND_OVERS.map(|(hand_over, _)| DELTAS.map(|delta| of_radius(info, hand_over, delta, runs)).concat());
        println!("| radius `{}` |{}", info.name, cells.concat());
    }
    for info in policy::registry().into_iter().filter(|info| info.keeps_set && info.guaranteed) {
        let cells = DELTAS.map(|delta| of_policy(info, delta, runs)).concat();
        println!("| policy `{}` |{cells}{}", info.name, " |".repeat(4));
    }
    for (name, misses) in CONTEXTUAL {
        let cells = DELTAS.map(|delta| cell((0..runs).filter(|seed| misses(delta, *seed)).count(), runs, false));
        println!("| {name} |{}{}", cells.concat(), " |".repeat(4));
    }
}

/// Says whether theta* is missed in one of the rounds, at some delta with some seed.
type Misses = fn(f64, u64) -> bool;

const CONTEXTUAL: [(&str, Misses); 3] = [
    ("`optimist`, new arms, 30 rows kept", |delta, seed| {
        leaves_on_new_arms(&problem(delta), "optimist", json!({"memory": 30, "certify": "own"}), seed)
    }),
    ("`optimist-stream`, new arms, no norm bound", |delta, seed| {
        leaves_on_new_arms(&Problem { norm_bound: None, ..problem(delta) }, "optimist-stream", json!({}), seed)
    }),
    ("one set per arm, five arms together", misses_an_arm),
];

/// Whether theta* leaves the policy's own set in one of the rounds, each of which has new arms.
fn leaves_on_new_arms(problem: &Problem, name: &str, options: Value, seed: u64) -> bool {
    let mut policy = policy::build_with(name, problem, options).expect("sound options");
    let mut rng = generator(seed);
    (0..OBSERVATIONS).any(|_| {
        let features: Vec<f64> = (0..2 * 5).map(|_| rng.random_range(-0.7..0.7)).collect();
        let arms = ArmSet::from(FiniteArms::new(2, features).expect("sound arms"));
        let x = policy.choose(&arms, &mut rng).expect("a choice").features.into_owned();
        let success = rng.random::<f64>() < link::mean(NORM * x[0]);
        policy.observe(&x, f64::from(u8::from(success))).expect("a sound observation");
        !policy.contains(&[NORM, 0.0]).expect("a set")
    })
}

/// Whether an interval of one of five arms with parameters of their own misses, along these and across, in one of the rounds.
fn misses_an_arm(delta: f64, seed: u64) -> bool {
    const OWNERS: [u64; 5] = [0, 1, 2, 3, 4];
    let mut policy = policy::build_with("bayes-ucb", &problem(delta), json!({"own": 2})).expect("sound options");
    let mut rng = generator(seed);
    let theta = |owner: u64| {
        let angle = 1.3 * owner as f64;
        [NORM * angle.cos(), NORM * angle.sin()]
    };
    (0..OBSERVATIONS).any(|t| {
        let context: Vec<f64> = (0..2).map(|_| rng.random_range(-0.7..0.7)).collect();
        let arms = ArmSet::from(HybridArms::same(&OWNERS[..], &context).expect("sound arms"));
        let choice = policy.choose(&arms, &mut rng).expect("a choice").into_owned();
        let own = theta(OWNERS[choice.index.expect("a list")]);
        let success = rng.random::<f64>() < link::mean(own[0] * context[0] + own[1] * context[1]);
        policy.observe_row(&choice.row(), f64::from(u8::from(success))).expect("a sound observation");
        t % 10 == 9 && OWNERS.iter().any(|owner| misses_one(&mut *policy, *owner, theta(*owner)))
    })
}

fn misses_one(policy: &mut dyn Policy, owner: u64, theta: [f64; 2]) -> bool {
    let probes = [[theta[0], theta[1]], [-theta[1], theta[0]], [theta[0] - theta[1], theta[0] + theta[1]]];
    probes.iter().any(|x| {
        let interval = policy.interval_of_row(&Row::Own { owner, features: x }).expect("a set").interval;
        let truth = x[0] * theta[0] + x[1] * theta[1];
        truth < interval.log_odds_lower || truth > interval.log_odds_upper
    })
}

fn problem(delta: f64) -> Problem {
    Problem { dimension: 2, delta, norm_bound: Some(NORM + 1.0) }
}

fn of_radius(info: &RadiusInfo, hand_over: HandOver, delta: f64, runs: u64) -> String {
    let belief = || Belief::with_radius(Radius::by_name(info.name, &problem(delta)).expect("sound")).expect("sound");
    let missed = (0..runs).filter(|seed| Data::new(*seed, hand_over, NORM).is_missed(belief(), false)).count();
    cell(missed, runs, hand_over == HandOver::Sorted && info.needs_order)
}

fn of_policy(info: &'static PolicyInfo, delta: f64, runs: u64) -> String {
    let options: serde_json::Value = serde_json::from_str(info.example).expect("an example");
    let policy = policy::build_with(info.name, &problem(delta), &options).expect("sound options");
    if matches!(policy.claim(), Claim::None { .. }) {
        return " - |".into();
    }
    let missed = (0..runs).filter(|seed| leaves(policy.clone(), *seed)).count();
    cell(missed, runs, false)
}

/// Whether theta* leaves the policy's own set in one of the rounds.
fn leaves(mut policy: Box<dyn Policy>, seed: u64) -> bool {
    let mut rng = generator(seed);
    let theta = [NORM, 0.0];
    let mut coordinate = || rng.random_range(-0.7..0.7);
    let arms = FiniteArms::new(2, (0..2 * ARMS).map(|_| coordinate()).collect::<Vec<f64>>()).expect("sound arms");
    let arms = ArmSet::from(arms);
    for _ in 0..OBSERVATIONS {
        let x = policy.choose(&arms, &mut rng).expect("a choice").features.into_owned();
        let success = rng.random::<f64>() < link::mean(NORM * x[0]);
        policy.observe(&x, f64::from(u8::from(success))).expect("a sound observation");
        if !policy.contains(&theta).expect("a set") {
            return true;
        }
    }
    false
}

fn cell(missed: usize, runs: u64, outside: bool) -> String {
    let share = format!("{:.1}%", 100.0 * missed as f64 / runs as f64);
    if outside { format!(" ({share}) |") } else { format!(" {share} |") }
}
