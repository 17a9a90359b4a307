//! What a set promises, as data: what is proved, under which assumptions, and by whom.

use serde::Serialize;

/// The promise of a set: theta* is in it at all times, with probability at least 1 - delta.
///
/// All that is read off the same set, at whatever times and for however many arms, holds on one event of that
/// probability: the event that `name` names. Bounds of two sets are two events, and fail with the sum of their deltas.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Guarantee {
    /// The set, and with it the event on which everything that is read off it holds: the name of a radius, or of the
    /// policy that keeps the set.
    pub name: &'static str,
    /// The probability that theta* ever leaves the set is at most this; none if nothing is promised.
    pub delta: Option<f64>,
    /// The bound on the true parameter's norm that is relied upon, if any.
    pub norm_bound: Option<f64>,
    /// What is proved, whatever delta and the norm bound are.
    #[serde(flatten)]
    pub theorem: &'static Theorem,
}

/// What is proved of a set, and under which conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Theorem {
    /// Under which conditions the promise holds.
    pub assumptions: &'static [&'static str],
    /// Whether the order of the observations between two looks at the set may be anything, even sorted by outcome. If
    /// not, it must not depend on the outcomes. Where memory is bounded, every choice is a look.
    pub order_free: bool,
    /// Where it is proved.
    pub citation: &'static str,
}

/// The first assumption of all sets that see their data one by one.
pub(crate) const MEAN: &str =
    "given everything handed over before it, each reward lies in [0, 1] with mean mu(x'theta*)";
/// The same for sets that depend on the data as a whole only: the order may be chosen afterwards.
pub(crate) const MEAN_IN_SOME_ORDER: &str = "in some order of what is handed over between two looks, each reward lies in \
                                             [0, 1] with mean mu(x'theta*) given everything before it";
/// What the first assumption excludes, in plain words: weights and selection.
pub(crate) const ONCE: &str =
    "each outcome is handed over once, and whether and when it arrives does not depend on its value";
/// What it means for data that arrive together.
pub(crate) const ORDER: &str = "outcomes that are known together are handed over in an order that does not depend on them; a \
                                count stands for equal outcomes one after another";
/// For sets whose constants are made for unit arms.
pub(crate) const UNIT_ARMS: &str = "||x|| <= 1";
/// For sets that cannot do without a norm bound.
pub(crate) const NORM: &str = "||theta*|| <= norm_bound";
/// For sets that can.
pub(crate) const NORM_IF_DECLARED: &str = "||theta*|| <= norm_bound, if one is declared";

/// For one set per arm.
pub(crate) const PER_ARM: &str =
    "arms share no parameters; each arm's own have a norm of at most norm_bound, if one is declared";

/// What order-free sets for unit arms assume.
pub(crate) const UNIT_ARMS_ANY_ORDER: &[&str] = &[MEAN_IN_SOME_ORDER, ONCE, UNIT_ARMS, NORM];
