//! `rs-glincb`: rarely switching generalised linear bandits.

use serde::{Deserialize, Serialize};

use super::Claim;
use super::constants::Constants;
use super::info::{FINITE_ARMS, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::Widths;
use super::norm_bound::kappa;
use super::rule::{Options, Pick, Round, Rule};
use crate::arms::FiniteArms;
use crate::error::{Error, Result, check_count, check_norm, check_number};
use crate::fit::{Estimator, GRADIENT_TOLERANCE, Penalty, minimise_in_ellipsoid};
use crate::history::History;
use crate::link;
use crate::numerics::{Elementary, Precision, dot, half_width};
use crate::problem::Problem;

policy_info! {
    /// Plays arms whose direction is badly known until the coarse estimate theta_o is right to a constant everywhere, and
    /// from then on the arm with the largest index around an estimate that changes only when the information has grown by a
    /// factor.
    ///
    /// ```text
    ///   kappa = 1/mu'(S),   l = log(horizon/delta),   V = ridge I + sum over warm-up of x x'
    ///   1. if some arm has ||x||^2_{V^{-1}} >= threshold, play the one with the largest; its reward is warm-up data, to
    ///      which theta_o = argmin L + ridge/2 ||theta||^2 is fitted
    ///   2. otherwise drop the arms with x'theta_o + a ||x||_{V^{-1}} < max over y of y'theta_o - a ||y||_{V^{-1}}, where
    ///      a = gamma sqrt(kappa), and play the arm left with the largest x'c + b ||x||_{H_tau^{-1}}
    ///   H = ridge I + sum over the other rewards of mu'(x'theta_o)/e x x'; when det H has grown by the factor `growth`,
    ///   H_tau becomes a copy of H and theta_tau the estimate from the other rewards, same ridge, over a set Theta
    ///
    ///   constants = "published": ridge = d l, gamma = 25 S sqrt(d l), threshold = 1/(gamma^2 kappa), b = 150 sqrt(d l),
    ///                            growth 2, c = theta_tau, Theta = { ||theta - theta_o||_V <= gamma sqrt(kappa) }
    ///   constants = "ours":      ridge = 1/2, gamma = S sqrt(d l), threshold = 1/(0.01 kappa S^2 d), b = 4 sqrt(d l),
    ///                            growth 3/2, c = (theta_o + theta_tau)/2, Theta = { ||theta|| <= S }
    /// ```
    ///
    /// Guarantee: none claimed. The published constants carry a regret bound of order d sqrt(T/kappa_*), but with them the
    /// warm-up alone takes gamma^2 kappa plays a direction, ten million for S = 4; the others, of the authors' experiments,
    /// carry none. Intervals come from the mixture set over all rewards.
    ///
    /// It departs from the public code in two points where that code does not do what the paper says: H_tau is a copy
    /// (there it is the same matrix as H, so that the determinants never differ and theta_tau is fitted once), and arms are
    /// dropped against the largest lower bound. It departs from the paper in that a reward is sorted when it comes in: it
    /// is warm-up data if its arm's width is then above the threshold; and in that the determinant is looked at then. When
    /// rewards follow choices at once the first is the rule by which the arm was chosen, and the second makes a difference
    /// only if a warm-up play comes between.
    INFO {
        name: "rs-glincb",
        family: Family::Index,
        summary: "warm-up where the design is thin, then an estimate that is renewed O(log T) times (RS-GLinCB)",
        keeps_set: false,
        guarantee: "none for the choices; intervals from the mixture set",
        guaranteed: false,
        planning: Planning::ClosedForm,
        cost: "K d, during warm-up 2 passes of n d^2; a fit O(log T) times",
        memory: "n d + d^2 + K",
        arm_sets: FINITE_ARMS,
        reference: "Sawarni, Das, Barman, Sinha 2024",
        randomised: false,
        order: RewardOrder::Matters,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: true,
        unit_arms: true,
        required: &["horizon"],
        example: r#"{"horizon": 10000}"#,
        options: &[
            OptionInfo { name: "horizon", help: "number of rounds; required" },
            OptionInfo {
                name: "constants",
                help: "\"ours\" (of the authors' experiments) or \"published\" (of the theorem)",
            },
        ],
        maker: PolicyMaker::of::<RsGlincb>(),
    }
}

/// Options of `rs-glincb`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RsGlincbOptions {
    /// Number of rounds.
    pub horizon: Option<u64>,
    /// Whose constants.
    pub constants: Constants,
}

impl Options for RsGlincbOptions {
    fn validate(&self) -> Result<()> {
        match self.horizon {
            Some(horizon) => check_number("horizon", horizon as f64, horizon > 0, "at least 1"),
            None => Err(Error::Missing { field: "horizon", needed_by: INFO.name }),
        }
    }
}

