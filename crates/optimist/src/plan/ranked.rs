//! What waits in a best-first search.

use std::cmp::Ordering;

/// A part of the search space, ranked by an upper bound on what it can hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranked<T> {
    pub(super) bound: f64,
    pub(super) part: T,
}

impl<T> PartialEq for Ranked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Ranked<T> {}

impl<T> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Ranked<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound)
    }
}
