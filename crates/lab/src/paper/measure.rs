//! Figures on which the claims are judged: how regret depends on kappa and on time, with standard errors.

use crate::outcome::{Cell, Lane, Outcome};

/// A number with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Its standard error; NaN where there are too few runs to tell.
    pub error: f64,
}

impl Estimate {
    /// Whether the number is below `bound` by two standard errors.
    pub fn is_below(&self, bound: f64) -> bool {
        self.value + 2.0 * self.error < bound
    }

    /// Whether the number is above `bound` by two standard errors.
    pub fn is_above(&self, bound: f64) -> bool {
        self.value - 2.0 * self.error > bound
    }
}

/// The lane of a policy, by label.
pub fn lane<'a>(cell: &'a Cell, label: &str) -> Option<&'a Lane> {
    cell.lanes.iter().find(|lane| lane.contender.label == label && !lane.runs.is_empty())
}

/// The exponent a of regret ~ kappa^a after all rounds: least squares on the logarithms of the means. The same runs share
/// their luck in all environments, so the error is by leaving out one run at a time.
pub fn elasticity(outcome: &Outcome, label: &str) -> Option<Estimate> {
    let lanes: Vec<&Lane> = outcome.cells.iter().filter_map(|cell| lane(cell, label)).collect();
    let kappas: Vec<f64> =
        outcome.cells.iter().map(|cell| crate::experiment::kappa_of(cell.environment.truth.norm()).ln()).collect();
    if lanes.len() != kappas.len() || lanes.len() < 2 {
        return None;
    }
    let regrets: Vec<Vec<f64>> = lanes.iter().map(|lane| lane.final_regrets()).collect();
    Some(jackknife(regrets[0].len(), |left_out| {
        let logs: Vec<f64> = regrets.iter().map(|sample| mean_without(sample, left_out).ln()).collect();
        slope(&kappas, &logs)
    }))
}

/// The exponent a of regret ~ t^a between two marks: log(R(t2)/R(t1)) / log(t2/t1) of the mean curve.
pub fn exponent(lane: &Lane, from: usize, to: usize) -> Estimate {
    let t = &lane.runs[0].1.t;
    let (a, b) = (lane.regrets(from), lane.regrets(to));
    let time = (t[to] as f64 / t[from] as f64).ln();
    jackknife(a.len(), |left_out| (mean_without(&b, left_out) / mean_without(&a, left_out)).ln() / time)
}

/// The number of the last mark that is at most `t`.
pub fn mark_at(lane: &Lane, t: f64) -> usize {
    lane.runs[0].1.t.partition_point(|mark| *mark as f64 <= t).saturating_sub(1)
}

/// The last round t up to which mean regret grew nearly like t: the exponent over the last halving of time was at least
/// 0.9. None if it never was.
pub fn end_of_linear_phase(lane: &Lane) -> Option<usize> {
    let t = &lane.runs[0].1.t;
    let is_linear = |mark: &usize| {
        let from = mark_at(lane, t[*mark] as f64 / 2.0);
        t[from] >= 2 && from < *mark && exponent_value(lane, from, *mark) >= 0.9
    };
    (0..t.len()).filter(is_linear).max().map(|mark| t[mark])
}

fn exponent_value(lane: &Lane, from: usize, to: usize) -> f64 {
    let t = &lane.runs[0].1.t;
    let mean = |mark| mean_without(&lane.regrets(mark), None);
    (mean(to) / mean(from)).ln() / (t[to] as f64 / t[from] as f64).ln()
}

/// The ratio of two policies' mean regrets after all rounds, run by run in the same worlds.
pub fn ratio(cell: &Cell, label: &str, against: &str) -> Option<Estimate> {
    let (a, b) = (lane(cell, label)?.final_regrets(), lane(cell, against)?.final_regrets());
    if a.len() != b.len() {
        return None;
    }
    Some(jackknife(a.len(), |left_out| mean_without(&a, left_out) / mean_without(&b, left_out)))
}

fn mean_without(sample: &[f64], left_out: Option<usize>) -> f64 {
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
fn jackknife(n: usize, figure: impl Fn(Option<usize>) -> f64) -> Estimate {
    let value = figure(None);
    if n < 2 {
        return Estimate { value, error: f64::NAN };
    }
    let parts: Vec<f64> = (0..n).map(|i| figure(Some(i))).collect();
    let mean = parts.iter().sum::<f64>() / n as f64;
    let squares: f64 = parts.iter().map(|part| (part - mean).powi(2)).sum();
    Estimate { value, error: (squares * (n as f64 - 1.0) / n as f64).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaving_out_one_gives_the_error_of_a_mean() {
        let sample = [1.0, 4.0, 2.0, 8.0, 5.0];
        let estimate = jackknife(sample.len(), |left_out| mean_without(&sample, left_out));
        let deviation = crate::statistics::Statistics::of(&sample).std;
        assert!((estimate.value - 4.0).abs() < 1e-12);
        assert!((estimate.error - deviation / 5.0_f64.sqrt()).abs() < 1e-12, "{estimate:?}");
        assert!(jackknife(1, |_| 3.0).error.is_nan() && !jackknife(1, |_| 3.0).is_below(10.0));
    }

    #[test]
    fn slopes_of_powers() {
        let x = [1.0_f64, 2.0, 5.0].map(f64::ln);
        let y = x.map(|v| 0.3 - 0.5 * v);
        assert!((slope(&x, &y) + 0.5).abs() < 1e-12);
    }
}
