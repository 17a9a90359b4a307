//! The arms of a fixed list that are not yet certified worse than another.
//!
//! Arm b is worse than arm a for sure when h(x_b - x_a) < 0, h the support function of a confidence set that holds the
//! true parameter at all times: what was dropped once stays dropped. Looking costs a solve for each arm left, so it is done
//! when floor(log_1.2 t) grows, some fifty times in ten thousand rounds.

use serde::{Deserialize, Serialize};

use super::model::check_dimension;
use super::schedule::is_milestone;
use crate::arms::FiniteArms;
use crate::error::{Result, check_number};
use crate::plan::Answers;
use crate::set::LevelSet;

/// What is left of a list.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Shortlist {
    /// Fingerprint and length of the whole list.
    source: Option<(u64, usize)>,
    /// The arms left, if some were dropped, and their places in the whole list.
    left: Option<(FiniteArms<'static>, Vec<usize>)>,
}

impl Shortlist {
    /// Takes over `list`, and says whether it is the one of the last round; another one starts whole. Only on a list that
    /// stays is it worth a look: what is dropped of one that is gone tomorrow helps nobody.
    pub(super) fn adopt(&mut self, list: &FiniteArms) -> bool {
        let source = Some((list.fingerprint(), list.len()));
        let stays = self.source == source;
        if !stays {
            *self = Self { source, left: None };
        }
        stays
    }

    /// Whether it is time to look.
    pub(super) fn is_due(&self, round: u64) -> bool {
        is_milestone(round, 1.2)
    }

    /// The arms left of `list`, which must be the one adopted.
    pub(super) fn arms<'a, 'b>(&'a self, list: &'a FiniteArms<'b>) -> &'a FiniteArms<'b> {
        self.left.as_ref().map_or(list, |(arms, _)| arms)
    }

    /// The place in the whole list of the arm that has place `k` among those left.
    pub(super) fn original(&self, k: usize) -> usize {
        self.left.as_ref().map_or(k, |(_, places)| places[k])
    }

    /// Drops the arms that are worse than the one which looks best, for every parameter of the set.
    pub(super) fn drop_worse(&mut self, set: &LevelSet<'_>, list: &FiniteArms, answers: &mut Answers) -> Result<()> {
        if set.is_empty() {
            // The norm bound is refuted, on which all that was dropped may rest.
            self.left = None;
            return Ok(());
        }
        let arms = self.arms(list);
        let places = answers.not_worse(set, arms, arms.best_for(set.centre()))?;
        if places.len() == arms.len() {
            return Ok(());
        }
        let features: Vec<f64> = places.iter().flat_map(|k| arms.arm(*k).iter().copied()).collect();
        let kept = FiniteArms::new(list.dimension(), features)?;
        let places = places.into_iter().map(|k| self.original(k)).collect();
        self.left = Some((kept, places));
        Ok(())
    }

    /// Checks a deserialised shortlist.
    pub(super) fn check(&self, expected: usize) -> Result<()> {
        let Some((arms, places)) = &self.left else { return Ok(()) };
        check_dimension("shortlist", arms.dimension(), expected)?;
        check_dimension("shortlist.places", places.len(), arms.len())?;
        let whole = self.source.map_or(0, |(_, length)| length);
        match places.iter().find(|place| **place >= whole) {
            Some(place) => check_number("shortlist.places", *place as f64, false, "below the length of the list"),
            None => Ok(()),
        }
    }
}
