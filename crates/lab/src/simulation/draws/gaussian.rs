//! Arms with normal features.

use optimist::FiniteArms;
use optimist::numerics::norm;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::filled;
use crate::experiment::{Form, Gaussian};

pub(super) fn draw(
    gaussian: &Gaussian,
    dimension: usize,
    rng: &mut ChaCha8Rng,
) -> optimist::Result<FiniteArms<'static>> {
    let root = (dimension as f64).sqrt();
    filled(gaussian.count, dimension, |x| {
        x.iter_mut().for_each(|v| *v = StandardNormal.sample(rng));
        correlate(gaussian, x, StandardNormal.sample(rng));
        let longest = norm(x).max(root);
        x.iter_mut().for_each(|v| *v /= longest);
        optimist::arms::normalise(x);
    })
}

/// Makes correlated normal numbers of independent ones; `common` is one more.
fn correlate(gaussian: &Gaussian, x: &mut [f64], common: f64) {
    let rho = gaussian.correlation;
    match gaussian.form {
        Form::Equal => {
            let (share, rest) = (rho.sqrt() * common, (1.0 - rho).sqrt());
            x.iter_mut().for_each(|v| *v = share + rest * *v);
        }
        Form::Ar1 => {
            let rest = (1.0 - rho * rho).sqrt();
            for i in 1..x.len() {
                x[i] = rho * x[i - 1] + rest * x[i];
            }
        }
    }
}
