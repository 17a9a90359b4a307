//! Small charts side by side in which parts of a whole are stacked over time.

use std::fmt::Write as _;

use super::frame::Plot;
use super::picture::Name;
use super::placement::{shortened, wrapped};
use super::scale::{Scale, Span, in_words};
use super::{Anchor, Canvas, Figure, Ink, Paint, Point, Rect, Stroke, Text};

/// What is drawn: the same parts in every panel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stack {
    /// What it is called.
    pub(super) title: String,
    /// A line of smaller text below the title.
    pub(super) subtitle: String,
    /// What the horizontal axes show.
    pub(super) x_label: String,
    /// The parts, the lowest first.
    pub(super) parts: Vec<Part>,
    /// What the line over the parts is called.
    pub(super) sum: String,
    /// The charts.
    pub(super) panels: Vec<Panel>,
}

/// A part of the whole.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    /// What it is called.
    pub(super) label: String,
    /// How it is drawn.
    pub(super) paint: Paint,
}

/// One chart. Parts above zero are stacked upwards, parts below zero downwards.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Panel {
    /// What it is called.
    pub(super) title: String,
    /// Where the parts are known, ascending.
    pub(super) x: Vec<f64>,
    /// One row a part, as long as `x`.
    pub(super) parts: Vec<Vec<f64>>,
}

const WIDTH: f64 = 760.0;
const MARGIN: f64 = 22.0;
const COLUMNS: usize = 3;
const PLOT_HEIGHT: f64 = 128.0;
/// Height of a row of panels: title, chart, numbers below.
const ROW: f64 = PLOT_HEIGHT + 62.0;

impl Stack {
    /// The figure.
    pub(super) fn draw(&self) -> Figure {
        let look = |t: String| Text::new(t).size(12.0).ink(Ink::Muted);
        let titles = wrapped(&self.title, WIDTH - 2.0 * MARGIN, 2, |t| Text::new(t).size(16.0).bold());
        let subtitles = wrapped(&self.subtitle, WIDTH - 2.0 * MARGIN, 3, look);
        let legend = MARGIN + 22.0 * titles.len() as f64 + 17.0 * subtitles.len() as f64 + 12.0;
        let top = legend + 20.0;
        let rows = self.panels.len().div_ceil(COLUMNS);
        let mut canvas = Canvas::new(WIDTH, top + ROW * rows as f64 + 26.0);
        for (i, line) in titles.iter().enumerate() {
            canvas.text((MARGIN, MARGIN + 12.0 + 22.0 * i as f64), line);
        }
        for (i, line) in subtitles.iter().enumerate() {
            canvas.text((MARGIN, MARGIN + 8.0 + 22.0 * titles.len() as f64 + 17.0 * i as f64), line);
        }
        self.draw_legend(&mut canvas, legend);
        let width = (WIDTH - 2.0 * MARGIN) / COLUMNS as f64;
        for (i, panel) in self.panels.iter().enumerate() {
            let (column, row) = ((i % COLUMNS) as f64, (i / COLUMNS) as f64);
            panel.draw(&mut canvas, Rect::new(MARGIN + width * column, top + ROW * row, width, ROW), &self.parts);
        }
        let label = Text::new(self.x_label.as_str()).size(13.0).anchor(Anchor::Middle);
        canvas.text((0.5 * WIDTH, canvas.height() - 12.0), &label);
        canvas.finish(self.title.clone(), self.description()).named(self.names())
    }

    fn names(&self) -> Vec<Name> {
        let part =
            |part: &Part| Name::new(&part.label, |canvas| canvas.rect(Rect::new(4.0, 0.0, 20.0, 11.0), part.paint));
        let sum = Name::new(&self.sum, |canvas| canvas.line((4.0, 6.0), (24.0, 6.0), sum_stroke()));
        self.parts.iter().map(part).chain([sum]).collect()
    }

    fn draw_legend(&self, canvas: &mut Canvas, y: f64) {
        let mut x = MARGIN;
        let entry = |canvas: &mut Canvas, label: &str, x: f64| {
            let text = Text::new(label).size(12.0);
            canvas.text((x + 26.0, y), &text);
            x + 26.0 + text.width() + 22.0
        };
        for part in &self.parts {
            canvas.rect(Rect::new(x, y - 10.0, 20.0, 11.0), part.paint);
            x = entry(canvas, &part.label, x);
        }
        canvas.line((x, y - 4.0), (x + 20.0, y - 4.0), sum_stroke());
        entry(canvas, &self.sum, x);
    }

