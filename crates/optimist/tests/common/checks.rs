//! Checks of a support value that use nothing of the solver: a plain sum for the loss, the standard library's functions.

use optimist::History;
use optimist::plan::{Support, SupportStatus};
use optimist::set::LevelSet;

/// Bounds of the acceptance test, all relative.
pub const GAP: f64 = 1e-8;
pub const INFEASIBILITY: f64 = 1e-9;

/// Rounding error to be expected of a loss, relative to it: a few units in the last place of every term.
pub const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// How good an answer is, and what is wrong with it.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// Upper bound minus value, relative to max(|value|, ||x|| min(||theta||, 1)).
    pub gap: f64,
    /// By how much the maximiser violates level or norm bound, relative to these.
    pub infeasibility: f64,
    /// Whether the search was given up, honestly, on a set that neither a norm bound nor a ridge holds.
    pub given_up: bool,
    /// One line for each check that failed.
    pub failures: Vec<String>,
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

pub fn norm(a: &[f64]) -> f64 {
    let scale = a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if scale == 0.0 { 0.0 } else { scale * a.iter().map(|v| (v / scale).powi(2)).sum::<f64>().sqrt() }
}

/// The rows of a history: features, count, sum of rewards.
pub fn rows(history: &History) -> Vec<(Vec<f64>, f64, f64)> {
    let mut x = vec![0.0; history.dimension()];
    let row = |k| {
        history.features(k, &mut x);
        let (count, rewards) = history.outcomes(k);
        (x.clone(), count, rewards)
    };
    (0..history.rows()).map(row).collect()
}

/// Loss with ridge, term by term, and the quadratic of rows that were consolidated.
pub fn loss(history: &History, ridge: f64, theta: &[f64]) -> f64 {
    loss_of(&rows(history), ridge, theta) + consolidated(history, theta)
}

fn consolidated(history: &History, theta: &[f64]) -> f64 {
    let Some(quadratic) = history.consolidated() else { return 0.0 };
    let d = theta.len();
    let y: Vec<f64> = theta.iter().zip(quadratic.origin).map(|(t, o)| t - o).collect();
    let entry = |i: usize, j: usize| quadratic.matrix[i.max(j) * d + i.min(j)] * y[i] * y[j];
    let square: f64 = (0..d).flat_map(|i| (0..d).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).sum();
    quadratic.constant + dot(quadratic.slope, &y) + 0.5 * square
}

/// As [`loss`], of rows that are at hand.
pub fn loss_of(rows: &[(Vec<f64>, f64, f64)], ridge: f64, theta: &[f64]) -> f64 {
    let term = |(x, count, rewards): &(Vec<f64>, f64, f64)| {
        let z = dot(x, theta);
        // Without cancellation when every reward was one.
        count * (-z.abs()).exp().ln_1p() + if z > 0.0 { (count - rewards) * z } else { -rewards * z }
    };
    rows.iter().map(term).sum::<f64>() + 0.5 * ridge * dot(theta, theta)
}

/// Gradient of the loss with ridge.
pub fn gradient(history: &History, ridge: f64, theta: &[f64]) -> Vec<f64> {
    let mut gradient: Vec<f64> = theta.iter().map(|t| ridge * t).collect();
    for (x, count, rewards) in rows(history) {
        let z = dot(&x, theta);
        // count mu(z) - rewards, from the side on which nothing cancels.
        let residual = if z > 0.0 {
            (count - rewards) - count / (1.0 + z.exp())
        } else {
            count * z.exp() / (1.0 + z.exp()) - rewards
        };
        for (g, xi) in gradient.iter_mut().zip(&x) {
            *g += residual * xi;
        }
    }
    gradient
}

/// By how much a point violates the level or the norm bound, relative to these; not positive inside the set.
pub fn infeasibility(set: &LevelSet<'_>, theta: &[f64]) -> f64 {
    let over = loss(set.history(), set.ridge(), theta) / set.level() - 1.0;
    let bound = set.norm_bound();
    if bound.is_finite() { over.max(norm(theta) / bound - 1.0) } else { over }
}

