//! How much the picks of an insured rule may cost: a number, a curve, or what is proved of optimism itself.

use serde::{Deserialize, Serialize};

use crate::error::{Result, check_number};
use crate::link;
use crate::numerics::Elementary;
use crate::problem::Problem;
use crate::set::Mixture;

/// What may be spent, in successes lost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Budget {
    /// So much, ever.
    Fixed(f64),
    /// More as time goes by.
    Growing(Curve),
}

/// scale t^power in round t.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// The budget of the first round.
    pub scale: f64,
    /// 0: as a fixed one; 0.5: as the regret of good policies grows; 1: a share of all rounds.
    pub power: f64,
}

impl Budget {
    /// Checks the ranges.
    ///
    /// # Errors
    /// Names what is out of range, and what to write instead.
    pub fn validate(&self) -> Result<()> {
        const AMOUNT: &str = "zero (optimism alone) or positive";
        // A pick costs one success at most, so that a power above one would promise nothing.
        const POWER: &str = "between 0 (the same in all rounds) and 1 (a share of the rounds)";
        match *self {
            Budget::Fixed(amount) => check_number("budget", amount, amount >= 0.0, AMOUNT),
            Budget::Growing(Curve { scale, power }) => {
                check_number("budget.scale", scale, scale >= 0.0, AMOUNT)?;
                check_number("budget.power", power, (0.0..=1.0).contains(&power), POWER)
            }
        }
    }

    /// What may have been spent by the end of round `round`.
    pub fn at(&self, round: u64) -> f64 {
        match *self {
            Budget::Fixed(amount) => amount,
            Budget::Growing(Curve { scale, power }) => scale * (round as f64).power(power),
        }
    }
}

/// What optimism over the mixture set costs at most, with constants that are known before the first round.
///
/// **Theorem.** Let ||theta*|| <= S, arms be no longer than X, rewards be seen before the next choice, and O be any set of
/// rounds up to T in which the arm of the largest x'theta over the mixture set E_t is played, whatever is played in the
/// others. As long as theta* is in E_t (probability 1 - delta for all T at once), the plays of O cost no more than
///
/// ```text
///   (rho/2) sqrt(E(1/4) T) + kappa rho^2 E(1/kappa) / (12 sqrt 3),    kappa = 1/mu'(SX),   D = 2SX,
///   rho^2 = 2 B (D/(1 - e^{-D/2}))^2 + 4d,    B = d/2 + log(5/(4 delta)) + (d/2) log(1 + n u/(4d)),   u = (SX)^2/d,
///   E(w) = (wu/log(1 + wu)) d log(1 + T wu/d),    n the number of rewards seen, at least T
/// ```
///
/// **Proof.** *Level.* With the precision l = d/S^2 of the prior's first part, which is four fifths of it, the level of the
/// mixture set is at most min over the ball of L + (l/2)||.||^2, plus log(5/(4 delta)) + logdet(I + W/l)/2. The first exceeds the least loss of the
/// ball by d/2 at most, and W <= (1/4) sum xx', whose trace is at most n X^2/4: the level exceeds the least loss by B.
///
/// *Size.* Let theta be in E_t. The midpoint of theta and theta* is in the ball, so L(theta) + L(theta*) - 2 L(midpoint) is
/// at most 2B. It equals the integral over v from 0 to 1 of min(v, 1-v) times the second derivative of L along the segment,
/// in which x_s'theta* changes by Delta_s = x_s'(theta - theta*), |Delta_s| <= D; and
/// mu'(z + v Delta) >= mu'(z) e^{-v|Delta|} (self-concordance). With the integral of min(v, 1-v) e^{-vD}, which is
/// ((1 - e^{-D/2})/D)^2, and ||theta - theta*||^2 <= 4S^2 this gives ||theta - theta*||_H^2 <= rho^2 for
/// H = sum_s mu'(x_s'theta*) x_s x_s' + l I.
///
/// *Rounds of O.* The best arm's log-odds are at most x_t'theta_t = z + Delta, z = x_t'theta*. If Delta > 0 the round costs at
/// most mu(z + Delta) - mu(z) <= mu'(z) Delta + Delta^2/(12 sqrt 3), because mu'' <= 1/(6 sqrt 3), where
/// Delta <= rho ||x_t||_{H^{-1}}. Plays outside of O only add to H. So the elliptical lemma for the rounds of O alone gives
/// E(1/4) for the sum of mu'(z)||x_t||^2_{H^{-1}}, where y <= (c/log(1 + c)) log(1 + y) for y <= c; and kappa E(1/kappa)
/// for that of ||x_t||^2_{H^{-1}}, because H >= (kappa l I + sum xx')/kappa. Cauchy and Schwarz with mu' <= 1/4 do the rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct OptimismBound {
    pub(super) problem: Problem,
    /// X, the length of the longest arm.
    pub(super) longest: f64,
    /// n.
    pub(super) observations: f64,
}

impl OptimismBound {
    /// The bound for T = `rounds`; none without a norm bound.
    pub(super) fn at(&self, rounds: u64) -> Option<f64> {
        let reach = self.problem.norm_bound? * self.longest;
        let t = rounds as f64;
        let kappa = 1.0 / link::variance(reach);
        let square = self.squared_deviation(reach, self.observations.max(t));
        let linear = 0.5 * (square * self.potential(reach, 0.25, t) * t).sqrt();
        let curved = kappa * square * self.potential(reach, 1.0 / kappa, t) / (12.0 * 3f64.sqrt());
        Some(linear + curved)
    }

    /// u.
    fn ratio(&self, reach: f64) -> f64 {
        reach * reach / self.problem.dimension as f64
    }

