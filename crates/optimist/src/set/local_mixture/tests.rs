//! The bounds on integrals that a level is made of, against the integrals.

use rand::RngExt;

use super::*;
use crate::loss::loss;
use crate::numerics::{add_scaled, dot};
use crate::{generator, link};

/// Plays of a few random arms in the unit ball, with a parameter of the given length.
fn data(seed: u64, d: usize, plays: u64, length: f64) -> History {
    let mut rng = generator(seed);
    let mut history = History::new(d).unwrap();
    for _ in 0..8 {
        let mut x: Vec<f64> = (0..d).map(|_| rng.random_range(-1.0..1.0)).collect();
        x.iter_mut().for_each(|v| *v /= (d as f64).sqrt());
        let rate = link::mean(length * x[0]);
        let successes = (0..plays).filter(|_| rng.random::<f64>() < rate).count() as u64;
        for (reward, count) in [(1.0, successes), (0.0, plays - successes)] {
            if count > 0 {
                history.observe_many(&x, reward, count).unwrap();
            }
        }
    }
    history
}

/// log int exp(-L) dN(centre, I/precision) by the midpoint rule on a grid around `peak`, out to `reach`.
fn integral(history: &History, centre: &[f64], precision: f64, peak: &[f64], reach: f64) -> f64 {
    let d = centre.len();
    let cells: usize = if d == 1 { 4000 } else { 240 };
    let step = 2.0 * reach / cells as f64;
    let normaliser = 0.5 * d as f64 * (precision / std::f64::consts::TAU).ln() + d as f64 * step.ln();
    let exponents: Vec<f64> = (0..cells.pow(d as u32))
        .map(|k| {
            let index = [k % cells, k / cells];
            let theta: Vec<f64> = (0..d).map(|i| peak[i] + (index[i] as f64 + 0.5) * step - reach).collect();
            let squared: f64 = theta.iter().zip(centre).map(|(a, b)| (a - b) * (a - b)).sum();
            normaliser - 0.5 * precision * squared - loss(history, &theta)
        })
        .collect();
    let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + exponents.iter().map(|e| (e - largest).exp()).sum::<f64>().ln()
}

/// -a_j of every local prior after a level, with its precision.
fn bounds(radius: &LocalMixture) -> Vec<(f64, f64)> {
    let weight = |precision: f64| {
        let j = (precision / radius.options.default_ridge()).log(RATIO).round();
        (0.1 * 0.8_f64.powf(j - 1.0)).ln()
    };
    radius.allowance.terms().iter().map(|term| (term.precision, term.log_share - weight(term.precision))).collect()
}

#[test]
fn no_bound_exceeds_its_integral_and_near_the_estimate_it_is_close() {
    let mut checked = 0;
    for (d, plays, length) in [(1, 30, 1.0), (1, 400, 6.0), (2, 60, 2.0), (2, 1000, 4.0)] {
        let history = data(d as u64 + plays, d, plays, length);
        let mut radius = LocalMixture::new(&Problem { dimension: d, delta: 0.05, norm_bound: Some(8.0) }).unwrap();
        // Any centre is allowed, also one with a gradient; the last is pulled well away from the least loss.
        for penalty in [radius.penalty(0.0), Penalty::ridge(0.0), Penalty::ridge(2.0)] {
            let mut estimate = Estimator::new(d);
            estimate.fit(&history, penalty).unwrap();
            radius.level(&history, &mut estimate);
            let (m, at) = (estimate.theta().to_vec(), estimate.evaluation().loss);
            let least = radius.eigenvalue.bound(&estimate.evaluation().hessian, 8);
            for (precision, bound) in bounds(&radius) {
                for shift in [0.0, 0.5, 2.0, 5.0] {
                    // In units of what the data allow, in a fixed direction.
                    let mut candidate = m.clone();
                    let direction = if d == 1 { vec![1.0] } else { vec![0.6, -0.8] };
                    add_scaled(&mut candidate, shift / least.sqrt(), &direction);
                    let mut peak = m.clone();
                    add_scaled(&mut peak, shift / least.sqrt() * precision / (precision + least), &direction);
                    let exact =
                        integral(&history, &candidate, precision, &peak, 12.0 / (precision + 0.5 * least).sqrt());
                    let squared = shift * shift / least * dot(&direction, &direction);
                    let lower = bound - at - 0.5 * precision * squared;
                    assert!(lower <= exact + 1e-9, "d {d}, {penalty:?}, {precision}, {shift}: {lower} above {exact}");
                    let is_least = penalty.ridge == 0.0 && shift == 0.0;
                    assert!(!is_least || lower > exact - 0.1, "d {d}, {plays}, {precision}: {lower} far below {exact}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

/// The level is between C(0), which no distance can beat, and C(infinity), and falls below `mixture` where it should.
#[test]
fn the_distance_is_put_to_use() {
    let history = data(3, 2, 2000, 2.0);
    let options = Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) };
    let mut radius = LocalMixture::new(&options).unwrap();
    let mut estimate = Estimator::new(2);
    estimate.fit(&history, radius.penalty(0.0)).unwrap();
    let level = radius.level(&history, &mut estimate) - estimate.evaluation().loss;
    let fixed = Mixture::new(&options).unwrap().level(&history, &mut estimate) - estimate.evaluation().loss;
    let (least, most) = (radius.allowance.at(0.0), radius.allowance.at(f64::INFINITY));
    assert!((most - fixed - 2f64.ln()).abs() < 1e-9, "{most} {fixed}");
    assert!(level > least && level < fixed - 1.0, "{least} {level} {fixed}");
}