/// Checks what `support` claims about max x'theta over `set`, attained at `maximiser`.
pub fn verify(set: &LevelSet<'_>, x: &[f64], support: &Support, maximiser: &[f64]) -> Verdict {
    let mut verdict = Verdict::default();
    match support.status {
        SupportStatus::Empty => verdict.empty(set),
        SupportStatus::Unbounded => verdict.unbounded(set, x, maximiser),
        _ => verdict.attained(set, x, support, maximiser),
    }
    let solved = !matches!(support.status, SupportStatus::Inexact | SupportStatus::Cut);
    verdict.given_up = !solved && set.norm_bound().is_infinite() && set.ridge() == 0.0;
    if !verdict.given_up {
        verdict.require(solved, || format!("status {:?}", support.status));
        let gap = verdict.gap;
        verdict.require(gap <= GAP, || format!("gap {gap:e}"));
    }
    verdict
}

impl Verdict {
    fn require(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.failures.push(otherwise());
        }
    }

    fn attained(&mut self, set: &LevelSet<'_>, x: &[f64], support: &Support, maximiser: &[f64]) {
        let value = dot(x, maximiser);
        let size = value.abs().max(norm(x) * norm(maximiser).min(1.0));
        // The level is a double: its last digits, and those of the sum that is compared with it, are worth this much.
        let digits = ROUNDING * set.level().abs() * support.level_multiplier;
        let gap = if support.gap() <= digits { 0.0 } else { (support.gap() - digits) / size };
        let infeasibility = infeasibility(set, maximiser);
        self.require(infeasibility <= INFEASIBILITY, || format!("infeasible by {infeasibility:e}"));
        (self.gap, self.infeasibility) = (gap, infeasibility);
        self.require(support.upper_bound >= support.value, || "upper bound below value".into());
        // The value is computed with another order of summation.
        let rounding = 1e-14 * norm(x) * norm(maximiser) * x.len() as f64;
        let difference = (support.value - value).abs();
        self.require(difference <= rounding, || format!("value off by {difference:e}"));
    }

    /// Convexity: over the ball, L(y) >= L(c) + g'(y - c) >= L(c) - g'c - S||g||.
    fn empty(&mut self, set: &LevelSet<'_>) {
        let centre = set.centre();
        let slope = gradient(set.history(), set.ridge(), centre);
        let at_centre = loss(set.history(), set.ridge(), centre);
        let reach = if set.norm_bound().is_finite() { set.norm_bound() * norm(&slope) } else { 0.0 };
        let least = at_centre - dot(&slope, centre) - reach;
        self.require(norm(centre) <= set.norm_bound() * (1.0 + 1e-9), || "centre outside the ball".into());
        let margin = (least - set.level()) / set.level().abs();
        self.require(margin > -1e-9, || format!("called empty, but the least loss may be {margin:e} above the level"));
    }

    /// The ray from the centre through the reported point: it must gain, and by the theory of convex functions the loss
    /// stays bounded along it if and only if no arm speaks against it. The loss far out is evaluated as well.
    fn unbounded(&mut self, set: &LevelSet<'_>, x: &[f64], through: &[f64]) {
        let ray: Vec<f64> = through.iter().zip(set.centre()).map(|(t, c)| t - c).collect();
        let cosine = |x: &[f64]| if norm(x) == 0.0 { 0.0 } else { dot(x, &ray) / (norm(x) * norm(&ray)) };
        self.require(cosine(x) > 1e-12, || format!("the ray does not gain: {:e}", cosine(x)));
        for (arm, count, rewards) in rows(set.history()) {
            let against = if rewards == 0.0 {
                cosine(&arm)
            } else if rewards == count {
                -cosine(&arm)
            } else {
                cosine(&arm).abs()
            };
            self.require(against <= 1e-12, || format!("an arm speaks against the ray by {against:e}"));
        }
        for exponent in 0..4 {
            let far = 10_f64.powi(exponent);
            let point: Vec<f64> = set.centre().iter().zip(&ray).map(|(c, r)| c + far * r).collect();
            let over = loss(set.history(), set.ridge(), &point) / set.level() - 1.0;
            self.require(over <= 1e-9, || {
                format!("called unbounded, but the ray leaves the set by {over:e} at {far:e}")
            });
        }
    }
}
