//! Greedy and sampling policies against slow computations: sums over all observations, dense matrices, a plain Newton
//! method, quadrature.

use optimist::Problem;
use optimist::policy::{self, Agent, Certify, Common, Memory, Policy, pg_ts};
use optimist::{ArmSet, Error, FiniteArms, link};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use serde_json::{Value, json};

use crate::simulation::Simulation;

const D: usize = 3;
type Vector = [f64; D];
type Matrix = [Vector; D];

fn problem() -> Problem {
    Problem { dimension: D, delta: 0.05, norm_bound: Some(4.0) }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A = LL', by the book.
fn cholesky(a: &Matrix) -> Matrix {
    let mut l = [[0.0; D]; D];
    for i in 0..D {
        for j in 0..=i {
            let rest = a[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            l[i][j] = if i == j { rest.sqrt() } else { rest / l[j][j] };
        }
    }
    l
}

/// The solution of Ay = b, by elimination with pivots.
fn solve(a: &Matrix, b: &Vector) -> Vector {
    let (mut a, mut b) = (*a, *b);
    for i in 0..D {
        let pivot = (i..D).max_by(|p, q| a[*p][i].abs().total_cmp(&a[*q][i].abs())).unwrap();
        a.swap(i, pivot);
        b.swap(i, pivot);
        for row in i + 1..D {
            let factor = a[row][i] / a[i][i];
            let above = a[i];
            a[row].iter_mut().zip(above).for_each(|(entry, v)| *entry -= factor * v);
            b[row] -= factor * b[i];
        }
    }
    for i in (0..D).rev() {
        b[i] = (b[i] - (i + 1..D).map(|j| a[i][j] * b[j]).sum::<f64>()) / a[i][i];
    }
    b
}

/// All observations, one by one, with a ridge.
struct Slow {
    data: Vec<(Vec<f64>, f64)>,
    ridge: f64,
}

impl Slow {
    /// Value, gradient and Hessian of L + ridge/2 ||theta||^2 - tilt'theta.
    fn objective(&self, theta: &Vector, tilt: &Vector) -> (f64, Vector, Matrix) {
        let mut value = 0.5 * self.ridge * dot(theta, theta) - dot(tilt, theta);
        let (mut gradient, mut hessian) = ([0.0; D], [[0.0; D]; D]);
        for i in 0..D {
            gradient[i] = self.ridge * theta[i] - tilt[i];
            hessian[i][i] = self.ridge;
        }
        for (x, reward) in &self.data {
            let z = dot(x, theta);
            let mean = 1.0 / (1.0 + (-z).exp());
            value += z.max(0.0) + (-z.abs()).exp().ln_1p() - reward * z;
            for i in 0..D {
                gradient[i] += (mean - reward) * x[i];
                (0..D).for_each(|j| hessian[i][j] += mean * (1.0 - mean) * x[i] * x[j]);
            }
        }
        (value, gradient, hessian)
    }

    /// The minimiser and the Hessian there.
    fn fit(&self, tilt: &Vector) -> (Vector, Matrix) {
        let mut theta = [0.0; D];
        for _ in 0..200 {
            let (value, gradient, hessian) = self.objective(&theta, tilt);
            let step = solve(&hessian, &gradient);
            if dot(&step, &gradient) < 1e-19 {
                break;
            }
            let mut length = 1.0;
            let moved = |length: f64| std::array::from_fn(|i| theta[i] - length * step[i]);
            while length > 1e-6 && self.objective(&moved(length), tilt).0 > value {
                length *= 0.5;
            }
            theta = moved(length);
        }
        (theta, self.objective(&theta, tilt).2)
    }

    fn estimate(&self) -> (Vector, Matrix) {
        self.fit(&[0.0; D])
    }
}

fn normal(rng: &mut ChaCha8Rng) -> Vector {
    std::array::from_fn(|_| rng.sample(StandardNormal))
}

/// A run of 200 rounds, every second ten of them on new arms. `expected` says from the slow computation and a copy of
/// the randomness which parameter the arm should be best for, or which arm should be played.
fn compare(
    name: &str,
    options: Value,
    ridge: f64,
    mut expected: impl FnMut(&Slow, &FiniteArms, u64, &mut ChaCha8Rng) -> Result<Vector, usize>,
) {
    let mut policy = policy::build_with(name, &problem(), &options).unwrap();
    let mut world = Simulation::new(D, 3.0, 101);
    let mut slow = Slow { data: Vec::new(), ridge };
    let mut rng = ChaCha8Rng::seed_from_u64(102);
    let mut list = world.ball_arms(8);
    for round in 1..=200 {
        if round / 10 % 2 == 1 {
            list = world.ball_arms(8);
        }
        let mut copy = rng.clone();
        let arms = ArmSet::from(list.clone());
        let index = policy.choose(&arms, &mut rng).unwrap().index.unwrap();
        match expected(&slow, &list, round, &mut copy) {
            Err(arm) => assert_eq!(index, arm, "round {round}"),
            Ok(theta) => {
                let best = list.iter().map(|x| dot(x, &theta)).fold(f64::NEG_INFINITY, f64::max);
                let value = dot(list.arm(index), &theta);
                assert!(value >= best - 1e-7 * (1.0 + best.abs()), "round {round}: {value} of {best}");
            }
        }
        assert_eq!(rng, copy, "round {round}: drew otherwise");
        let reward = world.reward(list.arm(index));
        policy.observe(list.arm(index), reward).unwrap();
        slow.data.push((list.arm(index).to_vec(), reward));
        let (theta, _) = slow.estimate();
        for (a, b) in policy.estimate().iter().zip(theta) {
            assert!((a - b).abs() <= 1e-7 * (1.0 + b.abs()), "round {round}: {a} and {b}");
        }
    }
}

/// d/S^2.
const RIDGE: f64 = 3.0 / 16.0;

#[test]
fn greedy_plays_the_best_arm_of_the_slow_estimate() {
    compare("greedy", json!({ "posterior": "exact" }), RIDGE, |slow, _, _, _| Ok(slow.estimate().0));
    compare("greedy", json!({ "ridge": 2.5, "posterior": "exact" }), 2.5, |slow, _, _, _| Ok(slow.estimate().0));
}

#[test]
fn laplace_ts_draws_from_the_slow_posterior() {
    compare("laplace-ts", json!({ "scale": 1.5, "posterior": "exact" }), RIDGE, |slow, _, _, rng| {
        let (mut theta, hessian) = slow.estimate();
        // L'v = xi, by back substitution.
        let (l, mut v) = (cholesky(&hessian), normal(rng));
        for i in (0..D).rev() {
            v[i] = (v[i] - (i + 1..D).map(|j| l[j][i] * v[j]).sum::<f64>()) / l[i][i];
        }
        (0..D).for_each(|i| theta[i] += 1.5 * v[i]);
        Ok(theta)
    });
}

#[test]
fn evill_minimises_the_tilted_loss() {
    for (scale, ridge) in [(1.0, 1.0), (2.5, 0.2)] {
        compare("evill", json!({ "scale": scale, "ridge": ridge }), ridge, |slow, _, _, rng| {
            let (l, xi) = (cholesky(&slow.estimate().1), normal(rng));
            let tilt = std::array::from_fn(|i| scale * dot(&l[i], &xi));
            Ok(slow.fit(&tilt).0)
        });
    }
}

#[test]
fn evill_defaults_are_one_and_one() {
    compare("evill", json!({}), 1.0, |slow, _, _, rng| {
        let (l, xi) = (cholesky(&slow.estimate().1), normal(rng));
        Ok(slow.fit(&std::array::from_fn(|i| dot(&l[i], &xi))).0)
    });
}

#[test]
fn epsilon_greedy_explores_as_often_as_it_says() {
    let check = |options: Value, epsilon: fn(f64) -> f64| {
        let mut explored = 0;
        compare("epsilon-greedy", options, RIDGE, |slow, list, round, rng| {
            if rng.random::<f64>() < epsilon(round as f64) {
                explored += 1;
                return Err(rng.random_range(0..list.len()));
            }
            Ok(slow.estimate().0)
        });
        explored
    };
    // 200 rounds at 0.05; a fifth of them; 16/t, about 16 + 16 log(200/16).
    assert!((2..=22).contains(&check(json!({}), |_| 0.05)));
    assert!((22..=58).contains(&check(json!({ "epsilon": 0.2 }), |_| 0.2)));
    assert!((36..=76).contains(&check(json!({ "decay": 2.0 }), |t| (16.0 / t).min(1.0))));
    assert_eq!(check(json!({ "epsilon": 0.0 }), |_| 0.0), 0);
}

#[test]
fn epsilon_greedy_probabilities_are_exact() {
    let list = FiniteArms::from_rows(&[[0.1, 0.0, 0.0], [0.9, 0.0, 0.0], [-0.5, 0.5, 0.0], [0.0, 0.0, 0.3]]).unwrap();
    let arms = ArmSet::from(list);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (options, expected) in [(json!({ "epsilon": 0.2 }), 0.05), (json!({ "decay": 0.5 }), 0.5 / 11.0)] {
        let mut policy = policy::build_with("epsilon-greedy", &problem(), &options).unwrap();
        for _ in 0..10 {
            policy.choose(&arms, &mut rng).unwrap();
            policy.observe(&[0.9, 0.0, 0.0], 1.0).unwrap();
        }
        let p = policy.probabilities(&arms, 0, &mut rng).unwrap();
        assert!(p.standard_errors.is_none());
        for (k, value) in p.values.iter().enumerate() {
            let exact = if k == 1 { 1.0 - 3.0 * expected } else { expected };
            assert!((value - exact).abs() <= 1e-15, "{p:?}");
        }
    }
}

#[test]
fn epsilon_greedy_directions_are_uniform() {
    let mut policy = policy::build_with("epsilon-greedy", &problem(), json!({ "epsilon": 1.0 })).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let (mut mean, mut square, n) = ([0.0; D], [0.0; D], 20_000);
    for _ in 0..n {
        let x = policy.choose(&ArmSet::Sphere { dimension: D }, &mut rng).unwrap().features.into_owned();
        (0..D).for_each(|i| mean[i] += x[i] / f64::from(n));
        (0..D).for_each(|i| square[i] += x[i] * x[i] / f64::from(n));
    }
    // A coordinate of a uniform direction has mean 0 and variance 1/3; its square has variance 1/5 - 1/9.
    for i in 0..D {
        assert!(mean[i].abs() <= 4.0 * (1.0 / 3.0 / f64::from(n)).sqrt(), "{mean:?}");
        assert!((square[i] - 1.0 / 3.0).abs() <= 4.0 * (4.0 / 45.0 / f64::from(n)).sqrt(), "{square:?}");
    }
}

#[test]
fn evill_with_published_constants_warms_up() {
    let options = json!({ "constants": "published", "horizon": 10_000 });
    // ridge, by hand: p = 0.05/3; l = max(4.0943, 1 + 0.5 ln(1 + 10000/12)) = 4.363; 6 l/4.
    let l: f64 = 1.0 + 0.5 * (1.0 + 10_000.0 / 12.0_f64).ln();
    let ridge = 1.5 * l;
    assert!((ridge - 6.544).abs() < 1e-2, "{ridge}");
    compare("evill", options, ridge, |slow, list, _, _| {
        let mut v = [[0.0; D]; D];
        (0..D).for_each(|i| v[i][i] = ridge);
        for (x, _) in &slow.data {
            (0..D).for_each(|i| (0..D).for_each(|j| v[i][j] += x[i] * x[j]));
        }
        let square = |x: &[f64]| dot(x, &solve(&v, &[x[0], x[1], x[2]]));
        Err((0..list.len()).max_by(|a, b| square(list.arm(*a)).total_cmp(&square(list.arm(*b)))).unwrap())
    });
    for (field, problem, options) in [
        ("horizon", problem(), json!({ "constants": "published" })),
        ("norm_bound", Problem { norm_bound: None, ..problem() }, json!({ "constants": "published", "horizon": 100 })),
    ] {
        let error = policy::build_with("evill", &problem, &options).unwrap_err();
        assert!(matches!(error, Error::Missing { field: f, .. } if f == field), "{error}");
    }
    let mut policy =
        policy::build_with("evill", &problem(), json!({ "constants": "published", "horizon": 100 })).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    // On the ball the warm-up walks through the axes.
    for i in 0..6 {
        let x = policy.choose(&ArmSet::Ball { dimension: D }, &mut rng).unwrap().features.into_owned();
        policy.observe(&x, 1.0).unwrap();
        assert!((dot(&x, &x) - 1.0).abs() < 1e-9, "{i}: {x:?}");
    }
}

/// A `pg-ts` whose chain can be looked at, fed with `data`.
fn chain(dimension: usize, options: &pg_ts::PgTsOptions, data: &[(Vec<f64>, f64)]) -> Agent<pg_ts::PgTs> {
    let problem = Problem { dimension, delta: 0.05, norm_bound: Some(4.0) };
    let common = Common { certify: Certify::Off, eliminate: false, memory: Memory::All, explore: 0.0 };
    let mut agent = Agent::<pg_ts::PgTs>::new(&problem, options, common).unwrap();
    data.iter().for_each(|(x, reward)| agent.observe(x, *reward).unwrap());
    agent
}

/// Means of `f` over the chain in twenty batches: their mean and its standard error, whatever the correlations.
fn batch_means(agent: &mut Agent<pg_ts::PgTs>, steps: usize, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<(f64, f64)> {
    let d = agent.problem().dimension;
    let arms = ArmSet::from(FiniteArms::new(d, vec![0.5; d]).unwrap());
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut step = |agent: &mut Agent<pg_ts::PgTs>| {
        agent.choose(&arms, &mut rng).unwrap();
        f(agent.rule().chain())
    };
    (0..200).for_each(|_| drop(step(agent)));
    let mut batches: Vec<Vec<f64>> = Vec::new();
    for _ in 0..20 {
        let mut sum = step(agent);
        for _ in 1..steps {
            step(agent).iter().zip(&mut sum).for_each(|(v, s)| *s += v);
        }
        batches.push(sum.iter().map(|s| s / steps as f64).collect());
    }
    (0..batches[0].len())
        .map(|i| {
            let mean = batches.iter().map(|b| b[i]).sum::<f64>() / 20.0;
            let variance = batches.iter().map(|b| (b[i] - mean).powi(2)).sum::<f64>() / 19.0;
            (mean, (variance / 20.0).sqrt())
        })
        .collect()
}

/// Means of `f` under exp(-L - ridge/2 ||theta||^2), by a grid of the plane.
fn on_grid(data: &[(Vec<f64>, f64)], ridge: f64, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let (n, width) = (600, 12.0);
    let at = |i: usize| width * (2.0 * (i as f64 + 0.5) / n as f64 - 1.0);
    let (mut total, mut sums) = (0.0, vec![0.0; f(&[0.0, 0.0]).len()]);
    for i in 0..n {
        for j in 0..n {
            let theta = [at(i), at(j)];
            let loss = |(x, r): &(Vec<f64>, f64)| link::softplus(dot(x, &theta)) - r * dot(x, &theta);
            let weight = (-data.iter().map(loss).sum::<f64>() - 0.5 * ridge * dot(&theta, &theta)).exp();
            total += weight;
            sums.iter_mut().zip(f(&theta)).for_each(|(s, v)| *s += weight * v);
        }
    }
    sums.iter().map(|s| s / total).collect()
}

fn moments(theta: &[f64]) -> Vec<f64> {
    let positive = f64::from(u8::from(theta[0] + theta[1] > 0.0));
    vec![theta[0], theta[1], theta[0] * theta[0], theta[0] * theta[1], theta[1] * theta[1], positive]
}

#[test]
fn pg_ts_samples_the_posterior() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let rows = [vec![1.0, 0.0], vec![0.6, 0.8], vec![-0.3, 0.9]];
    for (rewards, ridge) in [([1.0, 0.0], 0.7), ([1.0, 0.25], 0.3)] {
        let data: Vec<(Vec<f64>, f64)> =
            (0..24).map(|i| (rows[i % 3].clone(), rewards[usize::from(rng.random_bool(0.4))])).collect();
        let exact = on_grid(&data, ridge, moments);
        let options = pg_ts::PgTsOptions { sweeps: 2, ridge: Some(ridge), ..Default::default() };
        let found = batch_means(&mut chain(2, &options, &data), 2000, moments);
        for (i, ((mean, error), exact)) in found.iter().zip(&exact).enumerate() {
            // Twenty batches: Student's law with 19 degrees of freedom exceeds 4.5 once in four thousand.
            assert!((mean - exact).abs() <= 4.5 * error, "{i}: {mean} +- {error}, not {exact}");
            assert!(*error < 0.05, "{i}: the chain says nothing, {mean} +- {error}");
        }
    }
}

/// One feature, many rewards of an arm: here PG(n, z) is taken as normal, and compared with the exact sum.
#[test]
fn pg_ts_with_many_rewards_samples_the_posterior() {
    let data: Vec<(Vec<f64>, f64)> = (0..120).map(|i| (vec![1.0], f64::from(u8::from(i % 5 == 0)))).collect();
    let weight = |theta: f64| (-120.0 * link::softplus(theta) + 24.0 * theta - 0.25 * theta * theta).exp();
    let grid: Vec<f64> = (0..20_000).map(|i| -5.0 + 10.0 * f64::from(i) / 20_000.0).collect();
    let total: f64 = grid.iter().map(|t| weight(*t)).sum();
    let exact = |power: i32| grid.iter().map(|t| weight(*t) * t.powi(power)).sum::<f64>() / total;
    for threshold in [50, 1000] {
        let options = pg_ts::PgTsOptions { sweeps: 1, threshold, ridge: Some(0.5) };
        let found = batch_means(&mut chain(1, &options, &data), 1500, |theta| vec![theta[0], theta[0] * theta[0]]);
        for ((mean, error), exact) in found.iter().zip([exact(1), exact(2)]) {
            assert!((mean - exact).abs() <= 4.5 * error, "{threshold}: {mean} +- {error}, not {exact}");
        }
    }
}

/// A step renews the share 2 z mu'(z)/tanh(z/2) of the variance.
#[test]
fn pg_ts_forgets_as_fast_as_it_says() {
    let (n, z) = (400, 3.0);
    let successes = (f64::from(n) * link::mean(z)).round() as usize;
    let data: Vec<(Vec<f64>, f64)> = (0..n as usize).map(|i| (vec![1.0], f64::from(u8::from(i < successes)))).collect();
    let options = pg_ts::PgTsOptions { sweeps: 1, threshold: 50, ridge: Some(1e-3) };
    let mut agent = chain(1, &options, &data);
    let arms = ArmSet::from(FiniteArms::from_rows(&[[1.0]]).unwrap());
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut draw = |agent: &mut Agent<pg_ts::PgTs>| {
        agent.choose(&arms, &mut rng).unwrap();
        agent.rule().chain()[0]
    };
    let thetas: Vec<f64> = (0..60_000).map(|_| draw(&mut agent)).skip(1000).collect();
    let mean = thetas.iter().sum::<f64>() / thetas.len() as f64;
    let cross: f64 = thetas.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum();
    let square: f64 = thetas.iter().map(|t| (t - mean).powi(2)).sum();
    let renewed = 1.0 - cross / square;
    let said = 2.0 * z * link::variance(z) / (z / 2.0).tanh();
    assert!((said - 0.3).abs() < 0.01 && (renewed - said).abs() < 0.05, "{renewed} and {said}");
}
