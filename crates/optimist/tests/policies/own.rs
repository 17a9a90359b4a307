//! `optimist-stream` and `bayes-ucb` against slow computations.

use optimist::Problem;
use optimist::numerics::dot;
use optimist::policy::bayes_ucb::{BayesUcb, BayesUcbOptions, Quantile};
use optimist::policy::optimist_stream::{OptimistStream, OptimistStreamOptions};
use optimist::policy::{Agent, Certificate, Common, Policy};
use optimist::{ArmSet, Estimator, FiniteArms, History, Penalty, link};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::simulation::Simulation;

const S: f64 = 4.0;
const D: usize = 3;

fn problem() -> Problem {
    Problem { dimension: D, delta: 0.05, norm_bound: Some(S) }
}

/// Solves a x = b by elimination with pivoting.
fn solve(a: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut m: Vec<Vec<f64>> = a.iter().zip(b).map(|(row, v)| [row.clone(), vec![*v]].concat()).collect();
    for i in 0..n {
        let pivot = (i..n).max_by(|&p, &q| m[p][i].abs().total_cmp(&m[q][i].abs())).unwrap();
        m.swap(i, pivot);
        for r in 0..n {
            if r != i {
                let factor = m[r][i] / m[i][i];
                let row = m[i].clone();
                m[r].iter_mut().zip(&row).for_each(|(v, w)| *v -= factor * w);
            }
        }
    }
    (0..n).map(|i| m[i][n] / m[i][i]).collect()
}

fn squared_width(a: &[Vec<f64>], x: &[f64]) -> f64 {
    dot(x, &solve(a, x))
}

fn loss(z: f64, reward: f64) -> f64 {
    z.max(0.0) + (-z.abs()).exp().ln_1p() - reward * z
}

/// The stream's learner with a full matrix, bisection, a grid and a plain sum for the integral.
struct Slow {
    theta: Vec<f64>,
    matrix: Vec<Vec<f64>>,
    squared_radius: f64,
}

impl Slow {
    fn new() -> Self {
        let ridge = D as f64 / (S * S);
        let row = |i: usize| (0..D).map(|j| if i == j { ridge } else { 0.0 }).collect();
        Self {
            theta: vec![0.0; D],
            matrix: (0..D).map(row).collect(),
            squared_radius: ridge * S * S + 2.0 * 20f64.ln(),
        }
    }

    fn interval(&self, x: &[f64]) -> (f64, f64) {
        let (mean, width) = (dot(x, &self.theta), (self.squared_radius * squared_width(&self.matrix, x)).sqrt());
        let reach = S * dot(x, x).sqrt();
        ((mean - width).max(-reach), (mean + width).min(reach))
    }

    fn index(&self, x: &[f64]) -> f64 {
        dot(x, &self.theta) + (self.squared_radius * squared_width(&self.matrix, x)).sqrt()
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        let (low, high) = self.interval(x);
        let direction = solve(&self.matrix, x);
        let (mean, square) = (dot(x, &self.theta), dot(x, &direction));
        // z - mean + square (mu(z) - reward) = 0, by bisection.
        let (mut below, mut above) = (mean - square, mean + square);
        for _ in 0..200 {
            let z = 0.5 * (below + above);
            if z - mean + square * (link::mean(z) - reward) > 0.0 { above = z } else { below = z }
        }
        let u = 0.5 * (below + above);
        let quotient = |z: f64| (loss(z, 0.0) - loss(u, 0.0) - link::mean(u) * (z - u)) / (z - u).powi(2);
        let grid = (0..=4000).map(|i| low + (high - low) * f64::from(i) / 4000.0).filter(|z| (z - u).abs() > 1e-3);
        let curvature = grid.map(quotient).fold(0.5 * link::variance(u), f64::min);
        // The trapezoidal rule, which for a smooth bump is exact to rounding.
        let step = 16.0 / 4000.0;
        let normal = |y: f64| (-0.5 * y * y).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let nodes = (-2000..=2000).map(|i| f64::from(i) * step);
        let likelihood: f64 = nodes.map(|y| step * normal(y) * (-loss(mean + square.sqrt() * y, reward)).exp()).sum();
        let moved = (u - mean) / square;
        self.squared_radius += 2.0 * (-likelihood.ln() - loss(u, reward)) - moved * moved * square;
        for i in 0..D {
            self.theta[i] += moved * direction[i];
            for j in 0..D {
                self.matrix[i][j] += 2.0 * curvature * x[i] * x[j];
            }
        }
    }
}

