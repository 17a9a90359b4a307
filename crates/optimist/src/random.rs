//! The generator that we recommend, and how its place in the stream is stored.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The generator that we recommend: fast, reproducible on every machine, with streams that do not overlap. Any other
/// generator of the crate [`rand`] does as well.
pub type Generator = ChaCha8Rng;

/// The generator of this seed.
pub fn generator(seed: u64) -> Generator {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Where a generator is.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Position {
    seed: [u8; 32],
    stream: u64,
    /// The word of the stream that comes next, a number of 68 bits: its upper and its lower half.
    word: [u64; 2],
}

impl Position {
    pub(crate) fn of(rng: &Generator) -> Self {
        let word = rng.get_word_pos();
        Self { seed: rng.get_seed(), stream: rng.get_stream(), word: [(word >> 64) as u64, word as u64] }
    }

    pub(crate) fn generator(self) -> Generator {
        let mut rng = ChaCha8Rng::from_seed(self.seed);
        rng.set_stream(self.stream);
        rng.set_word_pos(u128::from(self.word[0]) << 64 | u128::from(self.word[1]));
        rng
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn a_generator_goes_on_where_it_was() {
        for drawn in [0, 1, 15, 16, 17, 1000] {
            let mut rng = generator(3);
            rng.set_stream(5);
            for _ in 0..drawn {
                rng.random::<u32>();
            }
            let mut again = Position::of(&rng).generator();
            assert!((0..100).all(|_| rng.random::<u64>() == again.random::<u64>()), "{drawn}");
        }
    }
}
