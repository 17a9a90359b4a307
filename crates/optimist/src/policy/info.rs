//! A line of the registry: everything about a policy that help texts, documents and tests need.

use std::any::TypeId;

use serde::Serialize;
use serde_json::Value;

use super::rule::Rule;
use super::{Agent, Policy, options};
use crate::arms::ArmSet;
use crate::error::Result;
use crate::problem::Problem;
use crate::registry::Named;

/// What kind of algorithm a policy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// The arm that is best for the most favourable parameter of a confidence set.
    Optimism,
    /// Estimate plus a multiple of its standard deviation.
    Index,
    /// The arm that is best for a random parameter.
    Sampling,
    /// Something to compare with.
    Baseline,
}

impl Family {
    /// The name as help texts print it.
    pub fn name(self) -> &'static str {
        match self {
            Family::Optimism => "optimism",
            Family::Index => "index",
            Family::Sampling => "sampling",
            Family::Baseline => "baseline",
        }
    }
}

/// Kinds of arm sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArmKind {
    /// A list of arms, the same every round or not.
    Finite,
    /// A list of arms that are mostly zero.
    Sparse,
    /// A list of arms with parameters of their own.
    Hybrid,
    /// Many items in a context.
    Catalogue,
    /// The unit ball.
    Ball,
    /// The unit sphere.
    Sphere,
}

impl ArmKind {
    /// The kind of a set of arms.
    pub fn of(arms: &ArmSet<'_>) -> Self {
        match arms {
            ArmSet::Finite(_) => ArmKind::Finite,
            ArmSet::Sparse(_) => ArmKind::Sparse,
            ArmSet::Hybrid(_) => ArmKind::Hybrid,
            ArmSet::Catalogue(_) => ArmKind::Catalogue,
            ArmSet::Ball { .. } => ArmKind::Ball,
            ArmSet::Sphere { .. } => ArmKind::Sphere,
        }
    }

    /// The name as help texts print it.
    pub fn name(self) -> &'static str {
        match self {
            ArmKind::Finite => "finite",
            ArmKind::Sparse => "sparse",
            ArmKind::Hybrid => "hybrid",
            ArmKind::Catalogue => "catalogue",
            ArmKind::Ball => "ball",
            ArmKind::Sphere => "sphere",
        }
    }
}

/// Lists, the ball and the sphere.
pub const ALL_ARMS: &[ArmKind] = &[ArmKind::Finite, ArmKind::Ball, ArmKind::Sphere];
/// Every kind.
pub const EVERY_KIND: &[ArmKind] =
    &[ArmKind::Finite, ArmKind::Sparse, ArmKind::Hybrid, ArmKind::Catalogue, ArmKind::Ball, ArmKind::Sphere];
/// Lists only.
pub const FINITE_ARMS: &[ArmKind] = &[ArmKind::Finite];

/// How a policy finds its arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Planning {
    /// By an index per arm or a draw, in closed form.
    ClosedForm,
    /// In closed form, but for rounds in which problems over a level set are solved: at milestones, or where a budget asks
    /// for it.
    Milestones,
    /// By solving problems over a level set of the log-loss, in every round.
    LevelSet,
    /// By branch and bound over a set that is not convex.
    NonConvexSet,
}

impl Planning {
    /// Whether problems are solved over a set, always or at times.
    pub fn by_solving(self) -> bool {
        self != Planning::ClosedForm
    }
}

/// What depends on the order in which rewards are handed over, beyond rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RewardOrder {
    /// Nothing.
    Irrelevant,
    /// Which random number is spent on which observation: the choices of a given seed, not their distribution.
    Draws,
    /// What is learnt, from more distinct arms than a list holds; nothing otherwise.
    MattersInOnePass,
    /// What is learnt.
    Matters,
}

/// The option that says for how many rounds a policy is made. An experiment, which knows its rounds, fills it in where a policy
/// cannot do without, and refuses a number below that of its own rounds: what holds up to a round says nothing of later ones.
pub const HORIZON: &str = "horizon";

/// An option of a policy. Its default is in [`PolicyInfo::default_options`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OptionInfo {
    /// The name in options files. What is called [`HORIZON`] means the same in every policy.
    pub name: &'static str,
    /// What it means, and what is allowed.
    pub help: &'static str,
}