/// The numbers that the two sets of constants differ in.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Tuning {
    ridge: f64,
    /// An arm at least this wide (squared) in V^{-1} is warm-up.
    threshold: f64,
    /// a: half-width of an arm by theta_o, in units of ||x||_{V^{-1}}.
    coarse: f64,
    /// b: bonus in units of ||x||_{H_tau^{-1}}.
    fine: f64,
    /// By how much det H grows between two estimates, as a logarithm.
    log_growth: f64,
    /// Weight of theta_o in the centre.
    coarse_share: f64,
    /// Whether theta_tau is held in ||theta - theta_o||_V <= a, or else in ||theta|| <= S.
    near_coarse: bool,
}

impl Tuning {
    fn new(constants: Constants, d: f64, norm_bound: f64, kappa: f64, log_term: f64) -> Self {
        let root = (d * log_term).sqrt();
        match constants {
            Constants::Ours => Self {
                ridge: 0.5,
                threshold: 1.0 / (0.01 * kappa * norm_bound * norm_bound * d),
                coarse: norm_bound * root * kappa.sqrt(),
                fine: 4.0 * root,
                log_growth: 1.5_f64.logarithm(),
                coarse_share: 0.5,
                near_coarse: false,
            },
            Constants::Published => {
                let gamma = 25.0 * norm_bound * root;
                Self {
                    ridge: d * log_term,
                    threshold: 1.0 / (gamma * gamma * kappa),
                    coarse: gamma * kappa.sqrt(),
                    fine: 150.0 * root,
                    log_growth: 2.0_f64.logarithm(),
                    coarse_share: 0.0,
                    near_coarse: true,
                }
            }
        }
    }

    fn check(&self) -> Result<()> {
        check_number("tuning.ridge", self.ridge, self.ridge > 0.0, "positive")?;
        check_number("tuning.threshold", self.threshold, self.threshold > 0.0, "positive")?;
        check_number("tuning.coarse", self.coarse, self.coarse > 0.0, "positive")?;
        check_number("tuning.fine", self.fine, self.fine > 0.0, "positive")?;
        check_number("tuning.log_growth", self.log_growth, self.log_growth > 0.0, "positive")?;
        let share = (0.0..=1.0).contains(&self.coarse_share);
        check_number("tuning.coarse_share", self.coarse_share, share, "between 0 and 1")
    }
}

/// The longest arm that the theory allows.
const FEATURE_BOUND: f64 = 1.0;

/// Rewards with an estimate.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Sample {
    history: History,
    fit: Estimator,
}

impl Sample {
    fn new(dimension: usize) -> Result<Self> {
        Ok(Self { history: History::new(dimension)?, fit: Estimator::new(dimension) })
    }

    fn add(&mut self, x: &[f64], reward: f64) {
        self.history.record(x, reward, 1.0);
        self.fit.absorb(x, reward, 1.0);
    }

    fn check(&self, field: &'static str, expected: usize) -> Result<()> {
        for got in [self.history.dimension(), self.fit.dimension()] {
            if got != expected {
                return Err(Error::Dimension { field: field.into(), expected, got });
            }
        }
        check_norm(&format!("the longest arm of {field}"), self.history.max_norm(), FEATURE_BOUND, || INFO.name)
    }
}

/// RS-GLinCB.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RsGlincb {
    tuning: Tuning,
    norm_bound: f64,
    /// Warm-up data with theta_o.
    warm: Sample,
    /// All other data with theta_tau.
    rest: Sample,
    /// V.
    v: Precision,
    v_widths: Widths,
    /// H.
    h: Precision,
    /// H when theta_tau was fitted.
    h_tau: Precision,
    tau_widths: Widths,
    /// How often theta_tau was fitted.
    switches: u64,
    /// The estimate: theta_o and theta_tau in their shares.
    #[serde(skip)]
    centre: Vec<f64>,
    #[serde(skip)]
    scratch: Vec<f64>,
}

impl RsGlincb {
    /// How many rewards were warm-up data.
    pub fn warm_up(&self) -> f64 {
        self.warm.history.observations()
    }

    /// How often theta_tau was fitted.
    pub fn switches(&self) -> u64 {
        self.switches
    }

    /// The widest arm in V^{-1}, if it is above the threshold. The last word has the computation by which its reward
    /// will be sorted, so that rounding cannot make the two differ.
    fn thin(&mut self, arms: &FiniteArms) -> Option<usize> {
        let mut widest = (0, f64::NEG_INFINITY);
        for (k, square) in self.v_widths.squares(&self.v, arms).iter().enumerate() {
            if *square > widest.1 {
                widest = (k, *square);
            }
        }
        self.is_thin(arms.arm(widest.0)).then_some(widest.0)
    }

    /// Whether ||x||^2_{V^{-1}} is above the threshold; V^{-1}x is left in `scratch`.
    fn is_thin(&mut self, x: &[f64]) -> bool {
        self.scratch.resize(x.len(), 0.0);
        self.v.solve(x, &mut self.scratch) >= self.tuning.threshold
    }

