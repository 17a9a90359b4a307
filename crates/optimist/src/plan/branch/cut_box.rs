//! A linear objective over a box cut by a few half-spaces, bounded by linear programming duality.
//!
//! For multipliers m_k >= 0 every y in the box with a_k'y <= r_k has
//!
//! ```text
//! x'y <= sum_k m_k r_k + sum_j h_j |x_j - sum_k m_k a_kj|.
//! ```
//!
//! The right side is convex and piecewise linear in m, so its least value is attained where as many of the moduli
//! vanish as multipliers are positive. In three dimensions with three half-spaces these are twenty points, in four
//! thirty-five: all are tried. Any of them is a valid bound, whatever the rounding in its computation. The half-spaces also
//! shrink the box itself ([`shrink`]).

/// The largest dimension, and the largest number of half-spaces.
pub(super) const MAX: usize = 4;

/// `normal'y <= room`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HalfSpace {
    pub(super) normal: [f64; MAX],
    pub(super) room: f64,
}

impl HalfSpace {
    pub(super) fn new(normal: &[f64], room: f64) -> Self {
        let mut half_space = Self { normal: [0.0; MAX], room };
        half_space.normal[..normal.len()].copy_from_slice(normal);
        half_space
    }

    /// x'y >= floor - value, where `value` is the objective at the box's centre, with a margin for rounding.
    pub(super) fn above(x: &[f64], value: f64, floor: f64) -> Self {
        let mut half_space = Self::new(x, value - floor + 1e-12 * (value.abs() + floor.abs()));
        half_space.normal.iter_mut().for_each(|a| *a = -*a);
        half_space
    }

    /// Whether no point of the box satisfies it.
    pub(super) fn misses(&self, half_widths: &[f64]) -> bool {
        let reach: f64 = half_widths.iter().zip(&self.normal).map(|(h, a)| h * a.abs()).sum();
        self.room + reach < 0.0
    }
}

/// Shrinks a box to its part that every half-space, taken alone, leaves between its sides; none if nothing is left. Half-spaces
/// are relative to the centre that the box has at first.
pub(super) fn shrink(
    centre: &mut [f64; MAX],
    half_widths: &mut [f64; MAX],
    d: usize,
    cuts: &[HalfSpace],
) -> Option<()> {
    let (mut low, mut high) = (half_widths.map(|h| -h), *half_widths);
    for cut in cuts.iter().filter(|cut| cut.room < f64::INFINITY) {
        let least =
            |j: usize, low: &[f64; MAX], high: &[f64; MAX]| (cut.normal[j] * low[j]).min(cut.normal[j] * high[j]);
        let total: f64 = (0..d).map(|j| least(j, &low, &high)).sum();
        if total > cut.room {
            return None;
        }
        for j in 0..d {
            // What is left for this coordinate when the others take the least they can.
            let end = (cut.room - total + least(j, &low, &high)) / cut.normal[j];
            if cut.normal[j] > 0.0 {
                high[j] = high[j].min(end);
            } else if cut.normal[j] < 0.0 {
                low[j] = low[j].max(end);
            }
        }
    }
    for j in 0..d {
        let (middle, half) = (0.5 * (low[j] + high[j]), 0.5 * (high[j] - low[j]));
        centre[j] += middle;
        // Rounding of the ends and of the centre must not cost a point.
        half_widths[j] = half.max(0.0) + 4.0 * f64::EPSILON * (centre[j].abs() + half_widths[j]);
    }
    Some(())
}

/// The least upper bound on x'y over the box, with the multipliers that give it; none if the half-spaces are seen to
/// miss the box: one alone, or the first together with the others.
pub(super) fn bound(x: &[f64], half_widths: &[f64], cuts: &[HalfSpace]) -> Option<(f64, [f64; MAX])> {
    if cuts.iter().any(|cut| cut.misses(half_widths)) {
        return None;
    }
    if let [first, others @ ..] = cuts {
        // The least first'y over the box and the other half-spaces must not exceed the first's room.
        let away = first.normal.map(|a| -a);
        if first.room + least(&away[..x.len()], half_widths, others).0 < 0.0 {
            return None;
        }
    }
    Some(least(x, half_widths, cuts))
}

/// The dual's least value and where it is.
fn least(x: &[f64], half_widths: &[f64], cuts: &[HalfSpace]) -> (f64, [f64; MAX]) {
    let mut best = (f64::INFINITY, [0.0; MAX]);
    let mut attempt = |multipliers: [f64; MAX]| {
        // Not negative, and a number.
        if multipliers.iter().all(|m| *m >= 0.0 && *m < f64::INFINITY) {
            let value = dual(x, half_widths, cuts, &multipliers);
            if value < best.0 {
                best = (value, multipliers);
            }
        }
    };
    attempt([0.0; MAX]);
    for (k, a) in cuts.iter().enumerate() {
        for (j, xj) in x.iter().enumerate() {
            attempt(at(&[(k, xj / a.normal[j])]));
        }
        for (l, b) in cuts.iter().enumerate().skip(k + 1) {
            for i in 0..x.len() {
                for j in i + 1..x.len() {
                    let [first, second] = cramer([a.normal[i], b.normal[i]], [a.normal[j], b.normal[j]], [x[i], x[j]]);
                    attempt(at(&[(k, first), (l, second)]));
                }
            }
        }
    }
    // Three or more, in as many dimensions.
    for chosen in (0..1_usize << cuts.len()).filter(|chosen| chosen.count_ones() > 2) {
        for tight in (0..1_usize << x.len()).filter(|tight| tight.count_ones() == chosen.count_ones()) {
            if let Some(multipliers) = vertex(x, cuts, chosen, tight) {
                attempt(multipliers);
            }
        }
    }
    best
}

