//! Time passes, actions come and go, the schema grows.

use super::Engine;
use crate::encoder::{Encoder, infer};
use crate::error::{Error, Result};
use crate::events::Status;
use crate::model::Model;
use crate::schema::{self, Column};
use crate::settings::Action;
use crate::warm_up::WarmUp;

impl Engine {
    /// The time that counts: never earlier than the latest one.
    pub(super) fn moment(&self, time: f64) -> f64 {
        time.max(self.clock)
    }

    /// Moves the clock, learns what is due, and forgets what is old.
    pub(super) fn pass(&mut self, time: f64) {
        if time < self.clock {
            self.tally.backwards += 1;
        }
        self.clock = self.moment(time);
        while let Some(number) = self.events.due(self.clock) {
            self.settle(number);
        }
        let kept_since = self.clock - self.settings.retention;
        while let Some(number) = self.events.stale(kept_since) {
            self.give_up(number);
        }
        self.events.forget(kept_since, self.settings.most_settled);
    }

    /// The oldest open decisions are given up while there are too many.
    pub(super) fn make_room(&mut self) {
        while self.events.open() >= self.settings.most_open {
            match self.events.oldest_open() {
                Some(number) => self.give_up(number),
                None => break,
            }
        }
    }

    /// Nothing will be learnt from a decision.
    fn give_up(&mut self, number: u64) {
        if let Some(event) = self.events.get(number) {
            if let Some(model) = &mut self.model {
                model.give_up(event.play);
            }
            if event.status != Status::Deferred {
                self.tally.lose(event);
            }
            self.events.settle(number, self.clock);
        }
    }

    /// The waiting time of a decision is over.
    fn settle(&mut self, number: u64) {
        let Some(event) = self.events.get(number) else { return };
        let rules = &self.settings.rewards;
        let silence = rules.silence.and_then(|value| rules.scale.reward(value).ok());
        match event.reward.or(silence) {
            Some(reward) => {
                self.learn(number, reward);
                self.events.settle(number, self.clock);
            }
            None => self.give_up(number),
        }
    }

    /// A new action.
    pub(super) fn introduce(&mut self, action: &Action, time: f64) -> Result<()> {
        self.actions.check_new(action)?;
        if self.model.as_ref().is_some_and(|model| model.blocks.is_some()) {
            let what =
                format!("cannot be added: the policy \"{}\" needs to know all from the start", self.settings.policy);
            return Err(Error::action(&action.name, what));
        }
        self.pass(time);
        let needs = self.actions.encoder.needs(&action.features);
        if !needs.is_empty() {
            let mut encoder = self.actions.encoder.clone();
            encoder.grow(needs);
            let fits = self.model.as_mut().is_none_or(|model| model.grow(model.context.clone(), &encoder));
            if fits {
                self.actions.encoder = encoder;
                self.actions.refresh();
            } else {
                self.tally.unplaced += 1;
            }
        }
        self.actions.add(action.clone());
        self.tally.add_action();
        Ok(())
    }

    /// A new column of contexts.
    pub(super) fn widen(&mut self, column: &Column, time: f64) -> Result<()> {
        schema::validate(std::slice::from_ref(column))?;
        let wrong = |what: &str| Err(Error::column(&column.name, what));
        // In the warm-up one that was just declared is not in the model yet.
        let mut known = self.model.iter().map(|model| &model.context).chain(&self.declared);
        if known.any(|encoder| encoder.position(&column.name).is_some()) {
            return wrong("is there already");
        }
        if self.warm_up.is_some() && self.declared.is_none() {
            return wrong(
                "need not be declared yet: columns are inferred from the contexts of the warm-up, which goes on",
            );
        }
        if self.warm_up.is_none() && column.kind.needs_moments() {
            return wrong("needs a mean and a deviation: the warm-up is over, so that they cannot be found; give both");
        }
        let widened = match (&self.warm_up, &self.model) {
            // Tried on a copy: a policy that cannot grow refuses the column, and nothing has changed.
            (None, Some(model)) => {
                let mut encoder = model.context.clone();
                encoder.add(column, &[]);
                let mut model = model.clone();
                if !model.grow(encoder.clone(), &self.actions.encoder) {
                    return wrong(&format!("cannot be added: the policy \"{}\" cannot grow", self.settings.policy));
                }
                Some(encoder)
            }
            _ => None,
        };
        self.pass(time);
        if let (Some(encoder), Some(model)) = (widened, &mut self.model) {
            // It could a moment ago, and what was learnt since cannot change that; if it did, bounds would have to go.
            if !model.grow(encoder, &self.actions.encoder) {
                self.tally.unplaced += 1;
            }
        }
        if let Some(declared) = &mut self.declared {
            declared.add(column, &[]);
        }
        Ok(())
    }

    /// Finds moments anew from all contexts of the warm-up, if it is time, and learns again what was learnt; at its end freezes
    /// them.
    pub(super) fn warm(&mut self) {
        let Some(WarmUp { seen, learnt }) = self.warm_up.as_ref().filter(|w| w.is_due(self.settings.warm_up)) else {
            return;
        };
        let columns = match &self.declared {
            Some(declared) => declared.columns().cloned().collect(),
            None => infer(seen),
        };
        let mut encoder = Encoder::new(&columns, seen);
        for context in seen {
            let needs = encoder.needs(context);
            encoder.grow(needs);
        }
        self.trouble = None;
        let mut model = match Model::new(&self.settings, encoder, &self.actions, seen) {
            Ok(model) => model,
            Err(error) => {
                self.trouble = Some(error.to_string());
                return;
            }
        };
        for (context, action, reward) in learnt {
            let row = model.row_of(&seen[*context as usize], &self.actions, *action).fitted(&model.layout);
            if let Err(error) = model.prime(*action, &row, *reward) {
                self.trouble = Some(error.to_string());
            }
        }
        for event in self.events.iter_mut() {
            if let Some(context) = event.context {
                event.row = model.row_of(&seen[context as usize], &self.actions, event.action);
                event.play = None;
            }
        }
        self.model = Some(model);
        if seen.len() >= self.settings.warm_up {
            self.warm_up = None;
        }
    }
}
