//! Figures of a sample.

/// Mean, spread and tail of a sample.
pub(crate) struct Summary {
    pub(crate) mean: f64,
    pub(crate) standard_error: f64,
    pub(crate) deviation: f64,
    pub(crate) median: f64,
    pub(crate) upper: f64,
    pub(crate) max: f64,
}

impl Summary {
    pub(crate) fn of(sample: &[f64]) -> Self {
        let n = sample.len() as f64;
        let mean = mean(sample);
        let squares: f64 = sample.iter().map(|v| (v - mean).powi(2)).sum();
        // One run says nothing about the spread.
        let deviation = (squares / (n - 1.0)).sqrt();
        let mut sorted = sample.to_vec();
        sorted.sort_by(f64::total_cmp);
        let [median, upper, max] = [0.5, 0.9, 1.0].map(|level| quantile(&sorted, level));
        Self { mean, standard_error: deviation / n.sqrt(), deviation, median, upper, max }
    }
}

pub(crate) fn mean(sample: &[f64]) -> f64 {
    sample.iter().sum::<f64>() / sample.len() as f64
}

/// Interpolated between the order statistics.
fn quantile(sorted: &[f64], level: f64) -> f64 {
    let at = level * (sorted.len() - 1) as f64;
    let (below, part) = (at.floor() as usize, at.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + part * (sorted[above] - sorted[below])
}

/// The ratio of the means of `a` and `b`, and its standard error, given that entry i of both comes from the same world.
pub(crate) fn ratio(a: &[f64], b: &[f64]) -> (f64, f64) {
    let ratio = mean(a) / mean(b);
    let residuals: Vec<f64> = a.iter().zip(b).map(|(x, y)| (x - ratio * y) / mean(b)).collect();
    (ratio, Summary::of(&residuals).standard_error)
}
