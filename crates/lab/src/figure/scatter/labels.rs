//! The labels of the points that matter, beside them or joined to them by a line.

use std::f64::consts::TAU;

use super::super::arrangement::{Candidate, Obstacle, arrange, covered};
use super::super::placement::shortened;
use super::{Emphasis, Level, Spot, reach};
use crate::figure::frame::Plot;
use crate::figure::{Anchor, Canvas, Ink, Point, Rect, Stroke, Text};

/// The widest line of a label.
const WIDEST: f64 = 190.0;
/// Distances of labels from marks that are tried, and in how many directions.
const DISTANCES: [f64; 11] = [3.5, 8.0, 14.0, 22.0, 32.0, 44.0, 58.0, 74.0, 92.0, 115.0, 150.0];
const DIRECTIONS: u32 = 32;
/// So many places are enough, and more take long.
const MOST_PLACES: usize = 160;
/// Beyond this distance a line says what a label belongs to.
const BESIDE: f64 = 10.0;

/// What covering something costs, in pixels that a label is farther away instead.
const MARK: f64 = 3000.0;
const FAINT_MARK: f64 = 70.0;
const BAR: f64 = 120.0;
const LINE: f64 = 60.0;

/// The lines of a label, and what it belongs to.
struct Label {
    lines: Vec<Text>,
    ink: Ink,
    candidates: Vec<Candidate>,
    middle: Option<f64>,
}

/// Draws the labels of points and of lines.
pub(super) fn draw(canvas: &mut Canvas, plot: &Plot, spots: &[Spot], levels: &[Level]) {
    let named = spots.iter().enumerate().filter(|(_, spot)| spot.emphasis > Emphasis::Faint);
    let of_spots = named.filter_map(|(i, spot)| Some((Some(i), of_spot(plot, spot)?)));
    let of_levels = levels.iter().filter_map(|level| Some((None, of_level(plot, level)?)));
    let obstacles = obstacles(plot, spots, levels);
    let mut labels = Vec::new();
    for (point, mut label) in of_spots.chain(of_levels) {
        for candidate in &mut label.candidates {
            candidate.cost += covered(candidate, point, &obstacles);
        }
        label.candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        label.candidates.truncate(MOST_PLACES);
        labels.push(label);
    }
    let candidates: Vec<Vec<Candidate>> = labels.iter().map(|label| label.candidates.clone()).collect();
    for (label, choice) in labels.iter().zip(arrange(&candidates)) {
        if let Some(place) = choice.map(|c| label.candidates[c]) {
            label.draw(canvas, &place);
        }
    }
}

impl Label {
    fn draw(&self, canvas: &mut Canvas, place: &Candidate) {
        let rect = place.rect;
        if let Some((from, to)) = place.leader {
            canvas.line(from, to, Stroke::new(self.ink, 0.8));
        }
        // The side towards the point is even, so that a line to the point ends at the words.
        let (x, anchor) = match self.middle.map(|middle| (middle - rect.x) / rect.width) {
            Some(part) if part > 0.67 => (rect.right(), Anchor::End),
            Some(part) if part > 0.33 => (rect.x + 0.5 * rect.width, Anchor::Middle),
            _ => (rect.x, Anchor::Start),
        };
        let mut y = rect.y - 2.0;
        for line in &self.lines {
            y += height(line);
            canvas.text((x, y), &line.clone().anchor(anchor));
        }
    }
}

fn height(line: &Text) -> f64 {
    1.18 * line.height()
}

fn size(lines: &[Text]) -> (f64, f64) {
    (lines.iter().map(Text::width).fold(0.0, f64::max), lines.iter().map(height).sum::<f64>() + 1.0)
}

fn of_spot(plot: &Plot, spot: &Spot) -> Option<Label> {
    let at = plot.place(spot.at)?;
    let strong = spot.emphasis == Emphasis::Strong;
    let (ink, size) = (Ink::Series(spot.ink), if strong { 14.0 } else { 12.0 });
    let name = shortened(&spot.name, WIDEST, |text| Text::new(text).size(size).bold().ink(ink).halo());
    let second = if strong { Ink::Text } else { Ink::Muted };
    let detail = shortened(&spot.detail, WIDEST, |text| Text::new(text).size(11.0).ink(second).halo());
    let lines: Vec<Text> = [name, detail].into_iter().filter(|line| !line.plain().is_empty()).collect();
    let candidates = around(plot.area, at, reach(spot.emphasis), &lines);
    (!lines.is_empty()).then_some(Label { lines, ink, candidates, middle: Some(at.0) })
}

