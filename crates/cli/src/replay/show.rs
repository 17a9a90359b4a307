//! Tables for the terminal.

use std::io::{Write, stderr};

use optimist_lab::replay::{Entry, Named, Replayed, best, tidy};
use optimist_lab::report::{count, duration, number, percent};

use crate::failure::one_line;
use crate::laboratory::columns::{aligned, words};
use crate::layout::{columns_of_output, row};
use crate::say;

/// More columns than this are not listed.
const MOST_COLUMNS: usize = 60;
/// A name is this wide at most before the text beside it moves.
const WIDEST_NAME: usize = 28;

/// On standard error: what the columns were read as, and what became of rows.
pub(super) fn schema(lines: &[[String; 3]], notes: &[String]) {
    let width = lines.iter().map(|[name, ..]| name.chars().count()).max().unwrap_or(0).clamp(6, WIDEST_NAME);
    let widths = [width, 8];
    let mut text = row(columns_of_output(), &widths, &["column", "read as", "why"]);
    for [name, kind, why] in lines.iter().take(MOST_COLUMNS) {
        text += &row(columns_of_output(), &widths, &[&one_line(name), kind, &one_line(why)]);
    }
    if let more @ 1.. = lines.len().saturating_sub(MOST_COLUMNS) {
        text += &format!("... and {more} more\n");
    }
    // If nobody can read it there is nothing left to do.
    let _ = writeln!(stderr(), "{}", text.trim_end());
    notes.iter().for_each(|note| say("note", note));
}

fn per_decision(entry: &Entry) -> String {
    duration(entry.seconds / entry.rounds.max(1) as f64)
}

/// Who may well be as good: a table that names a winner must not hide that.
fn rivals(best: &Entry, entries: &[Entry]) -> String {
    let others = entries.iter().filter(|entry| !std::ptr::eq(*entry, best));
    let is_near =
        |entry: &&Entry| match (entry.mean_reward, best.mean_reward, entry.mean_reward_error, best.mean_reward_error) {
            (Some(a), Some(b), Some(e), Some(f)) => (a - b).abs() <= 2.0 * e.hypot(f),
            _ => false,
        };
    let near: Vec<String> = others.clone().filter(is_near).map(Entry::label).collect();
    match (&near[..], best.mean_reward_error) {
        (_, None) if entries.len() > 1 => " (of one order, so differences may be luck: --orders 5 tells)".to_owned(),
        ([], _) => String::new(),
        (near, _) => format!(" (within two standard errors of it: {})", near.join("; ")),
    }
}

/// The results as text.
pub(super) fn results(replayed: &Replayed) -> String {
    let Replayed { entries, shown, what, yardstick, logged, delta, .. } = replayed;
    match yardstick {
        Some(yardstick) => labels(&shown.title, what, entries, yardstick),
        None => log(&shown.title, what, entries, logged.as_ref(), *delta),
    }
}

/// The results of a table with classes.
fn labels(title: &str, what: &str, entries: &[Entry], yardstick: &str) -> String {
    let mut rows = vec![words(&["policy", "model", "mistakes", "share", "reward", "time per decision"])];
    for entry in entries {
        let mistakes = entry.mistakes.unwrap_or(0.0);
        let error = entry.mistakes_error.map_or_else(String::new, |error| format!(" ± {}", tidy(error)));
        rows.push(vec![
            entry.policy.clone(),
            entry.model.clone(),
            format!("{}{error}", tidy(mistakes)),
            percent(mistakes / entry.rounds.max(1) as f64),
            tidy(entry.reward.unwrap_or(0.0)),
            per_decision(entry),
        ]);
    }
    let best = best(entries).map_or_else(String::new, |best| {
        let share = percent(best.mistakes.unwrap_or(0.0) / best.rounds.max(1) as f64);
        format!("best: {}, {share} mistakes{}\n", best.label(), rivals(best, entries))
    });
    let partial: String = entries
        .iter()
        .filter(|entry| entries.iter().any(|other| other.rounds > entry.rounds))
        .map(|entry| format!("{}: only {} rounds were played\n", entry.label(), count(entry.rounds as u64)))
        .collect();
    format!("{}\n{what}\n\n{}\n{best}{yardstick}\n{partial}", one_line(title), aligned(&rows))
}

/// The results of a log.
fn log(title: &str, what: &str, entries: &[Entry], logged: Option<&Named>, delta: f64) -> String {
    let level = percent(1.0 - delta);
    let dash = || "-".to_owned();
    let mut rows =
        vec![words(&["policy", "model", "estimate", "mean reward", &level, &format!("{level} at all times"), "time"])];
    let figures = |estimate: &Named| {
        let error = estimate.standard_error.map_or_else(String::new, |error| format!(" ± {error:.4}"));
        [
            format!("{:.4}{error}", estimate.value),
            estimate.asymptotic.map_or_else(dash, |interval| interval.to_string()),
            estimate.always_valid.map_or_else(dash, |interval| interval.to_string()),
        ]
    };
    if let Some(logged) = logged {
        let [value, asymptotic, always] = figures(logged);
        rows.push(vec!["(the log)".into(), dash(), "mean".into(), value, asymptotic, always, dash()]);
    }
    let mut below = String::new();
    for entry in entries {
        let Some(log) = &entry.log else { continue };
        for (i, estimate) in log.estimates.iter().enumerate() {
            let [value, asymptotic, always] = figures(estimate);
            let (policy, model, time) = match i {
                0 => (entry.policy.clone(), entry.model.clone(), per_decision(entry)),
                _ => Default::default(),
            };
            rows.push(vec![policy, model, estimate.method.name().into(), value, asymptotic, always, time]);
        }
        if log.estimates.is_empty() {
            rows.push(vec![
                entry.policy.clone(),
                entry.model.clone(),
                log.verdict.to_string(),
                dash(),
                dash(),
                dash(),
                per_decision(entry),
            ]);
        }
        let rows = number(log.effective_rows);
        below += &format!(
            "{}: {}, by {rows} effective rows of {}\n",
            entry.label(),
            log.verdict,
            count(entry.rounds as u64)
        );
        log.concerns.iter().for_each(|concern| below += &format!("  {concern}\n"));
    }
    let best = match (best(entries), logged) {
        (Some(best), Some(logged)) => {
            let value = best.mean_reward.unwrap_or(0.0);
            let rivals = rivals(best, entries);
            format!("best: {}, {value:.4} per decision{rivals}; the log itself has {:.4}\n", best.label(), logged.value)
        }
        _ => "best: cannot be said, because no candidate has a usable estimate\n".to_owned(),
    };
    format!("{}\n{what}\n\n{}\n{below}{best}", one_line(title), aligned(&rows))
}
