//! What another policy, model or schema would have earned on the decisions that were made.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::decision::Decision;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::evaluation::{
    self, BoundedMean, Calibration, CalibrationReport, LoggedRow, OffPolicy, OffPolicyOptions, OffPolicyReport,
};
use crate::record::{Change, Record, Request};
use crate::settings::{Rewards, Settings};
use crate::value::Features;

/// A decision that was made, and what came of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Logged {
    /// What was known.
    pub context: Features,
    /// The actions there were to choose from; none: all that the candidate knows.
    pub actions: Option<Vec<String>>,
    /// The one that was chosen.
    pub action: String,
    /// The probability with which it was.
    pub probability: Option<f64>,
    /// That of every action, where the log knows it: what has none could not have been chosen.
    pub probabilities: Vec<(String, f64)>,
    /// The reward, between 0 and 1.
    pub reward: f64,
}

/// What a candidate would have done in a decision, before it knew the reward.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// As the estimates take it.
    pub row: LoggedRow,
    /// What the engine had to say about its own choice.
    pub note: Option<String>,
}

/// A candidate that goes through a log as an apprentice: for every decision it says how likely it would have made each choice,
/// and then learns what came of the one that was made.
///
/// ```
/// use optimist_engine::{Features, Logged, Settings, WhatIf};
///
/// let settings = Settings { actions: vec!["red".into(), "green".into()], context: Some(vec![]), ..Settings::default() };
/// let mut candidate = WhatIf::new(settings)?;
/// for i in 0..400 {
///     // Both were chosen alike; green pays in three of four cases, red in one of four.
///     let (action, pays) = if i % 2 == 0 { ("red", i % 8 == 0) } else { ("green", i % 8 != 7) };
///     let reward = f64::from(u8::from(pays));
///     candidate.step(Logged { action: action.into(), probability: Some(0.5), reward, ..Logged::default() })?;
/// }
/// let report = candidate.report(0.05)?;
/// let estimates = report.off_policy.estimates.expect("the log supports the candidate");
/// assert!((estimates.inverse_propensity.value - 0.75).abs() < 0.1 && (report.logged_mean - 0.5).abs() < 1e-12);
/// # Ok::<(), optimist_engine::Error>(())
/// ```
///
/// The candidate learns from rewards of choices that were not its own, so that its choices are those of one that had watched,
/// not of one that had been in charge; with enough data the two agree. Estimates are refused where the log has no support for
/// the candidate's choices ([`OffPolicyReport::support`]).
#[derive(Debug, Clone)]
pub struct WhatIf {
    engine: Engine,
    estimates: OffPolicy,
    calibration: Calibration,
    logged: BoundedMean,
    sum: f64,
    rows: u64,
}

/// What a candidate would have earned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhatIfReport {
    /// Decisions.
    pub rows: u64,
    /// The mean reward of the choices that were made.
    pub logged_mean: f64,
    /// Bounds on what these choices were worth on average, at all times.
    pub logged_interval: evaluation::Interval,
    /// What the candidate's would have been worth, and how far the log supports it.
    pub off_policy: OffPolicyReport,
    /// How the candidate's predictions and the rewards agree.
    pub calibration: Option<CalibrationReport>,
}

