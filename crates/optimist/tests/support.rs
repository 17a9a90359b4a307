//! The support function: brute force in two dimensions, multipliers, stale certificates, and the special cases.

use crate::common::checks::{self, dot, norm};
use optimist::Problem;
use optimist::plan::{Support, SupportSolver, SupportStatus, Target};
use optimist::set::{Excess, LevelSet, Radius};
use optimist::{Belief, Error, History, link};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn excess(dimension: usize, excess: f64, ridge: f64, norm_bound: Option<f64>) -> Belief {
    let options = Problem { dimension, delta: 0.05, norm_bound };
    Belief::with_radius(Radius::from(Excess::new(excess, ridge, &options).unwrap())).unwrap()
}

/// Observations around a true parameter, in the disk.
fn play(belief: &mut Belief, seed: u64, n: usize, truth: [f64; 2]) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..n {
        let (angle, radius) = (rng.random_range(0.0..std::f64::consts::TAU), rng.random::<f64>().sqrt());
        let x = [radius * angle.cos(), radius * angle.sin()];
        let reward = f64::from(rng.random_bool(link::mean(dot(&x, &truth))));
        belief.observe(&x, reward).unwrap();
    }
}

fn solve(set: &LevelSet<'_>, x: &[f64]) -> (Support, Vec<f64>) {
    let mut solver = SupportSolver::new(x.len());
    let support = solver.solve(set, x, Target::exact(1e-11)).unwrap();
    (support, solver.maximiser().to_vec())
}

/// The largest x'theta over boundary points in many directions from the centre, found by bisection.
fn brute_force(set: &LevelSet<'_>, x: &[f64]) -> f64 {
    let rows = checks::rows(set.history());
    let inside =
        |theta: &[f64; 2]| norm(theta) <= set.norm_bound() && checks::loss_of(&rows, set.ridge(), theta) <= set.level();
    let at = |angle: f64| {
        let point = |r: f64| [set.centre()[0] + r * angle.cos(), set.centre()[1] + r * angle.sin()];
        let (mut low, mut high) = (0.0, 1e3);
        for _ in 0..45 {
            let middle = 0.5 * (low + high);
            if inside(&point(middle)) { low = middle } else { high = middle }
        }
        dot(x, &point(low))
    };
    // A coarse search over all angles and a fine one around the best.
    let mut centre = 0.0;
    let mut width = std::f64::consts::PI;
    let mut best = f64::NEG_INFINITY;
    for _ in 0..7 {
        let angles: Vec<f64> = (-60..=60).map(|i| centre + width * f64::from(i) / 60.0).collect();
        for angle in angles {
            let value = at(angle);
            if value > best {
                (best, centre) = (value, angle);
            }
        }
        width /= 20.0;
    }
    best
}

#[test]
fn brute_force_agrees_in_every_active_case() {
    let mut seen = std::collections::HashMap::new();
    for (seed, belief) in [
        excess(2, 1.0, 0.0, Some(1.5)),
        excess(2, 0.3, 0.0, Some(4.0)),
        excess(2, 3.0, 0.5, None),
        excess(2, 0.1, 1.0, Some(0.8)),
        excess(2, 20.0, 0.0, Some(1.0)),
        excess(2, 2.0, 0.0, None),
        Belief::new(2, Some(3.0), 0.05).unwrap(),
        Belief::new(2, Some(1.2), 0.05).unwrap(),
    ]
    .into_iter()
    .enumerate()
    {
        let mut belief = belief;
        play(&mut belief, seed as u64, 150, [1.0, -0.7]);
        let set = belief.set();
        for x in [[1.0, 0.0], [-1.0, 0.0], [0.3, 0.9], [-0.2, -0.1], [0.6, -0.8]] {
            let (support, maximiser) = solve(&set, &x);
            let brute = brute_force(&set, &x);
            let size = norm(&x) * norm(&maximiser);
            assert!((support.value - brute).abs() <= 1e-8 * size, "{seed} {x:?}: {support:?} but {brute}");
            assert!(support.upper_bound >= brute - 1e-10 * size, "{seed} {x:?}: {support:?} but {brute}");
            assert!(checks::infeasibility(&set, &maximiser) <= 1e-12);
            *seen.entry(support.status).or_insert(0) += 1;
        }
    }
    for status in [SupportStatus::Corner, SupportStatus::Level, SupportStatus::Both] {
        assert!(seen.get(&status).is_some_and(|n| *n >= 4), "{seen:?}");
    }
}

