//! The engine: decides, joins rewards, learns. All that changes it goes through [`Engine::apply`].

mod asking;
mod choosing;
mod joining;
mod passing;

use optimist::policy::Policy;

use crate::actions::Actions;
use crate::decision::Decision;
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::events::{Events, Status};
use crate::model::Model;
use crate::record::{Change, Record, Request, check_version};
use crate::schema::Column;
use crate::settings::{Action, Settings};
use crate::tally::Tally;
use crate::warm_up::WarmUp;

/// A decision engine.
///
/// ```
/// use optimist_engine::{Engine, Features, Request, Settings};
///
/// let settings = Settings { actions: vec!["red".into(), "green".into(), "blue".into()], ..Settings::default() };
/// let mut engine = Engine::new(settings)?;
/// for visit in 0..100 {
///     let visitor = Features::from([("device", if visit % 2 == 0 { "phone" } else { "desktop" }.into())]);
///     let decision = engine.decide(Request::new(format!("visit-{visit}"), visitor), 0.0)?;
///     let clicked = &*decision.action == "green";
///     engine.reward(&decision.event, f64::from(u8::from(clicked)), 0.0)?;
/// }
/// assert_eq!(engine.version(), 100);
/// # Ok::<(), optimist_engine::Error>(())
/// ```
///
/// **Time** is an argument, in seconds since any fixed moment. It never runs backwards: an earlier time than the latest one counts
/// as that, and how often that happened is counted; one that is older than the retention is refused.
///
/// **The same records give the same state**, to the last bit: [`Engine::keep_journal`] collects them, [`Engine::apply`] follows
/// them, [`Engine::digest`] compares. Questions ([`Engine::interval`], [`Engine::report`], [`Engine::explain`]) change nothing.
#[derive(Debug, Clone)]
pub struct Engine {
    pub(crate) settings: Settings,
    pub(crate) actions: Actions,
    /// None while the warm-up has not seen enough, or where no policy could be built.
    pub(crate) model: Option<Model>,
    /// Checks contexts in the warm-up, if their columns were declared.
    pub(crate) declared: Option<Encoder>,
    /// None once the moments are frozen.
    pub(crate) warm_up: Option<WarmUp>,
    pub(crate) events: Events,
    pub(crate) clock: f64,
    pub(crate) tally: Tally,
    /// Records applied.
    pub(crate) records: u64,
    /// Rewards learnt.
    pub(crate) version: u64,
    /// Why there is no model although there should be one.
    pub(crate) trouble: Option<String>,
    pub(crate) journal: Option<Vec<Record>>,
    /// Rewards that were learnt, with their events, for whoever replays.
    pub(crate) learnt: Option<Vec<(String, f64)>>,
}

/// What became of a record.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// A decision was made, or its stored answer found.
    Decided(Box<Decision>),
    /// A reward was joined.
    Joined(Joined),
    /// It is done.
    Done,
}

/// What became of a reward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joined {
    /// It was learnt.
    Learnt,
    /// It will be when the waiting time is over.
    Held,
    /// There was one already, and the first counts.
    Ignored,
    /// It came late, and was counted.
    Late,
}

