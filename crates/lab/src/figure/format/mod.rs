//! The formats in which figures are written, one file each.

mod csv;
mod latex;
mod pdf;
mod pgf;
mod png;
mod svg;
mod vega;

#[cfg(test)]
pub(super) use svg::PREFIX;
pub(super) use svg::number;

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Vectors for pages and browsers.
    Svg,
    /// A bitmap.
    Png,
    /// Vectors for print, with their letters.
    Pdf,
    /// Vectors for LaTeX, with the letters of the document.
    Pgf,
    /// Vega-Lite: the numbers with instructions to draw them.
    Vega,
    /// The numbers alone.
    Csv,
}

impl Format {
    /// The end of a file's name.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Png => "png",
            Format::Pdf => "pdf",
            Format::Pgf => "pgf",
            Format::Vega => "vl.json",
            Format::Csv => "csv",
        }
    }

    /// Whether LaTeX can print it.
    pub fn is_for_latex(self) -> bool {
        matches!(self, Format::Pdf | Format::Pgf)
    }
}
