//! A logistic bandit that is the same for every policy: parameter, arms and noise depend on the run's number alone.

use optimist::policy::Policy;
use optimist::{ArmSet, FiniteArms, Result, link};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::{Duration, Instant};

use crate::simulation::{Simulation, unit};

/// What the worlds of an experiment have in common.
#[derive(Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) dimension: usize,
    pub(crate) arms: usize,
    /// ||theta*||.
    pub(crate) norm: f64,
    /// The bound that policies are told.
    pub(crate) norm_bound: f64,
    pub(crate) delta: f64,
    pub(crate) rounds: usize,
    pub(crate) seeds: usize,
    /// Number of the first run: others make other worlds.
    pub(crate) first: usize,
    /// Rewards are handed over after this many rounds, all at once.
    pub(crate) batch: usize,
    /// Arms drawn afresh every round.
    pub(crate) changing: bool,
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Setting { dimension, arms, norm, norm_bound, delta, rounds, seeds, first, batch, changing } = self;
        let kappa = 2.0 + 2.0 * norm.cosh();
        let changing = if *changing { " (new ones every round)" } else { "" };
        write!(f, "d={dimension} K={arms}{changing}, ||theta*||={norm:.3} (kappa={kappa:.1}), S={norm_bound:.3}, ")?;
        write!(f, "delta={delta}, T={rounds}, {seeds} seeds")?;
        if *first > 0 {
            write!(f, " from {first}")?;
        }
        if *batch > 1 { write!(f, ", rewards after {batch} rounds each") } else { Ok(()) }
    }
}

/// What came of a run.
#[derive(Clone, Copy)]
pub(crate) struct Outcome {
    /// Pseudo-regret after half of the rounds.
    pub(crate) half: f64,
    /// Pseudo-regret after all.
    pub(crate) full: f64,
    /// Time spent in the policy.
    pub(crate) time: Duration,
}

struct World {
    simulation: Simulation,
    arms: ArmSet<'static>,
    means: Vec<f64>,
    best: f64,
}

impl World {
    fn new(setting: &Setting, run: usize) -> Self {
        let mut rng = stream(0, run);
        let theta = unit(&mut rng, setting.dimension).iter().map(|v| v * setting.norm).collect();
        let mut simulation = Simulation { theta, rng };
        let arms = simulation.ball_arms(setting.arms);
        let mut world = Self { simulation, arms: arms.clone().into(), means: Vec::new(), best: 0.0 };
        world.offer(arms);
        world
    }

    fn offer(&mut self, arms: FiniteArms<'static>) {
        let theta = &self.simulation.theta;
        let mean = |x: &[f64]| link::mean(x.iter().zip(theta).map(|(a, b)| a * b).sum());
        self.means.clear();
        self.means.extend(arms.iter().map(mean));
        self.best = self.means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.arms = arms.into();
    }
}

/// Randomness of run number `run`: one stream for each, of a generator for each purpose.
fn stream(purpose: u64, run: usize) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(purpose);
    rng.set_stream(run as u64);
    rng
}

/// Plays `policy` in world number `run`.
pub(crate) fn play(policy: &mut dyn Policy, setting: &Setting, run: usize) -> Result<Outcome> {
    let run = setting.first + run;
    let mut world = World::new(setting, run);
    let mut rng = stream(1, run);
    let mut pending = Vec::new();
    let mut outcome = Outcome { half: 0.0, full: 0.0, time: Duration::ZERO };
    for round in 1..=setting.rounds {
        if setting.changing && round > 1 {
            let arms = world.simulation.ball_arms(setting.arms);
            world.offer(arms);
        }
        // A success if the uniform number is below the mean: the same luck for every policy that plays this arm.
        let uniform: f64 = world.simulation.rng.random();
        let start = Instant::now();
        let choice = policy.choose(&world.arms, &mut rng)?;
        let mean = world.means[choice.index.expect("arms are a list")];
        pending.push((choice.features.into_owned(), f64::from(u8::from(uniform < mean))));
        if pending.len() >= setting.batch {
            for (x, reward) in pending.drain(..) {
                policy.observe(&x, reward)?;
            }
        }
        outcome.time += start.elapsed();
        outcome.full += world.best - mean;
        if round == setting.rounds / 2 {
            outcome.half = outcome.full;
        }
    }
    Ok(outcome)
}
