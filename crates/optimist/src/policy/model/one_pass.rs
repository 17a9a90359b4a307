//! What policies that look at each observation once promise.

use crate::set::guarantee::{MEAN, NORM, ONCE, ORDER, UNIT_ARMS};

/// What the sets of one-pass policies assume.
pub(in crate::policy) const ONE_PASS: &[&str] = &[MEAN, ONCE, ORDER, UNIT_ARMS, NORM];
