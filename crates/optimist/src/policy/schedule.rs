//! Schedules of rounds.

use crate::numerics::Elementary;

/// Whether floor(log t), to this base, is larger in this round than in the last: the sparse schedule of looks and of
/// optimistic plays, ever rarer but never ending. The first round is one.
pub(super) fn is_milestone(round: u64, base: f64) -> bool {
    let step = |t: u64| ((t as f64).logarithm() / base.logarithm()).floor();
    round <= 1 || step(round) > step(round - 1)
}
