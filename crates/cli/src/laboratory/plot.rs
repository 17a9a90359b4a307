//! `optimist plot`: the figures of results, drawn anew.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use optimist_lab::figure::{Band, Scale, Style};
use optimist_lab::report::run_figures;
use optimist_lab::report::write_figures;
use optimist_lab::store::Directory;

use crate::failure::Result;
use crate::files::write_stdout;

/// What `optimist plot` is given.
#[derive(Args)]
pub(crate) struct PlotArgs {
    /// A directory that `optimist run` or `optimist merge` has made
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// What is shaded
    #[arg(long, value_enum, default_value_t = Shade::Std)]
    band: Shade,
    /// Axes
    #[arg(long, value_enum, default_value_t = Axes::Linear)]
    axes: Axes,
    /// Policies to draw, by label or name, separated by commas; all if absent
    #[arg(long, value_delimiter = ',', value_name = "LABEL,...")]
    policies: Option<Vec<String>>,
    /// Where the figures go, as SVG and PNG; plots/ in DIR if absent
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What is shaded.
#[derive(Clone, Copy, ValueEnum)]
enum Shade {
    /// One standard deviation around the mean, as the paper has it
    Std,
    /// From the 10% to the 90% quantile, around the median
    Quantiles,
    /// Nothing: the mean alone
    None,
}

/// Scales of the axes.
#[derive(Clone, Copy, ValueEnum)]
enum Axes {
    /// Rounds and regret as they are
    Linear,
    /// Logarithmic rounds
    LogX,
    /// Logarithmic regret
    LogY,
    /// Both logarithmic
    Log,
}

/// Runs the command; returns warnings.
///
/// # Errors
/// If there are no results, a policy is not among them, or the figures cannot be written.
pub(crate) fn run(args: &PlotArgs) -> Result<Vec<String>> {
    let (outcome, mut warnings) = Directory::load(&args.directory)?;
    warnings.extend(outcome.mixed_builds(&[])?);
    let figures = run_figures(&outcome, &style(args))?;
    let out = args.out.clone().unwrap_or_else(|| args.directory.join("plots"));
    let paths = write_figures(&out, figures.iter().map(|(name, figure)| (name.as_str(), figure)))?;
    let names: String = paths.iter().map(|path| format!("{}\n", path.display())).collect();
    write_stdout(names.as_bytes())?;
    Ok(warnings)
}

fn style(args: &PlotArgs) -> Style {
    let band = match args.band {
        Shade::Std => Band::Std,
        Shade::Quantiles => Band::Quantiles,
        Shade::None => Band::None,
    };
    let (x, y) = match args.axes {
        Axes::Linear => (Scale::Linear, Scale::Linear),
        Axes::LogX => (Scale::Log, Scale::Linear),
        Axes::LogY => (Scale::Linear, Scale::Log),
        Axes::Log => (Scale::Log, Scale::Log),
    };
    Style { band, x, y, policies: args.policies.clone() }
}
