//! `optimist replay`: data of the user's own, as a bandit.

mod arguments;
pub(crate) mod help;
mod output;
mod show;

pub(crate) use arguments::ReplayArgs;

use optimist_lab::replay::Prepared;

use crate::failure::Result;
use crate::files::name_of;
use crate::laboratory::bar::{Bar, catch_interrupts};
use crate::progress::Waiting;

/// Runs the command; returns warnings.
///
/// # Errors
/// If the arguments or the data are at fault, results cannot be written, or the user stops it.
pub(crate) fn run(args: &ReplayArgs) -> Result<Vec<String>> {
    let waiting = Waiting::for_what(format!("reading {}", name_of(&args.data)));
    let prepared = Prepared::open(&args.options())?;
    drop(waiting);
    output::prepare(args)?;
    show::schema(&prepared.lines, &prepared.notes);
    catch_interrupts()?;
    let bar = Bar::new("replay");
    let replayed = prepared.run(&bar)?;
    drop(bar);
    output::finish(args, &replayed)
}
