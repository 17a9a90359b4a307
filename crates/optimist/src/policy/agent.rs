//! A rule made into a policy: input checked, rounds counted, arms certified and eliminated, state stored.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::choice::{Certificate, Certified, CertifiedList, Choice, Claim, Insurance, Place, Probabilities};
use super::common::{Certify, Common};
use super::info::{ArmKind, PolicyInfo};
use super::memory::Memory;
use super::plays::Plays;
use super::rule::{Options, Pick, Round, Rule, undefined};
use super::shortlist::Shortlist;
use super::snapshot::{Counts, Snapshot};
use super::{Policy, options};
use crate::arms::{ArmSet, FiniteArms};
use crate::belief::Belief;
use crate::error::{Error, Result, check_count, check_norm, check_number, check_vector};
use crate::fit::Estimator;
use crate::history::check_observation;
use crate::plan::{Answers, Interval};
use crate::posterior::Row;
use crate::problem::Problem;
use crate::set::guarantee::{MEAN, ONCE, ORDER, PER_ARM};
use crate::set::{Guarantee, Mixture, Theorem};

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

/// What rounding may leave between bounds that meet.
const ROUNDING: f64 = 1e-9;

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
        let missing = common.certify == Certify::Mixture && rule.belief().is_none() && !rule.keeps_set_per_arm();
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
        let keeps = self.rule.belief().is_some() || self.rule.keeps_set_per_arm();
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
        self.rule.limit_memory(rows);
        if let Some(belief) = self.mixture_mut() {
            belief.limit_memory(rows)?;
        }
        Ok(())
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
        if agent.common.certify == Certify::Mixture && !agent.rule.keeps_set_per_arm() {
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
        self.check_dimension(arms.dimension())?;
        match arms.row(0) {
            Some(row) => {
                self.rule.check_row(&row)?;
                self.check_norm("the longest arm", arms.max_norm())
            }
            None => Ok(()),
        }
    }

    fn check_norm(&self, field: &str, length: f64) -> Result<()> {
        check_norm(field, length, self.rule.feature_bound(), || R::INFO.name)
    }

    fn check_observation(&self, row: &Row<'_>, reward: f64) -> Result<()> {
        row.check(self.problem.dimension)?;
        // The numbers as such, however many a sparse row has of them.
        check_observation(row.values(), reward, row.values().len())?;
        self.rule.check_row(row)?;
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
        if self.common.certify == Certify::Mixture
            && let Some(belief) = self.mixture_mut()
        {
            belief.refresh();
        }
    }

    /// Picks an arm of a list of any kind, now and then at random if the caller wants that.
    fn pick_of(&mut self, arms: &ArmSet<'_>, round: u64, rng: &mut dyn Rng) -> Result<Pick> {
        let explore = self.common.explore;
        if explore > 0.0 && rng.random::<f64>() < explore {
            return Ok(Pick::bare(rng.random_range(0..arms.len().unwrap_or(1))));
        }
        self.pick_by_rule(arms, round, rng)
    }

    fn pick_by_rule(&mut self, arms: &ArmSet<'_>, round: u64, rng: &mut dyn Rng) -> Result<Pick> {
        match arms {
            ArmSet::Finite(list) => self.pick(list, round, rng),
            _ => self.rule.pick_row(arms, Round { number: round, rng }),
        }
    }

    fn pick(&mut self, list: &FiniteArms, round: u64, rng: &mut dyn Rng) -> Result<Pick> {
        let round = Round { number: round, rng };
        if !self.common.eliminate {
            return self.rule.pick(list, round);
        }
        self.shorten(list, round.number)?;
        let arms = self.shortlist.arms(list);
        let pick = self.rule.pick(arms, round)?;
        Ok(Pick { arm: self.shortlist.original(pick.arm), ..pick })
    }

    /// Drops what is certified worse, if it is time to look.
    fn shorten(&mut self, list: &FiniteArms, round: u64) -> Result<()> {
        let stays = self.shortlist.adopt(list);
        if !stays || !self.shortlist.is_due(round) {
            return Ok(());
        }
        let mut answers = self.take_answers()?;
        if let Some(belief) = self.certifier.as_mut().or_else(|| self.rule.belief_mut()) {
            self.shortlist.drop_worse(&belief.set(), list, &mut answers)?;
        }
        self.answers = Some(answers);
        Ok(())
    }

    /// The memory in which questions are answered, to be put back; made when the first is asked.
    fn take_answers(&mut self) -> Result<Box<Answers>> {
        self.answers.take().map_or_else(|| new_answers(self.problem.dimension).map(Box::new), Ok)
    }

    /// What is said about the chosen arm: what [`Policy::interval`] would say, as far as is known without a fit.
    fn certificate(&self, bounds: (Option<f64>, Option<f64>)) -> Certificate {
        let own_is_empty = matches!(bounds, (Some(lower), Some(upper)) if is_empty(lower, upper));
        if own_is_empty && self.common.certify != Certify::Mixture {
            return Certificate::None {
                why: "the confidence set is empty: the norm bound or the logistic model is wrong (a new start with a larger \
                      norm bound spends delta again)",
            };
        }
        // All that a policy reports holds on one event: bounds of its own set are not shown beside those of another.
        match (self.promise(), bounds) {
            (Some(guarantee), _) if self.is_refuted() => {
                Certificate::OnRequest(Guarantee { norm_bound: None, ..guarantee })
            }
            (Some(guarantee), (log_odds_lower, Some(log_odds_upper)))
                if !own_is_empty && self.rule.claim().guarantee() == Some(guarantee) =>
            {
                Certificate::Bounds { log_odds_lower, log_odds_upper, guarantee }
            }
            (Some(guarantee), _) => Certificate::OnRequest(guarantee),
            (None, _) => Certificate::None { why: self.why_not() },
        }
    }

    /// Whether the mixture set that certifies was empty when somebody last looked: a choice, a question, an elimination. To look
    /// in every round would cost a fit where the rule does without the set.
    fn is_refuted(&self) -> bool {
        self.common.certify == Certify::Mixture && self.mixture().is_some_and(Belief::was_empty)
    }

    /// The promise of [`Policy::interval`].
    fn promise(&self) -> Option<Guarantee> {
        match self.common.certify {
            Certify::Mixture if self.rule.keeps_set_per_arm() => Some(per_arm_promise(&self.problem)),
            Certify::Mixture => Some(Mixture::promise(&self.problem)),
            Certify::Own => self.rule.claim().guarantee(),
            Certify::Off => None,
        }
    }

    fn why_not(&self) -> &'static str {
        match (self.common.certify, self.rule.claim()) {
            (Certify::Off, _) => self.options.uncertified(self.problem.dimension).unwrap_or("certification is off"),
            (_, Claim::None { why }) => why,
            (_, Claim::Holds(_)) => "the choice did not need bounds",
        }
    }

    fn simulate(&self, arms: &ArmSet<'_>, count: usize, draws: usize, rng: &mut dyn Rng) -> Result<Probabilities> {
        check_number("draws", draws as f64, draws > 0, "at least 1")?;
        let mut counts = vec![0; count];
        let mut copy = self.clone();
        for _ in 0..draws {
            if R::IS_CHAIN {
                copy.rule = self.rule.clone();
            }
            counts[copy.pick_by_rule(arms, self.rounds + 1, rng)?.arm] += 1;
        }
        Ok(Probabilities::simulated(&counts, draws))
    }

    /// The probabilities where they are known without simulation. Changes what [`Agent::pick`] would change.
    fn exact(&mut self, list: &FiniteArms) -> Result<Option<Probabilities>> {
        let round = self.rounds + 1;
        if self.common.eliminate {
            self.shorten(list, round)?;
        }
        let arms = if self.common.eliminate { self.shortlist.arms(list) } else { list };
        let mut short = vec![0.0; arms.len()];
        if !self.rule.probabilities(arms, round, &mut short)? {
            return Ok(None);
        }
        let mut values = vec![0.0; list.len()];
        for (k, p) in short.into_iter().enumerate() {
            values[if self.common.eliminate { self.shortlist.original(k) } else { k }] = p;
        }
        Ok(Some(Probabilities { values, standard_errors: None }))
    }

    /// The number of arms, if they fit and are a list of any kind.
    fn require_list(&self, arms: &ArmSet<'_>) -> Result<usize> {
        self.check_arms(arms)?;
        arms.len().ok_or_else(|| Error::ArmKind {
            what: "the probability of each arm".into(),
            given: ArmKind::of(arms).name(),
            defined_for: ArmKind::Finite.name().into(),
            remedy: "give a list",
        })
    }

    /// The probability of each arm, as of the last refresh. A pick may change the rule; it is a copy that picks.
    fn probabilities_in(&self, arms: &ArmSet<'_>, draws: usize, rng: &mut dyn Rng) -> Result<Probabilities> {
        let count = self.require_list(arms)?;
        let mut copy = self.clone();
        let by_rule = if !R::INFO.randomised {
            Probabilities::certain(count, copy.pick_by_rule(arms, self.rounds + 1, rng)?.arm)
        } else {
            match arms {
                ArmSet::Finite(list) => copy.exact(list)?,
                _ => None,
            }
            .map_or_else(|| self.simulate(arms, count, draws, rng), Ok)?
        };
        Ok(by_rule.mixed(self.common.explore))
    }

    /// The promise of intervals, or the reason why there is none.
    fn require_promise(&self) -> Result<Guarantee> {
        self.promise().ok_or_else(|| Error::NoGuarantee {
            policy: R::INFO.name,
            why: self.why_not(),
            remedy: match R::INFO.uses_history {
                true if self.options.uncertified(self.problem.dimension).is_some() => "leave that option out",
                true => "set certify = \"mixture\"",
                false => "ask a policy that remembers its observations, such as \"laplace-ts\"",
            },
        })
    }

    /// Lets `question` ask for intervals as of the last refresh, and says on which promise they rest.
    fn ask<T>(
        &self,
        answers: &mut Answers,
        question: impl FnOnce(&mut dyn FnMut(&[f64]) -> Result<Interval>) -> Result<T>,
    ) -> Result<(T, Guarantee)> {
        let guarantee = self.require_promise()?;
        let belief = if self.common.certify == Certify::Mixture { self.mixture() } else { None };
        let Some(belief) = belief else {
            return Ok((question(&mut |x| self.own_interval(x, answers))?, guarantee));
        };
        self.ask_belief(belief, guarantee, answers, question)
    }

    /// The same of one set.
    fn ask_belief<T>(
        &self,
        belief: &Belief,
        guarantee: Guarantee,
        answers: &mut Answers,
        question: impl FnOnce(&mut dyn FnMut(&[f64]) -> Result<Interval>) -> Result<T>,
    ) -> Result<(T, Guarantee)> {
        let set = belief.current_set();
        if !set.is_empty() {
            return Ok((question(&mut |x| answers.interval(&set, x))?, guarantee));
        }
        // The norm bound is refuted, the level is not: the same event holds without the ball.
        let mut centre = Estimator::new(self.problem.dimension);
        let set = belief.current_set_beyond_ball(&mut centre).ok_or(Error::EmptySet)?;
        Ok((question(&mut |x| answers.interval(&set, x))?, Guarantee { norm_bound: None, ..guarantee }))
    }

    fn own_interval(&self, x: &[f64], answers: &mut Answers) -> Result<Interval> {
        let (lower, upper) = self.rule.bounds(x, answers)?;
        if is_empty(lower, upper) { Err(Error::EmptySet) } else { Ok(Interval::new(lower.min(upper), upper)) }
    }

    fn interval_of(&self, x: &[f64], answers: &mut Answers) -> Result<Certified> {
        let (interval, guarantee) = self.ask(answers, |interval| interval(x))?;
        Ok(Certified { interval, guarantee })
    }

    /// The interval of a row of any form.
    fn interval_of_row(&self, row: &Row<'_>, answers: &mut Answers) -> Result<Certified> {
        let Row::Own { owner, features } = row else {
            return self.interval_of(row.dense(self.problem.dimension, &mut Vec::new()), answers);
        };
        let guarantee = self.require_promise()?;
        let mut untried;
        let belief = match self.rule.belief_of(*owner) {
            Some(belief) => belief,
            // Of an arm without outcomes the set is the ball, or everything, whatever delta is.
            None => {
                untried = Belief::new(self.problem.dimension, self.problem.norm_bound, self.problem.delta)?;
                untried.refresh();
                &untried
            }
        };
        let (interval, guarantee) = self.ask_belief(belief, guarantee, answers, |interval| interval(features))?;
        Ok(Certified { interval, guarantee })
    }

    fn intervals_of(&self, arms: &FiniteArms<'_>, answers: &mut Answers) -> Result<CertifiedList> {
        let (intervals, guarantee) = self.ask(answers, |interval| arms.iter().map(interval).collect())?;
        Ok(CertifiedList { intervals, guarantee })
    }
}

