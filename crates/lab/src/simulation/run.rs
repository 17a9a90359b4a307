//! One run: a policy plays a world, and the books are kept.

use std::time::{Duration, Instant};

use optimist::Problem;
use optimist::policy::Policy;
use rand_chacha::ChaCha8Rng;

use super::ledger::{Entry, Ledger};
use super::mail::{Fate, Mail};
use super::streams::{Purpose, stream};
use super::world::{Play, World};
use crate::error::{Error, Result};
use crate::experiment::{Contender, Coverage, Environment, Experiment};
use crate::record::Record;

/// What the runs of one policy in one environment have in common.
#[derive(Debug, Clone)]
pub struct Setting<'a> {
    experiment: &'a Experiment,
    environment: &'a Environment,
    contender: &'a Contender,
    marks: Vec<usize>,
}

/// Follows the work from outside, from several threads at once.
pub trait Watch: Sync {
    /// So many more rounds have been played.
    fn played(&self, rounds: usize);
    /// Whether to stop as soon as possible.
    fn is_stopped(&self) -> bool;
}

/// A round as it happened.
#[derive(Debug, Clone, Copy)]
pub struct Round<'a> {
    /// Its number, from one.
    pub t: usize,
    /// The arm's number, if the arms are a list.
    pub arm: Option<usize>,
    /// Its features.
    pub features: &'a [f64],
    /// What the truth says about it.
    pub play: Play,
    /// The success probability of the best arm.
    pub best_mean: f64,
    /// The reward.
    pub reward: f64,
    /// What becomes of the reward.
    pub fate: Fate,
}

/// Takes down every round of a run.
pub trait Log {
    /// Takes down a round.
    ///
    /// # Errors
    /// If it cannot be written.
    fn round(&mut self, round: &Round<'_>) -> Result<()>;
}

/// Rounds between two looks at the world outside.
const STRIDE: usize = 256;

impl<'a> Setting<'a> {
    /// A policy of the experiment in an environment of it.
    pub fn new(experiment: &'a Experiment, environment: &'a Environment, contender: &'a Contender) -> Self {
        Self { experiment, environment, contender, marks: experiment.marks() }
    }

    /// The policy before its first round, told what the environment says that it is told.
    ///
    /// # Errors
    /// If the registry refuses an option or the problem.
    pub fn policy(&self) -> Result<Box<dyn Policy>> {
        let norm_bound = self.environment.norm_bound.value(self.environment.truth.norm());
        let problem = Problem { dimension: self.environment.dimension, delta: self.experiment.delta, norm_bound };
        self.contender.build(&problem, self.experiment.horizon)
    }

    /// The bandit of a run.
    ///
    /// # Errors
    /// If arms of a list are refused.
    pub fn world(&self, run: usize) -> Result<World> {
        World::new(self.environment, self.experiment.seed, run)
    }

    /// Plays the first round of the first run, so that what a policy refuses is known before long work begins.
    ///
    /// # Errors
    /// If the policy refuses its options, the problem or the arms.
    pub fn check(&self) -> Result<()> {
        let (world, mut policy) = (self.world(0)?, self.policy()?);
        let mut rng = stream(self.experiment.seed, Purpose::Policy, 0);
        policy.choose(world.arms(), &mut rng).map(drop).map_err(|e| self.failure(0, &e))
    }

    fn failure(&self, run: usize, error: &optimist::Error) -> Error {
        let (label, environment) = (&self.contender.label, self.environment);
        Error::input(format!("policy \"{label}\" in \"{environment}\", run {run}: {error}"))
    }
}

/// Plays run number `run`; none if the watch stopped it.
///
/// # Errors
/// If the policy refuses something, or the log cannot be written.
pub fn play(setting: &Setting<'_>, run: usize, watch: &dyn Watch, log: Option<&mut dyn Log>) -> Result<Option<Record>> {
    let start = Instant::now();
    let (seed, policy) = (setting.experiment.seed, setting.policy()?);
    let world = setting.world(run)?;
    let coverage = if policy.info().keeps_set { setting.experiment.coverage } else { Coverage::Off };
    Runner {
        start,
        setting,
        run,
        world,
        rng: stream(seed, Purpose::Policy, run),
        mail: Mail::new(setting.environment.feedback, seed, run),
        ledger: Ledger::new(&setting.marks, setting.environment.dimension),
        coverage,
        plans: policy.solves().is_some(),
        policy,
        clock: Duration::ZERO,
    }
    .play(watch, log)
}

struct Runner<'a> {
    start: Instant,
    setting: &'a Setting<'a>,
    run: usize,
    world: World,
    policy: Box<dyn Policy>,
    /// Whether it plays the arm with the largest log-odds over its set.
    plans: bool,
    rng: ChaCha8Rng,
    mail: Mail,
    ledger: Ledger<'a>,
    /// Off if the policy keeps no set.
    coverage: Coverage,
    /// Time spent in the policy.
    clock: Duration,
}

