//! Draws the picture of README.md: `cargo run --release --example picture > docs/images/confidence.svg`.
//!
//! Left: the confidence sets of several radii for the same data, in the plane of parameters. Right: what the default set
//! says about every arm's probability of success after 50 rounds and after all of them.

use std::f64::consts::TAU;

use optimist::Problem;
use optimist::plan::{Answers, Interval, Planner};
use optimist::set::Radius;
use optimist::{Belief, FiniteArms, link};

const NORM_BOUND: f64 = 4.0;
const THETA: [f64; 2] = [2.4, 2.0];
const ROUNDS: usize = 2000;
const EARLY: usize = 50;
const SHOWN: [(&str, &str); 5] =
    [("paper", "#d5d8dc"), ("tight", "#b8c4d6"), ("ofuglb", "#7fa3cf"), ("mixture", "#d9552c"), (OUTLINED, "#f5c542")];
const OUTLINED: &str = "sequential-mixing";
/// Which of them chooses the arms and gives the intervals.
const CHOOSER: usize = 3;

fn main() -> optimist::Result<()> {
    let arms = arms()?;
    let mut beliefs = Vec::new();
    for (name, _) in SHOWN {
        let options = Problem { dimension: 2, delta: 0.05, norm_bound: Some(NORM_BOUND) };
        beliefs.push(Belief::with_radius(Radius::by_name(name, &options)?)?);
    }
    let mut planner = Planner::new(&arms, 1e-9)?;
    let mut early = Vec::new();
    let mut noise = Noise(11);
    for round in 0..ROUNDS {
        if round == EARLY {
            early = intervals(&mut beliefs[CHOOSER], &arms)?;
        }
        // The default one chooses; all learn from the same outcomes.
        let chosen = planner.choose(&beliefs[CHOOSER].set(), &arms)?.arm;
        let x = arms.arm(chosen);
        let reward = f64::from(u8::from(noise.uniform() < probability(x)));
        for belief in &mut beliefs {
            belief.observe(x, reward)?;
        }
    }
    let late = intervals(&mut beliefs[CHOOSER], &arms)?;
    print_svg(&mut beliefs, &arms, &early, &late);
    Ok(())
}

/// Ten arms spread over the disk.
fn arms() -> optimist::Result<FiniteArms<'static>> {
    let rows: Vec<[f64; 2]> = (0..10)
        .map(|k| {
            let (angle, radius) = (TAU * f64::from(k) * 0.382, 0.35 + 0.065 * f64::from(k));
            [radius * angle.cos(), radius * angle.sin()]
        })
        .collect();
    FiniteArms::from_rows(&rows)
}

fn probability(x: &[f64]) -> f64 {
    link::mean(x[0] * THETA[0] + x[1] * THETA[1])
}

fn intervals(belief: &mut Belief, arms: &FiniteArms) -> optimist::Result<Vec<Interval>> {
    let mut answers = Answers::new(2, 1e-9)?;
    let set = belief.set();
    arms.iter().map(|x| answers.interval(&set, x)).collect()
}

fn print_svg(beliefs: &mut [Belief], arms: &FiniteArms, early: &[Interval], late: &[Interval]) {
    println!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 980 470" font-family="Helvetica, Arial, sans-serif">"##
    );
    println!(r##"<rect width="980" height="470" fill="white"/>"##);
    draw_sets(beliefs);
    draw_intervals(arms, early, late);
    println!("</svg>");
}

