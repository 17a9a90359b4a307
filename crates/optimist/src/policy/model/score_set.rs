//! The confidence set of Bernstein type around the score, with a centre in the ball: what LogUCB1 and LogUCB2 share.
//!
//! With lambda_t = d(1 + log t) and gamma_t of [`bernstein`](crate::set::bernstein), the determinant bounded by that of
//! lambda_t I + (1/4) sum x x', the true parameter satisfies ||theta*|| <= S and ||r(theta*)||_{H^{-1}(theta*)} <= gamma_t
//! at all t with probability 1 - delta, where r = grad L + lambda_t theta = g(theta) - g(theta_hat).
//!
//! **Deviation.** Let c be any point of the ball, rho = ||r(c)||_{H^{-1}(c)} and q = gamma_t + rho. For the averaged
//! Hessian G between c and theta*, r(c) - r(theta*) = G(c - theta*). If no log-odds of an observed arm differs by more
//! than D between the two, self-concordance gives G >= H(c)/(1 + D) and G >= H(theta*)/(1 + D), hence
//!
//! ```text
//! u := ||c - theta*||_G = ||r(c) - r(theta*)||_{G^{-1}} <= sqrt(1 + D) q
//! ```
//!
//! where D may be S + ||c||, and u/sqrt(lambda_t) because G >= lambda_t I; with the latter u^2 <= (1 + u/sqrt(lambda_t)) q^2.
//! Since mu' >= 1/kappa on [-S, S], G >= V/kappa for V = sum x x' + kappa lambda_t I, so that for every x
//!
//! ```text
//! |x'(c - theta*)| <= sqrt(kappa) u ||x||_{V^{-1}}   and   |x'(c - theta*)| <= sqrt(1 + D) u ||x||_{H^{-1}(c)}
//! ```
//!
//! If theta_hat is in the ball it is c, and rho = 0. Otherwise c is the projection, rho <= gamma_t if that was found
//! (theta* is a candidate), and q <= 2 gamma_t. With D = 2S these are the constants sqrt(1 + 2S), sqrt(4 + 8S) and
//! 2 + 4S of Faury et al.

use serde::{Deserialize, Serialize};

use super::{Objective, Posterior, ProjectionStatus, SLAB_TOLERANCE, ScoreNorm, ScoreProjection, Slabs, distance};
use crate::belief::Belief;
use crate::error::{Error, Result, check_vector};
use crate::fit::Penalty;
use crate::numerics::{Cholesky, Elementary, add_outer, add_scaled, half_width, norm, square_form};
use crate::policy::norm_bound::kappa;
use crate::problem::Problem;
use crate::set::bernstein::Bounded;
use crate::set::guarantee::UNIT_ARMS_ANY_ORDER;
use crate::set::{Guarantee, Theorem};

/// How wide the bonuses of LogUCB1 and LogUCB2 are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bonus {
    /// With everything that is known about the centre: its norm and the distance of its score.
    #[default]
    Refined,
    /// As in the paper, for the worst centre.
    Paper,
}

/// Radius and centre of the set, as of the last refresh.
#[derive(Debug, Clone, Copy)]
pub(in crate::policy) struct Deviation {
    pub(in crate::policy) kappa: f64,
    /// Bound on ||c - theta*||_G.
    pub(in crate::policy) u: f64,
    /// Bound on ||c - theta*||_{H(c)}.
    pub(in crate::policy) local: f64,
}

/// What is proved of its sets.
static THEOREM: Theorem = Theorem {
    assumptions: UNIT_ARMS_ANY_ORDER,
    order_free: true,
    citation: "Faury, Abeille, Calauzenes and Fercoq, Improved optimistic algorithms for logistic bandits, ICML 2020, with the \
               deviation bound of Abeille, Faury and Calauzenes, AISTATS 2021, optimised",
};

