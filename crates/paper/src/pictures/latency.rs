//! What a round costs as observations accumulate, where every arm is new.

use std::num::NonZero;
use std::time::Instant;

use optimist::policy::{self, Policy};
use optimist::{ArmSet, FiniteArms, Generator, Problem, generator};
use optimist_lab::figure::{Axis, Chart, Figure, Mark, Scale, Series};
use optimist_lab::simulation::Progress;
use optimist_lab::{Error, Result};
use rand::RngExt;
use serde_json::{Value, json};

const DIMENSION: usize = 20;
const ARMS: usize = 10;
/// Rounds whose median is one point: a power of two, so that stretches meet the axis evenly.
const STRETCH: usize = 64;
/// Points per doubling of the rounds.
const GROWTH: f64 = 1.5;

/// A policy, and after how many rounds it is stopped: what grows is seen early.
struct Player {
    label: &'static str,
    name: &'static str,
    options: fn() -> Value,
    rounds: usize,
}

const PLAYERS: [Player; 5] = [
    Player { label: "optimist, all rows", name: "optimist", options: || json!({"memory": null}), rounds: 3_000 },
    Player { label: "optimist", name: "optimist", options: || json!({}), rounds: 20_000 },
    Player { label: "bayes-ucb, exact", name: "bayes-ucb", options: || json!({"posterior": "exact"}), rounds: 5_000 },
    Player { label: "bayes-ucb", name: "bayes-ucb", options: || json!({"certify": "off"}), rounds: 200_000 },
    Player { label: "optimist-stream", name: "optimist-stream", options: || json!({}), rounds: 200_000 },
];

/// Plays and draws: one policy after the other, since they are timed.
///
/// # Errors
/// If a policy cannot be built.
pub(super) fn draw(_jobs: Option<NonZero<usize>>, _progress: &dyn Progress) -> Result<Figure> {
    let series: optimist::Result<Vec<Series>> = PLAYERS.iter().enumerate().map(|(ink, p)| time(ink, p)).collect();
    let chart = Chart {
        title: "Time of a round as observations accumulate".to_owned(),
        subtitle: format!("{ARMS} new arms per round, d = {DIMENSION}; medians of {STRETCH} rounds"),
        x: Axis { label: "round".to_owned(), scale: Scale::Log, range: None },
        y: Axis { label: "microseconds".to_owned(), scale: Scale::Log, range: None },
        series: series.map_err(|e| Error::input(e.to_string()))?,
        guides: Vec::new(),
    };
    Ok(chart.draw())
}

fn time(ink: usize, player: &Player) -> optimist::Result<Series> {
    let problem = Problem { dimension: DIMENSION, delta: 0.05, norm_bound: Some(4.0) };
    let mut policy = policy::build_with(player.name, &problem, (player.options)())?;
    let mut rng = generator(1);
    let theta: Vec<f64> = (0..DIMENSION).map(|_| rng.random_range(-1.0..1.0)).collect();
    let mut points = Vec::new();
    let (mut round, mut next) = (0, STRETCH);
    while round < player.rounds {
        let times: Vec<f64> =
            (0..STRETCH).map(|_| play(&mut *policy, &theta, &mut rng)).collect::<optimist::Result<_>>()?;
        round += STRETCH;
        if round >= next {
            points.push((round as f64 - 0.5 * STRETCH as f64, median(times)));
            next = (GROWTH * next as f64) as usize;
        }
    }
    Ok(Series { label: player.label.to_owned(), ink, points, band: None, bars: None, mark: Mark::LineAndDots })
}

/// Microseconds of a choice and its reward.
fn play(policy: &mut dyn Policy, theta: &[f64], rng: &mut Generator) -> optimist::Result<f64> {
    let size = (3.0 / DIMENSION as f64).sqrt();
    let features: Vec<f64> = (0..ARMS * DIMENSION).map(|_| size * rng.random_range(-1.0..1.0)).collect();
    let arms = ArmSet::from(FiniteArms::new(DIMENSION, features)?);
    let start = Instant::now();
    let choice = policy.choose(&arms, rng)?;
    let chosen = start.elapsed();
    let log_odds: f64 = choice.features.iter().zip(theta).map(|(x, t)| x * t).sum();
    let reward = f64::from(u8::from(rng.random_bool(optimist::link::mean(log_odds))));
    let start = Instant::now();
    policy.observe(&choice.features, reward)?;
    Ok(1e6 * (chosen + start.elapsed()).as_secs_f64())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