/// The plane of parameters, 46 pixels per unit.
fn draw_sets(beliefs: &mut [Belief]) {
    let (cx, cy, unit) = (215.0, 250.0, 46.0);
    text(30.0, 34.0, 17.0, "#222", "What 2,000 outcomes still allow, at 95%, at all times");
    for (belief, (name, colour)) in beliefs.iter_mut().zip(SHOWN) {
        let boundary = belief.set().boundary(360, 2.0 * NORM_BOUND);
        let points: Vec<String> =
            boundary.iter().map(|p| format!("{:.2},{:.2}", cx + unit * p[0], cy - unit * p[1])).collect();
        // Two sets are nearly the same: one is drawn as an outline.
        let fill = if name == OUTLINED { "none" } else { colour };
        let width = if name == OUTLINED { 3.0 } else { 1.5 };
        println!(
            r##"<polygon points="{}" fill="{fill}" fill-opacity="0.75" stroke="{colour}" stroke-width="{width}"/>"##,
            points.join(" ")
        );
    }
    println!(
        r##"<circle cx="{cx}" cy="{cy}" r="{}" fill="none" stroke="#999" stroke-dasharray="4 4"/>"##,
        NORM_BOUND * unit
    );
    let (x, y) = (cx + unit * THETA[0], cy - unit * THETA[1]);
    println!(r##"<path d="M{} {y} h10 M{x} {} v10" stroke="#111" stroke-width="2"/>"##, x - 5.0, y - 5.0);
    for (i, (name, colour)) in SHOWN.iter().enumerate() {
        let y = 150.0 + 24.0 * i as f64;
        println!(r##"<rect x="425" y="{}" width="14" height="14" fill="{colour}"/>"##, y - 12.0);
        text(446.0, y, 14.0, "#222", if *name == "paper" { "paper (as printed)" } else { name });
    }
    text(425.0, 282.0, 13.0, "#555", "+ truth");
    text(425.0, 302.0, 13.0, "#555", "- - norm bound, 4");
    text(120.0, 458.0, 13.0, "#555", "two parameters; ten arms, chosen by mixture");
}

/// One row per arm: the early interval, the late one, the truth.
fn draw_intervals(arms: &FiniteArms, early: &[Interval], late: &[Interval]) {
    let (left, width, top, row) = (600.0, 340.0, 70.0, 34.0);
    text(600.0, 34.0, 17.0, "#222", "Success probability of every arm, best first");
    let mut order: Vec<usize> = (0..arms.len()).collect();
    order.sort_by(|a, b| probability(arms.arm(*b)).total_cmp(&probability(arms.arm(*a))));
    for tick in 0..=4 {
        let x = left + width * f64::from(tick) / 4.0;
        let bottom = top + row * arms.len() as f64;
        println!(r##"<path d="M{x} {} V{bottom}" stroke="#e3e3e3"/>"##, top - 14.0);
        text(x - 11.0, bottom + 18.0, 12.0, "#555", &format!("{:.2}", f64::from(tick) / 4.0));
    }
    for (i, k) in order.into_iter().enumerate() {
        let y = top + row * i as f64;
        bar(left + width * early[k].lower, width * (early[k].upper - early[k].lower), y, 14.0, "#f6d9c5");
        bar(left + width * late[k].lower, width * (late[k].upper - late[k].lower), y, 7.0, "#d9552c");
        let truth = left + width * probability(arms.arm(k));
        println!(r##"<circle cx="{truth:.1}" cy="{y}" r="3.4" fill="#111"/>"##);
    }
    let y = top + row * arms.len() as f64 + 40.0;
    bar(600.0, 22.0, y - 4.0, 14.0, "#f6d9c5");
    text(630.0, y, 13.0, "#555", "after 50 rounds");
    bar(740.0, 22.0, y - 4.0, 7.0, "#d9552c");
    text(770.0, y, 13.0, "#555", "after 2,000");
    println!(r##"<circle cx="866" cy="{}" r="3.4" fill="#111"/>"##, y - 4.0);
    text(876.0, y, 13.0, "#555", "truth");
}

fn bar(x: f64, width: f64, y: f64, height: f64, colour: &str) {
    println!(
        r##"<rect x="{x:.1}" y="{:.1}" width="{:.1}" height="{height}" rx="2" fill="{colour}"/>"##,
        y - 0.5 * height,
        width.max(1.0)
    );
}

fn text(x: f64, y: f64, size: f64, colour: &str, words: &str) {
    println!(r##"<text x="{x}" y="{y}" font-size="{size}" fill="{colour}">{words}</text>"##);
}

/// A small generator (Steele, Lea and Flood 2014), so that the example needs no other crate.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
