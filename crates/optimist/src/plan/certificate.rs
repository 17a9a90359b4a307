//! What is known of an arm from earlier rounds, and how it is moved to the present one.

use serde::{Deserialize, Serialize};

use crate::error::{Result, check_vector};

/// An upper bound on an arm's value that is linear in the level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Certificate {
    /// ||x||.
    pub(super) norm: f64,
    pub(super) bound: f64,
    /// The level at which `bound` was computed, and its derivative in the level.
    pub(super) level: f64,
    pub(super) slope: f64,
    /// The floor's total ([`super::floor`]) when the epoch ended in which the bound was computed; infinite until it ends.
    pub(super) floor: f64,
    /// The bound on ||theta|| that `bound` relies on.
    pub(super) reach: f64,
}

impl Certificate {
    pub(super) fn unknown(norm: f64) -> Self {
        Self { norm, bound: f64::INFINITY, level: 0.0, slope: 0.0, floor: f64::INFINITY, reach: 0.0 }
    }

    /// The bound at another level, when the floor has risen to `total`. A certificate bounds x'theta within the reach it
    /// was made for: where the ridge and not the norm bound sets the reach, that grows with the level, and it lapses.
    #[inline(always)]
    pub(super) fn at(&self, level: f64, total: f64, reach: f64) -> f64 {
        // A zero arm in an unbounded set has value zero, not infinity times zero.
        let trivial = if self.norm == 0.0 { 0.0 } else { reach * self.norm };
        let credit = (total - self.floor).max(0.0);
        let moved = self.bound + (level - self.level - credit) * self.slope;
        if reach > self.reach { trivial } else { moved.min(trivial) }
    }

    /// At the end of an epoch: from now on the floor counts.
    pub(super) fn settle(&mut self, total: f64) {
        self.floor = self.floor.min(total);
    }
}

/// The multipliers at the maximiser of an arm's last solve or look: with it, where the next one starts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Start {
    pub(super) level_multiplier: f64,
    pub(super) norm_multiplier: f64,
    pub(super) known: bool,
}

/// Certificate and start of an arm without infinities, which documents do not know.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredCertificate {
    norm: f64,
    bound: Option<f64>,
    level: f64,
    slope: f64,
    floor: Option<f64>,
    reach: Option<f64>,
    multipliers: [f64; 2],
    solved: bool,
}

impl StoredCertificate {
    pub(super) fn of(certificate: &Certificate, start: &Start) -> Self {
        let finite = |v: f64| v.is_finite().then_some(v);
        let multipliers = [start.level_multiplier, start.norm_multiplier];
        let sound = [multipliers[0], multipliers[1], certificate.slope].iter().all(|v| v.is_finite());
        let c = if sound { *certificate } else { Certificate::unknown(certificate.norm) };
        Self {
            norm: c.norm,
            bound: finite(c.bound),
            level: c.level,
            slope: c.slope,
            floor: finite(c.floor),
            reach: finite(c.reach),
            multipliers: if sound { multipliers } else { [0.0; 2] },
            solved: sound && start.known,
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        let Self { norm, bound, level, slope, floor, reach, multipliers: [first, second], .. } = *self;
        let or_zero = |v: Option<f64>| v.unwrap_or(0.0);
        let numbers = [norm, or_zero(bound), level, slope, or_zero(floor), or_zero(reach), first, second];
        check_vector("planner.certificate", &numbers, numbers.len())
    }

    pub(super) fn certificate(&self) -> Certificate {
        Certificate {
            norm: self.norm,
            bound: self.bound.unwrap_or(f64::INFINITY),
            level: self.level,
            slope: self.slope,
            floor: self.floor.unwrap_or(f64::INFINITY),
            reach: self.reach.unwrap_or(f64::INFINITY),
        }
    }

    pub(super) fn start(&self) -> Start {
        let [level_multiplier, norm_multiplier] = self.multipliers;
        Start { level_multiplier, norm_multiplier, known: self.solved }
    }
}
