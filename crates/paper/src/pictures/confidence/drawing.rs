//! The picture of the confidence sets and the intervals.

use optimist::plan::Interval;
use optimist_lab::figure::{Anchor, Canvas, Figure, Ink, Paint, Point as Pixel, Rect, Stroke, Text};

use super::{ArmStory, DEFAULT, NORM_BOUND, OUTLINED, RADII, Story, THETA};
use crate::plane::Plane;

const WIDTH: f64 = 980.0;
const HEIGHT: f64 = 468.0;
/// The panel of the sets.
const SETS: Rect = Rect { x: 22.0, y: 72.0, width: 372.0, height: 372.0 };
/// Where the names of the sets begin.
const LEGEND: f64 = 410.0;
/// The panel of the intervals.
const BARS: Rect = Rect { x: 604.0, y: 72.0, width: 354.0, height: 310.0 };
/// The colour of the default set, of which the right panel tells.
const OURS: usize = 1;

/// Draws both panels.
pub(super) fn draw(story: &Story) -> Figure {
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    heading(
        &mut canvas,
        SETS.x,
        "What 2,000 outcomes still allow",
        "five confidence sets for two parameters, 95% at all times",
    );
    draw_sets(&mut canvas, &story.boundaries);
    draw_legend(&mut canvas);
    heading(&mut canvas, BARS.x, "What that says of ten arms", "probability of success, certified by mixture");
    draw_scale(&mut canvas);
    draw_arms(&mut canvas, &story.arms);
    draw_key(&mut canvas);
    canvas.finish("What the data still allow", describe(&story.arms))
}

fn heading(canvas: &mut Canvas, x: f64, title: &str, subtitle: &str) {
    canvas.text((x, 32.0), &Text::new(title).size(17.0).bold());
    canvas.text((x, 52.0), &Text::new(subtitle).size(12.0).ink(Ink::Muted));
}

/// How a set is drawn.
fn paint(radius: &str) -> Paint {
    let washed =
        |colour: usize, width: f64| Paint::fill(Ink::Soft(colour)).edge(Stroke::new(Ink::Series(colour), width));
    match radius {
        "paper" => Paint::fill(Ink::Grid).edge(Stroke::new(Ink::Muted, 1.0)),
        "tight" => washed(5, 1.2),
        "ofuglb" => washed(0, 1.4),
        OUTLINED => Paint::outline(Stroke::new(Ink::Text, 1.6)),
        _ => Paint::fill(Ink::Series(OURS)),
    }
}

fn draw_sets(canvas: &mut Canvas, boundaries: &[Vec<[f64; 2]>]) {
    let plane = Plane::around(SETS, [0.0; 2], 1.06 * NORM_BOUND);
    for (radius, boundary) in RADII.iter().zip(boundaries) {
        canvas.polygon(&plane.all(boundary.iter().copied()), paint(radius));
    }
    let bound = Paint::outline(Stroke::new(Ink::Muted, 1.2).dashed());
    canvas.circle(plane.at([0.0; 2]), NORM_BOUND * plane.unit(), bound);
    cross(canvas, plane.at(THETA));
}

fn cross(canvas: &mut Canvas, (x, y): Pixel) {
    let stroke = Stroke::new(Ink::Text, 2.0);
    canvas.line((x - 6.0, y), (x + 6.0, y), stroke);
    canvas.line((x, y - 6.0), (x, y + 6.0), stroke);
}

