//! One decision: what was known, which actions there were, which was taken with which probability, at what cost.

use super::features::{Features, features};
use crate::json::Json;
use crate::words::Words;

/// One decision and what came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// The line in the file; the first is 1.
    pub line: u64,
    /// `EventId`, if there is one.
    pub event_id: Option<String>,
    /// `Timestamp` as it is written, if there is one.
    pub timestamp: Option<String>,
    /// What was known when deciding: `c` without `_multi`.
    pub context: Features,
    /// The actions to choose from, each with its features: `c._multi`. There is at least one.
    pub actions: Vec<Features>,
    /// The action that was taken; the first is 0.
    pub chosen: usize,
    /// The probability with which it was taken: `_label_probability`, or else what `p` says. Above 0.
    pub probability: f64,
    /// The probability of each action, in the order of `actions`; empty if `p` is missing. Actions that `a` leaves out have 0.
    pub probabilities: Vec<f64>,
    /// `_label_cost`: less is better, so a reward of 1 is written as -1. `None` if no outcome was joined.
    pub cost: Option<f64>,
    /// What was observed afterwards: `o`, each flattened.
    pub outcomes: Vec<Features>,
    /// `pdrop`, the share of such events that the logger left out; 0 if it is not given.
    pub drop_probability: f64,
    /// Whether the log says that this event is not to be learnt from: `_skipLearn`, or `_deferred`, an action that
    /// was held back and never shown.
    pub skip_learn: bool,
}

/// The members of one line that matter, as they are written.
#[derive(Default)]
struct Members {
    context: Option<Vec<(String, Json)>>,
    cost: Option<f64>,
    probability: Option<f64>,
    /// `_label_Action`, counted from 1.
    action: Option<f64>,
    /// `_labelIndex`, counted from 0.
    index: Option<f64>,
    ranking: Option<Vec<f64>>,
    probabilities: Option<Vec<f64>>,
    outcomes: Vec<Json>,
    event_id: Option<String>,
    timestamp: Option<String>,
    drop_probability: f64,
    skip_learn: bool,
}

impl Members {
    fn new(members: Vec<(String, Json)>) -> Result<Self, String> {
        let mut found = Self::default();
        for (key, value) in members {
            match (&*key, value) {
                (_, Json::Null) => {}
                ("c", Json::Object(context)) => found.context = Some(context),
                ("c", _) => return Err("`c` is not an object".to_owned()),
                ("_label_cost", value) => found.cost = Some(number("_label_cost", &value)?),
                ("_label_probability", value) => found.probability = Some(number("_label_probability", &value)?),
                ("_label_Action", value) => found.action = Some(number("_label_Action", &value)?),
                ("_labelIndex", value) => found.index = Some(number("_labelIndex", &value)?),
                ("a", value) => found.ranking = Some(numbers("a", &value)?),
                ("p", value) => found.probabilities = Some(numbers("p", &value)?),
                ("o", Json::List(outcomes)) => found.outcomes = outcomes,
                ("o", _) => return Err("`o` is not a list".to_owned()),
                ("EventId", value) => found.event_id = Some(text("EventId", value)?),
                ("Timestamp", value) => found.timestamp = Some(text("Timestamp", value)?),
                ("pdrop", value) => found.drop_probability = number("pdrop", &value)?,
                ("_skipLearn" | "_deferred", Json::Bool(skip)) => found.skip_learn |= skip,
                ("_outcomes", _) => return Err("is a decision with several slots, which are not read".to_owned()),
                _ => {}
            }
        }
        Ok(found)
    }
}

