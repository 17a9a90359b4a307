//! The policy beside others, in the laboratory.

use optimist_lab::Result;
use optimist_lab::experiment::read;
use optimist_lab::run::{RunOptions, run};
use optimist_lab::store::Memory;

/// The experiment, as it could stand in a file.
pub const EXPERIMENT: &str = r#"
name = "own-policy"
seed = 1
runs = 10
horizon = 500

[environment]
dimension = 2
arms = { kind = "ball-sample", count = 10 }
kappa = 20.0

[[policy]]
name = "boltzmann"
sharpness = 2.0

[[policy]]
name = "optimist"

[[policy]]
name = "uniform"
"#;

/// The policies of an experiment, each with its mean regret after all rounds. Those of one's own must be registered before.
///
/// # Errors
/// If the text is not an experiment, or a policy refuses it.
pub fn mean_regrets(experiment: &str) -> Result<Vec<(String, f64)>> {
    let experiment = read(experiment, ".".as_ref())?;
    let outcome = run(&experiment, &RunOptions::default(), &Memory::default(), &())?;
    let mean = |regrets: Vec<f64>| regrets.iter().sum::<f64>() / regrets.len() as f64;
    Ok(outcome.policies().map(|runs| (runs.spec.label.clone(), mean(runs.final_regrets()))).collect())
}
