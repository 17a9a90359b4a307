//! One bandit: the parameter, the arms and the luck of one run, the same for every policy.

use optimist::numerics::{dot, norm};
use optimist::{ArmSet, FiniteArms, link};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::instance::Instance;
use super::streams::{Purpose, stream};
use crate::error::{Error, Result};
use crate::experiment::{Arms, Environment, Redraw, Shape, Truth};

/// The bandit of one run.
#[derive(Debug, Clone)]
pub struct World {
    theta: Vec<f64>,
    arms: ArmSet<'static>,
    instance: Instance,
    /// From where arms are drawn every round, if they are.
    redrawn_from: Option<Shape>,
    arms_rng: ChaCha8Rng,
    luck: ChaCha8Rng,
}

/// What the truth says about a play.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Play {
    /// x'theta*.
    pub log_odds: f64,
    /// mu(x'theta*).
    pub mean: f64,
    /// mu'(x'theta*).
    pub slope: f64,
    /// Whether the arm is detrimental (the paper's X_-).
    pub is_detrimental: bool,
}

impl World {
    /// The bandit of run number `run`. It depends on the seed, the run and the environment only; environments that differ
    /// in the norm of theta* only share its direction, and all share the luck.
    ///
    /// # Errors
    /// If arms of a list are refused.
    pub fn new(environment: &Environment, seed: u64, run: usize) -> Result<Self> {
        let theta = draw_theta(environment, &mut stream(seed, Purpose::Truth, run));
        let mut arms_rng = stream(seed, Purpose::Arms, run);
        let arms = first_arms(environment, &theta, &mut arms_rng)?;
        let instance = Instance::new(&theta, &arms);
        Ok(Self {
            theta,
            instance,
            arms,
            redrawn_from: redrawn_from(&environment.arms),
            arms_rng,
            luck: stream(seed, Purpose::Luck, run),
        })
    }

    /// The parameter.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// What may be played now.
    pub fn arms(&self) -> &ArmSet<'static> {
        &self.arms
    }

    /// The constants of the arms at hand.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The uniform number that decides this round: a play succeeds if it is below the play's mean.
    pub fn next_luck(&mut self) -> f64 {
        self.luck.random()
    }

    /// Draws new arms, if they change from round to round.
    ///
    /// # Errors
    /// If arms are refused, which would be a bug.
    pub fn next_round(&mut self) -> Result<()> {
        if let (Some(shape), ArmSet::Finite(list)) = (self.redrawn_from, &self.arms) {
            self.arms = draw_arms(shape, list.len(), &self.theta, &mut self.arms_rng)?.into();
            self.instance.offer(&self.arms);
        }
        Ok(())
    }

    /// What the truth says about playing arm `index` of a list, or the point `x` of the ball or the sphere.
    pub fn look(&self, index: Option<usize>, x: &[f64]) -> Play {
        match index {
            Some(k) => Play {
                log_odds: self.instance.log_odds()[k],
                mean: self.instance.means()[k],
                slope: self.instance.slopes()[k],
                is_detrimental: self.instance.detrimental()[k],
            },
            None => {
                let log_odds = dot(x, &self.theta);
                Play {
                    log_odds,
                    mean: link::mean(log_odds),
                    slope: link::variance(log_odds),
                    is_detrimental: self.instance.is_detrimental(log_odds),
                }
            }
        }
    }
}

fn draw_theta(environment: &Environment, rng: &mut ChaCha8Rng) -> Vec<f64> {
    if let Truth::Theta(theta) = &environment.truth {
        return theta.clone();
    }
    let (mut theta, length) = (vec![0.0; environment.dimension], environment.truth.norm());
    fill_sphere(&mut theta, rng);
    theta.iter_mut().for_each(|v| *v *= length);
    // Rounding must not carry theta* beyond a norm bound that is exact.
    while norm(&theta) > length {
        theta.iter_mut().for_each(|v| *v *= 1.0 - f64::EPSILON);
    }
    theta
}

fn first_arms(environment: &Environment, theta: &[f64], rng: &mut ChaCha8Rng) -> Result<ArmSet<'static>> {
    let dimension = environment.dimension;
    match &environment.arms {
        Arms::Ball => Ok(ArmSet::Ball { dimension }),
        Arms::Sphere => Ok(ArmSet::Sphere { dimension }),
        Arms::List { arms, .. } => {
            let list = FiniteArms::from_rows(arms).map(ArmSet::from);
            list.map_err(|e| Error::input(format!("environment.arms: {e}")))
        }
        Arms::Drawn { shape, count, .. } => Ok(draw_arms(*shape, *count, theta, rng)?.into()),
    }
}

fn redrawn_from(arms: &Arms) -> Option<Shape> {
    match arms {
        Arms::Drawn { shape, redraw: Redraw::Round, .. } => Some(*shape),
        _ => None,
    }
}

fn draw_arms(shape: Shape, count: usize, theta: &[f64], rng: &mut ChaCha8Rng) -> Result<FiniteArms<'static>> {
    let dimension = theta.len();
    let mut features = vec![0.0; count * dimension];
    for x in features.chunks_exact_mut(dimension) {
        fill_sphere(x, rng);
        if shape != Shape::Sphere {
            // The volume inside radius r is r^d of the whole.
            let radius = rng.random::<f64>().powf(1.0 / dimension as f64);
            x.iter_mut().for_each(|v| *v *= radius);
        }
        if shape == Shape::HalfBall {
            reflect(x, theta);
        }
    }
    FiniteArms::new(dimension, features).map_err(|e| Error::input(format!("environment.arms: {e}")))
}

/// Mirrors `x` to the side on which x'theta <= 0.
fn reflect(x: &mut [f64], theta: &[f64]) {
    let (value, square) = (dot(x, theta), dot(theta, theta));
    if value > 0.0 {
        x.iter_mut().zip(theta).for_each(|(x, t)| *x -= 2.0 * value / square * t);
    }
}

/// A point of the unit sphere, uniformly.
fn fill_sphere(x: &mut [f64], rng: &mut ChaCha8Rng) {
    loop {
        x.iter_mut().for_each(|v| *v = StandardNormal.sample(rng));
        let length = norm(x);
        // Zero has probability zero, but not quite zero in floating point.
        if length > 1e-100 {
            x.iter_mut().for_each(|v| *v /= length);
            return;
        }
    }
}
