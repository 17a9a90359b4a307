//! How often the sets are wrong: the share of runs in which theta* is outside at any look, for every radius and for every
//! policy that keeps a set of its own.
//!
//! `cargo bench -p optimist --bench coverage` prints a Markdown table (`-- --runs N` for other than 1,000 runs). Two
//! dimensions, 200 observations, S = 3, ||theta*|| = 2. Radii see random arms and are looked at after every tenth observation,
//! or after batches of fifty that were sorted by outcome, or hold rewards between zero and one; policies play twenty arms, and
//! are looked at in every round. A promise is kept if no more than delta of the runs miss; what is in brackets is outside of
//! the assumptions.

#[path = "support/arguments.rs"]
mod arguments;
#[path = "../tests/common/hand_over.rs"]
mod hand_over;

use arguments::Arguments;
use hand_over::{Data, HandOver, OBSERVATIONS};
use optimist::policy::{self, Claim, Policy, PolicyInfo};
use optimist::set::{Radius, RadiusInfo};
use optimist::{ArmSet, Belief, FiniteArms, Problem, generator, link};
use rand::RngExt;

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
