//! Points over two axes, those that matter named beside them.

mod labels;

use std::fmt::Write as _;

use super::chart::{Axis, Guide};
use super::curves;
use super::frame::{Heading, MARGIN, Numbered, Plot, WIDTH, draw_grid, draw_names};
use super::scale::{Scale, Span, in_words};
use super::{Canvas, Figure, Ink, Look, Paint, Point, Rect, Stroke, Text};

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Scatter {
    /// What it is called.
    pub title: String,
    /// A line of smaller text below the title; may be empty.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The points. Those that have no place on the axes are left out.
    pub spots: Vec<Spot>,
    /// Dashed horizontal lines for comparison.
    pub levels: Vec<Level>,
    /// What the marks mean, below the axes.
    pub key: Vec<KeyEntry>,
}

/// A point.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spot {
    /// Where it is.
    pub at: Point,
    /// Half the length of the bar through it; no bar if this is not positive.
    pub error: f64,
    /// The number of its colour.
    pub ink: usize,
    /// How much it matters.
    pub emphasis: Emphasis,
    /// Whether its mark is hollow.
    pub hollow: bool,
    /// What it is called; not drawn if it is faint.
    pub name: String,
    /// A line of smaller text below the name; may be empty.
    pub detail: String,
}

/// How much a point matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Emphasis {
    /// It is background, and has no label.
    Faint,
    /// It has a label.
    #[default]
    Plain,
    /// It has a label, and is seen first.
    Strong,
}

/// A horizontal line for comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Where.
    pub at: f64,
    /// What it means; may be empty.
    pub label: String,
}

/// A line of the key.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyEntry {
    /// How much the points of this mark matter.
    pub emphasis: Emphasis,
    /// Whether the mark is hollow.
    pub hollow: bool,
    /// What the mark means.
    pub text: String,
}

const PLOT_HEIGHT: f64 = 400.0;

/// Room around the points, as a part of the axis.
const PADDING: f64 = 0.05;

/// Height of a line of the key, and the width of a mark in it.
const KEY: (f64, f64) = (20.0, 20.0);

impl Scatter {
    /// The figure.
    pub fn draw(&self) -> Figure {
        let (x, y) = self.spans();
        let look = Look::default();
        let heading = Heading::new(&self.title, &self.subtitle, &look);
        let head = heading.bottom();
        let numbers = y.ticks().iter().filter_map(|t| Some(t.label.as_ref()?.width())).fold(20.0, f64::max);
        let left = MARGIN + numbers + 8.0;
        let area = Rect::new(left, head + 20.0, WIDTH - left - MARGIN, PLOT_HEIGHT);
        let plot = Plot { area, x, y };
        let key = self.key_places(area.bottom() + 76.0);
        let bottom = key.last().map_or(area.bottom() + 62.0, |&((_, y), _)| y + 20.0);

        let mut canvas = Canvas::new(WIDTH, bottom);
        heading.draw(&mut canvas);
        draw_grid(&mut canvas, &plot, plot.x.ticks(), Numbered { left: true, below: true }, &look);
        draw_names(&mut canvas, area, head, (&self.x.label, &self.y.label), &look);
        let guides: Vec<Guide> =
            self.levels.iter().map(|level| Guide::Horizontal { at: level.at, label: String::new() }).collect();
        curves::guide_lines(&mut canvas, &plot, &guides);
        for spot in self.in_order() {
            draw_bar(&mut canvas, &plot, spot);
        }
        labels::draw(&mut canvas, &plot, &self.spots, &self.levels);
        for (at, entry) in key {
            draw_mark(&mut canvas, (at.0 + 6.0, at.1 - 4.0), entry.emphasis, entry.hollow, (Ink::Muted, Ink::Grid));
            canvas.text((at.0 + KEY.1, at.1), &key_text(entry));
        }
        canvas.finish(self.title.clone(), self.description())
    }

    /// The points, those that matter last, so that nothing covers them.
    fn in_order(&self) -> Vec<&Spot> {
        let mut spots: Vec<&Spot> = self.spots.iter().collect();
        spots.sort_by_key(|spot| spot.emphasis);
        spots
    }

