//! The two illustrations: the logistic curve over what the arms reach, and the arms themselves beside it.

use std::f64::consts::PI;

use optimist::link;

use super::{Arms, Example};
use crate::boundary::Point;
use crate::plane::{Plane, minus};
use optimist_lab::figure::{Anchor, Canvas, Figure, Ink, Paint, Point as Pixel, Rect, Stroke, Text};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 294.0;
/// Colours of what belongs to the best arm, and to the worst.
const BEST: usize = 1;
const WORST: usize = 0;
/// Radius of the arm set, in pixels.
const RADIUS: f64 = 37.0;

/// kappa_* and kappa_X: the slopes of the logistic curve at the best arm and at the worst.
pub fn draw_kappas(examples: &[Example; 2]) -> Figure {
    let figure = draw(examples, |canvas, example, plane| {
        arm_set(canvas, example, plane, None);
        let best = example.instance.best();
        tangent(canvas, plane, example.worst, WORST);
        tangent(canvas, plane, best, BEST);
        let at_worst = slope_label("X", example.instance.kappa_x(), WORST);
        let (x, y) = plane.at([example.worst, link::mean(example.worst)]);
        canvas.text((x + 54.0, y - 33.0), &at_worst.anchor(Anchor::End));
        let at_best = slope_label("⋆", example.instance.kappa_star(), BEST);
        let (x, y) = plane.at([best, link::mean(best)]);
        match example.arms {
            Arms::HalfBall => canvas.text((x + 14.0, y + 6.0), &at_best),
            Arms::Ball => canvas.text((x + 58.0, y - 22.0), &at_best.anchor(Anchor::End)),
        }
    });
    figure.finish(
        "The slopes 1/κ⋆ and 1/κX",
        format!(
            "The logistic curve over the log-odds that the arms reach, with its tangents at the best and at the worst \
             arm. {} {}",
            in_words(&examples[0], "On a half ball that lies away from theta*"),
            in_words(&examples[1], "On the unit ball")
        ),
    )
}

/// The detrimental arms: on the curve, and in the arm set.
pub fn draw_detrimental(examples: &[Example; 2]) -> Figure {
    let figure = draw(examples, |canvas, example, plane| {
        let below = example.instance.detrimental_below();
        area(canvas, plane, example.worst, below, Paint::hatch(Ink::Warn).edge(Stroke::new(Ink::Warn, 1.4)));
        arm_set(canvas, example, plane, Some(example.detrimental_left_of()));
        canvas.circle(plane.at([below, link::mean(below)]), 3.2, Paint::fill(Ink::Warn));
        condition(canvas, example, plane);
    });
    let share = |example: &Example| 100.0 * example.detrimental_share;
    figure.finish(
        "Detrimental arms",
        format!(
            "Detrimental arms, hatched on the logistic curve and in the arm set, where they are a cap. On the half ball \
             they are the arms with log-odds below {:.2}, {:.0} % of its area; on the unit ball those below {}, {:.0} %.",
            examples[0].instance.detrimental_below(),
            share(&examples[0]),
            examples[1].instance.detrimental_below(),
            share(&examples[1])
        ),
    )
}

/// Which arms are detrimental, and by which of the two rules.
fn condition(canvas: &mut Canvas, example: &Example, plane: &Plane) {
    let below = example.instance.detrimental_below();
    let (value, why) = match example.arms {
        Arms::HalfBall => (
            format!("{below:.2}"),
            Text::new("where μ′ ≤ 1/(2κ").sub("⋆").then(format!(") = 1/{}", 2.0 * rounded(example))),
        ),
        Arms::Ball => (below.to_string(), Text::new("because x").sub("⋆").then("′θ").sub("⋆").then(" > 0")),
    };
    let words = Text::new("X").sub("−").then(": x′θ").sub("⋆").then(format!(" ≤ {}", minus(&value)));
    let (x, y) = (plane.frame.x + 4.0, plane.frame.bottom());
    canvas.text((x, y - 101.0), &words.ink(Ink::Warn).bold().size(12.0));
    canvas.text((x, y - 86.0), &why.ink(Ink::Warn).size(11.0));
}

