//! All keys of experiment files.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::kind::{Kind, Range};

/// A key of experiment files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Where it is written, for instance `environment.arms.count`.
    pub path: &'static str,
    /// What it may hold.
    pub kind: Kind,
    /// What happens without it.
    pub absent: Absent,
    /// Whether a list of values makes a sweep.
    pub sweep: bool,
    /// What it means.
    pub help: &'static str,
}

/// What happens if a key is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// The file is refused.
    Required,
    /// This value, in TOML, is taken.
    Default(&'static str),
    /// What these words say.
    Meaning(&'static str),
}

/// Numbers that the arms of an environment may have together: what fits into memory several times.
pub(super) const NUMBERS_MOST: usize = 10_000_000;
/// The largest dimension: policies keep several matrices of this size.
pub(super) const DIMENSION_MOST: u64 = 1_000;
/// The largest norm: the library takes no larger bound.
pub(super) const NORM_MOST: f64 = 1e9;

const FOR_TABLE: &str = "{ fit = \"log.csv\", reward = \"clicked\" }";
const FOR_HYBRID: Absent = Absent::Meaning("required by \"hybrid\", refused otherwise");
const ONE_OF_THREE: Absent = Absent::Meaning("one of kappa, theta_norm and theta must be given");

/// All keys, in the order in which they are explained. Options of policies are in the registry of policies.
pub const KEYS: &[Key] = &[
    one("name", Kind::Text, Absent::Required, "what reports call the experiment"),
    one(
        "seed",
        Kind::Whole(0, i64::MAX as u64),
        Absent::Default("0"),
        "where all randomness comes from: the same seed gives the same results",
    ),
    one("runs", Kind::Whole(1, 1_000_000), Absent::Required, "runs of each policy in each environment"),
    one("horizon", Kind::Whole(1, 100_000_000), Absent::Required, "rounds of a run"),
    one(
        "delta",
        Kind::Number(Range::between(0.0, 1.0)),
        Absent::Default("0.05"),
        "the probability with which a confidence set may fail",
    ),
    one(
        "checkpoints",
        Kind::Rounds,
        Absent::Meaning("ten rounds, evenly spaced on a logarithmic axis"),
        "rounds after which figures are written; the horizon is always one of them. Rules make dense curves, of at most \
         2 million rows in all",
    ),
    one(
        "coverage",
        Kind::Word(&["rounds", "checkpoints", "off"]),
        Absent::Default("\"rounds\""),
        "when it is checked whether the true parameter is in a policy's confidence set: every round, at the checkpoints \
         only (faster), or never",
    ),
    one("environment", Kind::Table("[environment]"), Absent::Required, "the bandits: keys below"),
    one(
        "environment.label",
        Kind::Labels,
        Absent::Meaning("its settings"),
        "what results call the environment; {kappa} and the like stand for settings, by the names of their columns in \
         results.csv",
    ),
    many(
        "environment.dimension",
        Kind::Whole(1, DIMENSION_MOST),
        Absent::Meaning(
            "the length of theta, or of the arms if they are a list, categories or a table; what \"hybrid\" arms have",
        ),
        "the number of features of an arm",
    ),
    many(
        "environment.arms",
        Kind::Table("{ kind = \"ball-sample\", count = 40 } or { kind = \"list\", list = [[1.0, 0.0], [0.0, 1.0]] }"),
        Absent::Required,
        "what may be played: keys below",
    ),
    many(
        "environment.arms.kind",
        Kind::Word(&[
            "ball-sample",
            "sphere-sample",
            "half-ball-sample",
            "list",
            "ball",
            "sphere",
            "hybrid",
            "gaussian",
            "categories",
            "table",
        ]),
        Absent::Required,
        "drawn uniformly from the unit ball, from the unit sphere, or from the half of the ball where x'theta <= 0; a list \
         of your own; every vector of norm at most one; every vector of norm one; arms with parameters of their own beside \
         those that all share; drawn with normal features; drawn with categories as features; rows of a table",
    ),
    many(
        "environment.arms.count",
        Kind::Whole(1, NUMBERS_MOST as u64),
        Absent::Meaning("required if arms are drawn or rows of a table; all arms of a list; refused otherwise"),
        "how many arms there are in a round; of a list: how many different ones are drawn from it",
    ),
    many(
        "environment.arms.redraw",
        Kind::Word(&["run", "round"]),
        Absent::Default("\"run\""),
        "when arms are drawn: once per run, or afresh every round; \"hybrid\" arms and rows of a table always are",
    ),
    many(
        "environment.arms.shared",
        Kind::Whole(0, DIMENSION_MOST),
        FOR_HYBRID,
        "features of an arm that meet parameters which all arms share; with 0 the arms have nothing in common",
    ),
    many(
        "environment.arms.own",
        Kind::Whole(1, DIMENSION_MOST),
        FOR_HYBRID,
        "features of an arm that meet parameters of that arm alone",
    ),
    many(
        "environment.arms.context",
        Kind::Word(&["common", "each"]),
        Absent::Default("\"common\""),
        "for \"hybrid\": own features are drawn once a round for all arms, or for each arm",
    ),
    many(
        "environment.arms.written_out",
        Kind::Truth,
        Absent::Default("false"),
        "for \"hybrid\" and rows = \"context\": policies are given the same arms as dense rows of shared + count times own features, which any \
         policy can play",
    ),
    one(
        "environment.arms.list",
        Kind::Rows,
        Absent::Meaning("kind = \"list\" needs it or file"),
        "the arms, a list of features each",
    ),
    many(
        "environment.arms.file",
        Kind::Text,
        Absent::Meaning("kind = \"list\" needs it or list, kind = \"table\" needs it"),
        "of a list: a CSV file with one arm per line, with or without a header; of a table: CSV, gzip, JSON lines or Parquet, \
         whose columns have names; the path is relative to the experiment file",
    ),
    one(
        "environment.arms.rates",
        Kind::VectorOrText,
        Absent::Meaning("arms succeed as theta says"),
        "for \"list\": the success probability of every arm, as a list or as the name of a column of file, which is no \
         feature then; theta, kappa and theta_norm are left out, and theta is the logistic regression of the rates on the arms",
    ),
    many(
        "environment.arms.correlation",
        Kind::Number(Range::between(-1.0, 1.0).noting("not negative for form = \"equal\"")),
        Absent::Default("0"),
        "for \"gaussian\": rho, the correlation of features",
    ),
    many(
        "environment.arms.form",
        Kind::Word(&["equal", "ar1"]),
        Absent::Default("\"equal\""),
        "for \"gaussian\": features i and j have correlation rho, or rho^|i - j|",
    ),
    one(
        "environment.arms.levels",
        Kind::Wholes,
        Absent::Meaning("required by \"categories\", refused otherwise"),
        "the number of levels of every variable; each level is a feature",
    ),
    one(
        "environment.arms.weights",
        Kind::Rows,
        Absent::Meaning("all levels of a variable are equally probable"),
        "for \"categories\": for every variable the probabilities of its levels, up to a factor",
    ),
    one(
        "environment.arms.columns",
        Kind::Texts,
        Absent::Meaning("all columns of the table"),
        "for \"table\": the columns that features are made of: a feature of one with numbers, a feature per word of one \
         with words",
    ),
    many(
        "environment.arms.rows",
        Kind::Word(&["arms", "context"]),
        Absent::Default("\"arms\""),
        "for \"table\": a row is an arm, and count of them make a round; or a row is what all count arms of a round see, \
         each with parameters of its own",
    ),
    many(
        "environment.arms.order",
        Kind::Word(&["file", "shuffle", "resample"]),
        Absent::Default("\"file\""),
        "for \"table\": rows come as in the file, shuffled, or each is drawn from all; after the last row they begin again, \
         shuffled anew",
    ),
    many(
        "environment.arms.scale",
        Kind::Word(&["none", "norm", "standard"]),
        Absent::Default("\"norm\""),
        "for \"table\": features as they are; divided by the largest norm of a row; or columns of numbers less their mean \
         and divided by their standard deviation, and then the same",
    ),
    many(
        "environment.kappa",
        Kind::Number(Range::from_below(4.0, f64::INFINITY).noting("4 is theta = 0")),
        ONE_OF_THREE,
        "1/mu'(||theta||), the nonlinearity of the problem; every run draws a direction",
    ),
    many(
        "environment.theta_norm",
        Kind::Number(Range::from_to(0.0, NORM_MOST)),
        ONE_OF_THREE,
        "||theta||, and for \"hybrid\" arms the norm of what one arm meets; every run draws directions",
    ),
    many(
        "environment.theta",
        Kind::VectorOrTable(FOR_TABLE),
        ONE_OF_THREE,
        "the parameter itself, the same in every run; for \"hybrid\" arms the shared part, then that of every arm; or what \
         it is fitted to: keys below",
    ),
    many(
        "environment.theta.fit",
        Kind::Text,
        Absent::Required,
        "a log with a row per observation (CSV, gzip, JSON lines or Parquet), to which theta is fitted by logistic \
         regression; its path is relative to the experiment file",
    ),
    many(
        "environment.theta.reward",
        Kind::Text,
        Absent::Required,
        "the column of the log with the rewards, from 0 to 1",
    ),
    one(
        "environment.theta.columns",
        Kind::Texts,
        Absent::Meaning("those of arms of kind \"table\", scaled as there; required otherwise"),
        "the columns of the log that are features, as they are",
    ),
    many(
        "environment.theta.ridge",
        Kind::Number(Range::above_to(0.0, 1e9)),
        Absent::Default("1"),
        "the weight of ||theta||^2/2, which is added to the log-loss",
    ),
    many(
        "environment.norm_bound",
        Kind::WordOrNumber(&["exact", "+1", "none"], Range::above_to(0.0, NORM_MOST)),
        Absent::Default("\"exact\""),
        "the bound S on ||theta|| that policies are told: ||theta|| itself, ||theta|| + 1, nothing, or a number that is not \
         below ||theta||",
    ),
    one(
        "environment.feedback",
        Kind::Table("[environment.feedback]"),
        Absent::Meaning("every reward arrives at once"),
        "how rewards come back: keys below",
    ),
    many(
        "environment.feedback.delay",
        Kind::Table("{ kind = \"geometric\", mean = 50 }"),
        Absent::Meaning("rewards are not delayed"),
        "how many rounds late rewards are: keys below",
    ),
    many(
        "environment.feedback.delay.kind",
        Kind::Word(&["none", "fixed", "geometric", "batch"]),
        Absent::Required,
        "not at all, always by the same number of rounds, by a random number (geometric on 0, 1, 2, ...), or until a batch \
         is full",
    ),
    many(
        "environment.feedback.delay.mean",
        Kind::Number(Range::above_to(0.0, 1e9)),
        Absent::Meaning("required by \"fixed\" and \"geometric\""),
        "the mean in rounds; a whole number if the delay is fixed",
    ),
    many(
        "environment.feedback.delay.size",
        Kind::Whole(1, 1_000_000_000),
        Absent::Meaning("required by \"batch\""),
        "rounds of a batch, whose rewards come together after the last of them",
    ),
    many(
        "environment.feedback.missing",
        Kind::Number(Range::from_below(0.0, 1.0)),
        Absent::Default("0"),
        "the fraction of rewards that never arrive",
    ),
    many(
        "environment.drift",
        Kind::Table("{ kind = \"steps\", every = 2000 }"),
        Absent::Meaning("theta stays as it is"),
        "how theta moves in the course of a run; its norm stays: keys below",
    ),
    many(
        "environment.drift.kind",
        Kind::Word(&["none", "steps", "walk", "seasons"]),
        Absent::Required,
        "not at all; to a new direction, drawn uniformly, every so many rounds; by a random walk of the direction; to a \
         direction perpendicular to the first one, and back, again and again",
    ),
    many(
        "environment.drift.every",
        Kind::Whole(1, 1_000_000_000),
        Absent::Meaning("required by \"steps\""),
        "rounds from one direction to the next",
    ),
    many(
        "environment.drift.rate",
        Kind::Number(Range::above_to(0.0, 1.0)),
        Absent::Meaning("required by \"walk\""),
        "radians by which the direction turns in a round, in root mean square",
    ),
    many(
        "environment.drift.period",
        Kind::Whole(2, 1_000_000_000),
        Absent::Meaning("required by \"seasons\""),
        "rounds until theta is back where it began",
    ),
    many(
        "environment.rewards",
        Kind::Table("{ link = \"probit\" }"),
        Absent::Meaning("rewards are those of the logistic model"),
        "how rewards depend on features, and which errors there are: keys below",
    ),
    many(
        "environment.rewards.link",
        Kind::Word(&["logit", "probit", "cloglog", "cauchit", "linear"]),
        Absent::Default("\"logit\""),
        "what makes a success probability of z = x'theta: 1/(1 + exp(-z)); the normal distribution function; \
         1 - exp(-exp(z)); 1/2 + arctan(z)/pi; 1/2 + z/4 between 0 and 1",
    ),
    one(
        "environment.rewards.interactions",
        Kind::Rows,
        Absent::Meaning("z is x'theta"),
        "products of features that are added to z: lists of two features, counted from 1, and a weight",
    ),
    many(
        "environment.rewards.noise",
        Kind::Number(Range::from_to(0.0, 1e9)),
        Absent::Default("0"),
        "the standard deviation of normal errors in the features that policies see, other ones every round",
    ),
    many(
        "environment.rewards.flipped",
        Kind::Number(Range::from_below(0.0, 1.0)),
        Absent::Default("0"),
        "the fraction of rewards of which policies are told the opposite",
    ),
    one("policy", Kind::Tables, Absent::Required, "a policy: keys below, and its options beside them"),
    one(
        "policy.name",
        Kind::Text,
        Absent::Required,
        "its name in the registry (`optimist policies` lists names and options)",
    ),
    one(
        "policy.label",
        Kind::Text,
        Absent::Meaning("its name; if it is there several times, with the options that differ"),
        "what reports call it; no two policies may have the same",
    ),
];

/// A key with one value.
const fn one(path: &'static str, kind: Kind, absent: Absent, help: &'static str) -> Key {
    Key { path, kind, absent, sweep: false, help }
}

/// A key of which a list makes a sweep.
const fn many(path: &'static str, kind: Kind, absent: Absent, help: &'static str) -> Key {
    Key { path, kind, absent, sweep: true, help }
}

impl Key {
    /// The table it stands in: the path without the last part; empty for the top level.
    pub fn table(&self) -> &'static str {
        self.path.rsplit_once('.').map_or("", |(table, _)| table)
    }

    /// The last part of the path.
    pub fn name(&self) -> &'static str {
        self.path.rsplit_once('.').map_or(self.path, |(_, name)| name)
    }
}

/// The default of a key that has one, as TOML.
pub(super) fn default_of(key: &Key) -> &'static toml::Value {
    static DEFAULTS: LazyLock<HashMap<&str, toml::Value>> = LazyLock::new(|| {
        let default = |key: &Key| match key.absent {
            Absent::Default(text) => Some((key.path, text.parse().expect("defaults of the registry are TOML"))),
            _ => None,
        };
        KEYS.iter().filter_map(default).collect()
    });
    &DEFAULTS[key.path]
}

/// The key at that path.
pub(super) fn find(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.path == path)
}

/// The keys of a table.
pub(super) fn of_table(table: &str) -> impl Iterator<Item = &'static Key> {
    KEYS.iter().filter(move |key| key.table() == table)
}
