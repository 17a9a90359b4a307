//! Questions: none of them changes anything.

use std::sync::Arc;

use super::Engine;
use crate::decision::{Decision, Interval};
use crate::error::Result;
use crate::events::Event;
use crate::schema::Column;
use crate::settings::Settings;
use crate::value::Features;

impl Engine {
    /// The stored decision of an event.
    ///
    /// # Errors
    /// If the event is unknown.
    pub fn decision(&self, event: &str) -> Result<Decision> {
        Ok(self.decision_of(self.known(event)?.1))
    }

    /// Bounds on the mean reward of an event's action in its context, as the data say now.
    ///
    /// # Errors
    /// If the event is unknown.
    pub fn interval(&self, event: &str) -> Result<Interval> {
        Ok(self.interval_of(self.known(event)?.1))
    }

    pub(crate) fn interval_of(&self, event: &Event) -> Interval {
        match (self.uncertified(), &self.model) {
            (Some(why), _) => Interval::None { why },
            (None, None) => Interval::none(self.trouble.as_deref().unwrap_or("there is no model yet")),
            (None, Some(model)) => model.bounds(event.action, &event.row),
        }
    }

    /// Estimated mean reward of every action that is not retired, in a context, and bounds or why there are none.
    ///
    /// # Errors
    /// If the context does not fit the schema.
    pub fn predict(&self, context: &Features) -> Result<Vec<(Arc<str>, f64, Interval)>> {
        let estimates = self.estimates(context)?;
        let why_none = self.uncertified().or_else(|| self.novelty(context));
        let bounds = |id: &u32| match (&why_none, &self.model) {
            (Some(why), _) => Interval::None { why: why.clone() },
            (None, None) => Interval::none("there is no model yet"),
            (None, Some(model)) => model.bounds(*id, &model.row_of(context, &self.actions, *id)),
        };
        let bounds = self.actions.active().iter().map(bounds);
        Ok(estimates.into_iter().zip(bounds).map(|((name, estimate), bounds)| (name, estimate, bounds)).collect())
    }

    /// Estimated mean reward of every action that is not retired, in a context: [`Engine::predict`] without the bounds, which
    /// cost far more.
    ///
    /// # Errors
    /// If the context does not fit the schema.
    pub fn estimates(&self, context: &Features) -> Result<Vec<(Arc<str>, f64)>> {
        self.check_context(context)?;
        let estimate = |id: &u32| match &self.model {
            None => 0.5,
            Some(model) => {
                let row = model.row_of(context, &self.actions, *id).fitted(&model.layout);
                model.log_odds_now(*id, &row).map_or(0.5, optimist::link::mean)
            }
        };
        Ok(self.actions.active().iter().map(|id| (self.actions.name(*id).clone(), estimate(id))).collect())
    }

    /// A question makes no room for what is new, so that the row of a new level would be that of another context.
    fn novelty(&self, context: &Features) -> Option<String> {
        let is_new = self.model.as_ref().is_some_and(|model| !model.context.needs(context).is_empty());
        is_new.then(|| "the context holds something new, which gets its parameters when it is decided on".into())
    }

    /// The columns of contexts: those that were declared, or those that the warm-up found; none while it goes on.
    pub fn columns(&self) -> Option<Vec<Column>> {
        let found = self.model.as_ref().filter(|_| self.warm_up.is_none()).map(|model| &model.context);
        found.or(self.declared.as_ref()).map(|encoder| encoder.columns().cloned().collect())
    }

    /// How everything is encoded, a sentence each: what was declared or found in the warm-up, and what the model is.
    pub fn describe(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Some(warm_up) = &self.warm_up {
            let (seen, all) = (warm_up.seen.len(), self.settings.warm_up);
            sentences.push(format!("the warm-up has seen {seen} of {all} contexts: what follows may still change"));
        }
        if let Some(model) = &self.model {
            sentences.extend(model.context.describe());
            sentences
                .extend(self.actions.encoder.describe().iter().map(|sentence| format!("action feature {sentence}")));
            sentences.push(model.layout.describe());
        }
        sentences.extend(self.meaningless());
        sentences.push(self.settings.rewards.scale.describe());
        sentences.extend(self.trouble.clone());
        sentences
    }

    /// Settings that name columns which no context of the warm-up had: where columns are inferred, nobody could have known before.
    fn meaningless(&self) -> Vec<String> {
        let Some(model) = self.model.as_ref().filter(|_| self.warm_up.is_none()) else { return Vec::new() };
        let Settings { own, interactions, slices, .. } = &self.settings;
        let own = own.iter().flatten().map(|name| ("own", name.as_str()));
        let products = interactions.iter().flat_map(|pair| pair.split(':')).map(|name| ("interactions", name));
        let slices = slices.iter().map(|name| ("slices", name.as_str()));
        let unknown = |(_, name): &(&str, &str)| {
            *name != "action" && model.context.position(name).is_none() && self.actions.encoder.position(name).is_none()
        };
        let all = own.chain(products).chain(slices).filter(unknown);
        all.map(|(field, name)| {
            format!("{field} names the column \"{name}\", which no context of the warm-up had: it means nothing")
        })
        .collect()
    }
}
