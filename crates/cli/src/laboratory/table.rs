//! `optimist table`: the final regret as papers print it.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use optimist_lab::results::{FinalTable, TableRequest};
use optimist_lab::store::Directory;

use super::at_least_one;
use crate::failure::Result;
use crate::files::write_stdout;

/// What `optimist table` is given.
#[derive(Args)]
pub(crate) struct TableArgs {
    /// A directory that `optimist run` or `optimist merge` has made
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// What is printed
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
    /// The round after which regret is taken, one at which figures were taken; the horizon if absent
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    t: Option<NonZero<usize>>,
    /// Policies to show, by label or name, separated by commas; all if absent
    #[arg(long, value_delimiter = ',', value_name = "LABEL,...")]
    policies: Vec<String>,
    /// Environments to show, by name or by number from 1, separated by commas; all if absent
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    environments: Vec<String>,
}

/// What is printed.
#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// A table environment for the packages booktabs and fontenc
    Latex,
    /// A table of pipes
    Markdown,
    /// One line per environment and policy, numbers with all digits
    Csv,
}

/// Runs the command; returns warnings.
///
/// # Errors
/// If there are no results, or a policy, an environment or a round is not among them.
pub(crate) fn run(args: &TableArgs) -> Result<Vec<String>> {
    let (outcome, mut warnings) = Directory::load(&args.directory)?;
    warnings.extend(outcome.mixed_builds(&[])?);
    let (policies, environments) = (args.policies.clone(), args.environments.clone());
    let request = TableRequest { t: args.t.map(NonZero::get), policies, environments };
    let table = FinalTable::of(&outcome, &request)?;
    let text = match args.format {
        Format::Latex => table.latex(),
        Format::Markdown => table.markdown(),
        Format::Csv => table.csv(),
    };
    write_stdout(text.as_bytes())?;
    let (done, total) = outcome.progress();
    if done < total {
        warnings.push(format!("{done} of {total} runs are there: the table is of those"));
    }
    Ok(warnings)
}
