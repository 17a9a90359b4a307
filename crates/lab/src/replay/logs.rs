//! A log of decisions: what would other policies have earned?

use std::collections::HashMap;

use optimist_engine::evaluation::OffPolicyOptions;
use optimist_engine::{Action, Column, Scale};
use optimist_tables::{Cell, Table};

use super::apprentice::evaluate;
use super::candidate::Candidate;
use super::candidates::{candidates, check};
use super::entry::Entry;
use super::estimates::LoggedValue;
use super::log::{Log, LoggedDecision};
use super::options::ReplayOptions;
use super::page::Shown;
use super::prepared::{Data, Prepared, Replayed, facts, setup};
use super::read::{Fate, read as read_rows};
use super::rejection::{reject, uneven};
use super::words::left_out;
use crate::error::{Error, Result};
use crate::input::shorten;
use crate::report::{count, percent};
use crate::simulation::Progress;

/// Actions beyond which a column is none of actions.
const MOST_ACTIONS: usize = 1000;

/// A log that was read.
pub(super) struct Logged {
    pub(super) log: Log,
    pub(super) actions: Vec<Action>,
    pub(super) columns: Vec<Column>,
    /// Column, what it was read as, why.
    pub(super) lines: Vec<[String; 3]>,
    pub(super) notes: Vec<String>,
}

/// Reads a table as a log.
///
/// # Errors
/// If the data are at fault.
pub(super) fn read(
    args: &ReplayOptions,
    table: Table,
    arm: &str,
    reward: &str,
    propensity: Option<&str>,
) -> Result<Logged> {
    let mut targets = vec![("--arm", arm), ("--reward", reward)];
    targets.extend(propensity.map(|column| ("--propensity", column)));
    let file = args.name();
    let scale = args.reward_scale.unwrap_or(Scale::Unit);
    let mut log = Log::default();
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut incomplete = 0usize;
    let mut read = read_rows(args, table, &targets, |line, cells| {
        if args.rounds.is_some_and(|rounds| log.decisions.len() >= rounds.get()) {
            return Ok(Fate::Enough);
        }
        if cells.iter().any(|cell| cell.is_missing()) {
            incomplete += 1;
            return Ok(Fate::LeftOut);
        }
        let place = |option: &str, column: &str| format!("{file}, line {line}: {option} \"{column}\"");
        let value = amount(cells[1]).ok_or_else(|| no_number(&place("--reward", reward), cells[1]))?;
        let reward =
            rewarded(scale, value).map_err(|what| Error::input(format!("{} {what}", place("--reward", reward))))?;
        let propensity = match (propensity, cells.get(2)) {
            (Some(column), Some(cell)) => {
                let p = amount(cell).ok_or_else(|| no_number(&place("--propensity", column), cell))?;
                Some(probable(p).map_err(|what| Error::input(format!("{} {what}", place("--propensity", column))))?)
            }
            _ => None,
        };
        let next = log.actions.len() as u32;
        let action = *numbers.entry(cells[0].label().into_owned()).or_insert_with_key(|name| {
            log.actions.push(name.clone());
            next
        });
        if log.actions.len() > MOST_ACTIONS {
            return Err(Error::input(format!(
                "{file}: --arm \"{arm}\" has more than {} actions: give the column of what was chosen, with fewer values",
                count(MOST_ACTIONS as u64)
            )));
        }
        log.decisions.push(LoggedDecision { action, propensity, reward, offered: None });
        Ok(Fate::Kept)
    })?;
    if let [] | [_] = &log.actions[..] {
        let what = match log.actions.first() {
            Some(one) => format!("has one action, \"{}\", in all rows: there is nothing to compare", shorten(one)),
            None => "has no row with an action and a reward".to_owned(),
        };
        return Err(Error::input(format!("{file}: --arm \"{arm}\" {what}; give another column")));
    }
    if incomplete > 0 {
        let targets: Vec<&str> = targets.iter().map(|(option, _)| *option).collect();
        let rest = format!("without a value of {}", targets.join(" or "));
        let left = left_out(incomplete, "row", &rest);
        read.notes.push(left + ": if that depends on the reward, estimates are wrong");
    }
    log.contexts = std::mem::take(&mut read.contexts);
    let actions = log.actions.iter().map(|name| Action::from(name.as_str())).collect();
    Ok(Logged { log, actions, columns: read.schema.columns, lines: read.schema.lines, notes: read.notes })
}

/// A number, also one that is written as a text.
fn amount(cell: &Cell) -> Option<f64> {
    cell.number().or_else(|| cell.text()?.trim().parse().ok())
}

