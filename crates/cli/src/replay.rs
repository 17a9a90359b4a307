//! `optimist replay`: data of the user's own, as a bandit.

mod arguments;
mod candidates;
mod classes;
mod dsjson;
pub(crate) mod help;
mod log;
mod output;
mod read;
mod schema;
mod show;

pub(crate) use arguments::ReplayArgs;

use optimist_tables::{Format, Table};

use crate::failure::{Failure, Result};
use crate::files::name_of;

/// Runs the command; returns warnings.
///
/// # Errors
/// If the arguments or the data are at fault, results cannot be written, or the user stops it.
pub(crate) fn run(args: &ReplayArgs) -> Result<Vec<String>> {
    args.check()?;
    if args.format == Some(Format::Dsjson) && args.target().is_none() {
        return log::run(args, dsjson::read(args)?);
    }
    let table = Table::open(&args.data, &args.options()).map_err(|e| tables(args, &e))?;
    match (table.format(), args.target()) {
        (_, Some(arguments::Target::Label(label))) => classes::run(args, table, label),
        (_, Some(arguments::Target::Arm { arm, reward, propensity })) => {
            let log = log::read(args, table, arm, reward, propensity)?;
            log::run(args, log)
        }
        (Format::Dsjson, None) if args.data.as_os_str() == "-" => Err(Failure::Input(
            "standard input is dsjson: say --format dsjson, because it can be read only once".to_owned(),
        )),
        (Format::Dsjson, None) => log::run(args, dsjson::read(args)?),
        (_, None) => Err(Failure::Input(format!(
            "{}: say what to replay: --label COLUMN for a table with classes, or --arm COLUMN --reward COLUMN for a log; \
             there are {}",
            name_of(&args.data),
            schema::listed(table.columns().iter().map(AsRef::as_ref))
        ))),
    }
}

/// A failure of reading, in terms of this command's options.
fn tables(args: &ReplayArgs, error: &optimist_tables::Error) -> Failure {
    match error {
        optimist_tables::Error::Option { field, value, remedy } => {
            Failure::Input(format!("--{} is {value}: {remedy}", field.replace('_', "-")))
        }
        // It names the file.
        other => {
            let text = other.to_string();
            let name = args.data.display().to_string();
            let is_named = text.contains(&name) || name == "-";
            Failure::Input(if is_named { text } else { format!("{name}: {text}") })
        }
    }
}
