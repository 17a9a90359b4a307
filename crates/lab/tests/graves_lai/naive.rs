//! The same constants by brute force, written from the definitions and nothing else.

fn softplus(z: f64) -> f64 {
    z.max(0.0) + (-z.abs()).exp().ln_1p()
}

fn mean(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

pub(super) fn kl(z: f64, other: f64) -> f64 {
    if z > 0.0 {
        // Failures instead of successes: near certainty, their digits are the ones that count.
        return kl(-z, -other);
    }
    softplus(other) - softplus(z) - mean(z) * (other - z)
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn best(theta: &[f64], arms: &[Vec<f64>]) -> usize {
    (0..arms.len()).max_by(|i, j| dot(&arms[*i], theta).total_cmp(&dot(&arms[*j], theta))).unwrap()
}

pub(super) fn gap(theta: &[f64], arms: &[Vec<f64>], k: usize) -> f64 {
    let (top, z) = (dot(&arms[best(theta, arms)], theta), dot(&arms[k], theta));
    if z > 0.0 { mean(-z) - mean(-top) } else { mean(top) - mean(z) }
}

/// What a play of each arm tells against an alternative.
pub(super) fn row(theta: &[f64], arms: &[Vec<f64>], alternative: &[f64]) -> Vec<f64> {
    arms.iter().map(|x| kl(dot(x, theta), dot(x, alternative))).collect()
}

/// Whether another arm is at least as good as the best one under the alternative, which must be in the class.
fn is_confusable(theta: &[f64], arms: &[Vec<f64>], alternative: &[f64], bound: Option<f64>) -> bool {
    let top = best(theta, arms);
    let level = dot(&arms[top], alternative);
    let another = arms.iter().enumerate().any(|(k, x)| k != top && dot(x, alternative) >= level);
    another && bound.is_none_or(|bound| dot(alternative, alternative).sqrt() <= bound)
}

/// The first confusable alternative on the ray from theta along `way`, on which the best arm shows nothing. Beyond it
/// the others tell more.
pub(super) fn first(theta: &[f64], arms: &[Vec<f64>], way: &[f64], bound: Option<f64>) -> Option<Vec<f64>> {
    let level = dot(&arms[best(theta, arms)], theta);
    let meets = |x: &Vec<f64>| (level - dot(x, theta)) / dot(x, way);
    let step = arms.iter().map(meets).filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
    let other: Vec<f64> = theta.iter().zip(way).map(|(t, w)| t + step * w).collect();
    let is_inside = bound.is_none_or(|bound| dot(&other, &other).sqrt() <= bound);
    (step.is_finite() && is_inside).then_some(other)
}

/// The rows of all confusable alternatives of a dense grid on the line on which the best arm shows nothing (d = 2).
fn rows_in_plane(theta: &[f64], arms: &[Vec<f64>], bound: Option<f64>) -> Vec<Vec<f64>> {
    let x = &arms[best(theta, arms)];
    let length = dot(x, x).sqrt();
    let mut alternatives = Vec::new();
    for sign in [-1.0, 1.0] {
        let way = [-sign * x[1] / length, sign * x[0] / length];
        alternatives.extend(first(theta, arms, &way, bound));
        let grid = (1..3000).map(|k| 0.005 * f64::from(k));
        let grid = grid.map(|s| vec![theta[0] + s * way[0], theta[1] + s * way[1]]);
        alternatives.extend(grid.filter(|other| is_confusable(theta, arms, other, bound)));
    }
    alternatives.iter().map(|other| row(theta, arms, other)).collect()
}

/// Rows that others do not imply.
fn undominated(rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut kept: Vec<Vec<f64>> = Vec::new();
    for row in rows {
        let implies = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| *a <= *b + 1e-14);
        if !kept.iter().any(|k| implies(k, &row)) {
            kept.retain(|k| !implies(&row, k));
            kept.push(row);
        }
    }
    kept
}

/// The constant in the plane: the cheapest of all vertices, which have one or two arms each.
pub(super) fn plane(theta: &[f64], arms: &[Vec<f64>], bound: Option<f64>) -> f64 {
    let rows = undominated(rows_in_plane(theta, arms, bound));
    let top = best(theta, arms);
    let others: Vec<usize> = (0..arms.len()).filter(|k| *k != top).collect();
    let mut least = f64::INFINITY;
    let mut consider = |plays: &[(usize, f64)]| {
        let tells = |row: &Vec<f64>| plays.iter().map(|(k, eta)| eta * row[*k]).sum::<f64>();
        if plays.iter().all(|(_, eta)| *eta >= 0.0) && rows.iter().all(|row| tells(row) >= 1.0 - 1e-9) {
            least = least.min(plays.iter().map(|(k, eta)| eta * gap(theta, arms, *k)).sum());
        }
    };
    for &i in &others {
        for r in &rows {
            consider(&[(i, 1.0 / r[i])]);
            for &j in others.iter().filter(|j| **j > i) {
                for q in &rows {
                    let det = r[i] * q[j] - r[j] * q[i];
                    consider(&[(i, (q[j] - r[j]) / det), (j, (r[i] - q[i]) / det)]);
                }
            }
        }
    }
    if rows.is_empty() { 0.0 } else { least }
}
