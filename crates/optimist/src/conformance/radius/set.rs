//! The set: its shape, its level, and how often it holds the truth.

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::super::coverage::{largest_share, radius_misses};
use super::{belief, observations, problem, variants};
use crate::numerics::norm;
use crate::set::{LevelSet, Radius, RadiusInfo};
use crate::{Belief, Generator, generator};

pub(super) fn the_set_contains_its_centre_and_is_convex(info: &'static RadiusInfo) {
    let mut rng = generator(15);
    for d in [1, 2, 5] {
        let data = observations(d, 200, 15);
        for radius in variants(info, d) {
            let mut belief = belief(radius, &data);
            let estimate = belief.estimate().to_vec();
            let set = belief.set();
            assert!(!set.is_empty() && set.contains(set.centre()), "it does not contain its centre");
            assert!(norm(&estimate) > set.norm_bound() || set.contains(&estimate), "it misses its estimate");
            let members = members(&set, &mut rng);
            assert!(members.len() > 20 && members.len() < 400, "{} of 400 points are members", members.len());
            check_convexity(&set, &members, &mut rng);
        }
    }
}

/// Points from the centre outwards, to meet the boundary whatever the size of the set.
fn members(set: &LevelSet<'_>, rng: &mut Generator) -> Vec<Vec<f64>> {
    let mut members = vec![set.centre().to_vec()];
    for _ in 0..400 {
        let length = 10f64.powf(rng.random_range(-3.0..1.5));
        let mut step = || -> f64 { StandardNormal.sample(rng) };
        let theta: Vec<f64> = set.centre().iter().map(|c| c + length * step()).collect();
        if set.contains(&theta) {
            members.push(theta);
        }
    }
    members
}

fn check_convexity(set: &LevelSet<'_>, members: &[Vec<f64>], rng: &mut Generator) {
    for _ in 0..400 {
        let (a, b) = (rng.random_range(0..members.len()), rng.random_range(0..members.len()));
        let v = rng.random_range(0.0..1.0);
        let between: Vec<f64> = members[a].iter().zip(&members[b]).map(|(p, q)| p + v * (q - p)).collect();
        // A point on a chord of a sphere may be outside by its rounding.
        let shrunk: Vec<f64> = between.iter().map(|t| t * (1.0 - 1e-15)).collect();
        assert!(set.contains(&between) || set.contains(&shrunk), "it is not convex");
    }
}

pub(super) fn the_ridge_never_decreases(info: &'static RadiusInfo) {
    for radius in variants(info, 2) {
        let ridges: Vec<f64> = (0..200).map(|n| radius.strategy().ridge(f64::from(n))).collect();
        assert!(ridges.iter().all(|ridge| *ridge >= 0.0 && ridge.is_finite()), "{ridges:?}");
        assert!(ridges.is_sorted(), "{ridges:?}");
    }
}

pub(super) fn one_sided_and_fractional_rewards(info: &'static RadiusInfo) {
    for radius in variants(info, 2) {
        for reward in [0.0, 0.25, 1.0] {
            let mut belief = Belief::with_radius(radius.clone()).unwrap();
            for (x, _) in observations(2, 60, 17) {
                belief.observe_many(&x, reward, 3).unwrap();
                let set = belief.set();
                assert!(set.level().is_finite() && !set.is_empty(), "all rewards {reward}: level {}", set.level());
            }
        }
    }
}

/// A promise of 95% must hold in 95 runs of a hundred, up to chance; a truth on the border of the ball is the hardest.
pub(super) fn the_truth_stays_in_the_set(info: &'static RadiusInfo) {
    const RUNS: usize = 400;
    if !info.guaranteed {
        return;
    }
    for norm_bound in [Some(3.0), None].into_iter().take(if info.needs_norm_bound { 1 } else { 2 }) {
        let radius = Radius::by_name(info.name, &problem(2, norm_bound)).unwrap();
        for length in [0.5, 3.0 * (1.0 - 1e-12)] {
            let share = radius_misses(&radius, length, RUNS, 60);
            assert!(share <= largest_share(0.05, RUNS), "the truth left the set in a share of {share} of all runs");
        }
    }
}
