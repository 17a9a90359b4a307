//! The arms of a round, drawn. Every kind is a file.

mod categories;
mod gaussian;
mod hybrid;
mod list;
mod table;
mod uniform;

use optimist::numerics::norm;
use optimist::{ArmSet, FiniteArms};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use self::table::Passage;
use crate::error::{Error, Result};
use crate::experiment::Arms;

/// Where the arms of a run come from.
#[derive(Debug, Clone)]
pub(super) struct Source {
    arms: Arms,
    /// How far a table was read.
    passage: Passage,
}

/// The arms of a round.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    pub(super) arms: ArmSet<'static>,
    /// Their success probabilities, if they do not follow from theta*; otherwise empty.
    pub(super) rates: Vec<f64>,
}

impl<A: Into<ArmSet<'static>>> From<A> for Offer {
    fn from(arms: A) -> Self {
        Self { arms: arms.into(), rates: Vec::new() }
    }
}

impl Source {
    pub(super) fn new(arms: &Arms) -> Self {
        Self { arms: arms.clone(), passage: Passage::default() }
    }

    /// What may be played in a round whose parameter is `theta`.
    pub(super) fn draw(&mut self, theta: &[f64], rng: &mut ChaCha8Rng) -> Result<Offer> {
        let dimension = theta.len();
        let offer = match &self.arms {
            Arms::Ball => return Ok(ArmSet::Ball { dimension }.into()),
            Arms::Sphere => return Ok(ArmSet::Sphere { dimension }.into()),
            Arms::List(list) => list::draw(list, rng),
            Arms::Drawn { shape, count, .. } => uniform::draw(*shape, *count, theta, rng).map(Offer::from),
            Arms::Hybrid(hybrid) => hybrid::draw(hybrid, rng).map(Offer::from),
            Arms::Gaussian(gaussian) => gaussian::draw(gaussian, dimension, rng).map(Offer::from),
            Arms::Categories(categories) => categories::draw(categories, rng).map(Offer::from),
            Arms::Table(table) => self.passage.draw(table, rng).map(Offer::from),
        };
        offer.map_err(|e| Error::input(format!("environment.arms: {e}")))
    }
}

/// A list of `count` arms, each of whose features are filled in one after the other.
fn filled(count: usize, dimension: usize, fill: impl FnMut(&mut [f64])) -> optimist::Result<FiniteArms<'static>> {
    let mut features = vec![0.0; count * dimension];
    features.chunks_exact_mut(dimension).for_each(fill);
    FiniteArms::new(dimension, features)
}

/// A point of the unit sphere, uniformly; no numbers at all have no sphere, and stay as they are.
pub(super) fn fill_sphere(x: &mut [f64], rng: &mut ChaCha8Rng) {
    while !x.is_empty() {
        x.iter_mut().for_each(|v| *v = StandardNormal.sample(rng));
        let length = norm(x);
        // Zero has probability zero, but not quite zero in floating point.
        if length > 1e-100 {
            x.iter_mut().for_each(|v| *v /= length);
            return;
        }
    }
}
