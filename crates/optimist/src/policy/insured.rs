//! `insured`: the picks of another rule, within a budget of certified cost.

use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::bayes_ucb::{BayesUcb, DELAYED};
use super::budget::{Budget, OptimismBound};
use super::choice::{Claim, Insurance};
use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{POSTERIOR, Price, RIDGE, SetPlanner, check_dimension};
use super::rule::{Direction, Options, Pick, Round, Rule};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Error, Result, check_count, check_number};
use crate::link;
use crate::numerics::{dot, norm};
use crate::plan::Answers;
use crate::posterior::Row;
use crate::problem::Problem;
use crate::set::LevelSet;

policy_info! {
    /// Plays what `bayes-ucb` picks as long as these picks are certified to have cost no more than a budget, and is
    /// optimistic otherwise. The practitioner's choice with a limit on what it can do wrong.
    ///
    /// ```text
    ///   b_t = the pick of bayes-ucb,   o_t = argmax over x of max over E_t of x'theta,   E_t the mixture set
    ///   rho_t(b) = min{ mu(U) - mu(L), m max over y of h_t(y - b) },   h_t(x) = max over E_t of x'theta
    ///   U = h_t(o_t),   L = -h_t(-b),   m = the largest slope of mu over [L, U], 1/4 at most
    ///   x_t = b_t  if b_t = o_t, or if A_t + rho_t(b_t) <= budget(t): then A_{t+1} = A_t + rho_t(b_t)
    ///   x_t = o_t  otherwise
    /// ```
    ///
    /// As long as theta* is in E_t, playing b costs rho_t(b) at most, and nothing once b is certified best. A_t is the sum
    /// over the departures so far, that is, the rounds in which another arm than the optimistic one was played; what
    /// optimism would have played itself is optimism's to answer for, and is not booked.
    ///
    /// Guarantee: with probability 1 - delta, at all times, all departures together have cost budget(t) at most, whatever
    /// rule picks, whatever the arms and whenever rewards come. The regret is at most that plus what optimism costs in the
    /// other rounds. The bound of optimism (docs/theory.md, "Insurance") holds for any part of the rounds, if the norm bound
    /// is right and rewards come before the next choice; it is the default budget, so that R(T) <= 2 bound(T) then. With
    /// two features the bound exceeds T in the first 7,800 rounds if S = 2, and 155,000 if kappa = 50: until then the
    /// default never binds, nothing is priced (each pick is booked as one, the most that it can cost), and the policy is
    /// bayes-ucb. Without a norm bound there is no such bound, and the default is d sqrt(t), the order of the regret that no
    /// policy avoids.
    ///
    /// A budget that is named is watched from the first round: every departure is priced, which takes a plan for the
    /// optimistic arm, one over the differences y - b and a solve for L, all of which start from the last round's. No
    /// price is computed once the parameter that makes o_t best shows that b_t costs more than is left. On the ball and the
    /// sphere the price is mu(U) - mu(L), which never reaches zero.
    ///
    /// Insurance by a certified set is an addition of this library; that the set holds whatever rule picks is what it rests
    /// on. See bayes-ucb and optimist for the two rules.
    INFO {
        name: "insured",
        family: Family::Index,
        summary: "bayes-ucb while its picks are certified to cost no more than a budget, optimism otherwise",
        keeps_set: true,
        guarantee: "theta* in the set at all times, and departures from optimism within the budget, probability 1 - delta",
        guaranteed: true,
        planning: Planning::Milestones,
        cost: "2 passes of n d^2 + K d^2; with a budget that is named 2 plans, 1 solve and K d more",
        memory: "n d + 3 K d",
        arm_sets: ALL_ARMS,
        reference: "see bayes-ucb and optimist",
        randomised: false,
        order: RewardOrder::MattersInOnePass,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo {
                name: "budget",
                help: "what the picks may cost more than the best arm, certified: a number; {\"scale\": a, \"power\": p} for \
                       a t^p in round t, p from 0 to 1; null: what is proved of optimism, or d sqrt(t) without a norm bound",
            },
            OptionInfo {
                name: "quantile",
                help: "of bayes-ucb: \"leverage\": z^2 = 3 + 2 log(1 + (t/d) v(x)); or a number z, the same for all arms",
            },
            OptionInfo {
                name: "optimism",
                help: "of bayes-ucb: it is optimistic itself whenever floor(log t), to this base, grows; null: never",
            },
            DELAYED,
            RIDGE,
            POSTERIOR,
        ],
        maker: PolicyMaker::of::<Insured<BayesUcb>>(),
    }
}

