//! Where results go.

use std::fs;

use optimist_lab::replay::{Document, Entry, Shown, page, results_csv};
use optimist_lab::report::publish_page;
use optimist_lab::store::write_whole;

use super::arguments::ReplayArgs;
use crate::failure::{Failure, Result};
use crate::files::write_stdout;

/// What was done, ready to be written.
pub(super) struct Done<'a> {
    /// Rounds per order that were asked for.
    pub(super) rounds: usize,
    pub(super) entries: &'a [Entry],
    pub(super) shown: &'a Shown,
    /// The table for people.
    pub(super) text: String,
    /// What is missing, if somebody stopped the work.
    pub(super) stopped: Option<String>,
}

/// Checks that results can be written, so that long work does not begin if they cannot.
///
/// # Errors
/// If the directory cannot be made.
pub(super) fn prepare(args: &ReplayArgs) -> Result<()> {
    let Some(out) = &args.out else { return Ok(()) };
    let failed = |e| Failure::from(optimist_lab::Error::file(out, "written", &e));
    fs::create_dir_all(out).map_err(failed)?;
    optimist_lab::store::temporary_in(out).map(drop).map_err(failed)
}

/// What a page says was run.
pub(super) fn facts(args: &ReplayArgs, what: &str, notes: &[String]) -> Vec<(String, String)> {
    let mut facts = vec![
        ("data".to_owned(), args.data.display().to_string()),
        ("rows".to_owned(), what.to_owned()),
        ("seed".to_owned(), args.seed.to_string()),
        ("explore".to_owned(), args.explore.to_string()),
    ];
    facts.extend(args.options.iter().map(|options| ("options".to_owned(), options.clone())));
    facts.extend(notes.iter().map(|note| ("note".to_owned(), note.clone())));
    facts.push(("optimist".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
    facts
}

/// Writes everything; returns warnings.
///
/// # Errors
/// If something cannot be written, or the user has stopped the work: what is there is written nonetheless.
pub(super) fn finish(args: &ReplayArgs, done: &Done<'_>) -> Result<Vec<String>> {
    let document = Document { rounds: done.rounds, entries: done.entries }.to_json()?;
    if let Some(out) = &args.out {
        write_whole(&out.join("results.csv"), &results_csv(done.entries)?)?;
        write_whole(&out.join("results.json"), document.as_bytes())?;
        publish_page(out, &page(done.entries, done.shown))?;
    }
    let report = args.out.iter().map(|out| format!("{}\n", out.join("report.html").display()));
    let text = if args.json { document } else { done.text.clone() + &report.collect::<String>() };
    write_stdout(text.as_bytes())?;
    if let Some(stopped) = &done.stopped {
        return Err(Failure::Interrupted(format!("interrupted: {stopped}; the results are of what is there")));
    }
    let noted = done.entries.iter().filter_map(|entry| Some(format!("{}: {}", entry.label(), entry.note.as_ref()?)));
    Ok(noted.collect())
}
