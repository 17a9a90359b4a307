//! Plays the policy beside `optimist`: `cargo run --release`, or `cargo run --release -- ANOTHER.toml`.

use std::path::PathBuf;

use optimist_lab::experiment::read;
use optimist_lab::report::publish;
use optimist_lab::results::Summary;
use optimist_lab::run::{RunOptions, run};
use optimist_lab::store::Directory;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    my_policy::register()?;
    let file = std::env::args_os().nth(1).unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/experiment.toml").into());
    let file = PathBuf::from(file);
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let experiment = read(&text, file.parent().unwrap_or(".".as_ref()))?;
    // Runs that this very program has finished are kept there, and not run again.
    let directory = Directory::open(&PathBuf::from("results").join(&experiment.name), &experiment)?;
    let outcome = run(&experiment, &RunOptions::default(), &directory, &())?;
    publish(&directory, &outcome, false)?;
    for environment in Summary::of(&outcome).environments {
        println!("{}", environment.environment.label);
        for policy in environment.policies {
            let regret = policy.regret.ok_or("no run is finished")?;
            println!(
                "  {}: mean regret {:.1} (std {:.1}, {} runs)",
                policy.label, regret.mean, regret.std, policy.runs
            );
        }
    }
    println!("{}", directory.path().join("report.html").display());
    Ok(())
}