#[test]
fn the_stream_is_what_a_slow_computation_says() {
    let mut simulation = Simulation::new(D, 3.0, 11);
    let arms = simulation.ball_arms(12);
    let set = ArmSet::from(arms.clone());
    let options = OptimistStreamOptions::default();
    let mut policy = Agent::<OptimistStream>::new(&problem(), &options, Common::of::<OptimistStream>()).unwrap();
    let mut slow = Slow::new();
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    for round in 0..200 {
        let choice = policy.choose(&set, &mut rng).unwrap();
        let best = arms.iter().map(|x| slow.index(x)).fold(f64::NEG_INFINITY, f64::max);
        // The policy forecasts by 24 Gauss-Hermite points, which differ from the integral by some 1e-6 a round.
        assert!(slow.index(&choice.features) >= best - 1e-4, "round {round}");
        for x in arms.iter() {
            let ((low, high), sure) = (slow.interval(x), policy.interval(x).unwrap().interval);
            assert!((sure.log_odds_lower - low).abs() < 1e-4, "round {round}: {} {low}", sure.log_odds_lower);
            assert!((sure.log_odds_upper - high).abs() < 1e-4, "round {round}: {} {high}", sure.log_odds_upper);
        }
        for (fast, exact) in policy.estimate().iter().zip(&slow.theta) {
            assert!((fast - exact).abs() < 1e-5, "round {round}: {fast} {exact}");
        }
        let reward = simulation.reward(&choice.features);
        policy.observe(&choice.features, reward).unwrap();
        slow.learn(&choice.features, reward);
    }
    assert!(policy.contains(&simulation.theta).unwrap());
}

/// After many rounds the curvature is the variance, and what is left of the norm bound is what the first rounds cost.
#[test]
fn the_stream_hardly_depends_on_the_norm_bound() {
    let widths = [4.0, 12.0].map(|bound| {
        let mut simulation = Simulation::new(2, 2.0, 5);
        let arms = ArmSet::from(simulation.ball_arms(6));
        let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(bound) };
        let options = OptimistStreamOptions::default();
        let mut policy = Agent::<OptimistStream>::new(&problem, &options, Common::of::<OptimistStream>()).unwrap();
        let ArmSet::Finite(list) = &arms else { unreachable!() };
        for t in 0..20_000 {
            let x = list.arm(t % 6);
            policy.observe(x, simulation.reward(x)).unwrap();
        }
        let interval = policy.interval(list.arm(0)).unwrap().interval;
        interval.log_odds_upper - interval.log_odds_lower
    });
    assert!(widths[1] < 1.3 * widths[0], "{widths:?}");
}

fn slow_quantile_index(history: &History, arms: &FiniteArms, quantile: Quantile) -> Vec<f64> {
    let ridge = D as f64 / (S * S);
    let mut estimator = Estimator::new(D);
    estimator.fit(history, Penalty::ridge(ridge)).unwrap();
    let theta = estimator.theta();
    // The Hessian by plain sums over rows.
    let mut hessian = vec![vec![0.0; D]; D];
    let mut x = vec![0.0; D];
    for row in 0..history.rows() {
        history.features(row, &mut x);
        let weight = history.outcomes(row).0 * link::variance(dot(&x, theta));
        for i in 0..D {
            for j in 0..D {
                hessian[i][j] += weight * x[i] * x[j];
            }
        }
    }
    (0..D).for_each(|i| hessian[i][i] += ridge);
    let t = history.observations() + 1.0;
    let index = |x: &[f64]| {
        let (mean, square) = (dot(x, theta), squared_width(&hessian, x));
        let z = match quantile {
            Quantile::Fixed(z) => z,
            _ => (3.0 + 2.0 * (1.0 + t / D as f64 * link::variance(mean) * square).ln()).sqrt(),
        };
        mean + z * square.sqrt()
    };
    arms.iter().map(index).collect()
}

