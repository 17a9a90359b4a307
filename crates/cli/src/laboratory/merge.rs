//! `optimist merge`: parts of an experiment put together.

use std::path::PathBuf;

use clap::Args;
use optimist_lab::report::publish;
use optimist_lab::store::merge;

use super::show::table;
use crate::failure::Result;
use crate::files::write_stdout;

/// What `optimist merge` is given.
#[derive(Args)]
pub(crate) struct MergeArgs {
    /// The directories that `optimist run --shard` has made
    #[arg(required = true, value_name = "DIR")]
    parts: Vec<PathBuf>,
    /// Directory of the whole
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Do not warn of several builds for this policy, whose code you know to be the same in all; all for all. May be repeated
    #[arg(long, value_name = "POLICY|all")]
    keep: Vec<String>,
    /// Write results.parquet beside results.csv
    #[arg(long)]
    parquet: bool,
}

/// Runs the command; returns warnings.
///
/// # Errors
/// If the parts do not fit together, or the directory cannot be written.
pub(crate) fn run(args: &MergeArgs) -> Result<Vec<String>> {
    let (outcome, directory, warnings) = merge(&args.parts, &args.out, &args.keep)?;
    publish(&directory, &outcome, args.parquet)?;
    write_stdout(table(&outcome, &args.out).as_bytes())?;
    Ok(warnings)
}
