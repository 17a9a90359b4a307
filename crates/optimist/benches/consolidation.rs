//! What bounded memory costs and gains: widths of intervals against those of the full history, and time against the number
//! of observations.
//!
//! `cargo bench -p optimist --bench consolidation` prints two Markdown tables and fails if a figure misses its limit: widths with
//! 200 rows per feature at most 1.2 times those of all rows in the mean, and a choice and an interval after a million observations
//! of ever-new arms at most 1.2 times as long as after ten thousand. Times are medians, compared within one run.

#[path = "support/arguments.rs"]
mod arguments;
#[path = "support/median.rs"]
mod median;
#[path = "../tests/common/simulation.rs"]
mod simulation;

use std::time::Instant;

use arguments::Arguments;
use median::median;
use optimist::plan::Answers;
use optimist::policy::{self, Policy};
use optimist::{ArmSet, Belief, FiniteArms, Problem};
use simulation::{Simulation, unit};

const USAGE: &str = "\
cargo bench -p optimist --bench consolidation -- [ARGUMENTS]

  --runs N            runs for each width (12)
  --observations N    observations for the widths (5000 and 50000)
  --part NAME         widths or times; both if not given";

const NORM: f64 = 3.0;
const DELTA: f64 = 0.05;
/// Rows kept, per feature.
const BUFFERS: [usize; 3] = [200, 100, 40];
/// Directions in which widths are measured.
const DIRECTIONS: usize = 20;
/// Observations after which times are measured, and rounds that are.
const MOMENTS: [usize; 3] = [10_000, 100_000, 1_000_000];
const ROUNDS: usize = 600;
/// Arms of a round.
const ARMS: usize = 5;
/// What a figure may be, relative to the one it is compared with.
const LIMIT: f64 = 1.2;

fn main() {
    let arguments = Arguments::read(USAGE, &["runs", "observations", "part"], &[]);
    let runs: u64 = arguments.get("runs").unwrap_or(12);
    let observations = arguments.get("observations").map_or(vec![5_000, 50_000], |n: usize| vec![n]);
    let part: String = arguments.get("part").unwrap_or_default();
    let mut missed = 0;
    if part != "times" {
        println!("| d | S | n | width | 200 d rows | 100 d | 40 d |\n|---|---|---|---|---|---|---|");
        for n in observations {
            for (d, norm_bound) in [(2, 4.0), (2, 10.0), (5, 4.0), (5, 10.0)] {
                missed += usize::from(widths(d, norm_bound, n, runs) > LIMIT);
            }
        }
    }
    if part != "widths" {
        println!("| policy | d | | t = 10,000 | 100,000 | 1,000,000 | ratio |\n|---|---|---|---|---|---|---|");
        for (name, d, norm_bound) in [
            ("optimist", 2, Some(4.0)),
            ("optimist", 5, Some(4.0)),
            ("optimist", 5, None),
            ("bayes-ucb", 5, Some(4.0)),
            ("laplace-ts", 5, Some(4.0)),
        ] {
            missed += usize::from(times(name, d, norm_bound) > LIMIT);
        }
    }
    if missed > 0 {
        println!("{missed} figures missed");
        std::process::exit(1);
    }
}

