//! A chart: curves with bands over two axes, named at their ends.

use std::fmt::Write as _;

use super::curves;
use super::frame::{Heading, MARGIN, Plot, WIDTH, draw_axes};
use super::picture::Name;
use super::placement::{shortened, spread};
use super::scale::{Scale, Span, Tick, in_words};
use super::{Canvas, Figure, Ink, Point, Rect, Stroke, Text};

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What it is called.
    pub title: String,
    /// A line of smaller text below the title; may be empty.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves; later ones cover earlier ones.
    pub series: Vec<Series>,
    /// Lines for comparison.
    pub guides: Vec<Guide>,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What it shows.
    pub label: String,
    /// How it is divided.
    pub scale: Scale,
    /// Its ends, if they are not to be found from the data.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// What it shows and how, in words.
    pub(super) fn in_words(&self) -> String {
        match self.scale {
            Scale::Linear => self.label.clone(),
            Scale::Log => format!("{} (logarithmic)", self.label),
        }
    }
}

/// A curve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// What it is called.
    pub label: String,
    /// The number of its colour; numbers beyond the palette are dashed.
    pub ink: usize,
    /// Its points; those that have no place on the axes are skipped.
    pub points: Vec<Point>,
    /// Lower and upper edge of a band about each point.
    pub band: Option<Vec<(f64, f64)>>,
    /// Lower and upper end of a bar at each point; a bar with equal ends is not drawn.
    pub bars: Option<Vec<(f64, f64)>>,
    /// How the points are drawn.
    pub mark: Mark,
}

/// How points are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mark {
    /// Joined by a line.
    #[default]
    Line,
    /// Joined by a dashed line.
    Dashed,
    /// One by one.
    Dots,
    /// One by one and joined.
    LineAndDots,
}

impl Mark {
    pub(super) fn has_dots(self) -> bool {
        matches!(self, Mark::Dots | Mark::LineAndDots)
    }
}

/// A line for comparison, with a small label (which may be empty).
#[derive(Debug, Clone, PartialEq)]
pub enum Guide {
    /// A horizontal line.
    Horizontal {
        /// Where.
        at: f64,
        /// What it means.
        label: String,
    },
    /// A vertical line.
    Vertical {
        /// Where.
        at: f64,
        /// What it means.
        label: String,
    },
    /// A sloped line through a point: y grows like x to the power `slope` if both axes are logarithmic, by `slope`
    /// for each unit of x otherwise.
    Slope {
        /// The point.
        through: Point,
        /// The slope.
        slope: f64,
        /// What it means.
        label: String,
    },
}

const PLOT_HEIGHT: f64 = 340.0;
/// Height of a line of labels.
const LINE: f64 = 18.0;
/// With more series than this, labels at the ends would be a crowd.
const MOST_LABELS: usize = 18;

/// Dots at more places than this are read off round numbers.
const MOST_PLACES: usize = 8;

impl Chart {
    /// The figure.
    pub fn draw(&self) -> Figure {
        let (x, y) = self.spans();
        let heading = Heading::new(&self.title, &self.subtitle);
        let head = heading.bottom();
        let top = head + if self.y.label.is_empty() { 0.0 } else { 20.0 };
        let numbers = y.ticks().iter().filter_map(|t| Some(t.label.as_ref()?.width())).fold(20.0, f64::max);
        let left = MARGIN + numbers + 8.0;
        let labels = if self.has_legend() { Vec::new() } else { self.end_labels() };
        let right = labels.iter().map(|label| label.width() + 24.0).fold(20.0, f64::max) + 12.0;
        let area = Rect::new(left, top, WIDTH - left - right, PLOT_HEIGHT);
        let foot = area.bottom() + 26.0 + if self.x.label.is_empty() { 0.0 } else { 22.0 };
        let legend = self.legend(foot + 18.0);
        let bottom = legend.last().map_or(foot, |&((_, y), _)| y + 6.0) + MARGIN - 8.0;

        let mut canvas = Canvas::new(WIDTH, bottom);
        let plot = Plot { area, x, y };
        heading.draw(&mut canvas);
        draw_axes(&mut canvas, &plot, head, (&self.x.label, &self.y.label), self.x_ticks(&plot.x));
        canvas.clipped(area, |canvas| {
            curves::guide_lines(canvas, &plot, &self.guides);
            self.series.iter().for_each(|series| curves::band(canvas, &plot, series));
            self.series.iter().for_each(|series| curves::curve(canvas, &plot, series));
        });
        // Dots on the edge are drawn whole.
        self.series.iter().for_each(|series| curves::dots(&mut canvas, &plot, series));
        curves::guide_labels(&mut canvas, &plot, &self.guides);
        self.draw_end_labels(&mut canvas, &plot, &labels);
        for (at, series) in legend {
            curves::sample(&mut canvas, (at.0, at.1 - 4.0), series);
            canvas.text((at.0 + 34.0, at.1), &shortened(&series.label, LEGEND_TEXT, |t| Text::new(t).size(12.0)));
        }
        canvas.finish(self.title.clone(), self.description()).named(self.names())
    }