    fn description(&self) -> String {
        let mut out = format!("{}. {}. Horizontal: {}.", self.title, self.subtitle, self.x_label);
        for panel in &self.panels {
            let last = panel.x.len().saturating_sub(1);
            // Writing to a string cannot fail.
            let _ = write!(out, " {}:", panel.title);
            for (part, row) in self.parts.iter().zip(&panel.parts) {
                let _ = write!(out, " {} {};", part.label, in_words(row.get(last).copied().unwrap_or(0.0)));
            }
            let _ = write!(out, " {} {}.", self.sum, in_words(panel.sum(last)));
        }
        out
    }
}

fn sum_stroke() -> Stroke {
    Stroke::new(Ink::Text, 1.8)
}

impl Panel {
    fn sum(&self, i: usize) -> f64 {
        self.parts.iter().filter_map(|row| row.get(i)).sum()
    }

    /// Lower and upper edge of every part at every place.
    fn edges(&self) -> Vec<Vec<(f64, f64)>> {
        let mut up = vec![0.0; self.x.len()];
        let mut down = up.clone();
        let mut stack = |row: &Vec<f64>| {
            let place = |((v, up), down): ((&f64, &mut f64), &mut f64)| {
                let base = if *v >= 0.0 { up } else { down };
                let from = *base;
                *base += v;
                (from.min(*base), from.max(*base))
            };
            row.iter().zip(&mut up).zip(&mut down).map(place).collect()
        };
        self.parts.iter().map(&mut stack).collect()
    }

    fn draw(&self, canvas: &mut Canvas, cell: Rect, parts: &[Part]) {
        let edges = self.edges();
        let ends = edges.iter().flatten().flat_map(|(low, high)| [*low, *high]);
        let y = Span::of(Scale::Linear, ends.chain([0.0])).rounded();
        let x = Span::of(Scale::Linear, self.x.iter().copied()).starting_at_zero();
        let numbers = y.ticks().iter().filter_map(|t| Some(t.label.as_ref()?.width())).fold(14.0, f64::max);
        let area = Rect::new(cell.x + numbers + 6.0, cell.y + 26.0, cell.width - numbers - 28.0, PLOT_HEIGHT);
        let plot = Plot { area, x, y };
        let title = shortened(&self.title, cell.width - 16.0, |t| Text::new(t).size(12.5).bold());
        canvas.text((cell.x, cell.y + 14.0), &title);
        draw_axes(canvas, &plot);
        for (part, edges) in parts.iter().zip(&edges) {
            let at = |(x, v): (&f64, f64)| plot.place((*x, v));
            let lower = self.x.iter().zip(edges).filter_map(|(x, edge)| at((x, edge.0)));
            let upper = self.x.iter().zip(edges).rev().filter_map(|(x, edge)| at((x, edge.1)));
            canvas.polygon(&lower.chain(upper).collect::<Vec<Point>>(), part.paint);
        }
        let sums = self.x.iter().enumerate().filter_map(|(i, x)| plot.place((*x, self.sum(i))));
        canvas.polyline(&sums.collect::<Vec<Point>>(), sum_stroke());
    }
}

/// Numbers on the left, the two ends below, and a line at zero.
fn draw_axes(canvas: &mut Canvas, plot: &Plot) {
    let area = plot.area;
    for tick in plot.y.ticks() {
        let (Some(part), Some(label)) = (plot.y.part(tick.value), tick.label) else { continue };
        let y = area.bottom() - part * area.height;
        canvas.line((area.x, y), (area.right(), y), Stroke::new(Ink::Grid, 1.0));
        canvas.text((area.x - 6.0, y + 4.0), &label.size(11.0).anchor(Anchor::End).ink(Ink::Muted));
    }
    for tick in plot.x.ticks_at(&[plot.x.low, plot.x.high]) {
        let (Some(part), Some(label)) = (plot.x.part(tick.value), tick.label) else { continue };
        let x = area.x + part * area.width;
        let anchor = if part > 0.5 { Anchor::End } else { Anchor::Start };
        canvas.text((x, area.bottom() + 17.0), &label.size(11.0).anchor(anchor).ink(Ink::Muted));
    }
    if let Some(part) = plot.y.part(0.0) {
        let y = area.bottom() - part * area.height;
        canvas.line((area.x, y), (area.right(), y), Stroke::new(Ink::Muted, 1.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_stacked_away_from_zero() {
        let panel = Panel {
            title: "p".to_owned(),
            x: vec![1.0, 2.0],
            parts: vec![vec![3.0, 1.0], vec![-2.0, 2.0], vec![1.0, -1.0]],
        };
        let edges = panel.edges();
        assert_eq!(edges[0], [(0.0, 3.0), (0.0, 1.0)]);
        assert_eq!(edges[1], [(-2.0, 0.0), (1.0, 3.0)]);
        assert_eq!(edges[2], [(3.0, 4.0), (-1.0, 0.0)]);
        assert_eq!((panel.sum(0), panel.sum(1)), (2.0, 2.0));
    }
}
