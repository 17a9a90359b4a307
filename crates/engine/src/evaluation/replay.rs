//! Rejection replay: what a policy would have earned, from a log whose actions were drawn uniformly.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::bounded::BoundedMean;
use super::elementary::ln;
use super::error::{EvaluationError, level, probability};
use super::estimate::Estimate;
use super::moments::Moments;
use super::support::Verdict;
use super::uniformity::Evidence;

/// The most actions that are counted.
const MOST_ACTIONS: usize = 1 << 16;

/// The level at which a log is refused as not uniform, shared by both tests.
const REFUSAL_LEVEL: f64 = 0.001;

/// Fewer matched rows than this are too little support.
const LEAST_MATCHED: u64 = 30;

/// Replay of a uniformly random log (Li, Chu, Langford and Wang 2011, "Unbiased offline evaluation of contextual-bandit-based
/// news article recommendation algorithms", Algorithm 2 and Theorem 1).
///
/// The candidate policy is asked for its choice in every row. Where it chooses the logged action the row counts, and the
/// candidate may learn from it; other rows are skipped, and it must not learn from them. If logged actions are drawn
/// uniformly from the same number of actions in every row, whatever the context, matched rows come as if the candidate had
/// been in charge: this holds for policies that learn, and it uses about one row in `K`. Where the number of actions changes
/// from row to row, matched rows favour those with few actions; use [`OffPolicy`](super::OffPolicy) with propensity `1/K`
/// then.
///
/// The estimate is the mean reward of matched rows. Its always-valid interval is that of [`BoundedMean`].
///
/// # The check that the log is uniform
///
/// Two always-valid tests, which together refuse a uniform log with probability at most 0.1%, however often one looks: one of
/// the frequencies of logged actions, and one of the share of matched rows, which is `1/K` under uniformity *whatever the
/// candidate does*. The first sees a log that favours some actions over all. The second sees a log that follows the context
/// where this helps or harms this candidate. What neither can see: a log that follows the context, or the rewards, in a way
/// that leaves both the frequencies and the matches alone.
///
/// ```
/// use optimist_engine::evaluation::Replay;
///
/// let mut replay = Replay::new(2)?;
/// for i in 0..400 {
///     let logged = (i / 2) % 2;
///     replay.push(i % 2, logged, if i % 2 == 0 { 1.0 } else { 0.0 })?;
/// }
/// let report = replay.report(0.05)?;
/// assert_eq!((report.rows, report.matched), (400, 200));
/// assert_eq!(report.estimate.unwrap().value, 0.5);
/// # Ok::<(), optimist_engine::evaluation::EvaluationError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// How often every action was logged.
    counts: Vec<u64>,
    rows: u64,
    frequencies: Evidence,
    matches: Evidence,
    rewards: Moments,
    mean: BoundedMean,
}

/// One thing that speaks against a replay; `to_string` says it in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReplayConcern {
    /// No row matched.
    NoMatches {
        /// How many rows there were.
        rows: u64,
    },
    /// Some actions were logged more often than others, beyond doubt.
    UnevenActions {
        /// The action that was logged most often.
        action: usize,
        /// Its share of the rows.
        share: f64,
        /// The share that it should have.
        expected: f64,
    },
    /// The log agrees with the candidate more or less often than chance, beyond doubt.
    UnevenMatches {
        /// The share of matched rows.
        share: f64,
        /// The share that it should be.
        expected: f64,
    },
    /// Few rows matched.
    FewMatches {
        /// How many.
        matched: u64,
        /// How many are asked for.
        needed: u64,
    },
}

impl ReplayConcern {
    /// What the concern makes of the estimate.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::FewMatches { .. } => Verdict::TooLittleSupport,
            _ => Verdict::Refused,
        }
    }
}

impl fmt::Display for ReplayConcern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMatches { rows } => {
                write!(f, "refused: in none of {rows} rows did the candidate choose the logged action")
            }
            Self::UnevenActions { action, share, expected } => write!(
                f,
                "refused: the log is not uniform: action {action} was logged in {:.2}% of the rows instead of {:.2}%; replay \
                 would be biased. Use off-policy estimates with the logged propensities instead",
                100.0 * share,
                100.0 * expected
            ),
            Self::UnevenMatches { share, expected } => write!(
                f,
                "refused: the log is not uniform given the context: {:.2}% of the rows match the candidate instead of \
                 {:.2}%; replay would be biased. Use off-policy estimates with the logged propensities instead",
                100.0 * share,
                100.0 * expected
            ),
            Self::FewMatches { matched, needed } => write!(
                f,
                "too little support: only {matched} rows match the candidate's choices; at least {needed} are asked for"
            ),
        }
    }
}

