//! What is kept of the rows that were consolidated.

use serde::{Deserialize, Serialize};

use super::{Curvatures, Paraboloid, Region};
use crate::error::{Error, Result, check_count, check_number, check_vector};
use crate::link;
use crate::loss::{Evaluation, Order};
use crate::numerics::{Cholesky, Elementary, add_scaled, dot, norm, power_of_two, trace};

/// Quadratics in place of the losses of rows that are gone, all written around one origin.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub(crate) struct Summary {
    #[serde(with = "crate::numerics::stored_numbers")]
    origin: Vec<f64>,
    /// Below the true loss at theta*, if all sets that it was made with hold theta*.
    lower: Paraboloid,
    /// What is added to the lower quadratic to have one above the true loss on the region. Kept as a difference, which is small,
    /// so that the two sums of many losses cannot disagree by their rounding.
    excess: Paraboloid,
    /// The same for all theta.
    excess_anywhere: Paraboloid,
    region: Option<Region>,
    /// The longest arm that was ever observed.
    longest: f64,
    consolidations: u64,
    /// Whether the lower quadratic relies on the norm bound.
    in_ball: bool,
    /// What follows from the lower quadratic alone.
    #[serde(skip_serializing)]
    least: Option<Least>,
}

/// The lower quadratic at its minimiser.
#[derive(Debug, Clone, Copy)]
struct Least {
    value: f64,
    /// Norm of the minimiser.
    distance: f64,
    /// A lower bound on the least eigenvalue of the matrix.
    curvature: f64,
}

impl Summary {
    /// Nothing consolidated yet.
    pub(super) fn new(origin: &[f64]) -> Self {
        let zero = Paraboloid::new(origin.len());
        Self {
            origin: origin.to_vec(),
            lower: zero.clone(),
            excess: zero.clone(),
            excess_anywhere: zero,
            region: None,
            longest: 0.0,
            consolidations: 0,
            in_ball: false,
            least: None,
        }
    }

    /// Writes everything around another origin.
    pub(super) fn recentre(&mut self, origin: &[f64]) {
        let shift: Vec<f64> = origin.iter().zip(&self.origin).map(|(new, old)| new - old).collect();
        for paraboloid in [&mut self.lower, &mut self.excess, &mut self.excess_anywhere] {
            paraboloid.recentre(&shift);
        }
        self.origin.copy_from_slice(origin);
    }

    /// Takes over a row whose log-odds at the origin are `z`.
    pub(super) fn add_row(&mut self, x: &[f64], count: f64, rewards: f64, z: f64, curvatures: &Curvatures) {
        let &Curvatures { least, greatest, anywhere, .. } = curvatures;
        // Without cancellation where every reward was one.
        let ramp = if z > 0.0 { count - rewards } else { -rewards };
        let loss = count * link::softplus(-z.abs()) + ramp * z;
        self.lower.add_row(x, loss, count * link::mean(z) - rewards, count * least);
        self.excess.add_row(x, 0.0, 0.0, count * (greatest - least));
        self.excess_anywhere.add_row(x, 0.0, 0.0, count * (anywhere - least));
    }

    /// Ends a consolidation.
    pub(super) fn conclude(&mut self, region: Region, longest: f64, in_ball: bool) {
        self.region = Some(region);
        self.longest = longest;
        self.in_ball |= in_ball;
        self.consolidations += 1;
        self.least = self.find_least();
    }

    fn find_least(&self) -> Option<Least> {
        let d = self.origin.len();
        let mut cholesky = Cholesky::new(d);
        // What is factored must not be larger than the true matrix.
        if !cholesky.factor(self.lower.matrix(), -1e-12 * trace(self.lower.matrix(), d)) {
            return None;
        }
        let mut step = self.lower.slope().to_vec();
        cholesky.solve_lower(&mut step);
        let value = self.lower.constant() - 0.5 * dot(&step, &step);
        cholesky.solve_upper(&mut step);
        let mut minimiser = self.origin.clone();
        add_scaled(&mut minimiser, -1.0, &step);
        let column = |j: usize| {
            let mut unit = vec![0.0; d];
            unit[j] = 1.0;
            cholesky.solve_lower(&mut unit);
            dot(&unit, &unit)
        };
        // The least eigenvalue is at least the reciprocal of the trace of the inverse.
        let inverse: f64 = (0..d).map(column).sum();
        Some(Least { value, distance: norm(&minimiser), curvature: 1.0 / inverse })
    }