impl WhatIf {
    /// A candidate that has seen nothing. Rewards are taken as they are in the log, whatever the settings say of them.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn new(settings: Settings) -> Result<Self> {
        Self::with(settings, OffPolicyOptions::default())
    }

    /// The same with other options of the estimates.
    ///
    /// # Errors
    /// As [`Engine::new`]; also if an option is out of range.
    pub fn with(settings: Settings, options: OffPolicyOptions) -> Result<Self> {
        let engine = Engine::new(Settings { rewards: Rewards::default(), most_settled: 1, ..settings })?;
        Ok(Self {
            engine,
            estimates: OffPolicy::new(options)?,
            calibration: Calibration::default(),
            logged: BoundedMean::new(),
            sum: 0.0,
            rows: 0,
        })
    }

    /// A candidate that has gone through the records of an engine. Actions come and go as they did there; those of the log's start
    /// are added if the settings name none.
    ///
    /// # Errors
    /// If the records cannot be followed ([`Engine::from_records`]), or a context does not fit the candidate's schema.
    pub fn of_records<'a>(settings: Settings, records: impl IntoIterator<Item = &'a Record>) -> Result<Self> {
        let mut records = records.into_iter();
        let first = records.next().ok_or_else(|| Error::record("missing: the first of a log makes the engine"))?;
        let mut original = Engine::from_records([first])?;
        original.learnt = Some(Vec::new());
        let actions =
            if settings.actions.is_empty() { original.settings.actions.clone() } else { settings.actions.clone() };
        let mut this = Self::new(Settings { actions, ..settings })?;
        let mut open: BTreeMap<String, Logged> = BTreeMap::new();
        for record in records {
            this.follow(&record.change, &mut open)?;
            original.apply(record.clone())?;
            for (event, reward) in original.learnt.as_mut().map(std::mem::take).unwrap_or_default() {
                if let Some(logged) = open.remove(&event) {
                    this.step(Logged { reward, ..logged })?;
                }
            }
            open.retain(|event, _| original.is_open(event));
        }
        Ok(this)
    }

    /// What a record means for the candidate, but for rewards.
    fn follow(&mut self, change: &Change, open: &mut BTreeMap<String, Logged>) -> Result<()> {
        match change {
            Change::Decide { request, answer: Some(answer) } => {
                let Request { context, actions, .. } = request.clone();
                let (action, probability) = (answer.action.clone(), answer.probability);
                let actions = actions.or_else(|| Some(self.engine.active_names()));
                open.insert(
                    request.event.clone(),
                    Logged { context, actions, action, probability, ..Logged::default() },
                );
            }
            Change::AddAction(action) if self.engine.actions.number(&action.name).is_none() => {
                self.engine.add_action(action.clone(), 0.0)?;
            }
            Change::RetireAction(name) => self.engine.retire_action(name, 0.0)?,
            Change::RestoreAction(name) => self.engine.restore_action(name, 0.0)?,
            _ => {}
        }
        Ok(())
    }

    /// One decision more. Says what the candidate would have done.
    ///
    /// # Errors
    /// If the context does not fit, the action is unknown, or a number is not allowed.
    pub fn step(&mut self, logged: Logged) -> Result<Judged> {
        let Logged { context, actions, action, probability, probabilities, reward } = logged;
        if !(0.0..=1.0).contains(&reward) {
            let what = format!("has the reward {reward}: it must be between 0 and 1");
            return Err(Error::event(format!("row {}", self.rows + 1), what));
        }
        let event = self.rows.to_string();
        let request = Request { event, context, actions, ..Request::default() }.baseline(action, probability);
        let decision = self.engine.decide(request, 0.0)?;
        let row = judge(&decision, probability, &probabilities, reward);
        if probability.is_some() {
            self.estimates.push(&row)?;
        }
        self.engine.reward(&decision.event, reward, 0.0)?;
        self.calibration.push(decision.estimate, reward)?;
        self.logged.push(reward)?;
        self.sum += reward;
        self.rows += 1;
        Ok(Judged { row, note: decision.note })
    }

    /// What it would have earned, at level 1 - delta.
    ///
    /// # Errors
    /// If delta is not between 0 and 1.
    pub fn report(&self, delta: f64) -> Result<WhatIfReport> {
        Ok(WhatIfReport {
            rows: self.rows,
            logged_mean: self.sum / self.rows.max(1) as f64,
            logged_interval: self.logged.interval(delta)?,
            off_policy: self.estimates.report(delta)?,
            calibration: self.calibration.report(),
        })
    }

    /// The candidate as it is now.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }
}

/// The candidate's probability of what was chosen and of what could not have been, and what it expected of both.
fn judge(decision: &Decision, propensity: Option<f64>, logged: &[(String, f64)], reward: f64) -> LoggedRow {
    let (mut target, mut expected, mut unsupported) = (0.0, 0.0, 0.0);
    for ranked in &decision.ranking {
        expected += ranked.probability * ranked.estimate;
        if ranked.action == decision.action {
            target = ranked.probability;
        }
        if logged.iter().any(|(action, probability)| **action == *ranked.action && *probability == 0.0) {
            unsupported += ranked.probability;
        }
    }
    // Sums of probabilities may exceed one by rounding.
    let known = |mass: f64| (!logged.is_empty()).then_some(mass.min(1.0));
    let row = LoggedRow {
        propensity,
        target: f64::min(target, 1.0),
        reward,
        predictions: None,
        unsupported: known(unsupported),
    };
    row.with_predictions(decision.estimate, f64::min(expected, 1.0))
}
