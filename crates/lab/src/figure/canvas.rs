//! A sheet on which shapes are drawn in pixels, the origin at the top left.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::picture::PREFIX;
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
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    ink: Ink,
    width: f64,
    dash: &'static str,
}

impl Stroke {
    /// A solid line.
    pub fn new(ink: Ink, width: f64) -> Self {
        Self { ink, width, dash: "" }
    }

    /// The line of series number `i`: two pixels, dashed once the colours are used up.
    pub fn series(i: usize) -> Self {
        let dash = ["", "7 3", "2 3", "9 3 2 3"][(i / super::ink::COLOURS).min(3)];
        Self { ink: Ink::Series(i), width: 2.0, dash }
    }

    /// The same line, dashed.
    pub fn dashed(self) -> Self {
        Self { dash: "6 4", ..self }
    }

    /// The same line, dotted.
    pub fn dotted(self) -> Self {
        Self { dash: "1.5 3", ..self }
    }

    fn attributes(self) -> String {
        let mut out = format!(r#" stroke-width="{}""#, number(self.width));
        if !self.dash.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(out, r#" stroke-dasharray="{}""#, self.dash);
        }
        out
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
    fill: Fill,
    stroke: Option<Stroke>,
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
    body: String,
    hatches: BTreeSet<Ink>,
    clips: Vec<Rect>,
}

impl Canvas {
    /// An empty sheet of a size in pixels.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new(), hatches: BTreeSet::new(), clips: Vec::new() }
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
            let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
            let paint = self.attributes(Paint::outline(stroke));
            self.push(&format!(r#"<line{paint} x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#));
        }
    }

    /// Draws lines from point to point; points that are not finite are skipped.
    pub fn polyline(&mut self, points: &[Point], stroke: Stroke) {
        self.chain("polyline", points, 2, Paint::outline(stroke));
    }

    /// Draws a shape with corners, closed from the last point to the first.
    pub fn polygon(&mut self, points: &[Point], paint: Paint) {
        self.chain("polygon", points, 3, paint);
    }

    fn chain(&mut self, tag: &str, points: &[Point], least: usize, paint: Paint) {
        let mut places: Vec<String> = (points.iter().copied().filter(|&p| finite(p)))
            .map(|(x, y)| format!("{},{}", number(x), number(y)))
            .collect();
        places.dedup();
        if places.len() >= least {
            let paint = self.attributes(paint);
            self.push(&format!(r#"<{tag}{paint} stroke-linejoin="round" points="{}"/>"#, places.join(" ")));
        }
    }

    /// Draws a circle.
    pub fn circle(&mut self, centre: Point, radius: f64, paint: Paint) {
        if finite(centre) && radius.is_finite() && radius > 0.0 {
            let [x, y, r] = [centre.0, centre.1, radius].map(number);
            let paint = self.attributes(paint);
            self.push(&format!(r#"<circle{paint} cx="{x}" cy="{y}" r="{r}"/>"#));
        }
    }

    /// Draws a rectangle.
    pub fn rect(&mut self, rect: Rect, paint: Paint) {
        if let Some(place) = place(rect) {
            let paint = self.attributes(paint);
            self.push(&format!("<rect{paint}{place}/>"));
        }
    }

    /// Writes a line of text.
    pub fn text(&mut self, at: Point, text: &Text) {
        if finite(at) && !text.plain().is_empty() {
            self.push(&text.element(at.0, at.1));
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
        let number = self.clips.iter().position(|clip| *clip == rect).unwrap_or_else(|| {
            self.clips.push(rect);
            self.clips.len() - 1
        });
        self.wrap(&format!(r##"<g clip-path="url(#{PREFIX}clip-{number})">"##), draw);
    }

    /// Draws whatever `draw` draws, moved to the right and down.
    pub fn moved(&mut self, by: Point, draw: impl FnOnce(&mut Self)) {
        if finite(by) {
            self.wrap(&format!(r#"<g transform="translate({} {})">"#, number(by.0), number(by.1)), draw);
        }
    }

    fn wrap(&mut self, open: &str, draw: impl FnOnce(&mut Self)) {
        self.push(open);
        draw(self);
        self.push("</g>");
    }

    /// The finished figure. The title is what it is called, the description what a reader is told who cannot see it.
    pub fn finish(self, title: impl Into<String>, description: impl Into<String>) -> Figure {
        let mut defs = String::new();
        for &ink in &self.hatches {
            let stroke = self_painted(Stroke::new(ink, 1.2));
            let name = ink.name();
            // Writing to a string cannot fail.
            let _ = writeln!(
                defs,
                r#"<pattern id="{PREFIX}hatch-{name}" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line{stroke} x1="3.5" y1="0" x2="3.5" y2="7"/></pattern>"#
            );
        }
        for (i, clip) in self.clips.iter().enumerate() {
            let place = place(*clip).unwrap_or_default();
            let _ = writeln!(defs, r#"<clipPath id="{PREFIX}clip-{i}"><rect{place}/></clipPath>"#);
        }
        let defs = if defs.is_empty() { defs } else { format!("<defs>\n{defs}</defs>\n") };
        Figure::new(title.into(), description.into(), self.width, self.height, defs + &self.body)
    }

    fn push(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    fn attributes(&mut self, paint: Paint) -> String {
        match paint.fill {
            Fill::Hatch(ink) => {
                self.hatches.insert(canonical(ink));
                let edge = paint.stroke.map_or(String::new(), |stroke| {
                    format!(r#" class="s-{}"{}"#, stroke.ink.name(), stroke.attributes())
                });
                format!(r##"{edge} fill="url(#{PREFIX}hatch-{})""##, ink.name())
            }
            Fill::None => paint.stroke.map_or(r#" fill="none""#.to_owned(), self_painted),
            Fill::Ink(ink) => match paint.stroke {
                None => format!(r#" class="f-{}""#, ink.name()),
                Some(stroke) => {
                    format!(r#" class="f-{} s-{}"{}"#, ink.name(), stroke.ink.name(), stroke.attributes())
                }
            },
        }
    }
}

/// The attributes of something that has an edge only.
fn self_painted(stroke: Stroke) -> String {
    format!(r#" class="s-{}" fill="none"{}"#, stroke.ink.name(), stroke.attributes())
}

/// The ink with the smallest number among those that look the same, so that a pattern is defined once.
fn canonical(ink: Ink) -> Ink {
    match ink {
        Ink::Series(i) => Ink::Series(i % super::ink::COLOURS),
        Ink::Soft(i) => Ink::Soft(i % super::ink::COLOURS),
        other => other,
    }
}

fn finite((x, y): Point) -> bool {
    x.is_finite() && y.is_finite()
}

/// The attributes of a rectangle's place, if it has one.
fn place(Rect { x, y, width, height }: Rect) -> Option<String> {
    let drawable = finite((x, y)) && finite((width, height)) && width >= 0.0 && height >= 0.0;
    let [x, y, width, height] = [x, y, width, height].map(number);
    drawable.then(|| format!(r#" x="{x}" y="{y}" width="{width}" height="{height}""#))
}

/// A number with at most two decimals.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
