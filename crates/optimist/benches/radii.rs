//! How large the confidence sets are: by how much the level exceeds the least loss in the ball, for every radius.
//!
//! `cargo bench -p optimist --bench radii` prints a Markdown table: 1,000 observations of arms drawn uniformly from the
//! unit ball (or a larger one, where the heading says so), a true parameter of norm S - 1, delta = 0.05, the mean of ten
//! runs.

#[path = "../tests/common/simulation.rs"]
mod simulation;

use optimist::Problem;
use optimist::set::Radius;
use optimist::{Belief, Estimator, Penalty};
use simulation::Simulation;

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
