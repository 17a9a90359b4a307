//! Rounds at which to look.

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

/// Rounds by a rule, for curves that are denser than a list is written by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pattern {
    /// Every round.
    All,
    /// Every so many rounds.
    Every(usize),
    /// So many, evenly spaced on a logarithmic axis.
    Log(usize),
}

impl Pattern {
    /// `all`, `every 10`, `log 200`; none if it is something else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let number = |digits: &str| digits.parse().ok().filter(|number| *number >= 1);
        match text.split_whitespace().collect::<Vec<_>>()[..] {
            ["all"] => Some(Pattern::All),
            ["every", step] => number(step).map(Pattern::Every),
            ["log", count] => number(count).map(Pattern::Log),
            _ => None,
        }
    }

    /// How many rounds it names, at most.
    pub(super) fn count(self, horizon: usize) -> usize {
        match self {
            Pattern::All => horizon,
            Pattern::Every(step) => horizon.div_ceil(step),
            Pattern::Log(count) => count.min(horizon),
        }
    }

    /// The rounds, ascending; the last is the horizon.
    pub(super) fn rounds(self, horizon: usize) -> Vec<usize> {
        match self {
            Pattern::All => (1..=horizon).collect(),
            Pattern::Every(step) => (step..horizon).step_by(step).chain([horizon]).collect(),
            Pattern::Log(count) => log_spaced(horizon, count),
        }
    }
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

    #[test]
    fn patterns_name_rounds() {
        let rounds = |text: &str| Pattern::parse(text).unwrap().rounds(25);
        assert_eq!(rounds("every 10"), [10, 20, 25]);
        assert_eq!(rounds("every 5"), [5, 10, 15, 20, 25]);
        assert_eq!(rounds("every 25"), [25]);
        assert_eq!(rounds(" all "), (1..=25).collect::<Vec<_>>());
        assert_eq!(rounds("log 3"), [1, 5, 25]);
        for text in ["all", "every 1", "every 7", "log 2", "log 9", "log 1000"] {
            let pattern = Pattern::parse(text).unwrap();
            assert!(pattern.rounds(25).len() <= pattern.count(25).max(2), "{text}");
        }
        for wrong in ["", "every", "every 0", "every -1", "every 1.5", "log 0", "log", "all 3", "ALL", "each 3"] {
            assert_eq!(Pattern::parse(wrong), None, "{wrong}");
        }
    }
}
