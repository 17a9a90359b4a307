//! Instances with a long transitory phase: most arms lie in the far left tail of the logistic curve, where a failure says
//! little, while the best arm is at its middle. kappa_* is 4 or nearly so, and kappa_X as large as one likes.

use std::f64::consts::FRAC_1_SQRT_2;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use optimist_lab::experiment::{Arms, Drift, Environment, Feedback, List, NormBound, Redraw, Rewards, Shape, Truth};

/// Features of the arms among which one is hidden.
pub const HIDDEN_DIMENSION: usize = 9;
/// How many arms there are where one is hidden.
pub const HIDDEN_ARMS: usize = 112;
/// Features of the arms of a half ball.
pub const HALF_BALL_DIMENSION: usize = 4;
/// How many arms are drawn from a half ball.
pub const HALF_BALL_ARMS: usize = 200;

/// One good arm hidden among bad ones, in the spirit of Dong, Ma and Van Roy (2019).
///
/// Arms are (e_0 + u_i)/sqrt(2), and theta* = S (-e_0 + u_j)/sqrt(2). The u_i are all vectors (a e_k + b e_l)/sqrt(2) with
/// a and b plus or minus one and 1 <= k < l <= 8, the shortest of the lattice D8: no two of them have a cosine above 1/2.
/// So arm j has log-odds zero, every other one S (cos(u_i, u_j) - 1)/2, which is -S/4 for 24 of them, -S/2 for 62, -3S/4
/// for 24 and -S for the one with u_i = -u_j; and ||theta*|| = S. That one bad arm fails says almost nothing of the
/// others.
///
/// `seed` fixes the order of the arms and which of them is good, so that no policy finds it because of its place.
pub fn hidden_arm(norm: f64, seed: u64) -> Environment {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut list = arms();
    list.shuffle(&mut rng);
    let good = &list[rng.random_range(0..list.len())];
    let mut theta: Vec<f64> = good.iter().map(|v| norm * v).collect();
    // A log-odds that rounding lifts above zero would change what counts as detrimental.
    theta[0] *= -(1.0 + 8.0 * f64::EPSILON);
    Environment {
        label: None,
        dimension: HIDDEN_DIMENSION,
        arms: Arms::List(List::new(Some(format!("hidden-arm-{seed}")), list)),
        truth: Truth::Theta(theta),
        norm_bound: NormBound::Exact,
        feedback: Feedback::default(),
        drift: Drift::None,
        rewards: Rewards::default(),
    }
}

/// (e_0 + u)/sqrt(2) for every u.
fn arms() -> Vec<Vec<f64>> {
    let mut arms = Vec::with_capacity(HIDDEN_ARMS);
    for k in 1..HIDDEN_DIMENSION {
        for l in k + 1..HIDDEN_DIMENSION {
            for (a, b) in [(0.5, 0.5), (0.5, -0.5), (-0.5, 0.5), (-0.5, -0.5)] {
                let mut arm = vec![0.0; HIDDEN_DIMENSION];
                (arm[0], arm[k], arm[l]) = (FRAC_1_SQRT_2, a, b);
                arms.push(arm);
            }
        }
    }
    arms
}

/// 200 arms of four features, drawn for every run from the half of the ball on which x'theta* <= 0: the best has log-odds
/// just below zero, and the others reach down to nearly -S.
pub fn half_ball(norm: f64) -> Environment {
    Environment {
        label: None,
        dimension: HALF_BALL_DIMENSION,
        arms: Arms::Drawn { shape: Shape::HalfBall, count: HALF_BALL_ARMS, redraw: Redraw::Run },
        truth: Truth::ThetaNorm(norm),
        norm_bound: NormBound::Exact,
        feedback: Feedback::default(),
        drift: Drift::None,
        rewards: Rewards::default(),
    }
}
