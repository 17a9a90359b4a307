//! `log-ucb-2`: upper confidence bounds that follow the slope of the link where the arm is.

use serde::{Deserialize, Serialize};

use super::Claim;
use super::info::{FINITE_ARMS, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::{Bonus, Deviation, ProjectionStatus, SLAB_TOLERANCE, ScoreSet, Slabs};
use super::rule::{Options, Pick, Round, Rule};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Result, check_number, check_vector};
use crate::link;
use crate::numerics::{dot, norm};
use crate::plan::Answers;
use crate::problem::Problem;

policy_info! {
    /// As log-ucb-1, but the bonus is the slope of the link at the arm times its width in the local Hessian, plus a term of
    /// second order. The centre must also explain every interval that the algorithm had when a reward came in, which is
    /// what removes kappa from the leading term of the regret.
    ///
    /// ```text
    ///   lambda_t, kappa, V, H(theta), r(theta), gamma_t as for log-ucb-1
    ///   W_t = { theta : lower_k <= x_k'theta <= upper_k for every arm x_k observed }
    ///   c = theta_hat if that is in the ball and in W_t, else argmin over both of ||r(theta)||_{H^{-1}(theta)}
    ///   x_t = argmax mu(x'c) + mu'(x'c) w_1(x) + M w_2(x)^2
    /// ```
    ///
    /// Guarantee: as for log-ucb-1, with W_t: on the same event, of probability 1 - delta, theta* is in the ball, in W_t,
    /// and has ||r(theta*)||_{H^{-1}(theta*)} <= gamma_t at all times. With rho = ||r(c)||_{H^{-1}(c)}, q = gamma_t + rho,
    /// D and G as there, u = ||c - theta*||_G <= sqrt(1 + D) q, and
    /// ```text
    ///   |x'(c - theta*)| <= sqrt(kappa) u ||x||_{V^{-1}} and, as H(c) <= (1 + D) G, also <= sqrt(1 + D) u ||x||_{H^{-1}(c)}.
    /// ```
    /// By Taylor |mu(x'theta*) - mu(x'c)| <= mu'(x'c)|x'(c - theta*)| + max|mu''|/2 |x'(c - theta*)|^2, where max|mu''| =
    /// 1/(6 sqrt 3).
    ///
    /// bonus = "refined": D = min(S + ||c||, what W_t allows, u/sqrt(lambda_t)), w_1 = w_2 = w = the lesser of the two
    /// bounds, M = 1/(12 sqrt 3), and w/4 where that is less, because mu' <= 1/4: while w is large that is log-ucb-1. bonus
    /// = "paper": D = 2S and rho = gamma_t, so that w_1 = (2 + 4S) gamma_t ||x||_{H^{-1}(c)}, w_2^2 = (4 + 8S) kappa
    /// gamma_t^2 ||x||^2_{V^{-1}} and M = 1/4. Both are proved.
    ///
    /// W_t: the interval of x, cut to [-S||x||, S||x||], is recorded when x is chosen, and intersected with those recorded
    /// before: two numbers a distinct arm. All intervals of the moments at which somebody looks hold on one event; those from
    /// the middle of a batch of rewards do not, and are never recorded. It is the algorithm's own interval x'c +- the lesser
    /// bound; the paper takes that of log-ucb-1.
    ///
    /// The projection is not convex. From the feasible point nearest the estimate, Newton-like steps go to a local minimum,
    /// each a quadratic model over ball and W_t, solved by an interior-point method. The guarantee needs a centre in the
    /// ball and nothing else: rho is computed at the centre found (the paper's gamma_t is replaced by it where it is
    /// larger), and D bounds the distance to theta* wherever the centre is. So a poor local minimum costs width, never
    /// validity. If no point of ball and W_t is found, which on the event of the guarantee is a matter of rounding, the
    /// centre is that of log-ucb-1. `projected` tells which it was.
    ///
    /// W_t binds late: its intervals are as wide as those of log-ucb-1, which for S = 4 takes some 10 000 plays of an arm.
    INFO {
        name: "log-ucb-2",
        family: Family::Index,
        summary: "estimate plus bonus in the local metric, kappa in a second-order term only (LogUCB2)",
        keeps_set: true,
        guarantee: "theta* in the set at all times, probability 1 - delta",
        guaranteed: true,
        planning: Planning::ClosedForm,
        cost: "2 passes of n d^2 + d^3 + (K + n) d^2; tens of passes more while the estimate is not feasible",
        memory: "n d + d^2",
        arm_sets: FINITE_ARMS,
        reference: "Faury, Abeille, Calauzenes, Fercoq 2020 (LogUCB2); Abeille, Faury, Calauzenes 2021 (gamma)",
        randomised: false,
        order: RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: true,
        unit_arms: true,
        required: &[],
        example: "{}",
        options: &[OptionInfo {
            name: "bonus",
            help: "\"refined\": with all that is known about the centre; \"paper\": for the worst centre",
        }],
        maker: PolicyMaker::of::<LogUcb2>(),
    }
}

/// max |mu''| / 2 = 1/(12 sqrt 3), rounded up.
const HALF_SKEW: f64 = 0.048_112_523;
/// What the paper puts in its place: max mu' >= max |mu''|.
const PAPER_SKEW: f64 = 0.25;

/// Options of `log-ucb-2`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogUcb2Options {
    /// How wide the bonus is.
    pub bonus: Bonus,
}

impl Options for LogUcb2Options {
    fn validate(&self) -> Result<()> {
        Ok(())
    }
}

