//! Figures as PDF: shapes as paths, words as text with the letters it needs.

mod letters;

use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{LineCapStyle, LineJoinStyle};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect as Box, Ref, TextStr};

use self::letters::Letters;
use crate::error::{Error, Result};
use crate::figure::canvas::{Fill, Paint, Point, Rect, Stroke};
use crate::figure::hatch;
use crate::figure::ink::{Ink, on_white};
use crate::figure::shape::Shape;
use crate::figure::text::{Anchor, Level, SMALL, Text};
use crate::figure::{Figure, Font};

/// Points of PDF a pixel.
const POINTS: f64 = 0.75;

/// A circle as four curves has its handles so far from its ends, relative to the radius.
const HANDLE: f64 = 0.552_284_75;

impl Figure {
    /// A PDF file of one page, as large as the figure: a pixel is 1/96 of an inch. Its words are text that can be searched and
    /// copied, in letters that the file brings along. The same figure makes the same bytes.
    ///
    /// # Errors
    /// If the letters cannot be read.
    pub fn pdf(&self) -> Result<Vec<u8>> {
        let mut page = Page::new(&self.look.font, self.height())?;
        page.shape(&Shape::Rect {
            rect: Rect::new(0.0, 0.0, self.width(), self.height()),
            paint: Paint::fill(Ink::Paper),
        });
        self.shapes().iter().for_each(|shape| page.shape(shape));
        page.finish(self)
    }
}

/// A page that is being drawn.
struct Page<'a> {
    content: Content,
    /// The regular and the bold letters.
    letters: [Letters<'a>; 2],
    /// Names of the degrees of opacity that occur, by thousandths.
    opacities: BTreeMap<u32, String>,
    height: f64,
}

impl<'a> Page<'a> {
    fn new(font: &'a Font, height: f64) -> Result<Self> {
        let letters = [Letters::new(font.embedded(false), "F0")?, Letters::new(font.embedded(true), "F1")?];
        let mut content = Content::new();
        content.set_line_cap(LineCapStyle::ButtCap).set_line_join(LineJoinStyle::RoundJoin);
        Ok(Self { content, letters, opacities: BTreeMap::new(), height })
    }

