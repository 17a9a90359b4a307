//! The policy beside others, in the laboratory.

use optimist_lab::Result;
use optimist_lab::experiment::read;
use optimist_lab::simulation::{Setting, Watch, play};

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

/// Nobody looks, and nobody stops the runs.
struct Quiet;

impl Watch for Quiet {
    fn played(&self, _rounds: usize) {}

    fn is_stopped(&self) -> bool {
        false
    }
}

/// Every policy of an experiment in one environment, with its mean regret after all rounds. Policies of one's own must be
/// registered before.
///
/// # Errors
/// If the text is not an experiment.
pub fn mean_regrets(experiment: &str) -> Result<Vec<(String, f64)>> {
    let experiment = read(experiment, ".".as_ref())?;
    let mut regrets = Vec::new();
    for contender in &experiment.policies {
        let setting = Setting::new(&experiment, &experiment.environments[0], contender);
        let mut sum = 0.0;
        for run in 0..experiment.runs {
            sum += play(&setting, run, &Quiet, None)?.map_or(0.0, |record| record.final_regret());
        }
        regrets.push((contender.label.clone(), sum / experiment.runs as f64));
    }
    Ok(regrets)
}