/// LogUCB2.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LogUcb2 {
    score: ScoreSet,
    /// W_t.
    slabs: Slabs,
    /// The arm chosen last with its interval, if it has no row in the history yet.
    chosen: Option<(Vec<f64>, (f64, f64))>,
    options: LogUcb2Options,
}

/// Centre and matrices at hand.
#[derive(Clone, Copy)]
struct Local<'a> {
    centre: &'a [f64],
    deviation: Deviation,
    v_inverse: &'a [f64],
    h_inverse: &'a [f64],
    bonus: Bonus,
}

impl Local<'_> {
    /// The two bounds on |x'(c - theta*)|, by V and by H(c).
    fn widths(&self, x: &[f64]) -> (f64, f64) {
        (self.deviation.global_width(self.v_inverse, x), self.deviation.local_width(self.h_inverse, x))
    }

    /// mu(x'c) + bonus.
    fn index(&self, x: &[f64]) -> f64 {
        let z = dot(x, self.centre);
        let (global, local) = self.widths(x);
        let bonus = match self.bonus {
            Bonus::Refined => {
                let width = global.min(local);
                (link::variance(z) * width + HALF_SKEW * width * width).min(0.25 * width)
            }
            Bonus::Paper => link::variance(z) * local + PAPER_SKEW * global * global,
        };
        link::mean(z) + bonus
    }
}

impl LogUcb2 {
    /// How the centre was found, as of the last refresh.
    pub fn projected(&self) -> ProjectionStatus {
        self.score.status()
    }

    /// gamma_t, as of the last refresh.
    pub fn gamma(&self) -> f64 {
        self.score.gamma()
    }

    /// The bounds recorded for an arm.
    pub fn recorded(&self, x: &[f64]) -> Option<(f64, f64)> {
        self.score.belief().history().find(x).map(|row| self.slabs.get(row))
    }

    /// Makes the interval of a chosen arm part of all sets to come.
    ///
    /// Only when an arm is chosen: a set from the middle of a batch may be one that the order of its rewards has made, and
    /// must not become permanent (1,000 successes first and 1,000 failures after them would exclude theta* = 0 for good).
    fn record(&mut self, x: &[f64], interval: (f64, f64)) {
        match self.score.belief().history().find(x) {
            Some(row) => self.slabs.tighten(row, interval),
            None => self.chosen = Some((x.to_vec(), interval)),
        }
    }

    /// Centre and matrices as of the last refresh.
    fn local(&self) -> Local<'_> {
        let (centre, deviation, v_inverse, h_inverse) = self.score.parts();
        Local { centre, deviation, v_inverse, h_inverse, bonus: self.options.bonus }
    }

    /// The interval of the log-odds by the set at hand, in the ball.
    fn interval(&self, x: &[f64]) -> (f64, f64) {
        let most = self.score.norm_bound() * norm(x);
        let local = self.local();
        let (z, (global, by_hessian)) = (dot(x, local.centre), local.widths(x));
        let width = global.min(by_hessian);
        ((z - width).max(-most), (z + width).min(most))
    }
}

impl Rule for LogUcb2 {
    type Options = LogUcb2Options;
    const INFO: &'static PolicyInfo = &INFO;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let score = ScoreSet::new(problem, options.bonus, INFO.name)?;
        Ok(Self { score, slabs: Slabs::default(), chosen: None, options: options.clone() })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.score.check(dimension)?;
        if let Some((chosen, (lower, upper))) = &self.chosen {
            check_vector("chosen", chosen, dimension)?;
            check_number("chosen.lower", *lower, true, "a number")?;
            check_number("chosen.upper", *upper, true, "a number")?;
        }
        self.slabs.check(self.score.belief().history().rows())
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        self.score.refresh(Some(&self.slabs));
        let local = self.local();
        let mut best = (0, f64::NEG_INFINITY);
        for (k, x) in arms.iter().enumerate() {
            let value = local.index(x);
            if value > best.1 {
                best = (k, value);
            }
        }
        let (lower, upper) = self.interval(arms.arm(best.0));
        self.record(arms.arm(best.0), (lower, upper));
        Ok(Pick { arm: best.0, bounds: (Some(lower), Some(upper)) })
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.score.learn(x, reward);
        // A row begins with what the ball allows, or with what was known when its arm was chosen.
        let most = self.score.norm_bound() * norm(x);
        let chosen = self.chosen.take_if(|(chosen, _)| chosen == x);
        self.record(x, chosen.map_or((-most, most), |(_, interval)| interval));
    }

    fn refresh(&mut self) {
        self.score.refresh(Some(&self.slabs));
    }

    fn estimate(&self) -> &[f64] {
        self.score.centre()
    }

    fn claim(&self) -> Claim {
        Claim::Holds(self.score.guarantee(INFO.name))
    }

    fn bounds(&self, x: &[f64], _answers: &mut Answers) -> Result<(f64, f64)> {
        let (mut lower, mut upper) = self.interval(x);
        if let Some((low, high)) = self.recorded(x) {
            (lower, upper) = (lower.max(low), upper.min(high));
        }
        Ok((lower, upper))
    }

    fn contains(&self, theta: &[f64]) -> Result<bool> {
        let slack = SLAB_TOLERANCE * self.score.norm_bound();
        let history = self.score.belief().history();
        let admissible = self.slabs.contain(history, theta, &mut vec![0.0; theta.len()], slack);
        Ok(admissible && self.score.contains(theta))
    }

    fn belief(&self) -> Option<&Belief> {
        Some(self.score.belief())
    }

    fn belief_mut(&mut self) -> Option<&mut Belief> {
        Some(self.score.belief_mut())
    }

    fn feature_bound(&self) -> f64 {
        1.0
    }
}
