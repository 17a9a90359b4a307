//! What is certain about every arm as time goes by, drawn in the terminal: `cargo run --example intervals`, or as a
//! picture: `cargo run --example intervals -- --svg intervals.svg`.

use std::fmt::Write;
use std::process::ExitCode;

use optimist::Problem;
use optimist::plan::Interval;
use optimist::rand::{RngExt, SeedableRng};
use optimist::{ArmSet, FiniteArms, Result, link, policy};
use rand_chacha::ChaCha8Rng;

const THETA: [f64; 2] = [2.0, 1.5];
const ARMS: usize = 8;
const LOOKS: [usize; 4] = [10, 100, 1000, 5000];

/// Every arm's interval after some round.
struct Look {
    round: usize,
    intervals: Vec<Interval>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => looks().map_err(|e| e.to_string()).map(|looks| print!("{}", as_text(&looks))),
        ["--svg", path] => looks()
            .map_err(|e| e.to_string())
            .and_then(|looks| std::fs::write(path, as_svg(&looks)).map_err(|e| format!("cannot write {path}: {e}"))),
        ["--svg"] => Err("--svg needs the name of a file".to_owned()),
        [other, ..] => Err(format!("\"{other}\" is not understood: give nothing, or --svg FILE")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("intervals: {what}");
            ExitCode::from(2)
        }
    }
}

/// Arms around the circle, best first.
fn arms() -> Vec<[f64; 2]> {
    let mut arms: Vec<[f64; 2]> = (0..ARMS)
        .map(|k| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / ARMS as f64).sin_cos();
            [cos, sin]
        })
        .collect();
    arms.sort_by(|a, b| probability(b).total_cmp(&probability(a)));
    arms
}

fn probability(x: &[f64; 2]) -> f64 {
    link::mean(x[0] * THETA[0] + x[1] * THETA[1])
}

/// Plays, and looks from time to time.
fn looks() -> Result<Vec<Look>> {
    let list = FiniteArms::from_rows(&arms())?;
    let arms = ArmSet::from(list.clone());
    let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) };
    let mut policy = policy::build("optimist", &problem)?;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut looks = Vec::new();
    for round in 1..=LOOKS[LOOKS.len() - 1] {
        let x = policy.choose(&arms, &mut rng)?.features;
        let reward = f64::from(rng.random_bool(probability(&[x[0], x[1]])));
        policy.observe(&x, reward)?;
        if LOOKS.contains(&round) {
            let intervals: Result<_> = list.iter().map(|x| Ok(policy.interval(x)?.interval)).collect();
            looks.push(Look { round, intervals: intervals? });
        }
    }
    Ok(looks)
}

/// One line per arm: `=` from the lower to the upper bound, `o` the truth.
fn as_text(looks: &[Look]) -> String {
    const WIDTH: usize = 61;
    let column = |p: f64| (p * (WIDTH - 1) as f64).round() as usize;
    let mut text =
        String::from("Success probability of every arm, right at all times with probability 95%; o is the truth\n");
    for look in looks {
        let _ = writeln!(text, "\nafter {} rounds\n        0{:>30}{:>30}", look.round, "0.5", "1");
        for (k, (x, sure)) in arms().iter().zip(&look.intervals).enumerate() {
            let mut bar = vec!['.'; WIDTH];
            bar[column(sure.lower)..=column(sure.upper)].fill('=');
            bar[column(probability(x))] = 'o';
            let bar: String = bar.into_iter().collect();
            let _ = writeln!(text, "arm {k:<2}  {bar}  {:.3} to {:.3}", sure.lower, sure.upper);
        }
    }
    text
}

/// One panel per look, one row per arm.
fn as_svg(looks: &[Look]) -> String {
    const PANEL: f64 = 220.0;
    const ROW: f64 = 24.0;
    let (width, height) = (60.0 + (PANEL + 20.0) * looks.len() as f64, 70.0 + ROW * ARMS as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for k in 0..ARMS {
        let _ = writeln!(svg, "<text x=\"10\" y=\"{}\">arm {k}</text>", 54.0 + ROW * k as f64);
    }
    for (i, look) in looks.iter().enumerate() {
        let left = 60.0 + (PANEL + 20.0) * i as f64;
        let bottom = 40.0 + ROW * ARMS as f64;
        let _ = writeln!(svg, "<text x=\"{left}\" y=\"24\">after {} rounds</text>", look.round);
        for (at, label) in [(0.0, "0"), (0.5, "0.5"), (1.0, "1")] {
            let x = left + PANEL * at;
            let _ = writeln!(svg, "<path d=\"M{x} 36 V{bottom}\" stroke=\"#ddd\"/>");
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", bottom + 16.0);
        }
        for (k, (x, sure)) in arms().iter().zip(&look.intervals).enumerate() {
            let y = 50.0 + ROW * k as f64;
            let (x1, x2, truth) = (left + PANEL * sure.lower, left + PANEL * sure.upper, left + PANEL * probability(x));
            let _ = writeln!(svg, "<path d=\"M{x1:.1} {y} H{x2:.1}\" stroke=\"#d9552c\" stroke-width=\"8\"/>");
            let _ = writeln!(svg, "<circle cx=\"{truth:.1}\" cy=\"{y}\" r=\"3.5\" fill=\"#111\"/>");
        }
    }
    svg.push_str("</svg>\n");
    svg
}
