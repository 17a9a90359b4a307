//! Randomness by purpose and run: what one purpose draws does not move what another one sees.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// What random numbers are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The direction of theta*.
    Truth = 0,
    /// The arms.
    Arms = 1,
    /// The uniform number below which a round succeeds: the same for every policy.
    Luck = 2,
    /// Delays and losses of rewards.
    Feedback = 3,
    /// The policy's own choices.
    Policy = 4,
    /// Where theta* goes.
    Drift = 5,
    /// Errors in the features that policies see.
    Noise = 6,
    /// Rewards of which policies are told the opposite.
    Flips = 7,
}

/// Stream number `run` of the generator of one purpose.
pub(super) fn stream(seed: u64, purpose: Purpose, run: usize) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8] = purpose as u8;
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(run as u64);
    rng
}
