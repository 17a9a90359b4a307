//! The files of figures.

use std::path::{Path, PathBuf};

use super::order::{Kind, PlotOrder};
use crate::error::{Error, Result};
use crate::figure::{Figure, Format, panels, regret, sweep};
use crate::report::figures::PNG_SCALE;
use crate::report::run::{file_name, has_runs};
use crate::store::{Outcome, write_whole};

/// Pixels an inch of figures that have a size on paper.
const PRINT: f64 = 300.0;

/// What was written.
#[derive(Debug)]
pub struct Drawn {
    /// The files.
    pub paths: Vec<PathBuf>,
    /// The lines that put each figure into a LaTeX document, as the files `.tex` have them.
    pub snippets: Vec<String>,
}

/// Draws the figures that are wanted and writes them to a directory.
///
/// # Errors
/// If the order names what the experiment does not have, no run is finished, a figure is too small for its letters, or a
/// file cannot be written. Nothing is written before every figure is drawn.
pub fn plot(outcome: &Outcome, order: &PlotOrder, directory: &Path) -> Result<Drawn> {
    let mut files = Vec::new();
    let mut snippets = Vec::new();
    for (name, figure) in figures(outcome, order)? {
        for &format in &order.formats {
            files.push((format!("{name}.{}", format.extension()), bytes(&figure, format, order)?));
        }
        // PDF needs less of a document than PGF does.
        if let Some(format) = [Format::Pdf, Format::Pgf].into_iter().find(|format| order.formats.contains(format)) {
            let snippet = figure.latex_snippet(&format!("{name}.{}", format.extension()), format);
            files.push((format!("{name}.tex"), snippet.clone().into_bytes()));
            snippets.push(snippet);
        }
    }
    let mut paths = Vec::new();
    for (name, bytes) in files {
        let path = directory.join(name);
        write_whole(&path, &bytes)?;
        paths.push(path);
    }
    Ok(Drawn { paths, snippets })
}

/// The figures with the names of their files.
fn figures(outcome: &Outcome, order: &PlotOrder) -> Result<Vec<(String, Figure)>> {
    let (outcome, style) = (&*outcome.drawable(), &order.style);
    style.check_labels(outcome)?;
    style.shown(&outcome.experiment)?;
    let shown = style.shown_environments(outcome)?;
    let mut figures = Vec::new();
    if order.kinds.contains(&Kind::Sweep) {
        figures.extend(sweep(outcome, style)?.map(|figure| ("sweep".to_owned(), figure)));
    }
    let begun: Vec<usize> = shown.into_iter().filter(|&i| has_runs(&outcome.environments[i])).collect();
    if order.kinds.contains(&Kind::Regret) && !begun.is_empty() {
        if order.panels {
            figures.push(("panels".to_owned(), panels(outcome, style)?));
        } else {
            for i in begun {
                let runs = &outcome.environments[i];
                figures.push((file_name(i, runs, "regret"), regret(runs, &outcome.experiment, style)?));
            }
        }
    }
    if figures.is_empty() {
        let has_runs = outcome.environments.iter().any(has_runs);
        return Err(Error::input(if has_runs {
            "figures is \"sweep\": no number differs between the environments that are drawn; draw \"regret\""
        } else {
            "no run is finished, so there is nothing to draw: run the experiment first"
        }));
    }
    Ok(figures)
}

fn bytes(figure: &Figure, format: Format, order: &PlotOrder) -> Result<Vec<u8>> {
    let look = &order.style.look;
    match format {
        Format::Svg => Ok(figure.standalone().into_bytes()),
        Format::Png => match order.dpi {
            Some(dpi) => figure.png_for_print(dpi),
            None if look.width.is_some() || look.height.is_some() => figure.png_for_print(PRINT),
            None => figure.png(PNG_SCALE),
        },
        Format::Pdf => figure.pdf(),
        Format::Pgf => Ok(figure.pgf().into_bytes()),
        Format::Vega => Ok(figure.vega()?.into_bytes()),
        Format::Csv => Ok(figure.csv().into_bytes()),
    }
}
