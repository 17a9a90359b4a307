//! Sums of millions of small numbers that stay exact to the last digits.

/// A sum with what its roundings have lost (Neumaier's variant of compensated summation).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    value: f64,
    lost: f64,
}

impl Sum {
    pub(super) fn add(&mut self, term: f64) {
        let next = self.value + term;
        let (large, small) = if self.value.abs() >= term.abs() { (self.value, term) } else { (term, self.value) };
        self.lost += (large - next) + small;
        self.value = next;
    }

    pub(super) fn value(&self) -> f64 {
        self.value + self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_on_the_way() {
        let mut sum = Sum::default();
        let mut plain = 0.0;
        let terms = [1e16, 1.0, 1.0, -1e16, 0.25];
        for term in terms {
            sum.add(term);
            plain += term;
        }
        assert_eq!(sum.value(), 2.25);
        assert_ne!(plain, 2.25, "otherwise this tests nothing");
    }
}
