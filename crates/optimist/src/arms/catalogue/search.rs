//! The best item of a catalogue, found by bounding groups of them.
//!
//! For an item a = c + e of a group with centre c, whose rest e lies in a ball of radius r and in an ellipsoid with half-axes s,
//!
//! ```text
//! a'b     <= c'b + min(r ||b||, ||s o b||)
//! ||a||_M <= min( ||c||_M + min(r sqrt(l), sqrt(sum_j s_j^2 M_jj)),  ||a|| sqrt(l) ),    l >= the largest eigenvalue of M
//! ```
//!
//! and the index grows with both, but for z, which is taken where it is largest. A group whose bound is below an index that
//! was found is not looked into.

use super::groups::Groups;
use crate::numerics::{Elementary, dot, norm, square_form, trace};

/// The best item, and what it took to find it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Which item.
    pub item: usize,
    /// Its index.
    pub value: f64,
    /// Quadratic forms that were computed: of items, and of centres of groups.
    pub forms: usize,
}

/// Relative error of a bound, far above that of the products in it.
const ROUNDING: f64 = 1e-9;

/// What is asked about.
struct Query<'a, Z> {
    mean: &'a [f64],
    square: Option<&'a [f64]>,
    z: Z,
    /// ||b||.
    length: f64,
    /// sqrt(l).
    widest: f64,
}

/// A group to look into, with what is known about its items before its own quadratic form is computed.
struct Open {
    group: usize,
    /// The means of its items lie in between.
    means: (f64, f64),
    /// They are no wider than this: z ||a||_M is at most so much.
    width: f64,
}

/// See [`Catalogue::best`](super::Catalogue::best).
pub(super) fn best(groups: &Groups, mean: &[f64], square: Option<&[f64]>, z: impl Fn(f64, f64) -> f64) -> Found {
    let d = groups.dimension();
    assert_eq!(mean.len(), d, "one number per feature of an item");
    assert!(square.is_none_or(|m| m.len() == d * d), "one number per pair of features of an item");
    let widest = square.map_or(0.0, |m| largest_eigenvalue(m, d).sqrt());
    let query = Query { mean, square, z, length: norm(mean), widest };
    let mut found = Found { item: 0, value: f64::NEG_INFINITY, forms: 0 };
    let mut open = vec![query.open(groups, 0, f64::INFINITY)];
    while let Some(next) = open.pop() {
        if next.means.1 + next.width < found.value {
            continue;
        }
        let width = query.width(groups, &next, &mut found.forms);
        if next.means.1 + width < found.value {
            continue;
        }
        match groups.node(next.group).halves {
            None => query.look_into(groups, next.group, width, &mut found),
            Some(halves) => {
                let mut both = halves.map(|half| query.open(groups, half, width));
                // The more promising half is opened first: it is on top.
                if both[0].means.1 > both[1].means.1 {
                    both.swap(0, 1);
                }
                open.extend(both);
            }
        }
    }
    found
}

