//! What is inside a chart's axes: bands, curves, dots and lines for comparison.

use super::chart::{Guide, Mark, Series};
use super::frame::Plot;
use super::scale::Scale;
use super::{Anchor, Canvas, Ink, Look, Paint, Point, Rect, Stroke, Text};

/// The band about a curve, interrupted where an edge has no place on the axis.
pub(super) fn band(canvas: &mut Canvas, plot: &Plot, series: &Series) {
    let edges = series.band.iter().flatten();
    let places: Vec<Option<(Point, Point)>> = (series.points.iter().zip(edges))
        .map(|(&(x, _), &(low, high))| Some((plot.place((x, low))?, plot.place((x, high))?)))
        .collect();
    for run in places.split(Option::is_none) {
        let lower = run.iter().flatten().map(|edge| edge.0);
        let upper = run.iter().flatten().rev().map(|edge| edge.1);
        canvas.polygon(&lower.chain(upper).collect::<Vec<_>>(), Paint::fill(Ink::Soft(series.ink)));
    }
}

fn stroke(series: &Series, look: &Look) -> Stroke {
    let stroke = look.stroke(series.ink);
    if series.mark == Mark::Dashed { stroke.dashed() } else { stroke }
}

/// The line that joins the points.
pub(super) fn curve(canvas: &mut Canvas, plot: &Plot, series: &Series, look: &Look) {
    if series.mark != Mark::Dots {
        canvas.polyline(&places(plot, series), stroke(series, look));
    }
}

/// Where the points are on the sheet.
pub(super) fn places(plot: &Plot, series: &Series) -> Vec<Point> {
    series.points.iter().filter_map(|&point| plot.place(point)).collect()
}

/// The points and their bars, as far as they are inside the axes, and the markers that tell curves apart.
pub(super) fn dots(canvas: &mut Canvas, plot: &Plot, series: &Series, look: &Look) {
    for (&(x, _), &(low, high)) in series.points.iter().zip(series.bars.iter().flatten()) {
        bar(canvas, plot, x, (low, high), series.ink);
    }
    if series.mark.has_dots() {
        for place in places(plot, series).into_iter().filter(|&p| inside(plot.area, p)) {
            dot(canvas, place, series.ink, look);
        }
    } else if look.has_markers() {
        markers(plot, series).into_iter().for_each(|place| dot(canvas, place, series.ink, look));
    }
}

/// As many markers as a line has. They stand on points of the curve, and those of different curves not above each other.
fn markers(plot: &Plot, series: &Series) -> Vec<Point> {
    const MARKERS: usize = 6;
    let area = plot.area;
    let places: Vec<Point> = places(plot, series).into_iter().filter(|&p| inside(area, p)).collect();
    let shift = (series.ink * 3 % 8) as f64 / 8.0;
    let wanted = (0..MARKERS).map(|i| area.x + area.width * (i as f64 + 0.06 + 0.88 * shift) / MARKERS as f64);
    let nearest = |x: f64| places.iter().copied().min_by(|a, b| (a.0 - x).abs().total_cmp(&(b.0 - x).abs()));
    let mut markers: Vec<Point> = wanted.filter_map(nearest).collect();
    markers.dedup();
    markers
}

fn bar(canvas: &mut Canvas, plot: &Plot, x: f64, (low, high): (f64, f64), ink: usize) {
    let Some(top) = plot.place((x, high)) else { return };
    if !(low < high) || top.0 < plot.area.x - 0.5 || top.0 > plot.area.right() + 0.5 {
        return;
    }
    // A lower end that has no place is below all that have one.
    let bottom = plot.place((x, low)).map_or(plot.area.bottom(), |p| p.1);
    let limit = |y: f64| y.clamp(plot.area.y, plot.area.bottom());
    let stroke = Stroke::new(Ink::Series(ink), 1.2);
    canvas.line((top.0, limit(bottom)), (top.0, limit(top.1)), stroke);
    for y in [bottom, top.1].into_iter().filter(|&y| limit(y) == y) {
        canvas.line((top.0 - 4.0, y), (top.0 + 4.0, y), stroke);
    }
}

/// A dot whose shape tells apart what a reader may see in the same colour. Where there may be no colours at all, every second
/// four are hollow.
fn dot(canvas: &mut Canvas, (x, y): Point, ink: usize, look: &Look) {
    let paint = if look.has_markers() && ink / 4 % 2 == 1 {
        Paint::fill(Ink::Paper).edge(Stroke::new(Ink::Series(ink), 1.5))
    } else {
        Paint::fill(Ink::Series(ink)).edge(Stroke::new(Ink::Paper, 1.0))
    };
    match ink % 4 {
        0 => canvas.circle((x, y), 4.5, paint),
        1 => canvas.rect(Rect::new(x - 4.0, y - 4.0, 8.0, 8.0), paint),
        2 => canvas.polygon(&[(x, y - 5.5), (x + 5.2, y + 3.8), (x - 5.2, y + 3.8)], paint),
        _ => canvas.polygon(&[(x, y - 5.8), (x + 5.8, y), (x, y + 5.8), (x - 5.8, y)], paint),
    }
}

