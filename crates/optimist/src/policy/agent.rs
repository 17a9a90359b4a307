//! A rule made into a policy: input checked, rounds counted, arms certified and eliminated, state stored.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use rand::Rng;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::choice::{Certificate, Certified, CertifiedList, Choice, Claim, Insurance, Probabilities};
use super::info::{ArmKind, PolicyInfo};
use super::memory::Memory;
use super::rule::{Options, Pick, Round, Rule, undefined};
use super::shortlist::Shortlist;
use super::snapshot::{Counts, Snapshot};
use super::{Policy, options};
use crate::arms::{ArmSet, FiniteArms};
use crate::belief::Belief;
use crate::error::{Error, Result, check_count, check_norm, check_number, check_vector};
use crate::fit::Estimator;
use crate::history::check_observation;
use crate::numerics::norm;
use crate::plan::{Answers, Interval};
use crate::problem::Problem;
use crate::set::{Guarantee, Mixture};

/// Where intervals come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certify {
    /// The mixture set over all observations, which holds whatever rule chooses the arms.
    Mixture,
    /// The policy's own set, if that promises anything.
    Own,
    /// Nowhere.
    Off,
}

/// Options that all policies share which remember their observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Common {
    /// Where intervals come from.
    pub certify: Certify,
    /// Whether arms of a fixed list are dropped once they are certified worse than another.
    pub eliminate: bool,
    /// How many distinct arms are kept. (Documents of before there was a choice have all.)
    #[serde(default)]
    pub memory: Memory,
}

impl Common {
    /// The defaults of a rule.
    pub fn of<R: Rule>() -> Self {
        let memory = if R::CONSOLIDATES { Memory::Auto } else { Memory::All };
        Self { certify: R::CERTIFY, eliminate: R::ELIMINATE, memory }
    }