/// Observations, estimate, gamma and centre.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub(in crate::policy) struct ScoreSet {
    problem: Problem,
    #[serde(skip_serializing)]
    bounded: Bounded,
    #[serde(skip_serializing)]
    kappa: f64,
    bonus: Bonus,
    posterior: Posterior,
    /// sum x x', lower triangle.
    #[serde(serialize_with = "crate::numerics::stored_numbers::serialize")]
    design: Vec<f64>,
    #[serde(skip_serializing)]
    gamma: f64,
    #[serde(skip_serializing)]
    deviation: Deviation,
    #[serde(skip_serializing)]
    status: ProjectionStatus,
    #[serde(skip_serializing)]
    centre: Vec<f64>,
    #[serde(skip_serializing)]
    distance: f64,
    #[serde(skip_serializing)]
    projection: ScoreProjection,
    #[serde(skip_serializing)]
    cholesky: Cholesky,
    /// V^{-1} and H(c)^{-1}, lower triangles.
    #[serde(skip_serializing)]
    v_inverse: Vec<f64>,
    #[serde(skip_serializing)]
    h_inverse: Vec<f64>,
    #[serde(skip_serializing)]
    row: Vec<f64>,
    #[serde(skip_serializing)]
    current: bool,
}

impl ScoreSet {
    pub(in crate::policy) fn new(problem: &Problem, bonus: Bonus, needed_by: &'static str) -> Result<Self> {
        let bounded = Bounded::new(problem, needed_by)?;
        let posterior = Posterior::new(problem, Some(bounded.ridge(0.0)))?;
        let d = problem.dimension;
        Self::assemble(*problem, bounded, bonus, posterior, vec![0.0; d * d])
    }

    fn assemble(
        problem: Problem,
        bounded: Bounded,
        bonus: Bonus,
        posterior: Posterior,
        design: Vec<f64>,
    ) -> Result<Self> {
        let d = problem.dimension;
        let kappa = kappa(bounded.norm_bound)?;
        posterior.check(d)?;
        check_vector("design", &design, d * d)?;
        Ok(Self {
            problem,
            bounded,
            kappa,
            bonus,
            posterior,
            design,
            gamma: 0.0,
            deviation: Deviation { kappa, u: 0.0, local: 0.0 },
            status: ProjectionStatus::Skipped,
            centre: vec![0.0; d],
            distance: 0.0,
            projection: ScoreProjection::new(d),
            cholesky: Cholesky::new(d),
            v_inverse: vec![0.0; d * d],
            h_inverse: vec![0.0; d * d],
            row: vec![0.0; d],
            current: false,
        })
    }

    pub(in crate::policy) fn norm_bound(&self) -> f64 {
        self.bounded.norm_bound
    }

    pub(in crate::policy) fn belief(&self) -> &Belief {
        self.posterior.belief()
    }

    pub(in crate::policy) fn belief_mut(&mut self) -> &mut Belief {
        self.posterior.belief_mut()
    }

    pub(in crate::policy) fn guarantee(&self, name: &'static str) -> Guarantee {
        let (delta, norm_bound) = (Some(self.problem.delta), Some(self.bounded.norm_bound));
        Guarantee { name, delta, norm_bound, theorem: &THEOREM }
    }

    pub(in crate::policy) fn learn(&mut self, x: &[f64], reward: f64) {
        self.posterior.learn(x, reward);
        add_outer(&mut self.design, 1.0, x);
        self.current = false;
    }

    /// Brings everything up to date. With `slabs` the centre lies in them, and they bound D.
    pub(in crate::policy) fn refresh(&mut self, slabs: Option<&Slabs>) {
        if self.current {
            return;
        }
        let n = self.posterior.belief().history().observations();
        let ridge = self.bounded.ridge(n);
        self.posterior.set_ridge(ridge);
        self.gamma = self.new_gamma(n, ridge);
        self.find_centre(slabs, ridge);
        self.invert(ridge);
        self.deviation = self.new_deviation(slabs, ridge);
        self.current = true;
    }

