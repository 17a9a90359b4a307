//! Slanted lines for formats that know no patterns.

use super::canvas::{Point, Rect};

/// Distance between the lines, and their width.
const STEP: f64 = 7.0;
pub(super) const WIDTH: f64 = 1.2;

/// Lines from the upper right to the lower left that cover a rectangle; what is outside of a shape has to be clipped.
pub(super) fn lines(rect: Rect) -> Vec<(Point, Point)> {
    let step = STEP * std::f64::consts::SQRT_2;
    // On a line, the sum of the coordinates is the same everywhere.
    let (first, last) = (rect.x + rect.y, rect.right() + rect.bottom());
    let count = ((last - first) / step).ceil().clamp(0.0, 5000.0) as usize;
    let start = (first / step).floor() * step;
    let sums = (0..=count + 1).map(|i| start + step * i as f64);
    sums.map(|sum| ((sum - rect.y, rect.y), (sum - rect.bottom(), rect.bottom()))).collect()
}

/// The smallest upright rectangle about points.
pub(super) fn frame(points: &[Point]) -> Rect {
    let low = |pick: fn(&Point) -> f64| points.iter().map(pick).fold(f64::INFINITY, f64::min);
    let high = |pick: fn(&Point) -> f64| points.iter().map(pick).fold(f64::NEG_INFINITY, f64::max);
    let (x, y) = (low(|p| p.0), low(|p| p.1));
    Rect::new(x, y, high(|p| p.0) - x, high(|p| p.1) - y)
}