/// Places around a point, those beside it first.
fn around(area: Rect, at: Point, reach: f64, lines: &[Text]) -> Vec<Candidate> {
    let (width, height) = size(lines);
    let mut places = Vec::new();
    for (distance, direction) in DISTANCES.into_iter().flat_map(|d| (0..DIRECTIONS).map(move |k| (d, k))) {
        let (up, across) = (TAU * f64::from(direction) / f64::from(DIRECTIONS)).sin_cos();
        let away = reach + distance;
        // In the middle of a side the label is centred; towards its corners the corner is next to the point.
        let slide = |part: f64| (1.5 * part).clamp(-1.0, 1.0);
        let centre = (at.0 + away * across + 0.5 * width * slide(across), at.1 - away * up - 0.5 * height * slide(up));
        let rect = Rect::new(centre.0 - 0.5 * width, centre.1 - 0.5 * height, width, height);
        let within = rect.x >= area.x + 3.0
            && rect.right() <= area.right()
            && rect.y >= area.y
            && rect.bottom() <= area.bottom() - 3.0;
        if within {
            // To the right a label is read best; to the left it is nearly as good.
            let cost = distance + 3.0 * (1.0 - across) / 2.0 + 2.0 * up.abs();
            places.push(Candidate { rect, cost, leader: leader(at, reach, &rect) });
        }
    }
    places
}

/// The line from a mark to the nearest place of a label, if that is not beside it.
fn leader((x, y): Point, reach: f64, rect: &Rect) -> Option<(Point, Point)> {
    let end = (x.clamp(rect.x, rect.right()), y.clamp(rect.y, rect.bottom()));
    let length = (end.0 - x).hypot(end.1 - y);
    let start = (x + (reach + 1.0) * (end.0 - x) / length, y + (reach + 1.0) * (end.1 - y) / length);
    (length > reach + BESIDE).then_some((start, end))
}

fn of_level(plot: &Plot, level: &Level) -> Option<Label> {
    let look = |text: String| Text::new(text).size(11.5).ink(Ink::Muted).halo();
    let lines = vec![shortened(&level.label, 0.6 * plot.area.width, look)];
    let (area, y) = (plot.area, plot.place((plot.x.low, level.at))?.1);
    let (width, height) = size(&lines);
    let candidates = (0..60).flat_map(|step| {
        let moved = 12.0 * f64::from(step);
        let x = area.right() - width - 4.0 - moved;
        let above = Candidate { rect: Rect::new(x, y - height - 3.0, width, height), cost: 0.1 * moved, leader: None };
        let below = Candidate { rect: Rect { y: y + 3.0, ..above.rect }, cost: 0.1 * moved + 4.0, leader: None };
        [above, below]
    });
    let inside =
        |c: &Candidate| c.rect.x > area.x + 3.0 && c.rect.y >= area.y && c.rect.bottom() <= area.bottom() - 3.0;
    let candidates = candidates.filter(inside).collect();
    (!level.label.is_empty()).then_some(Label { lines, ink: Ink::Muted, candidates, middle: None })
}

/// What labels should not cover.
fn obstacles(plot: &Plot, spots: &[Spot], levels: &[Level]) -> Vec<Obstacle> {
    let mut obstacles = Vec::new();
    for (i, spot) in spots.iter().enumerate() {
        let Some((x, y)) = plot.place(spot.at) else { continue };
        let faint = spot.emphasis == Emphasis::Faint;
        let r = reach(spot.emphasis) + 1.0;
        let weight = if faint { FAINT_MARK } else { MARK };
        obstacles.push(Obstacle { rect: Rect::new(x - r, y - r, 2.0 * r, 2.0 * r), weight, point: Some(i) });
        let ends = [-1.0, 1.0].map(|side| plot.place((spot.at.0, spot.at.1 + side * spot.error)));
        if let ([Some(low), Some(high)], false) = (ends, faint) {
            obstacles.push(Obstacle {
                rect: Rect::new(x - 1.0, high.1, 2.0, low.1 - high.1),
                weight: BAR,
                point: Some(i),
            });
        }
    }
    for y in levels.iter().filter_map(|level| Some(plot.place((plot.x.low, level.at))?.1)) {
        obstacles.push(Obstacle {
            rect: Rect::new(plot.area.x, y - 1.0, plot.area.width, 2.0),
            weight: LINE,
            point: None,
        });
    }
    obstacles
}
