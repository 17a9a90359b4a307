//! A rule made into a policy: input checked, rounds counted, arms certified and eliminated, state stored.

mod certifying;
mod growing;
mod picking;
mod snapshot;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use rand::Rng;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::picking::Chosen;
use super::choice::{Certified, CertifiedList, Choice, Claim, Insurance, Place, Probabilities};
use super::common::{Certify, Common};
use super::info::{ArmKind, PolicyInfo};
use super::memory::Memory;
use super::plays::{Plays, TWICE};
use super::rule::{Options, Rule};
use super::shortlist::Shortlist;
use super::snapshot::{Counts, Snapshot};
use super::{Policy, options};
use crate::arms::{ArmSet, CatalogueArms, FiniteArms};
use crate::belief::Belief;
use crate::error::{Error, Result, check_count, check_norm, check_vector};
use crate::history::check_observation;
use crate::plan::Answers;
use crate::posterior::Row;
use crate::problem::Problem;
use crate::set::Mixture;

/// A policy made of a rule.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Agent<R: Rule> {
    problem: Problem,
    options: R::Options,
    common: Common,
    rule: R,
    /// The mixture set, if it is asked for and the rule does not keep it itself.
    certifier: Option<Belief>,
    shortlist: Shortlist,
    plays: Plays,
    rounds: u64,
    rewards: u64,
    #[serde(skip)]
    answers: Option<Box<Answers>>,
    /// The snapshot of this state, if one was asked for: the next costs nothing until something new is learnt or chosen.
    #[serde(skip)]
    latest: OnceLock<Arc<Self>>,
}

impl<R: Rule> Agent<R> {
    /// A policy before any data.
    ///
    /// # Errors
    /// If the problem or an option is out of range or missing, or there is no norm bound and the rule needs one.
    pub fn new(problem: &Problem, options: &R::Options, common: Common) -> Result<Self> {
        problem.validate()?;
        options.validate()?;
        common.validate::<R>(options, problem.dimension)?;
        if R::INFO.needs_norm_bound && problem.norm_bound.is_none() {
            return Err(Error::Missing { field: "norm_bound", needed_by: R::INFO.name });
        }
        let mut rule = R::new(problem, options)?;
        if common.certify == Certify::Off {
            rule.forgo_certificates();
        }
        let missing = common.certify == Certify::Mixture && rule.belief().is_none() && rule.sets_per_arm().is_none();
        let certifier =
            missing.then(|| Belief::new(problem.dimension, problem.norm_bound, problem.delta)).transpose()?;
        let mut agent = Self {
            problem: *problem,
            options: options.clone(),
            common,
            rule,
            certifier,
            shortlist: Shortlist::default(),
            plays: Plays::default(),
            rounds: 0,
            rewards: 0,
            answers: None,
            latest: OnceLock::new(),
        };
        agent.limit_memory()?;
        Ok(agent)
    }

    /// Tells the mixture set how many rows it may keep.
    fn limit_memory(&mut self) -> Result<()> {
        let memory = self.common.memory;
        let keeps = self.rule.belief().is_some() || self.rule.sets_per_arm().is_some();
        let can = R::CONSOLIDATES && keeps || self.certifier.is_some();
        // A default asks for nothing where there is no set.
        let asked = memory != Memory::All && (memory != Memory::Auto || keeps);
        if asked && !can {
            let what = format!(
                "is {memory}: \"{}\" needs all of its observations, or keeps no mixture set (certify); use null",
                R::INFO.name
            );
            return Err(Error::Option { field: "memory".into(), what });
        }
        let rows = memory.rows(self.problem.dimension);
        if let Some(sets) = self.rule.sets_per_arm_mut() {
            sets.limit_memory(rows)?;
        }
        self.mixture_mut().map_or(Ok(()), |belief| belief.limit_memory(rows))
    }

    /// The rule, to look at. What it says is as of the last question, choice or refresh, and may lag behind the
    /// observations.
    pub fn rule(&self) -> &R {
        &self.rule
    }

