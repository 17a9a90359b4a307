//! A part of the plane in a frame on a canvas.

use super::boundary::{Outline, Point};
use optimist_lab::figure::{Anchor, Canvas, Ink, Paint, Point as Pixel, Rect, Stroke, Text};

/// Maps coordinates of a plane to pixels of a frame, the second axis upwards.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plane {
    pub(super) frame: Rect,
    low: Point,
    high: Point,
}

impl Plane {
    /// The frame shows the rectangle between two corners.
    pub(super) fn new(frame: Rect, low: Point, high: Point) -> Self {
        Self { frame, low, high }
    }

    /// The frame shows what is around `centre`, both axes at one scale, `half` to the left and right.
    pub(super) fn around(frame: Rect, centre: Point, half: f64) -> Self {
        let tall = half * frame.height / frame.width;
        Self::new(frame, [centre[0] - half, centre[1] - tall], [centre[0] + half, centre[1] + tall])
    }

    /// Where a point is drawn.
    pub(super) fn at(&self, [x, y]: Point) -> Pixel {
        let Self { frame, low, high } = self;
        let right = frame.width * (x - low[0]) / (high[0] - low[0]);
        let up = frame.height * (y - low[1]) / (high[1] - low[1]);
        (frame.x + right, frame.bottom() - up)
    }

    /// Where points are drawn.
    pub(super) fn all(&self, points: impl IntoIterator<Item = Point>) -> Vec<Pixel> {
        points.into_iter().map(|p| self.at(p)).collect()
    }

    /// How many pixels a unit of the first axis takes.
    pub(super) fn unit(&self) -> f64 {
        self.frame.width / (self.high[0] - self.low[0])
    }

    /// Draws every loop of an outline.
    pub(super) fn outline(&self, canvas: &mut Canvas, outline: &Outline, paint: Paint) {
        for corners in &outline.loops {
            canvas.polygon(&self.all(corners.iter().copied()), paint);
        }
    }

    /// Draws the frame, and ticks at round numbers on the left and below.
    pub(super) fn axes(&self, canvas: &mut Canvas) {
        let Self { frame, low, high } = *self;
        let stroke = Stroke::new(Ink::Muted, 1.0);
        for value in round_numbers(low[0], high[0]) {
            let (x, y) = (self.at([value, low[1]]).0, frame.bottom());
            canvas.line((x, y), (x, y + 4.0), stroke);
            canvas.text((x, y + 17.0), &tick_label(value).anchor(Anchor::Middle));
        }
        for value in round_numbers(low[1], high[1]) {
            let (x, y) = (frame.x, self.at([low[0], value]).1);
            canvas.line((x - 4.0, y), (x, y), stroke);
            canvas.text((x - 7.0, y + 4.0), &tick_label(value).anchor(Anchor::End));
        }
        canvas.rect(frame, Paint::outline(stroke));
    }
}

fn tick_label(value: f64) -> Text {
    Text::new(minus(&value.to_string())).size(11.0).ink(Ink::Muted)
}

/// A number with a minus sign in place of a hyphen.
pub(super) fn minus(number: &str) -> String {
    number.replace('-', "\u{2212}")
}

/// Multiples of 1, 2 or 5 times a power of ten between two numbers, four to nine of them.
fn round_numbers(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 4.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [5.0, 2.0, 1.0].into_iter().map(|m| m * power).find(|step| *step <= rough).unwrap_or(power);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|k| k as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_axes_have_one_scale() {
        let plane = Plane::around(Rect::new(10.0, 20.0, 300.0, 150.0), [1.0, -2.0], 6.0);
        assert_eq!(plane.at([1.0, -2.0]), (160.0, 95.0));
        let (right, up) = (plane.at([2.0, -2.0]), plane.at([1.0, -1.0]));
        assert!((right.0 - 160.0 - plane.unit()).abs() < 1e-9 && (95.0 - up.1 - plane.unit()).abs() < 1e-9);
    }

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(round_numbers(-4.7, 4.7), [-4.0, -2.0, 0.0, 2.0, 4.0]);
        for (low, high) in [(-33.0, 31.0), (0.0, 1.0), (-0.013, 0.02), (-9.9, 9.9), (100.0, 180.0)] {
            let ticks = round_numbers(low, high);
            assert!((4..=9).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks.iter().all(|t| (low..=high).contains(t)), "{ticks:?}");
        }
    }
}
