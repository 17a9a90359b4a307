//! Apprentices: a candidate goes through a log in its order, says before every row what it would have done, and learns from
//! what was done. With the logged probabilities this says what it would have earned.

use std::time::Instant;

use optimist_engine::WhatIf;
use optimist_engine::evaluation::{EvaluationError, LoggedRow, OffPolicyOptions, OffPolicyReport};

use super::candidate::{Candidate, Setup};
use super::course::{Course, Progressed, Recorder};
use super::log::Log;
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
    let named = |e| Error::input(format!("{}: {e}", candidate.label()));
    let mut apprentice = WhatIf::with(setup.settings(candidate, 0, DRAWS)?, options).map_err(named)?;
    let mut recorder = Recorder::new(log.decisions.len());
    let (mut sum, mut played, mut note) = (0.0, 0, None);
    let at = |round: usize, reward: f64| Progressed { round, mistakes: None, reward };
    let start = Instant::now();
    for batch in log.decisions.chunks(BATCH) {
        if progress.is_stopped() {
            break;
        }
        for _ in batch {
            let failed = |e| Error::input(format!("{}, row {}: {e}", candidate.label(), played + 1));
            let judged = apprentice.step(log.logged(played)).map_err(failed)?;
            sum += doubly_robust(&judged.row);
            played += 1;
            if played > WARM && note.is_none() {
                note = judged.note;
            }
            if recorder.is_due(played) {
                recorder.curve.push(at(played, sum));
            }
        }
        progress.played(batch.len());
    }
    let seconds = start.elapsed().as_secs_f64();
    let course = Course { curve: recorder.finish(at(played, sum)), rounds: played, seconds, note };
    Ok(Apprenticeship { course, report: apprentice.report(delta).map_err(named)?.off_policy })
}

/// The reward that the row stands for.
fn doubly_robust(row: &LoggedRow) -> f64 {
    let (Some(predictions), Some(propensity)) = (row.predictions, row.propensity) else { return 0.0 };
    predictions.target + row.target / propensity * (row.reward - predictions.logged)
}

pub(super) fn wrong(error: EvaluationError) -> Error {
    Error::input(error.to_string())
}
