//! Figures as SVG: elements whose colours are classes.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::figure::Figure;
use crate::figure::canvas::{Fill, Paint, Point, Rect, Stroke};
use crate::figure::ink::{COLOURS, Ink, standalone_css};
use crate::figure::picture::{Name, SAMPLE};
use crate::figure::shape::Shape;
use crate::figure::text::{Anchor, Level, SMALL, Text};

/// Stands before every id of a body until it is known what the ids are to begin with. Text cannot contain it, because
/// XML forbids it and `escape` drops it.
pub(in crate::figure) const PREFIX: char = '\u{1}';

impl Figure {
    /// A complete SVG file on white.
    pub fn standalone(&self) -> String {
        let (width, height) = (number(self.width()), number(self.height()));
        let unit = self.look.size_unit();
        let (wide, high) = (unit.written(self.width()), unit.written(self.height()));
        format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{wide}" height="{high}" role="img" aria-labelledby="title description">
{}<style>
{}</style>
<rect class="f-paper" width="{width}" height="{height}"/>
{}</svg>
"#,
            self.words(""),
            standalone_css(&self.look.font.css()),
            body(self.shapes()).replace(PREFIX, "")
        )
    }

    /// The figure as a part of an HTML page that includes `page_css`: it has no background and no
    /// colours of its own, and shrinks with the page. Figures with different prefixes can share a page; a prefix keeps
    /// its letters, digits, `-` and `_`.
    pub fn inline(&self, id_prefix: &str) -> String {
        let prefix: String =
            id_prefix.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
        let prefix = format!("{prefix}-");
        let (width, height) = (number(self.width()), number(self.height()));
        format!(
            r#"<svg class="figure" viewBox="0 0 {width} {height}" width="100%" style="max-width:{width}px" role="img" aria-labelledby="{prefix}title {prefix}description">
{}{}</svg>
"#,
            self.words(&prefix),
            body(self.shapes()).replace(PREFIX, &prefix)
        )
    }

    /// What curves are called, each with a sample, as a list for pages on which a figure is too wide to be seen whole. It
    /// says nothing that the figure does not, so that readers who cannot see are not told twice.
    pub(crate) fn names_html(&self, id_prefix: &str) -> String {
        let (width, height) = SAMPLE;
        let entry = |(i, Name { label, sample }): (usize, &Name)| {
            let body = body(sample.shapes()).replace(PREFIX, &format!("{id_prefix}-name-{i}-"));
            let label = escape(label);
            format!(
                "<li><svg class=\"figure\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n{body}</svg>{label}</li>\n"
            )
        };
        if self.names().is_empty() {
            return String::new();
        }
        let entries: String = self.names().iter().enumerate().map(entry).collect();
        format!("<ul class=\"names\" aria-hidden=\"true\">\n{entries}</ul>\n")
    }

    fn words(&self, prefix: &str) -> String {
        let (title, description) = (escape(&self.title), escape(&self.description));
        format!("<title id=\"{prefix}title\">{title}</title>\n<desc id=\"{prefix}description\">{description}</desc>\n")
    }
}

/// The elements of all shapes, after the definitions that they refer to.
fn body(shapes: &[Shape]) -> String {
    let mut writer = Writer::default();
    shapes.iter().for_each(|shape| writer.shape(shape));
    writer.definitions() + &writer.body
}

#[derive(Default)]
struct Writer {
    body: String,
    hatches: BTreeSet<Ink>,
    clips: Vec<Rect>,
}

