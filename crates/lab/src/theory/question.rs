//! Questions to the theory that no experiment asks: one instance, written down.

use std::path::PathBuf;

use optimist::FiniteArms;
use optimist::numerics::norm;

use super::statement::{Effort, Statement};
use crate::error::{Error, Result};
use crate::experiment::{
    Arms, Coverage, Drift, Environment, Experiment, Feedback, List, NormBound, PolicySpec, Rewards, Truth, read_arms,
};

const HORIZON: usize = 10_000;
const DELTA: f64 = 0.05;
/// More rounds than this are not counted by doubles.
const HORIZON_MOST: usize = 1_000_000_000_000_000;

/// An instance.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The parameter theta*.
    pub theta: Vec<f64>,
    /// What may be played.
    pub arms: AskedArms,
    /// The bound on its norm that policies are told; the norm itself if absent.
    pub norm_bound: Option<f64>,
}

/// What may be played.
#[derive(Debug, Clone)]
pub enum AskedArms {
    /// Nobody has said.
    Missing,
    /// A list in a file, one arm per line.
    File(PathBuf),
    /// A list.
    Rows(Vec<Vec<f64>>),
    /// The unit ball in so many dimensions.
    Ball(usize),
    /// The unit sphere in so many dimensions.
    Sphere(usize),
}

impl Asked {
    /// An experiment with this one instance, and the policies whose regret the theory bounds.
    ///
    /// # Errors
    /// If something is missing or does not fit.
    pub fn experiment(&self) -> Result<Experiment> {
        check_theta(&self.theta, self.norm_bound)?;
        let environment = Environment {
            label: None,
            dimension: self.theta.len(),
            arms: arms(&self.arms, self.theta.len())?,
            norm_bound: self.norm_bound.map_or(NormBound::Exact, NormBound::Value),
            truth: Truth::Theta(self.theta.clone()),
            feedback: Feedback::default(),
            drift: Drift::None,
            rewards: Rewards::default(),
        };
        Ok(Experiment {
            name: "theory".to_owned(),
            seed: 1,
            runs: 1,
            horizon: HORIZON,
            delta: DELTA,
            checkpoints: vec![HORIZON],
            coverage: Coverage::Off,
            environments: vec![environment],
            policies: ["ofulog", "ofulog-r", "optimist"].map(PolicySpec::plain).to_vec(),
        })
    }
}

/// What theory says of run number `run` in every environment of an experiment.
///
/// # Errors
/// If horizon, delta or run cannot be, or there is nothing to say of such arms.
pub fn statements(experiment: &Experiment, run: usize, effort: Effort) -> Result<Vec<Statement>> {
    check(experiment, run)?;
    experiment.environments.iter().map(|environment| Statement::of(experiment, environment, run, effort)).collect()
}

fn check(experiment: &Experiment, run: usize) -> Result<()> {
    let Experiment { delta, horizon, runs, .. } = *experiment;
    let refuse = |text: String| Err(Error::input(text));
    if !(delta > 0.0 && delta < 1.0) {
        return refuse(format!("--delta is {delta}: give a number between 0 and 1, such as 0.05"));
    }
    if horizon > HORIZON_MOST {
        return refuse(format!("--horizon is {horizon}: give {HORIZON_MOST} at most"));
    }
    if run >= runs {
        return refuse(format!("--run is {run}: runs are numbered from 0, and there are {runs}"));
    }
    Ok(())
}

fn check_theta(theta: &[f64], norm_bound: Option<f64>) -> Result<()> {
    if let Some(value) = theta.iter().find(|value| !value.is_finite()) {
        return Err(Error::input(format!("--theta has {value}: give finite numbers, such as 3,1")));
    }
    let length = norm(theta);
    match norm_bound {
        Some(bound) if !(bound.is_finite() && bound > 0.0) => {
            Err(Error::input(format!("--norm-bound is {bound}: give a finite number above 0")))
        }
        Some(bound) if bound * (1.0 + 1e-12) < length => {
            Err(Error::input(format!("--norm-bound is {bound}, below the norm {length} of theta: raise it")))
        }
        None if length == 0.0 => {
            Err(Error::input("--theta is zero: give --norm-bound as well, a bound on what it might be".to_owned()))
        }
        _ => Ok(()),
    }
}

fn arms(asked: &AskedArms, dimension: usize) -> Result<Arms> {
    let checked = |option: &str, given: usize, arms| {
        if given == dimension {
            return Ok(arms);
        }
        let text = format!("--{option} is {given} and --theta has {dimension} numbers: give as many");
        Err(Error::input(text))
    };
    match asked {
        AskedArms::File(path) => {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            list(&path.display().to_string(), name, read_arms(path)?, dimension)
        }
        AskedArms::Rows(rows) => list("--arms", None, rows.clone(), dimension),
        AskedArms::Ball(ball) => checked("ball", *ball, Arms::Ball),
        AskedArms::Sphere(sphere) => checked("sphere", *sphere, Arms::Sphere),
        AskedArms::Missing => Err(Error::input("no arms: give --arms FILE, --ball D or --sphere D beside --theta")),
    }
}

/// A list; `place` is what messages call it.
fn list(place: &str, name: Option<String>, list: Vec<Vec<f64>>, dimension: usize) -> Result<Arms> {
    let features = list.first().map_or(0, Vec::len);
    if features != dimension {
        let text = format!("{place}: arms have {features} features and --theta has {dimension} numbers: give as many");
        return Err(Error::input(text));
    }
    // What arms must be is the library's to say.
    FiniteArms::from_rows(&list).map_err(|e| Error::input(format!("{place}: {e}")))?;
    Ok(Arms::List(List::new(name, list)))
}
