//! A Gauss-Hermite rule: a distribution on 24 points that stands for the standard normal.

use super::Elementary;
use std::sync::OnceLock;

/// Points of the rule.
pub(super) const NODES: usize = 24;

/// A point, its probability, and the logarithm of that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) at: f64,
    pub(super) weight: f64,
    pub(super) log_weight: f64,
}

/// The rule, computed once. Its weights sum to one.
pub(super) fn rule() -> &'static [Node; NODES] {
    static RULE: OnceLock<[Node; NODES]> = OnceLock::new();
    RULE.get_or_init(|| {
        let mut weights = [(0.0, 0.0); NODES];
        for (pair, root) in weights.chunks_exact_mut(2).zip(positive_roots()) {
            let weight = 1.0 / squares(root);
            pair.copy_from_slice(&[(root, weight), (-root, weight)]);
        }
        let sum: f64 = weights.iter().map(|w| w.1).sum();
        weights.map(|(at, weight)| Node { at, weight: weight / sum, log_weight: (weight / sum).logarithm() })
    })
}

/// The Hermite polynomials of degree 0 to [`NODES`] at x, orthonormal under the standard normal.
fn polynomials(x: f64) -> [f64; NODES + 1] {
    let mut p = [1.0; NODES + 1];
    p[1] = x;
    for k in 1..NODES {
        p[k + 1] = (x * p[k] - (k as f64).sqrt() * p[k - 1]) / (k as f64 + 1.0).sqrt();
    }
    p
}

/// Sum of the squares of all polynomials below the rule's degree: the reciprocal of the weight of a node.
fn squares(x: f64) -> f64 {
    polynomials(x)[..NODES].iter().map(|p| p * p).sum()
}

/// The positive roots of the polynomial of degree [`NODES`], which is even.
fn positive_roots() -> impl Iterator<Item = f64> {
    // The roots lie below sqrt(4 n + 2) < 10 and are more than 0.4 apart.
    const STEP: f64 = 0.1;
    let value = |x: f64| polynomials(x)[NODES];
    (0..100).map(|i| i as f64 * STEP).filter(move |&x| value(x) * value(x + STEP) <= 0.0).map(move |x| {
        let (mut low, mut high) = (x, x + STEP);
        // Sixty halvings reach the last bit.
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if value(low) * value(middle) > 0.0 { low = middle } else { high = middle }
        }
        low
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_a_distribution_with_the_moments_of_the_normal() {
        let moment = |k: i32| rule().iter().map(|node| node.log_weight.exp() * node.at.powi(k)).sum::<f64>();
        assert!((moment(0) - 1.0).abs() < 4.0 * f64::EPSILON);
        // Exact up to degree 2 * 24 - 1: (k - 1)!! for even k, zero for odd.
        let mut exact = 1.0;
        for k in 1..=23 {
            exact *= f64::from(2 * k - 1);
            assert!((moment(2 * k) / exact - 1.0).abs() < 1e-12, "moment {}", 2 * k);
            assert_eq!(moment(2 * k - 1) / exact, 0.0, "moment {}", 2 * k - 1);
        }
        // And not beyond.
        assert!((moment(48) / (exact * 47.0) - 1.0).abs() > 1e-9);
    }
}
