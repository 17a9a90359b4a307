//! GLM-UCB, LogUCB1, LogUCB2 and RS-GLinCB against slow computations: dense sums over the single observations, plain
//! inverses, and a search over a grid for projections.

mod formulas;
mod runs;
mod switching;

use optimist::Problem;
use optimist::plan::Answers;
use optimist::policy::{Agent, Common, Policy, ProjectionStatus, Rule};
use optimist::{ArmSet, FiniteArms};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::simulation::Simulation;

type Vector = [f64; 2];
type Matrix = [[f64; 2]; 2];

const DELTA: f64 = 0.05;
const ROUNDS: usize = 200;

fn mean(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

fn variance(z: f64) -> f64 {
    mean(z) * mean(-z)
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn norm(a: Vector) -> f64 {
    a[0].hypot(a[1])
}

fn determinant(a: Matrix) -> f64 {
    a[0][0] * a[1][1] - a[0][1] * a[1][0]
}

fn solve(a: Matrix, b: Vector) -> Vector {
    let det = determinant(a);
    [(a[1][1] * b[0] - a[0][1] * b[1]) / det, (a[0][0] * b[1] - a[1][0] * b[0]) / det]
}

/// b'A^{-1}b.
fn inverse_form(a: Matrix, b: Vector) -> f64 {
    dot(b, solve(a, b))
}

/// What the rule's own set says of `x`.
fn bounds<R: Rule>(agent: &mut Agent<R>, x: &Vector) -> (f64, f64) {
    agent.estimate();
    agent.rule().bounds(x, &mut Answers::new(2, 1e-9).unwrap()).unwrap()
}

fn vector(x: &[f64]) -> Vector {
    [x[0], x[1]]
}

fn assert_close(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{what}: {a} {b}");
}

/// Single observations.
#[derive(Default)]
struct Data {
    seen: Vec<(Vector, f64)>,
}

impl Data {
    /// Whether this round's projection is searched for.
    fn search(&self) -> bool {
        self.seen.len() < 15 || self.seen.len().is_multiple_of(13)
    }

    fn n(&self) -> f64 {
        self.seen.len() as f64
    }

    /// ridge I + sum weight(x) x x'.
    fn matrix(&self, ridge: f64, weight: impl Fn(Vector) -> f64) -> Matrix {
        let mut a = [[ridge, 0.0], [0.0, ridge]];
        for (x, _) in &self.seen {
            for i in 0..2 {
                for j in 0..2 {
                    a[i][j] += weight(*x) * x[i] * x[j];
                }
            }
        }
        a
    }

    fn hessian(&self, theta: Vector, ridge: f64) -> Matrix {
        self.matrix(ridge, |x| variance(dot(x, theta)))
    }

    /// grad L + ridge theta.
    fn score(&self, theta: Vector, ridge: f64) -> Vector {
        let mut g = [ridge * theta[0], ridge * theta[1]];
        for (x, r) in &self.seen {
            let e = mean(dot(*x, theta)) - r;
            g = [g[0] + e * x[0], g[1] + e * x[1]];
        }
        g
    }

    fn loss(&self, theta: Vector, ridge: f64) -> f64 {
        let term = |(x, r): &(Vector, f64)| (1.0 + dot(*x, theta).exp()).ln() - r * dot(*x, theta);
        self.seen.iter().map(term).sum::<f64>() + 0.5 * ridge * dot(theta, theta)
    }

    /// Newton's method with halved steps.
    fn minimiser(&self, ridge: f64) -> Vector {
        let mut theta = [0.0, 0.0];
        for _ in 0..100 {
            let step = solve(self.hessian(theta, ridge), self.score(theta, ridge));
            let mut length = 1.0;
            let at = |s: f64| [theta[0] - s * step[0], theta[1] - s * step[1]];
            while self.loss(at(length), ridge) > self.loss(theta, ridge) && length > 1e-9 {
                length *= 0.5;
            }
            theta = at(length);
            if norm(step) < 1e-12 {
                break;
            }
        }
        theta
    }
}

/// The least value of `f` over the disk, on grids that shrink around the best point of the last, from the best few of
/// the first.
fn least_over_disk(radius: f64, f: impl Fn(Vector) -> f64) -> f64 {
    let polar = |(r, angle): (f64, f64)| [r * angle.cos(), r * angle.sin()];
    let mut starts: Vec<(f64, (f64, f64))> = Vec::new();
    for i in 0..=12 {
        for j in 0..48 {
            let p = (radius * f64::from(i) / 12.0, std::f64::consts::TAU * f64::from(j) / 48.0);
            starts.push((f(polar(p)), p));
        }
    }
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let refine = |&(value, point): &(f64, (f64, f64))| {
        let (mut value, mut point, mut size) = (value, point, (radius / 12.0, 0.14));
        while size.1 > 1e-8 {
            let (r0, a0) = point;
            for i in -4..=4 {
                for j in -4..=4 {
                    let r = (r0 + size.0 * f64::from(i) / 4.0).clamp(0.0, radius);
                    let p = (r, a0 + size.1 * f64::from(j) / 4.0);
                    if f(polar(p)) < value {
                        (value, point) = (f(polar(p)), p);
                    }
                }
            }
            size = (size.0 * 0.5, size.1 * 0.5);
        }
        value
    };
    starts[..3].iter().map(refine).fold(f64::INFINITY, f64::min)
}

/// Plays a policy on ten fixed arms or on new arms every round, and calls `check` before every choice with the data,
/// the arms and what the policy then chooses.
fn play<R: Rule>(
    problem: &Problem,
    options: &R::Options,
    (truth, seed, fixed): (f64, u64, bool),
    mut check: impl FnMut(&mut Agent<R>, &Data, &FiniteArms, usize),
) {
    let mut agent = Agent::<R>::new(problem, options, Common::of::<R>()).unwrap();
    let mut simulation = Simulation::new(2, truth, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut data = Data::default();
    let first = simulation.ball_arms(10);
    for _ in 0..ROUNDS {
        let list = if fixed { first.clone() } else { simulation.ball_arms(6) };
        let arms = ArmSet::from(list.clone());
        let chosen = agent.choose(&arms, &mut rng).unwrap().index.unwrap();
        check(&mut agent, &data, &list, chosen);
        let x = list.arm(chosen);
        let reward = simulation.reward(x);
        agent.observe(x, reward).unwrap();
        data.seen.push((vector(x), reward));
    }
}

/// Whether the chosen arm has the largest index, to rounding.
fn assert_best(arms: &FiniteArms, chosen: usize, index: impl Fn(Vector) -> f64) {
    let best = arms.iter().map(|x| index(vector(x))).fold(f64::NEG_INFINITY, f64::max);
    let value = index(vector(arms.arm(chosen)));
    assert!(value >= best - 1e-9 * (1.0 + best.abs()), "{value} {best}");
}

/// Whether the reported interval is that of centre and half-width, within what the ball allows.
fn assert_bounds(got: (f64, f64), s: f64, x: Vector, z: f64, width: f64) {
    assert_close(got.0, (z - width).max(-s * norm(x)), 1e-6, "lower");
    assert_close(got.1, (z + width).min(s * norm(x)), 1e-6, "upper");
}

fn problem(s: f64) -> Problem {
    Problem { dimension: 2, delta: DELTA, norm_bound: Some(s) }
}

/// Checks the centre: the estimate if that is in the ball, else a point of the ball with the least distance (which is
/// slow to find, and so done if `search` says so). Returns its distance.
fn checked_distance(
    hat: Vector,
    (centre, status): (Vector, ProjectionStatus),
    s: f64,
    search: bool,
    distance: impl Fn(Vector) -> f64,
) -> f64 {
    if norm(hat) <= s * (1.0 - 1e-6) {
        assert_eq!(status, ProjectionStatus::Skipped);
        assert_close(centre[0], hat[0], 1e-6, "estimate");
        assert_close(centre[1], hat[1], 1e-6, "estimate");
    } else if norm(hat) > s * (1.0 + 1e-6) {
        assert_eq!(status, ProjectionStatus::Converged);
        assert!(norm(centre) <= s * (1.0 + 1e-12));
        if !search {
            return distance(centre);
        }
        let least = least_over_disk(s, &distance);
        assert!(distance(centre) <= least * (1.0 + 1e-6), "{} {least}", distance(centre));
    }
    distance(centre)
}
