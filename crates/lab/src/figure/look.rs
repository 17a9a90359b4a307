//! What charts look like, apart from what they show.

use super::canvas::{Canvas, Stroke};
use super::frame::{MARGIN, WIDTH};
use super::{Figure, Font, Length, Unit};
use crate::error::{Error, Result};

/// Where curves are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Legend {
    /// Inside the axes, where least is covered.
    Inside,
    /// Below the axes.
    Outside,
    /// At the ends of the curves.
    Direct,
    /// Nowhere.
    None,
}

/// What tells curves apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Styles {
    /// Colours alone, and dashes once these are used up.
    #[default]
    Colour,
    /// Colours and dashes.
    Lines,
    /// Colours and markers.
    Markers,
    /// Colours, dashes and markers.
    Both,
}

/// What a chart looks like. As it is by default, a chart is 760 pixels wide and made for pages.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Look {
    /// The width of the sheet.
    pub width: Option<Length>,
    /// The height of the sheet; if absent, as high as the chart needs to be.
    pub height: Option<Length>,
    /// The size of all letters; lines and markers grow with it.
    pub font_size: Option<Length>,
    /// The letters.
    pub font: Font,
    /// Whether the title and the line below it are left out.
    pub untitled: bool,
    /// Where curves are named; if absent, at their ends if there is room.
    pub legend: Option<Legend>,
    /// What tells curves apart.
    pub styles: Styles,
    /// How many panels stand side by side at most.
    pub columns: Option<usize>,
}

/// The letters of a chart that is drawn with letters of 13 units.
const LETTERS: f64 = 13.0;

/// A sheet of fewer units than this has no room for a chart and its numbers.
const NARROWEST: f64 = 150.0;
/// What the area between the axes has at least, in units.
pub(super) const LOWEST: f64 = 40.0;

/// Sizes of letters, by what they say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) title: f64,
    pub(super) subtitle: f64,
    pub(super) label: f64,
    pub(super) tick: f64,
    pub(super) legend: f64,
    pub(super) guide: f64,
}

/// Everything is drawn in units in which letters are always of the same size, and the sheet is as large as that makes it; what is
/// drawn is scaled to pixels at the end. So no other length needs to know the size of the letters.
impl Look {
    /// Pixels a unit.
    pub(super) fn unit(&self) -> f64 {
        self.font_size.map_or(1.0, |size| size.pixels() / LETTERS)
    }

    /// Width of the sheet in units.
    pub(super) fn sheet_width(&self) -> f64 {
        self.width.map_or(WIDTH, Length::pixels) / self.unit()
    }

    /// Height of the sheet in units, if it is given.
    pub(super) fn sheet_height(&self) -> Option<f64> {
        self.height.map(|height| height.pixels() / self.unit())
    }

    /// Whether it is made for a place of its own size, where every millimetre counts.
    pub(super) fn is_tight(&self) -> bool {
        self.width.is_some() || self.height.is_some()
    }

    /// What stays empty at the edges of the sheet.
    pub(super) fn margin(&self) -> f64 {
        if self.is_tight() { 2.0 } else { MARGIN }
    }

    /// What stays empty below the lowest letters.
    pub(super) fn foot(&self) -> f64 {
        if self.is_tight() { 1.0 } else { MARGIN - 8.0 }
    }

    pub(super) fn sizes(&self) -> Sizes {
        if self.font_size.is_none() {
            return Sizes { title: 16.0, subtitle: 12.0, label: 13.0, tick: 12.0, legend: 12.0, guide: 11.5 };
        }
        let all = LETTERS;
        Sizes { title: all, subtitle: all, label: all, tick: all, legend: all, guide: all }
    }

    /// The line of a series.
    pub(super) fn stroke(&self, ink: usize) -> Stroke {
        match self.styles {
            Styles::Colour | Styles::Markers => Stroke::series(ink),
            Styles::Lines | Styles::Both => Stroke::told_apart(ink),
        }
    }

    pub(super) fn has_markers(&self) -> bool {
        matches!(self.styles, Styles::Markers | Styles::Both)
    }

    /// Refuses sheets that letters of this size do not fit on.
    pub(super) fn check_width(&self) -> Result<()> {
        let (width, least) = (self.sheet_width(), NARROWEST);
        if width >= least {
            return Ok(());
        }
        Err(Error::input(format!(
            "width is {}: letters of this size need {} at least; give a larger width or a smaller font-size",
            self.width.map_or_else(|| format!("{WIDTH}px"), |width| width.to_string()),
            self.in_unit(least)
        )))
    }

    /// Refuses an area between the axes that is too low, of which `missing` units are missing.
    pub(super) fn check_height(&self, area: f64) -> Result<()> {
        match (self.height, self.sheet_height()) {
            (Some(given), Some(height)) if area < LOWEST => Err(Error::input(format!(
                "height is {given}: this figure needs {} at least; give more, or a smaller font-size, or leave out the \
                 title or the legend",
                self.in_unit(height + LOWEST - area)
            ))),
            _ => Ok(()),
        }
    }

    /// A length in units as users give it, rounded up.
    fn in_unit(&self, length: f64) -> String {
        let unit = self.size_unit();
        // A pixel more, so that rounding does not make it too little.
        let text = unit.written((length * self.unit()).ceil() + 1.0);
        if unit == Unit::Pixel { text + "px" } else { text }
    }

    /// The figure on a canvas that was drawn in units.
    pub(super) fn finish(&self, canvas: Canvas, title: &str, description: String) -> Figure {
        canvas.finish(title, description).scaled(self.unit()).looking(self.clone())
    }

    /// In what the size of the sheet is written.
    pub(super) fn size_unit(&self) -> Unit {
        self.width.or(self.height).map_or(Unit::Pixel, Length::unit)
    }
}
