//! What is on a sheet, before it is known in which format it will be written.

use super::canvas::{Paint, Point, Rect, Stroke};
use super::text::Text;

/// Something that is drawn. Coordinates are finite, in pixels from the left and from the top.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Line {
        from: Point,
        to: Point,
        stroke: Stroke,
    },
    Polyline {
        points: Vec<Point>,
        stroke: Stroke,
    },
    Polygon {
        points: Vec<Point>,
        paint: Paint,
    },
    Circle {
        centre: Point,
        radius: f64,
        paint: Paint,
    },
    Rect {
        rect: Rect,
        paint: Paint,
    },
    Text {
        at: Point,
        text: Text,
    },
    /// Shapes of which only what is inside the rectangle can be seen.
    Clipped {
        rect: Rect,
        shapes: Vec<Shape>,
    },
    /// Shapes moved to the right and down.
    Moved {
        by: Point,
        shapes: Vec<Shape>,
    },
}

impl Shape {
    /// The same on a sheet that is so many times as large.
    pub(super) fn scaled(&self, k: f64) -> Self {
        let at = |(x, y): Point| (k * x, k * y);
        let paint = |paint: &Paint| Paint { stroke: paint.stroke.map(|stroke| stroke.scaled(k)), ..*paint };
        let place = |r: &Rect| Rect::new(k * r.x, k * r.y, k * r.width, k * r.height);
        let all = |shapes: &[Shape]| shapes.iter().map(|shape| shape.scaled(k)).collect();
        match self {
            Self::Line { from, to, stroke } => Self::Line { from: at(*from), to: at(*to), stroke: stroke.scaled(k) },
            Self::Polyline { points, stroke } => {
                Self::Polyline { points: points.iter().copied().map(at).collect(), stroke: stroke.scaled(k) }
            }
            Self::Polygon { points, paint: p } => {
                Self::Polygon { points: points.iter().copied().map(at).collect(), paint: paint(p) }
            }
            Self::Circle { centre, radius, paint: p } => {
                Self::Circle { centre: at(*centre), radius: k * radius, paint: paint(p) }
            }
            Self::Rect { rect, paint: p } => Self::Rect { rect: place(rect), paint: paint(p) },
            Self::Text { at: place, text } => Self::Text { at: at(*place), text: text.scaled(k) },
            Self::Clipped { rect, shapes } => Self::Clipped { rect: place(rect), shapes: all(shapes) },
            Self::Moved { by, shapes } => Self::Moved { by: at(*by), shapes: all(shapes) },
        }
    }
}
