//! Names of curves beside specimens of them, below a chart or inside its axes.

use super::chart::Series;
use super::curves::{places, sample};
use super::frame::Plot;
use super::placement::shortened;
use super::{Canvas, Ink, Look, Paint, Point, Rect, Stroke, Text};

/// Height of a line.
const LINE: f64 = 18.0;
/// Where the text begins, right of the specimen.
const TEXT: f64 = 34.0;
/// Distance between columns.
const GAP: f64 = 22.0;

/// The places of the entries below a chart, column by column. Vertical places are relative to the first line; the lowest
/// comes last.
pub(super) fn below<'a>(series: &'a [Series], look: &Look) -> Vec<(Point, &'a Series)> {
    let (margin, room) = (look.margin(), look.sheet_width() - 2.0 * look.margin());
    let widest = series.iter().map(|s| words(s, look).width()).fold(0.0, f64::max);
    let column = TEXT + widest + GAP;
    // The last column needs no distance to the next, which matters where there is little room.
    let room = if look.is_tight() { room + GAP } else { room };
    let columns = ((room / column).floor() as usize).max(1);
    let rows = series.len().div_ceil(columns).max(1);
    let place = |i: usize| (margin + column * (i / rows) as f64, LINE * (i % rows) as f64);
    let mut entries: Vec<(Point, &Series)> = series.iter().enumerate().map(|(i, s)| (place(i), s)).collect();
    entries.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
    entries
}

/// Draws an entry whose text has its baseline at a height.
pub(super) fn entry(canvas: &mut Canvas, (x, y): Point, series: &Series, look: &Look) {
    sample(canvas, (x, y - 4.0), series, look);
    canvas.text((x + TEXT, y), &words(series, look));
}

/// The name, never wider than the sheet.
fn words(series: &Series, look: &Look) -> Text {
    let widest = look.sheet_width() - 2.0 * look.margin() - TEXT;
    shortened(&series.label, widest, |t| Text::new(t).size(look.sizes().legend))
}

/// Draws all entries inside the axes, where they cover least of the curves.
pub(super) fn inside(canvas: &mut Canvas, plot: &Plot, series: &[Series], look: &Look) {
    let text = |series: &Series| {
        let room = (plot.area.width - TEXT - 16.0).max(1.0);
        shortened(&series.label, room, |t| Text::new(t).size(look.sizes().legend))
    };
    let texts: Vec<Text> = series.iter().map(text).collect();
    let widest = texts.iter().map(Text::width).fold(0.0, f64::max);
    let (width, height) = (TEXT + widest + 10.0, LINE * series.len() as f64 + 4.0);
    let frame = freest(plot, series, (width, height));
    canvas.rect(frame, Paint::fill(Ink::Paper).edge(Stroke::new(Ink::Grid, 1.0)));
    for (i, (series, text)) in series.iter().zip(&texts).enumerate() {
        let (x, y) = (frame.x + 5.0, frame.y + LINE * i as f64 + 15.0);
        sample(canvas, (x, y - 4.0), series, look);
        canvas.text((x + TEXT, y), text);
    }
}

/// The place in the area where a frame covers fewest points of curves, the upper left corner first.
fn freest(plot: &Plot, series: &[Series], (width, height): (f64, f64)) -> Rect {
    let area = plot.area;
    let (room, depth) = ((area.width - width - 12.0).max(0.0), (area.height - height - 12.0).max(0.0));
    let covered = |frame: &Rect| {
        let near = |(x, y): &Point| {
            (frame.x - 4.0..=frame.right() + 4.0).contains(x) && (frame.y - 4.0..=frame.bottom() + 4.0).contains(y)
        };
        series.iter().flat_map(|series| course(plot, series)).filter(near).count()
    };
    // Corners are where readers look, so a place between them has to be better.
    let parts = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.5, 0.0), (0.0, 0.5), (1.0, 0.5), (0.5, 1.0)];
    let frames = parts.map(|(x, y)| Rect::new(area.x + 6.0 + x * room, area.y + 6.0 + y * depth, width, height));
    frames.into_iter().min_by_key(covered).unwrap_or(area)
}

/// Points along a curve at most three units apart.
fn course(plot: &Plot, series: &Series) -> Vec<Point> {
    let places = places(plot, series);
    let between = |pair: &[Point]| {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        // A curve may leave the area far, and nothing out there is covered.
        let steps = ((x1 - x0).hypot(y1 - y0) / 3.0).ceil().clamp(1.0, 2000.0) as usize;
        let part = move |i: usize| i as f64 / steps as f64;
        (1..=steps).map(move |i| (x0 + part(i) * (x1 - x0), y0 + part(i) * (y1 - y0)))
    };
    places.first().copied().into_iter().chain(places.windows(2).flat_map(between)).collect()
}