/// What a replay found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplayReport {
    /// How many rows were replayed.
    pub rows: u64,
    /// In how many the candidate chose the logged action.
    pub matched: u64,
    /// `matched / rows`; zero without rows.
    pub matched_share: f64,
    /// What the share should be: one over the number of actions.
    pub expected_share: f64,
    /// What speaks against the estimate.
    pub concerns: Vec<ReplayConcern>,
    /// The worst of the concerns.
    pub verdict: Verdict,
    /// The mean reward of matched rows; none where the verdict is [`Verdict::Refused`].
    pub estimate: Option<Estimate>,
}

impl Replay {
    /// No rows yet, of a log whose actions were drawn uniformly from `actions` of them in every row.
    pub fn new(actions: usize) -> Result<Self, EvaluationError> {
        if !(1..=MOST_ACTIONS).contains(&actions) {
            return Err(EvaluationError::Index { field: "actions", value: actions, least: 1, most: MOST_ACTIONS });
        }
        Ok(Self {
            counts: vec![0; actions],
            rows: 0,
            frequencies: Evidence::default(),
            matches: Evidence::default(),
            rewards: Moments::default(),
            mean: BoundedMean::new(),
        })
    }

    /// Takes a row: what the candidate chose, what was logged, and the reward of the latter. Says whether they match: then,
    /// and only then, may the candidate learn from the row.
    pub fn push(&mut self, chosen: usize, logged: usize, reward: f64) -> Result<bool, EvaluationError> {
        let actions = self.counts.len();
        for (field, value) in [("chosen", chosen), ("logged", logged)] {
            if value >= actions {
                return Err(EvaluationError::Index { field, value, least: 0, most: actions.saturating_sub(1) });
            }
        }
        let reward = probability("reward", reward)?;

        let chance = 1.0 / actions as f64;
        self.frequencies.push(self.counts[logged], self.rows, actions, chance);
        let (matched, is_match) = (self.rewards.count(), chosen == logged);
        if is_match {
            self.matches.push(matched, self.rows, 2, chance);
            self.rewards.push(reward);
            self.mean.push(reward)?;
        } else {
            self.matches.push(self.rows.saturating_sub(matched), self.rows, 2, 1.0 - chance);
        }
        self.counts[logged] += 1;
        self.rows += 1;
        Ok(is_match)
    }

    /// What is known so far, with every interval at `1 - delta`.
    pub fn report(&self, delta: f64) -> Result<ReplayReport, EvaluationError> {
        let delta = level(delta)?;
        let (rows, matched) = (self.rows, self.rewards.count());
        let n = rows.max(1) as f64;
        let expected = 1.0 / self.counts.len().max(1) as f64;
        let matched_share = matched as f64 / n;

        let beyond_doubt = -ln(0.5 * REFUSAL_LEVEL);
        let mut concerns = Vec::new();
        if self.frequencies.peak() >= beyond_doubt {
            let most = self.counts.iter().copied().max().unwrap_or(0);
            let action = self.counts.iter().position(|count| *count == most).unwrap_or(0);
            concerns.push(ReplayConcern::UnevenActions { action, share: most as f64 / n, expected });
        }
        if self.matches.peak() >= beyond_doubt {
            concerns.push(ReplayConcern::UnevenMatches { share: matched_share, expected });
        }
        if matched == 0 {
            concerns.push(ReplayConcern::NoMatches { rows });
        } else if matched < LEAST_MATCHED {
            concerns.push(ReplayConcern::FewMatches { matched, needed: LEAST_MATCHED });
        }
        let verdict = concerns.iter().map(ReplayConcern::verdict).max().unwrap_or(Verdict::Usable);

        let always_valid = self.mean.interval(delta)?;
        let estimate = (verdict < Verdict::Refused).then(|| {
            let error = self.rewards.standard_error();
            Estimate::new(self.rewards.mean(), error, matched as f64, delta, Ok(always_valid))
        });
        Ok(ReplayReport { rows, matched, matched_share, expected_share: expected, concerns, verdict, estimate })
    }
}
