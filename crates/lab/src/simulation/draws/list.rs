//! Arms of a list: all of them, or different ones that are drawn.

use optimist::FiniteArms;
use rand::seq::index;
use rand_chacha::ChaCha8Rng;

use super::Offer;
use crate::experiment::List;

pub(super) fn draw(list: &List, rng: &mut ChaCha8Rng) -> optimist::Result<Offer> {
    let List { arms, rates, sample, .. } = list;
    let Some(sample) = sample else {
        return Ok(Offer { rates: rates.to_vec(), ..FiniteArms::from_rows(arms)?.into() });
    };
    // Takes a time that grows with the items drawn, not with the list, if these are few.
    let chosen = index::sample(rng, arms.len(), sample.count);
    let rows: Vec<&[f64]> = chosen.iter().map(|i| &*arms[i]).collect();
    let rates = chosen.iter().filter_map(|i| rates.get(i).copied()).collect();
    Ok(Offer { rates, ..FiniteArms::from_rows(&rows)?.into() })
}
