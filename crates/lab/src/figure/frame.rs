//! What all charts have around their data: the words above, and the axes.

use super::placement::{shortened, wrapped};
use super::scale::{Span, Tick};
use super::{Anchor, Canvas, Ink, Point, Rect, Stroke, Text};

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
}

impl Heading {
    pub(super) fn new(title: &str, subtitle: &str) -> Self {
        let width = WIDTH - 2.0 * MARGIN;
        Self {
            titles: wrapped(title, width, 2, |t| Text::new(t).size(16.0).bold()),
            subtitles: wrapped(subtitle, width, 3, |t| Text::new(t).size(12.0).ink(Ink::Muted)),
        }
    }

    /// Where the chart may begin.
    pub(super) fn bottom(&self) -> f64 {
        MARGIN + LINES.0 * self.titles.len() as f64 + LINES.1 * self.subtitles.len() as f64 + 14.0
    }

    pub(super) fn draw(&self, canvas: &mut Canvas) {
        draw_lines(canvas, &self.titles, MARGIN + 12.0, LINES.0);
        draw_lines(canvas, &self.subtitles, MARGIN + 8.0 + LINES.0 * self.titles.len() as f64, LINES.1);
    }
}

fn draw_lines(canvas: &mut Canvas, lines: &[Text], top: f64, height: f64) {
    for (i, line) in lines.iter().enumerate() {
        canvas.text((MARGIN, top + height * i as f64), line);
    }
}

/// Draws the grid, the numbers and the names (of the horizontal axis, of the vertical one). The second stands at `head`.
pub(super) fn draw_axes(canvas: &mut Canvas, plot: &Plot, head: f64, (across, up): (&str, &str), ticks: Vec<Tick>) {
    let area = plot.area;
    let (grid, axis) = (Stroke::new(Ink::Grid, 1.0), Stroke::new(Ink::Muted, 1.0));
    for tick in plot.y.ticks() {
        let Some(part) = plot.y.part(tick.value) else { continue };
        let y = area.bottom() - part * area.height;
        match tick.label {
            Some(label) => {
                canvas.line((area.x, y), (area.right(), y), grid);
                canvas.text((area.x - 8.0, y + 4.0), &label.anchor(Anchor::End).ink(Ink::Muted));
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
        if let Some(label) = tick.label.filter(|label| x - 0.5 * label.width() > free) {
            free = x + 0.5 * label.width() + 8.0;
            canvas.line((x, area.y), (x, area.bottom()), grid);
            canvas.text((x, area.bottom() + 20.0), &label.anchor(Anchor::Middle).ink(Ink::Muted));
        }
    }
    canvas.line((area.x, area.bottom()), (area.right(), area.bottom()), axis);
    let look = |text: String| Text::new(text).size(13.0);
    canvas.text((MARGIN, head + 5.0), &shortened(up, WIDTH - 2.0 * MARGIN, look));
    let middle = area.x + 0.5 * area.width;
    let room = 2.0 * (middle - MARGIN).min(WIDTH - MARGIN - middle);
    canvas.text((middle, area.bottom() + 42.0), &shortened(across, room, look).anchor(Anchor::Middle));
}
