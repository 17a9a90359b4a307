//! A simulated logistic world: a true parameter, arms, rewards.

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use crate::numerics::{dot, norm};
use crate::{FiniteArms, Generator, generator, link};

/// A simulated logistic world: a true parameter with its own stream of randomness.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// The true parameter.
    pub theta: Vec<f64>,
    /// Where arms and rewards come from.
    pub rng: Generator,
}

impl Simulation {
    /// A parameter of the given norm in a random direction.
    pub fn new(dimension: usize, norm: f64, seed: u64) -> Self {
        let mut rng = generator(seed);
        let theta = unit(&mut rng, dimension).iter().map(|v| v * norm).collect();
        Self { theta, rng }
    }

    /// Arms drawn uniformly from the unit ball.
    pub fn ball_arms(&mut self, count: usize) -> FiniteArms<'static> {
        let d = self.theta.len();
        let mut features = Vec::with_capacity(count * d);
        for _ in 0..count {
            let direction = unit(&mut self.rng, d);
            let radius = self.rng.random::<f64>().powf(1.0 / d as f64);
            features.extend(direction.iter().map(|v| v * radius));
        }
        FiniteArms::new(d, features).expect("sound arms")
    }

    /// Arms drawn uniformly from the unit sphere.
    pub fn sphere_arms(&mut self, count: usize) -> FiniteArms<'static> {
        let d = self.theta.len();
        let features: Vec<f64> = (0..count).flat_map(|_| unit(&mut self.rng, d)).collect();
        FiniteArms::new(d, features).expect("sound arms")
    }

    /// A success or a failure of arm `x`.
    pub fn reward(&mut self, x: &[f64]) -> f64 {
        f64::from(u8::from(self.rng.random_bool(link::mean(dot(x, &self.theta)))))
    }
}

/// A uniform direction.
pub(super) fn unit(rng: &mut Generator, dimension: usize) -> Vec<f64> {
    let v: Vec<f64> = (0..dimension).map(|_| StandardNormal.sample(rng)).collect();
    let length = norm(&v);
    v.iter().map(|x| x / length).collect()
}