    fn names(&self) -> Vec<Name> {
        let name = |series: &Series| Name::new(&series.label, |canvas| curves::sample(canvas, (1.0, 6.0), series));
        self.series.iter().map(name).collect()
    }

    fn spans(&self) -> (Span, Span) {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Span::fixed(self.x.scale, self.x.range, points().map(|p| p.0));
        let dotted = self.series.iter().any(|series| series.mark.has_dots());
        let x = match self.x.range {
            Some(_) => x,
            None if dotted => x.padded(0.04),
            None => x.starting_at_zero(),
        };
        // The lower edge of a band may be arbitrarily close to zero, which a logarithmic axis must not follow.
        let log = self.y.scale == Scale::Log;
        let edges = self.series.iter().flat_map(|s| s.band.iter().chain(&s.bars).flatten());
        let edges = edges.flat_map(|&(low, high)| if log { [high, high] } else { [low, high] });
        let levels = self.guides.iter().filter_map(|guide| match guide {
            Guide::Horizontal { at, .. } => Some(*at),
            _ => None,
        });
        let y = Span::fixed(self.y.scale, self.y.range, points().map(|p| p.1).chain(edges).chain(levels));
        (x, if self.y.range.is_none() { y.rounded() } else { y })
    }

    /// Round numbers, or the places of the dots if these are few.
    fn x_ticks(&self, span: &Span) -> Vec<Tick> {
        let mut places: Vec<f64> = self.series.iter().flat_map(|s| &s.points).map(|p| p.0).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let dotted = !places.is_empty() && self.series.iter().all(|series| series.mark.has_dots());
        let marked = if dotted && places.len() <= MOST_PLACES { span.ticks_at(&places) } else { Vec::new() };
        if marked.is_empty() { span.ticks() } else { marked }
    }

    /// Too many names for the ends of the curves, or too long ones, go below.
    fn has_legend(&self) -> bool {
        let is_long = |series: &Series| Text::new(series.label.as_str()).size(13.0).width() > WIDTH / 3.0;
        self.series.len() > MOST_LABELS || self.series.iter().any(is_long)
    }

    /// The names at the ends of the curves, never wider than a third of the sheet.
    fn end_labels(&self) -> Vec<Text> {
        let look = |ink: usize| move |text: String| Text::new(text).size(13.0).ink(Ink::Series(ink));
        self.series.iter().map(|series| shortened(&series.label, WIDTH / 3.0, look(series.ink))).collect()
    }

    fn draw_end_labels(&self, canvas: &mut Canvas, plot: &Plot, labels: &[Text]) {
        let area = plot.area;
        let ends: Vec<(Point, usize, &Text)> = (self.series.iter().zip(labels))
            .filter_map(|(series, label)| Some((curves::end(plot, series)?, series.ink, label)))
            .collect();
        let wanted: Vec<f64> = ends.iter().map(|((_, y), ..)| *y).collect();
        let places = spread(&wanted, LINE - 1.0, area.y, area.bottom());
        for (((x, y), ink, label), place) in ends.into_iter().zip(places) {
            let to = area.right() + 20.0;
            let stroke = Stroke::new(Ink::Series(ink), 0.8);
            if x < area.right() - 4.0 {
                canvas.line((x + 7.0, y), (to - 4.0, place), stroke.dotted());
            } else if (place - y).abs() > 1.5 {
                canvas.line((x + 3.0, y), (to - 4.0, place), stroke);
            }
            canvas.text((to, place + 4.5), label);
        }
    }

    /// The places of the entries below the chart, column by column.
    fn legend(&self, top: f64) -> Vec<(Point, &Series)> {
        if !self.has_legend() {
            return Vec::new();
        }
        let widest = self.series.iter().map(|s| Text::new(s.label.as_str()).size(12.0).width().min(LEGEND_TEXT));
        let column = 34.0 + widest.fold(0.0, f64::max) + 22.0;
        let columns = (((WIDTH - 2.0 * MARGIN) / column).floor() as usize).max(1);
        let rows = self.series.len().div_ceil(columns).max(1);
        let place = |i: usize| (MARGIN + column * (i / rows) as f64, top + LINE * (i % rows) as f64);
        let mut entries: Vec<(Point, &Series)> = self.series.iter().enumerate().map(|(i, s)| (place(i), s)).collect();
        // The lowest comes last, so that the sheet can end below it.
        entries.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
        entries
    }

    fn description(&self) -> String {
        let mut out = format!("{}. ", self.title);
        if !self.subtitle.is_empty() {
            let _ = write!(out, "{}. ", self.subtitle);
        }
        let _ = write!(out, "Horizontal: {}. Vertical: {}.", self.x.in_words(), self.y.in_words());
        let drawable = |p: &&Point| self.x.scale.holds(p.0) && self.y.scale.holds(p.1);
        for series in &self.series {
            // Writing to a string cannot fail.
            let _ = match series.points.iter().rev().find(drawable) {
                Some(&(x, y)) => write!(out, " {}: {} at {}.", series.label, in_words(y), in_words(x)),
                None => write!(out, " {}: no points.", series.label),
            };
        }
        out
    }
}

/// The widest text of a legend's entry.
const LEGEND_TEXT: f64 = WIDTH - 2.0 * MARGIN - 34.0;
