//! `optimist radii`: the registry of radii, for people and for programs.

use clap::Args;
use optimist::set::Radius;
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::files::write_stdout;

/// What `optimist radii` is given.
#[derive(Args)]
pub(crate) struct RadiiArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    summary: &'static str,
    needs_norm_bound: bool,
    needs_order: bool,
}

/// Runs the command.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn run(args: &RadiiArgs) -> Result<()> {
    let text = if args.json { to_json()? } else { table() };
    write_stdout(text.as_bytes())
}

/// The registry as a table for people, one line per radius.
pub(crate) fn table() -> String {
    let width = Radius::all().iter().map(|info| info.name.len()).max().unwrap_or(0);
    Radius::all().iter().fold(format!("{:width$}  norm bound  summary\n", "name"), |table, info| {
        let need = if info.needs_norm_bound { "needed" } else { "optional" };
        table + &format!("{:width$}  {need:10}  {}\n", info.name, info.summary)
    })
}

fn to_json() -> Result<String> {
    let entry = |info: &optimist::set::RadiusInfo| Entry {
        name: info.name,
        summary: info.summary,
        needs_norm_bound: info.needs_norm_bound,
        needs_order: info.needs_order,
    };
    let entries: Vec<Entry> = Radius::all().into_iter().map(entry).collect();
    let text = serde_json::to_string_pretty(&entries).map_err(|e| Failure::Internal(e.to_string()))?;
    Ok(text + "\n")
}
