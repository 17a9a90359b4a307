//! What a log says about policies and predictions: pure mathematics on numbers, one row at a time.
//!
//! | Question | Type | Memory |
//! |---|---|---|
//! | What would another policy have earned? | [`OffPolicy`] | constant |
//! | Which of two policies would have earned more? | [`Difference`] | constant |
//! | The mean of rewards in `[0, 1]`, looked at at any time | [`BoundedMean`] | constant |
//! | The mean of weighted rewards, looked at at any time | [`WeightedMean`] | constant |
//! | What would a policy have earned, by replay of a uniformly random log? | [`Replay`] | one count per action |
//! | Do predicted probabilities come true? | [`Calibration`] | one entry per bin |
//!
//! Every type is fed with `push`, says what it knows so far with `report` or `interval`, and is (de)serialised whole: the
//! same rows in the same order give the same bits, with or without a stop between them. A row that is refused changes
//! nothing.
//!
//! # Two kinds of interval
//!
//! An **asymptotic** interval is the textbook one (normal law). It is about right for many rows, a number of rows fixed in
//! advance, and weights that are not wild; it is wrong for somebody who looks every day and stops when pleased.
//!
//! An **always-valid** interval (a confidence sequence) holds at all times at once: with probability at least `1 - delta`,
//! no look at any moment, however chosen, finds the true value outside. It holds for any number of rows, for logging
//! policies that learn as they go, and for rewards that drift. What it assumes:
//!
//! 1. rewards lie in `[0, 1]` (checked),
//! 2. propensities are right: `p_t` is the probability, given the past and the context of row `t`, with which the logged
//!    action was drawn (not checkable; the mean weight is watched, see [`Support`]),
//! 3. the probabilities of the target policy, and the model's predictions, may depend on the past and on the row's context
//!    but not on the row's action draw or reward,
//! 4. the target chooses among actions that could have been logged, or its mass on others is handed over with the row
//!    (without a promised weight limit, intervals hold even if it is not),
//! 5. rows are handed over in the order in which they were drawn, and none is left out because of its reward or its action.
//!
//! The value spoken of is the **running mean** `(1/t) sum_{i <= t} v_i`, where `v_i` is the expected reward of the target
//! policy in row `i` given the past. Where nothing drifts this is *the* value of the policy. The same interval covers the
//! mean of the values given the contexts as they came. The construction and its proof are told in [`BoundedMean`].
//!
//! Every interval holds at `1 - delta` by itself; several read together need a `delta` shared out between them.

mod bounded;
mod calibration;
mod clipped;
mod difference;
mod doubly_robust;
mod elementary;
mod error;
mod estimate;
mod moments;
mod off_policy;
mod replay;
mod row;
mod sum;
mod support;
mod uniformity;
mod wealth;
mod weighted;

pub use bounded::BoundedMean;
pub use calibration::{Bin, Calibration, CalibrationReport};
pub use difference::{Difference, DifferenceReport, DifferenceRow};
pub use error::EvaluationError;
pub use estimate::{Estimate, Gap, Interval};
pub use off_policy::{ClippedEstimate, Estimates, OffPolicy, OffPolicyOptions, OffPolicyReport};
pub use replay::{Replay, ReplayConcern, ReplayReport};
pub use row::{LoggedRow, Predictions};
pub use support::{Concern, Support, SupportOptions, Verdict};
pub use weighted::WeightedMean;
