//! Figures as files. A directory knows which of its figures this program drew, so that those of environments and policies
//! that have been removed do not stay behind, and nobody else's file is touched.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::page::Page;
use crate::error::{Error, Result};
use crate::figure::Figure;
use crate::store::{checksum, write_whole};

/// Pixels per unit of length of a figure: enough for print.
pub(super) const PNG_SCALE: f64 = 2.0;
/// The directory of a report's figures.
const FIGURES: &str = "figures";
/// Beside it, the figures that were drawn: a checksum and a name a line.
const DRAWN: &str = ".figures";

/// Writes a page as `report.html` and its figures as SVG and PNG. Figures of the page that was there before go, unless
/// somebody has changed them.
///
/// # Errors
/// If a file cannot be written.
pub fn publish_page(directory: &Path, page: &Page) -> Result<()> {
    let mut drawn = Drawn::new();
    for (name, figure) in page.figures() {
        for (name, bytes) in files(name, figure)? {
            write_whole(&directory.join(FIGURES).join(&name), &bytes)?;
            drawn.insert(name, checksum(&bytes));
        }
    }
    remove_stale(directory, &drawn)?;
    write_drawn(directory, &drawn)?;
    write_whole(&directory.join("report.html"), page.html().as_bytes())
}

/// The files of a figure.
fn files(name: &str, figure: &Figure) -> Result<[(String, Vec<u8>); 2]> {
    let (svg, png) = (figure.standalone().into_bytes(), figure.png(PNG_SCALE)?);
    Ok([(format!("{name}.svg"), svg), (format!("{name}.png"), png)])
}

/// Checksums of figures by the names of their files.
type Drawn = BTreeMap<String, String>;

fn write_drawn(directory: &Path, drawn: &Drawn) -> Result<()> {
    let lines: String = drawn.iter().map(|(name, sum)| format!("{sum} {name}\n")).collect();
    write_whole(&directory.join(DRAWN), lines.as_bytes())
}

/// What was drawn before; nothing if that is not known.
fn read_drawn(directory: &Path) -> Drawn {
    let text = fs::read_to_string(directory.join(DRAWN)).unwrap_or_default();
    let entry = |line: &str| line.split_once(' ').map(|(sum, name)| (name.to_owned(), sum.to_owned()));
    // A name is never a way out of the directory.
    text.lines().filter_map(entry).filter(|(name, _)| !name.contains(['/', '\\'])).collect()
}

/// Removes figures that were drawn before and not now, if they are as they were drawn.
fn remove_stale(directory: &Path, drawn: &Drawn) -> Result<()> {
    for (name, sum) in read_drawn(directory).iter().filter(|(name, _)| !drawn.contains_key(*name)) {
        let path = directory.join(FIGURES).join(name);
        if fs::read(&path).is_ok_and(|bytes| checksum(&bytes) == *sum) {
            fs::remove_file(&path).map_err(|e| Error::file(&path, "removed", &e))?;
        }
    }
    Ok(())
}
