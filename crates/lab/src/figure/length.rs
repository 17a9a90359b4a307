//! Lengths on paper and on screens.

use std::fmt;
use std::str::FromStr;

use super::format::number;

/// What a length is measured in. An inch has 96 pixels, as style sheets have it, and 72 points, as PDF has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Pixels.
    #[default]
    Pixel,
    /// Points.
    Point,
    /// Millimetres.
    Millimetre,
    /// Centimetres.
    Centimetre,
    /// Inches.
    Inch,
}

impl Unit {
    const ALL: [Unit; 5] = [Unit::Pixel, Unit::Point, Unit::Millimetre, Unit::Centimetre, Unit::Inch];

    fn name(self) -> &'static str {
        match self {
            Unit::Pixel => "px",
            Unit::Point => "pt",
            Unit::Millimetre => "mm",
            Unit::Centimetre => "cm",
            Unit::Inch => "in",
        }
    }

    fn pixels(self) -> f64 {
        match self {
            Unit::Pixel => 1.0,
            Unit::Point => 96.0 / 72.0,
            Unit::Millimetre => 96.0 / 25.4,
            Unit::Centimetre => 96.0 / 2.54,
            Unit::Inch => 96.0,
        }
    }

    /// A number of pixels in this unit, as attributes have it: pixels are numbers without a unit.
    pub(super) fn written(self, pixels: f64) -> String {
        let name = if self == Unit::Pixel { "" } else { self.name() };
        format!("{}{name}", number(pixels / self.pixels()))
    }
}

/// A length with its unit, written `85mm`, `3.3in`, `240pt` or `640px`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Length {
    value: f64,
    unit: Unit,
}

impl Length {
    /// How many pixels it has.
    pub fn pixels(self) -> f64 {
        self.value * self.unit.pixels()
    }

    /// How many points of PDF it has.
    pub fn points(self) -> f64 {
        0.75 * self.pixels()
    }

    /// What it is measured in.
    pub fn unit(self) -> Unit {
        self.unit
    }
}

impl FromStr for Length {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WANTED: &str = "give a number with a unit (mm, cm, in, pt or px), such as 85mm";
        let text = text.trim();
        let unit = Unit::ALL.into_iter().find(|unit| text.ends_with(unit.name())).ok_or(WANTED)?;
        let value: f64 = text[..text.len() - unit.name().len()].trim().parse().map_err(|_| WANTED)?;
        if value > 0.0 && value.is_finite() { Ok(Self { value, unit }) } else { Err("give a length above zero") }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.value, self.unit.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units() {
        let points = |text: &str| text.parse::<Length>().map(Length::points);
        assert!((points("85mm").unwrap() - 240.944_881_889_763_8).abs() < 1e-9);
        assert!(
            (points("3.3in").unwrap() - 237.6).abs() < 1e-9 && (points("8.5 cm").unwrap() - 240.944_88).abs() < 1e-4
        );
        assert_eq!((points("240pt"), points("640px")), (Ok(240.0), Ok(480.0)));
        for wrong in ["", "85", "mm", "85 ponies", "NaNmm", "infpt", "-3in", "0px", "é"] {
            assert!(wrong.parse::<Length>().is_err(), "{wrong}");
        }
        assert_eq!("8.50cm".parse::<Length>().unwrap().to_string(), "8.5cm");
        assert_eq!(Unit::Millimetre.written("85mm".parse::<Length>().unwrap().pixels()), "85mm");
        assert_eq!(Unit::Pixel.written(760.0), "760");
    }
}
