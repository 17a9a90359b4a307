//! Figures on which the claims are judged: how regret depends on kappa and on time, with standard errors.

use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, StudentsT};

use optimist_lab::store::{EnvironmentRuns, Outcome, PolicyRuns};

/// A number with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Estimate {
    /// The number; not finite where it is not defined, as the exponent of a regret of zero.
    pub value: f64,
    /// Its standard error; NaN where there are too few runs to tell.
    pub error: f64,
    /// The runs it comes from.
    pub runs: usize,
}

impl Estimate {
    /// Whether the number is below `bound`, with 97.5% confidence. Never if there is but one run.
    pub(crate) fn is_below(&self, bound: f64) -> bool {
        self.value + self.margin() < bound
    }

    /// Whether the number is above `bound`, with 97.5% confidence. Never if there is but one run.
    pub(crate) fn is_above(&self, bound: f64) -> bool {
        self.value - self.margin() > bound
    }

    /// The standard error times Student's quantile: two of them would be far too few for five runs.
    fn margin(&self) -> f64 {
        let freedom = self.runs.saturating_sub(1) as f64;
        StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |law| self.error * law.inverse_cdf(0.975))
    }
}

/// The beginning of a regret curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinearPhase {
    /// Regret never grew linearly, a few opening rounds aside.
    Never,
    /// It grew nearly linearly up to this round.
    Until(usize),
    /// It grows nearly linearly to the end: nothing can be said about what comes later.
    ToTheEnd,
}

/// The policy_runs of a policy, by label.
pub(crate) fn runs_of<'a>(environment_runs: &'a EnvironmentRuns, label: &str) -> Option<&'a PolicyRuns> {
    environment_runs.policies.iter().find(|policy_runs| policy_runs.spec.label == label && !policy_runs.runs.is_empty())
}

/// The exponent a of regret ~ kappa^a after all rounds: least squares on the logarithms of the means. The same runs share
/// their luck in all environments, so the error is by leaving out one run at a time. None unless all environments have the
/// same runs of the policy.
pub(crate) fn elasticity(outcome: &Outcome, label: &str) -> Option<Estimate> {
    let policies: Vec<&PolicyRuns> =
        outcome.environments.iter().map(|environment_runs| runs_of(environment_runs, label)).collect::<Option<_>>()?;
    let norms = outcome.environments.iter().map(|environment_runs| environment_runs.environment.truth.norm());
    let kappas: Vec<f64> = norms.map(|norm| optimist_lab::experiment::kappa_of(norm).ln()).collect();
    if policies.len() < 2 || policies.iter().any(|policy_runs| !has_same_runs(policy_runs, policies[0])) {
        return None;
    }
    let regrets: Vec<Vec<f64>> = policies.iter().map(|policy_runs| policy_runs.final_regrets()).collect();
    Some(jackknife(regrets[0].len(), |left_out| {
        let logs: Vec<f64> = regrets.iter().map(|sample| mean_without(sample, left_out).ln()).collect();
        slope(&kappas, &logs)
    }))
}

/// The ratio of two policies' mean regrets after all rounds, run by run in the same worlds.
pub(crate) fn ratio(environment_runs: &EnvironmentRuns, label: &str, against: &str) -> Option<Estimate> {
    let (a, b) = (runs_of(environment_runs, label)?, runs_of(environment_runs, against)?);
    let (x, y) = (a.final_regrets(), b.final_regrets());
    has_same_runs(a, b).then(|| jackknife(x.len(), |left_out| mean_without(&x, left_out) / mean_without(&y, left_out)))
}

fn has_same_runs(a: &PolicyRuns, b: &PolicyRuns) -> bool {
    a.runs.len() == b.runs.len() && a.runs.iter().zip(&b.runs).all(|((i, _), (j, _))| i == j)
}

