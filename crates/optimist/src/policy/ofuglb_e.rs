//! `ofuglb-e`: the ellipsoid around the level set of `ofuglb`.

use serde::{Deserialize, Serialize};

use super::constants::{Constants, ConstantsOptions};
use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::rule::{Direction, Pick, Round, Rule};
use super::{Certify, Claim};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Error, Result};
use crate::numerics::{Ellipsoid, dot, norm};
use crate::plan::Answers;
use crate::problem::Problem;
use crate::set::{EnclosingEllipsoid, Ofuglb};

policy_info! {
    /// Encloses the level set of ofuglb in an ellipsoid around its estimate and plays the arm with the largest bound there,
    /// which has a closed form.
    ///
    /// ```text
    ///   theta_hat = argmin of L over ||theta|| <= S,   M = H(theta_hat) + lambda I,   B_t the excess of ofuglb
    ///   x_t = argmax over x of x'theta_hat + rho_t ||x||_{M^{-1}}
    ///   rho_t^2 = B_t/q(D) + 1,   q(D) = (e^{-D} - 1 + D)/D^2,   D = 2 S max_s ||x_s||,   lambda = 1/(4 S^2)
    /// ```
    ///
    /// constants = "published" has lambda = 1/(8 S^2 (1 + S)) and rho_t^2 = 2(1 + S)(1 + B_t), B_t being the published one
    /// of ofuglb, for arms in the unit ball. It is larger: 1/q(D) <= 2 + D, and 4 lambda S^2 <= 2(1 + S).
    ///
    /// Guarantee: theta* is in the ellipsoid, and in the ball ||theta|| <= S, at all times with probability 1 - delta, for
    /// rewards in [0, 1] with mean mu(x'theta*), ||theta*|| <= S and arms of any norm (in the unit ball with the published
    /// constants). By Taylor's formula and mu'(z + h) >= mu'(z) e^{-|h|}, L(theta) - L(theta_hat) >= q(D) ||theta -
    /// theta_hat||^2_H in the ball, and 4 lambda S^2 pays for the ridge. What a fit leaves of the gradient is added to B_t
    /// (ours; the published radius has room for it).
    ///
    /// The choice is by the ellipsoid alone, as in the paper. Bounds are never wider than those of the ball, -S||x|| and
    /// S||x||. On the ball and the sphere the arm is the direction of the ellipsoid's farthest point, which is the exact
    /// maximum.
    INFO {
        name: "ofuglb-e",
        family: Family::Optimism,
        summary: "optimism over an ellipsoid around the set of ofuglb: no solve for an arm",
        keeps_set: true,
        guarantee: "theta* in the set at all times, probability 1 - delta",
        guaranteed: true,
        planning: Planning::ClosedForm,
        cost: "2 passes of n d^2 + d^3 + K d^2",
        memory: "n d + d^2",
        arm_sets: ALL_ARMS,
        reference: "Lee, Yun, Jun 2024 (NeurIPS)",
        randomised: false,
        order: RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: true,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[OptionInfo { name: "constants", help: "\"ours\" or \"published\" (larger)" }],
        maker: PolicyMaker::of::<OfuglbE>(),
    }
}

/// Optimism over an ellipsoid.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OfuglbE {
    belief: Belief,
    norm_bound: f64,
    constants: Constants,
    /// A function of the belief: computed again when it is needed.
    #[serde(skip)]
    ellipsoid: Option<Box<EnclosingEllipsoid>>,
    /// Why it could not be computed.
    #[serde(skip)]
    failure: Option<Error>,
    /// Whether it is that of the belief as it stands.
    #[serde(skip)]
    current: bool,
}

impl OfuglbE {
    /// Brings the ellipsoid up to date, if there is one.
    fn enclose(&mut self) {
        if self.current {
            return;
        }
        let (source, d) = (self.belief.guarantee(), self.belief.dimension());
        let ellipsoid = self.ellipsoid.get_or_insert_with(|| Box::new(EnclosingEllipsoid::empty(d, &source)));
        let set = self.belief.set();
        self.failure = match self.constants {
            Constants::Ours => ellipsoid.enclose(&set).err(),
            Constants::Published => ellipsoid.enclose_as_published(&set).err(),
        };
        self.current = true;
    }