fn draw_legend(canvas: &mut Canvas) {
    let (mut y, text) = (172.0, LEGEND + 24.0);
    for (i, radius) in RADII.into_iter().enumerate() {
        // In the panel the washes lie upon each other, and so they do here.
        let first = if radius == OUTLINED { i } else { 0 };
        for layer in &RADII[first..=i] {
            canvas.rect(Rect::new(LEGEND, y - 12.0, 15.0, 15.0), paint(layer));
        }
        let words = match radius {
            "paper" => "paper, as printed".to_owned(),
            DEFAULT => format!("{DEFAULT}, the default"),
            other => other.to_owned(),
        };
        canvas.text((text, y), &Text::new(words).size(13.0));
        y += 25.0;
    }
    y += 10.0;
    cross(canvas, (LEGEND + 7.5, y - 4.5));
    canvas.text((text, y), &Text::new("truth").size(13.0).ink(Ink::Muted));
    y += 25.0;
    canvas.line((LEGEND - 2.0, y - 4.5), (LEGEND + 17.0, y - 4.5), Stroke::new(Ink::Muted, 1.2).dashed());
    canvas.text((text, y), &Text::new("norm bound").size(13.0).ink(Ink::Muted));
}

/// Where a probability is drawn.
fn across(probability: f64) -> f64 {
    BARS.x + BARS.width * probability
}

fn draw_scale(canvas: &mut Canvas) {
    for quarter in 0..=4 {
        let (part, y) = (f64::from(quarter) / 4.0, BARS.bottom());
        let x = across(part);
        canvas.line((x, BARS.y), (x, y), Stroke::new(Ink::Grid, 1.0));
        let label = Text::new(part.to_string()).size(12.0).ink(Ink::Muted).anchor(Anchor::Middle);
        canvas.text((x, y + 18.0), &label);
    }
}

fn draw_arms(canvas: &mut Canvas, arms: &[ArmStory]) {
    let row = BARS.height / arms.len() as f64;
    for (i, ArmStory { probability, early, late }) in arms.iter().enumerate() {
        let y = BARS.y + row * (i as f64 + 0.5);
        bar(canvas, y, early, 15.0, Ink::Soft(OURS));
        bar(canvas, y, late, 7.0, Ink::Series(OURS));
        dot(canvas, (across(*probability), y));
    }
}

fn bar(canvas: &mut Canvas, y: f64, interval: &Interval, height: f64, ink: Ink) {
    let (left, right) = (across(interval.lower), across(interval.upper));
    // What is known exactly can still be seen.
    let bar = Rect::new(left, y - 0.5 * height, (right - left).max(1.0), height);
    canvas.rect(bar, Paint::fill(ink));
}

fn dot(canvas: &mut Canvas, at: Pixel) {
    canvas.circle(at, 4.0, Paint::fill(Ink::Text).edge(Stroke::new(Ink::Paper, 1.2)));
}

fn draw_key(canvas: &mut Canvas) {
    let y = BARS.bottom() + 46.0;
    let words = |x: f64, words: &str, canvas: &mut Canvas| {
        canvas.text((x, y + 4.5), &Text::new(words).size(12.0).ink(Ink::Muted));
    };
    canvas.rect(Rect::new(BARS.x, y - 7.5, 22.0, 15.0), Paint::fill(Ink::Soft(OURS)));
    words(BARS.x + 30.0, "after 50 rounds", canvas);
    canvas.rect(Rect::new(BARS.x + 150.0, y - 3.5, 22.0, 7.0), Paint::fill(Ink::Series(OURS)));
    words(BARS.x + 180.0, "after 2,000", canvas);
    dot(canvas, (BARS.x + 278.0, y));
    words(BARS.x + 290.0, "truth", canvas);
}

fn describe(arms: &[ArmStory]) -> String {
    let best = arms.first().map_or(String::new(), |arm| {
        let Interval { lower, upper, .. } = arm.late;
        format!(" After 2,000 rounds the best arm is known to succeed with probability {lower:.2} to {upper:.2}.")
    });
    format!(
        "Left: the parameters that five confidence sets still allow after the same 2,000 outcomes. The set of the paper is \
         the whole disc; mixture and sequential-mixing are small regions about the truth. Right: the intervals that \
         mixture gives to ten arms after 50 rounds and after 2,000, each with the true probability inside.{best}"
    )
}
