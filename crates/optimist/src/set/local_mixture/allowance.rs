//! C(r): how far the loss at a candidate may lie above the loss at m, if the candidate is at distance r from m.

use crate::numerics::Elementary;

/// Room for as many terms as are ever used at once, so that none has to be made later.
const MOST_TERMS: usize = 8;

/// C(r) = log(1/delta) - log sum_j exp(s_j - Lambda_j r^2/2), with s_j = log p_j - a_j: equation (1) of the parent module.
///
/// C increases with r. To leave a term out raises it, so any choice of terms is valid, also one that looks at the data.
#[derive(Debug, Clone)]
pub(super) struct Allowance {
    /// log(1/delta).
    confidence: f64,
    /// Those of the priors around the candidate. The one that does not move with the candidate is kept apart, because it
    /// stays at an infinite distance.
    terms: Vec<Term>,
    /// s_0.
    fixed: f64,
}

/// A prior around the candidate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    /// Lambda_j.
    pub(super) precision: f64,
    /// s_j = log p_j - a_j.
    pub(super) log_share: f64,
}

impl Allowance {
    pub(super) fn new(delta: f64) -> Self {
        Self { confidence: -delta.logarithm(), terms: Vec::with_capacity(MOST_TERMS), fixed: f64::NEG_INFINITY }
    }

    /// Starts anew, with the prior that does not move: `excess` is by how much its own level exceeds L(m), and
    /// `log_weight` is log p_0. So a_0 = excess - log(1/delta).
    pub(super) fn restart(&mut self, excess: f64, log_weight: f64) {
        self.terms.clear();
        self.fixed = log_weight - (excess - self.confidence);
    }

    pub(super) fn add(&mut self, term: Term) {
        self.terms.push(term);
    }

    /// C(r); `r` may be infinite.
    pub(super) fn at(&self, r: f64) -> f64 {
        let exponent = |term: &Term| term.log_share - 0.5 * term.precision * r * r;
        let largest = self.terms.iter().map(exponent).fold(self.fixed, f64::max);
        // All shares are zero if the level of the fixed prior is infinite and r is, too.
        if largest == f64::NEG_INFINITY {
            return f64::INFINITY;
        }
        let sum = self.terms.iter().map(|term| (exponent(term) - largest).exponential()).sum::<f64>();
        self.confidence - largest - (sum + (self.fixed - largest).exponential()).logarithm()
    }

    #[cfg(test)]
    pub(super) fn terms(&self) -> &[Term] {
        &self.terms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_allowance_grows_with_the_distance_up_to_that_of_the_fixed_prior() {
        let mut allowance = Allowance::new(0.05);
        allowance.restart(12.0, 0.5_f64.ln());
        assert!((allowance.at(f64::INFINITY) - 12.0 - 2f64.ln()).abs() < 1e-14);
        assert!((allowance.at(0.0) - 12.0 - 2f64.ln()).abs() < 1e-14, "no other prior yet");
        for j in 0..5 {
            allowance.add(Term { precision: 4f64.powi(j), log_share: -4.0 + f64::from(j) });
        }
        let values: Vec<f64> = (0..200).map(|i| allowance.at(0.05 * f64::from(i))).collect();
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1] + 1e-14), "{values:?}");
        assert!(values[0] < 4.0 && values[199] <= 12.0 + 2f64.ln() + 1e-12);
        // -log(e^{-4} + ... + e^0) and the fixed part, by hand.
        let sum = (0..5).map(|j| f64::from(j - 4).exp()).sum::<f64>() + 0.5 * (-12.0_f64).exp() / 0.05;
        assert!((values[0] - 20f64.ln() + sum.ln()).abs() < 1e-12);
    }
}
