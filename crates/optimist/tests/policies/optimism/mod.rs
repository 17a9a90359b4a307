//! Optimism over confidence sets: every such policy against a slow computation of its set, in the plane.

mod decrement;
mod ellipsoid;
mod level_sets;
mod sets;
mod slow;
