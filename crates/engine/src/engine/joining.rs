//! Rewards find their decisions.

use super::{Engine, Joined};
use crate::error::{Error, Result};
use crate::events::{Event, Status};
use crate::settings::{Late, Learn, Second};

impl Engine {
    /// Joins a reward; nothing is changed if that is not possible.
    pub(super) fn join(&mut self, id: &str, value: f64, time: f64) -> Result<Joined> {
        let rules = &self.settings.rewards;
        let reward = rules.scale.reward(value).map_err(|what| Error::event(id, format!("has a reward that {what}")))?;
        let (number, event) = self.known(id)?;
        let (now, before) = (self.moment(time), event.reward);
        let is_late = match event.status {
            Status::Deferred => {
                return Err(Error::event(id, "was deferred and never activated: activate it before its reward"));
            }
            Status::Waiting { deadline } => deadline < now,
            // Its reward was taken for none, or was never missed.
            Status::Settled => !rules.learns_at_once() || before.is_none(),
        };
        if is_late {
            if rules.late == Late::Refuse {
                return Err(Error::event(id, self.lateness(now - event.time)));
            }
            let action = event.action;
            self.pass(time);
            self.tally.late(action);
            return Ok(Joined::Late);
        }
        let reward = match (before, rules.second) {
            (None, _) => reward,
            (Some(before), Second::Sum) => (before + reward).min(1.0),
            (Some(_), Second::First) => {
                self.pass(time);
                return Ok(Joined::Ignored);
            }
            (Some(_), Second::Refuse) => {
                return Err(Error::event(id, "has its reward already, and rewards.second is \"refuse\""));
            }
        };
        let at_once = rules.learns_at_once();
        self.pass(time);
        if let Some(event) = self.events.get_mut(number) {
            event.reward = Some(reward);
        }
        if !at_once {
            return Ok(Joined::Held);
        }
        self.learn(number, reward);
        self.events.settle(number, self.clock);
        Ok(Joined::Learnt)
    }

    fn lateness(&self, seconds: f64) -> String {
        let wait = self.settings.rewards.wait;
        if wait > 0.0 {
            return format!("has a reward {seconds} s after its decision, and rewards.wait is {wait} s");
        }
        format!(
            "has a reward {seconds} s after its decision, and rewards.wait is 0: set it to how long rewards may take (they are then \
             learnt when that is over), or give both the same time"
        )
    }

    /// A decision that must be there.
    pub(crate) fn known(&self, id: &str) -> Result<(u64, &Event)> {
        self.events.find(id).ok_or_else(|| {
            let retention = self.settings.retention;
            Error::event(
                id,
                format!("is unknown: it was never decided here, or was settled more than {retention} s ago"),
            )
        })
    }

    /// A deferred decision is carried out.
    pub(super) fn carry_out(&mut self, id: &str, time: f64) -> Result<()> {
        let (number, event) = self.known(id)?;
        if event.status != Status::Deferred {
            return Err(Error::event(
                id,
                "is not waiting to be activated: it was not deferred, or was activated before",
            ));
        }
        if event.time < self.moment(time) - self.settings.retention {
            return Err(Error::event(id, "is too old to be activated"));
        }
        self.pass(time);
        self.events.activate(number, self.clock + self.settings.rewards.wait);
        Ok(())
    }

    /// Learns the reward of a decision.
    pub(super) fn learn(&mut self, number: u64, reward: f64) {
        let Some(event) = self.events.get_mut(number) else { return };
        event.reward = Some(reward);
        let refused = self.model.as_mut().and_then(|model| {
            let row = event.row.fitted(&model.layout);
            match event.context {
                // Made in the warm-up, even if that is over: the set must not know what its rules were found from.
                Some(_) => model.prime(event.action, &row, reward).err(),
                None if event.row.bent => {
                    let counted = model.learn_bent(event.action, &row, reward, event.play);
                    self.tally.bent += u64::from(matches!(counted, Ok(true)));
                    counted.err()
                }
                None => model.learn(event.action, &row, reward, event.play).err(),
            }
        });
        if let (Some(warm_up), Some(context)) = (&mut self.warm_up, event.context) {
            warm_up.learnt.push((context, event.action, reward));
        }
        if let Some(error) = refused {
            self.trouble = Some(error.to_string());
        }
        if let Some(learnt) = &mut self.learnt {
            learnt.push((event.id.clone(), reward));
        }
        self.version += 1;
        self.tally.learn(event, reward);
    }

    /// Why no bound holds at all, if none does.
    pub(crate) fn outcome_dependent(&self) -> Option<&'static str> {
        let why =
            "rewards are learnt when they come, which may depend on what they are (rewards.learn is \"uncertified\")";
        (self.settings.rewards.learn == Learn::Uncertified).then_some(why)
    }

    /// Why no certified statement about a context can be made, if none can.
    pub(super) fn uncertified(&self) -> Option<String> {
        if let Some(why) = self.outcome_dependent() {
            return Some(why.into());
        }
        if self.tally.unplaced > 0 {
            let (count, policy) = (self.tally.unplaced, &self.settings.policy);
            return Some(format!(
                "{count} contexts or actions had something for which the model has no place, because the policy \"{policy}\" cannot \
                 grow: declare all levels and columns from the start"
            ));
        }
        if self.tally.bent > 0 {
            let (count, policy) = (self.tally.bent, &self.settings.policy);
            return Some(format!(
                "{count} rewards were of contexts with a number beyond its cut or of rows that had to be shortened, and the policy \
                 \"{policy}\" cannot learn such without its set: declare columns with larger deviations or cuts, or use bayes-ucb"
            ));
        }
        self.warm_up.as_ref().map(|warm_up| {
            let (seen, all) = (warm_up.seen.len(), self.settings.warm_up);
            if let Some(trouble) = self.trouble.as_ref().filter(|_| seen >= all) {
                return format!("the warm-up is over, and there is no model: {trouble}");
            }
            format!("the warm-up has seen {seen} of {all} contexts; certificates begin when its moments are frozen")
        })
    }
}
