//! What happened to a bandit lately, so that a choice can be asked about the state in which it was made.
//!
//! To copy the state at every choice would cost more than the choice. Instead a copy is made now and then, and what changes the
//! bandit after it is written down: the state at any moment since is the copy, taken through the same steps, to the last bit.
//! Choices hold on to the part of the journal that they need; what nobody holds on to is gone.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use optimist::policy::Session;
use optimist::{ArmSet, Row};

/// Steps after which a new copy is made.
const MOST_STEPS: usize = 256;
/// Numbers in these steps after which one is.
const MOST_NUMBERS: usize = 1 << 19;

/// A list of arms that steps share.
pub(super) type Arms = Arc<ArmSet<'static>>;

/// Something that changes a bandit.
pub(super) enum Step {
    Choose(Arms),
    /// The reward of an arm of a list.
    Reward {
        arms: Arms,
        arm: usize,
        reward: f64,
    },
    Observe {
        rows: Vec<f64>,
        rewards: Vec<f64>,
    },
    /// The same of arms with parameters of their own.
    ObserveOwn {
        owners: Vec<u64>,
        rows: Vec<f64>,
        rewards: Vec<f64>,
    },
    Settle {
        play: u64,
        reward: f64,
    },
    GiveUp {
        play: u64,
    },
}

impl Step {
    /// Takes a session through it.
    pub(super) fn apply(&self, session: &mut Session) -> optimist::Result<()> {
        match self {
            Step::Choose(arms) => session.choose(arms).map(drop),
            Step::Reward { arms, arm, reward } => match arms.row(*arm) {
                Some(row) => session.policy.observe_row(&row, *reward),
                None => Ok(()),
            },
            Step::Observe { rows, rewards } => session.policy.observe_many(rows, rewards),
            Step::ObserveOwn { owners, rows, rewards } => {
                let own = |(i, &owner): (usize, &u64)| {
                    let d = rows.len() / owners.len();
                    (Row::Own { owner, features: &rows[i * d..][..d] }, rewards[i])
                };
                session.policy.observe_rows(&owners.iter().enumerate().map(own).collect::<Vec<_>>())
            }
            Step::Settle { play, reward } => session.policy.settle(*play, *reward),
            Step::GiveUp { play } => session.policy.give_up(*play),
        }
    }

    /// How many numbers it holds that the step before it does not.
    fn numbers(&self, before: Option<&Step>) -> usize {
        let arms = |step: &Step| match step {
            Step::Choose(arms) | Step::Reward { arms, .. } => Some(arms.clone()),
            _ => None,
        };
        match (self, arms(self), before.and_then(arms)) {
            (Step::Observe { rows, rewards } | Step::ObserveOwn { rows, rewards, .. }, ..) => {
                rows.len() + rewards.len()
            }
            (_, Some(new), Some(old)) if Arc::ptr_eq(&new, &old) => 1,
            (_, Some(new), _) => numbers(&new),
            _ => 1,
        }
    }
}

/// A context that all arms share is written once.
fn numbers(arms: &ArmSet<'_>) -> usize {
    match arms {
        ArmSet::Hybrid(arms) if arms.is_same() => arms.len() + arms.dimension(),
        _ => arms.len().unwrap_or(0) * arms.dimension(),
    }
}

/// A copy of a session, and what happened to it afterwards.
pub(super) struct Chapter {
    /// The steps, and how many numbers they hold.
    steps: Mutex<(Vec<Step>, usize)>,
    start: Session,
    /// The start, taken through so many steps: who asks about every choice in turn goes every step once.
    cursor: Mutex<Option<(usize, Session)>>,
}

impl Chapter {
    fn new(start: Session) -> Self {
        Self { steps: Mutex::default(), start, cursor: Mutex::default() }
    }

    /// Asks the session as it was before step number `step`.
    pub(super) fn ask<T>(
        &self,
        step: usize,
        question: impl FnOnce(&mut Session) -> optimist::Result<T>,
    ) -> optimist::Result<T> {
        let mut cursor = lock(&self.cursor);
        let (mut at, mut session) = match cursor.take() {
            Some((at, session)) if at <= step => (at, session),
            _ => (0, self.start.clone()),
        };
        let steps = lock(&self.steps);
        while at < step {
            steps.0[at].apply(&mut session)?;
            at += 1;
        }
        drop(steps);
        let answer = question(&mut session);
        *cursor = Some((at, session));
        answer
    }
}

/// The chapter that is being written.
pub(super) struct Journal {
    chapter: Arc<Chapter>,
}

impl Journal {
    /// Begins with a copy.
    pub(super) fn new(session: &Session) -> Self {
        Self { chapter: Arc::new(Chapter::new(session.clone())) }
    }

    /// Where the next step will stand.
    pub(super) fn place(&self) -> (Arc<Chapter>, usize) {
        (self.chapter.clone(), lock(&self.chapter.steps).0.len())
    }

    /// Writes down a step that has been taken, after which the session is this one.
    pub(super) fn write(&mut self, step: Step, session: &Session) {
        let mut steps = lock(&self.chapter.steps);
        steps.1 += step.numbers(steps.0.last());
        steps.0.push(step);
        let is_full = steps.0.len() >= MOST_STEPS || steps.1 >= MOST_NUMBERS;
        drop(steps);
        if is_full {
            *self = Self::new(session);
        }
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
