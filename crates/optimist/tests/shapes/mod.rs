//! Planning over sets whose shape defeats convex optimisation: the largest norm of a level set (every arm of the unit
//! ball), and the set of small Newton decrements. Everything is compared with grids or with dense formulas.

mod ball;
mod boxes;
mod branch;
mod decrement_set;

use optimist::loss::{Evaluation, Order, evaluate};
use optimist::numerics::{dot, norm};
use optimist::plan::{BallPlan, BallPlanner, BallStatus, BranchPlanner, BranchStatus, SupportSolver, Target};
use optimist::set::{DecrementSet, LevelSet};
use optimist::{Belief, Estimator, FiniteArms, History, Penalty, link};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn unit(rng: &mut ChaCha8Rng, d: usize) -> Vec<f64> {
    loop {
        let v: Vec<f64> = (0..d).map(|_| rng.random_range(-1.0..1.0)).collect();
        let length = norm(&v);
        if length > 0.05 && length <= 1.0 {
            return v.iter().map(|c| c / length).collect();
        }
    }
}

/// A point of the ball, with both the middle and the sphere well covered.
fn point(rng: &mut ChaCha8Rng, d: usize, radius: f64) -> Vec<f64> {
    let scale = radius * rng.random::<f64>();
    unit(rng, d).iter().map(|c| c * scale).collect()
}

/// `n` observations of `k` random arms, of which some are short, by a random parameter.
fn history(rng: &mut ChaCha8Rng, d: usize, n: usize, k: usize, strength: f64) -> History {
    let theta: Vec<f64> = unit(rng, d).iter().map(|c| c * strength).collect();
    let arms: Vec<Vec<f64>> = (0..k).map(|_| point(rng, d, 1.0)).collect();
    let mut history = History::new(d).unwrap();
    for i in 0..n {
        let x = &arms[i % k];
        let reward = f64::from(rng.random::<f64>() < link::mean(dot(x, &theta)));
        history.observe(x, reward).unwrap();
    }
    history
}

fn minimiser(history: &History, ridge: f64, norm_bound: f64) -> Estimator {
    let mut estimator = Estimator::new(history.dimension());
    estimator.fit(history, Penalty { ridge, norm_bound }).unwrap();
    estimator
}

/// The level set of the given excess over the least loss in the ball.
fn level_set<'a>(history: &'a History, centre: &'a Estimator, ridge: f64, excess: f64, bound: f64) -> LevelSet<'a> {
    let theta = centre.theta();
    let level = centre.evaluation().loss + 0.5 * ridge * dot(theta, theta) + excess;
    LevelSet::new(history, ridge, level, bound, theta, centre.evaluation())
}

fn hessian(history: &History, ridge: f64, theta: &[f64]) -> Vec<Vec<f64>> {
    let d = theta.len();
    let mut at = Evaluation::new(d);
    evaluate(history, theta, Order::Hessian, &mut at);
    let entry = |i: usize, j: usize| at.hessian[i.max(j) * d + i.min(j)] + if i == j { ridge } else { 0.0 };
    (0..d).map(|i| (0..d).map(|j| entry(i, j)).collect()).collect()
}

/// b'A^{-1}b by elimination.
fn inverse_form(mut a: Vec<Vec<f64>>, b: &[f64]) -> f64 {
    let d = b.len();
    let mut x = b.to_vec();
    for k in 0..d {
        for i in k + 1..d {
            let factor = a[i][k] / a[k][k];
            let pivot = a[k].clone();
            a[i].iter_mut().zip(&pivot).for_each(|(v, p)| *v -= factor * p);
            x[i] -= factor * x[k];
        }
    }
    for k in (0..d).rev() {
        x[k] = (x[k] - (k + 1..d).map(|j| a[k][j] * x[j]).sum::<f64>()) / a[k][k];
    }
    dot(b, &x)
}

/// g(theta) = sum n mu(x'theta) x + ridge theta.
fn fitted(history: &History, ridge: f64, theta: &[f64]) -> Vec<f64> {
    let mut x = vec![0.0; theta.len()];
    let mut g: Vec<f64> = theta.iter().map(|t| ridge * t).collect();
    for k in 0..history.rows() {
        history.features(k, &mut x);
        let weight = history.outcomes(k).0 * link::mean(dot(&x, theta));
        g.iter_mut().zip(&x).for_each(|(gi, xi)| *gi += weight * xi);
    }
    g
}

/// Calls `visit` with the points of a grid of `2 side + 1` points a side over the cube around the ball.
fn for_grid(d: usize, radius: f64, side: i32, mut visit: impl FnMut(&[f64])) {
    let width = 2 * side + 1;
    let mut point = vec![0.0; d];
    for index in 0..width.pow(d as u32) {
        let mut rest = index;
        for p in &mut point {
            *p = radius * f64::from(rest % width - side) / f64::from(side);
            rest /= width;
        }
        visit(&point);
    }
}