    /// logdet(lambda I + V/4) = logdet(4 lambda I + V) - d log 4 bounds logdet H(theta) for every theta.
    fn new_gamma(&mut self, observations: f64, ridge: f64) -> f64 {
        let d = self.bounded.d;
        // Every observation is an addition to every entry of the design, and rounds it.
        let log_det = if self.cholesky.factor_above(&self.design, 4.0 * ridge, observations) {
            self.cholesky.log_det() - d * 4_f64.logarithm()
        } else {
            // Numbers that overflow have no factor: the bound through the trace is enough.
            d * (ridge + observations / (4.0 * d)).logarithm()
        };
        self.bounded.gamma(self.bounded.deviation(log_det, ridge), ridge)
    }

    /// The estimate if it is feasible, with its factor's inverse; otherwise the projection.
    fn find_centre(&mut self, slabs: Option<&Slabs>, ridge: f64) {
        let bound = self.bounded.norm_bound;
        self.centre.copy_from_slice(self.posterior.theta());
        let history = self.posterior.belief().history();
        let slack = SLAB_TOLERANCE * bound;
        let allowed = |s: &Slabs, row: &mut [f64], theta: &[f64]| s.contain(history, theta, row, slack);
        let feasible = norm(&self.centre) <= bound && slabs.is_none_or(|s| allowed(s, &mut self.row, &self.centre));
        if feasible {
            self.status = ProjectionStatus::Skipped;
            let at = self.posterior.estimator().evaluation();
            self.cholesky.inverse_above(&at.hessian, ridge, &mut self.h_inverse, &mut self.row);
            // What is left of the gradient after an inexact fit counts as distance.
            self.row.copy_from_slice(&at.gradient);
            add_scaled(&mut self.row, ridge, &self.centre);
            self.distance = square_form(&self.h_inverse, &self.row).max(0.0).sqrt();
            return;
        }
        let penalty = Penalty { ridge, norm_bound: bound };
        let objective = Objective { history, penalty, metric: ScoreNorm::Hessian, slabs };
        self.status = self.projection.search(objective, &self.centre);
        self.centre.copy_from_slice(self.projection.theta());
        self.distance = self.projection.distance();
        let hessian = self.projection.hessian(objective);
        self.cholesky.inverse_above(hessian, ridge, &mut self.h_inverse, &mut self.row);
    }

    /// V^{-1}, from above: where rounding matters, widths must not come out too small.
    fn invert(&mut self, ridge: f64) {
        self.cholesky.inverse_above(&self.design, self.kappa * ridge, &mut self.v_inverse, &mut self.row);
    }

    fn new_deviation(&mut self, slabs: Option<&Slabs>, ridge: f64) -> Deviation {
        let (bound, kappa) = (self.bounded.norm_bound, self.kappa);
        if self.bonus == Bonus::Paper {
            // The paper's factor is that of a projection that was found; LogUCB2 has it in all rounds.
            let projected = slabs.is_some() || self.status != ProjectionStatus::Skipped;
            let distance = if projected { self.distance.max(self.gamma) } else { self.distance };
            let q = self.gamma + distance;
            let u = (1.0 + 2.0 * bound).sqrt() * q;
            return Deviation { kappa, u, local: (1.0 + 2.0 * bound) * q };
        }
        let q = self.gamma + self.distance;
        let history = self.posterior.belief().history();
        let by_slabs = slabs.map_or(f64::INFINITY, |s| s.reach(history, &self.centre, &mut self.row));
        let spread = (bound + norm(&self.centre)).min(by_slabs.max(0.0));
        // The positive root of u^2 = (1 + u/sqrt(lambda)) q^2.
        let half = 0.5 * q / ridge.sqrt();
        let u = q * (1.0 + spread).sqrt().min(half + (1.0 + half * half).sqrt());
        let local = u * (1.0 + spread.min(u / ridge.sqrt())).sqrt();
        Deviation { kappa, u, local }
    }

    /// Centre, deviation, V^{-1} and H(c)^{-1}, as of the last refresh.
    pub(in crate::policy) fn parts(&self) -> (&[f64], Deviation, &[f64], &[f64]) {
        (&self.centre, self.deviation, &self.v_inverse, &self.h_inverse)
    }

    pub(in crate::policy) fn centre(&self) -> &[f64] {
        &self.centre
    }

    pub(in crate::policy) fn status(&self) -> ProjectionStatus {
        self.status
    }

