//! Which instruction set loops run with.

use std::sync::atomic::{AtomicBool, Ordering};

static SCALAR: AtomicBool = AtomicBool::new(false);

/// Runs `work` with the widest vector registers that the machine has. The result does not depend on which: sums have as many
/// partial sums everywhere, in the same order, and nothing is fused.
#[inline(always)]
pub(crate) fn dispatch<W: pulp::WithSimd>(work: W) -> W::Output {
    if SCALAR.load(Ordering::Relaxed) { without(work) } else { pulp::Arch::new().dispatch(work) }
}

#[cold]
#[inline(never)]
fn without<W: pulp::WithSimd>(work: W) -> W::Output {
    work.with_simd(pulp::Scalar)
}

/// From now on all loops of this process run with the instructions that every machine of its kind has, or with the best ones
/// again: for tests that both give the same numbers.
#[doc(hidden)]
pub fn force_scalar(on: bool) {
    SCALAR.store(on, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Lanes;

    impl pulp::WithSimd for Lanes {
        type Output = usize;

        fn with_simd<S: pulp::Simd>(self, _: S) -> usize {
            S::F64_LANES
        }
    }

    #[test]
    fn what_is_forced_is_what_runs() {
        force_scalar(true);
        let forced = dispatch(Lanes);
        force_scalar(false);
        assert_eq!(forced, 1);
        assert_eq!(dispatch(Lanes), pulp::Arch::new().dispatch(Lanes));
    }
}
