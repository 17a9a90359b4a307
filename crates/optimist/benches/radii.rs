//! How large the confidence sets are: by how much the level exceeds the least loss in the ball, for every radius.
//!
//! `cargo bench -p optimist --bench radii` prints a Markdown table: 1,000 observations of arms drawn uniformly from the
//! unit ball, a true parameter of norm S - 1, delta = 0.05, the mean of ten runs.

#[path = "../tests/common/simulation.rs"]
mod simulation;

use optimist::Problem;
use optimist::set::Radius;
use optimist::{Belief, Estimator, Penalty};
use simulation::Simulation;

const OBSERVATIONS: usize = 1000;
const RUNS: u64 = 10;
const SETTINGS: [(f64, usize); 5] = [(2.0, 2), (4.0, 2), (8.0, 2), (4.0, 5), (8.0, 5)];

fn main() {
    println!("| radius |{}", SETTINGS.map(|(s, d)| format!(" S={s}, d={d} |")).concat());
    println!("|---|{}", "---:|".repeat(SETTINGS.len()));
    for info in Radius::all() {
        let excess = |(s, d): (f64, usize)| mean_excess(|options| Radius::by_name(info.name, options), s, d, Some(s));
        println!("| `{}` |{}", info.name, SETTINGS.map(excess).map(cell).concat());
        if !info.needs_norm_bound {
            let excess = |(s, d): (f64, usize)| mean_excess(|options| Radius::by_name(info.name, options), s, d, None);
            println!("| `{}`, S not declared |{}", info.name, SETTINGS.map(excess).map(cell).concat());
        }
    }
}

fn cell(excess: f64) -> String {
    format!(" {excess:.1} |")
}

/// Mean over runs of the level minus the least loss of the set's own data over the ball.
fn mean_excess(
    radius: impl Fn(&Problem) -> optimist::Result<Radius>,
    s: f64,
    dimension: usize,
    norm_bound: Option<f64>,
) -> f64 {
    let options = Problem { dimension, delta: 0.05, norm_bound };
    let run = |seed: u64| {
        let mut simulation = Simulation::new(dimension, s - 1.0, seed);
        let arms = simulation.ball_arms(OBSERVATIONS);
        let mut belief = Belief::with_radius(radius(&options).expect("sound options")).expect("sound options");
        for x in arms.iter() {
            belief.observe(x, simulation.reward(x)).expect("a sound observation");
        }
        let set = belief.set();
        let mut least = Estimator::new(dimension);
        least.fit(set.history(), Penalty { ridge: set.ridge(), norm_bound: s }).expect("a sound penalty");
        set.level() - set.loss(least.theta())
    };
    (0..RUNS).map(run).sum::<f64>() / RUNS as f64
}
