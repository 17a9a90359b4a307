//! The one hash of the workspace: rows of a history, lists of arms, checksums of what is stored.
//!
//! Words of 64 bits are mixed in four independent lanes, so that a long input costs a fraction of a nanosecond per byte.
//! For a given start every step is one to one in the word, so that a change within one word always changes the result;
//! other damage goes unnoticed with probability 2^-64. It is no protection against a forger.

const LANES: usize = 4;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of a text or of any other bytes: a checksum.
pub fn bytes(text: &[u8]) -> u64 {
    let (whole, rest) = text.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let hash = words(whole.len(), |i| u64::from_le_bytes(whole[i]));
    mix(mix(hash, u64::from_le_bytes(last)), text.len() as u64)
}

/// The hash of numbers: equal for equal ones, so that 0.0 and -0.0 count as the same.
pub(crate) fn numbers(x: &[f64]) -> u64 {
    words(x.len(), |i| (x[i] + 0.0).to_bits())
}

#[inline(always)]
fn words(count: usize, word: impl Fn(usize) -> u64) -> u64 {
    let (mut hash, mut done) = (SEED, 0);
    if count >= LANES {
        let mut lanes = [SEED, !SEED, SEED.rotate_left(21), SEED.rotate_left(42)];
        while count - done >= LANES {
            for (l, lane) in lanes.iter_mut().enumerate() {
                *lane = mix(*lane, word(done + l));
            }
            done += LANES;
        }
        hash = lanes.into_iter().fold(hash, mix);
    }
    (done..count).fold(hash, |h, i| mix(h, word(i)))
}

/// Multiply and fold, twice: signs, exponents and short decimal fractions sit at the top of a double and must come down. A
/// product carries upwards only: after a single one, about one in ten thousand lists of 24 signs shares its hash with another.
#[inline(always)]
fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0x9fb2_1c65_1e98_df25);
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every single changed byte, every truncation and every swap of neighbours of texts of all small lengths.
    #[test]
    fn damage_changes_the_hash_of_a_text() {
        for length in 0..70_u8 {
            let text: Vec<u8> = (0..length).map(|i| i.wrapping_mul(37) ^ 0x5a).collect();
            let whole = bytes(&text);
            for i in 0..text.len() {
                let mut changed = text.clone();
                for bit in 0..8 {
                    changed[i] = text[i] ^ (1 << bit);
                    assert_ne!(bytes(&changed), whole, "{length}: bit {bit} of byte {i}");
                }
                assert_ne!(bytes(&text[..i]), whole, "{length}: cut at {i}");
                if i > 0 {
                    let mut swapped = text.clone();
                    swapped.swap(i - 1, i);
                    assert_ne!(bytes(&swapped), whole, "{length}: {i} swapped");
                }
            }
        }
    }

    /// Lists of signs, of small integers and of halves: what features often are. One multiplication in `mix` merges some.
    #[test]
    fn lists_of_simple_numbers_have_hashes_of_their_own() {
        let unequal = |values: &[f64], length: usize, lists: usize| {
            let mut list = vec![0.0; length];
            let mut hashes: Vec<u64> = (0..lists)
                .map(|mut code| {
                    for entry in &mut list {
                        *entry = values[code % values.len()];
                        code /= values.len();
                    }
                    numbers(&list)
                })
                .collect();
            hashes.sort_unstable();
            hashes.dedup();
            assert_eq!(hashes.len(), lists, "{values:?} {length}");
        };
        unequal(&[1.0, -1.0], 24, 1 << 20);
        unequal(&[1.0, -1.0, 0.0], 13, 1_594_323);
        unequal(&[0.0, 0.5, -0.5, 1.0, -1.0, 0.25], 8, 1_679_616);
        assert_ne!(
            numbers(&[2.0, 2.0, 7.0, 2.0, 2.0, 2.0, 0.0, 0.0]),
            numbers(&[2.0, 2.0, 7.0, 0.0, 2.0, 2.0, 2.0, 0.0])
        );
    }

    #[test]
    fn numbers_hash_by_value_and_by_place() {
        assert_eq!(numbers(&[0.0, -0.0, 1.0]), numbers(&[-0.0, 0.0, 1.0]));
        assert_ne!(numbers(&[1.0, 2.0]), numbers(&[2.0, 1.0]));
        let mut seen = std::collections::HashSet::new();
        for a in 0..100 {
            for b in 0..100 {
                let row = [f64::from(a) / 100.0, f64::from(b) / 100.0, 1.0, 0.5, 0.25];
                assert!(seen.insert(numbers(&row)) && seen.insert(numbers(&row[..2])), "{a} {b}");
            }
        }
    }
}