    pub(in crate::policy) fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Whether ||theta|| <= S and ||r(theta)||_{H^{-1}(theta)} <= gamma, after a refresh.
    pub(in crate::policy) fn contains(&self, theta: &[f64]) -> bool {
        let bound = self.bounded.norm_bound;
        let penalty = Penalty { ridge: self.posterior.ridge(), norm_bound: bound };
        let history = self.posterior.belief().history();
        let objective = Objective { history, penalty, metric: ScoreNorm::Hessian, slabs: None };
        norm(theta) <= bound && distance(objective, theta) <= self.gamma
    }

    pub(in crate::policy) fn check(&self, expected: usize) -> Result<()> {
        let got = self.problem.dimension;
        if got == expected { Ok(()) } else { Err(Error::Dimension { field: "score".into(), expected, got }) }
    }
}

impl Deviation {
    /// sqrt(kappa) u ||x||_{V^{-1}}, which bounds |x'(c - theta*)|.
    pub(in crate::policy) fn global_width(&self, v_inverse: &[f64], x: &[f64]) -> f64 {
        half_width(self.kappa.sqrt() * self.u, square_form(v_inverse, x))
    }

    /// sqrt(1 + D) u ||x||_{H^{-1}(c)}, which bounds it as well.
    pub(in crate::policy) fn local_width(&self, h_inverse: &[f64], x: &[f64]) -> f64 {
        half_width(self.local, square_form(h_inverse, x))
    }
}

/// The serialised form. What is derived is computed again, from the same numbers by the same operations.
#[derive(Deserialize)]
struct Raw {
    problem: Problem,
    bonus: Bonus,
    posterior: Posterior,
    #[serde(deserialize_with = "crate::numerics::stored_numbers::deserialize")]
    design: Vec<f64>,
}

impl TryFrom<Raw> for ScoreSet {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        let bounded = Bounded::new(&raw.problem, "a set of Bernstein type")?;
        Self::assemble(raw.problem, bounded, raw.bonus, raw.posterior, raw.design)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// V = n xx' + kappa lambda I with n from where nothing is lost to where nothing of kappa lambda is left: x = (3, 4)/8 and
    /// its normal are exact, and so is what their widths should be.
    #[test]
    fn widths_are_never_too_small_however_many_observations_there_are() {
        let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(2.0) };
        let mut set = ScoreSet::new(&problem, Bonus::Refined, "a test").unwrap();
        let (x, normal, square) = ([0.375, 0.5], [-0.5, 0.375], 25.0 / 64.0);
        for n in (3..20).map(|power| 10_f64.powi(power)) {
            let ridge = set.bounded.ridge(n);
            set.design = vec![n * x[0] * x[0], 0.0, n * x[0] * x[1], n * x[1] * x[1]];
            set.invert(ridge);
            let shift = set.kappa * ridge;
            let (along, across) = (square_form(&set.v_inverse, &x), square_form(&set.v_inverse, &normal));
            assert!(along >= square / (shift + n * square), "{n:e} along: {along:e}");
            assert!(across >= square / shift, "{n:e} across: {across:e} below {:e}", square / shift);
        }
    }

    /// gamma grows with the determinant, which must not be lost either.
    #[test]
    fn gamma_is_never_too_small_however_many_observations_there_are() {
        let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(2.0) };
        let mut set = ScoreSet::new(&problem, Bonus::Refined, "a test").unwrap();
        for n in (3..20).map(|power| 10_f64.powi(power)) {
            let (ridge, x) = (set.bounded.ridge(n), [0.375, 0.5]);
            set.design = vec![n * x[0] * x[0], 0.0, n * x[0] * x[1], n * x[1] * x[1]];
            let exact = ridge.ln() + (ridge + 0.25 * n * 25.0 / 64.0).ln();
            let least = set.bounded.gamma(set.bounded.deviation(exact, ridge), ridge);
            let gamma = set.new_gamma(n, ridge);
            assert!(gamma >= least * (1.0 - 1e-14), "{n:e}: {gamma} below {least}");
        }
    }
}
