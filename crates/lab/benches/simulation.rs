//! What the simulation costs beside the policy: `cargo bench -p optimist-lab --bench simulation`.
//!
//! Exits with a failure if an aim is missed. Times of a shared machine vary; the overhead is a ratio within one run.

use std::num::NonZero;
use std::process::ExitCode;
use std::time::Instant;

use optimist_lab::experiment::{
    Arms, Coverage, Drift, Environment, Experiment, Feedback, NormBound, PolicySpec, Redraw, Rewards, Shape, Truth,
};
use optimist_lab::results::Summary;
use optimist_lab::run::{RunOptions, run};
use optimist_lab::store::Directory;

fn experiment(coverage: Coverage) -> Experiment {
    let arms = Arms::Drawn { shape: Shape::Ball, count: 40, redraw: Redraw::Run };
    let environment = Environment {
        label: None,
        dimension: 2,
        arms,
        truth: Truth::Kappa(50.0),
        norm_bound: NormBound::Exact,
        feedback: Feedback::default(),
        drift: Drift::None,
        rewards: Rewards::default(),
    };
    Experiment {
        name: "overhead".into(),
        seed: 1,
        runs: 50,
        horizon: 4000,
        delta: 0.05,
        checkpoints: vec![4000],
        coverage,
        environments: vec![environment],
        policies: vec![PolicySpec::plain("optimist")],
    }
}

/// Seconds of the whole, and time beside the policy as a fraction of the policy's own.
fn measure(coverage: Coverage, jobs: Option<NonZero<usize>>) -> optimist_lab::Result<(f64, f64)> {
    let (experiment, place) =
        (experiment(coverage), std::env::temp_dir().join(format!("overhead-{}", std::process::id())));
    let start = Instant::now();
    let directory = Directory::open(&place, &experiment)?;
    let options = RunOptions { jobs, ..RunOptions::default() };
    let summary = Summary::of(&run(&experiment, &options, &directory, &())?);
    let seconds = start.elapsed().as_secs_f64();
    drop(directory);
    // The next measurement must not find finished runs.
    let _ = std::fs::remove_dir_all(&place);
    Ok((seconds, summary.environments[0].policies[0].overhead.unwrap_or(f64::NAN)))
}

fn main() -> ExitCode {
    println!("optimist, d=2, 40 arms, kappa=50, 50 runs of 4,000 rounds");
    let mut is_met = true;
    let one = NonZero::new(1);
    for (label, coverage, jobs) in [
        ("theta* looked for in every round, one thread", Coverage::Rounds, one),
        ("at checkpoints only, one thread", Coverage::Checkpoints, one),
        ("in every round, all cores", Coverage::Rounds, None),
    ] {
        match measure(coverage, jobs) {
            Ok((seconds, overhead)) => {
                println!("{label}: {seconds:.2} s (aim 6), simulation / policy {overhead:.3} (aim 0.2)");
                is_met &= seconds < 6.0 && overhead < 0.2;
            }
            Err(e) => {
                println!("{label}: {e}");
                is_met = false;
            }
        }
    }
    if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
