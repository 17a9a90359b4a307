//! A labelled table as a bandit: every row is a context, every class an action, and the reward is one if the action is the
//! row's class.

use std::time::Instant;

use optimist_engine::Request;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::candidate::{Candidate, Setup};
use super::contexts::Contexts;
use super::course::{Course, Progressed, Recorder};
use super::threads::on_cores;
use crate::error::{Error, Result};
use crate::simulation::Progress;

/// Rows with their classes.
#[derive(Debug, Clone)]
pub struct Examples {
    /// What is known of each row.
    pub contexts: Contexts,
    /// The classes, which are the names of the actions.
    pub classes: Vec<String>,
    /// The class of each row, by number.
    pub labels: Vec<u32>,
}

/// How rows are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Orders {
    /// How many random orders.
    pub count: usize,
    /// How many rounds of each are played.
    pub rounds: usize,
}

/// The number of orders for so many rounds, unless somebody says otherwise: about 200,000 rounds in all, from one order to ten.
pub fn usual_orders(rounds: usize) -> usize {
    // A hundred thousand rows are played once: that takes seconds, not a minute.
    (199_999 / rounds.max(1)).clamp(1, 10)
}

/// Rounds after which notes of the engine count: before, it warms up and says so.
const WARM: usize = 128;
/// Rounds between two looks at whether somebody has stopped the work.
const BATCH: usize = 256;

impl Examples {
    /// The most frequent class, and in how many rows it is right.
    pub fn majority(&self) -> (&str, usize) {
        let mut counts = vec![0; self.classes.len()];
        self.labels.iter().for_each(|label| counts[*label as usize] += 1);
        // The first of several, so that the answer does not depend on the search.
        let best = (0..counts.len()).rev().max_by_key(|class| counts[*class]).unwrap_or(0);
        (self.classes.get(best).map_or("", String::as_str), counts.get(best).copied().unwrap_or(0))
    }

    /// Rows in a random order, the same for all candidates.
    fn order(&self, seed: u64, order: usize) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..self.labels.len() as u32).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(order as u64);
        rows.shuffle(&mut rng);
        rows
    }

    /// One candidate in one order.
    fn course(
        &self,
        setup: &Setup,
        candidate: &Candidate,
        order: usize,
        rounds: usize,
        progress: &dyn Progress,
    ) -> Result<Course> {
        // One draw is all that a choice needs; more would estimate probabilities for which nobody asks.
        let mut engine = setup.engine(candidate, order, 1)?;
        let rows = self.order(setup.seed, order);
        let (mut mistakes, mut played, mut note) = (0, 0, None);
        let mut recorder = Recorder::new(rounds);
        let at = |round: usize, mistakes: u64| Progressed {
            round,
            mistakes: Some(mistakes),
            reward: round as f64 - mistakes as f64,
        };
        let start = Instant::now();
        for batch in rows[..rounds.min(rows.len())].chunks(BATCH) {
            if progress.is_stopped() {
                break;
            }
            for row in batch {
                let row = *row as usize;
                let failed =
                    |e| Error::input(format!("{}, order {}, round {played}: {e}", candidate.label(), order + 1));
                let request = Request::new(played.to_string(), self.contexts.get(row));
                let decision = engine.decide(request, 0.0).map_err(failed)?;
                let right = *decision.action == *self.classes[self.labels[row] as usize];
                engine.reward(&decision.event, f64::from(u8::from(right)), 0.0).map_err(failed)?;
                mistakes += u64::from(!right);
                played += 1;
                if played > WARM && note.is_none() {
                    note = decision.note;
                }
                if recorder.is_due(played) {
                    recorder.curve.push(at(played, mistakes));
                }
            }
            progress.played(batch.len());
        }
        let seconds = start.elapsed().as_secs_f64();
        Ok(Course { curve: recorder.finish(at(played, mistakes)), rounds: played, seconds, note })
    }
}

/// Plays all candidates in all orders; per candidate what became of it in each order that was begun.
///
/// Orders come first, so that what is finished when somebody loses patience treats all candidates alike.
///
/// # Errors
/// If an engine refuses its settings or a context.
pub fn play(
    examples: &Examples,
    setup: &Setup,
    candidates: &[Candidate],
    orders: Orders,
    progress: &dyn Progress,
) -> Result<Vec<Vec<Course>>> {
    progress.expect(orders.count * candidates.len() * orders.rounds);
    let tasks = orders.count * candidates.len();
    let courses = on_cores(tasks, setup.jobs, |task| {
        if progress.is_stopped() {
            return Ok(None);
        }
        let (order, candidate) = (task / candidates.len(), &candidates[task % candidates.len()]);
        examples.course(setup, candidate, order, orders.rounds, progress).map(Some)
    })?;
    let mut of_each = vec![Vec::new(); candidates.len()];
    for (task, course) in courses.into_iter().enumerate() {
        of_each[task % candidates.len()].extend(course.filter(|course| course.rounds > 0));
    }
    Ok(of_each)
}
