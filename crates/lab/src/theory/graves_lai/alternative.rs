//! The alternative that is hardest to tell from theta*, among those that make one arm best.
//!
//! F(delta) = sum eta_y kl(z_y, z_y + y'delta) is convex with its minimum, 0, at delta = 0. Where the arm is to be at
//! least as good as the best, its minimum is therefore where they are equal, and the search goes on there: damped Newton
//! in the free coordinates, within the ball of the norm bound.

use optimist::linalg::{dot, norm};
use optimist::link::variance;

use super::divergence::{divergence, rise};
use super::problem::{Problem, Rival};
use super::step::Model;

/// The search ends when the model of F falls by less than this part of F,
const RELATIVE: f64 = 1e-10;
/// or by less than this, where 1 is what every alternative must get.
const ABSOLUTE: f64 = 1e-13;
const ROUNDS: usize = 200;
const HALVINGS: usize = 60;
/// Part of the fall predicted that must come true.
const ARMIJO: f64 = 1e-4;

/// The hardest alternative.
#[derive(Debug)]
pub(super) struct Hardest {
    /// A lower bound of the minimum of F, within twice the tolerances; 0 if the search did not converge.
    pub(super) least: f64,
    /// Where F is that small.
    pub(super) alternative: Vec<f64>,
}

/// An arm of positive weight, in the frame of the rival.
#[derive(Debug)]
struct Term {
    weight: f64,
    log_odds: f64,
    /// Shift of the log-odds by the fixed coordinate, and by the offset.
    shift: f64,
    free: Vec<f64>,
}

/// The search for one rival; it starts where the last one ended.
#[derive(Debug)]
pub(super) struct Search {
    v: Vec<f64>,
}

impl Search {
    pub(super) fn new(rival: &Rival) -> Self {
        let length = norm(&rival.offset);
        let shrink = if length > rival.radius { rival.radius / length } else { 1.0 };
        Self { v: rival.offset.iter().map(|o| shrink * o).collect() }
    }

    /// Minimises F for these plays.
    pub(super) fn solve(&mut self, problem: &Problem, rival: &Rival, plays: &[f64]) -> Hardest {
        let terms = terms(problem, rival, plays);
        let least = self.minimise(&terms, rival.radius);
        Hardest { least, alternative: rival.alternative(&self.v) }
    }

    fn minimise(&mut self, terms: &[Term], radius: f64) -> f64 {
        let mut model = Model::default();
        let mut value = value(terms, &self.v);
        for _ in 0..ROUNDS {
            bend(terms, &self.v, &mut model);
            let Some(step) = model.step(&self.v, radius) else { return 0.0 };
            let fall = model.fall(&step).max(0.0);
            if fall <= RELATIVE * value + ABSOLUTE {
                return (value - 2.0 * fall).max(0.0);
            }
            match self.descend(terms, &step, value, fall) {
                Some(lower) => value = lower,
                None => return 0.0,
            }
        }
        0.0
    }

    /// Goes along the step, halved until F falls as it should.
    fn descend(&mut self, terms: &[Term], step: &[f64], before: f64, fall: f64) -> Option<f64> {
        let mut part = 1.0;
        for _ in 0..HALVINGS {
            let trial: Vec<f64> = self.v.iter().zip(step).map(|(v, s)| v + part * s).collect();
            let after = value(terms, &trial);
            if after <= before - ARMIJO * part * fall {
                self.v = trial;
                return Some(after);
            }
            part *= 0.5;
        }
        None
    }
}

fn terms(problem: &Problem, rival: &Rival, plays: &[f64]) -> Vec<Term> {
    let positive = problem.arms.iter().zip(plays).filter(|(_, eta)| **eta > 0.0);
    let term = |(arm, &weight): (&super::problem::Arm, &f64)| {
        let mut free = arm.features.clone();
        rival.frame.apply(&mut free);
        let fixed = free.remove(0) * rival.along;
        Term { weight, log_odds: arm.log_odds, shift: fixed - dot(&free, &rival.offset), free }
    };
    positive.map(term).collect()
}

fn value(terms: &[Term], v: &[f64]) -> f64 {
    terms.iter().map(|t| t.weight * divergence(t.log_odds, t.shift + dot(&t.free, v))).sum()
}

fn bend(terms: &[Term], v: &[f64], model: &mut Model) {
    model.clear(v.len());
    for t in terms {
        let h = t.shift + dot(&t.free, v);
        model.add(&t.free, t.weight * rise(t.log_odds, h), t.weight * variance(t.log_odds + h));
    }
}
