//! Success probabilities that are not those of the logistic model, as log-odds.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use crate::experiment::{Interaction, Link, Rewards};

/// The largest log-odds, of either sign: an arm that always succeeds has no finite ones. The probability is one, or zero, to
/// the last digit.
const MOST: f64 = 40.0;

/// How rewards depend on features, where not by the logistic model.
#[derive(Debug, Clone)]
pub(super) struct Law {
    link: Link,
    interactions: Vec<Interaction>,
}

impl Law {
    /// None if success probabilities are those of the logistic model.
    pub(super) fn new(rewards: &Rewards) -> Option<Self> {
        let law = || Self { link: rewards.link, interactions: rewards.interactions.clone() };
        (!rewards.is_logistic()).then(law)
    }

    /// The log-odds of success of an arm `x` for which x'theta* is `z`.
    pub(super) fn log_odds(&self, z: f64, x: &[f64]) -> f64 {
        let product = |term: &Interaction| term.weight * x[term.first] * x[term.second];
        log_odds(self.link, z + self.interactions.iter().map(product).sum::<f64>())
    }
}

/// The log-odds of a probability.
pub(super) fn log_odds_of(rate: f64) -> f64 {
    bounded(rate.ln() - (-rate).ln_1p())
}

/// The log-odds of what a link makes of `z`.
fn log_odds(link: Link, z: f64) -> f64 {
    match link {
        Link::Logit => z,
        Link::Probit => bounded(normal(z).ln() - normal(-z).ln()),
        // log(1 - exp(-e)) + e, where e = exp(z).
        Link::Cloglog => bounded((-(-z.exp()).exp_m1()).ln() + z.exp()),
        Link::Cauchit => bounded(cauchy(z).ln() - cauchy(-z).ln()),
        Link::Linear => log_odds_of((0.5 + 0.25 * z).clamp(0.0, 1.0)),
    }
}

fn bounded(log_odds: f64) -> f64 {
    log_odds.clamp(-MOST, MOST)
}

/// The distribution function of the standard normal law, without cancellation on the left.
fn normal(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// That of the Cauchy law: 1/2 + arctan(z)/pi, without cancellation on the left.
fn cauchy(z: f64) -> f64 {
    if z < 0.0 { (-1.0 / z).atan() / PI } else { 0.5 + z.atan() / PI }
}

#[cfg(test)]
mod tests {
    use optimist::link;

    use super::*;

    #[test]
    fn log_odds_are_those_of_the_probabilities() {
        for z in [-3.0, -1.5, -0.2, 0.0, 0.4, 1.0, 2.5] {
            let (cloglog, cauchit) = (1.0 - (-f64::exp(z)).exp(), 0.5 + z.atan() / PI);
            for (link, probability) in [(Link::Cloglog, cloglog), (Link::Cauchit, cauchit)] {
                assert!((link::mean(log_odds(link, z)) - probability).abs() < 1e-14, "{link:?} {z}");
            }
        }
        let at = |link, z| link::mean(log_odds(link, z));
        // Quantiles of the normal law from tables.
        for (z, probability) in [(-1.959_963_984_540_054, 0.025), (0.0, 0.5), (1.644_853_626_951_472_2, 0.95)] {
            assert!((at(Link::Probit, z) - probability).abs() < 1e-14);
        }
        assert_eq!([at(Link::Linear, 0.4), at(Link::Linear, 2.5), log_odds(Link::Logit, 0.3)], [0.6, 1.0, 0.3]);
    }

    #[test]
    fn certainty_stays_finite() {
        for link in [Link::Probit, Link::Cloglog, Link::Cauchit, Link::Linear] {
            for z in [-1e300, -1e3, -50.0, 50.0, 1e3, 1e300] {
                let found = log_odds(link, z);
                assert!(found.abs() <= MOST && found * z > 0.0, "{link:?} {z}: {found}");
            }
        }
        assert_eq!([log_odds_of(0.0), log_odds_of(0.5), log_odds_of(1.0)], [-MOST, 0.0, MOST]);
    }
}