    /// From what [`document`] read.
    pub(super) fn restore(state: &mut dyn erased_serde::Deserializer<'_>) -> Result<Box<dyn Policy>> {
        let failed = |what: String| Error::Document { what: format!("does not hold a \"{}\": {what}", R::INFO.name) };
        let mut agent: Self = erased_serde::deserialize(state).map_err(|e| failed(e.to_string()))?;
        agent.problem.validate()?;
        agent.options.validate()?;
        agent.common.validate::<R>(&agent.options, agent.problem.dimension)?;
        check_count("rounds", agent.rounds)?;
        check_count("rewards", agent.rewards)?;
        let d = agent.problem.dimension;
        agent.rule.check(d)?;
        if agent.certifier.as_ref().is_some_and(|belief| belief.dimension() != d) {
            return Err(failed("its certifier has another dimension".into()));
        }
        agent.shortlist.check(d)?;
        agent.plays.check(d)?;
        if agent.common.certify == Certify::Mixture && agent.rule.sets_per_arm().is_none() {
            let promised = Mixture::promise(&agent.problem);
            if agent.mixture().is_none_or(|belief| belief.guarantee() != promised) {
                return Err(failed("its mixture set is missing or another than its problem says".into()));
            }
        }
        let memory = agent.common.memory.rows(d);
        if agent.mixture().is_some_and(|belief| belief.memory() != memory) {
            return Err(failed("its mixture set keeps another number of rows than its options say".into()));
        }
        let longest = agent.mixture().map_or(0.0, |belief| belief.history().max_norm());
        agent.check_norm("the longest arm of the history", longest)?;
        agent.answers = None;
        Ok(Box::new(agent))
    }

    fn check_dimension(&self, got: usize) -> Result<()> {
        let expected = self.problem.dimension;
        if got == expected { Ok(()) } else { Err(Error::Dimension { field: "an arm".into(), expected, got }) }
    }

    fn check_arms(&self, arms: &ArmSet<'_>) -> Result<()> {
        if let ArmSet::Catalogue(list) = arms {
            self.check_context(list)?;
        }
        self.check_dimension(arms.dimension())?;
        // Whether a row fits is a matter of its form.
        let first = if let ArmSet::Catalogue(_) = arms { Some(Row::Dense(&[])) } else { arms.row(0) };
        match first {
            Some(row) => {
                self.rule.check_row(&row)?;
                self.check_norm("the longest arm", arms.max_norm())
            }
            None => Ok(()),
        }
    }

    /// Arms of a catalogue have as many features as its items times as many as the context.
    fn check_context(&self, arms: &CatalogueArms<'_>) -> Result<()> {
        let (d, m, q) = (self.problem.dimension, arms.context().len(), arms.catalogue().item_dimension());
        if m * q == d {
            return Ok(());
        }
        let remedy = match d.checked_rem(q) {
            Some(0) => format!("give a context of {}", d / q),
            _ => format!("no context fits, build it for a multiple of {q}"),
        };
        let what = format!(
            "has {m} entries, which times the {q} features of an item is {}: the policy was built for {d}; {remedy}",
            m * q
        );
        Err(Error::Option { field: "context".into(), what })
    }

    /// Whether a row has the right form and length and is finite.
    fn check_row(&self, row: &Row<'_>) -> Result<()> {
        row.check(self.problem.dimension)?;
        self.rule.check_row(row)
    }

    /// The same for a list.
    fn check_list(&self, arms: &FiniteArms<'_>) -> Result<()> {
        self.check_dimension(arms.dimension())?;
        self.rule.check_row(&Row::Dense(arms.arm(0)))
    }

    fn check_norm(&self, field: &str, length: f64) -> Result<()> {
        check_norm(field, length, self.rule.feature_bound(), || R::INFO.name)
    }

    fn check_observation(&self, row: &Row<'_>, reward: f64) -> Result<()> {
        self.check_row(row)?;
        // The numbers as such, however many a sparse row has of them.
        check_observation(row.values(), reward, row.values().len())?;
        self.check_norm("x", row.norm())
    }

    /// Learns an observation that has been checked.
    fn learn(&mut self, row: &Row<'_>, reward: f64) {
        self.latest.take();
        let mut memory = Vec::new();
        match row {
            Row::Dense(x) => self.rule.learn(x, reward),
            row => self.rule.learn_row(&self.as_known(row, &mut memory), reward),
        }
        if let Some(belief) = &mut self.certifier {
            belief.record(row.dense(self.problem.dimension, &mut memory), reward, 1);
        }
        self.rewards += 1;
    }

    /// Learns the reward of a play that is open, both of which have been checked.
    fn learn_play(&mut self, play: u64, reward: f64) -> Result<()> {
        let play = self.plays.close(play)?;
        self.rule.take_back(&play.row(), play.weight, self.plays.len());
        self.learn(&play.row(), reward);
        Ok(())
    }