/// A specimen for a legend, 26 pixels wide.
pub(super) fn sample(canvas: &mut Canvas, (x, y): Point, series: &Series, look: &Look) {
    if series.mark != Mark::Dots {
        canvas.line((x, y), (x + 26.0, y), stroke(series, look));
    }
    if series.mark.has_dots() || look.has_markers() {
        dot(canvas, (x + 13.0, y), series.ink, look);
    }
}

/// Where a curve ends as far as it can be seen, if it can.
pub(super) fn end(plot: &Plot, series: &Series) -> Option<Point> {
    let places = places(plot, series);
    let (x, y) = places.iter().rev().find(|p| p.0 <= plot.area.right() + 0.5).or(places.last())?;
    Some((x.clamp(plot.area.x, plot.area.right()), y.clamp(plot.area.y, plot.area.bottom())))
}

fn inside(area: Rect, (x, y): Point) -> bool {
    (area.x - 0.5..=area.right() + 0.5).contains(&x) && (area.y - 0.5..=area.bottom() + 0.5).contains(&y)
}

/// The visible places of a line for comparison.
fn course(plot: &Plot, guide: &Guide) -> Vec<Point> {
    let area = plot.area;
    match guide {
        Guide::Horizontal { at, .. } => {
            let Some(part) = plot.y.part(*at) else { return Vec::new() };
            let y = area.bottom() - part * area.height;
            vec![(area.x, y), (area.right(), y)]
        }
        Guide::Vertical { at, .. } => {
            let Some(part) = plot.x.part(*at) else { return Vec::new() };
            let x = area.x + part * area.width;
            vec![(x, area.bottom()), (x, area.y)]
        }
        Guide::Slope { through: (x0, y0), slope, .. } => {
            let powers = (plot.x.scale, plot.y.scale) == (Scale::Log, Scale::Log);
            let height = |x: f64| if powers { y0 * (x / x0).powf(*slope) } else { y0 + slope * (x - x0) };
            let (from, to) = (plot.x.low, plot.x.high);
            let at = |part: f64| match plot.x.scale {
                Scale::Linear => from + part * (to - from),
                Scale::Log => from * (to / from).powf(part),
            };
            let points = (0..=200).map(|i| at(f64::from(i) / 200.0));
            points.filter_map(|x| plot.place((x, height(x)))).filter(|&p| inside(area, p)).collect()
        }
    }
}

/// The lines for comparison.
pub(super) fn guide_lines(canvas: &mut Canvas, plot: &Plot, guides: &[Guide]) {
    for guide in guides {
        canvas.polyline(&course(plot, guide), Stroke::new(Ink::Muted, 1.2).dashed());
    }
}

/// The labels of the lines for comparison, moved down where one would cover another.
pub(super) fn guide_labels(canvas: &mut Canvas, plot: &Plot, guides: &[Guide], look: &Look) {
    let area = plot.area;
    let mut taken: Vec<Rect> = Vec::new();
    for guide in guides {
        let (Guide::Horizontal { label, .. } | Guide::Vertical { label, .. } | Guide::Slope { label, .. }) = guide;
        let Some(&(x, y)) = course(plot, guide).last().filter(|&&p| inside(area, p)) else { continue };
        let words = |text: String| Text::new(text).size(look.sizes().guide).ink(Ink::Muted).halo();
        let text = super::placement::shortened(label, 0.6 * area.width, words);
        let left = match guide {
            Guide::Vertical { .. } if x + text.width() + 6.0 < area.right() => x + 6.0,
            _ => x - text.width() - 6.0,
        };
        let left = left.clamp(area.x + 2.0, (area.right() - text.width()).max(area.x + 2.0));
        let mut top = (y - 17.0).max(area.y + 2.0);
        let overlaps =
            |top: f64, r: &Rect| left < r.right() && r.x < left + text.width() && top < r.bottom() && r.y < top + 14.0;
        // Each step passes one label at least.
        for _ in 0..taken.len() {
            top = taken.iter().filter(|r| overlaps(top, r)).map(Rect::bottom).fold(top, f64::max);
        }
        taken.push(Rect::new(left, top, text.width(), 14.0));
        canvas.text((left, top + 11.0), &text.anchor(Anchor::Start));
    }
}