/// kappa_* without its rounding error.
fn rounded(example: &Example) -> f64 {
    (1e6 * example.instance.kappa_star()).round() / 1e6
}

fn in_words(example: &Example, place: &str) -> String {
    let (star, all) = (example.instance.kappa_star(), example.instance.kappa_x());
    format!("{place} kappa_* is {star:.0} and kappa_X is {all:.0}.")
}

/// Both panels with what they share; `draw` adds the rest before the curve is drawn.
fn draw(examples: &[Example; 2], draw: impl Fn(&mut Canvas, &Example, &Plane)) -> Canvas {
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    let reach = 1.55 * examples[1].instance.best();
    for (i, example) in examples.iter().enumerate() {
        let frame = Rect::new(12.0 + 360.0 * i as f64, 44.0, 336.0, 218.0);
        let plane = Plane::new(frame, [-reach, 0.0], [reach, 1.1]);
        heading(&mut canvas, frame, example, ["(a)", "(b)"][i]);
        area(&mut canvas, &plane, example.worst, example.instance.best(), Paint::fill(Ink::Grid));
        axes(&mut canvas, &plane);
        draw(&mut canvas, example, &plane);
        curve(&mut canvas, &plane, example, reach);
        ends(&mut canvas, &plane, example);
    }
    canvas
}

fn heading(canvas: &mut Canvas, frame: Rect, example: &Example, pending: &str) {
    let (star, all) = (example.instance.kappa_star(), example.instance.kappa_x());
    let name = match example.arms {
        Arms::HalfBall => "half ball",
        Arms::Ball => "unit ball",
    };
    let text = Text::new(format!("{pending} {name}: κ")).sub("⋆");
    let text = match example.arms {
        Arms::HalfBall => text.then(format!(" = {star:.0}, κ")).sub("X").then(format!(" = {all:.0}")),
        Arms::Ball => text.then(" = κ").sub("X").then(format!(" = {all:.0}")),
    };
    canvas.text((frame.x, frame.y - 22.0), &text.bold());
}

fn axes(canvas: &mut Canvas, plane: &Plane) {
    let frame = plane.frame;
    let stroke = Stroke::new(Ink::Muted, 1.0);
    let zero = plane.at([0.0, 0.0]);
    canvas.arrow((frame.x, zero.1), (frame.right(), zero.1), stroke);
    canvas.arrow(zero, (zero.0, frame.y - 6.0), stroke);
    let muted = |words: &str| Text::new(words).size(12.0).ink(Ink::Muted);
    canvas.text((zero.0 + 8.0, frame.y + 2.0), &muted("μ"));
    canvas.text((frame.right(), zero.1 - 7.0), &muted("x′θ").sub("⋆").anchor(Anchor::End));
    let one = plane.at([0.0, 1.0]);
    canvas.line((one.0 - 3.0, one.1), (one.0 + 3.0, one.1), stroke);
    canvas.text((one.0 + 8.0, one.1 + 4.0), &muted("1"));
}

/// What is between the curve and the axis, from one log-odds to another.
fn area(canvas: &mut Canvas, plane: &Plane, from: f64, to: f64, paint: Paint) {
    let mut corners = vec![plane.at([from, 0.0])];
    corners.extend(plane.all(graph(from, to)));
    corners.push(plane.at([to, 0.0]));
    canvas.polygon(&corners, paint);
}

/// Points of the logistic curve.
fn graph(from: f64, to: f64) -> impl Iterator<Item = Point> {
    (0..=120).map(move |i| from + (to - from) * f64::from(i) / 120.0).map(|z| [z, link::mean(z)])
}