    /// B.
    pub(super) fn excess(&self, reach: f64, n: f64) -> f64 {
        let d = self.problem.dimension as f64;
        0.5 * d - (Mixture::FIRST_SHARE * self.problem.delta).logarithm()
            + 0.5 * d * (0.25 * n * self.ratio(reach) / d).logarithm_1p()
    }

    /// rho^2. D/(1 - e^{-D/2}) tends to 2 as D falls to zero.
    pub(super) fn squared_deviation(&self, reach: f64, n: f64) -> f64 {
        let stretch = if reach > 0.0 { 2.0 * reach / -(-reach).exponential_m1() } else { 2.0 };
        2.0 * self.excess(reach, n) * stretch * stretch + 4.0 * self.problem.dimension as f64
    }

    /// E(w); c/log(1 + c) tends to one as c falls to zero.
    fn potential(&self, reach: f64, weight: f64, t: f64) -> f64 {
        let (c, d) = (weight * self.ratio(reach), self.problem.dimension as f64);
        let growth = if c > 0.0 { c / c.logarithm_1p() } else { 1.0 };
        growth * d * (t * c / d).logarithm_1p()
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::arms::FiniteArms;
    use crate::belief::Belief;
    use crate::generator;
    use crate::numerics::{Precision, dot};
    use crate::plan::Planner;

    /// The integral of min(v, 1-v) e^{-vD}, by the midpoint rule.
    #[test]
    fn the_weight_of_a_segment_is_a_square() {
        for distance in [0.01, 1.0, 7.7, 30.0] {
            let n = 200_000;
            let point = |i: i32| (f64::from(i) + 0.5) / f64::from(n);
            let value = |v: f64| v.min(1.0 - v) * (-v * distance).exp();
            let sum: f64 = (0..n).map(|i| value(point(i))).sum::<f64>() / f64::from(n);
            let square = (-(-0.5 * distance).exp_m1() / distance).powi(2);
            assert!((sum / square - 1.0).abs() < 1e-6, "{distance}: {sum} {square}");
        }
    }

    /// Every step of the proof, while half of the plays are optimistic and half are not.
    #[test]
    fn every_step_of_the_proof_holds_in_runs() {
        for (seed, bound, longest) in [(1_u64, 2.0, 1.0), (2, 4.0, 1.0), (3, 1.5, 2.5)] {
            check_run(&mut generator(seed), bound, longest);
        }
    }

    fn check_run(rng: &mut crate::Generator, norm_bound: f64, longest: f64) {
        let problem = Problem { dimension: 2, delta: 1e-3, norm_bound: Some(norm_bound) };
        let angles: Vec<f64> = (0..8).map(|_| std::f64::consts::TAU * rng.random::<f64>()).collect();
        let rows: Vec<[f64; 2]> = angles.iter().map(|a| [longest * a.cos(), longest * a.sin()]).collect();
        let arms = FiniteArms::from_rows(&rows).unwrap();
        let truth = [0.9 * norm_bound, 0.0];
        let best = arms.iter().map(|x| dot(x, &truth)).fold(f64::NEG_INFINITY, f64::max);
        let mut belief = Belief::new(2, problem.norm_bound, problem.delta).unwrap();
        let mut planner = Planner::new(&arms, 1e-9).unwrap();
        // H at the truth, with the prior's precision.
        let mut metric = Precision::new(2, 2.0 / norm_bound.powi(2));
        let (mut cost, mut potential, mut plain) = (0.0, 0.0, 0.0);
        for t in 1..=600_u64 {
            let set = belief.set();
            assert!(set.contains(&truth), "the seed is unlucky");
            let steps = OptimismBound { problem, longest, observations: (t - 1) as f64 };
            let (reach, n) = (norm_bound * longest, (t - 1) as f64);
            assert!(
                set.room() <= steps.excess(reach, n) + 1e-9,
                "round {t}: {} {}",
                set.room(),
                steps.excess(reach, n)
            );
            let plan = planner.choose(&set, &arms).unwrap();
            let away: Vec<f64> = planner.maximiser().iter().zip(truth).map(|(a, b)| a - b).collect();
            let deviation = crate::numerics::square_form(metric.matrix(), &away);
            assert!(deviation <= steps.squared_deviation(reach, n), "round {t}: {deviation}");
            let is_optimistic = t % 2 == 0;
            let x = arms.arm(if is_optimistic { plan.arm } else { rng.random_range(0..arms.len()) });
            let z = dot(x, &truth);
            let mut direction = [0.0; 2];
            let square = metric.solve(x, &mut direction);
            if is_optimistic {
                cost += link::mean(best) - link::mean(z);
                potential += link::variance(z) * square;
                plain += square;
                let kappa = 1.0 / link::variance(reach);
                assert!(potential <= steps.potential(reach, 0.25, t as f64), "round {t}: {potential}");
                assert!(plain <= kappa * steps.potential(reach, 1.0 / kappa, t as f64), "round {t}: {plain}");
                assert!(cost <= steps.at(t).unwrap());
            }
            metric.add(link::variance(z), x, &direction, square);
            let reward = f64::from(u8::from(rng.random_bool(link::mean(z))));
            belief.observe(x, reward).unwrap();
        }
        assert!(potential > 1.0 && cost > 0.0);
    }

    #[test]
    fn the_bound_is_continuous_at_arms_without_length() {
        let problem = Problem { dimension: 3, delta: 0.05, norm_bound: Some(2.0) };
        let at = |longest: f64| OptimismBound { problem, longest, observations: 0.0 }.at(100).unwrap();
        assert!(at(0.0) == 0.0 && at(1e-9) < 1e-6 && at(1e-3) < at(1e-2));
    }
}
