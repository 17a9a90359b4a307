//! Random support problems, easy to nasty: problem `index` of `seed` is always the same.

use optimist::Belief;
use optimist::Problem;
use optimist::set::{Excess, Radius};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Binomial, Distribution, StandardNormal};

/// Which radius a problem has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RadiusChoice {
    /// One of the registry.
    Named(&'static str),
    /// The plain level set.
    Excess { excess: f64, ridge: f64 },
}

/// How the arms lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arms {
    /// Uniform in the unit ball.
    Ball,
    /// On the sphere of this radius.
    Sphere { radius: f64 },
    /// Unit vectors.
    OneHot,
    /// One direction, and others at this angle from it.
    Parallel { angle: f64 },
    /// Norms from this to 1, uniform in logarithm.
    Scales { smallest: f64 },
    /// In a subspace.
    LowRank,
}

/// How rewards come about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rewards {
    /// Zero or one with mean mu(x'theta*).
    Random,
    /// The mean itself, and the like.
    Fractional,
    AllSuccess,
    AllFailure,
    /// One where x'theta* is positive: separable.
    Sign,
}

/// A support problem: data, a radius, a norm bound perhaps, and directions to ask for.
#[derive(Debug, Clone)]
pub struct RandomProblem {
    pub dimension: usize,
    pub radius: RadiusChoice,
    pub norm_bound: Option<f64>,
    pub arms: Arms,
    pub rewards: Rewards,
    pub truth_norm: f64,
    /// Arm, reward, count.
    pub data: Vec<(Vec<f64>, f64, u64)>,
    pub directions: Vec<Vec<f64>>,
}

/// How large problems may become.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub dimension: usize,
    pub rows: usize,
}

/// Dimensions, and how many problems of 1000 have them.
const DIMENSIONS: [(usize, u32); 8] = [(1, 150), (2, 220), (3, 200), (5, 160), (10, 130), (20, 90), (50, 44), (200, 6)];

