//! One line of the results: what a candidate came to.

use optimist_engine::evaluation::{ReplayReport, Verdict};
use serde::Serialize;

use super::apprentice::Apprenticeship;
use super::candidate::Candidate;
use super::course::Course;
use super::estimates::LoggedValue;

/// What a candidate came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// The policy.
    pub policy: String,
    /// The model.
    pub model: String,
    /// Rounds per order.
    pub rounds: usize,
    /// Mistakes per order, the mean over orders; none in a log.
    pub mistakes: Option<f64>,
    /// The sum of rewards per order, the mean over orders; in a log as estimated, and none if the log cannot answer.
    pub reward: Option<f64>,
    /// Seconds per order, the mean over orders.
    pub seconds: f64,
    /// How many orders the means are of.
    pub orders: usize,
    /// The standard error of the mean number of mistakes; none of one order.
    pub mistakes_error: Option<f64>,
    /// The mean reward of a round.
    pub mean_reward: Option<f64>,
    /// Its standard error.
    pub mean_reward_error: Option<f64>,
    /// What the log says; none of a table with labels.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub log: Option<LoggedValue>,
    /// What the engine had to say about its choices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Its courses, one per order.
    #[serde(skip)]
    pub courses: Vec<Course>,
}

impl Entry {
    /// Of a table with labels: the mean over orders that were played to their end, or the longest that was begun; none if none
    /// was.
    pub fn of_courses(candidate: &Candidate, courses: Vec<Course>, rounds: usize) -> Option<Self> {
        let whole: Vec<Course> = courses.iter().filter(|course| course.rounds == rounds).cloned().collect();
        let longest = || courses.iter().max_by_key(|course| course.rounds).cloned();
        let courses = if whole.is_empty() { vec![longest()?] } else { whole };
        let rounds = courses.first()?.rounds;
        let (mistakes, error) = mean(courses.iter().filter_map(|c| Some(c.last()?.mistakes? as f64)));
        let (n, per_round) = (rounds as f64, 1.0 / rounds as f64);
        Some(Self {
            rounds,
            mistakes: Some(mistakes),
            reward: Some(n - mistakes),
            mistakes_error: error,
            mean_reward: Some(1.0 - mistakes * per_round),
            mean_reward_error: error.map(|error| error * per_round),
            ..Self::new(candidate, courses)
        })
    }

    /// Of a log with propensities.
    pub fn of_apprentice(candidate: &Candidate, apprentice: Apprenticeship) -> Self {
        let value = LoggedValue::of_weights(&apprentice.report);
        Self::of_log(candidate, apprentice.course, value)
    }

    /// Of a log without them.
    pub fn of_rejection(candidate: &Candidate, course: Course, report: &ReplayReport) -> Self {
        Self::of_log(candidate, course, LoggedValue::of_matches(report))
    }

    fn of_log(candidate: &Candidate, course: Course, value: LoggedValue) -> Self {
        let first = value.estimates.first();
        let (mean_reward, mean_reward_error) = (first.map(|e| e.value), first.and_then(|e| e.standard_error));
        Self {
            reward: mean_reward.map(|mean| mean * course.rounds as f64),
            mean_reward,
            mean_reward_error,
            log: Some(value),
            ..Self::new(candidate, vec![course])
        }
    }

    fn new(candidate: &Candidate, courses: Vec<Course>) -> Self {
        Self {
            policy: candidate.policy.clone(),
            model: candidate.model_name().to_owned(),
            rounds: courses.first().map_or(0, |course| course.rounds),
            mistakes: None,
            reward: None,
            seconds: mean(courses.iter().map(|course| course.seconds)).0,
            orders: courses.len(),
            mistakes_error: None,
            mean_reward: None,
            mean_reward_error: None,
            log: None,
            note: courses.iter().find_map(|course| course.note.clone()),
            courses,
        }
    }

    /// Policy and model.
    pub fn label(&self) -> String {
        format!("{}, {}", self.policy, self.model)
    }
}

/// The entry with the largest mean reward, the first of several; a log must be able to say so.
pub fn best(entries: &[Entry]) -> Option<&Entry> {
    let is_known = |entry: &&Entry| {
        entry.mean_reward.is_some() && entry.log.as_ref().is_none_or(|log| log.verdict == Verdict::Usable)
    };
    let value = |entry: &Entry| entry.mean_reward.unwrap_or(f64::NEG_INFINITY);
    entries.iter().rev().filter(is_known).max_by(|a, b| value(a).total_cmp(&value(b)))
}

/// The mean and its standard error, if there are two values at least.
pub(super) fn mean(values: impl Iterator<Item = f64> + Clone) -> (f64, Option<f64>) {
    let n = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / n.max(1.0);
    let squares: f64 = values.map(|value| (value - mean) * (value - mean)).sum();
    (mean, (n > 1.0).then(|| (squares / (n * (n - 1.0))).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_errors() {
        assert_eq!(mean([1.0, 2.0, 3.0].into_iter()), (2.0, Some((2.0f64 / 6.0).sqrt())));
        assert_eq!(mean([4.0].into_iter()), (4.0, None));
    }
}