fn no_number(place: &str, cell: &Cell) -> Error {
    Error::input(format!("{place} is \"{}\": it must be a number", shorten(&cell.label())))
}

/// The reward of a value, or what is wrong in terms of this command's options.
pub(super) fn rewarded(scale: Scale, value: f64) -> std::result::Result<f64, String> {
    scale.reward(value).map_err(|what| {
        let what = what.replace(
            "declare rewards.scale for other values",
            "give --reward-scale range:LOW:HIGH or cap:X for others",
        );
        what.replace("as rewards.scale says", "as --reward-scale says")
    })
}

fn probable(p: f64) -> std::result::Result<f64, String> {
    if p > 0.0 && p <= 1.0 {
        return Ok(p);
    }
    Err(format!(
        "is {p}: it must be above 0 and at most 1, because it is the probability with which the logged action was drawn"
    ))
}

/// Takes a log that was read.
///
/// # Errors
/// If options or data are at fault, or the log cannot answer.
pub(super) fn prepare(args: &ReplayOptions, logged: Logged) -> Result<Prepared> {
    let Logged { log, actions, columns, lines, notes } = logged;
    let featured = actions.iter().any(|action| !action.features.is_empty());
    let setup = setup(args, columns, actions);
    let candidates = candidates(args, featured)?;
    check(&setup, &candidates)?;
    let weighted = log.decisions.iter().all(|decision| decision.propensity.is_some());
    if !weighted {
        refuse_uneven(args, &log)?;
    }
    Ok(Prepared { options: args.clone(), data: Data::Log { log, weighted }, setup, candidates, lines, notes })
}

/// Replays a log.
///
/// # Errors
/// If an engine refuses its settings or a context, or a row cannot be evaluated.
pub(super) fn run(prepared: &Prepared, log: &Log, weighted: bool, progress: &dyn Progress) -> Result<Replayed> {
    let Prepared { options: args, candidates, .. } = prepared;
    let entries = entries(prepared, log, weighted, progress)?;
    let rows = log.decisions.len();
    let own = LoggedValue::of_log(log, args.delta)?;
    let how =
        if weighted { "by the logged probabilities" } else { "by rejection, because the log looks uniformly random" };
    let what = format!("{} rows, {} actions; {how}", count(rows as u64), count(log.actions.len() as u64));
    let lead = own.as_ref().map(|own| format!("{what}. The log itself has {:.4} per decision.", own.value));
    let shown = Shown {
        title: args.name(),
        lead: lead.into_iter().collect(),
        yardstick: own.as_ref().map(|own| (own.value, "the log".to_owned())),
        schema: prepared.lines.clone(),
        facts: facts(args, &what, &prepared.notes),
        is_log: true,
    };
    let short = entries.iter().filter(|entry| entry.rounds < rows).count() + candidates.len() - entries.len();
    let stopped =
        (short > 0).then(|| format!("{short} of {} candidates have not seen the whole log", candidates.len()));
    Ok(Replayed { rounds: rows, entries, shown, what, yardstick: None, logged: own, delta: args.delta, stopped })
}

fn entries(prepared: &Prepared, log: &Log, weighted: bool, progress: &dyn Progress) -> Result<Vec<Entry>> {
    let Prepared { options: args, setup, candidates, .. } = prepared;
    if weighted {
        let options = OffPolicyOptions { weight_limit: args.weight_limit, ..OffPolicyOptions::default() };
        let apprentices = evaluate(log, setup, candidates, options, args.delta, progress)?;
        let with = candidates.iter().zip(apprentices);
        return Ok(with.filter_map(|(candidate, a)| Some(Entry::of_apprentice(candidate, a?))).collect());
    }
    let replayed = reject(log, setup, candidates, args.delta, progress)?;
    let entry = |(candidate, replayed): (&Candidate, Option<_>)| {
        let (course, report) = replayed?;
        Some(Entry::of_rejection(candidate, course, &report))
    };
    Ok(candidates.iter().zip(replayed).filter_map(entry).collect())
}

/// Without probabilities a log can answer only if all actions were drawn alike.
fn refuse_uneven(args: &ReplayOptions, log: &Log) -> Result<()> {
    let Some((action, share, expected)) = uneven(log)? else { return Ok(()) };
    Err(Error::input(format!(
        "{}: the log has no probabilities and is not uniformly random: \"{}\" was taken in {} of the rows instead of {}, so \
         nobody can tell what other policies would have earned; give --propensity COLUMN, the probability with which each \
         action was taken",
        args.name(),
        shorten(action),
        percent(share),
        percent(expected)
    )))
}