impl RandomProblem {
    /// RandomProblem `index` of the series `seed`.
    pub fn random(seed: u64, index: u64, limits: Limits) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(index);
        let dimension = pick_dimension(&mut rng, limits.dimension);
        let radius = pick_radius(&mut rng);
        let bound = log_uniform(&mut rng, 0.3, 20.0);
        let norm_bound = (needs_norm_bound(radius) || rng.random_bool(0.7)).then_some(bound);
        // Without a norm bound log-odds grow as far as the data let them: to the ratio of the largest to the smallest
        // difference between arms. Beyond 1e5 there are not enough digits left for a gap of 1e-8.
        let finest = if norm_bound.is_some() { 1e-9 } else { 1e-5 };
        let arms = pick_arms(&mut rng, takes_long_arms(radius, dimension), finest);
        let rewards = pick_rewards(&mut rng);
        let truth_norm = bound * [0.0, 0.5, 1.0, 1.5, 5.0, 1e3 / bound][rng.random_range(0..6)];
        let mut problem =
            Self { dimension, radius, norm_bound, arms, rewards, truth_norm, data: vec![], directions: vec![] };
        problem.fill(&mut rng, limits.rows);
        problem
    }

    fn fill(&mut self, rng: &mut ChaCha8Rng, rows: usize) {
        let n = if rng.random_bool(0.05) { 0 } else { log_uniform(rng, 1.0, rows as f64 + 1.0) as usize };
        let truth = scaled(direction(rng, self.dimension), self.truth_norm);
        // Ever-new arms, or a list that is played again and again, now and then extremely often.
        let repeated = rng.random_bool(0.4);
        let distinct = if repeated { n.min(rng.random_range(1..=40)) } else { n };
        let arms = self.draw_arms(rng, distinct);
        let huge = if self.norm_bound.is_some() { 1e9 } else { 1e5 };
        let most = if repeated && self.takes_huge_counts() && rng.random_bool(0.2) { huge } else { n as f64 };
        for x in &arms {
            let count = if repeated { log_uniform(rng, 1.0, most.max(1.0) + 1.0) as u64 } else { 1 };
            self.observe(rng, x, &truth, count);
        }
        self.directions = self.draw_directions(rng, &arms);
    }

    /// Radii that look at one observation after the other would take for ever. And with long arms there would be no
    /// digit left: an information of 1e13 beside one of 1e-4.
    fn takes_huge_counts(&self) -> bool {
        if matches!(self.arms, Arms::Sphere { radius } if radius > 1.0) {
            return false;
        }
        matches!(self.radius, RadiusChoice::Excess { .. }) || self.radius == RadiusChoice::Named(Radius::all()[0].name)
    }

    fn observe(&mut self, rng: &mut ChaCha8Rng, x: &[f64], truth: &[f64], count: u64) {
        let z: f64 = x.iter().zip(truth).map(|(a, b)| a * b).sum();
        let mean = 1.0 / (1.0 + (-z).exp());
        let successes = match self.rewards {
            Rewards::AllSuccess => count,
            Rewards::AllFailure => 0,
            Rewards::Sign => count * u64::from(z > 0.0),
            Rewards::Random => Binomial::new(count, mean).expect("a probability").sample(rng),
            Rewards::Fractional => {
                // A fraction of 1e-9 lets log-odds of 1e9 pass.
                let rarest = if self.norm_bound.is_some() { 0.0 } else { 1e-3 };
                let reward = if rng.random_bool(0.5) { mean } else { rng.random() };
                let reward = reward.clamp(rarest, 1.0 - rarest);
                self.data.push((x.to_vec(), reward, count));
                return;
            }
        };
        for (reward, number) in [(1.0, successes), (0.0, count - successes)] {
            if number > 0 {
                self.data.push((x.to_vec(), reward, number));
            }
        }
    }

    fn draw_arms(&self, rng: &mut ChaCha8Rng, number: usize) -> Vec<Vec<f64>> {
        let d = self.dimension;
        let axis = direction(rng, d);
        let rank = rng.random_range(1..=d);
        let zeros = rng.random_bool(0.1);
        let mut arms = Vec::with_capacity(number);
        for _ in 0..number {
            let mut x = direction(rng, d);
            match self.arms {
                Arms::Ball => x = scaled(x, rng.random::<f64>().powf(1.0 / d as f64)),
                Arms::Sphere { radius } => x = scaled(x, radius),
                Arms::OneHot => x = (0..d).map(|_| 0.0).collect(),
                Arms::Parallel { angle } => {
                    x = x.iter().zip(&axis).map(|(v, a)| a + angle * v).collect();
                    x = scaled(x, [1.0, 1.0, 0.7][rng.random_range(0..3)]);
                }
                Arms::Scales { smallest } => x = scaled(x, log_uniform(rng, smallest, 1.0)),
                Arms::LowRank => {
                    x[rank..].fill(0.0);
                    x = scaled(x, 1.0);
                }
            }
            if self.arms == Arms::OneHot {
                x[rng.random_range(0..d)] = 1.0;
            }
            if zeros && rng.random_bool(0.2) {
                x.fill(0.0);
            }
            arms.push(x);
        }
        arms
    }

    /// An arm, minus an arm, the difference of two arms; sometimes one that was never played, sometimes zero.
    fn draw_directions(&self, rng: &mut ChaCha8Rng, arms: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let fresh = self.draw_arms(rng, 3);
        let mut arm = |i: usize| {
            let known = !arms.is_empty() && rng.random_bool(0.75);
            if known { arms[rng.random_range(0..arms.len())].clone() } else { fresh[i].clone() }
        };
        let (a, b, c) = (arm(0), arm(1), arm(2));
        let difference = b.iter().zip(&c).map(|(b, c)| b - c).collect();
        vec![a, b.iter().map(|v| -v).collect(), difference]
    }

    /// The belief after all data.
    pub fn belief(&self) -> Belief {
        let mut belief = Belief::with_radius(self.radius(self.norm_bound)).expect("sound options");
        for (x, reward, count) in &self.data {
            belief.observe_many(x, *reward, *count).expect("sound data");
        }
        belief
    }

    fn radius(&self, norm_bound: Option<f64>) -> Radius {
        build(self.radius, self.dimension, norm_bound)
    }
}