    /// Takes in features that were zero in all rows, along which nothing bounds theta but the ball; `curvature`, along them, is
    /// that of the region.
    pub(crate) fn grow(&mut self, dimension: usize, curvature: f64) {
        self.origin.resize(dimension, 0.0);
        for paraboloid in [&mut self.lower, &mut self.excess, &mut self.excess_anywhere] {
            paraboloid.grow(dimension);
        }
        if let Some(region) = &mut self.region {
            region.grow(dimension, curvature);
        }
        self.least = self.find_least();
    }

    pub(crate) fn origin(&self) -> &[f64] {
        &self.origin
    }

    pub(crate) fn lower(&self) -> &Paraboloid {
        &self.lower
    }

    pub(crate) fn excess(&self) -> &Paraboloid {
        &self.excess
    }

    pub(crate) fn excess_anywhere(&self) -> &Paraboloid {
        &self.excess_anywhere
    }

    pub(crate) fn region(&self) -> Option<&Region> {
        self.region.as_ref()
    }

    pub(crate) fn longest(&self) -> f64 {
        self.longest
    }

    /// How often rows were consolidated: a loss with the same number has only grown since.
    pub(crate) fn consolidations(&self) -> u64 {
        self.consolidations
    }

    /// Whether the lower quadratic relies on the norm bound, so that nothing holds without it.
    pub(crate) fn is_in_ball(&self) -> bool {
        self.in_ball
    }

    /// The lower quadratic at theta.
    pub(crate) fn loss(&self, theta: &[f64]) -> f64 {
        self.lower.value(&self.origin, theta)
    }

    /// Adds the lower quadratic to an evaluation of the remaining rows.
    pub(crate) fn add_to(&self, theta: &[f64], order: Order, out: &mut Evaluation) {
        self.lower.add_to(&self.origin, theta, order, out);
    }

    /// A bound on ||theta|| where the lower quadratic is at most `level`; infinite if there is none. Rounded up to a power of
    /// two, so that it seldom grows: bounds of earlier rounds lapse when it does.
    pub(crate) fn reach(&self, level: f64) -> f64 {
        let Some(Least { value, distance, curvature }) = self.least else { return f64::INFINITY };
        let room = (level - value).max(0.0) + 1e-12 * (level.abs() + value.abs());
        let reach = distance + (2.0 * room / curvature).sqrt();
        if reach > 0.0 && reach < 1e300 { power_of_two(reach.logarithm_2().ceil() as i32) } else { f64::INFINITY }
    }
}

/// The serialised form.
#[derive(Deserialize)]
struct Raw {
    #[serde(deserialize_with = "crate::numerics::stored_numbers::deserialize")]
    origin: Vec<f64>,
    lower: Paraboloid,
    excess: Paraboloid,
    excess_anywhere: Paraboloid,
    region: Option<Region>,
    longest: f64,
    consolidations: u64,
    in_ball: bool,
}

impl TryFrom<Raw> for Summary {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        let d = raw.origin.len();
        check_vector("summary.origin", &raw.origin, d)?;
        raw.lower.check("summary.lower", d)?;
        raw.excess.check("summary.excess", d)?;
        raw.excess_anywhere.check("summary.excess_anywhere", d)?;
        raw.region.as_ref().map_or(Ok(()), |region| region.check(d))?;
        check_number("summary.longest", raw.longest, raw.longest >= 0.0, "zero or positive")?;
        check_count("summary.consolidations", raw.consolidations)?;
        let Raw { origin, lower, excess, excess_anywhere, region, longest, consolidations, in_ball } = raw;
        let mut summary =
            Self { origin, lower, excess, excess_anywhere, region, longest, consolidations, in_ball, least: None };
        for (name, paraboloid) in
            [("lower", &summary.lower), ("excess", &summary.excess), ("excess_anywhere", &summary.excess_anywhere)]
        {
            check_convex(name, paraboloid, d)?;
        }
        summary.least = summary.find_least();
        Ok(summary)
    }
}

/// A sum of squares has no negative curvature but for rounding.
fn check_convex(name: &str, paraboloid: &Paraboloid, d: usize) -> Result<()> {
    let trace = trace(paraboloid.matrix(), d);
    let shift = 1e-9 * trace + f64::MIN_POSITIVE;
    let sound = trace >= 0.0 && Cholesky::new(d).factor(paraboloid.matrix(), shift);
    check_number(&format!("summary.{name}.matrix"), trace, sound, "positive semi-definite")
}