    /// The ellipsoid as of the last refresh.
    fn enclosed(&self) -> Result<Ellipsoid<'_>> {
        match (&self.failure, &self.ellipsoid) {
            (None, Some(ellipsoid)) => Ok(ellipsoid.view()),
            (failure, _) => Err(failure.clone().unwrap_or(Error::EmptySet)),
        }
    }

    /// The ellipsoid, brought up to date, and the norm bound.
    fn ellipsoid(&mut self) -> Result<(Ellipsoid<'_>, f64)> {
        self.enclose();
        Ok((self.enclosed()?, self.norm_bound))
    }
}

/// Bounds on x'theta over the ellipsoid and the ball, given the largest value over the ellipsoid.
fn interval(ellipsoid: Ellipsoid<'_>, norm_bound: f64, x: &[f64], largest: f64) -> (f64, f64) {
    let ball = norm_bound * norm(x);
    // The ellipsoid is symmetric about its centre.
    let least = 2.0 * dot(x, ellipsoid.centre) - largest;
    (least.max(-ball), largest.min(ball))
}

impl Rule for OfuglbE {
    type Options = ConstantsOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const CERTIFY: Certify = Certify::Own;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let radius = match options.constants {
            Constants::Ours => Ofuglb::new(problem)?,
            Constants::Published => Ofuglb::published(problem)?,
        };
        Ok(Self {
            belief: Belief::with_radius(radius.into())?,
            norm_bound: problem.require_norm_bound(INFO.name)?,
            constants: options.constants,
            ellipsoid: None,
            failure: None,
            current: false,
        })
    }

    fn check(&self, expected: usize) -> Result<()> {
        let (got, bound) = (self.belief.dimension(), self.belief.guarantee().norm_bound);
        if got != expected {
            return Err(Error::Dimension { field: "belief".into(), expected, got });
        }
        if bound == Some(self.norm_bound) {
            Ok(())
        } else {
            Err(Error::Missing { field: "norm_bound", needed_by: INFO.name })
        }
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        let (ellipsoid, norm_bound) = self.ellipsoid()?;
        let mut best = (0, f64::NEG_INFINITY);
        for (k, x) in arms.iter().enumerate() {
            let value = ellipsoid.support(x);
            if value > best.1 {
                best = (k, value);
            }
        }
        let (lower, upper) = interval(ellipsoid, norm_bound, arms.arm(best.0), best.1);
        Ok(Pick { arm: best.0, bounds: (Some(lower), Some(upper)) })
    }

    fn pick_direction(&mut self, _kind: ArmKind, _round: Round<'_>) -> Result<Direction> {
        let (ellipsoid, norm_bound) = self.ellipsoid()?;
        let direction = Direction::along(&ellipsoid.farthest());
        let upper = ellipsoid.support(&direction.features).min(norm_bound);
        Ok(Direction { bounds: (None, Some(upper)), ..direction })
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.belief.record(x, reward, 1);
        self.current = false;
    }

    fn refresh(&mut self) {
        self.belief.refresh();
        self.enclose();
    }

    fn estimate(&self) -> &[f64] {
        self.belief.current_estimate()
    }

    fn claim(&self) -> Claim {
        EnclosingEllipsoid::promise(&self.belief.guarantee()).into()
    }

    fn bounds(&self, x: &[f64], _answers: &mut Answers) -> Result<(f64, f64)> {
        let ellipsoid = self.enclosed()?;
        Ok(interval(ellipsoid, self.norm_bound, x, ellipsoid.support(x)))
    }

    fn contains(&self, theta: &[f64]) -> Result<bool> {
        Ok(norm(theta) <= self.norm_bound && self.enclosed()?.contains(theta))
    }

    fn feature_bound(&self) -> f64 {
        self.belief.feature_bound()
    }
}