    fn learn_warm(&mut self, x: &[f64], reward: f64) {
        self.warm.add(x, reward);
        let square = self.v.solve(x, &mut self.scratch);
        self.v_widths.add(&mut self.v, 1.0, x, &self.scratch, square);
        let Sample { history, fit } = &mut self.warm;
        fit.minimise(history, Penalty::ridge(self.tuning.ridge), None, GRADIENT_TOLERANCE);
    }

    fn learn_rest(&mut self, x: &[f64], reward: f64) {
        self.rest.add(x, reward);
        let weight = link::variance(dot(x, self.warm.fit.theta())) / std::f64::consts::E;
        let square = self.h.solve(x, &mut self.scratch);
        self.h.add(weight, x, &self.scratch, square);
        if self.h.log_det() - self.h_tau.log_det() > self.tuning.log_growth {
            self.switch();
        }
    }

    fn switch(&mut self) {
        self.h_tau = self.h.clone();
        self.tau_widths = Widths::default();
        let Tuning { ridge, coarse, near_coarse, .. } = self.tuning;
        let Sample { history, fit } = &mut self.rest;
        if near_coarse {
            fit.restart(&minimise_in_ellipsoid(history, ridge, self.warm.fit.theta(), self.v.matrix(), coarse));
        } else {
            fit.minimise(history, Penalty { ridge, norm_bound: self.norm_bound }, None, GRADIENT_TOLERANCE);
        }
        self.switches += 1;
    }
}

impl Rule for RsGlincb {
    type Options = RsGlincbOptions;
    const INFO: &'static PolicyInfo = &INFO;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let norm_bound = problem.require_norm_bound(INFO.name)?;
        let horizon = options.horizon.ok_or(Error::Missing { field: "horizon", needed_by: INFO.name })?;
        let d = problem.dimension;
        let log_term = (horizon as f64 / problem.delta).logarithm();
        let tuning = Tuning::new(options.constants, d as f64, norm_bound, kappa(norm_bound)?, log_term);
        tuning.check()?;
        let identity = Precision::new(d, tuning.ridge);
        Ok(Self {
            tuning,
            norm_bound,
            warm: Sample::new(d)?,
            rest: Sample::new(d)?,
            v: identity.clone(),
            v_widths: Widths::default(),
            h: identity.clone(),
            h_tau: identity,
            tau_widths: Widths::default(),
            switches: 0,
            centre: Vec::new(),
            scratch: Vec::new(),
        })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.tuning.check()?;
        check_number("norm_bound", self.norm_bound, self.norm_bound > 0.0, "positive")?;
        self.warm.check("warm", dimension)?;
        self.rest.check("rest", dimension)?;
        check_count("switches", self.switches)?;
        for matrix in [&self.v, &self.h, &self.h_tau] {
            matrix.check(dimension)?;
        }
        self.v_widths.check(dimension)?;
        self.tau_widths.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        if let Some(arm) = self.thin(arms) {
            return Ok(Pick::bare(arm));
        }
        let Tuning { coarse, fine, coarse_share: share, .. } = self.tuning;
        let (theta_o, theta_tau) = (self.warm.fit.theta(), self.rest.fit.theta());
        let squares = self.v_widths.squares(&self.v, arms);
        let bounds = |k: usize, sign: f64| dot(arms.arm(k), theta_o) + sign * half_width(coarse, squares[k]);
        let least = (0..arms.len()).map(|k| bounds(k, -1.0)).fold(f64::NEG_INFINITY, f64::max);
        // The arm with the largest lower bound is never dropped, so that some arm is left.
        let fine_squares = self.tau_widths.squares(&self.h_tau, arms);
        let mut best = (0, f64::NEG_INFINITY);
        for (k, x) in arms.iter().enumerate() {
            let mean = share * dot(x, theta_o) + (1.0 - share) * dot(x, theta_tau);
            let value = mean + half_width(fine, fine_squares[k]);
            if value > best.1 && bounds(k, 1.0) >= least {
                best = (k, value);
            }
        }
        Ok(Pick::bare(best.0))
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        if self.is_thin(x) { self.learn_warm(x, reward) } else { self.learn_rest(x, reward) }
    }

    fn refresh(&mut self) {
        let share = self.tuning.coarse_share;
        self.centre.clear();
        let both = self.warm.fit.theta().iter().zip(self.rest.fit.theta());
        self.centre.extend(both.map(|(o, tau)| share * o + (1.0 - share) * tau));
    }

    fn estimate(&self) -> &[f64] {
        &self.centre
    }

    fn claim(&self) -> Claim {
        Claim::None { why: "its constants are those of experiments, or of a theorem about regret only" }
    }

    fn feature_bound(&self) -> f64 {
        FEATURE_BOUND
    }
}
