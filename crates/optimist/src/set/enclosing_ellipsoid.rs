//! An ellipsoid around a level set: the largest logit of any arm in closed form.
//!
//! **Idea.** Let theta_hat be a point of the ball ||theta|| <= S, F = L + (ridge/2)||.||^2 the loss of a level set in
//! that ball, g and H its gradient and Hessian at theta_hat, and D = 2 S max_s ||x_s||, which bounds
//! |x_s'(theta - theta_hat)| in the ball. By Taylor's formula and mu'(z + h) >= mu'(z) e^{-|h|},
//!
//! ```text
//! F(theta) - F(theta_hat) >= g'(theta - theta_hat) + q(D) ||theta - theta_hat||_H^2,
//! q(D) = int_0^1 (1 - v) e^{-v D} dv = (e^{-D} - 1 + D)/D^2 >= 1/(2 + D)
//! ```
//!
//! In the ball the first term is at least -(S||g|| + g'theta_hat), which is zero where theta_hat is the minimiser of F
//! over the ball. So with B the level's excess over F(theta_hat) and any lambda > 0 every point of the set satisfies
//!
//! ```text
//! ||theta - theta_hat||^2_{H + lambda I} <= (B + S||g|| + g'theta_hat)/q(D) + 4 lambda S^2
//! ```
//!
//! lambda = 1/(4 S^2) makes the last term one, little next to the first, and keeps the matrix regular where there are no
//! data. The paper has 2(1 + S) for 1/q(D), for arms in the unit ball and theta_hat the minimiser, and
//! lambda = 1/(8 S^2 (1 + S)), of which it makes the larger ||theta - theta_hat||^2 <= 2(1 + S)(1 + B).
//!
//! **Guarantee.** That of the level set, whose superset it is. It is larger, by a factor that grows with S; in return an
//! arm costs O(d^2) instead of a convex problem.
//!
//! Here "the paper" is that of Lee, Yun and Jun (2024). In Abeille, Faury and Calauzenes 2021, q(D) >= 1/(2 + D) is Lemma 8, the
//! second of those on self-concordance, with Lemma 10; it is what makes G~_t >= H_t/(2 + 2S) in their first inequalities.

use super::LevelSet;
use super::guarantee::Guarantee;
use crate::error::{Error, Result};
use crate::link;
use crate::numerics::{Cholesky, Elementary, Ellipsoid, StoredEllipsoid, add_scaled, dot, norm};

/// An ellipsoid that contains a level set, with the promise that comes with it.
#[derive(Debug, Clone)]
pub struct EnclosingEllipsoid {
    stored: StoredEllipsoid,
    /// Factor of its matrix.
    cholesky: Cholesky,
    guarantee: Guarantee,
    /// Working memory.
    vector: Vec<f64>,
}

impl EnclosingEllipsoid {
    /// A point, to be replaced; `source` is the guarantee of the sets to come.
    pub(crate) fn empty(dimension: usize, source: &Guarantee) -> Self {
        Self {
            stored: StoredEllipsoid::new(dimension),
            cholesky: Cholesky::new(dimension),
            guarantee: Self::promise(source),
            vector: vec![0.0; dimension],
        }
    }

    /// What an ellipsoid around a set with the guarantee `source` promises: it holds whatever the set does.
    pub(crate) fn promise(source: &Guarantee) -> Guarantee {
        Guarantee { name: "ellipsoid", ..*source }
    }

    /// An ellipsoid around `set`, with the same centre; `guarantee` is that of the set.
    ///
    /// An empty set gets the ellipsoid that a set of this centre alone would have.
    ///
    /// # Errors
    /// If the set is not within a ball, or if its centre is outside.
    pub fn around(set: &LevelSet<'_>, guarantee: &Guarantee) -> Result<Self> {
        let mut ellipsoid = Self::empty(set.centre().len(), guarantee);
        ellipsoid.enclose(set)?;
        Ok(ellipsoid)
    }

