//! A decision.

use std::cmp::Ordering;

use optimist::rand::RngExt;
use optimist::{Generator, generator};

use super::Engine;
use crate::decision::{Decision, Interval, Ranked};
use crate::encoder::Types;
use crate::error::{Error, Result};
use crate::events::{Event, Status, WrittenRow};
use crate::model::Pick;
use crate::record::{Answer, Request};
use crate::settings::Intervals;
use crate::value::{Features, Value};

/// The longest id.
const LONGEST_ID: usize = 256;

/// A request that was checked.
struct Checked {
    offered: Vec<u32>,
    /// The place of the caller's own choice among those offered, and its probability.
    baseline: Option<(usize, Option<f64>)>,
    /// The same of what was chosen according to the record that is followed.
    followed: Option<(usize, Option<f64>)>,
}

/// A place was chosen among those offered.
struct Chosen {
    place: usize,
    probability: Option<f64>,
    /// What the engine itself drew.
    drawn: usize,
    probabilities: Vec<f64>,
    estimates: Vec<f64>,
    row: WrittenRow,
    play: Option<u64>,
    note: Option<String>,
}

impl Engine {
    /// Decides, or finds the stored decision. Gives the request back if a journal is kept.
    pub(super) fn choose(
        &mut self,
        request: Request,
        answer: Option<Answer>,
        time: f64,
    ) -> Result<(Decision, Option<Request>)> {
        let retention = self.settings.retention;
        if time < self.clock - retention {
            let what = format!("is of time {time}, more than the retention of {retention} s before the latest");
            return Err(Error::event(&request.event, what));
        }
        if let Some(event) = self.events.find_since(&request.event, self.moment(time) - retention) {
            return Ok((Decision { repeated: true, ..self.decision_of(event) }, None));
        }
        let checked = self.check(&request, answer.as_ref())?;
        self.pass(time);
        self.make_room();
        self.grow(&request.context);
        let chosen = self.pick(&request, &checked);
        let event = self.event_of(&request, checked, chosen);
        let decision = self.decision_of(&event);
        self.tally.decide(&event);
        self.events.add(event);
        let kept = self.journal.is_some();
        if let Some(warm_up) = self.warm_up.as_mut().filter(|w| w.seen.len() < self.settings.warm_up) {
            warm_up.seen.push(request.context.clone());
            self.warm();
        }
        Ok((decision, kept.then_some(request)))
    }

    /// Everything that can be wrong with a request.
    fn check(&self, request: &Request, answer: Option<&Answer>) -> Result<Checked> {
        let id = &request.event;
        if id.is_empty() || id.len() > LONGEST_ID {
            return Err(Error::event(id, format!("has an id of {} bytes: it must have 1 to {LONGEST_ID}", id.len())));
        }
        self.check_context(&request.context)?;
        let offered = self.offered(request)?;
        let place_of = |name: &str| -> Result<usize> {
            let number = self.actions.find(name)?;
            let place = offered.iter().position(|other| *other == number);
            place.ok_or_else(|| Error::action(name, "is chosen, but not among the actions offered"))
        };
        let chosen = |action: &str, probability: Option<f64>| -> Result<(usize, Option<f64>)> {
            if let Some(p) = probability.filter(|p| !(*p > 0.0 && *p <= 1.0)) {
                let what = format!("is chosen with probability {p}: it must be above 0 and at most 1");
                return Err(Error::action(action, what));
            }
            Ok((place_of(action)?, probability))
        };
        let baseline = request.baseline.as_ref().map(|own| chosen(&own.action, own.probability)).transpose()?;
        let followed = answer.map(|answer| chosen(&answer.action, answer.probability)).transpose()?;
        if let (Some(own), Some(answer)) = (&request.baseline, answer.filter(|_| baseline != followed)) {
            let what = format!("has the answer \"{}\", but the caller chose \"{}\"", answer.action, own.action);
            return Err(Error::event(id, what));
        }
        Ok(Checked { offered, baseline, followed })
    }

