//! Figures as PGF, the language below TikZ: paths for LaTeX, and words in the letters of the document. It needs the package
//! `pgf` and no other; pgfplots would draw axes of its own, which would not be those of the other formats.

use std::fmt::Write as _;

use super::latex::escape;
use super::number;
use crate::figure::canvas::{Fill, Paint, Point, Rect, Stroke};
use crate::figure::hatch;
use crate::figure::ink::{Ink, on_white};
use crate::figure::shape::Shape;
use crate::figure::text::{Anchor, Level, Text};
use crate::figure::{Family, Figure};

/// Points of 1/72 inch (`bp` in TeX) a pixel.
const POINTS: f64 = 0.75;

impl Figure {
    /// A picture for `\input`. The document needs `\usepackage{pgf}`, or TikZ, which has it.
    pub fn pgf(&self) -> String {
        let mut out = String::from(
            "% For \\input in a document with \\usepackage{pgf} (or tikz). The letters are those of the document.\n\
             \\begingroup\n",
        );
        match &self.look.font.family {
            Family::Unspecified => {}
            Family::Sans => out.push_str("\\sffamily\n"),
            Family::Serif => out.push_str("\\rmfamily\n"),
            Family::Named(name) => {
                let name: String = name.chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-').collect();
                let _ = writeln!(out, "\\fontfamily{{{name}}}\\selectfont");
            }
        }
        out.push_str("\\begin{pgfpicture}\n");
        let mut picture = Picture { out, height: self.height() };
        picture.path(&corners(&Rect::new(0.0, 0.0, self.width(), self.height())), true);
        picture.say("\\pgfusepath{use as bounding box}");
        picture.say("\\pgfsetroundjoin");
        self.shapes().iter().for_each(|shape| picture.shape(shape));
        picture.say("\\end{pgfpicture}%\n\\endgroup");
        picture.out
    }
}

struct Picture {
    out: String,
    height: f64,
}

impl Picture {
    fn say(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn at(&self, (x, y): Point) -> String {
        format!("\\pgfpoint{{{}}}{{{}}}", length(x), length(self.height - y))
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { from, to, stroke } => self.paint(&[*from, *to], false, Paint::outline(*stroke)),
            Shape::Polyline { points, stroke } => self.paint(points, false, Paint::outline(*stroke)),
            Shape::Polygon { points, paint } => self.paint(points, true, *paint),
            Shape::Rect { rect, paint } => self.paint(&corners(rect), true, *paint),
            Shape::Circle { centre: (x, y), radius, paint } => {
                let frame = Rect::new(x - radius, y - radius, 2.0 * radius, 2.0 * radius);
                let path = format!("\\pgfpathcircle{{{}}}{{{}}}", self.at((*x, *y)), length(*radius));
                self.painted(*paint, frame, |picture| picture.say(&path));
            }
            Shape::Text { at, text } => self.text(*at, text),
            Shape::Clipped { rect, shapes } => self.scope(|picture| {
                picture.path(&corners(rect), true);
                picture.say("\\pgfusepath{clip}");
                shapes.iter().for_each(|shape| picture.shape(shape));
            }),
            Shape::Moved { by, shapes } => self.scope(|picture| {
                let shift = format!("\\pgftransformshift{{\\pgfpoint{{{}}}{{{}}}}}", length(by.0), length(-by.1));
                picture.say(&shift);
                shapes.iter().for_each(|shape| picture.shape(shape));
            }),
        }
    }

    fn scope(&mut self, draw: impl FnOnce(&mut Self)) {
        self.say("\\begin{pgfscope}");
        draw(self);
        self.say("\\end{pgfscope}");
    }

    fn paint(&mut self, points: &[Point], closed: bool, paint: Paint) {
        self.painted(paint, hatch::frame(points), |picture| picture.path(points, closed));
    }

