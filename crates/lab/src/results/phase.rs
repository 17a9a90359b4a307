//! When the transitory phase of a run ends: a rule, because the theory bounds its regret without saying where it stops.

use crate::simulation::Record;

/// Of so many rounds after the phase, at most one plays a detrimental arm.
const RARITY: i128 = 10;

/// The round at which the transitory phase of a run ends, to the precision of its marks; none if it was not seen to end.
///
/// It ends at the first mark tau such that at every later mark t >= 2 tau at most one in ten of the rounds tau + 1, ..., t
/// played a detrimental arm. To be seen to end, it must be followed by as many rounds as it lasted. Zero if
/// there is no such phase at all.
pub fn transitory_end(record: &Record) -> Option<usize> {
    // Of rounds tau + 1, ..., t at most one in ten is bad if RARITY bad(t) - t <= RARITY bad(tau) - tau.
    let excess = |t: usize, bad: u64| RARITY * bad as i128 - t as i128;
    let marks: Vec<(usize, i128)> =
        record.t.iter().zip(&record.bad_plays).map(|(t, bad)| (*t, excess(*t, *bad))).collect();
    let horizon = *record.t.last()?;
    // Of every mark, the largest excess from there to the end.
    let mut worst: Vec<i128> = marks.iter().map(|(_, excess)| *excess).collect();
    (1..worst.len()).rev().for_each(|i| worst[i - 1] = worst[i - 1].max(worst[i]));
    let is_over = |(tau, before): (usize, i128)| {
        let first = marks.partition_point(|(t, _)| *t < (2 * tau).max(tau + 1));
        worst.get(first).is_none_or(|worst| *worst <= before)
    };
    let starts = std::iter::once((0, 0)).chain(marks.iter().copied());
    starts.take_while(|(tau, _)| 2 * tau <= horizon).find(|start| is_over(*start)).map(|(tau, _)| tau)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::log_spaced;

    fn end(bad: impl Fn(usize) -> u64) -> Option<usize> {
        let t = log_spaced(10_000, 200);
        let bad_plays = t.iter().map(|t| bad(*t)).collect();
        transitory_end(&Record { t, bad_plays, ..Record::default() })
    }

    /// The rule word by word.
    fn slow(record: &Record) -> Option<usize> {
        let marks: Vec<(usize, u64)> =
            std::iter::once((0, 0)).chain(record.t.iter().copied().zip(record.bad_plays.iter().copied())).collect();
        let horizon = *record.t.last()?;
        let rare = |(tau, before): (usize, u64), (t, bad): (usize, u64)| 10 * (bad - before) <= (t - tau) as u64;
        let later = |tau: usize| marks.iter().filter(move |(t, _)| *t >= 2 * tau && *t > tau);
        let mut starts = marks.iter().filter(|(tau, _)| 2 * tau <= horizon);
        starts.find(|start| later(start.0).all(|mark| rare(**start, *mark))).map(|(tau, _)| *tau)
    }

    #[test]
    fn the_quick_way_is_the_rule() {
        let mut state = 1_u64;
        let mut next = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        let mut ends = Vec::new();
        for _ in 0..300 {
            let (early, late) = (next(100), next(20));
            let (mut t, mut bad, mut record) = (0, 0, Record::default());
            for _ in 0..40 {
                let step = 1 + next(30);
                let rate = if t < 200 { early } else { late };
                (t, bad) = (t + step, bad + (0..step).filter(|_| next(100) < rate).count() as u64);
                record.t.push(t as usize);
                record.bad_plays.push(bad);
            }
            assert_eq!(transitory_end(&record), slow(&record), "{record:?}");
            ends.push(transitory_end(&record));
        }
        ends.sort_unstable();
        ends.dedup();
        assert!(ends.len() > 20, "the cases are all alike: {ends:?}");
    }

    #[test]
    fn the_phase_ends_where_detrimental_plays_become_rare() {
        assert_eq!(end(|_| 0), Some(0));
        // One in a hundred is rare, one in five is not.
        assert_eq!(end(|t| t as u64 / 100), Some(0));
        assert_eq!(end(|t| t as u64 / 5), None);
        let near = |found: Option<usize>, low: usize, high: usize| {
            assert!(found.is_some_and(|end| (low..=high).contains(&end)), "{found:?} is not in {low}..={high}");
        };
        // All of the first 1,000, or all from 200 to 1,000: a good beginning does not end the phase.
        near(end(|t| t.min(1000) as u64), 800, 1000);
        near(end(|t| t.clamp(200, 1000) as u64 - 200), 800, 1000);
        // It must be followed by as many rounds.
        near(end(|t| t.min(4800) as u64), 4300, 5000);
        assert_eq!(end(|t| t.min(7000) as u64), None);
        assert_eq!(transitory_end(&Record::default()), None);
    }
}