fn build(choice: RadiusChoice, dimension: usize, norm_bound: Option<f64>) -> Radius {
    let options = Problem { dimension, delta: 0.05, norm_bound };
    match choice {
        RadiusChoice::Named(name) => Radius::by_name(name, &options).expect("sound options"),
        RadiusChoice::Excess { excess, ridge } => {
            Radius::from(Excess::new(excess, ridge, &options).expect("sound options"))
        }
    }
}

fn needs_norm_bound(choice: RadiusChoice) -> bool {
    Radius::all().iter().any(|info| choice == RadiusChoice::Named(info.name) && info.needs_norm_bound)
}

fn takes_long_arms(choice: RadiusChoice, dimension: usize) -> bool {
    build(choice, dimension, Some(1.0)).strategy().feature_bound().is_infinite()
}

fn pick_dimension(rng: &mut impl Rng, most: usize) -> usize {
    let allowed = DIMENSIONS.iter().filter(|(d, _)| *d <= most);
    let mut left = rng.random_range(0..allowed.clone().map(|(_, weight)| weight).sum());
    for (d, weight) in allowed {
        if left < *weight {
            return *d;
        }
        left -= weight;
    }
    unreachable!("the weights sum to what was drawn from")
}

fn pick_radius(rng: &mut impl Rng) -> RadiusChoice {
    let names = Radius::all();
    if rng.random_bool(0.5) {
        return RadiusChoice::Named(names[rng.random_range(0..names.len())].name);
    }
    let ridge = if rng.random_bool(0.5) { 0.0 } else { log_uniform(rng, 1e-4, 30.0) };
    RadiusChoice::Excess { excess: log_uniform(rng, 1e-3, 1e3), ridge }
}

fn pick_arms(rng: &mut impl Rng, long: bool, finest: f64) -> Arms {
    match rng.random_range(0..10) {
        0 | 1 => Arms::Ball,
        2 => Arms::Sphere { radius: 1.0 },
        3 => Arms::Sphere { radius: 1e-6 },
        4 if long => Arms::Sphere { radius: log_uniform(rng, 1.0, 100.0) },
        4 | 5 => Arms::OneHot,
        6 | 7 => Arms::Parallel { angle: log_uniform(rng, finest, 1e-2) },
        8 => Arms::Scales { smallest: (100.0 * finest).max(1e-6) },
        _ => Arms::LowRank,
    }
}

fn pick_rewards(rng: &mut impl Rng) -> Rewards {
    match rng.random_range(0..10) {
        0..=4 => Rewards::Random,
        5 | 6 => Rewards::Fractional,
        7 => Rewards::AllSuccess,
        8 => Rewards::AllFailure,
        _ => Rewards::Sign,
    }
}

fn log_uniform(rng: &mut impl Rng, low: f64, high: f64) -> f64 {
    (low.ln() + rng.random::<f64>() * (high / low).ln()).exp()
}

fn direction(rng: &mut impl Rng, dimension: usize) -> Vec<f64> {
    let normal: Vec<f64> = (0..dimension).map(|_| StandardNormal.sample(rng)).collect();
    scaled(normal, 1.0)
}

/// The vector with this norm (and not a rounding error more: some radii refuse that).
fn scaled(x: Vec<f64>, length: f64) -> Vec<f64> {
    let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt();
    x.iter().map(|v| v * (length / norm) * (1.0 - 1e-15)).collect()
}
