//! What all charts have around their data: the words above, and the axes.

use super::placement::{shortened, wrapped};
use super::scale::{Span, Tick};
use super::{Anchor, Canvas, Ink, Look, Point, Rect, Stroke, Text};

/// The width of a chart.
pub(super) const WIDTH: f64 = 760.0;
/// What stays empty at its edges.
pub(super) const MARGIN: f64 = 22.0;

/// Height of a line of the title, and of one of the subtitle.
const LINES: (f64, f64) = (22.0, 17.0);

/// Where data are on the sheet.
pub(super) struct Plot {
    pub(super) area: Rect,
    pub(super) x: Span,
    pub(super) y: Span,
}

impl Plot {
    /// The pixel of a point, if it has a place on both axes.
    pub(super) fn place(&self, (x, y): Point) -> Option<Point> {
        let (px, py) = (self.x.part(x)?, self.y.part(y)?);
        // Far outside is far enough: files and renderers do not like huge coordinates.
        let limit = |v: f64| v.clamp(-50.0, 50.0);
        Some((self.area.x + limit(px) * self.area.width, self.area.bottom() - limit(py) * self.area.height))
    }
}

/// The title and the subtitle, in lines.
pub(super) struct Heading {
    titles: Vec<Text>,
    subtitles: Vec<Text>,
    margin: f64,
    bottom: f64,
}

impl Heading {
    pub(super) fn new(title: &str, subtitle: &str, look: &Look) -> Self {
        let margin = look.margin();
        let (width, sizes) = (look.sheet_width() - 2.0 * margin, look.sizes());
        let (title, subtitle) = if look.untitled { ("", "") } else { (title, subtitle) };
        let titles = wrapped(title, width, 2, |t| Text::new(t).size(sizes.title).bold());
        let subtitles = wrapped(subtitle, width, 3, |t| Text::new(t).size(sizes.subtitle).ink(Ink::Muted));
        let lines = LINES.0 * titles.len() as f64 + LINES.1 * subtitles.len() as f64;
        let is_bare = titles.is_empty() && subtitles.is_empty() && look.is_tight();
        Self { titles, subtitles, margin, bottom: margin + lines + if is_bare { 6.0 } else { 14.0 } }
    }

    /// Where the chart may begin.
    pub(super) fn bottom(&self) -> f64 {
        self.bottom
    }

    pub(super) fn draw(&self, canvas: &mut Canvas) {
        let margin = self.margin;
        draw_lines(canvas, &self.titles, (margin, margin + 12.0), LINES.0);
        draw_lines(canvas, &self.subtitles, (margin, margin + 8.0 + LINES.0 * self.titles.len() as f64), LINES.1);
    }
}

fn draw_lines(canvas: &mut Canvas, lines: &[Text], (left, top): Point, height: f64) {
    for (i, line) in lines.iter().enumerate() {
        canvas.text((left, top + height * i as f64), line);
    }
}

/// At which edges of a chart numbers stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbered {
    pub(super) left: bool,
    pub(super) below: bool,
}

/// Draws the grid and the numbers.
pub(super) fn draw_grid(canvas: &mut Canvas, plot: &Plot, ticks: Vec<Tick>, at: Numbered, look: &Look) {
    let (area, size) = (plot.area, look.sizes().tick);
    let (grid, axis) = (Stroke::new(Ink::Grid, 1.0), Stroke::new(Ink::Muted, 1.0));
    // Numbers on an axis that is too short for all of them are left out from the bottom up.
    let mut free = f64::INFINITY;
    for tick in plot.y.ticks() {
        let Some(part) = plot.y.part(tick.value) else { continue };
        let y = area.bottom() - part * area.height;
        match tick.label {
            Some(label) => {
                canvas.line((area.x, y), (area.right(), y), grid);
                if at.left && y <= free {
                    free = y - size;
                    canvas.text((area.x - 8.0, y + 4.0), &label.size(size).anchor(Anchor::End).ink(Ink::Muted));
                }
            }
            None => canvas.line((area.x - 4.0, y), (area.x, y), grid),
        }
    }
    // Labels of a crowded axis are thinned from the left.
    let mut free = f64::NEG_INFINITY;
    for tick in ticks {
        let Some(part) = plot.x.part(tick.value) else { continue };
        let x = area.x + part * area.width;
        canvas.line((x, area.bottom()), (x, area.bottom() + if tick.label.is_some() { 6.0 } else { 3.0 }), axis);
        let label = tick.label.map(|label| label.size(size));
        if let Some(label) = label.filter(|label| x - 0.5 * label.width() > free) {
            free = x + 0.5 * label.width() + 8.0;
            canvas.line((x, area.y), (x, area.bottom()), grid);
            if at.below {
                canvas.text((x, area.bottom() + 20.0), &label.anchor(Anchor::Middle).ink(Ink::Muted));
            }
        }
    }
    canvas.line((area.x, area.bottom()), (area.right(), area.bottom()), axis);
}

/// Writes the name of the horizontal axis below an area, and that of the vertical axis at `head`.
pub(super) fn draw_names(canvas: &mut Canvas, area: Rect, head: f64, (across, up): (&str, &str), look: &Look) {
    let (margin, width) = (look.margin(), look.sheet_width());
    let words = |text: String| Text::new(text).size(look.sizes().label);
    canvas.text((margin, head + 5.0), &shortened(up, width - 2.0 * margin, words));
    let middle = area.x + 0.5 * area.width;
    let room = 2.0 * (middle - margin).min(width - margin - middle);
    canvas.text((middle, area.bottom() + 42.0), &shortened(across, room, words).anchor(Anchor::Middle));
}
