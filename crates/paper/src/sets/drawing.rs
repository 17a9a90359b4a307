//! The figure of the confidence sets: to scale, and near the disc, with a table of areas.

use super::{ConfidenceSets, Kind, Shape};
use crate::boundary::{Point, Window};
use crate::plane::Plane;
use optimist_lab::figure::{Anchor, Canvas, Figure, Ink, Paint, Rect, Stroke, Text};

impl Kind {
    fn colour(self) -> usize {
        match self {
            Kind::Relaxed => 0,
            Kind::Decrement => 1,
            Kind::Tight => 2,
            Kind::Mixture => 3,
        }
    }

    fn stroke(self, width: f64) -> Stroke {
        let stroke = Stroke::new(Ink::Series(self.colour()), width);
        // As in the paper, where its relaxation is dashed.
        if self == Kind::Relaxed { stroke.dashed() } else { stroke }
    }

    fn symbol(self) -> Text {
        match self {
            Kind::Relaxed => Text::new("E").sub("t"),
            Kind::Decrement => Text::new("C").sub("t"),
            Kind::Tight => Text::new("tight"),
            Kind::Mixture => Text::new("mixture"),
        }
    }

    fn meaning(self) -> Text {
        match self {
            Kind::Relaxed => self.symbol().then(", convex relaxation as printed"),
            Kind::Decrement => self.symbol().then(", the paper\u{2019}s set as printed"),
            Kind::Tight => self.symbol().then(", its relaxation with sharp constants"),
            Kind::Mixture => self.symbol().then(", the default set"),
        }
    }
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 508.0;
const SIDE: f64 = 296.0;
const TOP: f64 = 34.0;

/// Draws the sets of a trajectory.
pub fn draw(sets: &ConfidenceSets) -> Figure {
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    let near = around(sets, Kind::Decrement, 1.06);
    let far = around(sets, Kind::Relaxed, 1.08);
    let left = Plane::around(Rect::new(46.0, TOP, SIDE, SIDE), far.0, far.1);
    let right = Plane::around(Rect::new(412.0, TOP, SIDE, SIDE), near.0, near.1);
    heading(&mut canvas, left.frame, "(a) to scale, theta of any norm");
    heading(&mut canvas, right.frame, "(b) the small square of (a)");
    canvas.clipped(left.frame, |canvas| draw_far(canvas, &left, sets, near));
    canvas.clipped(right.frame, |canvas| draw_near(canvas, &right, sets, near));
    left.axes(&mut canvas);
    right.axes(&mut canvas);
    table(&mut canvas, sets);
    canvas.finish("Confidence sets after one trajectory", description(sets))
}

/// The centre and half side of a square that holds a set, whatever its norms, and the disc.
fn around(sets: &ConfidenceSets, kind: Kind, scale: f64) -> (Point, f64) {
    let s = sets.trajectory.norm_bound;
    let mut points: Vec<Point> = sets.shape(kind).free.loops.concat();
    points.extend([[s, s], [-s, -s]]);
    let Window { low, high } = Window::around(&points, 0.0);
    let centre = [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])];
    (centre, 0.5 * scale * (high[0] - low[0]).max(high[1] - low[1]))
}

fn heading(canvas: &mut Canvas, frame: Rect, words: &str) {
    canvas.text((frame.x, frame.y - 10.0), &Text::new(words.replace("theta", "θ")).bold());
}

fn draw_far(canvas: &mut Canvas, plane: &Plane, sets: &ConfidenceSets, (centre, half): (Point, f64)) {
    for shape in &sets.shapes {
        let soft = Paint::fill(Ink::Soft(shape.kind.colour()));
        plane.outline(canvas, &shape.free, soft.edge(shape.kind.stroke(1.6)));
    }
    disc(canvas, plane, sets);
    let (x, y) = plane.at([centre[0] - half, centre[1] + half]);
    let side = 2.0 * half * plane.unit();
    canvas.rect(Rect::new(x, y, side, side), Paint::outline(Stroke::new(Ink::Text, 1.0)));
    label(canvas, plane, sets.shape(Kind::Relaxed), 225.0, -16.0);
    label(canvas, plane, sets.shape(Kind::Tight), 135.0, 12.0);
}

fn draw_near(canvas: &mut Canvas, plane: &Plane, sets: &ConfidenceSets, (centre, half): (Point, f64)) {
    let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
    let relaxed = &sets.shape(Kind::Relaxed).free;
    // It is convex.
    let all_covered = corners.iter().all(|c| relaxed.contains([centre[0] + c[0], centre[1] + c[1]]));
    for shape in sets.shapes.iter().filter(|shape| shape.kind != Kind::Relaxed || !all_covered) {
        plane.outline(canvas, &shape.bounded, Paint::fill(Ink::Soft(shape.kind.colour())));
        plane.outline(canvas, &shape.free, Paint::outline(shape.kind.stroke(1.6)));
    }
    disc(canvas, plane, sets);
    if all_covered {
        let covered = Text::new("E").sub("t").then(" covers all of this").ink(Ink::Series(Kind::Relaxed.colour()));
        let corner = (plane.frame.right() - 8.0, plane.frame.bottom() - 9.0);
        canvas.text(corner, &covered.size(12.0).anchor(Anchor::End).halo());
    }
    label(canvas, plane, sets.shape(Kind::Decrement), 135.0, 10.0);
    let (x, y) = plane.at(sets.trajectory.theta);
    canvas.circle((x, y), 4.0, Paint::fill(Ink::Text).edge(Stroke::new(Ink::Paper, 1.2)));
    canvas.text((x + 8.0, y + 4.0), &Text::new("θ").sub("⋆").bold().halo());
    let (x, y) = plane.at(sets.estimate);
    canvas.circle((x, y), 3.6, Paint::fill(Ink::Paper).edge(Stroke::new(Ink::Text, 1.6)));
    canvas.text((x - 22.0, y + 14.0), &Text::new("θ\u{302}").sub("t").bold().halo());
}

