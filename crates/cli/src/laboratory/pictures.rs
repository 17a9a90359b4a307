//! `optimist pictures`: the pictures of the documentation.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use optimist_paper::{Picture, PictureOrder, Pictures, draw_pictures};

use super::at_least_one;
use super::bar::Bar;
use crate::failure::{Failure, Result};
use crate::files::write_stdout;

/// Where `optimist paper` leaves its report if nothing else is said.
const REPORT: &str = "paper-report";

/// Where `make bench-peers` leaves its table.
const PEERS: &str = "docs/results/peers.csv";

/// What `optimist pictures` is given.
#[derive(Args)]
pub(crate) struct PicturesArgs {
    /// Directory of the pictures
    #[arg(long, value_name = "DIR", default_value = "pictures")]
    out: PathBuf,
    /// The pictures to draw, all if absent; several with commas or by repeating this
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = picture())]
    only: Vec<Picture>,
    /// A report that `optimist paper` has made; paper-report if absent
    #[arg(long, value_name = "DIR")]
    paper: Option<PathBuf>,
    /// A table that `make bench-peers` has made; docs/results/peers.csv if absent
    #[arg(long, value_name = "FILE")]
    peers: Option<PathBuf>,
    /// Runs at a time; one a core if absent. Pictures do not depend on it
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    jobs: Option<NonZero<usize>>,
}

/// Runs the command; returns warnings.
///
/// # Errors
/// If the report or the table that is named is none, the table is malformed, or a file cannot be read or written.
pub(crate) fn run(args: &PicturesArgs) -> Result<Vec<String>> {
    if let Some(report) = args.paper.as_ref().filter(|report| !report.join("figures").is_dir()) {
        let report = report.display();
        return Err(Failure::Input(format!(
            "--paper is \"{report}\": no report is there, make one with `optimist paper`"
        )));
    }
    if let Some(table) = args.peers.as_ref().filter(|table| !table.is_file()) {
        let table = table.display();
        return Err(Failure::Input(format!(
            "--peers is \"{table}\": no table is there, make one with `make bench-peers`"
        )));
    }
    let order = PictureOrder {
        out: args.out.clone(),
        pictures: Picture::ALL.into_iter().filter(|p| args.only.is_empty() || args.only.contains(p)).collect(),
        report: args.paper.clone().unwrap_or_else(|| REPORT.into()),
        peers: args.peers.clone().unwrap_or_else(|| PEERS.into()),
        jobs: args.jobs,
    };
    let Pictures { paths, missing } = draw_pictures(&order, &Bar::new("pictures"))?;
    let names: String = paths.iter().map(|path| format!("{}\n", path.display())).collect();
    write_stdout(names.as_bytes())?;
    Ok(skipped(&missing, &order))
}

/// The names of the pictures, which are refused in one line with the right ones if they are wrong.
fn picture() -> impl TypedValueParser<Value = Picture> {
    let by_name = |name: String| Picture::ALL.into_iter().find(|p| p.name() == name).ok_or("no such picture");
    PossibleValuesParser::new(Picture::ALL.map(Picture::name)).try_map(by_name)
}

/// What to do about pictures that there is no table or no report for.
fn skipped(missing: &[Picture], order: &PictureOrder) -> Vec<String> {
    let (tables, figures): (Vec<Picture>, Vec<Picture>) =
        missing.iter().partition(|picture| **picture == Picture::Peers);
    let names = |pictures: &[Picture]| pictures.iter().map(|picture| picture.name()).collect::<Vec<_>>().join(", ");
    let (table, report) = (order.peers.display(), order.report.display());
    let no_table = (!tables.is_empty())
        .then(|| format!("{} skipped: it shows the table {table}, run `make bench-peers` first", names(&tables)));
    let no_report = (!figures.is_empty()).then(|| {
        let names = names(&figures);
        format!("{names} skipped: they are figures of the report {report}, run `optimist paper --out {report}` first")
    });
    no_table.into_iter().chain(no_report).collect()
}
