//! The largest leverage of an observed arm: max over the rows of x'A^{-1}x, which bounds by how much a step changes a log-odds.

use crate::history::{History, TILE, Tile};
use crate::numerics::{Cholesky, LANES};

/// max_s x_s'A^{-1}x_s over the rows of the history, with the factor of A. `scratch` is [`scratch_size`] numbers.
pub(super) fn largest(history: &History, factor: &Cholesky, scratch: &mut [f64]) -> f64 {
    crate::numerics::dispatch(Largest { history, factor, scratch })
}

/// Numbers of working memory for arms with `dimension` features.
pub(super) fn scratch_size(dimension: usize) -> usize {
    dimension * TILE
}

/// The loop of [`largest`]. A type, because it must be marked `inline(always)`: see [`crate::loss`].
struct Largest<'a> {
    history: &'a History,
    factor: &'a Cholesky,
    scratch: &'a mut [f64],
}

impl pulp::WithSimd for Largest<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
        let tiles = self.history.tiles();
        tiles.map(|tile| largest_of_tile(&tile, self.factor, self.scratch)).fold(0.0, f64::max)
    }
}

/// Solves L w = x for all rows of a tile at once, a feature at a time.
#[inline(always)]
fn largest_of_tile(tile: &Tile<'_>, factor: &Cholesky, scratch: &mut [f64]) -> f64 {
    let used = tile.used.next_multiple_of(LANES);
    let mut squares = [0.0; TILE];
    for (i, column) in tile.features.chunks_exact(TILE).enumerate() {
        let (done, rest) = scratch.split_at_mut(i * TILE);
        let solution = &mut rest[..used];
        solution.copy_from_slice(&column[..used]);
        let (row, inverse) = factor.row(i);
        for (entry, known) in row.iter().zip(done.chunks_exact(TILE)) {
            for (w, k) in solution.iter_mut().zip(known) {
                *w -= entry * k;
            }
        }
        for (w, square) in solution.iter_mut().zip(&mut squares) {
            *w *= inverse;
            *square += *w * *w;
        }
    }
    squares[..used].iter().copied().fold(0.0, f64::max)
}
