//! One bandit: the parameter, the arms and the luck of one run, the same for every policy.

use optimist::numerics::dot;
use optimist::{ArmSet, link};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::draws::draw;
use super::instance::Instance;
use super::parameter::Parameter;
use super::streams::{Purpose, stream};
use crate::error::Result;
use crate::experiment::{Arms, Environment};

/// The bandit of one run.
#[derive(Debug, Clone)]
pub struct World {
    parameter: Parameter,
    arms: ArmSet<'static>,
    instance: Instance,
    /// What is drawn every round, if anything is.
    redrawn: Option<Arms>,
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
        let parameter = Parameter::new(environment, seed, run);
        let mut arms_rng = stream(seed, Purpose::Arms, run);
        let arms = draw(&environment.arms, parameter.theta(), &mut arms_rng)?;
        let own = environment.arms.as_hybrid().map_or(0, |hybrid| hybrid.own);
        Ok(Self {
            instance: Instance::hybrid(parameter.theta(), own, &arms),
            parameter,
            arms,
            redrawn: environment.arms.is_changing().then(|| environment.arms.clone()),
            arms_rng,
            luck: stream(seed, Purpose::Luck, run),
        })
    }

    /// The parameter of this round; if arms have parameters of their own, those that all share and then those of each arm.
    pub fn theta(&self) -> &[f64] {
        self.parameter.theta()
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

    /// Goes on to the next round: theta* moves if it drifts, and arms that change from round to round are drawn.
    ///
    /// # Errors
    /// If arms are refused, which would be a bug.
    pub fn next_round(&mut self) -> Result<()> {
        let moved = self.parameter.advance();
        if moved {
            self.instance.turn(self.parameter.theta());
        }
        if let Some(arms) = &self.redrawn {
            self.arms = draw(arms, self.parameter.theta(), &mut self.arms_rng)?;
        }
        if moved || self.redrawn.is_some() {
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
                let log_odds = dot(x, self.theta());
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