/// Multipliers of which only these are not zero.
fn at(positive: &[(usize, f64)]) -> [f64; MAX] {
    let mut multipliers = [0.0; MAX];
    positive.iter().for_each(|(k, m)| multipliers[*k] = *m);
    multipliers
}

/// The solution of two equations in two unknowns, given as rows and right side; not finite if there is none.
fn cramer(first: [f64; 2], second: [f64; 2], right: [f64; 2]) -> [f64; 2] {
    let determinant = first[0] * second[1] - first[1] * second[0];
    let along = right[0] * second[1] - first[1] * right[1];
    [along / determinant, (first[0] * right[1] - right[0] * second[0]) / determinant]
}

fn dual(x: &[f64], half_widths: &[f64], cuts: &[HalfSpace], multipliers: &[f64; MAX]) -> f64 {
    let cost: f64 = cuts.iter().zip(multipliers).map(|(cut, m)| m * cut.room).sum();
    cost + (0..x.len()).map(|j| half_widths[j] * reduced(x, cuts, multipliers, j).abs()).sum::<f64>()
}

/// x_j - sum_k m_k a_kj.
pub(super) fn reduced(x: &[f64], cuts: &[HalfSpace], multipliers: &[f64; MAX], j: usize) -> f64 {
    x[j] - cuts.iter().zip(multipliers).map(|(cut, m)| m * cut.normal[j]).sum::<f64>()
}

/// The multipliers of the chosen half-spaces for which the reduced costs of the tight coordinates vanish; none if they
/// are not defined.
fn vertex(x: &[f64], cuts: &[HalfSpace], chosen: usize, tight: usize) -> Option<[f64; MAX]> {
    let (columns, rows) = (bits(chosen), bits(tight));
    let size = chosen.count_ones() as usize;
    let mut system = [[0.0; MAX + 1]; MAX];
    for i in 0..size {
        for k in 0..size {
            system[i][k] = cuts[columns[k]].normal[rows[i]];
        }
        system[i][MAX] = x[rows[i]];
    }
    let solution = eliminate(system, size)?;
    let mut multipliers = [0.0; MAX];
    for k in 0..size {
        multipliers[columns[k]] = solution[k];
    }
    Some(multipliers)
}

/// Positions of the bits that are set, in front.
fn bits(mask: usize) -> [usize; MAX] {
    let mut positions = [0; MAX];
    let mut next = 0;
    for i in 0..MAX {
        if mask >> i & 1 == 1 {
            positions[next] = i;
            next += 1;
        }
    }
    positions
}

/// Gaussian elimination with pivoting; the right side stands in the last column.
fn eliminate(mut system: [[f64; MAX + 1]; MAX], size: usize) -> Option<[f64; MAX]> {
    for k in 0..size {
        let pivot = (k..size).max_by(|&i, &j| system[i][k].abs().total_cmp(&system[j][k].abs()))?;
        system.swap(k, pivot);
        if system[k][k] == 0.0 {
            return None;
        }
        for i in k + 1..size {
            let factor = system[i][k] / system[k][k];
            let row = system[k];
            system[i].iter_mut().zip(row).for_each(|(v, r)| *v -= factor * r);
        }
    }
    let mut solution = [0.0; MAX];
    for k in (0..size).rev() {
        let known: f64 = (k + 1..size).map(|j| system[k][j] * solution[j]).sum();
        solution[k] = (system[k][MAX] - known) / system[k][k];
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// No point of the box that satisfies the half-spaces is lost by shrinking or has more than the bound.
    #[test]
    fn what_is_inside_stays_inside_and_below_the_bound() {
        let mut generator = ChaCha8Rng::seed_from_u64(1);
        let mut number = move || 2.0 * generator.random::<f64>() - 1.0;
        let (mut inside, mut shrunk) = (0, 0);
        for round in 0..2000 {
            let d = 1 + round % MAX;
            let mut vector = || std::array::from_fn(|j| if j < d { number() } else { 0.0 });
            let (x, mut half_widths): ([f64; MAX], [f64; MAX]) = (vector(), vector());
            half_widths.iter_mut().for_each(|h| *h = h.abs());
            let normals: [[f64; MAX]; 3] = std::array::from_fn(|_| vector());
            let cuts = normals.map(|normal| HalfSpace { normal, room: 0.3 * vector()[0] });
            let (mut centre, mut sides) = ([0.0; MAX], half_widths);
            let rest = shrink(&mut centre, &mut sides, d, &cuts);
            let best = bound(&x[..d], &half_widths[..d], &cuts);
            shrunk += usize::from(rest.is_some() && sides[0] < 0.9 * half_widths[0]);
            for _ in 0..50 {
                let unit: [f64; MAX] = vector();
                let y: [f64; MAX] = std::array::from_fn(|j| unit[j] * half_widths[j]);
                let product = |a: &[f64; MAX]| a.iter().zip(&y).map(|(a, y)| a * y).sum::<f64>();
                if cuts.iter().any(|cut| product(&cut.normal) > cut.room) {
                    continue;
                }
                inside += 1;
                assert!(rest.is_some() && (0..d).all(|j| (y[j] - centre[j]).abs() <= sides[j]), "round {round}");
                assert!(best.is_some_and(|(value, _)| product(&x) <= value + 1e-12), "round {round}");
            }
        }
        assert!(inside > 1000 && shrunk > 100, "{inside} {shrunk}");
    }
}
