//! A chart: curves with bands over two axes, named at their ends.

use std::fmt::Write as _;

use super::curves;
use super::frame::{Heading, Numbered, Plot, draw_grid, draw_names};
use super::legend;
use super::picture::Name;
use super::placement::{shortened, spread};
use super::scale::{Scale, Span, Tick, in_words};
use super::{Canvas, Figure, Ink, Legend, Look, Point, Rect, Stroke, Text};
use crate::error::Result;

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
        self.sketch(&Look::default()).0
    }

    /// The figure as it is wanted.
    ///
    /// # Errors
    /// If the sheet is too small for its letters.
    pub fn draw_as(&self, look: &Look) -> Result<Figure> {
        look.check_width()?;
        let (figure, height) = self.sketch(look);
        look.check_height(height)?;
        Ok(figure)
    }

    /// The figure, and the height of the area between the axes, which may be too low to be of use.
    fn sketch(&self, look: &Look) -> (Figure, f64) {
        let (x, y) = self.spans();
        let (width, margin) = (look.sheet_width(), look.margin());
        let legend = look.legend.unwrap_or(if self.is_crowded(look) { Legend::Outside } else { Legend::Direct });
        let heading = Heading::new(&self.title, &self.subtitle, look);
        let head = heading.bottom();
        let top = head + if self.y.label.is_empty() { 0.0 } else { 20.0 };
        let left = margin + numbers_width(&y, look) + 8.0;
        let labels = if legend == Legend::Direct { self.end_labels(look) } else { Vec::new() };
        let right = if look.is_tight() && labels.is_empty() {
            margin + self.overhang(&x, look)
        } else {
            labels.iter().map(|label| label.width() + 24.0).fold(20.0, f64::max)
                + if look.is_tight() { margin } else { 12.0 }
        };
        let below = 26.0 + if self.x.label.is_empty() { 0.0 } else { 22.0 };
        let entries = if legend == Legend::Outside { legend::below(&self.series, look) } else { Vec::new() };
        let legend_height = entries.last().map_or(0.0, |((_, y), _)| 18.0 + y + 6.0);
        let rest = top + below + legend_height + look.foot();
        let area_width = (width - left - right).max(1.0);
        let height = match look.sheet_height() {
            Some(height) => height - rest,
            None if look.width.is_none() => PLOT_HEIGHT,
            // Lower than wide, as columns of a paper want it.
            None => (0.62 * area_width).max(super::look::LOWEST),
        };
        let area = Rect::new(left, top, area_width, height.max(1.0));
        let foot = area.bottom() + below;

        let mut canvas = Canvas::new(width, foot + legend_height + look.foot());
        let plot = Plot { area, x, y };
        heading.draw(&mut canvas);
        let everywhere = Numbered { left: true, below: true };
        draw_grid(&mut canvas, &plot, self.x_ticks(&plot.x), everywhere, look);
        draw_names(&mut canvas, area, head, (&self.x.label, &self.y.label), look);
        self.draw_data(&mut canvas, &plot, look);
        self.draw_end_labels(&mut canvas, &plot, &labels);
        for ((x, y), series) in entries {
            legend::entry(&mut canvas, (x, foot + 18.0 + y), series, look);
        }
        if legend == Legend::Inside {
            legend::inside(&mut canvas, &plot, &self.series, look);
        }
        let figure = look.finish(canvas, &self.title, self.description());
        (figure.of(vec![(String::new(), self.clone())]).named(self.names(look)), height)
    }

    fn names(&self, look: &Look) -> Vec<Name> {
        let name =
            |series: &Series| Name::new(&series.label, |canvas| curves::sample(canvas, (1.0, 6.0), series, look));
        self.series.iter().map(name).collect()
    }

    /// What is inside the axes.
    pub(super) fn draw_data(&self, canvas: &mut Canvas, plot: &Plot, look: &Look) {
        canvas.clipped(plot.area, |canvas| {
            curves::guide_lines(canvas, plot, &self.guides);
            self.series.iter().for_each(|series| curves::band(canvas, plot, series));
            self.series.iter().for_each(|series| curves::curve(canvas, plot, series, look));
        });
        // Dots on the edge are drawn whole.
        self.series.iter().for_each(|series| curves::dots(canvas, plot, series, look));
        curves::guide_labels(canvas, plot, &self.guides, look);
    }

    /// How far the last number of the horizontal axis may reach beyond the area, or a dot at its edge.
    fn overhang(&self, x: &Span, look: &Look) -> f64 {
        let widest = self.x_ticks(x).into_iter().filter_map(|tick| Some(tick.label?.size(look.sizes().tick).width()));
        (0.5 * widest.fold(0.0, f64::max)).max(6.0)
    }

    pub(super) fn spans(&self) -> (Span, Span) {
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
    pub(super) fn x_ticks(&self, span: &Span) -> Vec<Tick> {
        let mut places: Vec<f64> = self.series.iter().flat_map(|s| &s.points).map(|p| p.0).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let dotted = !places.is_empty() && self.series.iter().all(|series| series.mark.has_dots());
        let marked = if dotted && places.len() <= MOST_PLACES { span.ticks_at(&places) } else { Vec::new() };
        if marked.is_empty() { span.ticks() } else { marked }
    }

    /// Too many names for the ends of the curves, or too long ones, go below.
    fn is_crowded(&self, look: &Look) -> bool {
        let widest = look.sheet_width() / 3.0;
        let is_long = |series: &Series| Text::new(series.label.as_str()).size(look.sizes().label).width() > widest;
        self.series.len() > MOST_LABELS || self.series.iter().any(is_long)
    }

    /// The names at the ends of the curves, never wider than a third of the sheet.
    pub(super) fn end_labels(&self, look: &Look) -> Vec<Text> {
        let words = |ink: usize| move |text: String| Text::new(text).size(look.sizes().label).ink(Ink::Series(ink));
        let widest = look.sheet_width() / 3.0;
        self.series.iter().map(|series| shortened(&series.label, widest, words(series.ink))).collect()
    }

    pub(super) fn draw_end_labels(&self, canvas: &mut Canvas, plot: &Plot, labels: &[Text]) {
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

    /// The points of a curve that are drawn, each with the interval about it if that is drawn too.
    pub fn drawn(&self, series: &Series) -> Vec<(Point, Option<(f64, f64)>)> {
        let (x, y) = (self.x.scale, self.y.scale);
        let interval = |i: usize| series.band.as_ref().or(series.bars.as_ref())?.get(i).copied();
        (series.points.iter().enumerate())
            .filter(|(_, point)| x.holds(point.0) && y.holds(point.1))
            .map(|(i, point)| (*point, interval(i).filter(|(low, high)| y.holds(*low) && y.holds(*high))))
            .collect()
    }

    pub(super) fn description(&self) -> String {
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

/// How wide the numbers of a vertical axis are.
pub(super) fn numbers_width(y: &Span, look: &Look) -> f64 {
    let size = look.sizes().tick;
    y.ticks().into_iter().filter_map(|tick| Some(tick.label?.size(size).width())).fold(20.0, f64::max)
}
