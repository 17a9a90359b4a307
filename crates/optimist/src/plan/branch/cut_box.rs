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
//! thirty-five: all are tried. Any of them is a valid bound, whatever the rounding in its computation.

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

    /// Whether no point of the box satisfies it.
    pub(super) fn misses(&self, half_widths: &[f64]) -> bool {
        let reach: f64 = half_widths.iter().zip(&self.normal).map(|(h, a)| h * a.abs()).sum();
        self.room + reach < 0.0
    }
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
    for chosen in 0..1_usize << cuts.len() {
        for tight in 0..1_usize << x.len() {
            if chosen.count_ones() != tight.count_ones() {
                continue;
            }
            let Some(multipliers) = vertex(x, cuts, chosen, tight) else { continue };
            let value = dual(x, half_widths, cuts, &multipliers);
            if value < best.0 {
                best = (value, multipliers);
            }
        }
    }
    best
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
/// are not defined or one is negative.
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
        if !(solution[k] >= 0.0 && solution[k].is_finite()) {
            return None;
        }
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