impl<Z: Fn(f64, f64) -> f64> Query<'_, Z> {
    /// Bounds the means of a group; `width` bounds a group that it is part of.
    fn open(&self, groups: &Groups, group: usize, width: f64) -> Open {
        let (node, (centre, axes)) = (groups.node(group), groups.shape(group));
        let middle = dot(centre, self.mean);
        let along: f64 = axes.iter().zip(self.mean).map(|(a, b)| a * b * b).sum();
        let reach = (node.radius * self.length).min(along.sqrt()) + ROUNDING * node.longest * self.length;
        Open { group, means: (middle - reach, middle + reach), width }
    }

    /// Bounds z ||a||_M for the items of a group.
    fn width(&self, groups: &Groups, open: &Open, forms: &mut usize) -> f64 {
        let Some(square) = self.square else { return 0.0 };
        *forms += 1;
        let (node, (centre, axes)) = (groups.node(open.group), groups.shape(open.group));
        let d = centre.len();
        let spread: f64 = axes.iter().enumerate().map(|(j, a)| a * square[j * d + j]).sum();
        // What is not a number bounds nothing; `max` would make it zero.
        let root = |v: f64| if v.is_nan() { f64::INFINITY } else { v.max(0.0).sqrt() };
        let rest = (node.radius * self.widest).min(root(spread));
        let norm = (root(square_form(square, centre)) + rest).min(node.longest * self.widest);
        // A form is computed to d units in the last place of its largest term, and its root, where it should be zero, to the
        // root of that.
        let rounding = ROUNDING + (4.0 * d as f64 * f64::EPSILON).sqrt();
        let norm = norm + rounding * node.longest * self.widest;
        // z is largest where the mean is closest to zero.
        let (low, high) = open.means;
        let closest = if high < 0.0 { high } else { low.max(0.0) };
        (norm * (self.z)(closest, norm * norm).max(0.0) * (1.0 + ROUNDING)).min(open.width)
    }

    fn look_into(&self, groups: &Groups, k: usize, width: f64, found: &mut Found) {
        let node = groups.node(k);
        for place in node.start..node.end {
            let a = groups.at(place);
            let mean = dot(a, self.mean);
            if mean + width < found.value {
                continue;
            }
            let value = match self.square {
                None => mean,
                Some(square) => {
                    found.forms += 1;
                    let square = square_form(square, a).max(0.0);
                    mean + (self.z)(mean, square) * square.sqrt()
                }
            };
            let number = groups.number(place);
            if value > found.value || (value == found.value && number < found.item) {
                (found.item, found.value) = (number, value);
            }
        }
    }
}

/// A number that is not below the largest eigenvalue of a positive semi-definite matrix, and above it by less than a tenth up
/// to d = 20: the 32nd root of the trace of its 32nd power.
fn largest_eigenvalue(lower: &[f64], d: usize) -> f64 {
    let scale = trace(lower, d);
    if !(scale > 0.0 && scale.is_finite()) {
        return scale;
    }
    let mut power: Vec<f64> = (0..d * d)
        .map(|at| {
            let (i, j) = (at / d, at % d);
            lower[i.max(j) * d + i.min(j)] / scale
        })
        .collect();
    let mut next = vec![0.0; d * d];
    // Powers of a matrix of trace one fall; what is divided out is kept as a logarithm of the root.
    let (mut log, mut share) = (scale.logarithm(), 1.0);
    for _ in 0..5 {
        for i in 0..d {
            for j in 0..=i {
                let entry = dot(&power[i * d..][..d], &power[j * d..][..d]);
                (next[i * d + j], next[j * d + i]) = (entry, entry);
            }
        }
        share *= 0.5;
        let size = trace(&next, d);
        log += share * size.logarithm();
        power.iter_mut().zip(&next).for_each(|(p, n)| *p = n / size);
    }
    log.exponential() * (1.0 + ROUNDING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::{add_outer, multiply};

    #[test]
    fn no_eigenvalue_is_larger() {
        for d in [1, 2, 7, 20] {
            for terms in [1, d, 3 * d] {
                let mut square = vec![0.0; d * d];
                for k in 0..terms {
                    let x: Vec<f64> = (0..d).map(|j| ((k * d + j) as f64 * 1.7 + 0.5).sin()).collect();
                    add_outer(&mut square, 10_f64.powi(k as i32 % 9 - 4), &x);
                }
                let (mut x, mut image) = (vec![1.0; d], vec![0.0; d]);
                for _ in 0..10_000 {
                    multiply(&square, &x, &mut image);
                    let length = norm(&image);
                    x.iter_mut().zip(&image).for_each(|(x, y)| *x = y / length);
                }
                let (bound, found) = (largest_eigenvalue(&square, d), square_form(&square, &x));
                // The trace of the 32nd power is at most d times that of the largest eigenvalue.
                let above = (d as f64).powf(1.0 / 32.0) * (1.0 + 1e-6);
                assert!(bound >= found && bound <= found * above, "{bound} for {found}");
            }
        }
        assert_eq!(largest_eigenvalue(&[0.0; 4], 2), 0.0);
    }
}