    /// A row in a form that the rule knows: with its zeros, if that does not know sparse arms.
    fn as_known<'a>(&self, row: &Row<'a>, memory: &'a mut Vec<f64>) -> Row<'a> {
        match row {
            Row::Sparse { .. } if !R::INFO.arm_sets.contains(&ArmKind::Sparse) => {
                row.write_out(self.problem.dimension, memory);
                Row::Dense(memory)
            }
            row => *row,
        }
    }

    /// Counts a play whose reward is still out as if that were known, if the rule does so, and gives up those that are too
    /// old. Returns the number of the play.
    fn lend(&mut self, place: &Place<'_>, features: &[f64]) -> Option<u64> {
        let longest = self.rule.lends()?;
        while let Some(play) = self.plays.expire(self.rounds, longest) {
            self.rule.take_back(&play.row(), play.weight, self.plays.len());
        }
        let weight = self.rule.lend(&place.row(features));
        Some(self.plays.open(self.rounds, place, features, weight))
    }

    /// The mixture set that certifies and eliminates: the rule's, or one that is kept beside it.
    fn mixture(&self) -> Option<&Belief> {
        self.certifier.as_ref().or_else(|| self.rule.belief())
    }

    fn mixture_mut(&mut self) -> Option<&mut Belief> {
        self.certifier.as_mut().or_else(|| self.rule.belief_mut())
    }

    /// Brings up to date whatever questions may be about.
    fn refresh(&mut self) {
        self.rule.refresh();
        self.rule.refresh_set();
        if self.common.certify != Certify::Mixture {
            return;
        }
        if let Some(belief) = self.mixture_mut() {
            belief.refresh();
        } else if let Some(sets) = self.rule.sets_per_arm_mut() {
            sets.refresh();
        }
    }
}

