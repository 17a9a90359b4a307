//! How large the confidence sets are: by how much the level exceeds the least loss in the ball, for every radius.
//!
//! `cargo bench -p optimist --bench radii` prints a Markdown table: 1,000 observations of arms drawn uniformly from the
//! unit ball (or a larger one, where the heading says so), a true parameter of norm S - 1, delta = 0.05, the mean of ten
//! runs.
//!
//! `-- --widths` compares `local-mixture` with `mixture` as data accumulate: the widths of the intervals of five random arms
//! as a part of those of `mixture`, the mean of six runs with 300 arms that are played alike; S = 4, ||theta*|| = 3. It also
//! prints what a level costs.

#[path = "support/arguments.rs"]
mod arguments;
#[path = "../tests/common/simulation.rs"]
mod simulation;

use std::time::Instant;

use arguments::Arguments;
use optimist::plan::Answers;
use optimist::set::Radius;
use optimist::{ArmSet, Belief, Estimator, Penalty, Problem, policy};
use serde_json::Value;
use simulation::Simulation;

const USAGE: &str = "\
cargo bench -p optimist --bench radii -- [ARGUMENTS]

  --widths      compare the intervals of local-mixture with those of mixture instead";

const OBSERVATIONS: usize = 1000;
const RUNS: u64 = 10;
const SETTINGS: [Setting; 6] = [
    Setting::unit(2.0, 2),
    Setting::unit(4.0, 2),
    Setting::unit(8.0, 2),
    Setting::unit(4.0, 5),
    Setting::unit(8.0, 5),
    Setting { longest: 5.0, ..Setting::unit(3.0, 2) },
];

/// The declared norm bound, which is one more than the truth, the dimension, and the norm of the longest arms.
#[derive(Clone, Copy)]
struct Setting {
    s: f64,
    dimension: usize,
    longest: f64,
}

impl Setting {
    const fn unit(s: f64, dimension: usize) -> Self {
        Self { s, dimension, longest: 1.0 }
    }

    fn name(self) -> String {
        let Self { s, dimension, longest } = self;
        let long = if longest > 1.0 { format!(", norms to {longest}") } else { String::new() };
        format!(" S={s}, d={dimension}{long} |")
    }
}

fn main() {
    if Arguments::read(USAGE, &[], &["widths"]).has("widths") {
        return compare_widths();
    }
    println!("| radius |{}", SETTINGS.map(Setting::name).concat());
    println!("|---|{}", "---:|".repeat(SETTINGS.len()));
    for info in Radius::all() {
        let excess = |declared: bool| {
            SETTINGS.map(|setting| {
                let fits = setting.longest <= 1.0 || !info.unit_arms;
                fits.then(|| mean_excess(|options| Radius::by_name(info.name, options), setting, declared))
            })
        };
        println!("| `{}` |{}", info.name, excess(true).map(cell).concat());
        if !info.needs_norm_bound {
            println!("| `{}`, S not declared |{}", info.name, excess(false).map(cell).concat());
        }
    }
    println!(
        "\noptimist-stream from the ball, d=2, 20 arms, ||theta*|| = S - 1/2: excess of b^2 over d + 2 log(1/delta) + logdet(W/lambda)"
    );
    for s in [4.0, 8.0, 16.0, 32.0] {
        let excess = [1_000, 10_000, 100_000].map(|rounds| format!("{:.0} after {rounds}", stream_excess(s, rounds)));
        println!("S={s}: {}", excess.join(", "));
    }
}

/// Numbers of observations for which widths are compared.
const LENGTHS: [usize; 7] = [100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000];
const DIMENSIONS: [usize; 3] = [2, 5, 10];
const WIDTH_RUNS: u64 = 6;

fn compare_widths() {
    println!("| n |{}", DIMENSIONS.map(|d| format!(" d={d} |")).concat());
    println!("|---:|{}", "---:|".repeat(DIMENSIONS.len()));
    for n in LENGTHS {
        let ratio = |d: usize| (0..WIDTH_RUNS).map(|seed| width_ratio(d, n, seed)).sum::<f64>() / WIDTH_RUNS as f64;
        println!("| {n} |{}", DIMENSIONS.map(|d| format!(" {:.3} |", ratio(d))).concat());
    }
    println!("\nTime of a level in microseconds, of mixture and of local-mixture, 10,000 observations of 300 arms:");
    for d in DIMENSIONS {
        let [mixture, local] = ["mixture", "local-mixture"].map(|name| level_time(name, d));
        println!("d={d}: {mixture:.1} and {local:.1}");
    }
}

