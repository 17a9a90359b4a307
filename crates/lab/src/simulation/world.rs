//! One bandit: the parameter, the arms and the luck of one run, the same for every policy.

use optimist::{ArmSet, link};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::draws::{Offer, Source};
use super::errors::Errors;
use super::instance::Instance;
use super::law::Law;
use super::parameter::Parameter;
use super::streams::{Purpose, stream};
use crate::error::Result;
use crate::experiment::Environment;

/// The bandit of one run.
#[derive(Debug, Clone)]
pub struct World {
    parameter: Parameter,
    source: Source,
    offer: Offer,
    /// What policies see of the arms, if that is not what they are.
    seen: Option<ArmSet<'static>>,
    instance: Instance,
    /// Whether other arms are drawn every round.
    is_changing: bool,
    errors: Errors,
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
        let mut source = Source::new(&environment.arms);
        let offer = source.draw(parameter.theta(), &mut arms_rng)?;
        let own = environment.arms.as_hybrid().map_or(0, |hybrid| hybrid.own);
        let law = Law::new(&environment.rewards);
        let mut errors = Errors::new(&environment.rewards, seed, run);
        Ok(Self {
            instance: Instance::of(parameter.theta(), own, law, &offer.arms, &offer.rates),
            parameter,
            source,
            seen: errors.blur(&offer.arms)?,
            offer,
            is_changing: environment.arms.is_changing(),
            errors,
            arms_rng,
            luck: stream(seed, Purpose::Luck, run),
        })
    }

    /// The parameter of this round; if arms have parameters of their own, those that all share and then those of each arm.
    pub fn theta(&self) -> &[f64] {
        self.parameter.theta()
    }

    /// What may be played now, as policies see it.
    pub fn arms(&self) -> &ArmSet<'static> {
        self.seen.as_ref().unwrap_or(&self.offer.arms)
    }

    /// What may be played now, as rewards see it.
    pub(crate) fn offered(&self) -> &ArmSet<'static> {
        &self.offer.arms
    }

    /// The constants of the arms at hand.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The uniform number that decides this round: a play succeeds if it is below the play's mean.
    pub fn next_luck(&mut self) -> f64 {
        self.luck.random()
    }

    /// Whether policies are told the opposite of this round's reward.
    pub fn next_flip(&mut self) -> bool {
        self.errors.next_flip()
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
        if self.is_changing {
            self.offer = self.source.draw(self.parameter.theta(), &mut self.arms_rng)?;
        }
        if moved || self.is_changing {
            self.instance.offer_rated(&self.offer.arms, &self.offer.rates);
        }
        self.seen = self.errors.blur(&self.offer.arms)?;
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
                let log_odds = self.instance.log_odds_of(x);
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