impl Writer {
    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { from, to, stroke } => {
                let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
                let paint = self.attributes(Paint::outline(*stroke));
                self.push(&format!(r#"<line{paint} x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#));
            }
            Shape::Polyline { points, stroke } => self.chain("polyline", points, 2, Paint::outline(*stroke)),
            Shape::Polygon { points, paint } => self.chain("polygon", points, 3, *paint),
            Shape::Circle { centre, radius, paint } => {
                let [x, y, r] = [centre.0, centre.1, *radius].map(number);
                let paint = self.attributes(*paint);
                self.push(&format!(r#"<circle{paint} cx="{x}" cy="{y}" r="{r}"/>"#));
            }
            Shape::Rect { rect, paint } => {
                let paint = self.attributes(*paint);
                self.push(&format!("<rect{paint}{}/>", place(rect)));
            }
            Shape::Text { at, text } => self.push(&element(text, at.0, at.1)),
            Shape::Clipped { rect, shapes } => {
                let number = self.clips.iter().position(|clip| clip == rect).unwrap_or_else(|| {
                    self.clips.push(*rect);
                    self.clips.len() - 1
                });
                self.wrap(&format!(r##"<g clip-path="url(#{PREFIX}clip-{number})">"##), shapes);
            }
            Shape::Moved { by, shapes } => {
                self.wrap(&format!(r#"<g transform="translate({} {})">"#, number(by.0), number(by.1)), shapes);
            }
        }
    }

    fn chain(&mut self, tag: &str, points: &[Point], least: usize, paint: Paint) {
        let mut places: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
        places.dedup();
        if places.len() >= least {
            let paint = self.attributes(paint);
            self.push(&format!(r#"<{tag}{paint} stroke-linejoin="round" points="{}"/>"#, places.join(" ")));
        }
    }

    fn wrap(&mut self, open: &str, shapes: &[Shape]) {
        self.push(open);
        shapes.iter().for_each(|shape| self.shape(shape));
        self.push("</g>");
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
                    format!(r#" class="s-{}"{}"#, stroke.ink.name(), stroke_attributes(stroke))
                });
                format!(r##"{edge} fill="url(#{PREFIX}hatch-{})""##, ink.name())
            }
            Fill::None => paint.stroke.map_or(r#" fill="none""#.to_owned(), self_painted),
            Fill::Ink(ink) => match paint.stroke {
                None => format!(r#" class="f-{}""#, ink.name()),
                Some(stroke) => {
                    format!(r#" class="f-{} s-{}"{}"#, ink.name(), stroke.ink.name(), stroke_attributes(stroke))
                }
            },
        }
    }

    fn definitions(&self) -> String {
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
            let place = if clip.is_drawable() { place(clip) } else { String::new() };
            let _ = writeln!(defs, r#"<clipPath id="{PREFIX}clip-{i}"><rect{place}/></clipPath>"#);
        }
        if defs.is_empty() { defs } else { format!("<defs>\n{defs}</defs>\n") }
    }
}

fn stroke_attributes(stroke: Stroke) -> String {
    let mut out = format!(r#" stroke-width="{}""#, number(stroke.width));
    let dashes: Vec<String> = stroke.dashes().map(number).collect();
    if !dashes.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(out, r#" stroke-dasharray="{}""#, dashes.join(" "));
    }
    out
}

/// The attributes of something that has an edge only.
fn self_painted(stroke: Stroke) -> String {
    format!(r#" class="s-{}" fill="none"{}"#, stroke.ink.name(), stroke_attributes(stroke))
}

/// The ink with the smallest number among those that look the same, so that a pattern is defined once.
fn canonical(ink: Ink) -> Ink {
    match ink {
        Ink::Series(i) => Ink::Series(i % COLOURS),
        Ink::Soft(i) => Ink::Soft(i % COLOURS),
        other => other,
    }
}

fn place(rect: &Rect) -> String {
    let [x, y, width, height] = [rect.x, rect.y, rect.width, rect.height].map(number);
    format!(r#" x="{x}" y="{y}" width="{width}" height="{height}""#)
}

/// The element that shows a text at a point.
fn element(text: &Text, x: f64, y: f64) -> String {
    let mut out = format!(r#"<text class="f-{}"#, text.ink.name());
    // Writing to a string cannot fail.
    if let Some(width) = text.halo {
        let width = number(width);
        let _ = write!(out, r#" s-paper" stroke-width="{width}" stroke-linejoin="round" paint-order="stroke"#);
    }
    let _ = write!(out, r#"" x="{}" y="{}" font-size="{}""#, number(x), number(y), number(text.size));
    if text.bold {
        out.push_str(r#" font-weight="700""#);
    }
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => out.push_str(r#" text-anchor="middle""#),
        Anchor::End => out.push_str(r#" text-anchor="end""#),
    }
    if text.turn != 0.0 {
        let _ = write!(out, r#" transform="rotate({} {} {})""#, number(text.turn), number(x), number(y));
    }
    format!("{out}>{}</text>", spans(text))
}

/// The pieces; shifts are relative (`dy`), which browsers and renderers understand alike.
fn spans(text: &Text) -> String {
    let mut out = String::new();
    let mut height = 0.0;
    for (level, piece) in text.pieces.iter().filter(|(_, piece)| !piece.is_empty()) {
        let goal = -text.size * level.rise();
        let size = if *level == Level::Line { text.size } else { SMALL * text.size };
        if goal == height && *level == Level::Line {
            out.push_str(&escape(piece));
        } else {
            let (dy, size) = (number(goal - height), number(size));
            let _ = write!(out, r#"<tspan dy="{dy}" font-size="{size}">{}</tspan>"#, escape(piece));
        }
        height = goal;
    }
    out
}

/// Text as it may stand in an XML file: markup is escaped, characters that XML forbids are dropped.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_whitespace() => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

/// A number with at most two decimals.
pub(in crate::figure) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_and_forbidden_characters_are_dropped() {
        assert_eq!(escape("a<b & \"c\"\u{1}\u{0}\n'd'>"), "a&lt;b &amp; &quot;c&quot; &#39;d&#39;&gt;");
    }

    #[test]
    fn subscripts_come_back_to_the_line() {
        let svg = element(&Text::new("κ").sub("*").then(" = 50").size(10.0), 1.0, 2.0);
        assert_eq!(
            svg,
            "<text class=\"f-text\" x=\"1\" y=\"2\" font-size=\"10\">κ<tspan dy=\"2.5\" font-size=\"7.2\">*</tspan>\
             <tspan dy=\"-2.5\" font-size=\"10\"> = 50</tspan></text>"
        );
    }

    #[test]
    fn numbers_have_two_decimals_at_most() {
        let written: Vec<String> = [0.0, -0.001, 1.0, 100.0, 2.345_67, -3.5].map(number).to_vec();
        assert_eq!(written, ["0", "0", "1", "100", "2.35", "-3.5"]);
    }
}
