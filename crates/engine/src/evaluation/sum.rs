//! A sum whose rounding error does not grow with the number of terms.

use serde::{Deserialize, Serialize};

/// Neumaier's compensated sum (1974): `low` collects what additions to `high` rounded away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    pub(super) fn add(&mut self, term: f64) {
        let total = self.high + term;
        // The smaller of the two loses digits; which ones can be computed exactly.
        self.low += if self.high.abs() >= term.abs() { (self.high - total) + term } else { (term - total) + self.high };
        self.high = total;
    }

    pub(super) fn value(&self) -> f64 {
        self.high + self.low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_terms_survive_large_ones() {
        let mut sum = Sum::default();
        for term in [1.0, 1e100, 1.0, -1e100] {
            sum.add(term);
        }
        assert_eq!(sum.value(), 2.0);
    }
}