/// The curve: thick over the arms, thin elsewhere.
fn curve(canvas: &mut Canvas, plane: &Plane, example: &Example, reach: f64) {
    canvas.polyline(&plane.all(graph(-reach, reach)), Stroke::new(Ink::Muted, 1.0).dotted());
    canvas.polyline(&plane.all(graph(example.worst, example.instance.best())), Stroke::new(Ink::Text, 2.6));
}

/// The log-odds of the worst and of the best arm, below the axis.
fn ends(canvas: &mut Canvas, plane: &Plane, example: &Example) {
    let best = example.instance.best();
    let labels = [
        (example.worst, Text::new("min x′θ").sub("⋆"), WORST),
        (best, Text::new("x").sub("⋆").then("′θ").sub("⋆"), BEST),
    ];
    for (z, words, colour) in labels {
        let (x, y) = plane.at([z, 0.0]);
        let value = if z == 0.0 { "0".to_owned() } else { minus(&format!("{z:.2}")) };
        canvas.line((x, y), plane.at([z, link::mean(z)]), Stroke::new(Ink::Muted, 1.0).dotted());
        canvas.circle((x, y), 3.4, Paint::fill(Ink::Series(colour)));
        let text = words.then(format!(" = {value}")).size(12.0).anchor(Anchor::Middle);
        canvas.text((x, y + 20.0), &text);
    }
}

/// The tangent of the curve at a log-odds, 70 pixels to either side.
fn tangent(canvas: &mut Canvas, plane: &Plane, z: f64, colour: usize) {
    let (mean, slope) = (link::mean(z), link::variance(z));
    let at = |step: f64| plane.at([z + step, mean + slope * step]);
    let (from, to) = (at(-1.0), at(1.0));
    let stretch = 62.0 / (0.5 * (to.0 - from.0).hypot(to.1 - from.1));
    canvas.line(at(-stretch), at(stretch), Stroke::new(Ink::Series(colour), 2.4).dashed());
}

fn slope_label(index: &str, kappa: f64, colour: usize) -> Text {
    let text = Text::new("slope 1/κ").sub(index).then(format!(" = 1/{kappa:.0}"));
    text.ink(Ink::Series(colour)).bold().size(12.0).halo()
}

/// The arm set in the upper left corner, hatched in red left of a line, with the direction of theta*.
fn arm_set(canvas: &mut Canvas, example: &Example, plane: &Plane, red_left_of: Option<f64>) {
    let centre = (plane.frame.x + RADIUS + 14.0, plane.frame.y + RADIUS + 4.0);
    let edge = match example.arms {
        Arms::HalfBall => 0.0,
        Arms::Ball => 1.0,
    };
    let outline = Stroke::new(Ink::Muted, 1.6);
    canvas.polygon(&cap(centre, edge), Paint::fill(Ink::Grid).edge(outline));
    if let Some(line) = red_left_of {
        canvas.polygon(&cap(centre, line), Paint::hatch(Ink::Warn).edge(Stroke::new(Ink::Warn, 1.4)));
        let at = (centre.0 - RADIUS - 2.0, centre.1 + RADIUS + 8.0);
        canvas.text(at, &Text::new("X").sub("−").bold().ink(Ink::Warn));
    }
    let at = (centre.0 - RADIUS - 2.0, centre.1 - 0.8 * RADIUS);
    canvas.text(at, &Text::new("X").ink(Ink::Muted).bold());
    canvas.arrow(centre, (centre.0 + 1.55 * RADIUS, centre.1), Stroke::new(Ink::Text, 2.0));
    canvas.text((centre.0 + 1.62 * RADIUS, centre.1 + 4.0), &Text::new("θ").sub("⋆").bold());
}

/// The part of the disc left of the line x_1 = `at`.
fn cap(centre: Pixel, at: f64) -> Vec<Pixel> {
    let half = PI - at.clamp(-1.0, 1.0).acos();
    let angles = (0..=90).map(|i| PI - half + 2.0 * half * f64::from(i) / 90.0);
    angles.map(|a| (centre.0 + RADIUS * a.cos(), centre.1 - RADIUS * a.sin())).collect()
}