    fn validate(&self) -> Result<()> {
        if self.eliminate && self.certify != Certify::Mixture {
            let what = "is true: it needs certify = \"mixture\"".into();
            return Err(Error::Option { field: "eliminate".into(), what });
        }
        self.memory.validate()
    }
}

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
        common.validate()?;
        if R::INFO.needs_norm_bound && problem.norm_bound.is_none() {
            return Err(Error::Missing { field: "norm_bound", needed_by: R::INFO.name });
        }
        if common.certify == Certify::Mixture && !R::INFO.uses_history {
            let what = format!("is \"mixture\": \"{}\" does not remember its observations; use \"own\"", R::INFO.name);
            return Err(Error::Option { field: "certify".into(), what });
        }
        let rule = R::new(problem, options)?;
        let missing = common.certify == Certify::Mixture && rule.belief().is_none();
        let certifier =
            missing.then(|| Belief::new(problem.dimension, problem.norm_bound, problem.delta)).transpose()?;
        let mut agent = Self {
            problem: *problem,
            options: options.clone(),
            common,
            rule,
            certifier,
            shortlist: Shortlist::default(),
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
        let can = R::CONSOLIDATES && self.rule.belief().is_some() || self.certifier.is_some();
        if memory != Memory::All && !can {
            let what = format!(
                "is {memory}: \"{}\" needs all of its observations, or keeps no mixture set (certify); use null",
                R::INFO.name
            );
            return Err(Error::Option { field: "memory".into(), what });
        }
        let rows = memory.rows(self.problem.dimension);
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
        agent.common.validate()?;
        check_count("rounds", agent.rounds)?;
        check_count("rewards", agent.rewards)?;
        let d = agent.problem.dimension;
        agent.rule.check(d)?;
        if agent.certifier.as_ref().is_some_and(|belief| belief.dimension() != d) {
            return Err(failed("its certifier has another dimension".into()));
        }
        agent.shortlist.check(d)?;
        if agent.common.certify == Certify::Mixture {
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
        match arms {
            ArmSet::Finite(list) => self.check_norm("the longest arm", list.max_norm()),
            _ => Ok(()),
        }
    }

    fn check_norm(&self, field: &str, length: f64) -> Result<()> {
        check_norm(field, length, self.rule.feature_bound(), || R::INFO.name)
    }

    fn check_observation(&self, x: &[f64], reward: f64) -> Result<()> {
        check_observation(x, reward, self.problem.dimension)?;
        self.check_norm("x", norm(x))
    }

    /// Learns an observation that has been checked.
    fn learn(&mut self, x: &[f64], reward: f64) {
        self.latest.take();
        self.rule.learn(x, reward);
        if let Some(belief) = &mut self.certifier {
            belief.record(x, reward, 1);
        }
        self.rewards += 1;
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
        self.shortlist.adopt(list);
        if !self.shortlist.is_due(round) {
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

    /// What is said about the chosen arm.
    fn certificate(&self, bounds: (Option<f64>, Option<f64>)) -> Certificate {
        let claim = self.rule.claim();
        if let (Some(lower), Some(upper)) = bounds
            && is_empty(lower, upper)
        {
            return Certificate::None {
                why: "the confidence set is empty: the norm bound or the logistic model is wrong (a new start with a larger \
                      norm bound spends delta again)",
            };
        }
        // All that a policy reports holds on one event: bounds of its own set are not shown beside those of another.
        match (self.promise(), bounds) {
            (Some(guarantee), (log_odds_lower, Some(log_odds_upper))) if claim.guarantee() == Some(guarantee) => {
                Certificate::Bounds { log_odds_lower, log_odds_upper, guarantee }
            }
            (Some(guarantee), _) => Certificate::OnRequest(guarantee),
            (None, _) => Certificate::None { why: self.why_not() },
        }
    }

    /// The promise of [`Policy::interval`].
    fn promise(&self) -> Option<Guarantee> {
        match self.common.certify {
            Certify::Mixture => Some(Mixture::promise(&self.problem)),
            Certify::Own => self.rule.claim().guarantee(),
            Certify::Off => None,
        }
    }

    fn why_not(&self) -> &'static str {
        match (self.common.certify, self.rule.claim()) {
            (Certify::Off, _) => "certification is off",
            (_, Claim::None { why }) => why,
            (_, Claim::Holds(_)) => "the choice did not need bounds",
        }
    }

    fn simulate(&self, list: &FiniteArms, draws: usize, rng: &mut dyn Rng) -> Result<Probabilities> {
        check_number("draws", draws as f64, draws > 0, "at least 1")?;
        let mut counts = vec![0; list.len()];
        let mut copy = self.clone();
        for _ in 0..draws {
            if R::IS_CHAIN {
                copy.rule = self.rule.clone();
            }
            counts[copy.pick(list, self.rounds + 1, rng)?.arm] += 1;
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

    /// The arms, if they fit and are a list.
    fn require_list<'a, 'b>(&self, arms: &'a ArmSet<'b>) -> Result<&'a FiniteArms<'b>> {
        self.check_arms(arms)?;
        match arms {
            ArmSet::Finite(list) => Ok(list),
            _ => Err(Error::ArmKind {
                what: "the probability of each arm".into(),
                given: ArmKind::of(arms).name(),
                defined_for: ArmKind::Finite.name().into(),
                remedy: "give a list",
            }),
        }
    }

    /// The probability of each arm, as of the last refresh. A pick may change the rule; it is a copy that picks.
    fn probabilities_in(&self, list: &FiniteArms, draws: usize, rng: &mut dyn Rng) -> Result<Probabilities> {
        let mut copy = self.clone();
        if !R::INFO.randomised {
            return Ok(Probabilities::certain(list.len(), copy.pick(list, self.rounds + 1, rng)?.arm));
        }
        match copy.exact(list)? {
            Some(exact) => Ok(exact),
            None => self.simulate(list, draws, rng),
        }
    }

    /// The promise of intervals, or the reason why there is none.
    fn require_promise(&self) -> Result<Guarantee> {
        self.promise().ok_or_else(|| Error::NoGuarantee {
            policy: R::INFO.name,
            why: self.why_not(),
            remedy: match R::INFO.uses_history {
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

    fn intervals_of(&self, arms: &FiniteArms<'_>, answers: &mut Answers) -> Result<CertifiedList> {
        let (intervals, guarantee) = self.ask(answers, |interval| arms.iter().map(interval).collect())?;
        Ok(CertifiedList { intervals, guarantee })
    }
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
        if let Some(belief) = self.mixture_mut() {
            belief.look_if_crowded();
        }
        let round = self.rounds + 1;
        let (index, id, features, bounds) = match arms {
            ArmSet::Finite(list) => {
                let pick = self.pick(list, round, rng)?;
                let features = Cow::Borrowed(list.arm(pick.arm));
                (Some(pick.arm), list.given_id(pick.arm).map(Cow::Borrowed), features, pick.bounds)
            }
            ArmSet::Ball { .. } | ArmSet::Sphere { .. } => {
                let kind = ArmKind::of(arms);
                if !R::INFO.arm_sets.contains(&kind) {
                    return Err(undefined(R::INFO, kind));
                }
                let direction = self.rule.pick_direction(kind, Round { number: round, rng })?;
                (None, None, Cow::Owned(direction.features), direction.bounds)
            }
        };
        self.rule.refresh();
        self.rounds = round;
        let log_odds = self.rule.log_odds(&features);
        let (optimistic_log_odds, certificate) = (bounds.1, self.certificate(bounds));
        Ok(Choice { index, id, features, log_odds, optimistic_log_odds, certificate })
    }

    fn observe(&mut self, x: &[f64], reward: f64) -> Result<()> {
        self.check_observation(x, reward)?;
        self.learn(x, reward);
        Ok(())
    }

    fn observe_many(&mut self, rows: &[f64], rewards: &[f64]) -> Result<()> {
        let d = self.problem.dimension;
        if rows.len() != rewards.len() * d {
            return Err(Error::Dimension { field: "rows".into(), expected: rewards.len() * d, got: rows.len() });
        }
        // All are checked before the first is learnt, and learning cannot fail: all or nothing.
        for (i, (x, reward)) in rows.chunks_exact(d).zip(rewards).enumerate() {
            self.check_observation(x, *reward).map_err(|e| e.at_row(i))?;
        }
        rows.chunks_exact(d).zip(rewards).for_each(|(x, reward)| self.learn(x, *reward));
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
        self.require_promise()?;
        self.refresh();
        let mut answers = self.take_answers()?;
        let interval = self.interval_of(x, &mut answers);
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
        let list = self.require_list(arms)?;
        // Whatever a pick changes is changed in a copy.
        let mut copy = self.clone();
        copy.refresh();
        copy.probabilities_in(list, draws, rng)
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
        self.probabilities_in(self.require_list(arms)?, draws, rng)
    }
}
