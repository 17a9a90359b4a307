//! A rule made into a policy: input checked, rounds counted, arms certified and eliminated, state stored.

use std::borrow::Cow;

use rand::Rng;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::choice::{Certificate, Certified, Choice, Claim, Probabilities};
use super::info::{ArmKind, PolicyInfo};
use super::model::answers;
use super::rule::{Options, Pick, Round, Rule, undefined};
use super::shortlist::Shortlist;
use super::{Policy, document, options};
use crate::arms::{ArmSet, FiniteArms};
use crate::belief::Belief;
use crate::error::{Error, Result, check_number, check_vector};
use crate::history::check_observation;
use crate::numerics::norm;
use crate::plan::{Answers, Interval, empty_set};
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
}

impl Common {
    /// The defaults of a rule.
    pub fn of<R: Rule>() -> Self {
        Self { certify: R::CERTIFY, eliminate: R::ELIMINATE }
    }

    fn validate(&self) -> Result<()> {
        if self.eliminate && self.certify != Certify::Mixture {
            let what = "is true: it needs certify = \"mixture\"".into();
            return Err(Error::Option { field: "eliminate".into(), what });
        }
        Ok(())
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
}

/// A norm of one computed with rounding must pass.
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
        let mut rule = R::new(problem, options)?;
        let missing = common.certify == Certify::Mixture && rule.belief().is_none();
        let certifier =
            missing.then(|| Belief::new(problem.dimension, problem.norm_bound, problem.delta)).transpose()?;
        Ok(Self {
            problem: *problem,
            options: options.clone(),
            common,
            rule,
            certifier,
            shortlist: Shortlist::default(),
            rounds: 0,
            rewards: 0,
            answers: None,
        })
    }

    /// The rule.
    pub fn rule(&mut self) -> &mut R {
        &mut self.rule
    }

    /// From what [`document`] read.
    pub(super) fn restore(state: Value) -> Result<Box<dyn Policy>> {
        let failed = |what: String| Error::Document { what: format!("does not hold a \"{}\": {what}", R::INFO.name) };
        let mut agent: Self = serde_json::from_value(state).map_err(|e| failed(e.to_string()))?;
        agent.problem.validate()?;
        agent.options.validate()?;
        agent.common.validate()?;
        let d = agent.problem.dimension;
        agent.rule.check(d)?;
        if agent.certifier.as_ref().is_some_and(|belief| belief.dimension() != d) {
            return Err(failed("its certifier has another dimension".into()));
        }
        agent.shortlist.check(d)?;
        if agent.common.certify == Certify::Mixture {
            let promised = Mixture::promise(&agent.problem);
            let belief = agent.certifier.as_mut().or_else(|| agent.rule.belief());
            if belief.is_none_or(|belief| belief.guarantee() != promised) {
                return Err(failed("its mixture set is missing or another than its problem says".into()));
            }
        }
        Ok(Box::new(agent))
    }

    fn check_arms(&self, arms: &ArmSet) -> Result<()> {
        let (expected, got) = (self.problem.dimension, arms.dimension());
        if got != expected {
            return Err(Error::Dimension { field: "an arm".into(), expected, got });
        }
        match arms {
            ArmSet::Finite(list) => self.check_norm("the longest arm", list.max_norm()),
            _ => Ok(()),
        }
    }

    fn check_norm(&self, field: &str, length: f64) -> Result<()> {
        let bound = self.rule.feature_bound();
        if length > bound * (1.0 + ROUNDING) {
            let needed_by = R::INFO.name;
            return Err(Error::NormAboveBound { field: field.into(), norm: length, bound, needed_by });
        }
        Ok(())
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
        let d = self.problem.dimension;
        let belief = self.certifier.as_mut().or_else(|| self.rule.belief());
        if let Some(belief) = belief {
            self.shortlist.drop_worse(&belief.set(), list, answers(&mut self.answers, d)?)?;
        }
        Ok(())
    }

    /// What is said about the chosen arm.
    fn certificate(&self, bounds: (Option<f64>, Option<f64>)) -> Certificate {
        let claim = self.rule.claim();
        if let (Some(lower), Some(upper)) = bounds
            && is_empty(lower, upper)
        {
            return Certificate::None {
                why: "the confidence set is empty: raise norm_bound, or doubt the logistic model",
            };
        }
        match (claim, bounds) {
            (Claim::Holds(guarantee), (log_odds_lower, Some(log_odds_upper)))
                if self.common.certify != Certify::Off =>
            {
                Certificate::Bounds { log_odds_lower, log_odds_upper, guarantee }
            }
            _ => match self.promise() {
                Some(guarantee) => Certificate::OnRequest(guarantee),
                None => Certificate::None { why: self.why_not() },
            },
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

    fn simulate(&mut self, list: &FiniteArms, draws: usize, rng: &mut dyn Rng) -> Result<Probabilities> {
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

    fn choose<'a>(&mut self, arms: &'a ArmSet, rng: &mut dyn Rng) -> Result<Choice<'a>> {
        self.check_arms(arms)?;
        let round = self.rounds + 1;
        let (index, id, features, bounds) = match arms {
            ArmSet::Finite(list) => {
                let pick = self.pick(list, round, rng)?;
                let features = Cow::Borrowed(list.arm(pick.arm));
                (Some(pick.arm), list.given_id(pick.arm), features, pick.bounds)
            }
            ArmSet::Ball { .. } | ArmSet::Sphere { .. } => {
                let kind = if matches!(arms, ArmSet::Ball { .. }) { ArmKind::Ball } else { ArmKind::Sphere };
                if !R::INFO.arm_sets.contains(&kind) {
                    return Err(undefined(R::INFO));
                }
                let direction = self.rule.pick_direction(kind, Round { number: round, rng })?;
                (None, None, Cow::Owned(direction.features), direction.bounds)
            }
        };
        self.rounds = round;
        let log_odds = self.rule.log_odds(&features);
        let (optimistic_log_odds, certificate) = (bounds.1, self.certificate(bounds));
        Ok(Choice { index, id, features, log_odds, optimistic_log_odds, certificate })
    }

    fn observe(&mut self, x: &[f64], reward: f64) -> Result<()> {
        check_observation(x, reward, self.problem.dimension)?;
        self.check_norm("x", norm(x))?;
        self.rule.learn(x, reward)?;
        if let Some(belief) = &mut self.certifier {
            belief.observe(x, reward)?;
        }
        self.rewards += 1;
        Ok(())
    }

    fn estimate(&mut self) -> &[f64] {
        self.rule.estimate()
    }

    fn claim(&self) -> Claim {
        self.rule.claim()
    }

    fn interval(&mut self, x: &[f64]) -> Result<Certified> {
        check_vector("x", x, self.problem.dimension)?;
        let Some(guarantee) = self.promise() else {
            let (name, why) = (R::INFO.name, self.why_not());
            let remedy = match R::INFO.uses_history {
                true => "; set certify = \"mixture\"",
                false => "; ask a policy that remembers its observations, such as \"laplace-ts\"",
            };
            return Err(Error::Unsupported { what: format!("policy \"{name}\" has no guarantee: {why}{remedy}") });
        };
        let belief = match self.common.certify {
            Certify::Mixture => self.certifier.as_mut().or_else(|| self.rule.belief()),
            _ => None,
        };
        let interval = match belief {
            Some(belief) => answers(&mut self.answers, x.len())?.interval(&belief.set(), x)?,
            None => {
                let (lower, upper) = self.rule.bounds(x)?;
                if is_empty(lower, upper) {
                    return Err(empty_set());
                }
                Interval::new(lower.min(upper), upper)
            }
        };
        Ok(Certified { interval, guarantee })
    }

    fn contains(&mut self, theta: &[f64]) -> Result<bool> {
        check_vector("theta", theta, self.problem.dimension)?;
        self.rule.contains(theta)
    }

    fn probabilities(&mut self, arms: &ArmSet, draws: usize, rng: &mut dyn Rng) -> Result<Probabilities> {
        self.check_arms(arms)?;
        let ArmSet::Finite(list) = arms else {
            let what = "probabilities of arms exist for lists of arms only".into();
            return Err(Error::Unsupported { what });
        };
        if !R::INFO.randomised {
            let pick = self.clone().pick(list, self.rounds + 1, rng)?;
            return Ok(Probabilities::certain(list.len(), pick.arm));
        }
        match self.clone().exact(list)? {
            Some(exact) => Ok(exact),
            None => self.simulate(list, draws, rng),
        }
    }

    fn counts(&self) -> (u64, u64) {
        (self.rounds, self.rewards)
    }

    fn solves(&self) -> Option<u64> {
        self.rule.solves()
    }

    fn save(&self) -> Result<String> {
        document::write(R::INFO.name, self)
    }

    fn boxed_clone(&self) -> Box<dyn Policy> {
        Box::new(self.clone())
    }
}