/// A line of the registry. Two are equal if they say the same and make policies of the same rule.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PolicyInfo {
    /// The name users write, of lower-case letters, digits and hyphens; also the name of the file, with underscores.
    pub name: &'static str,
    /// What kind of algorithm it is.
    pub family: Family,
    /// One line.
    pub summary: &'static str,
    /// Idea, formulas, guarantee, cost, and where it departs from the paper and why, as Markdown; see
    /// [`PolicyInfo::description`].
    #[serde(serialize_with = "as_description")]
    pub doc: &'static str,
    /// Whether it keeps a confidence set of its own, so that [`Policy::contains`] has an answer.
    pub keeps_set: bool,
    /// What the policy's own set promises, in a few words.
    pub guarantee: &'static str,
    /// Whether it does, with default options.
    pub guaranteed: bool,
    /// How it finds its arm.
    pub planning: Planning,
    /// Time per round, K arms, d features, n distinct arms observed.
    pub cost: &'static str,
    /// What it remembers.
    pub memory: &'static str,
    /// The arm sets for which it is defined.
    pub arm_sets: &'static [ArmKind],
    /// The paper.
    pub reference: &'static str,
    /// Whether choices are random.
    pub randomised: bool,
    /// What depends on the order in which rewards are handed over.
    pub order: RewardOrder,
    /// Whether a round costs the same however many different arms were seen: what arms that are new in every round need.
    pub constant_cost: bool,
    /// Whether it remembers all observations (merged by distinct arm), so that it can certify with any set.
    pub uses_history: bool,
    /// Whether a bound on the norm of theta must be given.
    pub needs_norm_bound: bool,
    /// Whether arms must lie in the unit ball, with default options.
    pub unit_arms: bool,
    /// Options that must be given, for want of a sensible default.
    pub required: &'static [&'static str],
    /// Values for those options, as a JSON object, with which examples and checks can build the policy; "{}" if there are
    /// none.
    pub example: &'static str,
    /// The policy's own options; all have [`EVERY_OPTION`] as well, and history-based policies [`COMMON_OPTIONS`].
    pub options: &'static [OptionInfo],
    /// How it is made.
    #[serde(skip)]
    pub maker: PolicyMaker,
}

/// Options of every policy that remembers its observations.
pub const COMMON_OPTIONS: &[OptionInfo] = &[
    OptionInfo {
        name: "certify",
        help: "\"mixture\": intervals from the mixture set, which hold whatever rule chooses the arms, computed when asked \
               for; \"own\": from the policy's own set, where it promises something; \"off\": none",
    },
    OptionInfo {
        name: "eliminate",
        help: "true: drop arms of a fixed list once they are certified worse than another (needs certify = \"mixture\")",
    },
    OptionInfo {
        name: "memory",
        help: "distinct arms that are kept; beyond, old ones are merged into quadratics when somebody looks, so that a round costs \
               the same however many there were, and intervals are a little wider; \"auto\": 200 per feature; null or \"all\": all",
    },
];

/// Options of every policy.
pub const EVERY_OPTION: &[OptionInfo] = &[OptionInfo {
    name: "explore",
    help: "share of the rounds in which an arm of a list is drawn at random, so that every arm has at least the probability \
           explore/K that logs need; between 0 and 1",
}];

impl PolicyInfo {
    /// The documentation as plain text: paragraphs, and formulas that are indented.
    pub fn description(&self) -> String {
        description(self.doc)
    }

    /// Whether this policy has an option of this name of its own.
    pub fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.name == name)
    }

    /// The options with their defaults, those that all history-based policies share included.
    pub fn default_options(&self) -> Value {
        (self.maker.defaults)()
    }

    /// All options: the policy's own and the shared ones.
    pub fn all_options(&self) -> impl Iterator<Item = &'static OptionInfo> {
        let shared = if self.uses_history { COMMON_OPTIONS } else { &[] };
        self.options.iter().chain(shared).chain(EVERY_OPTION)
    }

    pub(super) fn build(&self, problem: &Problem, options: &Value) -> Result<Box<dyn Policy>> {
        (self.maker.build)(problem, options)
    }

    pub(super) fn restore(&self, state: &mut dyn erased_serde::Deserializer<'_>) -> Result<Box<dyn Policy>> {
        (self.maker.restore)(state)
    }
}

/// A line of the registry for programs: with all options, and what they are if nobody sets them.
#[derive(Debug, Clone, Serialize)]
pub struct PolicyEntry {
    #[serde(flatten)]
    info: &'static PolicyInfo,
    shared_options: Vec<&'static OptionInfo>,
    default_options: Value,
}

impl From<&'static PolicyInfo> for PolicyEntry {
    fn from(info: &'static PolicyInfo) -> Self {
        let shared_options = info.all_options().skip(info.options.len()).collect();
        Self { info, shared_options, default_options: info.default_options() }
    }
}

fn as_description<S: serde::Serializer>(doc: &str, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&description(doc))
}

/// A documentation comment has a space before every line, and its formulas stand between fences.
fn description(doc: &str) -> String {
    let is_comment = doc.lines().all(|line| line.is_empty() || line.starts_with(' '));
    let lines = doc.lines().map(|line| if is_comment { line.strip_prefix(' ').unwrap_or(line) } else { line });
    lines.filter(|line| !line.starts_with("```")).collect::<Vec<_>>().join("\n")
}

impl Named for PolicyInfo {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// How a policy of one kind is built and restored.
#[derive(Debug, Clone, Copy)]
pub struct PolicyMaker {
    build: fn(&Problem, &Value) -> Result<Box<dyn Policy>>,
    restore: fn(&mut dyn erased_serde::Deserializer<'_>) -> Result<Box<dyn Policy>>,
    defaults: fn() -> Value,
    /// Which rule it is: the functions above may share an address with those of another rule, or have several.
    rule: fn() -> TypeId,
}

/// Equal if they make policies of the same rule.
impl PartialEq for PolicyMaker {
    fn eq(&self, other: &Self) -> bool {
        (self.rule)() == (other.rule)()
    }
}

impl PolicyMaker {
    /// The maker of a rule.
    pub const fn of<R: Rule>() -> Self {
        Self {
            build: options::build::<R>,
            restore: Agent::<R>::restore,
            defaults: options::default_options::<R>,
            rule: TypeId::of::<R>,
        }
    }
}
