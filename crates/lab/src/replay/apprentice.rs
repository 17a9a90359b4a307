//! Apprentices: a candidate goes through a log in its order, says before every row what it would have done, and learns from
//! what was done. With the logged probabilities this says what it would have earned.

use std::collections::HashMap;
use std::time::Instant;

use optimist_engine::Decision;
use optimist_engine::evaluation::{EvaluationError, LoggedRow, OffPolicy, OffPolicyOptions, OffPolicyReport};

use super::candidate::{Candidate, Setup};
use super::course::{Course, Progressed, Recorder};
use super::log::{Log, LoggedDecision};
use super::threads::on_cores;
use crate::error::{Error, Result};
use crate::simulation::Progress;

/// Simulated choices per decision, from which a randomised policy's probabilities come.
const DRAWS: usize = 100;
/// Rows between two looks at whether somebody has stopped the work.
const BATCH: usize = 64;
/// Rows after which notes of the engine count.
const WARM: usize = 128;

/// What became of a candidate.
#[derive(Debug, Clone)]
pub struct Apprenticeship {
    /// Its way through the log; rewards are doubly robust estimates.
    pub course: Course,
    /// What it would have earned.
    pub report: OffPolicyReport,
}

/// Sends all candidates through a log with propensities; nothing for those that somebody stopped before they began.
///
/// # Errors
/// If an engine refuses its settings or a context, or a row cannot be evaluated.
pub fn evaluate(
    log: &Log,
    setup: &Setup,
    candidates: &[Candidate],
    options: OffPolicyOptions,
    delta: f64,
    progress: &dyn Progress,
) -> Result<Vec<Option<Apprenticeship>>> {
    progress.expect(candidates.len() * log.decisions.len());
    on_cores(candidates.len(), setup.jobs, |number| {
        if progress.is_stopped() {
            return Ok(None);
        }
        learn(log, setup, &candidates[number], options, delta, progress).map(Some)
    })
}

fn learn(
    log: &Log,
    setup: &Setup,
    candidate: &Candidate,
    options: OffPolicyOptions,
    delta: f64,
    progress: &dyn Progress,
) -> Result<Apprenticeship> {
    let mut engine = setup.engine(candidate, 0, DRAWS)?;
    let numbers: HashMap<&str, u32> = log.actions.iter().map(String::as_str).zip(0..).collect();
    let mut evaluation = OffPolicy::new(options).map_err(wrong)?;
    let mut recorder = Recorder::new(log.decisions.len());
    let (mut sum, mut played, mut note) = (0.0, 0, None);
    let at = |round: usize, reward: f64| Progressed { round, mistakes: None, reward };
    let start = Instant::now();
    for batch in log.decisions.chunks(BATCH) {
        if progress.is_stopped() {
            break;
        }
        for logged in batch {
            let failed = |e| Error::input(format!("{}, row {}: {e}", candidate.label(), played + 1));
            let request = log.request(played).baseline(log.name(logged.action), logged.propensity);
            let decision = engine.decide(request, 0.0).map_err(failed)?;
            let row = judged(&decision, logged, &numbers);
            evaluation.push(&row).map_err(wrong)?;
            sum += doubly_robust(&row);
            engine.reward(&decision.event, logged.reward, 0.0).map_err(failed)?;
            played += 1;
            if played > WARM && note.is_none() {
                note = decision.note;
            }
            if recorder.is_due(played) {
                recorder.curve.push(at(played, sum));
            }
        }
        progress.played(batch.len());
    }
    let seconds = start.elapsed().as_secs_f64();
    let course = Course { curve: recorder.finish(at(played, sum)), rounds: played, seconds, note };
    Ok(Apprenticeship { course, report: evaluation.report(delta).map_err(wrong)? })
}

/// What the candidate would have done, before it knew the reward.
fn judged(decision: &Decision, logged: &LoggedDecision, numbers: &HashMap<&str, u32>) -> LoggedRow {
    let (mut target, mut expected, mut predicted, mut unsupported) = (0.0, 0.0, 0.0, 0.0);
    for ranked in &decision.ranking {
        let estimate = ranked.estimate.clamp(0.0, 1.0);
        expected += ranked.probability * estimate;
        let number = numbers.get(&*ranked.action).copied();
        if number == Some(logged.action) {
            (target, predicted) = (ranked.probability, estimate);
        }
        if let Some((offered, probabilities)) = &logged.offered {
            let place = offered.iter().position(|other| Some(*other) == number);
            if place.and_then(|place| probabilities.get(place)) == Some(&0.0) {
                unsupported += ranked.probability;
            }
        }
    }
    // Sums of probabilities may exceed one by rounding.
    let row = LoggedRow {
        propensity: logged.propensity,
        target: target.min(1.0),
        reward: logged.reward,
        predictions: None,
        unsupported: None,
    };
    row.with_predictions(predicted, expected.min(1.0)).with_unsupported(f64::min(unsupported, 1.0))
}

/// The reward that the row stands for.
fn doubly_robust(row: &LoggedRow) -> f64 {
    let (Some(predictions), Some(propensity)) = (row.predictions, row.propensity) else { return 0.0 };
    predictions.target + row.target / propensity * (row.reward - predictions.logged)
}

pub(super) fn wrong(error: EvaluationError) -> Error {
    Error::input(error.to_string())
}