/// A radius that has seen `n` plays of up to 300 arms, and the arms.
fn long_log(name: &str, dimension: usize, n: usize, seed: u64) -> (Belief, Vec<Vec<f64>>) {
    let problem = Problem { dimension, delta: 0.05, norm_bound: Some(4.0) };
    let mut belief =
        Belief::with_radius(Radius::by_name(name, &problem).expect("sound options")).expect("sound options");
    let mut simulation = Simulation::new(dimension, 3.0, seed);
    let arms: Vec<Vec<f64>> = simulation.ball_arms(n.min(300)).iter().map(<[f64]>::to_vec).collect();
    for (k, x) in arms.iter().enumerate() {
        let plays = (n + arms.len() - 1 - k) / arms.len();
        let successes = (0..plays).filter(|_| simulation.reward(x) == 1.0).count();
        for (reward, count) in [(1.0, successes), (0.0, plays - successes)] {
            if count > 0 {
                belief.observe_many(x, reward, count as u64).expect("a sound observation");
            }
        }
    }
    (belief, arms)
}

/// The mean width of the intervals of five arms under `local-mixture`, as a part of that under `mixture`.
fn width_ratio(dimension: usize, n: usize, seed: u64) -> f64 {
    let mut answers = Answers::new(dimension, 1e-6).expect("a sound tolerance");
    let widths = ["local-mixture", "mixture"].map(|name| {
        let (mut belief, arms) = long_log(name, dimension, n, seed);
        let set = belief.set();
        let intervals = arms[..5].iter().map(|x| answers.interval(&set, x).expect("a set that is not empty"));
        intervals.map(|interval| interval.log_odds_upper - interval.log_odds_lower).collect::<Vec<f64>>()
    });
    widths[0].iter().zip(&widths[1]).map(|(local, mixture)| local / mixture).sum::<f64>() / 5.0
}

/// The time to bring the set up to date after one more observation, the least of many, in microseconds.
fn level_time(name: &str, dimension: usize) -> f64 {
    let (mut belief, arms) = long_log(name, dimension, 10_000, 1);
    let mut least = f64::INFINITY;
    for k in 0..400 {
        belief.observe(&arms[k % arms.len()], f64::from(u8::from(k % 2 == 0))).expect("a sound observation");
        let start = Instant::now();
        std::hint::black_box(belief.set().level());
        least = least.min(1e6 * start.elapsed().as_secs_f64());
    }
    least
}

/// What the squared radius of optimist-stream, started from the ball, exceeds d + 2 log(1/delta) + logdet(W/lambda) by, under its
/// own play.
fn stream_excess(s: f64, rounds: usize) -> f64 {
    let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(s) };
    let options = serde_json::json!({"start": "ball"});
    let mut policy = policy::build_with("optimist-stream", &problem, options).expect("sound options");
    let mut simulation = Simulation::new(2, s - 0.5, 1);
    let arms = ArmSet::from(simulation.ball_arms(20));
    let mut rng = optimist::generator(1);
    for _ in 0..rounds {
        let x = policy.choose(&arms, &mut rng).expect("a choice").features.into_owned();
        policy.observe(&x, simulation.reward(&x)).expect("a sound observation");
    }
    let document: Value = serde_json::from_str(&policy.save().expect("a document")).expect("JSON");
    let state = &document["state"]["rule"]["stage"]["stream"];
    let number = |value: &Value| value.as_f64().expect("a number");
    let log_det = number(&state["precision"]["log_det"]) - 2.0 * (2.0 / (s * s)).ln();
    number(&state["squared_radius"]) - 2.0 + 2.0 * problem.delta.ln() - log_det
}

fn cell(excess: Option<f64>) -> String {
    excess.map_or_else(|| " - |".into(), |excess| format!(" {excess:.2} |"))
}

/// Mean over runs of the level minus the least loss of the set's own data over the ball.
fn mean_excess(
    radius: impl Fn(&Problem) -> optimist::Result<Radius>,
    Setting { s, dimension, longest }: Setting,
    declared: bool,
) -> f64 {
    let options = Problem { dimension, delta: 0.05, norm_bound: declared.then_some(s) };
    let run = |seed: u64| {
        let mut simulation = Simulation::new(dimension, s - 1.0, seed);
        let arms = simulation.ball_arms(OBSERVATIONS);
        let mut belief = Belief::with_radius(radius(&options).expect("sound options")).expect("sound options");
        for x in arms.iter() {
            let x: Vec<f64> = x.iter().map(|v| longest * v).collect();
            belief.observe(&x, simulation.reward(&x)).expect("a sound observation");
        }
        let set = belief.set();
        let mut least = Estimator::new(dimension);
        least.fit(set.history(), Penalty { ridge: set.ridge(), norm_bound: s }).expect("a sound penalty");
        set.level() - set.loss(least.theta())
    };
    (0..RUNS).map(run).sum::<f64>() / RUNS as f64
}
