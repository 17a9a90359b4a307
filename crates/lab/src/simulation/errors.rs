//! What policies are told, where that is not what is true.

use optimist::numerics::norm;
use optimist::{ArmSet, FiniteArms};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::streams::{Purpose, stream};
use crate::error::{Error, Result};
use crate::experiment::Rewards;

/// Errors in features and rewards, the same for all policies.
#[derive(Debug, Clone)]
pub(super) struct Errors {
    noise: f64,
    flipped: f64,
    noise_rng: ChaCha8Rng,
    flip_rng: ChaCha8Rng,
}

impl Errors {
    /// Those of run number `run`.
    pub(super) fn new(rewards: &Rewards, seed: u64, run: usize) -> Self {
        Self {
            noise: rewards.noise,
            flipped: rewards.flipped,
            noise_rng: stream(seed, Purpose::Noise, run),
            flip_rng: stream(seed, Purpose::Flips, run),
        }
    }

    /// The arms with errors in their features, none if there are no errors. An arm is not longer than it was, or than one:
    /// what policies ask of the norm is true of what they see.
    pub(super) fn blur(&mut self, arms: &ArmSet<'static>) -> Result<Option<ArmSet<'static>>> {
        let ArmSet::Finite(list) = arms else { return Ok(None) };
        if self.noise == 0.0 {
            return Ok(None);
        }
        let mut features = Vec::with_capacity(list.len() * list.dimension());
        for x in list.iter() {
            let from = features.len();
            features.extend(x.iter().map(|v| {
                let error: f64 = StandardNormal.sample(&mut self.noise_rng);
                v + self.noise * error
            }));
            shorten(&mut features[from..], norm(x).max(1.0));
        }
        let seen = FiniteArms::new(list.dimension(), features);
        seen.map(|arms| Some(arms.into())).map_err(|e| Error::input(format!("environment.rewards.noise: {e}")))
    }

    /// Whether policies are told the opposite of the next reward. To be asked once a round, so that it is the same rounds for
    /// all of them.
    pub(super) fn next_flip(&mut self) -> bool {
        self.flipped > 0.0 && self.flip_rng.random::<f64>() < self.flipped
    }
}

/// Scales a vector that is longer than `most` to that length.
fn shorten(x: &mut [f64], most: f64) {
    let mut length = norm(x);
    while length > most {
        // Rounding may leave the quotient a last digit above.
        let divisor = (length / most).max(1.0 + 2.0 * f64::EPSILON);
        x.iter_mut().for_each(|v| *v /= divisor);
        length = norm(x);
    }
}
