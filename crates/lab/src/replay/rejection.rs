//! Rejection replay: for logs whose actions were drawn uniformly, where nobody wrote the probabilities down.

use std::collections::HashMap;
use std::time::Instant;

use optimist_engine::evaluation::{Replay, ReplayConcern, ReplayReport};

use super::apprentice::wrong;
use super::candidate::{Candidate, Setup};
use super::course::{Course, Progressed, Recorder};
use super::log::Log;
use super::threads::on_cores;
use crate::error::{Error, Result};
use crate::simulation::Progress;

/// Rows between two looks at whether somebody has stopped the work.
const BATCH: usize = 256;
/// Rows after which notes of the engine count.
const WARM: usize = 128;

/// An action that was logged more often than others beyond doubt, its share, and the share that it should have.
///
/// # Errors
/// If there are too many actions.
pub fn uneven(log: &Log) -> Result<Option<(&str, f64, f64)>> {
    let mut replay = Replay::new(log.actions.len()).map_err(wrong)?;
    for decision in &log.decisions {
        replay.push(0, decision.action as usize, decision.reward).map_err(wrong)?;
    }
    let concerns = replay.report(0.05).map_err(wrong)?.concerns;
    Ok(concerns.into_iter().find_map(|concern| match concern {
        ReplayConcern::UnevenActions { action, share, expected } => Some((log.name(action as u32), share, expected)),
        _ => None,
    }))
}

/// Sends all candidates through a log. Each learns from the rows in which it would have done what was done, and those count.
///
/// # Errors
/// If an engine refuses its settings or a context, or there are too many actions.
pub fn reject(
    log: &Log,
    setup: &Setup,
    candidates: &[Candidate],
    delta: f64,
    progress: &dyn Progress,
) -> Result<Vec<Option<(Course, ReplayReport)>>> {
    progress.expect(candidates.len() * log.decisions.len());
    on_cores(candidates.len(), setup.jobs, |number| {
        if progress.is_stopped() {
            return Ok(None);
        }
        go_through(log, setup, &candidates[number], delta, progress).map(Some)
    })
}

fn go_through(
    log: &Log,
    setup: &Setup,
    candidate: &Candidate,
    delta: f64,
    progress: &dyn Progress,
) -> Result<(Course, ReplayReport)> {
    let mut engine = setup.engine(candidate, 0, 1)?;
    let numbers: HashMap<&str, usize> = log.actions.iter().map(String::as_str).zip(0..).collect();
    let mut replay = Replay::new(log.actions.len()).map_err(wrong)?;
    let mut recorder = Recorder::new(log.decisions.len());
    let (mut sum, mut matched, mut played, mut note) = (0.0, 0u64, 0, None);
    // The sum that the rows would have had if all were like those that matched.
    let at = |round: usize, sum: f64, matched: u64| Progressed {
        round,
        mistakes: None,
        reward: round as f64 * sum / matched.max(1) as f64,
    };
    let start = Instant::now();
    for batch in log.decisions.chunks(BATCH) {
        if progress.is_stopped() {
            break;
        }
        for logged in batch {
            let failed = |e| Error::input(format!("{}, row {}: {e}", candidate.label(), played + 1));
            let decision = engine.decide(log.request(played), 0.0).map_err(failed)?;
            let chosen = numbers.get(&*decision.action).copied().unwrap_or(usize::MAX);
            if replay.push(chosen, logged.action as usize, logged.reward).map_err(wrong)? {
                engine.reward(&decision.event, logged.reward, 0.0).map_err(failed)?;
                sum += logged.reward;
                matched += 1;
            }
            played += 1;
            if played > WARM * log.actions.len() && note.is_none() {
                note = decision.note;
            }
            if recorder.is_due(played) && matched > 0 {
                recorder.curve.push(at(played, sum, matched));
            }
        }
        progress.played(batch.len());
    }
    let seconds = start.elapsed().as_secs_f64();
    let course = Course { curve: recorder.finish(at(played, sum, matched)), rounds: played, seconds, note };
    Ok((course, replay.report(delta).map_err(wrong)?))
}
