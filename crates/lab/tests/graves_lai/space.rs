//! Three features: alternatives on a dense grid of rays.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::{naive, solve};

/// What the arms tell against the first confusable alternative of each ray on which the best arm, e1, shows nothing.
fn rays(theta: &[f64], arms: &[Vec<f64>], bound: Option<f64>) -> Vec<Vec<f64>> {
    let count = 12_000;
    let angle = |k: u32| std::f64::consts::TAU * f64::from(k) / f64::from(count);
    let way = |k: u32| [0.0, angle(k).cos(), angle(k).sin()];
    let alternatives = (0..count).filter_map(|k| naive::first(theta, arms, &way(k), bound));
    alternatives.map(|other| naive::row(theta, arms, &other)).collect()
}

/// The regret of plays after scaling them such that they just tell enough on every ray.
fn regret(plays: &[f64], rows: &[Vec<f64>], gaps: &[f64]) -> f64 {
    let least = rows.iter().map(|row| naive::dot(row, plays)).fold(f64::INFINITY, f64::min);
    naive::dot(plays, gaps) / least
}

#[test]
fn rules_out_every_alternative_and_no_other_plays_are_cheaper() {
    let theta = [1.6, -0.3, 0.4];
    let arms: Vec<Vec<f64>> = [[1.0, 0.0, 0.0], [0.5, 0.8, 0.1], [0.4, -0.7, 0.5], [0.2, 0.1, -0.9], [-0.3, 0.6, 0.7]]
        .iter()
        .map(|x| x.to_vec())
        .collect();
    assert_eq!(naive::best(&theta, &arms), 0);
    // Where the ball ends, the hardest alternative is a corner that no ray meets exactly.
    for (bound, coarseness) in [(None, 1e-5), (Some(1.9), 3e-3)] {
        let rows = rays(&theta, &arms, bound);
        let gaps: Vec<f64> = (0..arms.len()).map(|k| naive::gap(&theta, &arms, k)).collect();
        let result = solve(&theta, &arms, bound);
        let mut plays = vec![0.0; arms.len()];
        result.plays.iter().for_each(|(k, eta)| plays[*k] = *eta);
        let least = rows.iter().map(|row| naive::dot(row, &plays)).fold(f64::INFINITY, f64::min);
        assert!((1.0 - 1e-7..1.0 + coarseness).contains(&least), "the hardest alternative gets {least}");
        let cheapest = search(&rows, &gaps);
        let ratio = cheapest / result.value();
        assert!((1.0 - coarseness..1.02).contains(&ratio), "{cheapest} by random search, {}", result.value());
    }
}

/// The least regret that a random search finds, started where all arms are played alike.
fn search(rows: &[Vec<f64>], gaps: &[f64]) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut plays = vec![1.0; gaps.len()];
    let mut least = regret(&plays, rows, gaps);
    for round in 0..6000 {
        let size = if round % 2 == 0 { 1.0 } else { 0.05 };
        let noise = |rng: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
        let trial: Vec<f64> = plays.iter().map(|eta| eta * (size * noise(&mut rng)).exp()).collect();
        let value = regret(&trial, rows, gaps);
        if value < least {
            (least, plays) = (value, trial);
        }
    }
    least
}

#[test]
fn random_alternatives_in_six_dimensions_are_ruled_out() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut draw = |scale: f64| -> Vec<f64> {
        (0..6).map(|_| scale * <StandardNormal as Distribution<f64>>::sample(&StandardNormal, &mut rng)).collect()
    };
    let theta = draw(1.2);
    let arms: Vec<Vec<f64>> = (0..40).map(|_| draw(0.35)).collect();
    let best = arms[naive::best(&theta, &arms)].clone();
    let result = solve(&theta, &arms, None);
    let mut ruled_out = 0;
    for _ in 0..400 {
        let mut way = draw(1.0);
        let along = naive::dot(&way, &best) / naive::dot(&best, &best);
        way.iter_mut().zip(&best).for_each(|(w, b)| *w -= along * b);
        if let Some(other) = naive::first(&theta, &arms, &way, None) {
            let row = naive::row(&theta, &arms, &other);
            let tells: f64 = result.plays.iter().map(|(k, eta)| eta * row[*k]).sum();
            assert!(tells >= 1.0 - 1e-7, "an alternative gets {tells}");
            ruled_out += 1;
        }
    }
    assert!(ruled_out > 300, "{ruled_out} alternatives only");
}