    fn offered(&self, request: &Request) -> Result<Vec<u32>> {
        let offered: Vec<u32> = match &request.actions {
            None => self.actions.active().to_vec(),
            Some(names) => names.iter().map(|name| self.actions.find_active(name)).collect::<Result<_>>()?,
        };
        if offered.is_empty() {
            return Err(Error::event(&request.event, "offers no action: add some, or bring retired ones back"));
        }
        if request.actions.is_some() {
            let mut sorted = offered.clone();
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(Error::action(&**self.actions.name(pair[0]), "is offered twice"));
            }
        }
        Ok(offered)
    }

    pub(super) fn check_context(&self, context: &Features) -> Result<()> {
        match (&self.warm_up, &self.declared, &self.model) {
            (None, _, Some(model)) => model.context.check(context),
            (_, Some(declared), _) => declared.check(context),
            (Some(warm_up), None, _) => Types::of(warm_up.seen.iter()).check(context),
            (None, None, None) => Ok(()),
        }
    }

    /// Makes room for levels that are new, once the rules are frozen.
    fn grow(&mut self, context: &Features) {
        if self.warm_up.is_some() {
            return;
        }
        let Some(model) = &mut self.model else { return };
        model.context.note(context);
        let needs = model.context.needs(context);
        if !needs.is_empty() {
            let mut encoder = model.context.clone();
            encoder.grow(needs);
            if !model.grow(encoder, &self.actions.encoder) {
                self.tally.unplaced += 1;
            }
        }
    }

    /// Chooses. What is random depends on the seed, the event's id and the number of decisions before it alone.
    fn pick(&mut self, request: &Request, checked: &Checked) -> Chosen {
        let Checked { offered, baseline, followed } = checked;
        let mut rng = self.randomness(&request.event);
        let mut note = self.trouble.as_ref().map(|why| format!("the model is not complete: {why}"));
        let mut estimates = Vec::with_capacity(offered.len());
        let mut picked = None;
        match &mut self.model {
            Some(model) => {
                model.write_rows(&request.context, &self.actions, offered);
                match model.choose(self.settings.draws, &mut rng) {
                    Ok(pick) => picked = Some(pick),
                    Err(error) => {
                        note = Some(format!("drawn at random, because the policy could not choose: {error}"));
                    }
                }
                model.estimates(offered, &mut estimates);
            }
            None => {
                estimates.resize(offered.len(), 0.5);
                note.get_or_insert_with(|| "drawn at random, because the warm-up has not seen enough".into());
            }
        }
        let probabilities = mixed(picked.as_ref(), offered.len(), self.settings.explore);
        let drawn = draw(&probabilities, rng.random());
        if baseline.is_none() && followed.is_some_and(|(place, _)| place != drawn) {
            self.tally.divergences += 1;
        }
        let (place, probability) = baseline.or(*followed).unwrap_or((drawn, Some(probabilities[drawn])));
        let (mut row, mut play) = (WrittenRow::default(), None);
        if let Some(model) = &mut self.model {
            row = model.row(place);
            match picked {
                Some(pick) if place == pick.place => play = pick.play,
                Some(pick) => model.give_up(pick.play),
                None => {}
            }
        }
        Chosen { place, probability, drawn, probabilities, estimates, row, play, note }
    }

    fn event_of(&self, request: &Request, checked: Checked, chosen: Chosen) -> Event {
        let Checked { offered, baseline, .. } = checked;
        let Chosen { place, probability, drawn, probabilities, estimates, row, play, note } = chosen;
        let action = offered[place];
        let ranked = offered.iter().zip(&estimates).zip(&probabilities).map(|((a, e), p)| (*a, *e, *p));
        let mut ranking: Vec<(u32, f64, f64)> = ranked.collect();
        ranking.sort_by(|a, b| {
            let by_estimate = b.1.partial_cmp(&a.1).unwrap_or(Ordering::Equal);
            (a.0 != action).cmp(&(b.0 != action)).then(by_estimate)
        });
        let status = match request.deferred {
            true => Status::Deferred,
            false => Status::Waiting { deadline: self.clock + self.settings.rewards.wait },
        };
        let mut event = Event {
            id: request.event.clone(),
            time: self.clock,
            action,
            probability,
            advice: baseline.map(|_| offered[drawn]),
            ranking,
            interval: Interval::none("on request: ask for the interval of this event"),
            version: self.version,
            note,
            row,
            context: self
                .warm_up
                .as_ref()
                .map(|w| w.seen.len())
                .filter(|n| *n < self.settings.warm_up)
                .map(|n| n as u32),
            slices: self.settings.slices.iter().map(|name| level(request.context.get(name))).collect(),
            play,
            deferred: request.deferred,
            status,
            reward: None,
        };
        if self.settings.intervals == Intervals::Always {
            event.interval = self.interval_of(&event);
        }
        event
    }

    /// A generator of the event's own. An id that was forgotten may come again: its draw must be a new one, because the past knows
    /// the old one, and so the number of the decision counts too.
    fn randomness(&self, event: &str) -> Generator {
        let number = self.events.next().to_le_bytes();
        let seed = optimist::hash::bytes(&[self.settings.seed.to_le_bytes(), number].concat());
        generator(seed ^ optimist::hash::bytes(event.as_bytes()))
    }

    pub(crate) fn decision_of(&self, event: &Event) -> Decision {
        let name = |number: u32| self.actions.name(number).clone();
        let ranked = |(action, estimate, probability): &(u32, f64, f64)| Ranked {
            action: name(*action),
            estimate: *estimate,
            probability: *probability,
        };
        Decision {
            event: event.id.clone(),
            action: name(event.action),
            probability: event.probability,
            estimate: event.estimate(),
            interval: event.interval.clone(),
            ranking: event.ranking.iter().map(ranked).collect(),
            advice: event.advice.map(name),
            version: event.version,
            repeated: false,
            note: event.note.clone(),
        }
    }
}

/// The probability of each action: the policy's, and a share drawn from all alike.
fn mixed(pick: Option<&Pick>, count: usize, explore: f64) -> Vec<f64> {
    let alike = 1.0 / count as f64;
    match pick {
        None => vec![alike; count],
        Some(Pick { probabilities: Some(p), .. }) => p.iter().map(|p| (1.0 - explore) * p + explore * alike).collect(),
        Some(Pick { place, .. }) => {
            let mut mixed = vec![explore * alike; count];
            mixed[*place] += 1.0 - explore;
            mixed
        }
    }
}

/// The place at which the sum of probabilities first exceeds a uniform number; the last that has one, if rounding keeps it below.
fn draw(probabilities: &[f64], uniform: f64) -> usize {
    let mut sum = 0.0;
    let mut last = 0;
    for (place, p) in probabilities.iter().enumerate().filter(|(_, p)| **p > 0.0) {
        sum += p;
        last = place;
        if uniform < sum {
            break;
        }
    }
    last
}

/// A value as the report names it.
fn level(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Missing | Value::Vector(_)) => "(missing)".into(),
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Bool(v)) => v.to_string(),
        Some(Value::Number(v)) => v.to_string(),
    }
}
