//! Text of figures: pieces on, below and above the line, and how wide they are.

use super::Ink;

/// Which point of a text is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Anchor {
    /// Its beginning.
    #[default]
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Line,
    Below,
    Above,
}

impl Level {
    /// How far above the line it stands, relative to the size of the line.
    pub(super) fn rise(self) -> f64 {
        match self {
            Level::Line => 0.0,
            Level::Below => -0.25,
            Level::Above => 0.38,
        }
    }
}

/// One line of text with its looks. The baseline goes through the point where it is placed.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    pub(super) pieces: Vec<(Level, String)>,
    pub(super) size: f64,
    pub(super) bold: bool,
    pub(super) ink: Ink,
    pub(super) anchor: Anchor,
    pub(super) turn: f64,
    /// The width of the edge, if it has one.
    pub(super) halo: Option<f64>,
}

/// Size of subscripts and superscripts, relative to the line.
pub(super) const SMALL: f64 = 0.72;

impl Text {
    /// Text of 13 pixels that begins where it is placed.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            pieces: vec![(Level::Line, text.into())],
            size: 13.0,
            bold: false,
            ink: Ink::Text,
            anchor: Anchor::Start,
            turn: 0.0,
            halo: None,
        }
    }

    /// Goes on with more text on the line.
    pub fn then(self, text: impl Into<String>) -> Self {
        self.piece(Level::Line, text)
    }

    /// Goes on with a subscript.
    #[expect(clippy::should_implement_trait, reason = "nobody subtracts texts")]
    pub fn sub(self, text: impl Into<String>) -> Self {
        self.piece(Level::Below, text)
    }

    /// Goes on with a superscript.
    pub fn sup(self, text: impl Into<String>) -> Self {
        self.piece(Level::Above, text)
    }

    fn piece(mut self, level: Level, text: impl Into<String>) -> Self {
        self.pieces.push((level, text.into()));
        self
    }

    /// The same in another size, in pixels.
    pub fn size(self, size: f64) -> Self {
        Self { size, ..self }
    }

    /// The same in bold.
    pub fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    /// The same in another colour.
    pub fn ink(self, ink: Ink) -> Self {
        Self { ink, ..self }
    }

    /// The same, placed by another of its points.
    pub fn anchor(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    /// The same, turned clockwise about the point where it is placed, in degrees.
    pub fn turned(self, degrees: f64) -> Self {
        Self { turn: degrees, ..self }
    }

    /// The same with an edge in the colour of the paper, so that it can be read on top of lines.
    pub fn halo(self) -> Self {
        Self { halo: Some(4.0), ..self }
    }

    /// The words without their looks.
    pub fn plain(&self) -> String {
        self.pieces.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// About how wide it is, in pixels: the widths of DejaVu Sans, which few fonts exceed.
    pub fn width(&self) -> f64 {
        let em = |(level, text): &(Level, String)| {
            let scale = if *level == Level::Line { 1.0 } else { SMALL };
            scale * text.chars().map(|c| advance(c, self.bold)).sum::<f64>()
        };
        self.size * self.pieces.iter().map(em).sum::<f64>()
    }

    /// The size of its letters, in pixels.
    pub(super) fn height(&self) -> f64 {
        self.size
    }

    /// The same on a sheet that is so many times as large.
    pub(super) fn scaled(&self, by: f64) -> Self {
        Self { size: by * self.size, halo: self.halo.map(|width| by * width), ..self.clone() }
    }
}

/// Advance widths of the printable ASCII characters of DejaVu Sans, from the space on, in thousandths of the size.
const ADVANCES: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
    748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
    615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
    337, 636, 838,
];

/// The width of a character relative to the size. Other alphabets are taken to be as wide as a wide pending, ideographs
/// as a square; bold letters are about an eighth wider.
fn advance(c: char, bold: bool) -> f64 {
    let thousandths = match c as u32 {
        code @ 32..=126 => f64::from(ADVANCES[code as usize - 32]),
        0x300..=0x36f => 0.0,
        0x2e80.. => 1000.0,
        _ => 700.0,
    };
    thousandths / 1000.0 * if bold { 1.13 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_add_up() {
        let word = Text::new("il").size(100.0);
        assert!((word.width() - 55.6).abs() < 1e-9);
        assert!(Text::new("il").size(100.0).bold().width() > word.width());
        assert!(Text::new("").width() == 0.0);
    }
}
