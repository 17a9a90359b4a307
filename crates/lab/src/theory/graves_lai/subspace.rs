//! Orthonormal bases of the span of vectors and of what is left of the space.

use optimist::numerics::{dot, norm};

/// A vector of whose length less than this part is left after projection lies in the span.
const IN_SPAN: f64 = 1e-9;

/// `v` less its part in the span of the orthonormal `basis`; none if it lies in that span.
pub(super) fn outside(v: &[f64], basis: &[Vec<f64>]) -> Option<Vec<f64>> {
    let mut rest = v.to_vec();
    // Twice is enough: the second pass removes what rounding left in the first.
    for _ in 0..2 {
        for b in basis {
            let along = dot(&rest, b);
            rest.iter_mut().zip(b).for_each(|(r, b)| *r -= along * b);
        }
    }
    let length = norm(v);
    (length > 0.0 && norm(&rest) > IN_SPAN * length).then_some(rest)
}

/// Adds to the orthonormal `basis` the direction of `v`, if that is new.
pub(super) fn extend(basis: &mut Vec<Vec<f64>>, v: &[f64]) {
    if let Some(mut rest) = outside(v, basis) {
        let length = norm(&rest);
        rest.iter_mut().for_each(|r| *r /= length);
        basis.push(rest);
    }
}

/// Orthonormal vectors that complete the orthonormal `basis` to one of the whole space.
pub(super) fn complement(basis: &[Vec<f64>], dimension: usize) -> Vec<Vec<f64>> {
    let mut whole = basis.to_vec();
    while whole.len() < dimension {
        // The unit vector that sticks out furthest: of its squared length at least (d - rank)/d is left.
        let sticks_out = |j: &usize| 1.0 - whole.iter().map(|b| b[*j] * b[*j]).sum::<f64>();
        let Some(j) = (0..dimension).max_by(|a, b| sticks_out(a).total_cmp(&sticks_out(b))) else { break };
        let mut unit = vec![0.0; dimension];
        unit[j] = 1.0;
        extend(&mut whole, &unit);
    }
    whole.split_off(basis.len())
}

/// The reflection that takes a vector to a multiple of the first unit vector.
#[derive(Debug, Clone)]
pub(super) struct Reflection {
    normal: Vec<f64>,
    /// 2 / ||normal||^2.
    factor: f64,
}

impl Reflection {
    /// The reflection, and the multiple it takes `a` to.
    pub(super) fn of(a: &[f64]) -> (Self, f64) {
        let length = norm(a).copysign(a[0]);
        let mut normal = a.to_vec();
        normal[0] += length;
        let factor = 2.0 / dot(&normal, &normal);
        (Self { normal, factor }, -length)
    }

    /// Reflects `v`; twice is no change.
    pub(super) fn apply(&self, v: &mut [f64]) {
        let along = self.factor * dot(&self.normal, v);
        v.iter_mut().zip(&self.normal).for_each(|(v, n)| *v -= along * n);
    }
}
