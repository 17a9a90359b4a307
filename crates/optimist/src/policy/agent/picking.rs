//! How an agent comes to its choice: by its rule, of what elimination has left, now and then at random; and how probable that is.

use std::borrow::Cow;

use rand::{Rng, RngExt};

use super::Agent;
use crate::arms::{ArmSet, FiniteArms};
use crate::error::{Error, Result, check_number};
use crate::policy::choice::{Place, Probabilities};
use crate::policy::info::ArmKind;
use crate::policy::rule::{Pick, Round, Rule, undefined};
use crate::posterior::Row;

/// An arm of a list, or a point of the ball or the sphere.
pub(super) struct Chosen<'a> {
    pub(super) index: Option<usize>,
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) features: Cow<'a, [f64]>,
    pub(super) place: Place<'a>,
    /// Bounds on its log-odds by the rule's own set, where they came for free.
    pub(super) bounds: (Option<f64>, Option<f64>),
}

impl<R: Rule> Agent<R> {
    pub(super) fn choose_from<'a>(
        &mut self,
        arms: &'a ArmSet<'_>,
        round: u64,
        rng: &mut dyn Rng,
    ) -> Result<Chosen<'a>> {
        if arms.len().is_none() {
            return self.choose_direction(arms, round, rng);
        }
        let Pick { arm, bounds } = self.pick_of(arms, round, rng)?;
        let id = match arms {
            ArmSet::Finite(list) => list.given_id(arm),
            ArmSet::Catalogue(list) => list.catalogue().given_id(arm),
            _ => None,
        }
        .map(Cow::Borrowed);
        let (place, features) = match (arms, arms.row(arm)) {
            (ArmSet::Catalogue(list), _) => (Place::Dense, Cow::Owned(list.features(arm))),
            (_, row) => {
                let row = row.unwrap_or(Row::Dense(&[]));
                (Place::of(&row), Cow::Borrowed(row.into_values()))
            }
        };
        Ok(Chosen { index: Some(arm), id, features, place, bounds })
    }

    fn choose_direction(&mut self, arms: &ArmSet<'_>, round: u64, rng: &mut dyn Rng) -> Result<Chosen<'static>> {
        let kind = ArmKind::of(arms);
        if !R::INFO.arm_sets.contains(&kind) {
            return Err(undefined(R::INFO, kind));
        }
        let direction = self.rule.pick_direction(kind, Round { number: round, rng })?;
        let (features, bounds) = (Cow::Owned(direction.features), direction.bounds);
        Ok(Chosen { index: None, id: None, features, place: Place::Dense, bounds })
    }

    /// Picks an arm of a list of any kind, now and then at random if the caller wants that.
    fn pick_of(&mut self, arms: &ArmSet<'_>, round: u64, rng: &mut dyn Rng) -> Result<Pick> {
        let explore = self.common.explore;
        if explore > 0.0 && rng.random::<f64>() < explore {
            return Ok(Pick::bare(rng.random_range(0..arms.len().unwrap_or(1))));
        }
        self.pick_by_rule(arms, round, rng)
    }

    fn pick_by_rule(&mut self, arms: &ArmSet<'_>, round: u64, rng: &mut dyn Rng) -> Result<Pick> {
        match arms {
            ArmSet::Finite(list) => self.pick(list, round, rng),
            _ => self.rule.pick_row(arms, Round { number: round, rng }),
        }
    }

    fn pick(&mut self, list: &FiniteArms, round: u64, rng: &mut dyn Rng) -> Result<Pick> {
        let round = Round { number: round, rng };
        if !self.common.eliminate {
            return self.rule.pick(list, round);
        }
        self.shorten(list, round.number)?;
        let arms = self.shortlist.arms(list);
        let pick = self.rule.pick(arms, round)?;
        Ok(Pick { arm: self.shortlist.original(pick.arm), ..pick })
    }

    /// Drops what is certified worse, if it is time to look.
    fn shorten(&mut self, list: &FiniteArms, round: u64) -> Result<()> {
        let stays = self.shortlist.adopt(list);
        if !stays || !self.shortlist.is_due(round) {
            return Ok(());
        }
        let mut answers = self.take_answers()?;
        if let Some(belief) = self.certifier.as_mut().or_else(|| self.rule.belief_mut()) {
            self.shortlist.drop_worse(&belief.set(), list, &mut answers)?;
        }
        self.answers = Some(answers);
        Ok(())
    }

    /// Changes what [`Agent::pick`] would change.
    fn simulate(&mut self, arms: &ArmSet<'_>, count: usize, draws: usize, rng: &mut dyn Rng) -> Result<Probabilities> {
        check_number("draws", draws as f64, draws > 0, "at least 1")?;
        let mut counts = vec![0; count];
        let start = R::IS_CHAIN.then(|| self.rule.clone());
        for _ in 0..draws {
            if let Some(start) = &start {
                self.rule = start.clone();
            }
            counts[self.pick_by_rule(arms, self.rounds + 1, rng)?.arm] += 1;
        }
        Ok(Probabilities::simulated(&counts, draws))
    }

    /// The probabilities where they are known without simulation. Changes what [`Agent::pick`] would change.
    fn exact(&mut self, list: &FiniteArms) -> Result<Option<Probabilities>> {
        let round = self.rounds + 1;
        if self.common.eliminate {
            self.shorten(list, round)?;
        }
        let arms = if self.common.eliminate { self.shortlist.arms(list) } else { list };
        let mut short = vec![0.0; arms.len()];
        if !self.rule.probabilities(arms, round, &mut short)? {
            return Ok(None);
        }
        let mut values = vec![0.0; list.len()];
        for (k, p) in short.into_iter().enumerate() {
            values[if self.common.eliminate { self.shortlist.original(k) } else { k }] = p;
        }
        Ok(Some(Probabilities { values, standard_errors: None }))
    }

    /// The same for arms that are sparse or hybrid, of which none is ever dropped.
    pub(super) fn exact_of_rows(&self, arms: &ArmSet<'_>, count: usize) -> Result<Option<Probabilities>> {
        let mut values = vec![0.0; count];
        let known = self.rule.row_probabilities(arms, self.rounds + 1, &mut values)?;
        Ok(known.then_some(Probabilities { values, standard_errors: None }))
    }

    /// The number of arms, if they fit and are a list of any kind.
    pub(super) fn require_list(&self, arms: &ArmSet<'_>) -> Result<usize> {
        self.check_arms(arms)?;
        arms.len().ok_or_else(|| Error::ArmKind {
            what: "the probability of each arm".into(),
            given: ArmKind::of(arms).name(),
            defined_for: ArmKind::Finite.name().into(),
            remedy: "give a list",
        })
    }

    /// The probability of each arm, as of the last refresh. A pick may change the rule: this is a copy that picks.
    pub(super) fn into_probabilities(
        mut self,
        arms: &ArmSet<'_>,
        draws: usize,
        rng: &mut dyn Rng,
    ) -> Result<Probabilities> {
        let count = self.require_list(arms)?;
        let by_rule = if !R::INFO.randomised {
            Probabilities::certain(count, self.pick_by_rule(arms, self.rounds + 1, rng)?.arm)
        } else {
            let exact = match arms {
                ArmSet::Finite(list) => self.exact(list)?,
                rows => self.exact_of_rows(rows, count)?,
            };
            exact.map_or_else(|| self.simulate(arms, count, draws, rng), Ok)?
        };
        Ok(by_rule.mixed(self.common.explore))
    }
}