/// A decision from the members of its line; the line is set by the caller.
pub(super) fn decide(members: Vec<(String, Json)>, words: &Words) -> Result<Decision, String> {
    let found = Members::new(members)?;
    let Some(context) = found.context else {
        return Err("has no `c`: is this an observation that found no decision?".to_owned());
    };
    let mut actions = None;
    let mut rest = Vec::with_capacity(context.len());
    for (key, value) in context {
        match (&*key, value) {
            ("_multi", Json::List(list)) => actions = Some(list),
            ("_multi", _) => return Err("`c._multi` is not a list".to_owned()),
            ("_slots", _) => return Err("is a decision with several slots, which are not read".to_owned()),
            (_, value) => rest.push((key, value)),
        }
    }
    let actions = actions.ok_or("has no `c._multi`, the list of actions")?;
    let actions: Vec<Features> =
        actions.into_iter().map(|action| features(action, words)).collect::<Result<_, String>>()?;
    if actions.is_empty() {
        return Err("`c._multi` is empty: there was nothing to choose from".to_owned());
    }
    let probabilities = match (&found.ranking, &found.probabilities) {
        (Some(ranking), Some(probabilities)) => by_action(ranking, probabilities, actions.len())?,
        _ => Vec::new(),
    };
    let chosen = chosen(found.action, found.index, found.ranking.as_deref(), actions.len())?;
    let probability = found.probability.or(probabilities.get(chosen).copied());
    let probability = probability.ok_or("has neither `_label_probability` nor `p` with `a`")?;
    if !(probability > 0.0 && probability <= 1.0) {
        return Err(format!("the probability of the chosen action is {probability}: it must be above 0 and at most 1"));
    }
    if !(0.0..1.0).contains(&found.drop_probability) {
        return Err(format!("`pdrop` is {}: it must be at least 0 and below 1", found.drop_probability));
    }
    Ok(Decision {
        line: 0,
        event_id: found.event_id,
        timestamp: found.timestamp,
        context: features(Json::Object(rest), words)?,
        actions,
        chosen,
        probability,
        probabilities,
        cost: found.cost,
        outcomes: found.outcomes.into_iter().map(|outcome| features(outcome, words)).collect::<Result<_, String>>()?,
        drop_probability: found.drop_probability,
        skip_learn: found.skip_learn,
    })
}

fn number(name: &str, value: &Json) -> Result<f64, String> {
    value.number().ok_or_else(|| format!("`{name}` is not a number"))
}

fn numbers(name: &str, value: &Json) -> Result<Vec<f64>, String> {
    let Json::List(list) = value else { return Err(format!("`{name}` is not a list")) };
    list.iter().map(Json::number).collect::<Option<_>>().ok_or_else(|| format!("`{name}` is not a list of numbers"))
}

fn text(name: &str, value: Json) -> Result<String, String> {
    match value {
        Json::Text(text) => Ok(text),
        Json::Whole(whole) => Ok(whole.to_string()),
        _ => Err(format!("`{name}` is not text")),
    }
}

/// A number that counts: whole and not negative.
fn index(number: f64) -> Option<usize> {
    (number >= 0.0 && number.fract() == 0.0 && number < 1e9).then_some(number as usize)
}

/// Probabilities in the order of the actions.
fn by_action(ranking: &[f64], probabilities: &[f64], actions: usize) -> Result<Vec<f64>, String> {
    if ranking.len() != probabilities.len() {
        return Err(format!("`a` has {} actions and `p` has {} probabilities", ranking.len(), probabilities.len()));
    }
    // By Vowpal Wabbit's own account actions count from 1. Logs made by scripts count from 0.
    let first = if ranking.contains(&0.0) { 0.0 } else { 1.0 };
    let mut sorted = vec![None; actions];
    for (&action, &probability) in ranking.iter().zip(probabilities) {
        let place = index(action - first).and_then(|action| sorted.get_mut(action));
        let place = place.ok_or_else(|| format!("`a` names the action {action}, but there are {actions}"))?;
        if place.replace(probability).is_some() {
            return Err(format!("`a` names the action {action} twice"));
        }
        if !(0.0..=1.0).contains(&probability) {
            return Err(format!("`p` has the probability {probability}"));
        }
    }
    // Loggers write single precision, and round.
    let sum: f64 = probabilities.iter().sum();
    if (sum - 1.0).abs() > 0.01 {
        return Err(format!("the probabilities `p` sum to {sum}"));
    }
    Ok(sorted.into_iter().map(Option::unwrap_or_default).collect())
}

/// The chosen action, counted from 0, from whatever says so.
fn chosen(action: Option<f64>, label: Option<f64>, ranking: Option<&[f64]>, actions: usize) -> Result<usize, String> {
    let (name, number, first) = match (label, action, ranking) {
        (Some(label), Some(action), _) if label + 1.0 != action => {
            return Err(format!(
                "`_labelIndex` is {label} and `_label_Action` {action}: the second should be one more"
            ));
        }
        (Some(label), ..) => ("_labelIndex", label, 0.0),
        (None, Some(action), _) => ("_label_Action", action, 1.0),
        (None, None, Some(ranking @ [action, ..])) => ("a", *action, if ranking.contains(&0.0) { 0.0 } else { 1.0 }),
        _ => return Err("has none of `_labelIndex`, `_label_Action` and `a`: which action was taken?".to_owned()),
    };
    index(number - first)
        .filter(|&chosen| chosen < actions)
        .ok_or_else(|| format!("`{name}` says that action {number} was taken, but there are {actions} actions"))
}
