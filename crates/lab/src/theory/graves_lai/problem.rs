//! The bandit as far as it matters: what playing the best arms leaves unknown.
//!
//! The best arms O may be played for nothing, so that an alternative theta' = theta* + delta has o'delta = 0 for all of
//! them. All that follows happens in coordinates of the complement of their span: an arm is its projection a, and its
//! log-odds under the alternative are z + a'e.

use optimist::FiniteArms;
use optimist::numerics::{dot, norm};

use super::divergence::{divergence, rise};
use super::subspace::{Reflection, complement, extend, outside};

/// Log-odds as close to the largest as this, relative to one plus their size, are equal to it.
const TIE: f64 = 1e-12;

/// An arm that is not best, and that tells something about the alternatives.
#[derive(Debug)]
pub(super) struct Arm {
    /// Its place in the list of arms.
    pub(super) index: usize,
    /// Its coordinates in the complement of the span of the best arms.
    pub(super) features: Vec<f64>,
    /// z = x'theta*.
    pub(super) log_odds: f64,
    /// mu(z*) - mu(z), what a play costs.
    pub(super) gap: f64,
    /// z* - z, by how much its log-odds must rise for it to be best.
    pub(super) lag: f64,
}

impl Arm {
    /// Plays per log T that would be needed without the help of other arms, 1/kl(z, z*).
    pub(super) fn plays_alone(&self) -> f64 {
        1.0 / divergence(self.log_odds, self.lag)
    }
}

/// An arm that can become best, with coordinates (t, u) of its alternatives: t is fixed, u is free in a ball.
#[derive(Debug)]
pub(super) struct Rival {
    /// Its place among [`Problem::arms`].
    pub(super) place: usize,
    /// Takes coordinates of the complement to (t, u) and back.
    pub(super) frame: Reflection,
    /// t, such that the arm is just as good as the best.
    pub(super) along: f64,
    /// The norm bound is ||u + offset|| <= radius.
    pub(super) offset: Vec<f64>,
    /// Infinite without a norm bound.
    pub(super) radius: f64,
}

/// What is to be solved.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) arms: Vec<Arm>,
    pub(super) rivals: Vec<Rival>,
    /// Arms that are not best, the ones that tell nothing included.
    pub(super) not_best: usize,
    /// Sum of gap/kl(z, z*) over them: what regret a policy has that does not know of features.
    pub(super) lai_robbins: f64,
}

impl Problem {
    pub(super) fn new(theta: &[f64], arms: &FiniteArms, norm_bound: Option<f64>) -> Self {
        let log_odds: Vec<f64> = arms.iter().map(|x| dot(x, theta)).collect();
        let best = log_odds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_best = |z: f64| z >= best - TIE * (1.0 + best.abs());
        let mut span = Vec::new();
        let of_best = arms.iter().zip(&log_odds).filter(|(_, z)| is_best(**z));
        of_best.for_each(|(x, _)| extend(&mut span, x));
        let rest = complement(&span, theta.len());
        let mut problem = Self { arms: Vec::new(), rivals: Vec::new(), not_best: 0, lai_robbins: 0.0 };
        for (index, (x, &z)) in arms.iter().zip(&log_odds).enumerate().filter(|(_, (_, z))| !is_best(**z)) {
            let lag = best - z;
            let gap = rise(z, lag);
            problem.not_best += 1;
            problem.lai_robbins += gap / divergence(z, lag);
            if outside(x, &span).is_some() {
                let features = rest.iter().map(|b| dot(b, x)).collect();
                problem.arms.push(Arm { index, features, log_odds: z, gap, lag });
            }
        }
        let ball = norm_bound.map(|bound| ball(theta, bound, &span, &rest));
        problem.rivals =
            (0..problem.arms.len()).filter_map(|k| Rival::new(k, &problem.arms[k], ball.as_ref())).collect();
        problem
    }

    /// What one play of each arm tells against the alternative, kl(z, z + a'e), per unit of regret.
    pub(super) fn information(&self, alternative: &[f64]) -> Vec<f64> {
        let tells = |arm: &Arm| divergence(arm.log_odds, dot(&arm.features, alternative)) / arm.gap;
        self.arms.iter().map(tells).collect()
    }
}

/// The norm bound in coordinates e of the complement, ||e + centre||^2 <= square.
fn ball(theta: &[f64], bound: f64, span: &[Vec<f64>], rest: &[Vec<f64>]) -> (Vec<f64>, f64) {
    let fixed: Vec<f64> = span.iter().map(|b| dot(b, theta)).collect();
    let fixed = norm(&fixed);
    (rest.iter().map(|b| dot(b, theta)).collect(), (bound - fixed) * (bound + fixed))
}

impl Rival {
    /// None if no alternative within the ball makes the arm best.
    fn new(place: usize, arm: &Arm, ball: Option<&(Vec<f64>, f64)>) -> Option<Self> {
        let (frame, length) = Reflection::of(&arm.features);
        let along = arm.lag / length;
        let Some((centre, square)) = ball else {
            let offset = vec![0.0; arm.features.len() - 1];
            return Some(Self { place, frame, along, offset, radius: f64::INFINITY });
        };
        let mut offset = centre.clone();
        frame.apply(&mut offset);
        let left = square - (along + offset[0]).powi(2);
        offset.remove(0);
        // On the boundary the arm is as good as the best and never better.
        (left > 0.0).then(|| Self { place, frame, along, offset, radius: left.sqrt() })
    }

    /// The alternative of free coordinates u = v - offset, in coordinates of the complement.
    pub(super) fn alternative(&self, v: &[f64]) -> Vec<f64> {
        let mut e = vec![self.along];
        e.extend(v.iter().zip(&self.offset).map(|(v, o)| v - o));
        self.frame.apply(&mut e);
        e
    }
}