/// The exponent a of regret ~ t^a between two marks: log(R(t2)/R(t1)) / log(t2/t1) of the mean curve.
pub(crate) fn exponent(policy_runs: &PolicyRuns, from: usize, to: usize) -> Estimate {
    let t = &policy_runs.runs[0].1.t;
    let (a, b) = (policy_runs.regrets(from), policy_runs.regrets(to));
    let time = (t[to] as f64 / t[from] as f64).ln();
    jackknife(a.len(), |left_out| growth(mean_without(&a, left_out), mean_without(&b, left_out)) / time)
}

/// log(b/a), which is zero if there is no regret at all.
fn growth(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { (b / a).ln() }
}

/// The number of the last mark that is at most `t`. Half and a quarter of the horizon are marks themselves.
pub(crate) fn mark_at(policy_runs: &PolicyRuns, t: usize) -> usize {
    policy_runs.runs[0].1.t.partition_point(|mark| *mark <= t).saturating_sub(1)
}

/// Opening rounds, in which every curve is straight.
const OPENING: usize = 50;

/// How long mean regret grows nearly like t: until the exponent over the last halving of time falls below 0.9 and stays
/// there while time doubles, or to the end.
pub(crate) fn linear_phase(policy_runs: &PolicyRuns) -> LinearPhase {
    let t = &policy_runs.runs[0].1.t;
    let horizon = t[t.len() - 1];
    let first = OPENING.max(horizon / 100);
    let is_linear = |mark: usize| {
        let from = mark_at(policy_runs, t[mark] / 2);
        from < mark && exponent(policy_runs, from, mark).value >= 0.9
    };
    let marks: Vec<usize> = (0..t.len()).filter(|mark| t[*mark] >= first).collect();
    let has_ended =
        |mark: &usize| marks.iter().filter(|m| t[**m] >= t[*mark] && t[**m] <= 2 * t[*mark]).all(|m| !is_linear(*m));
    match marks.iter().find(|mark| has_ended(mark)) {
        Some(mark) if Some(mark) == marks.first() => LinearPhase::Never,
        Some(mark) => LinearPhase::Until(t[*mark]),
        None => LinearPhase::ToTheEnd,
    }
}

/// The probability of at least `count` failures in `runs` runs that fail with probability `delta` each.
pub(crate) fn chance_of_failures(count: usize, runs: usize, delta: f64) -> f64 {
    let Some(below) = count.checked_sub(1) else { return 1.0 };
    Binomial::new(delta, runs as u64).map_or(f64::NAN, |law| law.sf(below as u64))
}

/// Evidence that the mean behind a sample is above `bound`, for independent figures that are never negative, whatever their
/// law: what becomes of a unit when half of it is bet on every figure, at a price of `bound`. If the mean were at most
/// `bound` the bets would be fair at best, and the evidence would reach 1/p with probability p at most (Markov).
pub(crate) fn evidence_above(sample: &[f64], bound: f64) -> f64 {
    sample.iter().map(|figure| 0.5 + 0.5 * figure / bound).product()
}

/// The mean of a sample, one number left out if so asked.
pub(crate) fn mean_without(sample: &[f64], left_out: Option<usize>) -> f64 {
    let kept = sample.iter().enumerate().filter(|(i, _)| Some(*i) != left_out);
    let (sum, n) = kept.fold((0.0, 0.0), |(sum, n), (_, v)| (sum + v, n + 1.0));
    sum / n
}

/// Least squares.
fn slope(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let xy: f64 = x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum();
    xy / x.iter().map(|x| (x - mx).powi(2)).sum::<f64>()
}

/// A figure of n runs and its standard error, from the figures without one run each.
pub(crate) fn jackknife(runs: usize, figure: impl Fn(Option<usize>) -> f64) -> Estimate {
    let value = figure(None);
    if runs < 2 {
        return Estimate { value, error: f64::NAN, runs };
    }
    let n = runs as f64;
    let parts: Vec<f64> = (0..runs).map(|i| figure(Some(i))).collect();
    let mean = parts.iter().sum::<f64>() / n;
    let squares: f64 = parts.iter().map(|part| (part - mean).powi(2)).sum();
    Estimate { value, error: (squares * (n - 1.0) / n).sqrt(), runs }
}

