//! Draws the picture of docs/policies.md: `cargo run --release --example regret > docs/images/regret.svg`.
//!
//! Mean regret of several policies, round by round, over the same random instances: two features, 40 arms in the disk.

use optimist::Problem;
use optimist::{ArmSet, FiniteArms, Result, link, policy};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

/// ||theta*|| for kappa = 50, which the policies are told.
const NORM: f64 = 3.871;
const ROUNDS: usize = 10_000;
const SEEDS: u64 = 50;
const ARMS: usize = 40;

/// A curve: label, policy, options, colour.
type Curve = (&'static str, &'static str, serde_json::Value, &'static str);

fn curves() -> [Curve; 8] {
    [
        ("ofulog-r, as printed", "ofulog-r", json!({"radius": "paper"}), "#9aa0a6"),
        ("ofulog-r", "ofulog-r", json!({}), "#5f7fa8"),
        ("greedy", "greedy", json!({}), "#c9b458"),
        ("ofuglb", "ofuglb", json!({}), "#3f9b8f"),
        ("optimist", "optimist", json!({}), "#d9552c"),
        ("optimist-stream", "optimist-stream", json!({}), "#8a3ffc"),
        ("laplace-ts", "laplace-ts", json!({}), "#4a90d9"),
        ("bayes-ucb", "bayes-ucb", json!({}), "#1b7837"),
    ]
}

fn main() -> Result<()> {
    let marks = marks();
    let mut drawn = Vec::new();
    for (label, name, options, colour) in curves() {
        let mut means = vec![0.0; marks.len()];
        for seed in 0..SEEDS {
            let regret = play(name, &options, seed, &marks)?;
            means.iter_mut().zip(regret).for_each(|(mean, value)| *mean += value / SEEDS as f64);
        }
        drawn.push((label, colour, means));
    }
    print_svg(&marks, &drawn);
    Ok(())
}

/// The rounds at which regret is drawn, evenly spaced on a logarithmic axis.
fn marks() -> Vec<usize> {
    let mut marks: Vec<usize> =
        (0..=120).map(|i| (10.0 * (ROUNDS as f64 / 10.0).powf(f64::from(i) / 120.0)).round() as usize).collect();
    marks.dedup();
    marks
}

/// Regret at the marks.
fn play(name: &str, options: &serde_json::Value, seed: u64, marks: &[usize]) -> Result<Vec<f64>> {
    let mut world = ChaCha8Rng::seed_from_u64(seed);
    let angle = std::f64::consts::TAU * world.random::<f64>();
    let theta = [NORM * angle.cos(), NORM * angle.sin()];
    let arms: Vec<[f64; 2]> = (0..ARMS)
        .map(|_| {
            let (angle, radius) = (std::f64::consts::TAU * world.random::<f64>(), world.random::<f64>().sqrt());
            [radius * angle.cos(), radius * angle.sin()]
        })
        .collect();
    let means: Vec<f64> = arms.iter().map(|x| link::mean(x[0] * theta[0] + x[1] * theta[1])).collect();
    let best = means.iter().copied().fold(0.0, f64::max);
    let arms = ArmSet::from(FiniteArms::from_rows(&arms)?);
    let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(NORM) };
    let mut policy = policy::build_with(name, &problem, options)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed + 1_000_000);
    let (mut regret, mut seen) = (0.0, Vec::with_capacity(marks.len()));
    for round in 1..=ROUNDS {
        let choice = policy.choose(&arms, &mut rng)?;
        let mean = choice.index.map_or(best, |k| means[k]);
        policy.observe(&choice.features, f64::from(u8::from(world.random::<f64>() < mean)))?;
        regret += best - mean;
        if marks.get(seen.len()) == Some(&round) {
            seen.push(regret);
        }
    }
    Ok(seen)
}

const LEFT: f64 = 70.0;
const WIDTH: f64 = 640.0;
const TOP: f64 = 60.0;
const HEIGHT: f64 = 380.0;

fn x_of(round: f64) -> f64 {
    LEFT + WIDTH * (round / 10.0).ln() / (ROUNDS as f64 / 10.0).ln()
}

/// From 1 to 10,000.
fn y_of(regret: f64) -> f64 {
    TOP + HEIGHT * (1.0 - regret.max(1.0).log10() / 4.0)
}

fn print_svg(marks: &[usize], drawn: &[(&str, &str, Vec<f64>)]) {
    println!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 500" font-family="Helvetica, Arial, sans-serif">"##
    );
    println!(r##"<rect width="920" height="500" fill="white"/>"##);
    text(30.0, 30.0, 17.0, "#222", "Mean regret: 40 arms, 2 features, kappa = 50, 50 random instances");
    for power in 0..=4 {
        let (value, label) = (10_f64.powi(power), ["1", "10", "100", "1,000", "10,000"][power as usize]);
        println!(r##"<path d="M{LEFT} {0:.1} H{1}" stroke="#e3e3e3"/>"##, y_of(value), LEFT + WIDTH);
        text(LEFT - 8.0 - 7.0 * label.len() as f64, y_of(value) + 4.0, 12.0, "#555", label);
        if power > 0 {
            println!(r##"<path d="M{0:.1} {TOP} V{1}" stroke="#e3e3e3"/>"##, x_of(value), TOP + HEIGHT);
            text(x_of(value) - 3.5 * label.len() as f64, TOP + HEIGHT + 18.0, 12.0, "#555", label);
        }
    }
    text(LEFT + 0.5 * WIDTH - 20.0, TOP + HEIGHT + 40.0, 13.0, "#555", "rounds");
    let mut labels: Vec<(f64, &str, &str)> = Vec::new();
    for (label, colour, means) in drawn {
        let points: Vec<String> =
            marks.iter().zip(means).map(|(t, r)| format!("{:.1},{:.1}", x_of(*t as f64), y_of(*r))).collect();
        println!(r##"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2.4"/>"##, points.join(" "));
        labels.push((y_of(*means.last().unwrap_or(&1.0)), label, colour));
    }
    // Labels at the ends of the curves, moved apart where they would overlap.
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free = f64::NEG_INFINITY;
    for (y, label, colour) in labels {
        let at = y.max(free);
        println!(
            r##"<path d="M{0} {y:.1} L{1} {at:.1}" stroke="{colour}" stroke-width="1"/>"##,
            LEFT + WIDTH,
            LEFT + WIDTH + 14.0
        );
        text(LEFT + WIDTH + 18.0, at + 4.0, 13.0, colour, label);
        free = at + 17.0;
    }
    println!("</svg>");
}

fn text(x: f64, y: f64, size: f64, colour: &str, words: &str) {
    println!(r##"<text x="{x:.1}" y="{y:.1}" font-size="{size}" fill="{colour}">{words}</text>"##);
}