    /// A point in points from the left and from the bottom.
    fn at(&self, (x, y): Point) -> (f32, f32) {
        ((POINTS * x) as f32, (POINTS * (self.height - y)) as f32)
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { from, to, stroke } => self.paint(&[*from, *to], false, Paint::outline(*stroke)),
            Shape::Polyline { points, stroke } => self.paint(points, false, Paint::outline(*stroke)),
            Shape::Polygon { points, paint } => self.paint(points, true, *paint),
            Shape::Rect { rect, paint } => self.paint(&corners(rect), true, *paint),
            Shape::Circle { centre, radius, paint } => {
                let (centre, radius) = (*centre, *radius);
                let frame = Rect::new(centre.0 - radius, centre.1 - radius, 2.0 * radius, 2.0 * radius);
                self.painted(*paint, frame, |page| page.circle(centre, radius));
            }
            Shape::Text { at, text } => self.text(*at, text),
            Shape::Clipped { rect, shapes } => {
                self.content.save_state();
                self.path(&corners(rect), true);
                self.content.clip_nonzero().end_path();
                shapes.iter().for_each(|shape| self.shape(shape));
                self.content.restore_state();
            }
            Shape::Moved { by, shapes } => {
                self.content.save_state();
                self.content.transform([1.0, 0.0, 0.0, 1.0, (POINTS * by.0) as f32, (-POINTS * by.1) as f32]);
                shapes.iter().for_each(|shape| self.shape(shape));
                self.content.restore_state();
            }
        }
    }

    fn paint(&mut self, points: &[Point], closed: bool, paint: Paint) {
        self.painted(paint, hatch::frame(points), |page| page.path(points, closed));
    }

    /// Fills and edges what `draw` makes a path of.
    fn painted(&mut self, paint: Paint, frame: Rect, draw: impl Fn(&mut Self)) {
        self.content.save_state();
        match paint.fill {
            Fill::None => {}
            Fill::Ink(ink) => {
                self.fill_ink(ink);
                draw(self);
                self.content.fill_nonzero();
            }
            Fill::Hatch(ink) => {
                self.content.save_state();
                draw(self);
                self.content.clip_nonzero().end_path();
                self.pen(Stroke::new(ink, hatch::WIDTH));
                for (from, to) in hatch::lines(frame) {
                    self.path(&[from, to], false);
                }
                self.content.stroke().restore_state();
            }
        }
        if let Some(stroke) = paint.stroke {
            self.pen(stroke);
            draw(self);
            self.content.stroke();
        }
        self.content.restore_state();
    }

    fn path(&mut self, points: &[Point], closed: bool) {
        for (i, point) in points.iter().enumerate() {
            let (x, y) = self.at(*point);
            if i == 0 {
                self.content.move_to(x, y)
            } else {
                self.content.line_to(x, y)
            };
        }
        if closed {
            self.content.close_path();
        }
    }

    fn circle(&mut self, (x, y): Point, r: f64) {
        let h = HANDLE * r;
        let start = self.at((x + r, y));
        self.content.move_to(start.0, start.1);
        let curves = [
            [(x + r, y + h), (x + h, y + r), (x, y + r)],
            [(x - h, y + r), (x - r, y + h), (x - r, y)],
            [(x - r, y - h), (x - h, y - r), (x, y - r)],
            [(x + h, y - r), (x + r, y - h), (x + r, y)],
        ];
        for curve in curves {
            let [a, b, c] = curve.map(|point| self.at(point));
            self.content.cubic_to(a.0, a.1, b.0, b.1, c.0, c.1);
        }
        self.content.close_path();
    }

    fn pen(&mut self, stroke: Stroke) {
        let ([r, g, b], strength) = on_white(stroke.ink);
        self.opacity(strength);
        self.content.set_stroke_rgb(share(r), share(g), share(b));
        self.content.set_line_width((POINTS * stroke.width) as f32);
        self.content.set_dash_pattern(stroke.dashes().map(|length| (POINTS * length) as f32), 0.0);
    }

    fn fill_ink(&mut self, ink: Ink) {
        let ([r, g, b], strength) = on_white(ink);
        self.opacity(strength);
        self.content.set_fill_rgb(share(r), share(g), share(b));
    }

    fn opacity(&mut self, strength: f64) {
        let thousandths = (1000.0 * strength).round() as u32;
        let name = self.opacities.entry(thousandths).or_insert_with(|| format!("O{thousandths}"));
        self.content.set_parameters(Name(name.as_bytes()));
    }

    fn text(&mut self, at: Point, text: &Text) {
        let bold = usize::from(text.bold);
        let size_of = |level: Level| if level == Level::Line { text.size } else { SMALL * text.size };
        let width: f64 =
            (text.pieces.iter()).map(|(level, piece)| size_of(*level) * self.letters[bold].width(piece)).sum();
        let start = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * width,
            Anchor::End => -width,
        };
        let (sin, cos) = text.turn.to_radians().sin_cos();
        // A point on the line of the text, and above it.
        let place = |along: f64, above: f64| (at.0 + cos * along + sin * above, at.1 + sin * along - cos * above);
        if let Some(edge) = text.halo {
            // An edge about every letter would need the letters twice, and readers who search would find them twice.
            let (low, high) = (-0.25 * text.size, 0.8 * text.size);
            let (left, right) = (start - 0.25 * edge, start + width + 0.25 * edge);
            let around = [place(left, low), place(right, low), place(right, high), place(left, high)];
            self.paint(&around, true, Paint::fill(Ink::Paper));
        }
        self.content.save_state();
        self.fill_ink(text.ink);
        self.content.begin_text();
        let mut along = start;
        for (level, piece) in text.pieces.iter().filter(|(_, piece)| !piece.is_empty()) {
            let size = size_of(*level);
            let (x, y) = self.at(place(along, text.size * level.rise()));
            let letters = &mut self.letters[bold];
            let bytes = letters.codes(piece);
            self.content.set_font(Name(letters.name().as_bytes()), rounded(POINTS * size));
            self.content.set_text_matrix([cos as f32, -sin as f32, sin as f32, cos as f32, x, y]);
            self.content.show(pdf_writer::Str(&bytes));
            along += size * letters.width(piece);
        }
        self.content.end_text().restore_state();
    }

    /// The whole file.
    fn finish(self, figure: &Figure) -> Result<Vec<u8>> {
        let mut pdf = Pdf::new();
        let mut last = 0;
        let mut next = || {
            last += 1;
            Ref::new(last)
        };
        let (catalog, tree, page_id, content_id, info) = (next(), next(), next(), next(), next());
        pdf.catalog(catalog).pages(tree);
        pdf.pages(tree).kids([page_id]).count(1);
        pdf.document_info(info).title(TextStr(&figure.title)).producer(TextStr("optimist"));
        let used: Vec<(&Letters<'_>, Ref)> =
            self.letters.iter().filter(|letters| letters.is_used()).map(|letters| (letters, next())).collect();
        {
            let mut page = pdf.page(page_id);
            let (width, height) = ((POINTS * figure.width()) as f32, (POINTS * figure.height()) as f32);
            page.media_box(Box::new(0.0, 0.0, width, height)).parent(tree).contents(content_id);
            let mut resources = page.resources();
            let mut fonts = resources.fonts();
            for (letters, id) in &used {
                fonts.pair(Name(letters.name().as_bytes()), *id);
            }
            fonts.finish();
            let mut states = resources.ext_g_states();
            for (thousandths, name) in &self.opacities {
                let strength = *thousandths as f32 / 1000.0;
                let mut state =
                    states.insert(Name(name.as_bytes())).start::<pdf_writer::writers::ExtGraphicsState<'_>>();
                state.non_stroking_alpha(strength).stroking_alpha(strength);
            }
        }
        let content = compressed(&self.content.finish())?;
        pdf.stream(content_id, &content).filter(Filter::FlateDecode);
        for (letters, id) in used {
            letters.write(&mut pdf, id, &mut next)?;
        }
        Ok(pdf.finish())
    }
}

fn corners(rect: &Rect) -> [Point; 4] {
    [(rect.x, rect.y), (rect.right(), rect.y), (rect.right(), rect.bottom()), (rect.x, rect.bottom())]
}

fn share(part: u8) -> f32 {
    f32::from(part) / 255.0
}

/// A size without the noise of its computation.
fn rounded(points: f64) -> f32 {
    ((points * 1000.0).round() / 1000.0) as f32
}

fn compressed(bytes: &[u8]) -> Result<Vec<u8>> {
    let failed = |e: std::io::Error| Error::Failed(format!("a PDF cannot be compressed: {e}"));
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).map_err(failed)?;
    encoder.finish().map_err(failed)
}
