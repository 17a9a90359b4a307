//! Arms with parameters of their own.

use std::ops::Range;

use optimist::numerics::norm;
use serde::{Deserialize, Serialize};

/// K arms, each of which meets p parameters that all share and q of its own.
///
/// **Parameters.** theta* = (theta_s, theta_1, ..., theta_K) has p + K q of them. If its norm N is stated, directly or by
/// kappa, it is that of what any one arm meets: ||theta_s|| = N sqrt(p/(p+q)) and ||theta_k|| = N sqrt(q/(p+q)), so that
/// ||(theta_s, theta_k)|| = N; all directions are independent and uniform. All parameters then have the same mean square.
///
/// **Features.** Every round draws for every arm shared features s, uniform on the sphere of radius sqrt(p/(p+q)), and own
/// features u, uniform on the sphere of radius sqrt(q/(p+q)): so ||(s, u)|| = 1, the log-odds s'theta_s + u'theta_k are
/// between -N and N, and their variance is N^2/(p+q), as if (s, u) were uniform on the unit sphere. With p = 0 the arms
/// have nothing in common (disjoint models).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hybrid {
    /// K, how many arms there are.
    pub count: usize,
    /// p, how many features meet parameters that all arms share.
    pub shared: usize,
    /// q, how many features meet parameters of the arm alone.
    pub own: usize,
    /// Whose own features are drawn.
    pub context: Context,
    /// Whether policies are given dense rows of p + K q numbers, most of them zero, instead of hybrid arms.
    pub written_out: bool,
}

/// Whose own features are drawn in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Context {
    /// One context that all arms see.
    #[default]
    Common,
    /// Every arm's, independently.
    Each,
}

impl Hybrid {
    /// p + q, the features of an arm.
    pub(crate) fn features(&self) -> usize {
        self.shared + self.own
    }

    /// p + K q, the parameters of all arms.
    pub(crate) fn parameters(&self) -> usize {
        self.shared.saturating_add(self.count.saturating_mul(self.own))
    }

    /// The features of an arm as policies are given them.
    pub fn dimension(&self) -> usize {
        if self.written_out { self.parameters() } else { self.features() }
    }

    /// Where the parameters of arm `k` alone are.
    pub(crate) fn place_of(&self, k: usize) -> Range<usize> {
        let from = self.shared + k * self.own;
        from..from + self.own
    }

    /// The largest norm of what one arm meets.
    pub(crate) fn largest_norm(&self, theta: &[f64]) -> f64 {
        let shared = norm(&theta[..self.shared]);
        (0..self.count).map(|k| shared.hypot(norm(&theta[self.place_of(k)]))).fold(0.0, f64::max)
    }
}
