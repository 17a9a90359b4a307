//! One bandit seen by somebody who knows theta*: how hard it is, and what each of its arms is worth.
//!
//! The constants are those of Abeille, Faury, Calauzenes (2021): kappa_* at the best arm, kappa_X at the worst, kappa
//! over all parameters a policy must reckon with, and the detrimental arms X_-. All of them depend on the arms through
//! their log-odds x'theta* alone.

use std::f64::consts::LN_2;

use optimist::numerics::{dot, norm};
use optimist::posterior::Row;
use optimist::{ArmSet, link};

use super::law::{Law, log_odds_of};

/// theta* with the arms of a round. Made once per run; [`Instance::offer`] looks at other arms without allocating.
#[derive(Debug, Clone)]
pub struct Instance {
    theta: Vec<f64>,
    /// How many features of a hybrid arm, the last ones, meet parameters of its own.
    own: usize,
    /// How rewards depend on features; none if by the logistic model.
    law: Option<Law>,
    /// Largest norm of an arm.
    longest: f64,
    best_arm: Option<usize>,
    /// Largest x'theta*.
    best: f64,
    best_mean: f64,
    kappa_star: f64,
    kappa_x: f64,
    detrimental_below: f64,
    log_odds: Vec<f64>,
    means: Vec<f64>,
    slopes: Vec<f64>,
    detrimental: Vec<bool>,
    /// Room for what [`link::evaluate`] computes along the way.
    softplus: Vec<f64>,
}

impl Instance {
    /// The instance of these arms: O(K d) for K arms of d features.
    ///
    /// # Panics
    /// If the arms have another number of features than theta*.
    pub fn new(theta: &[f64], arms: &ArmSet) -> Self {
        Self::of(theta, 0, None, arms, &[])
    }

    /// The same for arms whose last `own` features meet parameters of their own. theta* begins with the shared parameters;
    /// those of the arm whose owner is k come k-th after them, from zero. Log-odds are those of a law of its own, if there is
    /// one, or of `rates`, the success probabilities of all arms, if these are given; only the rest are x'theta*.
    ///
    /// # Panics
    /// If theta* has no parameters for an arm.
    pub(super) fn of(theta: &[f64], own: usize, law: Option<Law>, arms: &ArmSet, rates: &[f64]) -> Self {
        let mut instance = Self { own, law, ..Self::blank(theta) };
        instance.offer_rated(arms, rates);
        instance
    }

    /// The instance whose arms are the half of the unit ball on which x'theta* <= 0, a set as asymmetric as can be.
    pub fn half_ball(theta: &[f64]) -> Self {
        let mut instance = Self::blank(theta);
        instance.span(-norm(theta), 0.0);
        instance
    }

    fn blank(theta: &[f64]) -> Self {
        Self {
            theta: theta.to_vec(),
            own: 0,
            law: None,
            longest: 0.0,
            best_arm: None,
            best: 0.0,
            best_mean: 0.5,
            kappa_star: 4.0,
            kappa_x: 4.0,
            detrimental_below: 0.0,
            log_odds: Vec::new(),
            means: Vec::new(),
            slopes: Vec::new(),
            detrimental: Vec::new(),
            softplus: Vec::new(),
        }
    }

    /// Puts another theta* in the place of this one; what is known of the arms is out of date until they are offered.
    pub(super) fn turn(&mut self, theta: &[f64]) {
        self.theta.copy_from_slice(theta);
    }

    /// Looks at other arms. Allocates nothing unless there are more than ever before.
    ///
    /// # Panics
    /// If the arms have another number of features than theta*, or theta* has no parameters for a hybrid arm.
    pub fn offer(&mut self, arms: &ArmSet) {
        self.offer_rated(arms, &[]);
    }

    /// The same for arms whose success probabilities are given, unless `rates` is empty.
    ///
    /// # Panics
    /// As [`Instance::offer`].
    pub(super) fn offer_rated(&mut self, arms: &ArmSet, rates: &[f64]) {
        let is_hybrid = matches!(arms, ArmSet::Hybrid(_));
        assert!(is_hybrid || arms.dimension() == self.theta.len(), "arms and theta* must have as many features");
        match arms.len() {
            Some(count) => self.tabulate(arms, count, rates),
            // On ball and sphere alike, x'theta* takes its extreme values at plus and minus theta*/||theta*||.
            None => {
                let reach = norm(&self.theta);
                self.span(self.log_odds_at(-reach, &[]), self.log_odds_at(reach, &[]));
            }
        }
    }

    /// The log-odds of success of an arm `x` for which x'theta* is `z`.
    fn log_odds_at(&self, z: f64, x: &[f64]) -> f64 {
        self.law.as_ref().map_or(z, |law| law.log_odds(z, x))
    }