#[cfg(test)]
mod tests {
    use super::*;
    use optimist_lab::experiment::{PolicySpec, log_spaced};
    use optimist_lab::simulation::Record;

    #[test]
    fn leaving_out_one_gives_the_error_of_a_mean() {
        let sample = [1.0, 4.0, 2.0, 8.0, 5.0];
        let estimate = jackknife(sample.len(), |left_out| mean_without(&sample, left_out));
        let deviation = optimist_lab::results::Statistics::of(&sample).std;
        assert!((estimate.value - 4.0).abs() < 1e-12);
        assert!((estimate.error - deviation / 5.0_f64.sqrt()).abs() < 1e-12, "{estimate:?}");
        // Student's quantile for four degrees of freedom is 2.776.
        let edge = 4.0 + 2.7764 * estimate.error;
        assert!(estimate.is_below(edge + 1e-3) && !estimate.is_below(edge - 1e-3));
        assert!(!jackknife(1, |_| 3.0).is_below(10.0) && !jackknife(1, |_| 3.0).is_above(0.0));
    }

    #[test]
    fn slopes_of_powers() {
        let x = [1.0_f64, 2.0, 5.0].map(f64::ln);
        let y = x.map(|v| 0.3 - 0.5 * v);
        assert!((slope(&x, &y) + 0.5).abs() < 1e-12);
    }

    #[test]
    fn evidence_is_fair_to_a_mean_at_the_bound() {
        assert_eq!(evidence_above(&[], 2.0), 1.0);
        assert_eq!(evidence_above(&[6.0, 10.0], 2.0), 2.0 * 3.0);
        // Two equally likely figures of mean 2, three draws: the expected evidence is exactly one.
        let figures = [1.0, 3.0];
        let all = (0..8).map(|k: usize| [k & 1, k >> 1 & 1, k >> 2 & 1].map(|i| figures[i]));
        let mean = all.map(|sample| evidence_above(&sample, 2.0)).sum::<f64>() / 8.0;
        assert!((mean - 1.0).abs() < 1e-15, "{mean}");
    }

    #[test]
    fn chances_of_failures() {
        assert_eq!(chance_of_failures(0, 10, 0.05), 1.0);
        assert!((chance_of_failures(1, 2, 0.5) - 0.75).abs() < 1e-12);
        assert!((chance_of_failures(2, 2, 0.1) - 0.01).abs() < 1e-12);
    }

    fn policy_runs_of(regret: impl Fn(f64) -> f64) -> PolicyRuns {
        let t = log_spaced(10_000, 100);
        let curve: Vec<f64> = t.iter().map(|t| regret(*t as f64)).collect();
        let record = Record { regret: curve, t, ..Record::default() };
        PolicyRuns { spec: PolicySpec::plain("uniform"), runs: vec![(0, record)] }
    }

    #[test]
    fn the_linear_phase_is_the_beginning_only() {
        assert_eq!(linear_phase(&policy_runs_of(|t| 0.3 * t)), LinearPhase::ToTheEnd);
        assert_eq!(linear_phase(&policy_runs_of(f64::sqrt)), LinearPhase::Never);
        assert_eq!(linear_phase(&policy_runs_of(|_| 0.0)), LinearPhase::Never);
        // Linear up to 1,000, then constant: over the last halving the exponent is below 0.9 soon after.
        let LinearPhase::Until(end) = linear_phase(&policy_runs_of(|t| t.min(1000.0))) else { panic!("it ends") };
        assert!((1000..1200).contains(&end), "{end}");
        // A late rise is not the beginning.
        assert_eq!(linear_phase(&policy_runs_of(|t| if t < 5000.0 { t.sqrt() } else { t })), LinearPhase::Never);
    }
}