fn disc(canvas: &mut Canvas, plane: &Plane, sets: &ConfidenceSets) {
    let radius = sets.trajectory.norm_bound * plane.unit();
    canvas.circle(plane.at([0.0; 2]), radius, Paint::outline(Stroke::new(Ink::Muted, 1.4).dotted()));
}

/// Writes a set's symbol `beyond` pixels outside its outline, in a direction (degrees) from the origin.
fn label(canvas: &mut Canvas, plane: &Plane, shape: &Shape, direction: f64, beyond: f64) {
    let (sine, cosine) = direction.to_radians().sin_cos();
    let along = |p: &Point| p[0] * cosine + p[1] * sine;
    let Some(farthest) = shape.free.loops.iter().flatten().max_by(|p, q| along(p).total_cmp(&along(q))) else { return };
    let (x, y) = plane.at(*farthest);
    let at = (x + beyond * cosine, y - beyond * sine + 4.0);
    let ink = Ink::Series(shape.kind.colour());
    canvas.text(at, &shape.kind.symbol().ink(ink).bold().anchor(Anchor::Middle).halo());
}

/// Right edges of the columns of numbers.
const COLUMNS: [f64; 3] = [478.0, 592.0, 708.0];

/// A row a set: its colour, its name, its areas.
fn table(canvas: &mut Canvas, sets: &ConfidenceSets) {
    let top = TOP + SIDE + 52.0;
    let head = |words: &str| Text::new(words).size(12.0).ink(Ink::Muted);
    canvas.text((46.0, top), &head(&format!("after {} rounds", area(sets.trajectory.plays.len() as f64))));
    for (x, words) in COLUMNS.into_iter().zip(["area", "within ‖θ‖ ≤ S", "share of the disc"]) {
        canvas.text((x, top), &head(words).anchor(Anchor::End));
    }
    canvas.line((46.0, top + 7.0), (WIDTH - 12.0, top + 7.0), Stroke::new(Ink::Grid, 1.0));
    let row = |i: usize| top + 26.0 + 22.0 * i as f64;
    for (i, shape) in sets.shapes.iter().enumerate() {
        let soft = Paint::fill(Ink::Soft(shape.kind.colour()));
        canvas.rect(Rect::new(47.0, row(i) - 11.0, 20.0, 12.0), soft.edge(shape.kind.stroke(1.6)));
        canvas.text((76.0, row(i)), &shape.kind.meaning());
        let share = 100.0 * shape.bounded_area / sets.disc_area;
        let numbers = [area(shape.free_area), area(shape.bounded_area), format!("{} %", area(share))];
        numbers_in_columns(canvas, row(i), &numbers);
    }
    let last = row(sets.shapes.len());
    canvas.circle((57.0, last - 5.0), 6.5, Paint::outline(Stroke::new(Ink::Muted, 1.4).dotted()));
    canvas.text((76.0, last), &Text::new(format!("the disc ‖θ‖ ≤ S = {:.2}", sets.trajectory.norm_bound)));
    numbers_in_columns(canvas, last, &[area(sets.disc_area), area(sets.disc_area), "100 %".to_owned()]);
}

fn numbers_in_columns(canvas: &mut Canvas, y: f64, numbers: &[String; 3]) {
    for (x, number) in COLUMNS.into_iter().zip(numbers) {
        canvas.text((x, y), &Text::new(number.as_str()).anchor(Anchor::End));
    }
}

/// An area to three digits or so, thousands set apart.
fn area(value: f64) -> String {
    if value >= 999.5 {
        let whole = value.round() as u64;
        return format!("{},{:03}", whole / 1000, whole % 1000);
    }
    format!(
        "{value:.*}",
        if value >= 99.95 {
            0
        } else if value >= 9.995 {
            1
        } else {
            2
        }
    )
}

fn description(sets: &ConfidenceSets) -> String {
    let number = |kind: Kind| area(sets.shape(kind).free_area);
    let within = |kind: Kind| area(sets.shape(kind).bounded_area);
    format!(
        "Confidence sets for a parameter of two dimensions. Left, to scale and without a bound on the norm: the convex \
         relaxation E_t of area {}, in it the tight relaxation of area {}, and C_t of area {}, {}. \
         Right, enlarged: of the disc of admissible parameters, whose area is {}, E_t leaves {}, C_t {}, the tight \
         relaxation {} and the mixture set {}. The true parameter lies on the edge of the disc.",
        number(Kind::Relaxed),
        number(Kind::Tight),
        number(Kind::Decrement),
        if sets.decrement_set_is_convex() { "which is convex here" } else { "which is not convex" },
        area(sets.disc_area),
        within(Kind::Relaxed),
        within(Kind::Decrement),
        within(Kind::Tight),
        within(Kind::Mixture),
    )
}

#[cfg(test)]
mod tests {
    use super::area;

    #[test]
    fn areas_have_about_three_digits() {
        let cases = [(1753.39, "1,753"), (999.7, "1,000"), (91.67, "91.7"), (551.2, "551"), (0.749, "0.75")];
        for (value, text) in cases {
            assert_eq!(area(value), text);
        }
    }
}