/// The promise of one set per arm.
fn per_arm_promise(problem: &Problem) -> Guarantee {
    static THEOREM: Theorem = Theorem {
        // Which arm is the k-th must be settled before its outcomes are known.
        assumptions: &[MEAN, ONCE, ORDER, PER_ARM],
        order_free: false,
        citation: "the mixture set of every arm by itself, that of the k-th arm observed with delta/(k (k + 1)), which add up to \
                   delta",
    };
    Guarantee { theorem: &THEOREM, ..Mixture::promise(problem) }
}

/// Relative accuracy of intervals and of comparisons.
const TOLERANCE: f64 = 1e-9;

fn new_answers(dimension: usize) -> Result<Answers> {
    Answers::new(dimension, TOLERANCE)
}

/// Whether bounds are the wrong way round by more than rounding.
fn is_empty(lower: f64, upper: f64) -> bool {
    !(lower - upper <= ROUNDING * (1.0 + upper.abs().min(1e9)))
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
        match self.mixture_mut() {
            Some(belief) => belief.look_if_crowded(),
            None => self.rule.look_if_crowded(),
        }
        let round = self.rounds + 1;
        let (index, id, features, place, bounds) = match arms {
            ArmSet::Finite(list) => {
                let pick = self.pick_of(arms, round, rng)?;
                let features = Cow::Borrowed(list.arm(pick.arm));
                let id = list.given_id(pick.arm).map(Cow::Borrowed);
                (Some(pick.arm), id, features, Place::Dense, pick.bounds)
            }
            ArmSet::Sparse(_) | ArmSet::Hybrid(_) => {
                let pick = self.pick_of(arms, round, rng)?;
                let row = arms.row(pick.arm).unwrap_or(Row::Dense(&[]));
                let place = Place::of(&row);
                (Some(pick.arm), None, Cow::Borrowed(row.into_values()), place, pick.bounds)
            }
            ArmSet::Ball { .. } | ArmSet::Sphere { .. } => {
                let kind = ArmKind::of(arms);
                if !R::INFO.arm_sets.contains(&kind) {
                    return Err(undefined(R::INFO, kind));
                }
                let direction = self.rule.pick_direction(kind, Round { number: round, rng })?;
                (None, None, Cow::Owned(direction.features), Place::Dense, direction.bounds)
            }
        };
        self.rule.refresh();
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

    fn settle(&mut self, play: u64, reward: f64) -> Result<()> {
        self.check_observation(&self.plays.get(play)?.row(), reward)?;
        let play = self.plays.close(play)?;
        self.rule.take_back(&play.row(), play.weight, self.plays.len());
        self.learn(&play.row(), reward);
        Ok(())
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
            return Err(Error::Dimension { field: "rows".into(), expected: rewards.len() * d, got: rows.len() });
        }
        // All are checked before the first is learnt, and learning cannot fail: all or nothing.
        for (i, (x, reward)) in rows.chunks_exact(d).zip(rewards).enumerate() {
            self.check_observation(&Row::Dense(x), *reward).map_err(|e| e.at_row(i))?;
        }
        rows.chunks_exact(d).zip(rewards).for_each(|(x, reward)| self.learn(&Row::Dense(x), *reward));
        Ok(())
    }

    fn estimate(&mut self) -> &[f64] {
        self.rule.refresh();
        self.rule.estimate()
    }

    fn claim(&self) -> Claim {
        self.rule.claim()
    }

    fn interval(&mut self, x: &[f64]) -> Result<Certified> {
        check_vector("x", x, self.problem.dimension)?;
        self.rule.check_row(&Row::Dense(x))?;
        self.require_promise()?;
        self.refresh();
        let mut answers = self.take_answers()?;
        let interval = self.interval_of(x, &mut answers);
        self.answers = Some(answers);
        interval
    }

    fn interval_of_row(&mut self, row: &Row<'_>) -> Result<Certified> {
        row.check(self.problem.dimension)?;
        self.rule.check_row(row)?;
        self.require_promise()?;
        self.refresh();
        let mut answers = self.take_answers()?;
        let interval = Self::interval_of_row(self, row, &mut answers);
        self.answers = Some(answers);
        interval
    }

    fn intervals(&mut self, arms: &FiniteArms<'_>) -> Result<CertifiedList> {
        self.check_dimension(arms.dimension())?;
        self.require_promise()?;
        self.refresh();
        let mut answers = self.take_answers()?;
        let intervals = self.intervals_of(arms, &mut answers);
        self.answers = Some(answers);
        intervals
    }

    fn contains(&mut self, theta: &[f64]) -> Result<bool> {
        check_vector("theta", theta, self.problem.dimension)?;
        self.rule.refresh();
        self.rule.refresh_set();
        self.rule.contains(theta)
    }

    fn probabilities(&mut self, arms: &ArmSet<'_>, draws: usize, rng: &mut dyn Rng) -> Result<Probabilities> {
        self.require_list(arms)?;
        // Whatever a pick changes is changed in a copy.
        let mut copy = self.clone();
        copy.refresh();
        copy.probabilities_in(arms, draws, rng)
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

/// An agent that was just refreshed: nothing here changes it.
impl<R: Rule> Snapshot for Agent<R> {
    fn info(&self) -> &'static PolicyInfo {
        R::INFO
    }

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn counts(&self) -> Counts {
        Policy::counts(self)
    }

    fn estimate(&self) -> &[f64] {
        self.rule.estimate()
    }

    fn log_odds(&self, x: &[f64]) -> Result<f64> {
        check_vector("x", x, self.problem.dimension)?;
        Ok(self.rule.log_odds(x))
    }

    fn log_odds_of(&self, row: &Row<'_>) -> Result<f64> {
        row.check(self.problem.dimension)?;
        self.rule.check_row(row)?;
        Ok(self.rule.log_odds_of(&self.as_known(row, &mut Vec::new())))
    }

    fn interval(&self, x: &[f64]) -> Result<Certified> {
        check_vector("x", x, self.problem.dimension)?;
        self.interval_of(x, &mut new_answers(x.len())?)
    }

    fn intervals(&self, arms: &FiniteArms<'_>) -> Result<CertifiedList> {
        self.check_dimension(arms.dimension())?;
        self.intervals_of(arms, &mut new_answers(self.problem.dimension)?)
    }

    fn contains(&self, theta: &[f64]) -> Result<bool> {
        check_vector("theta", theta, self.problem.dimension)?;
        self.rule.contains(theta)
    }

    fn probabilities(&self, arms: &ArmSet<'_>, draws: usize, rng: &mut dyn Rng) -> Result<Probabilities> {
        self.probabilities_in(arms, draws, rng)
    }
}
