//! A quadratic model minimised over a ball: the step of every Newton method in this crate.
//!
//! This is the trust-region problem of More and Sorensen (1983) for a convex model: the minimiser y of [`Quadratic`] over
//! ||y|| <= norm_bound, a ball around the origin, satisfies (H + ridge + rho) y = (H + ridge) theta - slope with
//! rho >= 0, and rho > 0 only on the sphere.

use super::{Cholesky, add_scaled, dot, multiply, norm, trace};

/// slope'(y - theta) + (y - theta)'(H + ridge I)(y - theta)/2, a model of a convex function around theta.
#[derive(Debug, Clone, Copy)]
pub struct Quadratic<'a> {
    /// H, lower triangle, positive semi-definite.
    pub hessian: &'a [f64],
    /// What is added to its diagonal.
    pub ridge: f64,
    /// theta.
    pub theta: &'a [f64],
    /// The gradient at theta.
    pub slope: &'a [f64],
}

/// Working memory and result of the trust-region problem.
#[derive(Debug, Clone)]
pub struct TrustRegion {
    /// Factor of H + ridge + rho for the last multiplier tried.
    pub(crate) cholesky: Cholesky,
    minimiser: Vec<f64>,
    scratch: Vec<f64>,
}

impl TrustRegion {
    /// Memory for models in `dimension` dimensions.
    pub fn new(dimension: usize) -> Self {
        let vector = vec![0.0; dimension];
        let cholesky = Cholesky::new(dimension);
        Self { cholesky, minimiser: vector.clone(), scratch: vector }
    }

    /// The point found by the last call of [`TrustRegion::minimise`].
    pub fn minimiser(&self) -> &[f64] {
        &self.minimiser
    }

    /// Minimises the model over ||y|| <= `norm_bound`, which may be infinite, and returns rho. `guess` is where the search
    /// for a positive rho starts.
    pub fn minimise(&mut self, model: Quadratic<'_>, norm_bound: f64, guess: f64) -> f64 {
        // A known positive multiplier is tried first: most warm starts stay on the sphere.
        if !(norm_bound.is_finite() && guess > 0.0) && self.newton(model, norm_bound) {
            return 0.0;
        }
        let rho = self.secular(model, norm_bound, guess);
        if rho == 0.0 { 0.0 } else { self.reach_sphere(norm_bound, rho) }
    }

    /// The unconstrained minimiser; false if it lies outside the ball.
    fn newton(&mut self, model: Quadratic<'_>, norm_bound: f64) -> bool {
        self.factor_flat(model.hessian, model.ridge);
        self.minimiser.copy_from_slice(model.slope);
        self.cholesky.solve(&mut self.minimiser);
        for (y, t) in self.minimiser.iter_mut().zip(model.theta) {
            *y = t - *y;
        }
        norm(&self.minimiser) <= norm_bound
    }

    /// Factors H + ridge, or if that is singular (fewer arms than dimensions, no ridge) H plus a vanishing ridge, with
    /// which a slope in the span of the data gives a step in that span, and any other an enormous one.
    fn factor_flat(&mut self, h: &[f64], ridge: f64) {
        if self.cholesky.factor(h, ridge) {
            return;
        }
        let d = self.minimiser.len();
        let trace = trace(h, d);
        // A matrix that an edited document made indefinite may come with a negative ridge, which would never grow.
        let shift = ridge.max(0.0) + (trace * 1e-13).max(1e-290);
        self.cholesky.factor_raised(h, shift, 10.0);
    }

    /// Newton on 1/||y(rho)|| - 1/norm_bound, which is nearly linear in rho, from `guess`, within a bracket. Returns
    /// zero if even a vanishing rho leaves y inside the ball.
    fn secular(&mut self, model: Quadratic<'_>, bound: f64, guess: f64) -> f64 {
        let (mut low, mut high) = (0.0, self.largest_rho(model, bound));
        let mut rho = if guess > 0.0 && guess < high { guess } else { 1e-3 * high };
        // Every turn at least halves the bracket or takes a Newton step inside it; 200 halvings exhaust the doubles.
        for _ in 0..200 {
            if !self.cholesky.factor(model.hessian, model.ridge + rho) {
                low = rho;
                rho = 0.5 * (rho + high);
                continue;
            }
            self.shifted_minimiser(model, rho);
            let length = norm(&self.minimiser);
            if (length - bound).abs() <= 4.0 * f64::EPSILON * bound || high - low <= 4.0 * f64::EPSILON * high {
                return rho;
            }
            if length > bound {
                low = rho
            } else {
                high = rho
            }
            self.scratch.copy_from_slice(&self.minimiser);
            self.cholesky.solve_lower(&mut self.scratch);
            let newton = rho + length * length / dot(&self.scratch, &self.scratch) * (length - bound) / bound;
            // So close that the last step of `reach_sphere`, along the path, leaves a relative error of the square of this.
            if (length - bound).abs() <= 1e-9 * bound && (newton - rho).abs() <= 1e-8 * rho {
                return rho;
            }
            if newton <= 0.0 && low == 0.0 {
                // From the inside Newton overshoots to the left only if the root is at or near zero.
                if self.newton(model, bound) {
                    return 0.0;
                }
                rho *= 0.1;
            } else {
                rho = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            }
        }
        rho
    }

    /// (H + ridge + rho) y = b implies ||y|| <= ||b||/rho, so the root lies below ||b||/norm_bound.
    fn largest_rho(&mut self, model: Quadratic<'_>, bound: f64) -> f64 {
        multiply(model.hessian, model.theta, &mut self.scratch);
        add_scaled(&mut self.scratch, model.ridge, model.theta);
        add_scaled(&mut self.scratch, -1.0, model.slope);
        norm(&self.scratch) / bound
    }

    /// y = theta - (H + ridge + rho)^{-1}(slope + rho theta), from the factor: near a solution the step is small, and
    /// so is then the error of the solution, which is relative to it.
    fn shifted_minimiser(&mut self, model: Quadratic<'_>, rho: f64) {
        self.minimiser.copy_from_slice(model.slope);
        add_scaled(&mut self.minimiser, rho, model.theta);
        self.cholesky.solve(&mut self.minimiser);
        for (y, t) in self.minimiser.iter_mut().zip(model.theta) {
            *y = t - *y;
        }
    }

    /// Puts the minimiser on the sphere to the last digit and returns the multiplier that belongs to it.
    ///
    /// Where rho is tiny, y is wrong along the flat directions of H only, so it is there that the length must be mended:
    /// along w = (H + ridge + rho)^{-1}y, which is how y changes with rho. A mere rescaling would spread the error to
    /// the directions that matter.
    fn reach_sphere(&mut self, bound: f64, rho: f64) -> f64 {
        self.scratch.copy_from_slice(&self.minimiser);
        self.cholesky.solve(&mut self.scratch);
        let length = norm(&self.minimiser);
        let missing = (bound - length) * (bound + length);
        // ||y + a w||^2 = bound^2: the root a of the quadratic that vanishes with what is missing.
        let (cross, square) = (dot(&self.minimiser, &self.scratch), dot(&self.scratch, &self.scratch));
        let discriminant = cross * cross + square * missing;
        let shift = missing / (cross + discriminant.max(0.0).sqrt());
        let usable = discriminant > 0.0 && shift.abs() <= 0.5 * rho;
        if usable {
            add_scaled(&mut self.minimiser, shift, &self.scratch);
        }
        let length = norm(&self.minimiser);
        if length > 0.0 {
            self.minimiser.iter_mut().for_each(|v| *v *= bound / length);
        }
        if usable { rho - shift } else { rho }
    }
}
