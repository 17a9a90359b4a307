//! Decisions that are known: those that wait for a reward, and those that are settled and kept for a while.

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::decision::Interval;
use crate::layout::Layout;
use crate::stored;

/// The numbers of a row as it was written, which may have been before the model grew.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WrittenRow {
    shared: u32,
    #[serde(with = "stored::numbers")]
    numbers: Vec<f64>,
    /// Whether a number was cut or the row shortened. The log-odds of what it stands for are then not linear in it: no bound can
    /// be given, and no set may learn from it.
    pub(crate) bent: bool,
}

impl WrittenRow {
    pub(crate) fn new(layout: &Layout, row: &[f64], bent: bool) -> Self {
        Self { shared: layout.shared() as u32, numbers: row.to_vec(), bent }
    }

    /// The row as it is written now: zeros stand where the model has grown.
    pub(crate) fn fitted(&self, layout: &Layout) -> Vec<f64> {
        if self.numbers.len() == layout.dimension() {
            return self.numbers.clone();
        }
        let (shared, own) = self.numbers.split_at(self.shared as usize);
        let mut row = vec![0.0; layout.dimension()];
        row[..shared.len()].copy_from_slice(shared);
        row[layout.shared()..][..own.len()].copy_from_slice(own);
        row
    }

    fn is_sound(&self, layout: Option<&Layout>) -> bool {
        let shared = self.shared as usize;
        let fits = |l: &Layout| shared <= l.shared() && self.numbers.len() - shared <= l.own();
        shared <= self.numbers.len()
            && self.numbers.iter().all(|v| v.is_finite())
            && (self.numbers.is_empty() || layout.is_some_and(fits))
    }
}

/// Where a decision is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum Status {
    /// It may never be carried out.
    Deferred,
    /// Its reward may come until then.
    Waiting { deadline: f64 },
    /// Its reward was learnt, or nothing will be.
    Settled,
}

/// A decision as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) time: f64,
    pub(crate) action: u32,
    pub(crate) probability: Option<f64>,
    /// What the engine would have chosen, where the caller chose.
    pub(crate) advice: Option<u32>,
    /// Action, estimate and probability of all that were offered, in the order of the ranking.
    pub(crate) ranking: Vec<(u32, f64, f64)>,
    pub(crate) interval: Interval,
    pub(crate) version: u64,
    pub(crate) note: Option<String>,
    pub(crate) row: WrittenRow,
    /// The number of its context in the warm-up, if it was made then. It stays when that is over: certified sets must never know
    /// its reward, because the rules by which its row was written were found from later contexts, which may depend on it.
    pub(crate) context: Option<u32>,
    /// Levels of the columns by which the report is split.
    pub(crate) slices: Vec<String>,
    pub(crate) play: Option<u64>,
    /// Whether it was one that may never be carried out.
    pub(crate) deferred: bool,
    pub(crate) status: Status,
    pub(crate) reward: Option<f64>,
}

impl Event {
    /// The estimate of the chosen action when it was chosen.
    pub(crate) fn estimate(&self) -> f64 {
        self.ranking.iter().find(|ranked| ranked.0 == self.action).map_or(0.5, |ranked| ranked.1)
    }
}

/// All that are kept.
///
/// Time never runs backwards and the waiting time is the same for all, so that deadlines come in the order in which decisions were
/// made (or activated), and two queues will do.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Events {
    /// By the order in which they were made.
    all: BTreeMap<u64, Event>,
    next: u64,
    /// Those whose reward may come, by their deadline.
    waiting: VecDeque<u64>,
    /// Those that are settled, by when.
    settled: VecDeque<(f64, u64)>,
    /// Those that were deferred, in order.
    deferred: VecDeque<u64>,
    #[serde(skip)]
    numbers: HashMap<String, u64>,
}

impl Events {
    pub(crate) fn find(&self, id: &str) -> Option<(u64, &Event)> {
        let number = *self.numbers.get(id)?;
        Some((number, self.all.get(&number)?))
    }

    /// The same, unless it was settled before `time` and only nobody has told the time since.
    pub(crate) fn find_since(&self, id: &str, time: f64) -> Option<&Event> {
        let (number, event) = self.find(id)?;
        let mut old = self.settled.iter().take_while(|(settled, _)| *settled < time);
        let is_old = event.status == Status::Settled && old.any(|(_, other)| *other == number);
        (!is_old).then_some(event)
    }

