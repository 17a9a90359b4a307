//! The planner's step: the support function of a *quadratic* level set in a ball, solved exactly.
//!
//! At theta, the loss is replaced by its second-order model m(y) = L + G'(y - theta) + (y - theta)'M(y - theta)/2 with
//! M = H + ridge. The step maximises x'y subject to m(y) <= level and ||y|| <= norm_bound. Its multipliers (nu, rho)
//! satisfy nu x = G + M(y - theta) + rho y, and near the solution of the true problem they are exact to second order,
//! which makes the iteration of [`super`] Newton's method on the KKT system.

use crate::fit::Penalty;
use crate::numerics::{Quadratic, TrustRegion, add_scaled, dot, multiply, norm};

/// The model's data at the current point.
pub(crate) struct Local<'a> {
    pub(crate) hessian: &'a [f64],
    pub(crate) penalty: Penalty,
    pub(crate) theta: &'a [f64],
    /// Gradient of the loss with its ridge.
    pub(crate) gradient: &'a [f64],
    /// Level minus loss: positive inside the set.
    pub(crate) slack: f64,
    /// Rounding error of the slack.
    pub(crate) rounding: f64,
    pub(crate) direction: &'a [f64],
}

/// What the model's maximiser looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    /// The model has no point in the ball below the level.
    Infeasible,
    /// The level does not bind: the maximiser is norm_bound * x/||x||.
    Corner,
    /// The level binds, with multiplier 1/nu; the ball has multiplier rho/nu (zero if it does not bind).
    Level {
        /// Reciprocal of the level's multiplier.
        nu: f64,
        /// Ratio of the ball's multiplier to the level's.
        rho: f64,
    },
}

/// Working memory and maximiser of the model problem.
#[derive(Debug, Clone)]
pub(crate) struct LevelModel {
    ball: TrustRegion,
    /// Where the search for nu starts when the ball binds; zero if unknown.
    nu_without_ball: f64,
    slope: Vec<f64>,
    along: Vec<f64>,
    /// M^{-1}G, then scratch.
    back: Vec<f64>,
    /// The maximiser minus theta.
    pub(crate) step: Vec<f64>,
}

impl LevelModel {
    pub(crate) fn new(dimension: usize) -> Self {
        let vector = vec![0.0; dimension];
        let ball = TrustRegion::new(dimension);
        Self {
            ball,
            nu_without_ball: 0.0,
            slope: vector.clone(),
            along: vector.clone(),
            back: vector.clone(),
            step: vector,
        }
    }

    /// Solves the model problem; the maximiser minus theta is left in `step`. `guess` = (nu, rho) of a nearby problem.
    pub(crate) fn solve(&mut self, local: &Local<'_>, guess: Option<(f64, f64)>) -> Step {
        let mut start = guess;
        if guess.is_none_or(|(_, rho)| rho == 0.0) {
            match self.without_ball(local) {
                Some(step) => return step,
                // The ball binds; nu of the level alone is where to start.
                None => start = start.or(Some((self.nu_without_ball, 0.0))),
            }
        }
        self.with_ball(local, start)
    }

    /// The closed form when the ball does not bind; none if it may.
    fn without_ball(&mut self, local: &Local<'_>) -> Option<Step> {
        if !self.ball.cholesky.factor(local.hessian, local.penalty.ridge) {
            self.nu_without_ball = 0.0;
            return None;
        }
        self.along.copy_from_slice(local.direction);
        self.ball.cholesky.solve(&mut self.along);
        self.back.copy_from_slice(local.gradient);
        self.ball.cholesky.solve(&mut self.back);
        let width = dot(local.direction, &self.along);
        let room = 2.0 * local.slack + dot(local.gradient, &self.back);
        if !(room > 0.0) {
            return Some(Step::Infeasible);
        }
        let nu = (room / width).sqrt();
        // One more solution, and not nu * along - back, which are large and cancel where the loss is flat.
        for (s, (x, g)) in self.step.iter_mut().zip(local.direction.iter().zip(local.gradient)) {
            *s = nu * x - g;
        }
        self.ball.cholesky.solve(&mut self.step);
        let squared: f64 = self.step.iter().zip(local.theta).map(|(s, t)| (t + s) * (t + s)).sum();
        if squared.sqrt() <= local.penalty.norm_bound {
            return Some(Step::Level { nu, rho: 0.0 });
        }
        self.nu_without_ball = nu;
        None
    }

