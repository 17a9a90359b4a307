//! One run: a policy plays a world, and the books are kept.

use std::time::{Duration, Instant};

use optimist::policy::{Choice, Policy};
use rand_chacha::ChaCha8Rng;

use super::delayed_feedback::{Arrival, DelayedFeedback, PendingReward};
use super::ledger::{Entry, Ledger};
use super::observer::{PlayedRound, Progress, RoundLog};
use super::record::Record;
use super::setting::Setting;
use super::streams::{Purpose, stream};
use super::world::World;
use crate::error::Result;
use crate::experiment::Coverage;

/// Rounds between two looks at the world outside.
const STRIDE: usize = 256;

/// Plays run number `run`; none if `progress` stopped it.
///
/// # Errors
/// If the policy refuses something, or the log cannot be written.
pub fn play(
    setting: &Setting<'_>,
    run: usize,
    progress: &dyn Progress,
    log: Option<&mut dyn RoundLog>,
) -> Result<Option<Record>> {
    let start = Instant::now();
    let (seed, policy) = (setting.experiment.seed, setting.policy()?);
    let world = setting.world(run)?;
    Runner {
        start,
        setting,
        run,
        world,
        rng: stream(seed, Purpose::Policy, run),
        feedback: DelayedFeedback::new(setting.environment.feedback, seed, run),
        ledger: Ledger::new(&setting.marks, setting.environment)?,
        coverage: coverage(setting, &*policy),
        plans_by_solving: setting.plans_by_solving(&*policy),
        policy,
        clock: Duration::ZERO,
    }
    .play(progress, log)
}

/// When it is looked whether theta* is in the policy's set: never, if it keeps none. Where arms have parameters of their own,
/// sets for the rows that they are handed out as know nothing of those of other arms. Where rewards do not follow theta*, there
/// is no truth to be in a set.
fn coverage(setting: &Setting<'_>, policy: &dyn Policy) -> Coverage {
    let environment = setting.environment;
    let is_asked = environment.arms.as_hybrid().is_none() && environment.no_truth().is_none();
    let has_set = policy.info().keeps_set && is_asked;
    if has_set { setting.experiment.coverage } else { Coverage::Off }
}

struct Runner<'a> {
    start: Instant,
    setting: &'a Setting<'a>,
    run: usize,
    world: World,
    policy: Box<dyn Policy>,
    /// Whether it plays the arm with the largest log-odds over its set.
    plans_by_solving: bool,
    rng: ChaCha8Rng,
    feedback: DelayedFeedback,
    ledger: Ledger<'a>,
    /// Off if the policy keeps no set.
    coverage: Coverage,
    /// Time spent in the policy.
    clock: Duration,
}

impl Runner<'_> {
    fn play(mut self, progress: &dyn Progress, mut log: Option<&mut dyn RoundLog>) -> Result<Option<Record>> {
        let horizon = self.setting.experiment.horizon;
        for t in 1..=horizon {
            if t > 1 {
                self.world.next_round()?;
            }
            self.round(t, &mut log)?;
            if t % STRIDE == 0 || t == horizon {
                progress.played((t - 1) % STRIDE + 1);
                // A run that is over is not thrown away.
                if t < horizon && progress.is_stopped() {
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
        if self.feedback.is_immediate() {
            return Ok(());
        }
        let start = Instant::now();
        while let Some(PendingReward { choice, reward }) = self.feedback.receive(t) {
            hand_over(&mut *self.policy, &choice, reward).map_err(|e| self.setting.failure(self.run, &e))?;
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
    fn round(&mut self, t: usize, log: &mut Option<&mut dyn RoundLog>) -> Result<()> {
        let (luck, is_flipped) = (self.world.next_luck(), self.world.next_flip());
        self.receive(t)?;
        let failure = |e| self.setting.failure(self.run, &e);
        let start = Instant::now();
        let choice = self.policy.choose(self.world.arms(), &mut self.rng).map_err(failure)?;
        self.clock += start.elapsed();
        // Policies that plan in closed form rank by other figures than the bound they name.
        let optimistic_log_odds = choice.optimistic_log_odds.filter(|_| self.plans_by_solving);
        let (arm, features) = (choice.index, &*choice.features);
        let play = self.world.look(arm, features);
        let reward = if luck < play.mean { 1.0 } else { 0.0 };
        self.ledger.enter(self.world.instance(), &Entry { play, row: choice.row(), optimistic_log_odds, reward })?;
        // The set of this round is the one from which the arm was chosen: its fit is there, and costs the policy's time.
        if self.is_looked_at(t) {
            let inside = self.policy.contains(self.world.theta()).map_err(failure)?;
            self.ledger.enter_coverage(t, inside);
        }
        if self.ledger.is_mark(t) {
            self.ledger.write(t);
        }
        let told = if is_flipped { 1.0 - reward } else { reward };
        let arrival = if self.feedback.is_immediate() { Arrival::Late(0) } else { self.feedback.next_arrival(t) };
        if let Some(log) = log {
            let best_mean = self.world.instance().best_mean();
            log.round(&PlayedRound { t, arm, features, play, best_mean, reward: told, arrival })?;
        }
        match arrival {
            // The common case needs no queue. Where some rewards are late, all go through it: older ones come first.
            Arrival::Late(_) if self.feedback.is_immediate() => {
                let start = Instant::now();
                hand_over(&mut *self.policy, &choice, told).map_err(failure)?;
                self.clock += start.elapsed();
            }
            Arrival::Late(late) => self.feedback.send(t, late, choice, told),
            // Nobody tells the policy: a play that it keeps account of stays open until it expires.
            Arrival::Lost => {}
        }
        Ok(())
    }
}

/// Hands a reward over: it settles the play, if the policy keeps account of those and has not given it up meanwhile.
fn hand_over(policy: &mut dyn Policy, choice: &Choice<'_>, reward: f64) -> optimist::Result<()> {
    match choice.play.map(|play| policy.settle(play, reward)) {
        None | Some(Err(optimist::Error::NoOpenPlay { .. })) => policy.observe_row(&choice.row(), reward),
        Some(settled) => settled,
    }
}