/// Options of an insured rule: the budget, and those of the rule beside it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, bound = "O: Options")]
pub struct InsuredOptions<O> {
    /// What its picks may cost; none: as much as optimism.
    pub budget: Option<Budget>,
    /// The options of the rule.
    #[serde(flatten, serialize_with = "without_refused")]
    pub rule: O,
}

/// Options of rules with which there is no set to insure by: they are no options here.
const REFUSED: [&str; 2] = ["own", "half_life"];

fn without_refused<O: Serialize, S: Serializer>(rule: &O, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let mut options = serde_json::to_value(rule).map_err(S::Error::custom)?;
    if let Value::Object(options) = &mut options {
        options.retain(|name, _| !REFUSED.contains(&name.as_str()));
    }
    options.serialize(serializer)
}

impl<O: Options> Options for InsuredOptions<O> {
    fn validate(&self) -> Result<()> {
        self.budget.map_or(Ok(()), |budget| budget.validate())?;
        self.rule.validate()
    }

    fn uncertified(&self, dimension: usize) -> Option<&'static str> {
        self.rule.uncertified(dimension)
    }
}

/// The picks of a rule, within a budget. Any rule that keeps the mixture set can be insured ([`Rule::belief`]).
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "", from = "Raw<R>")]
pub struct Insured<R: Rule> {
    inner: R,
    problem: Problem,
    budget: Option<Budget>,
    planner: SetPlanner,
    price: Price,
    ledger: Ledger,
}

/// What has been played and booked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Ledger {
    /// A_t.
    spent: f64,
    /// Rounds in which the rule's pick was played and booked.
    departures: u64,
    /// Rounds in which optimism overruled it.
    overruled: u64,
    /// The last round.
    round: u64,
    /// The length of the longest arm offered.
    longest: f64,
}

impl Ledger {
    fn book(&mut self, cost: f64) {
        self.spent += cost;
        self.departures += 1;
    }

    /// No pick costs more than one, and each round has one.
    fn check(&self) -> Result<()> {
        check_count("ledger.round", self.round)?;
        check_number("ledger.longest", self.longest, self.longest >= 0.0, "zero or positive")?;
        let (departures, overruled) = (self.departures as f64, self.overruled as f64);
        let all = departures + overruled;
        check_number("ledger.departures", all, all <= self.round as f64, "with those overruled at most all rounds")?;
        let sound = (0.0..=departures).contains(&self.spent);
        check_number("ledger.spent", self.spent, sound, "between zero and the number of departures")
    }
}

/// The serialised form: certificates of the planners are about the restored data.
#[derive(Deserialize)]
#[serde(bound = "")]
struct Raw<R: Rule> {
    inner: R,
    problem: Problem,
    budget: Option<Budget>,
    planner: SetPlanner,
    price: Price,
    ledger: Ledger,
}

impl<R: Rule> From<Raw<R>> for Insured<R> {
    fn from(raw: Raw<R>) -> Self {
        let Raw { inner, problem, budget, mut planner, mut price, ledger } = raw;
        if let Some(belief) = inner.belief() {
            planner.adopt(belief);
            price.adopt(belief);
        }
        Self { inner, problem, budget, planner, price, ledger }
    }
}

/// A copy of the data is another history, about which the copied certificates hold as well.
impl<R: Rule> Clone for Insured<R> {
    fn clone(&self) -> Self {
        let Self { inner, problem, budget, planner, price, ledger } = self;
        let (planner, price, ledger) = (planner.clone(), price.clone(), ledger.clone());
        Raw { inner: inner.clone(), problem: *problem, budget: *budget, planner, price, ledger }.into()
    }
}

/// The mixture set of a rule, which has one: that was checked when it was built or restored.
fn set_of<R: Rule>(rule: &mut R) -> &mut Belief {
    rule.belief_mut().expect("an insured rule keeps the mixture set")
}