impl Engine {
    /// A new engine.
    ///
    /// # Errors
    /// If a setting is not allowed: the error names it.
    pub fn new(settings: Settings) -> Result<Self> {
        settings.validate()?;
        let actions = Actions::new(&settings)?;
        let needs_warm_up = match &settings.context {
            Some(columns) => columns.iter().any(|column| column.kind.needs_moments()),
            None => true,
        };
        let declared = settings.context.as_ref().map(|columns| Encoder::new(columns, &[]));
        // Built in any case, so that a wrong option is found now and not after the warm-up.
        let encoder = declared.clone().unwrap_or_default();
        if let Some(name) = settings.slices.iter().find(|name| declared.is_some() && encoder.position(name).is_none()) {
            let known = crate::error::known_names(name, encoder.columns().map(|column| column.name.as_str()));
            return Err(Error::setting("slices", format!("names the column \"{name}\": {known}")));
        }
        let model = Model::new(&settings, encoder, &actions, &[])?;
        let (model, warm_up) = if needs_warm_up { (None, Some(WarmUp::default())) } else { (Some(model), None) };
        let tally = Tally::new(&settings).map_err(|e| Error::setting("slices", e.to_string()))?;
        let events = Events::default();
        let (clock, records, version) = (f64::NEG_INFINITY, 0, 0);
        let (trouble, journal, learnt) = (None, None, None);
        Ok(Self {
            settings,
            actions,
            model,
            declared,
            warm_up,
            events,
            clock,
            tally,
            records,
            version,
            trouble,
            journal,
            learnt,
        })
    }