impl Runner<'_> {
    fn play(mut self, watch: &dyn Watch, mut log: Option<&mut dyn Log>) -> Result<Option<Record>> {
        let horizon = self.setting.experiment.horizon;
        for t in 1..=horizon {
            if t > 1 {
                self.world.next_round()?;
            }
            self.round(t, &mut log)?;
            if t % STRIDE == 0 || t == horizon {
                watch.played((t - 1) % STRIDE + 1);
                // A run that is over is not thrown away.
                if t < horizon && watch.is_stopped() {
                    return Ok(None);
                }
            }
        }
        // What would be there before a further choice is learnt as well.
        self.receive(horizon + 1)?;
        let (solves, rewards_seen) = (self.policy.solves(), self.policy.counts().rewards);
        let (policy_seconds, seconds) = (self.clock.as_secs_f64(), self.start.elapsed().as_secs_f64());
        Ok(Some(Record { solves, rewards_seen, policy_seconds, seconds, ..self.ledger.close() }))
    }

    /// What has arrived before the choice of round `t` is learnt.
    fn receive(&mut self, t: usize) -> Result<()> {
        if self.mail.is_immediate() {
            return Ok(());
        }
        let start = Instant::now();
        while let Some((x, reward)) = self.mail.receive(t) {
            self.policy.observe(x, reward).map_err(|e| self.setting.failure(self.run, &e))?;
        }
        self.clock += start.elapsed();
        Ok(())
    }

    /// Whether it is checked in round `t` that theta* is in the policy's set.
    fn is_looked_at(&self, t: usize) -> bool {
        match self.coverage {
            Coverage::Rounds => true,
            Coverage::Checkpoints => self.setting.experiment.checkpoints.binary_search(&t).is_ok(),
            Coverage::Off => false,
        }
    }

    /// A round: what has arrived is learnt, an arm is chosen, the books are kept.
    fn round(&mut self, t: usize, log: &mut Option<&mut dyn Log>) -> Result<()> {
        let luck = self.world.next_luck();
        self.receive(t)?;
        let failure = |e| self.setting.failure(self.run, &e);
        let start = Instant::now();
        let choice = self.policy.choose(self.world.arms(), &mut self.rng).map_err(failure)?;
        self.clock += start.elapsed();
        // Policies that plan in closed form rank by other figures than the bound they name.
        let hope = choice.optimistic_log_odds.filter(|_| self.plans);
        let (arm, features) = (choice.index, choice.features);
        let play = self.world.look(arm, &features);
        let reward = if luck < play.mean { 1.0 } else { 0.0 };
        self.ledger.enter(self.world.instance(), &Entry { play, features: &features, hope, reward });
        let is_mark = self.ledger.is_mark(t);
        // The set of this round is the one from which the arm was chosen: its fit is there, and costs the policy's time.
        if self.is_looked_at(t) {
            let inside = self.policy.contains(self.world.theta()).map_err(failure)?;
            self.ledger.enter_coverage(t, inside);
        }
        let fate = if self.mail.is_immediate() { Fate::Late(0) } else { self.mail.next_fate() };
        match fate {
            // The common case needs no queue. Where some rewards are late, all go through it: older ones come first.
            Fate::Late(_) if self.mail.is_immediate() => {
                let start = Instant::now();
                self.policy.observe(&features, reward).map_err(failure)?;
                self.clock += start.elapsed();
            }
            Fate::Late(late) => self.mail.send(t, late, &features, reward),
            Fate::Lost => {}
        }
        if is_mark {
            self.ledger.write(t);
        }
        if let Some(log) = log {
            let best_mean = self.world.instance().best_mean();
            log.round(&Round { t, arm, features: &features, play, best_mean, reward, fate })?;
        }
        Ok(())
    }
}
