//! A sheet on which shapes are drawn in pixels, the origin at the top left.

use super::shape::Shape;
use super::{Figure, Ink, Text};

/// A place, in pixels from the left and from the top.
pub type Point = (f64, f64);

/// An upright rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    /// Its left edge.
    pub x: f64,
    /// Its upper edge.
    pub y: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

impl Rect {
    /// A rectangle by its upper left corner and its size.
    pub fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    /// Its right edge.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Its lower edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    pub(super) fn is_drawable(&self) -> bool {
        finite((self.x, self.y)) && finite((self.width, self.height)) && self.width >= 0.0 && self.height >= 0.0
    }
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    pub(super) ink: Ink,
    pub(super) width: f64,
    dash: &'static [f64],
    /// Pixels a unit of the dashes.
    unit: f64,
}

impl Stroke {
    /// A solid line.
    pub fn new(ink: Ink, width: f64) -> Self {
        Self { ink, width, dash: &[], unit: 1.0 }
    }

    /// The line of series number `i`: two pixels, dashed once the colours are used up.
    pub fn series(i: usize) -> Self {
        const DASHES: [&[f64]; 4] = [&[], &[7.0, 3.0], &[2.0, 3.0], &[9.0, 3.0, 2.0, 3.0]];
        Self { dash: DASHES[(i / super::ink::COLOURS).min(3)], ..Self::new(Ink::Series(i), 2.0) }
    }

    /// The line of series number `i` with dashes of its own, which tell it apart where there is no colour.
    pub(super) fn told_apart(i: usize) -> Self {
        const DASHES: [&[f64]; 6] =
            [&[], &[7.0, 3.0], &[2.0, 2.5], &[9.0, 3.0, 2.0, 3.0], &[13.0, 4.0], &[9.0, 2.5, 2.0, 2.5, 2.0, 2.5]];
        Self { dash: DASHES[i % DASHES.len()], ..Self::new(Ink::Series(i), 2.0) }
    }

    /// The same line, dashed.
    pub fn dashed(self) -> Self {
        Self { dash: &[6.0, 4.0], ..self }
    }

    /// The same line, dotted.
    pub fn dotted(self) -> Self {
        Self { dash: &[1.5, 3.0], ..self }
    }

    /// The same line on a sheet that is so many times as large.
    pub(super) fn scaled(self, by: f64) -> Self {
        Self { width: by * self.width, unit: by * self.unit, ..self }
    }

    /// Lengths of dashes and gaps in pixels, none if the line is solid.
    pub(super) fn dashes(self) -> impl Iterator<Item = f64> {
        self.dash.iter().map(move |length| length * self.unit)
    }
}

/// What the inside of a shape is filled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Nothing.
    None,
    /// A colour.
    Ink(Ink),
    /// Slanted lines of a colour.
    Hatch(Ink),
}

/// How a shape is drawn: its inside and its edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paint {
    pub(super) fill: Fill,
    pub(super) stroke: Option<Stroke>,
}

impl Paint {
    /// A colour without an edge.
    pub fn fill(ink: Ink) -> Self {
        Self { fill: Fill::Ink(ink), stroke: None }
    }

    /// Slanted lines without an edge.
    pub fn hatch(ink: Ink) -> Self {
        Self { fill: Fill::Hatch(ink), stroke: None }
    }

    /// An edge with nothing inside.
    pub fn outline(stroke: Stroke) -> Self {
        Self { fill: Fill::None, stroke: Some(stroke) }
    }

    /// The same with an edge.
    pub fn edge(self, stroke: Stroke) -> Self {
        Self { stroke: Some(stroke), ..self }
    }
}

/// A sheet; shapes that are drawn later cover earlier ones. Shapes with coordinates that are not finite are left out.
#[derive(Debug, Clone)]
pub struct Canvas {
    width: f64,
    height: f64,
    shapes: Vec<Shape>,
}

impl Canvas {
    /// An empty sheet of a size in pixels.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, shapes: Vec::new() }
    }

    /// Its width.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Its height.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// Draws a straight line.
    pub fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        if finite(from) && finite(to) {
            self.shapes.push(Shape::Line { from, to, stroke });
        }
    }

    /// Draws lines from point to point; points that are not finite are skipped.
    pub fn polyline(&mut self, points: &[Point], stroke: Stroke) {
        let points = drawable(points);
        if points.len() >= 2 {
            self.shapes.push(Shape::Polyline { points, stroke });
        }
    }

    /// Draws a shape with corners, closed from the last point to the first.
    pub fn polygon(&mut self, points: &[Point], paint: Paint) {
        let points = drawable(points);
        if points.len() >= 3 {
            self.shapes.push(Shape::Polygon { points, paint });
        }
    }

    /// Draws a circle.
    pub fn circle(&mut self, centre: Point, radius: f64, paint: Paint) {
        if finite(centre) && radius.is_finite() && radius > 0.0 {
            self.shapes.push(Shape::Circle { centre, radius, paint });
        }
    }

    /// Draws a rectangle.
    pub fn rect(&mut self, rect: Rect, paint: Paint) {
        if rect.is_drawable() {
            self.shapes.push(Shape::Rect { rect, paint });
        }
    }

    /// Writes a line of text.
    pub fn text(&mut self, at: Point, text: &Text) {
        if finite(at) && !text.plain().is_empty() {
            self.shapes.push(Shape::Text { at, text: text.clone() });
        }
    }

    /// Draws a line with a head at its end; the head is part of the length.
    pub fn arrow(&mut self, from: Point, to: Point, stroke: Stroke) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        if !(length > 0.0 && length.is_finite()) {
            return;
        }
        let (ux, uy) = (dx / length, dy / length);
        let head = (4.0 + 2.5 * stroke.width).min(length);
        let neck = (to.0 - head * ux, to.1 - head * uy);
        let wing = 0.4 * head;
        let corners = [to, (neck.0 - wing * uy, neck.1 + wing * ux), (neck.0 + wing * uy, neck.1 - wing * ux)];
        self.line(from, neck, stroke);
        self.polygon(&corners, Paint::fill(stroke.ink));
    }

    /// Draws whatever `draw` draws, but only its part inside a rectangle.
    pub fn clipped(&mut self, rect: Rect, draw: impl FnOnce(&mut Self)) {
        let shapes = self.aside(draw);
        self.shapes.push(Shape::Clipped { rect, shapes });
    }

    /// Draws whatever `draw` draws, moved to the right and down.
    pub fn moved(&mut self, by: Point, draw: impl FnOnce(&mut Self)) {
        if finite(by) {
            let shapes = self.aside(draw);
            self.shapes.push(Shape::Moved { by, shapes });
        }
    }

    /// What `draw` draws, which is not on the sheet yet.
    fn aside(&mut self, draw: impl FnOnce(&mut Self)) -> Vec<Shape> {
        let before = std::mem::take(&mut self.shapes);
        draw(self);
        std::mem::replace(&mut self.shapes, before)
    }

    /// The finished figure. The title is what it is called, the description what a reader is told who cannot see it.
    pub fn finish(self, title: impl Into<String>, description: impl Into<String>) -> Figure {
        Figure::new(title.into(), description.into(), (self.width, self.height), self.shapes)
    }
}

fn drawable(points: &[Point]) -> Vec<Point> {
    points.iter().copied().filter(|&point| finite(point)).collect()
}

fn finite((x, y): Point) -> bool {
    x.is_finite() && y.is_finite()
}
