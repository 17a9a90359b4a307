//! `optimist pictures`: the pictures of the documentation.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use optimist_paper::{Picture, PictureOrder, Pictures, draw_pictures};

use super::at_least_one;
use super::bar::Bar;
use crate::failure::{Failure, Result};
use crate::files::write_stdout;

/// Where `optimist paper` leaves its report if nothing else is said.
const REPORT: &str = "paper-report";

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
    /// Runs at a time; one a core if absent. Pictures do not depend on it
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    jobs: Option<NonZero<usize>>,
}

/// Runs the command; returns warnings.
///
/// # Errors
/// If the report that is named is none, or a file cannot be read or written.
pub(crate) fn run(args: &PicturesArgs) -> Result<Vec<String>> {
    if let Some(report) = args.paper.as_ref().filter(|report| !report.join("figures").is_dir()) {
        let report = report.display();
        return Err(Failure::Input(format!(
            "--paper is \"{report}\": no report is there, make one with `optimist paper`"
        )));
    }
    let order = PictureOrder {
        out: args.out.clone(),
        pictures: Picture::ALL.into_iter().filter(|p| args.only.is_empty() || args.only.contains(p)).collect(),
        report: args.paper.clone().unwrap_or_else(|| REPORT.into()),
        jobs: args.jobs,
    };
    let Pictures { paths, missing } = draw_pictures(&order, &Bar::new("pictures"))?;
    let names: String = paths.iter().map(|path| format!("{}\n", path.display())).collect();
    write_stdout(names.as_bytes())?;
    Ok(skipped(&missing, &order.report).into_iter().collect())
}

/// The names of the pictures, which are refused in one line with the right ones if they are wrong.
fn picture() -> impl TypedValueParser<Value = Picture> {
    let by_name = |name: String| Picture::ALL.into_iter().find(|p| p.name() == name).ok_or("no such picture");
    PossibleValuesParser::new(Picture::ALL.map(Picture::name)).try_map(by_name)
}

/// What to do about pictures that the report does not have.
fn skipped(missing: &[Picture], report: &Path) -> Option<String> {
    let names: Vec<&str> = missing.iter().map(|picture| picture.name()).collect();
    let (names, report) = (names.join(", "), report.display());
    (!missing.is_empty()).then(|| {
        format!("{names} skipped: they are figures of the report {report}, run `optimist paper --out {report}` first")
    })
}
