//! Rounds at which to look, evenly spaced on a logarithmic axis.

/// How many points a curve has.
pub(super) const CURVE_POINTS: usize = 100;

/// Up to `count` different rounds from 1 to `horizon`, both included, evenly spaced on a logarithmic axis.
pub fn log_spaced(horizon: usize, count: usize) -> Vec<usize> {
    let last = count.max(2) - 1;
    let ratio = (horizon as f64).ln() / last as f64;
    let mut rounds: Vec<usize> = (0..=last).map(|i| (ratio * i as f64).exp().round() as usize).collect();
    // Rounding must not move the end.
    rounds[last] = horizon;
    rounds.dedup();
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_ascend_from_one_to_the_horizon() {
        for horizon in [1, 2, 7, 100, 4000, 1_000_000] {
            let rounds = log_spaced(horizon, CURVE_POINTS);
            assert_eq!((rounds[0], *rounds.last().unwrap()), (1, horizon));
            assert!(rounds.windows(2).all(|w| w[0] < w[1]), "{rounds:?}");
            assert!(rounds.len() <= CURVE_POINTS);
        }
        assert_eq!(log_spaced(4, 100), [1, 2, 3, 4]);
    }
}
