//! Arms with parameters of their own.

use optimist::{ArmSet, FiniteArms, HybridArms};
use rand_chacha::ChaCha8Rng;

use super::fill_sphere;
use crate::experiment::{Context, Hybrid};

/// Arms with parameters of their own. Those that are written out are the same.
pub(super) fn draw(hybrid: &Hybrid, rng: &mut ChaCha8Rng) -> optimist::Result<ArmSet<'static>> {
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
pub(super) fn write_out(hybrid: &Hybrid, features: &[f64]) -> Vec<f64> {
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