#[test]
fn bayes_ucb_plays_the_largest_index_and_optimism_at_milestones() {
    for quantile in [Quantile::Leverage, Quantile::Fixed(2.0)] {
        let mut simulation = Simulation::new(D, 3.0, 21);
        let arms = simulation.ball_arms(15);
        let set = ArmSet::from(arms.clone());
        let options = BayesUcbOptions { quantile, ..BayesUcbOptions::default() };
        let common = Common { eliminate: false, ..Common::of::<BayesUcb>() };
        let mut policy = Agent::<BayesUcb>::new(&problem(), &options, common).unwrap();
        let mut twin = optimist::policy::build("optimist", &problem()).unwrap();
        let mut history = History::new(D).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut optimistic = 0;
        for round in 1..=200 {
            let choice = policy.choose(&set, &mut rng).unwrap();
            let step = |t: f64| (t.ln() / 1.2_f64.ln()).floor();
            if round == 1 || step(f64::from(round)) > step(f64::from(round - 1)) {
                optimistic += 1;
                assert_eq!(choice.index, twin.choose(&set, &mut rng).unwrap().index, "round {round}");
            } else {
                let index = slow_quantile_index(&history, &arms, quantile);
                let best = index.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                assert!(index[choice.index.unwrap()] >= best - 1e-8, "round {round}");
            }
            assert!(matches!(choice.certificate, Certificate::OnRequest(_)), "round {round}");
            let reward = simulation.reward(&choice.features);
            policy.observe(&choice.features, reward).unwrap();
            twin.observe(&choice.features, reward).unwrap();
            history.observe(&choice.features, reward).unwrap();
        }
        // 29 values of floor(log_1.2 t) up to 200, of which the first few rounds skip some.
        assert!((20..=30).contains(&optimistic), "{optimistic}");
    }
}

/// Copies of arms are ties, which carried bounds decide: a clone must decide them alike.
#[test]
fn a_clone_decides_ties_alike() {
    for name in ["optimist", "bayes-ucb"] {
        let mut simulation = Simulation::new(2, 3.0, 3);
        let six = simulation.sphere_arms(6);
        let arms = ArmSet::from(FiniteArms::new(2, [six.features(), six.features()].concat()).unwrap());
        let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(S) };
        let mut policy = optimist::policy::build(name, &problem).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        for round in 0..300 {
            let likely = policy.probabilities(&arms, 1, &mut rng).unwrap().values;
            let clone = policy.boxed_clone().choose(&arms, &mut rng).unwrap().index;
            let choice = policy.choose(&arms, &mut rng).unwrap();
            assert_eq!(clone, choice.index, "{name} round {round}");
            assert_eq!(likely[choice.index.unwrap()], 1.0, "{name} round {round}");
            policy.observe(&choice.features, simulation.reward(&choice.features)).unwrap();
        }
    }
}

/// b^2 - (d + 2 log(1/delta) + logdet(W/lambda)): what the first rounds cost, of the order of S, and settled soon.
#[test]
fn what_is_left_of_the_norm_bound_is_settled_early() {
    for bound in [5.0, 20.0] {
        let problem = Problem { dimension: D, delta: 0.05, norm_bound: Some(bound) };
        let start = serde_json::json!({"start": "ball"});
        let mut policy = optimist::policy::build_with("optimist-stream", &problem, &start).unwrap();
        let mut simulation = Simulation::new(D, 0.5, 17);
        let arms = simulation.sphere_arms(200);
        let mut excess_after = |rounds: usize| {
            for t in 0..rounds {
                let x = arms.arm(t % 200);
                policy.observe(x, simulation.reward(x)).unwrap();
            }
            let state: serde_json::Value = serde_json::from_str(&policy.save().unwrap()).unwrap();
            let rule = &state["state"]["rule"]["stage"]["stream"];
            let read = |v: &serde_json::Value| v.as_f64().unwrap();
            let log_det = read(&rule["precision"]["log_det"]) - D as f64 * (D as f64 / (bound * bound)).ln();
            read(&rule["squared_radius"]) - (D as f64 + 2.0 * 20f64.ln() + log_det)
        };
        let (early, late) = (excess_after(5_000), excess_after(45_000));
        println!("S = {bound}: {early:.1} after 5,000 rounds, {late:.1} after 50,000");
        assert!(late > 0.2 * bound && late < 4.0 * bound, "{late} for S = {bound}");
        assert!((late - early).abs() < 0.1 * bound, "{early} and {late} for S = {bound}");
    }
}
