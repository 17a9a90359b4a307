//! When the transitory phase of a run ends: a rule, because the theory bounds its regret without saying where it stops.

use crate::simulation::Record;

/// Of the rounds after the phase, at most this part plays detrimental arms.
const RARE: f64 = 0.1;

/// The round at which the transitory phase of a run ends, to the precision of its marks; none if it was not seen to end.
///
/// It ends at the first mark tau such that at every later mark t >= 2 tau at most one in ten of the rounds tau + 1, ..., t
/// played a detrimental arm. To be seen to end, it must be followed by as many rounds as it lasted. Zero if
/// there is no such phase at all.
pub fn transitory_end(record: &Record) -> Option<usize> {
    let plays = || record.t.iter().zip(&record.bad_plays).map(|(t, bad)| (*t, *bad as f64));
    let horizon = *record.t.last()?;
    let is_over = |(tau, before): (usize, f64)| {
        let mut later = plays().filter(|(t, _)| *t >= 2 * tau && *t > tau);
        later.all(|(t, bad)| bad - before <= RARE * (t - tau) as f64)
    };
    let starts = std::iter::once((0, 0.0)).chain(plays());
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