#[test]
fn multipliers_are_derivatives() {
    let mut checked = [0; 3];
    for seed in 0..12 {
        let mut belief = excess(2, 0.5, 0.0, Some(1.0 + 0.05 * seed as f64));
        play(&mut belief, seed, 60, [1.0, -0.7]);
        let set = belief.set();
        let mut at = optimist::loss::Evaluation::new(2);
        optimist::loss::evaluate(set.history(), set.centre(), optimist::loss::Order::Hessian, &mut at);
        let value = |level: f64, bound: f64| {
            let moved = LevelSet::new(set.history(), set.ridge(), level, bound, set.centre(), &at);
            solve(&moved, &[0.4, -1.0]).0.value
        };
        let (level, bound) = (set.level(), set.norm_bound());
        let (support, _) = solve(&set, &[0.4, -1.0]);
        // The centre may lie on the sphere: the bound must not shrink below it.
        let h = 1e-5;
        let by_level = (value(level + h, bound) - value(level - h, bound)) / (2.0 * h);
        let by_bound =
            (4.0 * value(level, bound + h) - value(level, bound + 2.0 * h) - 3.0 * support.value) / (2.0 * h);
        assert!(
            (by_level - support.level_multiplier).abs() <= 1e-5 * by_level.abs().max(0.1),
            "{support:?} {by_level}"
        );
        let claimed = support.norm_multiplier * bound;
        assert!((by_bound - claimed).abs() <= 1e-4 * by_bound.abs().max(0.1), "{support:?}: {claimed} but {by_bound}");
        checked[match support.status {
            SupportStatus::Level => 0,
            SupportStatus::Both => 1,
            _ => 2,
        }] += 1;
    }
    assert!(checked[0] >= 2 && checked[1] >= 2, "{checked:?}");
}

#[test]
fn a_corner_has_the_multiplier_of_the_ball_alone() {
    let mut belief = excess(2, 1e3, 0.0, Some(2.0));
    play(&mut belief, 3, 20, [1.0, 0.0]);
    let (support, maximiser) = solve(&belief.set(), &[3.0, 4.0]);
    assert_eq!(support.status, SupportStatus::Corner);
    assert!((support.value - 10.0).abs() <= 1e-14 * 10.0);
    assert_eq!(support.upper_bound, support.value);
    assert_eq!((support.level_multiplier, support.norm_multiplier), (0.0, 2.5));
    assert!((maximiser[0] - 1.2).abs() <= 1e-15 && (maximiser[1] - 1.6).abs() <= 1e-15);
}

/// A certificate is linear in the level, and losses only grow with the data: moved to a later level, an old upper bound
/// still holds.
#[test]
fn stale_certificates_stay_valid() {
    for (seed, bound) in [(1, Some(3.0)), (2, Some(1.0)), (3, None)] {
        let mut belief = Belief::new(3, bound, 0.05).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let arms: Vec<[f64; 3]> = (0..8).map(|_| std::array::from_fn(|_| rng.random_range(-0.57..0.57))).collect();
        let mut stale: Vec<(usize, f64, Support)> = Vec::new();
        let mut compared = 0;
        for round in 0..60 {
            let x = arms[rng.random_range(0..arms.len())];
            belief.observe(&x, f64::from(rng.random_bool(link::mean(2.0 * x[0] - x[1])))).unwrap();
            let set = belief.set();
            let fresh: Vec<Support> = arms.iter().map(|x| solve(&set, x).0).collect();
            for (arm, level, old) in stale.iter().filter(|(_, _, old)| old.upper_bound.is_finite()) {
                let moved = old.upper_bound + (set.level() - level) * old.level_multiplier;
                let value = fresh[*arm].value;
                assert!(moved >= value - 1e-9 * value.abs().max(1.0), "round {round}: {moved} below {value}");
                compared += 1;
            }
            if round % 6 == 0 {
                stale.extend(fresh.iter().enumerate().map(|(arm, support)| (arm, set.level(), *support)));
            }
        }
        assert!(compared > 500);
    }
}

#[test]
fn the_zero_direction_needs_no_search() {
    let mut belief = excess(2, 1.0, 0.0, Some(1.0));
    play(&mut belief, 1, 10, [1.0, 0.0]);
    let set = belief.set();
    let (support, maximiser) = solve(&set, &[0.0, -0.0]);
    assert_eq!((support.value, support.upper_bound, support.passes), (0.0, 0.0, 0));
    assert_eq!(support.status, SupportStatus::ZeroDirection);
    assert!(set.contains(&maximiser));
}

