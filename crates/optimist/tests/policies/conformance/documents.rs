//! Documents can be checked, and sealed, by others.

use optimist::policy;
use serde_json::{Value, json};

use super::{for_each, played};

/// The checksum, written again: documents must be checkable by others.
fn checksum(policy: &str, state: &Value) -> String {
    let text = format!("{policy}\n{state}\nnull\n");
    let mut words: Vec<u64> =
        text.as_bytes().chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().unwrap())).collect();
    let mut rest = text.as_bytes()[8 * words.len()..].to_vec();
    rest.resize(8, 0);
    let mix = |hash: u64, word: u64| {
        let mixed = (hash ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0x9fb2_1c65_1e98_df25);
        mixed ^ (mixed >> 32)
    };
    let seed: u64 = 0x9e37_79b9_7f4a_7c15;
    let in_lanes = words.len() / 4 * 4;
    let tail = words.split_off(in_lanes);
    let lane = |l: usize, start: u64| words.iter().skip(l).step_by(4).copied().fold(start, mix);
    let lanes = [lane(0, seed), lane(1, !seed), lane(2, seed.rotate_left(21)), lane(3, seed.rotate_left(42))];
    let hash = if in_lanes > 0 { lanes.into_iter().fold(seed, mix) } else { seed };
    let hash = tail.into_iter().fold(hash, mix);
    format!("{:016x}", mix(mix(hash, u64::from_le_bytes(rest.try_into().unwrap())), text.len() as u64))
}

/// The document after `edit` of its state, with a checksum that fits.
pub(super) fn resealed(text: &str, edit: impl FnOnce(&mut Value)) -> String {
    let mut document: Value = serde_json::from_str(text).unwrap();
    edit(&mut document["state"]);
    let name = document["policy"].as_str().unwrap().to_owned();
    document["checksum"] = json!(checksum(&name, &document["state"]));
    document.to_string()
}

#[test]
fn a_checksum_computed_by_others_fits() {
    for_each(|info| {
        let text = played(info, 12).save().unwrap();
        assert!(policy::restore(&resealed(&text, |_| {})).is_ok());
    });
}