impl<R: Rule> Policy for Agent<R> {
    fn info(&self) -> &'static PolicyInfo {
        R::INFO
    }

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn options(&self) -> Result<Value> {
        options::to_value::<R>(&self.options, self.common)
    }

    fn choose<'a>(&mut self, arms: &'a ArmSet<'_>, rng: &mut dyn Rng) -> Result<Choice<'a>> {
        self.check_arms(arms)?;
        self.latest.take();
        // A choice is a look, though most rules do without the set: now and then it is needed to forget.
        if let Some(belief) = self.mixture_mut() {
            belief.look_if_crowded();
        } else if let Some(sets) = self.rule.sets_per_arm_mut() {
            sets.look_if_crowded();
        }
        let round = self.rounds + 1;
        let Chosen { index, id, features, place, bounds } = self.choose_from(arms, round, rng)?;
        if !R::PICKS_BLINDLY {
            self.rule.refresh();
        }
        self.rounds = round;
        let log_odds = match &place {
            Place::Dense => self.rule.log_odds(&features),
            place => self.rule.log_odds_of(&place.row(&features)),
        };
        let (optimistic_log_odds, certificate) = (bounds.1, self.certificate(bounds));
        let play = self.lend(&place, &features);
        Ok(Choice { index, id, features, place, play, log_odds, optimistic_log_odds, certificate })
    }

    fn observe_row(&mut self, row: &Row<'_>, reward: f64) -> Result<()> {
        self.check_observation(row, reward)?;
        self.learn(row, reward);
        Ok(())
    }

    fn observe_rows(&mut self, outcomes: &[(Row<'_>, f64)]) -> Result<()> {
        // All are checked before the first is learnt, and learning cannot fail: all or nothing.
        for (i, (row, reward)) in outcomes.iter().enumerate() {
            self.check_observation(row, *reward).map_err(|e| e.at_row(i))?;
        }
        outcomes.iter().for_each(|(row, reward)| self.learn(row, *reward));
        Ok(())
    }

    fn settle(&mut self, play: u64, reward: f64) -> Result<()> {
        self.check_observation(&self.plays.get(play)?.row(), reward)?;
        self.learn_play(play, reward)
    }

    fn settle_many(&mut self, outcomes: &[(u64, f64)]) -> Result<()> {
        let mut seen = BTreeSet::new();
        for (i, (play, reward)) in outcomes.iter().enumerate() {
            self.check_observation(&self.plays.get(*play)?.row(), *reward).map_err(|e| e.at_row(i))?;
            // The first settles it.
            if !seen.insert(play) {
                return Err(Error::NoOpenPlay { play: *play, why: TWICE });
            }
        }
        outcomes.iter().try_for_each(|(play, reward)| self.learn_play(*play, *reward))
    }

    fn give_up(&mut self, play: u64) -> Result<()> {
        let play = self.plays.close(play)?;
        self.latest.take();
        self.rule.take_back(&play.row(), play.weight, self.plays.len());
        Ok(())
    }

    fn open_plays(&self) -> usize {
        self.plays.len()
    }

    fn observe_many(&mut self, rows: &[f64], rewards: &[f64]) -> Result<()> {
        let d = self.problem.dimension;
        if rows.len() != rewards.len() * d {
            let (numbers, count) = (rows.len(), rewards.len());
            let what =
                format!("has {numbers} numbers for {count} rewards: with {d} features each it must be {}", count * d);
            return Err(Error::Option { field: "rows".into(), what });
        }
        // As above.
        for (i, (x, reward)) in rows.chunks_exact(d).zip(rewards).enumerate() {
            self.check_observation(&Row::Dense(x), *reward).map_err(|e| e.at_row(i))?;
        }
        rows.chunks_exact(d).zip(rewards).for_each(|(x, reward)| self.learn(&Row::Dense(x), *reward));
        Ok(())
    }

    fn grow(&mut self, dimension: usize, own: usize) -> Result<()> {
        // All or nothing.
        let mut grown = self.clone();
        grown.take_in(dimension, own)?;
        *self = grown;
        Ok(())
    }

    fn prime(&mut self, row: &Row<'_>, reward: f64) -> Result<bool> {
        self.check_observation(row, reward)?;
        self.latest.take();
        let mut memory = Vec::new();
        let learnt = self.rule.prime(&self.as_known(row, &mut memory), reward);
        self.rewards += u64::from(learnt);
        Ok(learnt)
    }

    fn estimate(&mut self) -> &[f64] {
        self.rule.refresh();
        self.rule.estimate()
    }

    fn log_odds_of_row(&mut self, row: &Row<'_>) -> Result<f64> {
        self.check_row(row)?;
        self.rule.refresh();
        Ok(self.rule.log_odds_of(row))
    }

    fn claim(&self) -> Claim {
        self.rule.claim()
    }

    fn interval_of_row(&mut self, row: &Row<'_>) -> Result<Certified> {
        self.check_row(row)?;
        self.answer(|this, answers| this.certified(row, answers))
    }

    fn intervals(&mut self, arms: &FiniteArms<'_>) -> Result<CertifiedList> {
        self.check_list(arms)?;
        self.answer(|this, answers| this.certified_list(arms, answers))
    }

    fn contains(&mut self, theta: &[f64]) -> Result<bool> {
        check_vector("theta", theta, self.problem.dimension)?;
        self.rule.refresh();
        self.rule.refresh_set();
        self.rule.contains(theta)
    }

    fn probabilities(&mut self, arms: &ArmSet<'_>, draws: usize, rng: &mut dyn Rng) -> Result<Probabilities> {
        let count = self.require_list(arms)?;
        // A rule that does not look at what it knows needs no copy of it.
        if R::PICKS_BLINDLY
            && !matches!(arms, ArmSet::Finite(_))
            && let Some(known) = self.exact_of_rows(arms, count)?
        {
            return Ok(known.mixed(self.common.explore));
        }
        // Whatever a pick changes is changed in a copy.
        let mut copy = self.clone();
        copy.rule.refresh();
        copy.rule.refresh_set();
        copy.into_probabilities(arms, draws, rng)
    }

    fn snapshot(&self) -> Arc<dyn Snapshot> {
        // It is the copy that is brought up to date: a fit of our own would start later ones elsewhere.
        let latest = self.latest.get_or_init(|| {
            let mut copy = self.clone();
            copy.refresh();
            Arc::new(copy)
        });
        latest.clone()
    }

    fn counts(&self) -> Counts {
        Counts { rounds: self.rounds, rewards: self.rewards }
    }

    fn solves(&self) -> Option<u64> {
        self.rule.solves()
    }

    fn insurance(&self) -> Option<Insurance> {
        self.rule.insurance()
    }

    fn state(&self) -> &dyn erased_serde::Serialize {
        self
    }

    fn boxed_clone(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
