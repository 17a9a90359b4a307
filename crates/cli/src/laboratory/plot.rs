//! `optimist plot`: the figures of results, drawn anew.

use std::io::{Write, stderr};
use std::path::{Path, PathBuf};

use clap::Args;
use optimist_lab::report::{Drawn, PlotOrder, complete_style, plot, read_style};
use optimist_lab::store::Directory;

use super::looks::LookArgs;
use crate::failure::{Failure, Result};
use crate::files::{Kind, read, write_stdout};

const STYLE: Kind = Kind { content: "a style as TOML", format: "TOML", help: "optimist plot --print-style" };

/// What `optimist plot` is given.
#[derive(Args)]
pub(crate) struct PlotArgs {
    /// A directory that `optimist run` or `optimist merge` has made
    #[arg(value_name = "DIR", required_unless_present = "print_style")]
    directory: Option<PathBuf>,
    #[command(flatten)]
    looks: LookArgs,
    /// A file with the same keys as these options, which outdo it; --print-style shows all of them
    #[arg(long, value_name = "FILE")]
    style: Option<PathBuf>,
    /// Print a style file with every key, and do nothing else
    #[arg(long)]
    print_style: bool,
    /// Where the figures go; plots/ in DIR if absent
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command; returns warnings.
///
/// # Errors
/// If there are no results, an option or a key of the style file is wrong, or the figures cannot be written.
pub(crate) fn run(args: &PlotArgs) -> Result<Vec<String>> {
    let Some(directory) = args.directory.as_ref().filter(|_| !args.print_style) else {
        write_stdout(complete_style().as_bytes())?;
        return Ok(Vec::new());
    };
    let order = order(args)?;
    let (outcome, mut warnings) = Directory::load(directory)?;
    warnings.extend(outcome.mixed_builds(&[])?);
    let out = args.out.clone().unwrap_or_else(|| directory.join("plots"));
    let drawn = plot(&outcome, &order, &out)?;
    let names: String = drawn.paths.iter().map(|path| format!("{}\n", path.display())).collect();
    write_stdout(names.as_bytes())?;
    show_snippet(&drawn, &out);
    Ok(warnings)
}

fn order(args: &PlotArgs) -> Result<PlotOrder> {
    let mut order = PlotOrder::default();
    if let Some(file) = &args.style {
        let in_file = |failure: Failure| failure.in_file(&file.display().to_string());
        let text = read(file, &STYLE).map_err(in_file)?;
        read_style(&text, &mut order).map_err(|e| in_file(e.into()))?;
    }
    args.looks.apply(&mut order)?;
    Ok(order)
}

/// Shows how LaTeX takes the first figure. It goes to standard error, so that standard output is a list of files.
fn show_snippet(drawn: &Drawn, out: &Path) {
    let Some(first) = drawn.snippets.first() else { return };
    let more = match drawn.snippets.len() {
        1 => String::new(),
        figures => format!("% The other {} are in {}/*.tex.\n", figures - 1, out.display()),
    };
    // If nobody can read it there is nothing left to do.
    let _ = write!(stderr(), "\n{first}{more}");
}
