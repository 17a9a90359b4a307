//! Where results go.

use std::fs;

use optimist_lab::replay::Replayed;

use super::arguments::ReplayArgs;
use super::show;
use crate::failure::{Failure, Result};
use crate::files::write_stdout;

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

/// Writes everything; returns warnings.
///
/// # Errors
/// If something cannot be written, or the user has stopped the work: what is there is written nonetheless.
pub(super) fn finish(args: &ReplayArgs, replayed: &Replayed) -> Result<Vec<String>> {
    if let Some(out) = &args.out {
        replayed.save(out)?;
    }
    let report = args.out.iter().map(|out| format!("{}\n", out.join("report.html").display()));
    let text = if args.json { replayed.to_json()? } else { show::results(replayed) + &report.collect::<String>() };
    write_stdout(text.as_bytes())?;
    if let Some(stopped) = &replayed.stopped {
        return Err(Failure::Interrupted(format!("interrupted: {stopped}; the results are of what is there")));
    }
    Ok(replayed.warnings())
}