/// Prints a line and returns the mean ratio of widths with the first buffer.
fn widths(d: usize, norm_bound: f64, n: usize, runs: u64) -> f64 {
    let mut full = 0.0;
    let mut ratios = vec![Vec::new(); BUFFERS.len()];
    for seed in 0..runs {
        let mut world = Simulation::new(d, NORM, seed);
        let directions: Vec<Vec<f64>> = (0..DIRECTIONS).map(|_| unit(&mut world.rng, d)).collect();
        let belief = || Belief::new(d, Some(norm_bound), DELTA).expect("sound options");
        let mut all = belief();
        let mut bounded = BUFFERS.map(|rows| belief().with_memory(Some(rows * d)).expect("sound options"));
        for _ in 0..n {
            let x = unit(&mut world.rng, d);
            let reward = world.reward(&x);
            all.observe(&x, reward).expect("a sound observation");
            for belief in &mut bounded {
                // As if somebody looked in every round: what is not needed is not computed.
                if belief.history().rows() > belief.memory().expect("it has a limit") {
                    belief.set();
                }
                belief.observe(&x, reward).expect("a sound observation");
            }
        }
        let reference = mean_width(&mut all, &directions);
        full += reference / runs as f64;
        for (ratios, belief) in ratios.iter_mut().zip(&mut bounded) {
            ratios.push(mean_width(belief, &directions) / reference);
        }
    }
    let mean = |ratios: &Vec<f64>| ratios.iter().sum::<f64>() / ratios.len() as f64;
    let cells = ratios.iter().map(|ratios| {
        let low = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let high = ratios.iter().copied().fold(0.0, f64::max);
        format!(" {:.3} ({low:.2} to {high:.2}) |", mean(ratios))
    });
    println!("| {d} | {norm_bound} | {n} | {full:.4} |{}", cells.collect::<String>());
    mean(&ratios[0])
}

fn mean_width(belief: &mut Belief, directions: &[Vec<f64>]) -> f64 {
    let mut answers = Answers::new(belief.dimension(), 1e-9).expect("a sound tolerance");
    let set = belief.set();
    let width = |x: &Vec<f64>| {
        let interval = answers.interval(&set, x).expect("a set that is not empty");
        interval.upper - interval.lower
    };
    directions.iter().map(width).sum::<f64>() / directions.len() as f64
}

/// Prints two lines, for choices with what they learn and for intervals, and returns the larger ratio of the last moment to the
/// first. Between the moments arms are played at random, with a choice after every 50 d of them.
fn times(name: &str, d: usize, norm_bound: Option<f64>) -> f64 {
    let mut world = Simulation::new(d, NORM, 1);
    let problem = Problem { dimension: d, delta: DELTA, norm_bound };
    let mut policy = policy::build(name, &problem).expect("sound options");
    let mut medians = [[0.0; MOMENTS.len()]; 2];
    let mut seen = 0;
    for (k, moment) in MOMENTS.into_iter().enumerate() {
        while seen + ROUNDS < moment {
            if seen.is_multiple_of(50 * d) {
                choose(&mut *policy, &mut world);
            }
            let x = unit(&mut world.rng, d);
            let reward = world.reward(&x);
            policy.observe(&x, reward).expect("a sound observation");
            seen += 1;
        }
        let (mut choices, mut intervals) = (Vec::new(), Vec::new());
        while seen < moment {
            let start = Instant::now();
            let x = choose(&mut *policy, &mut world);
            let reward = world.reward(&x);
            policy.observe(&x, reward).expect("a sound observation");
            choices.push(start.elapsed().as_secs_f64());
            let x = unit(&mut world.rng, d);
            let start = Instant::now();
            policy.interval(&x).expect("a sound arm");
            intervals.push(start.elapsed().as_secs_f64());
            seen += 1;
        }
        medians[0][k] = median(choices);
        medians[1][k] = median(intervals);
    }
    let mut worst: f64 = 0.0;
    let bound = norm_bound.map_or("no S".to_owned(), |bound| format!("S = {bound}"));
    for (what, medians) in ["choose and observe", "interval"].into_iter().zip(medians) {
        let ratio = medians[MOMENTS.len() - 1] / medians[0];
        let cells = medians.map(|median| format!(" {:.1} us |", 1e6 * median)).concat();
        println!("| `{name}`, {bound} | {d} | {what} |{cells} {ratio:.2} |");
        worst = worst.max(ratio);
    }
    worst
}

fn choose(policy: &mut dyn Policy, world: &mut Simulation) -> Vec<f64> {
    let d = policy.problem().dimension;
    let rows: Vec<Vec<f64>> = (0..ARMS).map(|_| unit(&mut world.rng, d)).collect();
    let arms = ArmSet::from(FiniteArms::from_rows(&rows).expect("sound arms"));
    let choice = policy.choose(&arms, &mut world.rng).expect("a sound list");
    choice.features.into_owned()
}