    /// The number of the next decision.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    pub(crate) fn get(&self, number: u64) -> Option<&Event> {
        self.all.get(&number)
    }

    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut Event> {
        self.all.get_mut(&number)
    }

    pub(crate) fn add(&mut self, event: Event) -> u64 {
        let number = self.next;
        self.next += 1;
        self.numbers.insert(event.id.clone(), number);
        match event.status {
            Status::Deferred => self.deferred.push_back(number),
            Status::Waiting { .. } => self.waiting.push_back(number),
            Status::Settled => self.settled.push_back((event.time, number)),
        }
        self.all.insert(number, event);
        number
    }

    /// A deferred decision is carried out.
    pub(crate) fn activate(&mut self, number: u64, deadline: f64) {
        if let Some(event) = self.all.get_mut(&number) {
            event.status = Status::Waiting { deadline };
            self.waiting.push_back(number);
        }
    }

    /// The first whose deadline has passed at `time`.
    pub(crate) fn due(&mut self, time: f64) -> Option<u64> {
        while let Some(number) = self.waiting.front() {
            match self.all.get(number).map(|event| event.status) {
                Some(Status::Waiting { deadline }) => return (deadline < time).then_some(*number),
                // Settled before its time.
                _ => self.waiting.pop_front(),
            };
        }
        None
    }

    /// How many wait for a reward, or for being carried out. Settled ones at the front of the queue do not count.
    pub(crate) fn open(&self) -> usize {
        self.all.len() - self.settled.len()
    }

    /// The oldest that is open.
    pub(crate) fn oldest_open(&self) -> Option<u64> {
        let open = |number: &&u64| self.all.get(number).is_some_and(|event| event.status != Status::Settled);
        let first = |queue: &VecDeque<u64>| queue.iter().find(open).copied();
        first(&self.waiting).into_iter().chain(first(&self.deferred)).min()
    }

    pub(crate) fn settle(&mut self, number: u64, time: f64) {
        if let Some(event) = self.all.get_mut(&number) {
            event.status = Status::Settled;
            self.settled.push_back((time, number));
        }
        // What was settled before its time stays in the queues until it is in front: not for ever.
        if self.waiting.len() + self.deferred.len() > 2 * self.all.len() + 64 {
            let all = &self.all;
            self.waiting.retain(|n| all.get(n).is_some_and(|event| matches!(event.status, Status::Waiting { .. })));
            self.deferred.retain(|n| all.get(n).is_some_and(|event| event.status == Status::Deferred));
        }
    }

    /// Forgets what was settled before `time`, and the oldest of more than `most`; and what was deferred before `time`.
    pub(crate) fn forget(&mut self, time: f64, most: usize) {
        while let Some((settled, number)) = self.settled.front().copied() {
            if settled >= time && self.settled.len() <= most {
                break;
            }
            self.settled.pop_front();
            self.remove(number);
        }
    }

    /// The first that was deferred before `time` and is still.
    pub(crate) fn stale(&mut self, time: f64) -> Option<u64> {
        while let Some(number) = self.deferred.front() {
            match self.all.get(number) {
                Some(event) if event.status == Status::Deferred => return (event.time < time).then_some(*number),
                _ => self.deferred.pop_front(),
            };
        }
        None
    }

    fn remove(&mut self, number: u64) {
        if let Some(event) = self.all.remove(&number) {
            // The same id may have been used again since, if it was forgotten in between.
            if self.numbers.get(&event.id) == Some(&number) {
                self.numbers.remove(&event.id);
            }
        }
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Event> {
        self.all.values_mut()
    }

    /// Rebuilds what follows from the rest; none if the rest contradicts itself.
    pub(crate) fn restored(mut self, actions: usize, contexts: Option<usize>, layout: Option<&Layout>) -> Option<Self> {
        let known = |action: u32| (action as usize) < actions;
        let sound = |event: &Event| {
            known(event.action)
                && event.advice.is_none_or(known)
                && event.ranking.iter().all(|(action, _, _)| known(*action))
                && event.time.is_finite()
                && event.reward.is_none_or(|r| (0.0..=1.0).contains(&r))
                && event.context.is_none_or(|i| contexts.is_none_or(|n| (i as usize) < n))
                && event.row.is_sound(layout)
        };
        let numbered = self.all.keys().next_back().is_none_or(|last| *last < self.next);
        let waiting = self.waiting.iter().chain(&self.deferred).all(|number| *number < self.next);
        let settled = self.settled.iter().all(|(time, number)| time.is_finite() && self.all.contains_key(number));
        let counted = self.settled.len() == self.all.values().filter(|event| event.status == Status::Settled).count();
        if !(stored::is_count(self.next) && numbered && waiting && settled && counted && self.all.values().all(sound)) {
            return None;
        }
        self.numbers = self.all.iter().map(|(number, event)| (event.id.clone(), *number)).collect();
        Some(self)
    }
}