#[test]
fn bad_directions_are_refused() {
    let mut belief = excess(2, 1.0, 0.0, Some(1.0));
    let mut solver = SupportSolver::new(2);
    let set = belief.set();
    let mut ask = |x: &[f64]| solver.solve(&set, x, Target::exact(1e-8)).unwrap_err();
    assert_eq!(ask(&[1.0]), Error::Dimension { field: "x".into(), expected: 2, got: 1 });
    assert_eq!(ask(&[f64::INFINITY, 0.0]), Error::NotFinite { field: "x[0]".into(), value: f64::INFINITY });
    assert!(matches!(ask(&[0.0, f64::NAN]), Error::NotFinite { field, .. } if field == "x[1]"));
}

#[test]
fn an_empty_set_is_reported_with_its_centre() {
    // A truth far outside the ball, and data enough to know.
    let mut belief = Belief::new(2, Some(0.5), 0.05).unwrap();
    play(&mut belief, 5, 3000, [8.0, 0.0]);
    let set = belief.set();
    assert!(set.is_empty());
    for x in [[1.0, 0.0], [0.0, 0.0]] {
        let (support, maximiser) = solve(&set, &x);
        assert_eq!(support.status, SupportStatus::Empty);
        assert_eq!((support.value, support.upper_bound), (dot(&x, set.centre()), support.value));
        assert_eq!(maximiser, set.centre());
        assert!(checks::verify(&set, &x, &support, &maximiser).failures.is_empty());
    }
}

#[test]
fn without_data_a_set_is_its_ball_or_everything() {
    let (support, _) = solve(&excess(3, 1.0, 0.0, Some(2.0)).set(), &[0.0, 3.0, 4.0]);
    assert_eq!((support.status, support.value), (SupportStatus::Corner, 10.0));
    let (support, _) = solve(&excess(3, 1.0, 0.0, None).set(), &[0.0, 3.0, 4.0]);
    assert_eq!((support.status, support.value), (SupportStatus::Unbounded, f64::INFINITY));
    // A ridge alone: (ridge/2)||theta||^2 <= excess.
    let (support, _) = solve(&excess(3, 1.0, 0.5, None).set(), &[0.0, 3.0, 4.0]);
    assert!((support.value - 10.0).abs() <= 1e-8, "{support:?}");
}

/// log-odds z >= 0 at which n softplus(z) - p z meets the level.
fn crossing(n: f64, p: f64, level: f64) -> f64 {
    let loss = |z: f64| n * link::softplus(z) - p * z;
    let (mut low, mut high) = (link::log_odds(p / n), 1e6);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if loss(middle) <= level { low = middle } else { high = middle }
    }
    low
}

#[test]
fn a_maximum_that_is_only_approached_is_found() {
    // Arm A only succeeded, so that its share of the loss vanishes far out; arm B is mixed.
    let mut belief = excess(2, 1.0, 0.0, None);
    belief.observe_many(&[1.0, 0.0], 1.0, 10).unwrap();
    belief.observe_many(&[0.0, 1.0], 0.25, 8).unwrap();
    let set = belief.set();
    let expected = crossing(8.0, 2.0, set.level());
    for (target, allowed) in [(1e-6, 1e-6), (1e-8, 1e-8)] {
        let mut solver = SupportSolver::new(2);
        let support = solver.solve(&set, &[0.0, 1.0], Target::exact(target)).unwrap();
        assert_eq!(support.status, SupportStatus::Level, "{support:?}");
        assert!(support.value <= expected + 1e-12 && support.value >= expected - allowed, "{support:?} {expected}");
        assert!(support.upper_bound >= expected - 1e-12 && support.gap() <= allowed, "{support:?} {expected}");
        assert!(checks::infeasibility(&set, solver.maximiser()) <= 1e-12);
    }
}

