//! theta* of a run: drawn before the first round, and moved from round to round if it drifts.

use std::f64::consts::{FRAC_PI_4, TAU};
use std::ops::Range;

use optimist::numerics::{dot, norm};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::draws::fill_sphere;
use super::streams::{Purpose, stream};
use crate::experiment::{Drift, Environment, Hybrid};

/// theta*, and how it goes on.
#[derive(Debug, Clone)]
pub(super) struct Parameter {
    theta: Vec<f64>,
    parts: Vec<Part>,
    drift: Drift,
    /// The arms, if they have parameters of their own.
    hybrid: Option<Hybrid>,
    /// What rounding must not carry the norm beyond.
    most: f64,
    rng: ChaCha8Rng,
    /// Rounds since the first.
    rounds: usize,
    /// A tangent of the sphere.
    tangent: Vec<f64>,
}

/// A part of theta* that is drawn and moves by itself; all of theta*, unless the arms have parameters of their own.
#[derive(Debug, Clone)]
struct Part {
    place: Range<usize>,
    norm: f64,
    /// Of norm one.
    direction: Vec<f64>,
    /// Where seasons lead: the first direction, and one perpendicular to it.
    poles: Option<[Vec<f64>; 2]>,
}

impl Parameter {
    /// That of run number `run`. Environments that differ in the norm of theta* only share its directions.
    pub(super) fn new(environment: &Environment, seed: u64, run: usize) -> Self {
        let mut rng = stream(seed, Purpose::Truth, run);
        let mut parameter = Self {
            theta: vec![0.0; environment.parameters()],
            parts: Vec::new(),
            drift: environment.drift,
            hybrid: environment.arms.as_hybrid(),
            most: environment.norm(),
            rng: stream(seed, Purpose::Drift, run),
            rounds: 0,
            tangent: Vec::new(),
        };
        let mut from = 0;
        for size in environment.parts() {
            parameter.parts.push(Part::new(environment, from..from + size, &mut rng));
            from += size;
        }
        match environment.truth.theta() {
            Some(theta) => parameter.theta.copy_from_slice(theta),
            None => parameter.put_together(),
        }
        if matches!(parameter.drift, Drift::Seasons { .. }) {
            parameter.choose_seasons();
        }
        parameter
    }

    /// The parameter of this round.
    pub(super) fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// Goes on to the next round, and says whether theta* has moved.
    pub(super) fn advance(&mut self) -> bool {
        self.rounds += 1;
        match self.drift {
            Drift::Steps { every } if self.rounds.is_multiple_of(every) => {
                self.parts.iter_mut().for_each(|part| fill_sphere(&mut part.direction, &mut self.rng));
            }
            Drift::None | Drift::Steps { .. } => return false,
            Drift::Walk { rate } => {
                self.parts.iter_mut().for_each(|part| part.walk(rate, &mut self.tangent, &mut self.rng))
            }
            Drift::Seasons { period } => {
                let period = period.max(1);
                // Whole periods are left out, so that the last digits do not depend on how many there were.
                let time = (self.rounds % period) as f64 / period as f64;
                let angle = FRAC_PI_4 * (1.0 - (TAU * time).cos());
                self.parts.iter_mut().for_each(|part| part.lean(angle));
            }
        }
        self.put_together();
        true
    }

    fn choose_seasons(&mut self) {
        for part in self.parts.iter_mut().filter(|part| part.direction.len() > 1) {
            draw_tangent(&part.direction, &mut self.tangent, &mut self.rng);
            let length = norm(&self.tangent);
            let other = self.tangent.iter().map(|v| v / length).collect();
            part.poles = Some([part.direction.clone(), other]);
        }
    }

    /// theta* from its parts. Rounding must not carry it beyond a norm bound that is exact.
    fn put_together(&mut self) {
        for part in &self.parts {
            let place = &mut self.theta[part.place.clone()];
            place.iter_mut().zip(&part.direction).for_each(|(v, direction)| *v = direction * part.norm);
        }
        while self.norm() > self.most {
            self.theta.iter_mut().for_each(|v| *v *= 1.0 - f64::EPSILON);
        }
    }

    /// As [`Environment::norm`] has it.
    fn norm(&self) -> f64 {
        self.hybrid.map_or_else(|| norm(&self.theta), |hybrid| hybrid.largest_norm(&self.theta))
    }
}

impl Part {
    /// The part of theta* at this place: as it is given, or drawn.
    fn new(environment: &Environment, place: Range<usize>, rng: &mut ChaCha8Rng) -> Self {
        let mut direction = vec![0.0; place.len()];
        let norm = match environment.truth.theta() {
            Some(theta) => {
                let length = norm(&theta[place.clone()]);
                direction.copy_from_slice(&theta[place.clone()]);
                direction.iter_mut().filter(|_| length > 0.0).for_each(|v| *v /= length);
                length
            }
            None => {
                fill_sphere(&mut direction, rng);
                // Every parameter has the same mean square: the norm of a part goes with the root of its size.
                let whole = environment.arms.hybrid().map_or(place.len(), |hybrid| hybrid.features());
                environment.truth.norm() * (place.len() as f64 / whole as f64).sqrt()
            }
        };
        Self { place, norm, direction, poles: None }
    }

    /// A step of a random walk on the sphere: the tangent is normal with mean square `rate` squared, and its length is the
    /// angle. In one dimension there is nowhere to go.
    fn walk(&mut self, rate: f64, tangent: &mut Vec<f64>, rng: &mut ChaCha8Rng) {
        draw_tangent(&self.direction, tangent, rng);
        let length = norm(tangent);
        if self.direction.len() < 2 || length == 0.0 {
            return;
        }
        let angle = length * rate / ((self.direction.len() - 1) as f64).sqrt();
        let (cos, sin) = (angle.cos(), angle.sin() / length);
        self.direction.iter_mut().zip(tangent).for_each(|(v, along)| *v = cos * *v + sin * *along);
        let length = norm(&self.direction);
        self.direction.iter_mut().for_each(|v| *v /= length);
    }

    /// Leans from the first pole to the second by an angle.
    fn lean(&mut self, angle: f64) {
        let Some([first, second]) = &self.poles else { return };
        let (cos, sin) = (angle.cos(), angle.sin());
        let places = self.direction.iter_mut().zip(first.iter().zip(second));
        places.for_each(|(v, (first, second))| *v = cos * first + sin * second);
    }
}

/// A standard normal vector of the plane perpendicular to a direction.
fn draw_tangent(direction: &[f64], tangent: &mut Vec<f64>, rng: &mut ChaCha8Rng) {
    tangent.clear();
    tangent.extend(direction.iter().map(|_| -> f64 { StandardNormal.sample(rng) }));
    let along = dot(tangent, direction);
    tangent.iter_mut().zip(direction).for_each(|(v, direction)| *v -= along * direction);
}
