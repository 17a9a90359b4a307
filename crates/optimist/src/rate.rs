//! What the outcomes of one arm say about its own success probability, whatever the features say.
//!
//! The sets of this crate trust the model: mu(x'theta*) for all arms and one theta*. An interval that uses nothing but the
//! outcomes of one arm can contradict it, and where it does the model does not fit.
//!
//! **Interval.** Let the arm succeed with probability m, n outcomes have come, and their mean be p. For a uniform prior,
//! M_n = int (q/m)^{np} ((1-q)/(1-m))^{n(1-p)} dq is a non-negative martingale of mean one (a supermartingale for rewards
//! between 0 and 1, because its factors are convex in the reward), so that with probability 1 - alpha it never exceeds
//! 1/alpha (Ville 1939). For q = (1-t)p + tu with u in [0, 1], q >= (1-t)p and 1-q >= (1-t)(1-p): the integrand is at least
//! (1-t)^n of what it is at p, on an interval of length t. With t = 1/(n+1) that is at least 1/(e(n+1)), hence
//!
//! ```text
//!   n kl(p, m) <= log(1/alpha) + 1 + log(n + 1)   for all n at once,    kl(p, m) = p log(p/m) + (1-p) log((1-p)/(1-m))
//! ```
//!
//! Nothing is asked of how often, when or why the arm was played. It depends on the outcomes as a whole only, as the set
//! `mixture` does, and assumes of them what that assumes, but for the features.

use crate::error::{Result, check_number};
use crate::numerics::Elementary;

/// Bounds on the success probability of one arm by its own outcomes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateInterval {
    /// The mean of the outcomes.
    pub rate: f64,
    /// Lower bound on the success probability.
    pub lower: f64,
    /// Upper bound on it.
    pub upper: f64,
}

impl RateInterval {
    /// The interval after `count` outcomes with that `sum`, wrong at any time with probability `alpha` at most.
    ///
    /// # Errors
    /// If `count` is not positive, `sum` not between zero and `count`, or `alpha` not in (0, 1).
    pub fn new(count: f64, sum: f64, alpha: f64) -> Result<Self> {
        check_number("count", count, count > 0.0, "positive")?;
        check_number("sum", sum, (0.0..=count).contains(&sum), "from 0 to count")?;
        check_number("alpha", alpha, alpha > 0.0 && alpha < 1.0, "strictly between 0 and 1")?;
        let rate = (sum / count).clamp(0.0, 1.0);
        let most = (1.0 - alpha.logarithm() + count.logarithm_1p()) / count;
        Ok(Self { rate, lower: last_within(rate, 0.0, most), upper: last_within(rate, 1.0, most) })
    }

    /// Whether no probability between `lower` and `upper` is in the interval.
    pub fn excludes(&self, lower: f64, upper: f64) -> bool {
        self.upper < lower || upper < self.lower
    }
}

/// kl(p, m), which loses no digits where the two are close.
fn divergence(p: f64, m: f64) -> f64 {
    let part = |weight: f64, change: f64| if weight > 0.0 { -weight * (change / weight).logarithm_1p() } else { 0.0 };
    part(p, m - p) + part(1.0 - p, p - m)
}

/// The m between `p` and `end` farthest from p with kl(p, m) <= `most`, or a number a little beyond: the next double outward, or
/// 2^-100 of the way from p to the end, whichever is farther.
fn last_within(p: f64, end: f64, most: f64) -> f64 {
    let (mut inside, mut outside) = (p, end);
    // kl grows away from p. A hundred halvings leave 2^-100 of the way between the two: near one that is less than a double
    // can tell, near zero it is not, and then too the one outside is a bound.
    for _ in 0..100 {
        let middle = 0.5 * (inside + outside);
        if divergence(p, middle) <= most {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    outside
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::generator;

    #[test]
    fn bounds_solve_their_equation() {
        for (count, sum) in [(1.0, 0.0), (1.0, 1.0), (10.0, 3.0), (1000.0, 999.5), (1e15, 3e14)] {
            let most = (1.0 - 0.001_f64.ln() + f64::ln_1p(count)) / count;
            let RateInterval { rate, lower, upper } = RateInterval::new(count, sum, 0.001).unwrap();
            assert!(0.0 <= lower && lower <= rate && rate <= upper && upper <= 1.0, "{lower} {rate} {upper}");
            for bound in [lower, upper].into_iter().filter(|m| *m > 0.0 && *m < 1.0) {
                assert!((divergence(rate, bound) / most - 1.0).abs() < 1e-6, "{count} {sum}: {bound}");
            }
        }
        assert_eq!(RateInterval::new(3.0, 0.0, 0.01).unwrap().lower, 0.0);
        assert_eq!(RateInterval::new(3.0, 3.0, 0.01).unwrap().upper, 1.0);
    }

    #[test]
    fn what_is_no_count_is_refused() {
        for (count, sum, alpha) in
            [(0.0, 0.0, 0.1), (2.0, 3.0, 0.1), (2.0, -1.0, 0.1), (2.0, 1.0, 1.0), (f64::NAN, 1.0, 0.1)]
        {
            assert!(RateInterval::new(count, sum, alpha).is_err(), "{count} {sum} {alpha}");
        }
    }

    /// Looked at after every outcome, with a level at which the interval that ignores looking is wrong in most runs.
    #[test]
    fn the_interval_holds_at_all_times() {
        let (alpha, runs, rounds) = (0.2_f64, 300, 2000);
        let (mut missed, mut naive) = (0, 0);
        for run in 0..runs {
            let (mut rng, m) = (generator(run), [0.02, 0.3, 0.5][run as usize % 3]);
            let (mut sum, mut wrong, mut wrong_if_once) = (0.0, false, false);
            for n in 1..=rounds {
                sum += f64::from(u8::from(rng.random_bool(m)));
                let distance = f64::from(n) * divergence(sum / f64::from(n), m);
                wrong |= distance > 1.0 - alpha.ln() + f64::from(n).ln_1p();
                wrong_if_once |= distance > 0.5 * 1.64; // the chi-squared quantile at 20%
            }
            missed += u32::from(wrong);
            naive += u32::from(wrong_if_once);
        }
        assert!(f64::from(missed) <= alpha * runs as f64, "{missed} of {runs}");
        assert!(f64::from(naive) > 0.8 * runs as f64, "{naive} of {runs}");
    }
}