#[test]
fn unbounded_directions_are_told_from_bounded_ones() {
    let mut belief = excess(3, 1.0, 0.0, None);
    belief.observe_many(&[1.0, 0.0, 0.0], 1.0, 10).unwrap();
    belief.observe_many(&[0.0, 1.0, 0.0], 0.25, 8).unwrap();
    let set = belief.set();
    // The arm that always succeeded, anything never played, and both together with what is known.
    for x in [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, -3.0, 0.0], [0.0, 5.0, 1e-6]] {
        let (support, maximiser) = solve(&set, &x);
        assert_eq!(support.status, SupportStatus::Unbounded, "{x:?}: {support:?}");
        let verdict = checks::verify(&set, &x, &support, &maximiser);
        assert!(verdict.failures.is_empty(), "{x:?}: {:?}", verdict.failures);
    }
    for x in [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [-1.0, 2.0, 0.0]] {
        let mut solver = SupportSolver::new(3);
        let support = solver.solve(&set, &x, Target::exact(1e-8)).unwrap();
        assert_eq!(support.status, SupportStatus::Level, "{x:?}: {support:?}");
        let verdict = checks::verify(&set, &x, &support, solver.maximiser());
        assert!(verdict.failures.is_empty(), "{x:?}: {:?}", verdict.failures);
    }
}

#[test]
fn a_cutoff_stops_the_search_with_a_valid_bound() {
    let mut belief = Belief::new(2, Some(3.0), 0.05).unwrap();
    play(&mut belief, 8, 300, [1.0, -0.7]);
    let set = belief.set();
    let x = [0.6, 0.8];
    let (exact, _) = solve(&set, &x);
    let mut solver = SupportSolver::new(2);
    let cut = solver.solve(&set, &x, Target { tolerance: 1e-11, cutoff: exact.value + 0.5 }).unwrap();
    assert_eq!(cut.status, SupportStatus::Cut);
    assert!(cut.upper_bound < exact.value + 0.5 && cut.upper_bound >= exact.value && cut.passes <= exact.passes);
    // A cutoff below the maximum must not stop it.
    let high = solver.solve(&set, &x, Target { tolerance: 1e-11, cutoff: exact.value - 1e-6 }).unwrap();
    assert_eq!((high.status, high.value), (exact.status, exact.value));
}

#[test]
fn a_set_of_one_point_is_no_trap() {
    let mut belief = excess(2, 0.0, 0.0, Some(3.0));
    play(&mut belief, 9, 40, [1.0, -0.7]);
    let set = belief.set();
    let (support, maximiser) = solve(&set, &[1.0, 1.0]);
    let centre = dot(&[1.0, 1.0], set.centre());
    // The loss is flat at its minimum: its rounding error allows a distance of the square root of that.
    assert!((support.value - centre).abs() <= 1e-5 && (support.upper_bound - centre).abs() <= 1e-5, "{support:?}");
    assert!(checks::infeasibility(&set, &maximiser) <= 1e-12);
}

#[test]
fn a_solver_can_be_used_again_and_again() {
    let mut belief = Belief::new(2, Some(3.0), 0.05).unwrap();
    play(&mut belief, 10, 100, [1.0, -0.7]);
    let set = belief.set();
    let mut solver = SupportSolver::new(2);
    let directions = [[1.0, 0.0], [0.0, 0.0], [-0.5, 0.5], [1.0, 0.0]];
    let values = directions.map(|x| solver.solve(&set, &x, Target::exact(1e-11)).unwrap());
    assert_eq!(values[0], values[3]);
    for (x, support) in directions.iter().zip(values) {
        assert_eq!(support, solve(&set, x).0);
    }
}

#[test]
fn tiny_directions_scale() {
    let mut belief = Belief::new(2, Some(3.0), 0.05).unwrap();
    play(&mut belief, 11, 100, [1.0, -0.7]);
    let set = belief.set();
    let (unit, _) = solve(&set, &[0.6, 0.8]);
    for scale in [1e-100, 1e-8, 1e8, 1e100] {
        let (scaled, _) = solve(&set, &[0.6 * scale, 0.8 * scale]);
        assert_eq!(scaled.status, unit.status);
        assert!((scaled.value / scale - unit.value).abs() <= 1e-10 * unit.value.abs(), "{scale:e}: {scaled:?}");
    }
}

#[test]
fn an_empty_history_of_the_right_dimension_is_enough() {
    let history = History::new(2).unwrap();
    let at = optimist::loss::Evaluation::new(2);
    let set = LevelSet::new(&history, 0.0, 1.0, 2.0, &[0.0, 0.0], &at);
    assert_eq!(solve(&set, &[0.0, 2.0]).0.value, 4.0);
}
