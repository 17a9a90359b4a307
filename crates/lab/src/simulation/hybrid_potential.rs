//! The elliptical potential where arms have parameters of their own.

use std::collections::BTreeMap;

use optimist::numerics::{Precision, add_scaled};

/// What [`Potential`](super::Potential) computes for rows that are written out, without writing them out.
///
/// H is an arrow: its blocks of two different arms vanish. S is the Schur complement of the shared block, D_k the block of
/// arm k, M_k its border times D_k^{-1}. With g = s - M_k u the square of (s, u) is g'S^{-1}g + u'D_k^{-1}u, and a play of
/// weight w changes, with c = w/(1 + w u'D_k^{-1}u), S += c g g', M_k += c g (D_k^{-1}u)' and D_k += w u u'.
#[derive(Debug, Clone)]
pub(super) struct HybridPotential {
    ridge: f64,
    /// S.
    shared: Precision,
    blocks: BTreeMap<u64, Block>,
    /// g and S^{-1}g.
    rest: Vec<f64>,
    direction: Vec<f64>,
    /// D_k^{-1}u.
    own: Vec<f64>,
}

#[derive(Debug, Clone)]
struct Block {
    /// D_k.
    precision: Precision,
    /// M_k', one row of shared numbers per own feature.
    border: Vec<Vec<f64>>,
}

impl HybridPotential {
    /// Before the first play of arms with so many features; the ridge is the number of parameters.
    pub(super) fn new(shared: usize, own: usize, parameters: usize) -> Self {
        let ridge = parameters as f64;
        Self {
            ridge,
            shared: Precision::new(shared, ridge),
            blocks: BTreeMap::new(),
            rest: vec![0.0; shared],
            direction: vec![0.0; shared],
            own: vec![0.0; own],
        }
    }

    /// mu' ||x||^2 of a play, which then enters the metric.
    pub(super) fn enter(&mut self, owner: u64, features: &[f64], slope: f64) -> f64 {
        let (s, u) = features.split_at(self.rest.len());
        let block = self.blocks.entry(owner).or_insert_with(|| Block {
            precision: Precision::new(u.len(), self.ridge),
            border: vec![vec![0.0; s.len()]; u.len()],
        });
        let own_square = block.precision.solve(u, &mut self.own);
        block.precision.add(slope, u, &self.own, own_square);
        if s.is_empty() {
            return slope * own_square;
        }
        self.rest.copy_from_slice(s);
        block.border.iter().zip(u).for_each(|(row, u)| add_scaled(&mut self.rest, -u, row));
        let square = self.shared.solve(&self.rest, &mut self.direction);
        let weight = slope / (1.0 + slope * own_square);
        block.border.iter_mut().zip(&self.own).for_each(|(row, v)| add_scaled(row, weight * v, &self.rest));
        self.shared.add(weight, &self.rest, &self.direction, square);
        slope * (square + own_square)
    }
}