fn require_set<R: Rule>(rule: &R) -> Result<&Belief> {
    rule.belief().ok_or(Error::NoSet { policy: R::INFO.name })
}

impl<R: Rule> Insured<R> {
    /// A_t: what the departures so far have cost at most, as long as the true parameter is in the mixture set.
    pub fn spent(&self) -> f64 {
        self.ledger.spent
    }

    /// The rule that is insured.
    pub fn inner(&self) -> &R {
        &self.inner
    }

    /// rho of an arm of a list as things stand; one, the most that a pick can cost, if the set is empty.
    ///
    /// # Errors
    /// If the arms have another dimension.
    pub fn price(&mut self, arms: &FiniteArms, arm: usize) -> Result<f64> {
        let best = self.planner.pick(set_of(&mut self.inner), arms)?;
        self.price_of(arms, arm, &best)
    }

    fn price_of(&mut self, arms: &FiniteArms, arm: usize, best: &Pick) -> Result<f64> {
        let ceiling = self.planner.ceiling(best);
        self.price.of_arm(&set_of(&mut self.inner).set(), arms, arm, ceiling)
    }

    /// What may have been spent by the end of a round.
    fn budget_at(&self, round: u64) -> f64 {
        if let Some(budget) = self.budget {
            return budget.at(round);
        }
        let observations = self.inner.belief().map_or(0.0, |belief| belief.history().observations());
        let bound = OptimismBound { problem: self.problem, longest: self.ledger.longest, observations };
        bound.at(round).unwrap_or(self.problem.dimension as f64 * (round as f64).sqrt())
    }

    /// Opens a round, and says what is left of the budget. None if the pick may be played unseen and was booked as one: no
    /// budget was named, and the default one does not bind. A budget that is named is not wasted like this.
    fn open(&mut self, round: u64, longest: f64) -> Option<f64> {
        self.ledger.round = round;
        self.ledger.longest = self.ledger.longest.max(longest);
        let budget = self.budget_at(round);
        let left = budget - self.ledger.spent;
        if self.budget.is_none() && round as f64 <= budget && left >= 1.0 {
            self.ledger.book(1.0);
            return None;
        }
        Some(left)
    }

    /// Whether a pick of cost `cost` is played; books it then.
    fn admit(&mut self, cost: f64, left: f64) -> bool {
        let admitted = cost <= left;
        if admitted {
            self.ledger.book(cost);
        } else {
            self.ledger.overruled += 1;
        }
        admitted
    }

    /// The cost of the pick for the parameter that makes the optimistic arm best: no price is lower.
    fn least_cost(&self, arms: &FiniteArms, pick: &Pick, best: &Pick) -> f64 {
        let theta = self.planner.maximiser();
        link::mean(dot(arms.arm(best.arm), theta)) - link::mean(dot(arms.arm(pick.arm), theta))
    }

    fn current_set(&self) -> Result<LevelSet<'_>> {
        Ok(require_set(&self.inner)?.current_set())
    }
}

