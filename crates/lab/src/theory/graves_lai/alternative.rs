//! The alternative that is hardest to tell from theta*, among those that make one arm best.
//!
//! F(delta) = sum eta_y kl(z_y, z_y + y'delta) is convex with its minimum, 0, at delta = 0. Where the arm is to be at
//! least as good as the best, its minimum is therefore where they are equal, and the search goes on there: damped Newton
//! in the free coordinates, within the ball of the norm bound.

use optimist::link::{parabola_curvature, variance};
use optimist::numerics::{dot, norm};

use super::divergence::{divergence, rise};
use super::problem::{Problem, Rival};
use super::step::Model;

/// The search ends when the model of F falls by less than this part of F,
const RELATIVE: f64 = 1e-10;
/// or by less than this, where 1 is what every alternative must get.
const ABSOLUTE: f64 = 1e-13;
const ROUNDS: usize = 100;
const HALVINGS: usize = 40;
/// How far log-odds move in a step at most.
const LEAP: f64 = 10.0;
/// Part of the fall predicted that must come true.
const ARMIJO: f64 = 1e-4;

/// The hardest alternative.
#[derive(Debug)]
pub(super) struct Hardest {
    /// A lower bound of the minimum of F, within twice the tolerances unless the search did not converge.
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
        // The rival's own plays tell as much against every alternative, whether the search converges or not.
        let own = plays[rival.place] / problem.arms[rival.place].plays_alone();
        let least = self.minimise(&terms, rival.radius).unwrap_or(0.0).max(own);
        Hardest { least, alternative: rival.alternative(&self.v) }
    }

    /// The minimum of F, from below; none if the search does not converge.
    fn minimise(&mut self, terms: &[Term], radius: f64) -> Option<f64> {
        let mut model = Model::new(self.v.len());
        let mut value = value(terms, &self.v);
        for _ in 0..ROUNDS {
            bend(terms, &self.v, variance, &mut model);
            let mut lower = None;
            if let Some(step) = model.step(&self.v, radius) {
                // Below zero by rounding only; not finite where the curvature all but vanishes on a slope.
                let fall = model.fall(&step).abs();
                if !(fall <= RELATIVE * value + ABSOLUTE) {
                    lower = self.descend(terms, &step, value, fall);
                } else if let Some(rest) = rest(terms, &mut model, fall) {
                    return Some((value - rest).max(0.0));
                }
            }
            value = lower.or_else(|| self.slide(terms, &mut model, radius, value))?;
        }
        None
    }

    /// A step to the minimum of a parabola that lies above F: shorter than Newton's, which is useless where all is
    /// nearly straight, and downwards for certain.
    fn slide(&mut self, terms: &[Term], model: &mut Model, radius: f64, before: f64) -> Option<f64> {
        bend(terms, &self.v, parabola_curvature, model);
        let step = model.step(&self.v, radius)?;
        let fall = model.fall(&step).abs();
        self.descend(terms, &step, before, fall)
    }

    /// Goes along the step, not so far that log-odds leap to where outcomes are certain, halved until F falls as it should.
    fn descend(&mut self, terms: &[Term], step: &[f64], before: f64, fall: f64) -> Option<f64> {
        if !fall.is_finite() {
            return None;
        }
        let leap = terms.iter().map(|t| dot(&t.free, step).abs()).fold(0.0, f64::max);
        let mut part = if leap > LEAP { LEAP / leap } else { 1.0 };
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

/// By how much F can still fall where its model falls by `fall`; none if nothing is known of it.
///
/// With lambda = sqrt(2 fall) and r the largest norm of an arm in the metric of the inverse Hessian, self-concordance bounds
/// the distance D = max |a'(v - v_min)| by -log(1 - r lambda): along the way to v_min the slope must be made up by a
/// curvature that falls by e^{-D} at most, within the ball as without. Then F falls by (2 + D)/2 times as much as the model
/// at most. Where the model is flat because outcomes are all but certain, r is large and this says nothing.
fn rest(terms: &[Term], model: &mut Model, fall: f64) -> Option<f64> {
    if fall == 0.0 && model.gradient.iter().all(|g| *g == 0.0) {
        return Some(0.0);
    }
    let reach = model.spread(terms.iter().map(|t| t.free.as_slice()))? * (2.0 * fall).sqrt();
    (reach <= 0.5).then(|| 0.5 * (2.0 - (-reach).ln_1p()) * fall)
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

/// The model of F at v, with a curvature for each log-odds.
fn bend(terms: &[Term], v: &[f64], curvature: fn(f64) -> f64, model: &mut Model) {
    model.clear();
    for t in terms {
        let h = t.shift + dot(&t.free, v);
        model.add(&t.free, t.weight * rise(t.log_odds, h), t.weight * curvature(t.log_odds + h));
    }
}