    fn spans(&self) -> (Span, Span) {
        let span = |axis: &Axis, data: Vec<f64>| {
            let positive = data.iter().all(|v| !(*v < 0.0));
            let span = Span::fixed(axis.scale, axis.range, data.into_iter());
            let padded = if axis.range.is_none() { span.padded(PADDING) } else { span };
            // Shares and counts are never below zero, and so their axis is not.
            let low = if positive && axis.scale == Scale::Linear { padded.low.max(0.0) } else { padded.low };
            Span { low, ..padded }
        };
        let x = self.spots.iter().map(|spot| spot.at.0).collect();
        let ends = self.spots.iter().flat_map(|spot| {
            let error = spot.error.max(0.0);
            [spot.at.1, spot.at.1 - error, spot.at.1 + error]
        });
        let y = ends.chain(self.levels.iter().map(|level| level.at)).collect();
        (span(&self.x, x), span(&self.y, y))
    }

    /// The places of the entries of the key, in lines.
    fn key_places(&self, top: f64) -> Vec<(Point, &KeyEntry)> {
        let (mut x, mut y) = (MARGIN, top);
        let mut places = Vec::new();
        for entry in &self.key {
            let width = KEY.1 + key_text(entry).width();
            if x > MARGIN && x + width > WIDTH - MARGIN {
                (x, y) = (MARGIN, y + KEY.0);
            }
            places.push(((x, y), entry));
            x += width + 26.0;
        }
        places
    }

    fn description(&self) -> String {
        let mut out = format!("{}. ", self.title);
        if !self.subtitle.is_empty() {
            let _ = write!(out, "{}. ", self.subtitle.trim_end_matches('.'));
        }
        let _ = write!(out, "Horizontal: {}. Vertical: {}.", self.x.in_words(), self.y.in_words());
        let named = |spot: &&Spot| spot.emphasis > Emphasis::Faint;
        for Spot { at: (x, y), name, detail, .. } in self.spots.iter().filter(named) {
            let comma = if detail.is_empty() { "" } else { ", " };
            // Writing to a string cannot fail.
            let _ = write!(out, " {name}{comma}{detail}: {} at {}.", in_words(*y), in_words(*x));
        }
        for Level { at, label } in &self.levels {
            let _ = write!(out, " {label}: {}.", in_words(*at));
        }
        out
    }
}

fn key_text(entry: &KeyEntry) -> Text {
    let width = WIDTH - 2.0 * MARGIN - KEY.1;
    super::placement::shortened(&entry.text, width, |text| Text::new(text).size(12.0).ink(Ink::Muted))
}

/// How far a mark reaches from its middle.
fn reach(emphasis: Emphasis) -> f64 {
    match emphasis {
        Emphasis::Faint => 3.0,
        Emphasis::Plain => 5.5,
        Emphasis::Strong => 7.5,
    }
}

fn draw_bar(canvas: &mut Canvas, plot: &Plot, spot: &Spot) {
    let ((x, y), error) = (spot.at, spot.error);
    let faint = spot.emphasis == Emphasis::Faint;
    let ink = if faint { Ink::Soft(spot.ink) } else { Ink::Series(spot.ink) };
    if let (true, Some(low), Some(high)) = (error > 0.0, plot.place((x, y - error)), plot.place((x, y + error))) {
        canvas.line(low, high, Stroke::new(ink, if faint { 1.5 } else { 1.2 }));
    }
    if let Some(at) = plot.place(spot.at) {
        draw_mark(canvas, at, spot.emphasis, spot.hollow, (Ink::Series(spot.ink), Ink::Soft(spot.ink)));
    }
}

/// A disc, or a hollow diamond: even small ones differ in their shape.
fn draw_mark(canvas: &mut Canvas, (x, y): Point, emphasis: Emphasis, hollow: bool, (ink, wash): (Ink, Ink)) {
    let (reach, faint) = (reach(emphasis), emphasis == Emphasis::Faint);
    let edge = |width: f64| Stroke::new(ink, width);
    let diamond = |r: f64| [(x, y - r), (x + r, y), (x, y + r), (x - r, y)];
    match (hollow, faint) {
        (true, true) => canvas.polygon(&diamond(reach + 0.3), Paint::outline(edge(0.8))),
        (true, false) => canvas.polygon(&diamond(reach + 0.5), Paint::fill(Ink::Paper).edge(edge(2.0))),
        (false, true) => {
            // On something so small, one layer of a wash is not seen.
            canvas.circle((x, y), reach, Paint::fill(wash));
            canvas.circle((x, y), reach, Paint::fill(wash));
            canvas.circle((x, y), reach, Paint::fill(wash).edge(edge(0.6)));
        }
        (false, false) => canvas.circle((x, y), reach, Paint::fill(ink).edge(Stroke::new(Ink::Paper, 1.2))),
    }
}