impl<R: Rule> Rule for Insured<R> {
    type Options = InsuredOptions<R::Options>;
    const INFO: &'static PolicyInfo = &INFO;
    const ELIMINATE: bool = R::ELIMINATE;
    const CONSOLIDATES: bool = R::CONSOLIDATES;
    /// A pick is booked, and the next one may find the budget spent.
    const IS_CHAIN: bool = true;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let inner = R::new(problem, &options.rule)?;
        if let Some(why) = options.rule.uncertified(problem.dimension) {
            return Err(Error::Option { field: "insurance".into(), what: format!("it needs a set, but {why}") });
        }
        if inner.sets_per_arm().is_some() {
            let what = "it needs one set of all observations, but own is set: use bayes-ucb for arms with parameters of their own";
            return Err(Error::Option { field: "insurance".into(), what: what.into() });
        }
        require_set(&inner)?;
        let (planner, price) = (SetPlanner::new(problem.dimension)?, Price::new(problem.dimension)?);
        Ok(Self { inner, problem: *problem, budget: options.budget, planner, price, ledger: Ledger::default() })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.problem.validate()?;
        check_dimension("problem", self.problem.dimension, dimension)?;
        self.budget.map_or(Ok(()), |budget| budget.validate())?;
        self.inner.check(dimension)?;
        check_dimension("belief", require_set(&self.inner)?.dimension(), dimension)?;
        self.planner.check(dimension)?;
        self.price.check(dimension)?;
        self.ledger.check()?;
        let within = self.ledger.spent <= self.budget_at(self.ledger.round);
        check_number("ledger.spent", self.ledger.spent, within, "within the budget")
    }

    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick> {
        let number = round.number;
        let pick = self.inner.pick(arms, round)?;
        let Some(left) = self.open(number, arms.max_norm()) else { return Ok(pick) };
        let best = self.planner.pick(set_of(&mut self.inner), arms)?;
        if pick.arm == best.arm {
            return Ok(best);
        }
        // One dot product decides where the budget is spent.
        let cost = self.least_cost(arms, &pick, &best);
        let cost = if cost > left { cost } else { self.price_of(arms, pick.arm, &best)? };
        Ok(if self.admit(cost, left) { pick } else { best })
    }

    fn pick_direction(&mut self, kind: ArmKind, round: Round<'_>) -> Result<Direction> {
        let number = round.number;
        let pick = self.inner.pick_direction(kind, round)?;
        let Some(left) = self.open(number, 1.0) else { return Ok(pick) };
        let best = self.planner.pick_direction(set_of(&mut self.inner))?;
        if pick.features == best.features {
            return Ok(best);
        }
        let ceiling = best.bounds.1.unwrap_or(f64::INFINITY);
        let cost = self.price.of_point(&set_of(&mut self.inner).set(), &pick.features, ceiling)?;
        Ok(if self.admit(cost, left) { pick } else { best })
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        // What is learnt beside what was chosen enters the bound of optimism, too.
        self.ledger.longest = self.ledger.longest.max(norm(x));
        self.inner.learn(x, reward);
    }

    fn learn_row(&mut self, row: &Row<'_>, reward: f64) {
        self.ledger.longest = self.ledger.longest.max(row.norm());
        self.inner.learn_row(row, reward);
    }

    fn lends(&self) -> Option<u64> {
        self.inner.lends()
    }

    fn lend(&mut self, row: &Row<'_>) -> f64 {
        self.inner.lend(row)
    }

    fn take_back(&mut self, row: &Row<'_>, weight: f64, left: usize) {
        self.inner.take_back(row, weight, left);
    }

    fn refresh(&mut self) {
        self.inner.refresh();
    }

    fn refresh_set(&mut self) {
        self.inner.refresh_set();
        set_of(&mut self.inner).refresh();
    }

    fn estimate(&self) -> &[f64] {
        self.inner.estimate()
    }

    fn log_odds(&self, x: &[f64]) -> f64 {
        self.inner.log_odds(x)
    }

    fn log_odds_of(&self, row: &Row<'_>) -> f64 {
        self.inner.log_odds_of(row)
    }

    fn claim(&self) -> Claim {
        self.inner.belief().map_or(Claim::None { why: "there is no set" }, |belief| belief.guarantee().into())
    }

    fn bounds(&self, x: &[f64], answers: &mut Answers) -> Result<(f64, f64)> {
        let interval = answers.interval(&self.current_set()?, x)?;
        Ok((interval.log_odds_lower, interval.log_odds_upper))
    }

    fn contains(&self, theta: &[f64]) -> Result<bool> {
        Ok(self.current_set()?.contains(theta))
    }

    fn belief(&self) -> Option<&Belief> {
        self.inner.belief()
    }

    fn belief_mut(&mut self) -> Option<&mut Belief> {
        self.inner.belief_mut()
    }

    fn solves(&self) -> Option<u64> {
        let own = self.planner.solves().saturating_add(self.price.solves());
        Some(own.saturating_add(self.inner.solves().unwrap_or(0)))
    }

    fn feature_bound(&self) -> f64 {
        self.inner.feature_bound()
    }

    fn insurance(&self) -> Option<Insurance> {
        let Ledger { spent, departures, overruled, round, .. } = self.ledger;
        Some(Insurance { spent, budget: self.budget_at(round.max(1)), departures, overruled })
    }
}