    fn painted(&mut self, paint: Paint, frame: Rect, draw: impl Fn(&mut Self)) {
        self.scope(|picture| {
            match paint.fill {
                Fill::None => {}
                Fill::Ink(ink) => {
                    picture.colour(ink, "fill");
                    draw(picture);
                    picture.say("\\pgfusepath{fill}");
                }
                Fill::Hatch(ink) => picture.scope(|picture| {
                    draw(picture);
                    picture.say("\\pgfusepath{clip}");
                    picture.pen(Stroke::new(ink, hatch::WIDTH));
                    for (from, to) in hatch::lines(frame) {
                        picture.path(&[from, to], false);
                    }
                    picture.say("\\pgfusepath{stroke}");
                }),
            }
            if let Some(stroke) = paint.stroke {
                picture.pen(stroke);
                draw(picture);
                picture.say("\\pgfusepath{stroke}");
            }
        });
    }

    fn path(&mut self, points: &[Point], closed: bool) {
        for (i, point) in points.iter().enumerate() {
            let command = if i == 0 { "moveto" } else { "lineto" };
            let line = format!("\\pgfpath{command}{{{}}}", self.at(*point));
            self.say(&line);
        }
        if closed {
            self.say("\\pgfpathclose");
        }
    }

    fn pen(&mut self, stroke: Stroke) {
        self.colour(stroke.ink, "stroke");
        let width = length(stroke.width);
        let dashes: String = stroke.dashes().map(|dash| format!("{{{}}}", length(dash))).collect();
        self.say(&format!("\\pgfsetlinewidth{{{width}}}"));
        if !dashes.is_empty() {
            self.say(&format!("\\pgfsetdash{{{dashes}}}{{0bp}}"));
        }
    }

    fn colour(&mut self, ink: Ink, what: &str) {
        let (_, strength) = on_white(ink);
        self.say(&format!("{}\\pgfset{what}color{{optimist}}\\pgfset{what}opacity{{{strength}}}", definition(ink)));
    }

    fn text(&mut self, at: Point, text: &Text) {
        let mut words = String::new();
        for (level, piece) in text.pieces.iter().filter(|(_, piece)| !piece.is_empty()) {
            let piece = escape(piece);
            // Writing to a string cannot fail.
            let _ = match level {
                Level::Line => write!(words, "{piece}"),
                Level::Below => write!(words, "\\textsubscript{{{piece}}}"),
                Level::Above => write!(words, "\\textsuperscript{{{piece}}}"),
            };
        }
        let side = match text.anchor {
            Anchor::Start => "left,",
            Anchor::Middle => "",
            Anchor::End => "right,",
        };
        let size = POINTS * text.size;
        let (size, line, bold) = (number(size), number(1.2 * size), if text.bold { "\\bfseries" } else { "" });
        let (x, y, turn) = (length(at.0), length(self.height - at.1), number(-text.turn));
        // How wide the words are is known to LaTeX alone, and so is what would be about them.
        let white = if text.halo.is_some() { "\\fboxsep=1bp\\colorbox{white}" } else { "" };
        self.scope(|picture| {
            picture.say(&format!(
                "{}\\pgftext[{side}base,x={x},y={y},rotate={turn}]{{\\fontsize{{{size}}}{{{line}}}\\selectfont{bold}\
                 \\color{{optimist}}{white}{{{words}}}}}",
                definition(text.ink)
            ));
        });
    }
}

fn definition(ink: Ink) -> String {
    let ([red, green, blue], _) = on_white(ink);
    format!("\\definecolor{{optimist}}{{RGB}}{{{red},{green},{blue}}}")
}

fn corners(rect: &Rect) -> [Point; 4] {
    [(rect.x, rect.y), (rect.right(), rect.y), (rect.right(), rect.bottom()), (rect.x, rect.bottom())]
}

fn length(pixels: f64) -> String {
    // TeX cannot hold lengths above 16384 points, and what is so far away is clipped.
    format!("{}bp", number((POINTS * pixels).clamp(-12_000.0, 12_000.0)))
}
