//! The arms of a round, drawn.

use optimist::numerics::{dot, norm};
use optimist::{ArmSet, FiniteArms, HybridArms};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::error::{Error, Result};
use crate::experiment::{Arms, Context, Hybrid, Shape};

/// What may be played in a round whose parameter is `theta`.
pub(super) fn draw(arms: &Arms, theta: &[f64], rng: &mut ChaCha8Rng) -> Result<ArmSet<'static>> {
    let dimension = theta.len();
    let list = match arms {
        Arms::Ball => return Ok(ArmSet::Ball { dimension }),
        Arms::Sphere => return Ok(ArmSet::Sphere { dimension }),
        Arms::List { arms, .. } => FiniteArms::from_rows(arms).map(ArmSet::from),
        Arms::Drawn { shape, count, .. } => draw_list(*shape, *count, theta, rng).map(ArmSet::from),
        Arms::Hybrid(hybrid) => draw_hybrid(hybrid, rng),
    };
    list.map_err(|e| Error::input(format!("environment.arms: {e}")))
}

fn draw_list(shape: Shape, count: usize, theta: &[f64], rng: &mut ChaCha8Rng) -> optimist::Result<FiniteArms<'static>> {
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
    FiniteArms::new(dimension, features)
}

/// Arms with parameters of their own. Those that are written out are the same.
fn draw_hybrid(hybrid: &Hybrid, rng: &mut ChaCha8Rng) -> optimist::Result<ArmSet<'static>> {
    let width = hybrid.features();
    let mut features = vec![0.0; hybrid.count * width];
    let mut context = vec![0.0; hybrid.own];
    if hybrid.context == Context::Common {
        fill_part(&mut context, width, rng);
    }
    for x in features.chunks_exact_mut(width) {
        let (shared, own) = x.split_at_mut(hybrid.shared);
        fill_part(shared, width, rng);
        match hybrid.context {
            Context::Common => own.copy_from_slice(&context),
            Context::Each => fill_part(own, width, rng),
        }
    }
    if hybrid.written_out {
        return FiniteArms::new(hybrid.parameters(), write_out(hybrid, &features)).map(ArmSet::from);
    }
    let owners: Vec<u64> = (0..hybrid.count as u64).collect();
    HybridArms::new(owners, width, features).map(ArmSet::from)
}

/// Every arm with a zero for each parameter that it does not meet.
fn write_out(hybrid: &Hybrid, features: &[f64]) -> Vec<f64> {
    let width = hybrid.parameters();
    let mut rows = vec![0.0; hybrid.count * width];
    let arms = features.chunks_exact(hybrid.features()).zip(rows.chunks_exact_mut(width));
    for (k, (x, row)) in arms.enumerate() {
        let (shared, own) = x.split_at(hybrid.shared);
        row[..hybrid.shared].copy_from_slice(shared);
        row[hybrid.place_of(k)].copy_from_slice(own);
    }
    rows
}

/// A part of an arm of `width` features: uniform on the sphere whose squared radius is its share of them.
fn fill_part(x: &mut [f64], width: usize, rng: &mut ChaCha8Rng) {
    let radius = (x.len() as f64 / width as f64).sqrt();
    fill_sphere(x, rng);
    x.iter_mut().for_each(|v| *v *= radius);
}

/// Mirrors `x` to the side on which x'theta <= 0.
fn reflect(x: &mut [f64], theta: &[f64]) {
    let (value, square) = (dot(x, theta), dot(theta, theta));
    if value > 0.0 {
        x.iter_mut().zip(theta).for_each(|(x, t)| *x -= 2.0 * value / square * t);
    }
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
