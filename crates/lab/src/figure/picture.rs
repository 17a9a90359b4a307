//! A finished figure: its shapes, its words, and what it shows as numbers.

use super::shape::Shape;
use super::{Canvas, Chart, Look};

/// A drawing with its name and with words for readers who cannot see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What it is called.
    pub title: String,
    /// What it shows, in words.
    pub description: String,
    width: f64,
    height: f64,
    shapes: Vec<Shape>,
    /// What it was asked to look like.
    pub(super) look: Look,
    /// The charts on it by name, if it is made of charts.
    charts: Vec<(String, Chart)>,
    names: Vec<Name>,
}

/// What something in a figure is called, with a small drawing of how it looks there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Name {
    pub(super) label: String,
    pub(super) sample: Figure,
}

impl Name {
    /// A name whose sample is drawn on a sheet of [`SAMPLE`].
    pub(super) fn new(label: &str, draw: impl FnOnce(&mut Canvas)) -> Self {
        let mut canvas = Canvas::new(SAMPLE.0, SAMPLE.1);
        draw(&mut canvas);
        Self { label: label.to_owned(), sample: canvas.finish(label, "") }
    }
}

/// Width and height of the sample of a name.
pub(super) const SAMPLE: (f64, f64) = (28.0, 12.0);

impl Figure {
    pub(super) fn new(title: String, description: String, (width, height): (f64, f64), shapes: Vec<Shape>) -> Self {
        Self { title, description, width, height, shapes, look: Look::default(), charts: Vec::new(), names: Vec::new() }
    }

    /// The same figure, which knows what its curves are called.
    pub(super) fn named(self, names: Vec<Name>) -> Self {
        Self { names, ..self }
    }

    /// Its width in pixels.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Its height in pixels.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// What was drawn: the charts, each with its name if there are several.
    pub fn charts(&self) -> &[(String, Chart)] {
        &self.charts
    }

    pub(super) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// The same, made of charts.
    pub(super) fn of(self, charts: Vec<(String, Chart)>) -> Self {
        Self { charts, ..self }
    }

    pub(super) fn names(&self) -> &[Name] {
        &self.names
    }

    /// The same, drawn as that was wanted.
    pub(super) fn looking(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// The same in another size.
    pub(super) fn scaled(self, by: f64) -> Self {
        if by == 1.0 {
            return self;
        }
        let shapes = self.shapes.iter().map(|shape| shape.scaled(by)).collect();
        Self { width: by * self.width, height: by * self.height, shapes, ..self }
    }
}