    /// The engine that records describe, the first of which made it.
    ///
    /// # Errors
    /// If the first record does not make an engine, or as [`Engine::apply`].
    pub fn from_records<'a>(records: impl IntoIterator<Item = &'a Record>) -> Result<Self> {
        let mut records = records.into_iter();
        let first = records.next().ok_or_else(|| Error::record("missing: the first of a log makes the engine"))?;
        check_version(first.version)?;
        let Change::Create(settings) = &first.change else {
            return Err(Error::record(
                "the first of a log must make the engine: put engine.creation() before the journal",
            ));
        };
        let mut engine = Self::new((**settings).clone())?;
        for record in records {
            engine.apply(record.clone())?;
        }
        Ok(engine)
    }

    /// The record that makes an engine like this one was when it was new.
    pub fn creation(&self) -> Record {
        Record::new(0.0, Change::Create(Box::new(self.settings.clone())))
    }

    /// Collects the records of all that changes the engine, until [`Engine::take_journal`] asks for them.
    pub fn keep_journal(&mut self) {
        self.journal.get_or_insert_default();
    }

    /// The records since the last time.
    pub fn take_journal(&mut self) -> Vec<Record> {
        self.journal.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Chooses an action. An id that is known gets the answer it got.
    ///
    /// # Errors
    /// If the context does not fit the schema, an action is unknown or retired, there is none, or the time is too old.
    pub fn decide(&mut self, request: Request, time: f64) -> Result<Decision> {
        match self.apply(Record::new(time, Change::Decide { request, answer: None }))? {
            Outcome::Decided(decision) => Ok(*decision),
            _ => Err(Error::record("of a decision was not understood")),
        }
    }

    /// Joins a reward to its decision.
    ///
    /// # Errors
    /// If the event is unknown or was not activated, the value is not allowed, the reward comes late or is a second one and the
    /// rule refuses that.
    pub fn reward(&mut self, event: &str, value: f64, time: f64) -> Result<Joined> {
        match self.apply(Record::new(time, Change::Reward { event: event.into(), value }))? {
            Outcome::Joined(joined) => Ok(joined),
            _ => Err(Error::record("of a reward was not understood")),
        }
    }

    /// A deferred decision has been carried out: its waiting time begins.
    ///
    /// # Errors
    /// If the event is unknown or was not deferred.
    pub fn activate(&mut self, event: &str, time: f64) -> Result<()> {
        self.apply(Record::new(time, Change::Activate { event: event.into() })).map(drop)
    }

    /// Time has passed: rewards that were held are learnt.
    ///
    /// # Errors
    /// If the time is not a finite number.
    pub fn tick(&mut self, time: f64) -> Result<()> {
        self.apply(Record::new(time, Change::Tick)).map(drop)
    }

    /// Adds an action.
    ///
    /// # Errors
    /// If the name is taken or the features do not fit.
    pub fn add_action(&mut self, action: impl Into<Action>, time: f64) -> Result<()> {
        self.apply(Record::new(time, Change::AddAction(action.into()))).map(drop)
    }

    /// No longer offers an action. What was learnt of it stays.
    ///
    /// # Errors
    /// If it is unknown.
    pub fn retire_action(&mut self, name: &str, time: f64) -> Result<()> {
        self.apply(Record::new(time, Change::RetireAction(name.into()))).map(drop)
    }

    /// Offers a retired action again.
    ///
    /// # Errors
    /// If it is unknown.
    pub fn restore_action(&mut self, name: &str, time: f64) -> Result<()> {
        self.apply(Record::new(time, Change::RestoreAction(name.into()))).map(drop)
    }

    /// Adds a column to contexts; it was missing in all before. What was learnt stays.
    ///
    /// # Errors
    /// If the name is taken, the column needs moments that are not given, or the policy cannot grow.
    pub fn add_column(&mut self, column: Column, time: f64) -> Result<()> {
        self.apply(Record::new(time, Change::AddColumn(column))).map(drop)
    }

    /// Carries a record out. One that already has its answer is followed: what it says was decided counts, and if this engine
    /// would have decided otherwise, that is counted as a divergence ([`Report`](crate::Report)).
    ///
    /// # Errors
    /// As the function that the record is of. Nothing is changed then.
    pub fn apply(&mut self, record: Record) -> Result<Outcome> {
        let Record { version, time, change } = record;
        check_version(version)?;
        if !time.is_finite() {
            return Err(Error::record(format!("of time {time}: it must be a finite number of seconds")));
        }
        let (change, outcome) = match change {
            Change::Decide { request, answer } => {
                let (decision, request) = self.choose(request, answer, time)?;
                if decision.repeated {
                    return Ok(Outcome::Decided(decision.into()));
                }
                let answer = crate::Answer { action: decision.action.to_string(), probability: decision.probability };
                let change = request.map(|request| Change::Decide { request, answer: Some(answer) });
                (change, Outcome::Decided(decision.into()))
            }
            Change::Reward { event, value } => {
                let joined = self.join(&event, value, time)?;
                (Some(Change::Reward { event, value }), Outcome::Joined(joined))
            }
            change => {
                self.administer(&change, time)?;
                (Some(change), Outcome::Done)
            }
        };
        self.records += 1;
        if let (Some(journal), Some(change)) = (&mut self.journal, change) {
            journal.push(Record::new(time, change));
        }
        Ok(outcome)
    }

    /// Everything but decisions and rewards.
    fn administer(&mut self, change: &Change, time: f64) -> Result<()> {
        match change {
            Change::Tick => self.pass(time),
            Change::Activate { event } => self.carry_out(event, time)?,
            Change::AddAction(action) => self.introduce(action, time)?,
            Change::RetireAction(name) | Change::RestoreAction(name) => {
                let number = self.actions.find(name)?;
                self.pass(time);
                self.actions.retire(number, matches!(change, Change::RetireAction(_)));
            }
            Change::AddColumn(column) => self.widen(column, time)?,
            Change::Create(_) => return Err(Error::record("makes an engine: it can only be the first of a log")),
            Change::Decide { .. } | Change::Reward { .. } => {}
        }
        Ok(())
    }

    /// The settings it was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many rewards have been learnt.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The names of the actions that are not retired.
    pub fn active_names(&self) -> Vec<String> {
        self.actions.active().iter().map(|number| self.actions.name(*number).to_string()).collect()
    }

    /// Whether a reward of this event can still be learnt.
    pub(crate) fn is_open(&self, event: &str) -> bool {
        self.events.find(event).is_some_and(|(_, event)| event.status != Status::Settled)
    }

    /// The latest time that was told.
    pub fn clock(&self) -> Option<f64> {
        self.clock.is_finite().then_some(self.clock)
    }

    /// The policy, if the warm-up has got so far: for questions that the engine does not ask.
    pub fn policy(&self) -> Option<&dyn Policy> {
        self.model.as_ref().map(|model| &*model.policy)
    }
}