    fn tabulate(&mut self, arms: &ArmSet, count: usize, rates: &[f64]) {
        let mut table = std::mem::take(&mut self.log_odds);
        table.clear();
        match rates {
            [] => {
                let rows = (0..count).filter_map(|k| arms.row(k));
                table.extend(rows.map(|row| self.log_odds_at(log_odds(&self.theta, self.own, &row), row.values())));
            }
            rates => table.extend(rates.iter().map(|rate| log_odds_of(*rate))),
        }
        self.log_odds = table;
        for table in [&mut self.softplus, &mut self.means, &mut self.slopes] {
            table.resize(count, 0.0);
        }
        link::evaluate(&self.log_odds, &mut self.softplus, &mut self.means, &mut self.slopes);
        let mut best = 0;
        let mut flattest = f64::INFINITY;
        for (k, (&z, &slope)) in self.log_odds.iter().zip(&self.slopes).enumerate() {
            if z > self.log_odds[best] {
                best = k;
            }
            flattest = flattest.min(slope);
        }
        self.best_arm = Some(best);
        self.longest = arms.max_norm();
        self.set_constants(self.log_odds[best], 1.0 / flattest);
        // The table's value, so that playing the best arm costs exactly nothing.
        self.best_mean = self.means[best];
        let below = self.detrimental_below;
        self.detrimental.clear();
        self.detrimental.extend(self.log_odds.iter().map(|&z| z <= below));
    }

    /// Arms of the unit ball, too many to list, whose log-odds reach from `lowest` to `highest`.
    fn span(&mut self, lowest: f64, highest: f64) {
        for table in [&mut self.log_odds, &mut self.means, &mut self.slopes] {
            table.clear();
        }
        self.detrimental.clear();
        self.best_arm = None;
        self.longest = 1.0;
        // mu' falls away from zero on either side, so that it is least at an end.
        self.set_constants(highest, 1.0 / link::variance(lowest).min(link::variance(highest)));
    }

    fn set_constants(&mut self, best: f64, kappa_x: f64) {
        self.best = best;
        self.best_mean = link::mean(best);
        self.kappa_star = 1.0 / link::variance(best);
        self.kappa_x = kappa_x;
        self.detrimental_below = detrimental_below(best);
    }

    /// theta*.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The index of the best arm, the first of equals; none if the arms are not a list.
    pub fn best_arm(&self) -> Option<usize> {
        self.best_arm
    }

    /// The log-odds of the best arm, x_*'theta*.
    pub fn best(&self) -> f64 {
        self.best
    }

    /// The mean reward of the best arm, mu(x_*'theta*).
    pub fn best_mean(&self) -> f64 {
        self.best_mean
    }

    /// kappa_* = 1/mu'(x_*'theta*): the larger, the easier it is to be nearly as good as the best arm.
    pub fn kappa_star(&self) -> f64 {
        self.kappa_star
    }

    /// kappa_X, the largest 1/mu'(x'theta*) over the arms: how little the least informative arm tells.
    pub fn kappa_x(&self) -> f64 {
        self.kappa_x
    }

    /// kappa, the largest 1/mu'(x'theta) over the arms (or arms as long) and all theta of norm at most `norm_bound`.
    pub fn kappa(&self, norm_bound: f64) -> f64 {
        1.0 / link::variance(norm_bound * self.longest)
    }

    /// Arms are detrimental from this log-odds downwards; see [`Instance::is_detrimental`].
    pub fn detrimental_below(&self) -> f64 {
        self.detrimental_below
    }

    /// Whether arms of log-odds `z` belong to X_-, the arms that are bad and tell little: z <= -1 if the best log-odds
    /// is positive, mu'(z) <= 1/(2 kappa_*) otherwise.
    pub fn is_detrimental(&self, z: f64) -> bool {
        z <= self.detrimental_below
    }

    /// The log-odds of any arm by the law of the rewards, which are x'theta* in the logistic model.
    pub fn log_odds_of(&self, x: &[f64]) -> f64 {
        self.log_odds_at(dot(x, &self.theta), x)
    }

    /// The log-odds of every arm; empty if the arms are not a list, as are the three tables below.
    pub fn log_odds(&self) -> &[f64] {
        &self.log_odds
    }

    /// The mean reward mu(x'theta*) of every arm.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// mu'(x'theta*) of every arm.
    pub fn slopes(&self) -> &[f64] {
        &self.slopes
    }

    /// Whether each arm is detrimental.
    pub fn detrimental(&self) -> &[bool] {
        &self.detrimental
    }
}

/// The log-odds of a row, whose last `own` features meet parameters of its own if it is hybrid.
fn log_odds(theta: &[f64], own: usize, row: &Row<'_>) -> f64 {
    match *row {
        Row::Dense(x) => dot(x, theta),
        Row::Sparse { indices, values } => indices.iter().zip(values).map(|(i, v)| v * theta[*i as usize]).sum(),
        Row::Own { owner, features } => {
            let (shared, alone) = features.split_at(features.len() - own);
            let place = shared.len() + owner as usize * own;
            dot(shared, &theta[..shared.len()]) + dot(alone, &theta[place..place + own])
        }
    }
}

/// The largest z <= `best` that is detrimental, given the best log-odds.
fn detrimental_below(best: f64) -> f64 {
    if best > 0.0 {
        return -1.0;
    }
    // 1/mu'(z) = 2 + 2 cosh z is to be 2 kappa_* = 4 + 4 cosh(best). No arm lies right of the best one, which is not
    // positive, so that the negative solution is the one that counts.
    let cosh = 1.0 + 2.0 * best.cosh();
    if cosh.is_finite() { -cosh.acosh() } else { best - LN_2 }
}
