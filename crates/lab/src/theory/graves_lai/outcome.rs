//! What comes out of the Graves-Lai programme.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The smallest regret per log T, bounded from both sides, and the plays that reach the upper bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GravesLai {
    /// No consistent policy has less regret per log T; certified by weights on alternatives.
    pub lower: f64,
    /// The regret per log T of `plays`, which rule out every alternative.
    pub upper: f64,
    /// The arms to be explored, and how often each per log T. The best arms are not among them: they cost nothing.
    pub plays: Vec<(usize, f64)>,
    /// What the constant would be if arms told nothing of each other: sum of gap/kl(z, z*) (Lai, Robbins 1985).
    pub lai_robbins: f64,
    /// Arms that could be best for all that playing the best arms tells.
    pub rivals: usize,
    /// Linear programmes solved.
    pub iterations: usize,
    /// How it ended.
    pub status: Status,
}

impl GravesLai {
    /// The constant: the upper bound, which belongs to plays that suffice.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.upper
    }

    /// How far the bounds are apart, relative to the upper one.
    #[must_use]
    pub fn relative_gap(&self) -> f64 {
        if self.upper > 0.0 { (self.upper - self.lower) / self.upper } else { 0.0 }
    }
}

/// How the computation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Status {
    /// The bounds agree to one part in a million.
    Converged,
    /// The bounds hold but are further apart.
    Stopped,
    /// Zero: every arm is best, so that nobody can have regret.
    AllBest,
    /// Zero: playing the best arms, whose features span those of all others, tells all there is to know.
    AllSpanned,
    /// Zero: within the norm bound, no arm can be better than the best arms without these showing it.
    OutOfReach,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Converged => "lower and upper bound agree to 1e-6",
            Status::Stopped => "stopped before lower and upper bound agreed to 1e-6; both hold",
            Status::AllBest => "zero, because every arm is best",
            Status::AllSpanned => "zero, because the best arms span all others: playing them tells everything",
            Status::OutOfReach => {
                "zero, because within the norm bound no other arm can be best unless the best arms show it"
            }
        })
    }
}
