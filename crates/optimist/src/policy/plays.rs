//! Plays whose reward is still out.
//!
//! A policy that is told that rewards come late ([`Rule::lends`](super::Rule::lends)) counts what an open play will teach as
//! if it were known (hallucinated observations: Desautels, Krause and Burdick 2014): the estimate is made of what was
//! observed, the widths of what was played. So a batch of choices spreads over arms. What was added for a play is taken away
//! when its reward comes, when it is given up, or when it has been open for too many rounds.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::choice::Place;
use crate::error::{Error, Result, check_number};
use crate::posterior::Row;

/// Why a play is not open.
const CLOSED: &str = "it was settled or given up, or has expired; only if it has expired may its reward still be learnt, with observe_row";
const NEVER_MADE: &str = "no choice has that number";
pub(super) const TWICE: &str = "it is there twice";
const UNNUMBERED: &str = "no play has a number yet: that takes a choice of a policy with option delayed (bayes-ucb); without it hand \
                          the reward over with observe_row and the row of the choice";

/// The open plays, by number.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Plays {
    /// The number of the next play.
    next: u64,
    open: BTreeMap<u64, OpenPlay>,
}

/// A play whose reward is still out.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OpenPlay {
    round: u64,
    place: Place<'static>,
    features: Vec<f64>,
    /// What was added along the features.
    pub(super) weight: f64,
}

impl OpenPlay {
    pub(super) fn row(&self) -> Row<'_> {
        self.place.row(&self.features)
    }
}

impl Plays {
    /// Opens a play, and returns its number.
    pub(super) fn open(&mut self, round: u64, place: &Place<'_>, features: &[f64], weight: f64) -> u64 {
        let number = self.next;
        self.next += 1;
        let (place, features) = (place.clone().into_owned(), features.to_vec());
        self.open.insert(number, OpenPlay { round, place, features, weight });
        number
    }

    /// Closes a play.
    ///
    /// # Errors
    /// If it is not open.
    pub(super) fn close(&mut self, number: u64) -> Result<OpenPlay> {
        self.open.remove(&number).ok_or_else(|| self.not_open(number))
    }

    /// What a play is about.
    pub(super) fn get(&self, number: u64) -> Result<&OpenPlay> {
        self.open.get(&number).ok_or_else(|| self.not_open(number))
    }

    fn not_open(&self, play: u64) -> Error {
        let why = match (self.next, play) {
            (0, _) => UNNUMBERED,
            (next, play) if play >= next => NEVER_MADE,
            _ => CLOSED,
        };
        Error::NoOpenPlay { play, why }
    }

    /// Closes the oldest play if it has been open for more than `rounds` rounds.
    pub(super) fn expire(&mut self, round: u64, rounds: u64) -> Option<OpenPlay> {
        let (number, play) = self.open.first_key_value()?;
        (round.saturating_sub(play.round) > rounds).then_some(*number).and_then(|number| self.open.remove(&number))
    }

    /// Takes in features that were zero in all rows so far: `shared.1` in place of `shared.0`, and own ones up to `dimension`.
    pub(super) fn grow(&mut self, shared: (usize, usize), dimension: usize) {
        for play in self.open.values_mut() {
            match play.place {
                // Indices are counted from the front.
                Place::Sparse(_) => {}
                Place::Dense => play.features.resize(dimension, 0.0),
                Place::Own(_) => {
                    let own = play.features.split_off(shared.0);
                    play.features.resize(shared.1, 0.0);
                    play.features.extend(own);
                    play.features.resize(dimension, 0.0);
                }
            }
        }
    }

    /// The number of open plays.
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// Checks deserialised plays.
    pub(super) fn check(&self, dimension: usize) -> Result<()> {
        for (number, play) in &self.open {
            check_number("plays.open", *number as f64, *number < self.next, "below the number of the next play")?;
            check_number("plays.weight", play.weight, play.weight >= 0.0, "zero or positive")?;
            play.row().check(dimension)?;
        }
        Ok(())
    }
}

impl Place<'_> {
    /// The same in memory of its own.
    pub(super) fn into_owned(self) -> Place<'static> {
        match self {
            Place::Dense => Place::Dense,
            Place::Sparse(indices) => Place::Sparse(Cow::Owned(indices.into_owned())),
            Place::Own(owner) => Place::Own(owner),
        }
    }

    /// The row of which these are the numbers.
    pub(super) fn row<'a>(&'a self, values: &'a [f64]) -> Row<'a> {
        match self {
            Place::Dense => Row::Dense(values),
            Place::Sparse(indices) => Row::Sparse { indices, values },
            Place::Own(owner) => Row::Own { owner: *owner, features: values },
        }
    }
}
