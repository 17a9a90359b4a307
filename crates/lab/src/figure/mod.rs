//! Drawing: a small SVG canvas whose colours are names, so that one body serves a file, a page in light or dark mode and
//! a PNG; charts drawn on it, and the figures of an experiment's results.

mod arrangement;
mod bootstrap;
mod bounds;
mod canvas;
mod chart;
mod curves;
mod decomposition;
mod font;
mod format;
mod frame;
mod hatch;
mod ink;
mod legend;
mod length;
mod look;
mod names;
mod panels;
mod picture;
mod placement;
mod results;
mod scale;
mod scatter;
mod shape;
mod stack;
mod sweep;
mod text;

#[cfg(test)]
mod paper_tests;
#[cfg(test)]
mod tests;

pub use bounds::bounds;
pub use canvas::{Canvas, Fill, Paint, Point, Rect, Stroke};
pub use chart::{Axis, Chart, Guide, Mark, Series};
pub use decomposition::decomposition;
pub use font::{Family, Font};
pub use format::Format;
pub use ink::Ink;
pub(crate) use ink::{page_css, standalone_css};
pub use length::{Length, Unit};
pub use look::{Legend, Look, Styles};
pub use names::Labels;
pub use panels::Panels;
pub use picture::Figure;
pub use results::{Band, Style, panels, regret};
pub use scale::Scale;
pub use scatter::{Emphasis, KeyEntry, Level, Scatter, Spot};
pub use sweep::sweep;
pub use text::{Anchor, Text};