    /// Root of nu -> m(y(nu)) - level, where y(nu) minimises m - nu x'y over the ball; increasing in nu.
    fn with_ball(&mut self, local: &Local<'_>, start: Option<(f64, f64)>) -> Step {
        let reach = norm(local.direction);
        self.step.copy_from_slice(local.theta);
        self.step.iter_mut().for_each(|v| *v = -*v);
        add_scaled(&mut self.step, local.penalty.norm_bound / reach, local.direction);
        if self.excess(local) <= 0.0 {
            return Step::Corner;
        }
        let (mut nu, mut rho) = start.unwrap_or((0.0, 0.0));
        if !(nu > 1e-280) {
            nu = norm(local.gradient).max(1e-8) / reach;
        }
        let (mut low, mut high) = (0.0, f64::INFINITY);
        // Newton inside a bracket that at least halves (in logarithm) every other turn.
        for turn in 0..200 {
            rho = self.minimise_tilted(local, nu, rho);
            let excess = self.excess(local);
            if excess.abs() <= local.rounding || high <= low * (1.0 + 4.0 * f64::EPSILON) {
                return Step::Level { nu, rho };
            }
            if excess > 0.0 {
                high = nu
            } else {
                low = nu
            }
            if high < 1e-250 {
                return Step::Infeasible;
            }
            if low > 1e250 {
                return Step::Corner;
            }
            let slope = nu * self.tilt_response(local, rho);
            // The excess is quadratic in nu while the ball is inactive: Newton in nu^2.
            let squared = nu * nu - 2.0 * nu * excess / slope;
            let newton = squared.sqrt();
            nu = if newton > low && newton < high && (turn % 3 != 2 || high.is_infinite()) {
                newton
            } else if high.is_infinite() {
                nu * 8.0
            } else if low == 0.0 {
                self.lower_end(local, &mut low, high)
            } else {
                (low * high).sqrt()
            };
            if nu == 0.0 {
                return Step::Infeasible;
            }
        }
        Step::Level { nu, rho }
    }

    /// A trial below `high` when no lower end is known; zero if the model is infeasible even at nu = 0.
    fn lower_end(&mut self, local: &Local<'_>, low: &mut f64, high: f64) -> f64 {
        self.minimise_tilted(local, 0.0, 0.0);
        if self.excess(local) > 0.0 {
            return 0.0;
        }
        *low = high * 1e-16;
        high * 0.1
    }

    /// Minimises m - nu x'y over the ball into `step` (as y - theta) and returns rho.
    fn minimise_tilted(&mut self, local: &Local<'_>, nu: f64, guess: f64) -> f64 {
        self.slope.copy_from_slice(local.gradient);
        add_scaled(&mut self.slope, -nu, local.direction);
        let Penalty { ridge, norm_bound } = local.penalty;
        let model = Quadratic { hessian: local.hessian, ridge, theta: local.theta, slope: &self.slope };
        let rho = self.ball.minimise(model, norm_bound, guess);
        self.step.copy_from_slice(self.ball.minimiser());
        add_scaled(&mut self.step, -1.0, local.theta);
        rho
    }

    /// m(theta + step) - level.
    fn excess(&mut self, local: &Local<'_>) -> f64 {
        dot(local.gradient, &self.step) + 0.5 * self.curvature(local) - local.slack
    }

    /// step' (H + ridge) step.
    fn curvature(&mut self, local: &Local<'_>) -> f64 {
        multiply(local.hessian, &self.step, &mut self.back);
        dot(&self.back, &self.step) + local.penalty.ridge * dot(&self.step, &self.step)
    }

    /// x'dy/dnu at the minimiser of the tilted model, whose matrix is still factored.
    fn tilt_response(&mut self, local: &Local<'_>, rho: f64) -> f64 {
        self.along.copy_from_slice(local.direction);
        self.ball.cholesky.solve_lower(&mut self.along);
        let direct = dot(&self.along, &self.along);
        if rho == 0.0 {
            return direct;
        }
        self.back.copy_from_slice(self.ball.minimiser());
        self.ball.cholesky.solve_lower(&mut self.back);
        let cross = dot(&self.along, &self.back);
        // Cancellation near the corner, where y is parallel to x, must not give a negative response.
        (direct - cross * cross / dot(&self.back, &self.back)).max(direct * 1e-15)
    }
}
