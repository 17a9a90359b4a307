//! The pictures of the documentation: five are drawn here, one shows a table of results, the others are figures of the
//! report.

mod confidence;
mod insurance;
mod latency;
mod peers;
mod regret;
mod step;

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use optimist_lab::figure::Figure;
use optimist_lab::simulation::Progress;
use optimist_lab::store::write_whole;
use optimist_lab::{Error, Result};

/// A picture of `docs/images`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// Confidence sets of several radii, and the intervals of ten arms.
    Confidence,
    /// Mean regret of eight policies.
    Regret,
    /// Regret of insured picks, by budget.
    Insurance,
    /// Regret per round after a step change, by how fast a policy forgets.
    Step,
    /// Time of a round as observations accumulate.
    Latency,
    /// Mistakes and time of this and of other libraries.
    Peers,
    /// Regret of the paper's algorithms.
    Paper,
    /// The parts of their regret.
    Decomposition,
    /// Their regret below its bounds.
    Bounds,
    /// The worst regret among neighbouring parameters.
    LowerBound,
    /// The length of the transitory phase.
    Transitory,
}

impl Picture {
    /// All of them, those that are drawn here first.
    pub const ALL: [Picture; 11] = [
        Picture::Confidence,
        Picture::Regret,
        Picture::Insurance,
        Picture::Step,
        Picture::Latency,
        Picture::Peers,
        Picture::Paper,
        Picture::Decomposition,
        Picture::Bounds,
        Picture::LowerBound,
        Picture::Transitory,
    ];

    /// Its name: `docs/images/NAME.svg`.
    pub fn name(self) -> &'static str {
        match self {
            Picture::Confidence => "confidence",
            Picture::Regret => "regret",
            Picture::Insurance => "insurance",
            Picture::Step => "step",
            Picture::Latency => "latency",
            Picture::Peers => "peers",
            Picture::Paper => "paper",
            Picture::Decomposition => "decomposition",
            Picture::Bounds => "bounds",
            Picture::LowerBound => "lower-bound",
            Picture::Transitory => "transitory",
        }
    }

    /// Where it comes from.
    fn source(self) -> Source {
        match self {
            Picture::Confidence => Source::Drawing(confidence::draw),
            Picture::Regret => Source::Drawing(regret::draw),
            Picture::Insurance => Source::Drawing(insurance::draw),
            Picture::Step => Source::Drawing(step::draw),
            Picture::Latency => Source::Drawing(latency::draw),
            Picture::Peers => Source::Peers,
            Picture::Paper => Source::Report("regret-kappa-50-log"),
            Picture::Decomposition => Source::Report("decomposition"),
            Picture::Bounds => Source::Report("bounds"),
            Picture::LowerBound => Source::Report("lower-bound-d-2"),
            Picture::Transitory => Source::Report("transitory-hidden-arm"),
        }
    }
}

/// Draws a picture with so many runs at a time, one a core if none is said.
type Drawing = fn(Option<NonZero<usize>>, &dyn Progress) -> Result<Figure>;

/// Where a picture comes from.
enum Source {
    /// It is drawn.
    Drawing(Drawing),
    /// It shows the table of the comparison with other libraries.
    Peers,
    /// It is the figure of this name in the report of `optimist paper`.
    Report(&'static str),
}

/// Which pictures are to be drawn, and where to.
#[derive(Debug, Clone)]
pub struct PictureOrder {
    /// The directory of the pictures.
    pub out: PathBuf,
    /// The pictures.
    pub pictures: Vec<Picture>,
    /// The directory of the report.
    pub report: PathBuf,
    /// The table of the comparison with other libraries: a CSV file with the columns library, setting, shown, mistakes,
    /// error, microseconds and linear.
    pub peers: PathBuf,
    /// Runs at a time; none for one a core.
    pub jobs: Option<NonZero<usize>>,
}

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Pictures {
    /// The files that were written.
    pub paths: Vec<PathBuf>,
    /// The pictures that there is no report or no table for.
    pub missing: Vec<Picture>,
}

/// Writes the pictures as SVG. Those that come from the report are left out if it does not have them, and so is that of a
/// table which does not exist.
///
/// # Errors
/// If the table is malformed, a file cannot be read or written, or `progress` stops the work.
pub fn draw_pictures(order: &PictureOrder, progress: &dyn Progress) -> Result<Pictures> {
    let mut pictures = Pictures::default();
    for picture in &order.pictures {
        let svg = match picture.source() {
            Source::Drawing(draw) => Some(draw(order.jobs, progress)?.standalone()),
            Source::Peers => match read(&order.peers)? {
                Some(table) => Some(peers::draw(&order.peers, &table)?.standalone()),
                None => None,
            },
            Source::Report(figure) => read(&order.report.join("figures").join(format!("{figure}.svg")))?,
        };
        match svg {
            Some(svg) => {
                let path = order.out.join(format!("{}.svg", picture.name()));
                write_whole(&path, svg.as_bytes())?;
                pictures.paths.push(path);
            }
            None => pictures.missing.push(*picture),
        }
    }
    Ok(pictures)
}

/// The text of a file, if there is one.
fn read(path: &Path) -> Result<Option<String>> {
    if !path.exists() {
        return Ok(None);
    }
    fs::read_to_string(path).map(Some).map_err(|e| Error::file(path, "read", &e))
}
