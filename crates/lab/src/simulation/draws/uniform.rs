//! Arms that are uniform in a ball or on a sphere.

use optimist::FiniteArms;
use optimist::numerics::dot;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::fill_sphere;
use crate::experiment::Shape;

pub(super) fn draw(
    shape: Shape,
    count: usize,
    theta: &[f64],
    rng: &mut ChaCha8Rng,
) -> optimist::Result<FiniteArms<'static>> {
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

/// Mirrors `x` to the side on which x'theta <= 0.
fn reflect(x: &mut [f64], theta: &[f64]) {
    let (value, square) = (dot(x, theta), dot(theta, theta));
    if value > 0.0 {
        x.iter_mut().zip(theta).for_each(|(x, t)| *x -= 2.0 * value / square * t);
    }
}