    /// Becomes the ellipsoid around `set`, in the memory it has.
    pub(crate) fn enclose(&mut self, set: &LevelSet<'_>) -> Result<()> {
        let bound = check_ball(set)?;
        let gradient = &mut self.vector;
        gradient.copy_from_slice(&set.at_centre.gradient);
        add_scaled(gradient, set.ridge(), set.centre());
        let slack = (bound * norm(gradient) + dot(gradient, set.centre())).max(0.0);
        let squared =
            (set.room() + set.rounding() + slack) / link::least_growth(2.0 * bound * set.history().max_norm());
        self.replace(set, 0.25 / (bound * bound), squared + 1.0)
    }

    /// Becomes the paper's ellipsoid around `set`, whose arms must lie in the unit ball and whose centre must be the
    /// minimiser of the loss over the ball.
    pub(crate) fn enclose_as_published(&mut self, set: &LevelSet<'_>) -> Result<()> {
        let bound = check_ball(set)?;
        let shift = 1.0 / (8.0 * bound * bound * (1.0 + bound));
        self.replace(set, shift, 2.0 * (1.0 + bound) * (1.0 + set.room()))
    }

    /// M = H + shift I and the square of the radius. If M is singular to working precision the shift is raised, which
    /// costs 4 S^2 times what is added.
    fn replace(&mut self, set: &LevelSet<'_>, shift: f64, squared: f64) -> Result<()> {
        let mut raised = shift;
        while !self.cholesky.factor(&set.at_centre.hessian, set.ridge() + raised) {
            raised *= 4.0;
            if !raised.is_finite() {
                return Err(Error::Overflow { what: "the Hessian" });
            }
        }
        let StoredEllipsoid { centre, matrix, inverse, radius } = &mut self.stored;
        centre.copy_from_slice(set.centre());
        matrix.copy_from_slice(&set.at_centre.hessian);
        matrix.iter_mut().step_by(set.centre().len() + 1).for_each(|v| *v += set.ridge() + raised);
        self.cholesky.inverse_into(inverse);
        *radius = (squared + 4.0 * (raised - shift) * set.norm_bound().square()).sqrt();
        Ok(())
    }

    /// Centre, matrix, inverse and radius, and what follows from them.
    pub fn view(&self) -> Ellipsoid<'_> {
        self.stored.view()
    }

    /// The ellipsoid alone, to be kept.
    pub(crate) fn into_stored(self) -> StoredEllipsoid {
        self.stored
    }

    /// What the ellipsoid promises: delta and assumptions are those of the set it encloses.
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// Points on the boundary of an ellipsoid in two dimensions, for drawing.
    ///
    /// # Panics
    /// If the dimension is not two.
    pub fn boundary(&self, points: usize) -> Vec<[f64; 2]> {
        let Ellipsoid { centre, radius, .. } = self.view();
        assert!(centre.len() == 2, "boundary points are for two dimensions");
        (0..points)
            .map(|i| {
                let angle = std::f64::consts::TAU * i as f64 / points as f64;
                let (sin, cos) = (angle.sine(), angle.cosine());
                // M = R R' turns the unit circle into the ellipse by R^{-T}.
                let mut offset = [cos, sin];
                self.cholesky.solve_upper(&mut offset);
                [0, 1].map(|j| centre[j] + radius * offset[j])
            })
            .collect()
    }
}

/// The norm bound of a set that has one and whose centre obeys it.
fn check_ball(set: &LevelSet<'_>) -> Result<f64> {
    let (bound, centre) = (set.norm_bound(), set.centre());
    if !bound.is_finite() {
        return Err(Error::Missing { field: "norm_bound", needed_by: "an ellipsoid" });
    }
    if norm(centre) > bound * (1.0 + 1e-9) {
        let (field, needed_by) = ("centre".into(), "an ellipsoid");
        return Err(Error::NormAboveBound { field, norm: norm(centre), bound, needed_by });
    }
    Ok(bound)
}
