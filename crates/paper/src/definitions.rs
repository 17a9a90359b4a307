//! What kappa_*, kappa_X and the detrimental arms are, on the two arm sets of the paper's illustrations: a half ball,
//! which reaches the left of the logistic curve only, and the unit ball, which reaches both ends alike.

mod drawing;

pub use drawing::{draw_detrimental, draw_kappas};

use optimist::ArmSet;
use optimist::numerics::norm;

use optimist_lab::experiment::norm_of;
use optimist_lab::simulation::Instance;
use optimist_lab::{Error, Result};

/// The shape of the arm set, a part of the unit disc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arms {
    /// Its half on which x'theta* <= 0.
    HalfBall,
    /// All of it.
    Ball,
}

/// An arm set with its constants. theta* points along the first axis.
#[derive(Debug, Clone)]
pub struct Example {
    /// The arm set.
    pub arms: Arms,
    /// All that is computed from it and theta*.
    pub instance: Instance,
    /// The least x'theta*, at which the slope is 1/kappa_X.
    pub worst: f64,
    /// The share of the arm set's area that is detrimental.
    pub detrimental_share: f64,
}

/// Both arm sets for a theta* whose kappa_X is `kappa`.
///
/// # Errors
/// If kappa is not above 4 and finite: it is 4 for theta* = 0, which has no direction.
pub fn examples(kappa: f64) -> Result<[Example; 2]> {
    let length = norm_of(kappa);
    if !(length > 0.0 && length.is_finite()) {
        return Err(Error::input(format!("kappa = {kappa} must be a number above 4, the kappa of theta* = 0")));
    }
    let theta = [length, 0.0];
    Ok([
        Example::new(Arms::HalfBall, Instance::half_ball(&theta)),
        Example::new(Arms::Ball, Instance::new(&theta, &ArmSet::Ball { dimension: 2 })),
    ])
}

impl Example {
    fn new(arms: Arms, instance: Instance) -> Self {
        let length = norm(instance.theta());
        let whole = match arms {
            Arms::HalfBall => 0.5,
            Arms::Ball => 1.0,
        };
        let share = cap_share(instance.detrimental_below() / length) / whole;
        Self { arms, worst: -length, detrimental_share: share, instance }
    }

    /// The first coordinate from which on, to the left, arms are detrimental.
    pub fn detrimental_left_of(&self) -> f64 {
        self.instance.detrimental_below() / norm(self.instance.theta())
    }
}

/// The share of the unit disc's area that lies left of the line x_1 = `at`: a cap, since detrimental arms are those
/// with x'theta* below a number.
fn cap_share(at: f64) -> f64 {
    let height = (-at).clamp(-1.0, 1.0);
    (height.acos() - height * (1.0 - height * height).sqrt()) / std::f64::consts::PI
}
