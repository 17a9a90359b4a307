//! Planning over sets whose shape defeats convex optimisation: the largest norm of a level set (every arm of the unit
//! ball), and the set of small Newton decrements. Everything is compared with grids or with dense formulas.

use optimist::linalg::{dot, norm};
use optimist::loss::{Evaluation, Order, evaluate};
use optimist::plan::{BallPlan, BallPlanner, BallStatus, BranchPlanner, BranchStatus, SupportSolver, Target};
use optimist::set::{DecrementSet, LevelSet};
use optimist::{Belief, Estimator, FiniteArms, History, Penalty, link};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn unit(rng: &mut ChaCha8Rng, d: usize) -> Vec<f64> {
    loop {
        let v: Vec<f64> = (0..d).map(|_| rng.random_range(-1.0..1.0)).collect();
        let length = norm(&v);
        if length > 0.05 && length <= 1.0 {
            return v.iter().map(|c| c / length).collect();
        }
    }
}

/// A point of the ball, with both the middle and the sphere well covered.
fn point(rng: &mut ChaCha8Rng, d: usize, radius: f64) -> Vec<f64> {
    let scale = radius * rng.random::<f64>();
    unit(rng, d).iter().map(|c| c * scale).collect()
}

/// `n` observations of `k` random arms, of which some are short, by a random parameter.
fn history(rng: &mut ChaCha8Rng, d: usize, n: usize, k: usize, strength: f64) -> History {
    let theta: Vec<f64> = unit(rng, d).iter().map(|c| c * strength).collect();
    let arms: Vec<Vec<f64>> = (0..k).map(|_| point(rng, d, 1.0)).collect();
    let mut history = History::new(d).unwrap();
    for i in 0..n {
        let x = &arms[i % k];
        let reward = f64::from(rng.random::<f64>() < link::mean(dot(x, &theta)));
        history.observe(x, reward).unwrap();
    }
    history
}

fn minimiser(history: &History, ridge: f64, norm_bound: f64) -> Estimator {
    let mut estimator = Estimator::new(history.dimension());
    estimator.fit(history, Penalty { ridge, norm_bound }).unwrap();
    estimator
}

/// The level set of the given excess over the least loss in the ball.
fn level_set<'a>(history: &'a History, centre: &'a Estimator, ridge: f64, excess: f64, bound: f64) -> LevelSet<'a> {
    let theta = centre.theta();
    let level = centre.evaluation().loss + 0.5 * ridge * dot(theta, theta) + excess;
    LevelSet::new(history, ridge, level, bound, theta, centre.evaluation())
}

fn hessian(history: &History, ridge: f64, theta: &[f64]) -> Vec<Vec<f64>> {
    let d = theta.len();
    let mut at = Evaluation::new(d);
    evaluate(history, theta, Order::Hessian, &mut at);
    let entry = |i: usize, j: usize| at.hessian[i.max(j) * d + i.min(j)] + if i == j { ridge } else { 0.0 };
    (0..d).map(|i| (0..d).map(|j| entry(i, j)).collect()).collect()
}

/// b'A^{-1}b by elimination.
fn inverse_form(mut a: Vec<Vec<f64>>, b: &[f64]) -> f64 {
    let d = b.len();
    let mut x = b.to_vec();
    for k in 0..d {
        for i in k + 1..d {
            let factor = a[i][k] / a[k][k];
            let pivot = a[k].clone();
            a[i].iter_mut().zip(&pivot).for_each(|(v, p)| *v -= factor * p);
            x[i] -= factor * x[k];
        }
    }
    for k in (0..d).rev() {
        x[k] = (x[k] - (k + 1..d).map(|j| a[k][j] * x[j]).sum::<f64>()) / a[k][k];
    }
    dot(b, &x)
}

/// g(theta) = sum n mu(x'theta) x + ridge theta.
fn fitted(history: &History, ridge: f64, theta: &[f64]) -> Vec<f64> {
    let mut x = vec![0.0; theta.len()];
    let mut g: Vec<f64> = theta.iter().map(|t| ridge * t).collect();
    for k in 0..history.rows() {
        history.features(k, &mut x);
        let weight = history.outcomes(k).0 * link::mean(dot(&x, theta));
        g.iter_mut().zip(&x).for_each(|(gi, xi)| *gi += weight * xi);
    }
    g
}

/// Calls `visit` with the points of a grid of `2 side + 1` points a side over the cube around the ball.
fn for_grid(d: usize, radius: f64, side: i32, mut visit: impl FnMut(&[f64])) {
    let width = 2 * side + 1;
    let mut point = vec![0.0; d];
    for index in 0..width.pow(d as u32) {
        let mut rest = index;
        for p in &mut point {
            *p = radius * f64::from(rest % width - side) / f64::from(side);
            rest /= width;
        }
        visit(&point);
    }
}

// ---------------------------------------------------------------------------------------- the set

#[test]
fn the_decrement_is_the_distance_of_fitted_sums() {
    let mut rng = rng(1);
    for d in 1..=5 {
        for _ in 0..10 {
            let history = history(&mut rng, d, 60, 15, 2.0);
            let ridge = 0.1 + 3.0 * rng.random::<f64>();
            let set = DecrementSet::new(&history, ridge, 1.0, 4.0).unwrap();
            let estimate = minimiser(&history, ridge, f64::INFINITY);
            let at_estimate = fitted(&history, ridge, estimate.theta());
            for _ in 0..10 {
                let theta = point(&mut rng, d, 6.0);
                let mut difference = fitted(&history, ridge, &theta);
                difference.iter_mut().zip(&at_estimate).for_each(|(a, b)| *a -= b);
                let dense = inverse_form(hessian(&history, ridge, &theta), &difference).sqrt();
                assert!((set.decrement(&theta) - dense).abs() <= 1e-8 * (1.0 + dense), "{d}");
            }
        }
    }
}

#[test]
fn gammas_ridges_and_what_they_promise() {
    let mut history = History::new(2).unwrap();
    history.observe_many(&[0.6, 0.8], 1.0, 99).unwrap();
    let corrected = DecrementSet::corrected(&history, 0.05, 3.0).unwrap();
    let ridge = 2.0 * (1.0 + 100_f64.ln());
    assert_eq!(corrected.ridge(), ridge);
    let root = ridge.sqrt();
    let by_hand = root * 3.5
        + 2.0 / root * (1.0 / 0.05_f64).ln()
        + 2.0 / root * (4.0 * (ridge / 2.0) * (1.0 + 99.0 / (8.0 * ridge))).ln();
    assert!((corrected.gamma() - by_hand).abs() < 1e-12 * by_hand);
    assert_eq!(corrected.guarantee().delta, Some(0.05));
    let printed = DecrementSet::printed(&history, 0.05, 3.0).unwrap();
    let ridge = 2.0 * 100_f64.ln();
    let by_hand = ridge.sqrt() * 3.5 + 2.0 / ridge.sqrt() * (80.0 * (1.0 + 100.0 / (32.0 * ridge))).ln();
    assert_eq!(printed.ridge(), ridge);
    assert!((printed.gamma() - by_hand).abs() < 1e-12 * by_hand);
    assert_eq!(printed.guarantee().delta, None);
    // Before any data there is a ridge as well.
    let empty = History::new(1).unwrap();
    assert!(DecrementSet::printed(&empty, 0.1, 1.0).unwrap().ridge() > 0.0);
    assert_eq!(DecrementSet::corrected(&empty, 0.1, 1.0).unwrap().ridge(), 1.0);
}

#[test]
fn bad_options_are_refused() {
    let mut history = History::new(1).unwrap();
    assert!(DecrementSet::new(&history, 0.0, 1.0, 1.0).is_err());
    assert!(DecrementSet::new(&history, 1.0, 0.0, 1.0).is_err());
    assert!(DecrementSet::new(&history, 1.0, 1.0, f64::INFINITY).is_err());
    assert!(DecrementSet::corrected(&history, 1.0, 1.0).is_err());
    let set = DecrementSet::new(&history, 1.0, 1.0, 1.0).unwrap();
    assert!(BranchPlanner::new(1).maximise(&set, &[1.0, 0.0]).is_err());
    assert!(BranchPlanner::new(2).maximise(&set, &[1.0, 0.0]).is_err());
    assert!(set.least_decrement(&[0.0], &[f64::NAN]).is_err());
    history.observe(&[1.5], 1.0).unwrap();
    assert!(DecrementSet::corrected(&history, 0.1, 1.0).is_err());
    assert!(DecrementSet::printed(&history, 0.1, 1.0).is_err());
    let centre = minimiser(&history, 1.0, 2.0);
    let level = level_set(&history, &centre, 1.0, 1.0, 2.0);
    assert!(BallPlanner::new(1).choose(&level, 0.0).is_err());
    assert!(BallPlanner::new(2).choose(&level, 1e-6).is_err());
}

#[test]
fn a_level_set_contains_the_decrement_set() {
    let mut rng = rng(2);
    let mut members = 0;
    let mut largest = 0.0_f64;
    for round in 0..60 {
        let (d, bound) = (1 + round % 3, 1.0 + 5.0 * rng.random::<f64>());
        let history = history(&mut rng, d, 20 + 10 * round, 12, bound);
        let (ridge, gamma) = (0.1 + rng.random::<f64>() * 3.0, 0.5 + 4.0 * rng.random::<f64>());
        let set = DecrementSet::new(&history, ridge, gamma, bound).unwrap();
        let estimate = minimiser(&history, ridge, f64::INFINITY);
        let least =
            optimist::loss::loss(&history, estimate.theta()) + 0.5 * ridge * dot(estimate.theta(), estimate.theta());
        assert_eq!(set.contains(estimate.theta()), norm(estimate.theta()) <= bound);
        // From the minimiser, and from any other point.
        let level = set.relaxation_level(estimate.theta());
        let other = set.relaxation_level(&point(&mut rng, d, bound));
        for _ in 0..300 {
            let theta = point(&mut rng, d, bound);
            if set.contains(&theta) {
                let loss = optimist::loss::loss(&history, &theta) + 0.5 * ridge * dot(&theta, &theta);
                assert!(loss <= level && loss <= other);
                largest = largest.max((loss - least) / (level - least));
                members += 1;
            }
        }
    }
    assert!(members > 2000, "{members}");
    // The bound is not idle.
    assert!(largest > 0.3, "{largest}");
}

#[test]
fn boundary_points_are_on_the_boundary() {
    let mut rng = rng(3);
    for _ in 0..5 {
        let history = history(&mut rng, 2, 100, 10, 2.0);
        let set = DecrementSet::new(&history, 1.0, 2.0, 3.0).unwrap();
        let centre = minimiser(&history, 1.0, 3.0);
        let points = set.boundary(40);
        assert_eq!(points.len(), 40);
        for p in points {
            let away: Vec<f64> = p.iter().zip(centre.theta()).map(|(a, c)| c + 1.0001 * (a - c)).collect();
            let on_level = (set.decrement(&p) - 2.0).abs() < 1e-8;
            let on_sphere = (norm(&p) - 3.0).abs() < 1e-8;
            assert!(on_level || on_sphere);
            assert!(!set.contains(&away));
        }
    }
}

// ------------------------------------------------------------------------ bounds over boxes

/// A random history, cell and point of the cell: (history, ridge, centre, half widths, point).
fn random_cell(rng: &mut ChaCha8Rng) -> (History, f64, Vec<f64>, Vec<f64>, Vec<f64>) {
    let d = rng.random_range(1..=4);
    let n = rng.random_range(1..400);
    let history = history(rng, d, n, 12, 3.0);
    let ridge = 10_f64.powf(rng.random_range(-2.0..1.0));
    let centre = point(rng, d, 6.0);
    let size = 10_f64.powf(rng.random_range(-3.0..0.5));
    let half: Vec<f64> = (0..d).map(|_| size * rng.random::<f64>()).collect();
    let inside = |rng: &mut ChaCha8Rng| {
        // Vertices as often as inner points.
        let vertex = rng.random::<bool>();
        let mut draw = || {
            let u = rng.random_range(-1.0..1.0_f64);
            if vertex { u.signum() } else { u }
        };
        centre.iter().zip(&half).map(|(c, h)| c + h * draw()).collect::<Vec<f64>>()
    };
    let theta = inside(rng);
    (history, ridge, centre, half, theta)
}

#[test]
fn the_first_order_bound_of_the_decrement_holds() {
    // sqrt f(theta) >= e^{-p/2} (sqrt f(c) - (e^p - 1)/p ||theta - c||_{H(c)}), from e^{-p}H(c) <= H(theta) <= e^p
    // H(c).
    let mut rng = rng(4);
    for _ in 0..3000 {
        let (history, ridge, centre, _, theta) = random_cell(&mut rng);
        let set = DecrementSet::new(&history, ridge, 1.0, 1.0).unwrap();
        let step: Vec<f64> = theta.iter().zip(&centre).map(|(t, c)| t - c).collect();
        let p = history.max_norm() * norm(&step);
        let h = hessian(&history, ridge, &centre);
        let width = step.iter().zip(&h).map(|(s, row)| s * dot(row, &step)).sum::<f64>().sqrt();
        let factor = if p > 0.0 { p.exp_m1() / p } else { 1.0 };
        let bound = (-0.5 * p).exp() * (set.decrement(&centre) - factor * width);
        let value = set.decrement(&theta);
        assert!(value >= bound - 1e-9 * (1.0 + bound.abs()), "{value} {bound}");
    }
}

#[test]
fn the_second_order_bound_of_the_decrement_holds() {
    let mut rng = rng(5);
    let mut useful = 0;
    for _ in 0..6000 {
        let (history, ridge, centre, half, theta) = random_cell(&mut rng);
        let set = DecrementSet::new(&history, ridge, 1.0, 1.0).unwrap();
        let bound = set.least_decrement(&centre, &half).unwrap();
        let value = set.decrement(&theta);
        assert!(value >= bound - 1e-9 * (1.0 + bound), "{value} {bound}");
        useful += usize::from(bound > 0.5 * value);
    }
    assert!(useful > 2000, "{useful}");
}

#[test]
fn its_error_is_of_second_order() {
    let mut rng = rng(6);
    let history = history(&mut rng, 2, 200, 12, 2.0);
    let set = DecrementSet::new(&history, 1.0, 1.0, 1.0).unwrap();
    let centre = [1.5, -1.0];
    let error = |h: f64| {
        let bound = set.least_decrement(&centre, &[h, h]).unwrap();
        let mut least = f64::INFINITY;
        for_grid(2, h, 20, |y| least = least.min(set.decrement(&[centre[0] + y[0], centre[1] + y[1]])));
        least - bound
    };
    let (wide, narrow) = (error(0.02), error(0.005));
    assert!(narrow > 0.0 && wide / narrow > 12.0 && wide / narrow < 20.0, "{wide} {narrow}");
}

// ------------------------------------------------------------- planning over small decrements

/// Plans and compares with a grid. Returns the boxes examined.
fn check_against_grid(set: &DecrementSet<'_>, x: &[f64], side: i32) -> usize {
    let d = x.len();
    let plan = BranchPlanner::new(d).maximise(set, x).unwrap();
    assert_eq!(plan.status, BranchStatus::Certified);
    assert!(set.contains(&plan.theta));
    assert!((plan.value - dot(x, &plan.theta)).abs() < 1e-12 * (1.0 + plan.value.abs()));
    let scale = plan.value.abs().max(norm(x) * norm(&plan.theta).min(1.0));
    assert!(plan.upper_bound >= plan.value && plan.upper_bound - plan.value <= 1.0001e-4 * scale);
    let mut best = f64::NEG_INFINITY;
    for_grid(d, set.norm_bound(), side, |theta| {
        let value = dot(x, theta);
        if value > best && set.contains(theta) {
            best = value;
        }
    });
    assert!(best <= plan.upper_bound, "{best} {plan:?}");
    plan.nodes
}

#[test]
fn branching_agrees_with_a_grid_in_one_dimension() {
    let mut rng = rng(7);
    for round in 0..30 {
        let bound = 1.0 + 5.0 * rng.random::<f64>();
        let history = history(&mut rng, 1, 10 + 20 * round, 5, bound);
        let set = DecrementSet::new(&history, 0.5, 0.3 + 3.0 * rng.random::<f64>(), bound).unwrap();
        if !set.contains(minimiser(&history, 0.5, bound).theta()) {
            continue;
        }
        for x in [[1.0], [-0.7]] {
            check_against_grid(&set, &x, 20_000);
            // In one dimension the maximiser is an end: just beyond it nothing belongs to the set.
            let plan = BranchPlanner::new(1).with_tolerance(1e-9).maximise(&set, &x).unwrap();
            assert!(!set.contains(&[plan.theta[0] + 1e-8 * x[0].signum()]));
        }
    }
}

#[test]
fn branching_agrees_with_a_grid_in_two_dimensions() {
    let mut rng = rng(8);
    let mut nodes = 0;
    for round in 0..12 {
        let bound = 2.0 + 4.0 * rng.random::<f64>();
        let history = history(&mut rng, 2, 30 + 60 * round, 15, bound - 1.0);
        let set = match round % 3 {
            0 => DecrementSet::corrected(&history, 0.05, bound).unwrap(),
            1 => DecrementSet::new(&history, 0.2, 1.5, bound).unwrap(),
            _ => DecrementSet::new(&history, 1.0, 4.0, bound).unwrap(),
        };
        nodes += check_against_grid(&set, &unit(&mut rng, 2), 250);
    }
    assert!(nodes < 12 * 500, "{nodes}");
}

#[test]
fn branching_agrees_with_a_grid_in_three_and_four_dimensions() {
    let mut rng = rng(9);
    for (d, rounds, side) in [(3, 5, 30), (4, 2, 11)] {
        for round in 0..rounds {
            let history = history(&mut rng, d, 100 + 100 * round, 15, 2.0);
            let set = DecrementSet::new(&history, 1.0, 1.0 + 2.0 * rng.random::<f64>(), 3.0).unwrap();
            check_against_grid(&set, &unit(&mut rng, d), side);
        }
    }
}

#[test]
fn a_fine_grid_comes_close_to_the_value() {
    let mut rng = rng(10);
    let history = history(&mut rng, 2, 150, 15, 2.0);
    let set = DecrementSet::new(&history, 1.0, 2.0, 4.0).unwrap();
    let x = unit(&mut rng, 2);
    let plan = BranchPlanner::new(2).with_tolerance(1e-6).maximise(&set, &x).unwrap();
    assert_eq!(plan.status, BranchStatus::Certified);
    let mut best = f64::NEG_INFINITY;
    for_grid(2, 0.05, 500, |y| {
        let theta = [plan.theta[0] + y[0], plan.theta[1] + y[1]];
        if dot(&x, &theta) > best && set.contains(&theta) {
            best = dot(&x, &theta);
        }
    });
    assert!(best <= plan.upper_bound && best > plan.value - 2e-4, "{best} {plan:?}");
}

#[test]
fn without_data_the_set_is_a_ball() {
    for d in 1..=5 {
        let history = History::new(d).unwrap();
        let mut x = vec![0.0; d];
        (x[0], x[d - 1]) = (0.6, 0.8);
        for (gamma, bound) in [(6.0, 2.0), (2.0, 3.0)] {
            let set = DecrementSet::new(&history, 4.0, gamma, bound).unwrap();
            let plan = BranchPlanner::new(d).maximise(&set, &x).unwrap();
            let expected = bound.min(0.5 * gamma) * norm(&x);
            assert!(plan.value <= expected * (1.0 + 1e-12) && plan.upper_bound >= expected * (1.0 - 1e-12));
            if d <= 4 {
                assert_eq!(plan.status, BranchStatus::Certified);
                assert!((plan.value - expected).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn a_set_that_fills_the_ball_needs_no_boxes() {
    let mut rng = rng(11);
    let history = history(&mut rng, 2, 20, 10, 1.0);
    let set = DecrementSet::corrected(&history, 0.05, 2.0).unwrap();
    let plan = BranchPlanner::new(2).maximise(&set, &[0.6, 0.8]).unwrap();
    assert_eq!((plan.status, plan.nodes), (BranchStatus::Certified, 0));
    assert!((plan.value - 2.0).abs() < 2e-4);
    let nothing = BranchPlanner::new(2).maximise(&set, &[0.0, 0.0]).unwrap();
    assert_eq!((nothing.value, nothing.upper_bound, nothing.status), (0.0, 0.0, BranchStatus::Certified));
}

#[test]
fn an_empty_set_is_recognised() {
    // Everything says that theta is large, the ball says that it is not.
    let mut history = History::new(2).unwrap();
    history.observe_many(&[1.0, 0.0], 1.0, 300).unwrap();
    history.observe_many(&[0.0, 1.0], 0.0, 300).unwrap();
    let set = DecrementSet::new(&history, 0.1, 0.5, 0.5).unwrap();
    let mut planner = BranchPlanner::new(2);
    let plan = planner.maximise(&set, &[1.0, 0.0]).unwrap();
    assert_eq!(plan.status, BranchStatus::Empty);
    let centre = minimiser(&history, 0.1, 0.5);
    assert!((plan.value - centre.theta()[0]).abs() < 1e-9);
    for_grid(2, 0.5, 100, |theta| assert!(!set.contains(theta)));
    let arms = FiniteArms::from_rows(&[[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]).unwrap();
    let choice = planner.choose(&set, &arms).unwrap();
    assert_eq!((choice.arm, choice.plan.status), (1, BranchStatus::Empty));
}

#[test]
fn a_set_without_the_estimate_is_searched_all_the_same() {
    // The minimiser of the loss is outside the ball, and so are the smallest decrements.
    let mut rng = rng(12);
    let mut history = history(&mut rng, 2, 40, 10, 1.0);
    history.observe_many(&[0.8, 0.6], 1.0, 100).unwrap();
    for gamma in [1.0, 2.0, 4.0] {
        let set = DecrementSet::new(&history, 0.1, gamma, 1.0).unwrap();
        let x = [0.3, -0.9];
        let mut best = f64::NEG_INFINITY;
        for_grid(2, 1.0, 300, |theta| {
            if set.contains(theta) {
                best = best.max(dot(&x, theta));
            }
        });
        let plan = BranchPlanner::new(2).maximise(&set, &x).unwrap();
        if plan.status == BranchStatus::Empty {
            assert_eq!(best, f64::NEG_INFINITY);
        } else {
            assert_eq!(plan.status, BranchStatus::Certified);
            assert!(best <= plan.upper_bound && best > plan.value - 0.02, "{best} {plan:?}");
        }
    }
}

#[test]
fn a_thin_set_across_the_axes_needs_few_boxes() {
    // One arm that says much and a small ridge: a disc a thousand times wider than thick.
    let mut history = History::new(3).unwrap();
    let arm = [0.6, -0.48, 0.64];
    history.observe_many(&arm, 1.0, 600).unwrap();
    history.observe_many(&arm, 0.0, 400).unwrap();
    let (ridge, gamma): (f64, f64) = (1e-3, 0.05);
    let set = DecrementSet::new(&history, ridge, gamma, 10.0).unwrap();
    let plan = BranchPlanner::new(3).maximise(&set, &[0.8, 0.36, -0.48]).unwrap();
    assert_eq!(plan.status, BranchStatus::Certified);
    assert!(plan.nodes < 5000, "{plan:?}");
    // Across the arm the data say nothing, and the decrement is that of the ridge.
    let across = [0.8, 0.36, -0.48];
    let slope = dot(&across, &arm);
    let free = norm(&[across[0] - slope * arm[0], across[1] - slope * arm[1], across[2] - slope * arm[2]]);
    assert!(plan.value > 0.9 * free * gamma / ridge.sqrt() - 0.5, "{plan:?}");
}

#[test]
fn a_node_limit_is_reported_with_valid_bounds() {
    let mut rng = rng(13);
    let history = history(&mut rng, 3, 200, 15, 2.0);
    let set = DecrementSet::new(&history, 1.0, 2.0, 4.0).unwrap();
    let x = unit(&mut rng, 3);
    let full = BranchPlanner::new(3).maximise(&set, &x).unwrap();
    let cut = BranchPlanner::new(3).with_node_limit(20).maximise(&set, &x).unwrap();
    assert_eq!(cut.status, BranchStatus::NodeLimit);
    assert!(cut.nodes <= 22 && cut.value <= full.upper_bound && cut.upper_bound >= full.value);
}

#[test]
fn beyond_four_dimensions_the_optimum_is_called_local() {
    let mut rng = rng(14);
    let history = history(&mut rng, 6, 600, 40, 2.0);
    let set = DecrementSet::new(&history, 1.0, 2.0, 4.0).unwrap();
    let x = unit(&mut rng, 6);
    let plan = BranchPlanner::new(6).maximise(&set, &x).unwrap();
    assert_eq!(plan.status, BranchStatus::LocalOptimum);
    assert!(set.contains(&plan.theta) && plan.upper_bound > plan.value);
    for _ in 0..2000 {
        let theta = point(&mut rng, 6, 4.0);
        assert!(!set.contains(&theta) || dot(&x, &theta) <= plan.value);
    }
}

#[test]
fn the_best_of_many_arms() {
    let mut rng = rng(15);
    for d in 1..=3 {
        let history = history(&mut rng, d, 300, 15, 2.0);
        let set = DecrementSet::new(&history, 1.0, 2.5, 3.0).unwrap();
        let arms: Vec<Vec<f64>> = (0..15).map(|_| point(&mut rng, d, 1.0)).collect();
        let mut planner = BranchPlanner::new(d);
        let choice = planner.choose(&set, &FiniteArms::from_rows(&arms).unwrap()).unwrap();
        assert_eq!(choice.plan.status, BranchStatus::Certified);
        assert!(choice.solved >= 1 && choice.solved < 15);
        for x in &arms {
            let plan = planner.maximise(&set, x).unwrap();
            assert!(plan.value <= choice.plan.upper_bound + 1e-9, "{x:?}");
        }
        let own = planner.maximise(&set, &arms[choice.arm]).unwrap();
        assert!((own.value - choice.plan.value).abs() <= 2e-4 * own.value.abs().max(1.0));
    }
}

// --------------------------------------------------------------------------- the unit ball

fn check_plan(plan: &BallPlan, set: &LevelSet<'_>) {
    assert!((norm(&plan.arm) - 1.0).abs() < 1e-12);
    assert!((plan.value - norm(&plan.theta)).abs() <= 1e-12 * plan.value);
    assert!((dot(&plan.arm, &plan.theta) - plan.value).abs() <= 1e-9 * plan.value.max(1e-3));
    assert!(plan.upper_bound >= plan.value);
    assert!(norm(&plan.theta) <= set.norm_bound() * (1.0 + 1e-12));
    assert!(set.loss(&plan.theta) <= set.level() + 1e-9 * set.level().abs());
}

/// The largest support function over given directions.
fn largest(set: &LevelSet<'_>, directions: impl Iterator<Item = Vec<f64>>) -> f64 {
    let mut solver = SupportSolver::new(set.history().dimension());
    directions.map(|x| solver.solve(set, &x, Target::exact(1e-8)).unwrap().value).fold(f64::NEG_INFINITY, f64::max)
}

fn circle(points: usize) -> impl Iterator<Item = Vec<f64>> {
    (0..points).map(move |i| {
        let angle = std::f64::consts::TAU * i as f64 / points as f64;
        vec![angle.cos(), angle.sin()]
    })
}

/// Nearly evenly spread points of the sphere (Fibonacci).
fn sphere(points: usize) -> impl Iterator<Item = Vec<f64>> {
    (0..points).map(move |i| {
        let z = 1.0 - (2 * i + 1) as f64 / points as f64;
        let angle = 2.399963229728653 * i as f64;
        let r = (1.0 - z * z).sqrt();
        vec![r * angle.cos(), r * angle.sin(), z]
    })
}

#[test]
fn the_ball_in_one_dimension_has_two_directions() {
    let mut rng = rng(20);
    for round in 0..20 {
        let history = history(&mut rng, 1, 20 + 40 * round, 5, 2.0);
        let centre = minimiser(&history, 0.0, 5.0);
        let set = level_set(&history, &centre, 0.0, 2.0, 5.0);
        let plan = BallPlanner::new(1).choose(&set, 1e-8).unwrap();
        check_plan(&plan, &set);
        let best = largest(&set, [vec![1.0], vec![-1.0]].into_iter());
        assert!((plan.value - best).abs() < 1e-7 && plan.upper_bound >= best && plan.upper_bound - best < 1e-7);
        assert_ne!(plan.status, BallStatus::LocalOptimum);
    }
}

#[test]
fn the_ball_agrees_with_a_grid_of_angles() {
    let mut rng = rng(21);
    let mut certified = 0;
    for round in 0..20 {
        let bound = [2.0, 4.0, 8.0][round % 3];
        let history = history(&mut rng, 2, 30 + 100 * round, 12, bound - 1.0);
        let ridge = if round % 2 == 0 { 0.0 } else { 1.0 };
        let centre = minimiser(&history, ridge, bound);
        let set = level_set(&history, &centre, ridge, 0.5 + 3.0 * rng.random::<f64>(), bound);
        let plan = BallPlanner::new(2).choose(&set, 1e-6).unwrap();
        check_plan(&plan, &set);
        let grid = largest(&set, circle(1500));
        assert!(grid <= plan.upper_bound * (1.0 + 1e-9), "{grid} {plan:?}");
        // Half a step of the grid costs this much at most.
        assert!(grid >= plan.value * (1.0 - 3e-6) - 1e-6, "{grid} {plan:?}");
        assert!(plan.upper_bound - plan.value <= 1.001e-6 * plan.value);
        assert!(plan.solves < 100, "{plan:?}");
        certified += usize::from(plan.status == BallStatus::Certified);
    }
    assert!(certified > 8, "{certified}");
}

#[test]
fn the_ball_agrees_with_a_grid_on_the_sphere() {
    let mut rng = rng(22);
    for round in 0..6 {
        let bound = [3.0, 6.0][round % 2];
        let history = history(&mut rng, 3, 300 + 300 * round, 15, bound - 1.0);
        let centre = minimiser(&history, 0.5, bound);
        let set = level_set(&history, &centre, 0.5, 1.0 + rng.random::<f64>(), bound);
        let plan = BallPlanner::new(3).choose(&set, 1e-6).unwrap();
        check_plan(&plan, &set);
        let grid = largest(&set, sphere(4000));
        assert!(grid <= plan.upper_bound * (1.0 + 1e-9), "{grid} {plan:?}");
        assert!(grid >= plan.value * (1.0 - 2e-3), "{grid} {plan:?}");
        assert!(plan.upper_bound - plan.value <= 1.001e-6 * plan.value, "{plan:?}");
        assert!(plan.solves < 1000, "{plan:?}");
    }
}

#[test]
fn the_ball_in_four_dimensions_and_beyond() {
    let mut rng = rng(23);
    for d in [4, 5, 7] {
        for norm_bound in [4.0, f64::INFINITY] {
            let history = history(&mut rng, d, 3000, 40, 2.0);
            let centre = minimiser(&history, 0.0, norm_bound);
            let set = level_set(&history, &centre, 0.0, 3.0, norm_bound);
            let plan = BallPlanner::new(d).choose(&set, 1e-5).unwrap();
            check_plan(&plan, &set);
            assert_eq!(plan.status == BallStatus::Certified, d == 4, "{plan:?}");
            let directions: Vec<Vec<f64>> = (0..1000).map(|_| unit(&mut rng, d)).collect();
            assert!(largest(&set, directions.into_iter()) <= plan.value * (1.0 + 1e-5));
            if d == 5 {
                let exact = BallPlanner::new(d).certify_up_to(5).choose(&set, 1e-4).unwrap();
                assert_eq!(exact.status, BallStatus::Certified);
                assert!(plan.value <= exact.upper_bound && plan.value >= exact.value * (1.0 - 1e-4));
                assert!(plan.upper_bound >= exact.value);
            }
        }
    }
}

#[test]
fn a_set_that_reaches_the_sphere_saturates() {
    let mut rng = rng(24);
    for d in 1..=5 {
        let history = history(&mut rng, d, 10, 5, 1.0);
        let centre = minimiser(&history, 0.0, 1.0);
        let set = level_set(&history, &centre, 0.0, 10.0, 1.0);
        let plan = BallPlanner::new(d).choose(&set, 1e-6).unwrap();
        check_plan(&plan, &set);
        assert_eq!((plan.status, plan.value, plan.upper_bound), (BallStatus::Saturated, 1.0, 1.0));
        // Without data, too.
        let mut belief = Belief::new(d, Some(3.0), 0.05).unwrap();
        let plan = BallPlanner::new(d).choose(&belief.set(), 1e-6).unwrap();
        assert_eq!((plan.status, plan.value, plan.solves), (BallStatus::Saturated, 3.0, 0));
    }
}

#[test]
fn a_narrow_contact_with_the_sphere_is_found() {
    // The set touches the sphere around one direction only, which is none of those tried first.
    let mut rng = rng(25);
    let mut touched = 0;
    for _ in 0..20 {
        let history = history(&mut rng, 2, 400, 12, 2.0);
        let free = minimiser(&history, 0.0, f64::INFINITY);
        let wide = level_set(&history, &free, 0.0, 2.0, f64::INFINITY);
        let reach = BallPlanner::new(2).choose(&wide, 1e-9).unwrap().value;
        let bound = reach * 0.9999;
        let centre = minimiser(&history, 0.0, bound);
        let set = LevelSet::new(&history, 0.0, wide.level(), bound, centre.theta(), centre.evaluation());
        let plan = BallPlanner::new(2).choose(&set, 1e-8).unwrap();
        check_plan(&plan, &set);
        assert_eq!(plan.status, BallStatus::Saturated, "{plan:?}");
        touched += usize::from(plan.solves > 0);
    }
    assert!(touched > 10, "{touched}");
}

#[test]
fn without_norm_bound_the_set_may_be_bounded_or_not() {
    let mut rng = rng(26);
    for d in 1..=3 {
        let mut history = history(&mut rng, d, 400, 15, 1.0);
        let centre = minimiser(&history, 0.0, f64::INFINITY);
        let set = level_set(&history, &centre, 0.0, 2.0, f64::INFINITY);
        let plan = BallPlanner::new(d).choose(&set, 1e-6).unwrap();
        check_plan(&plan, &set);
        assert_eq!(plan.status, BallStatus::Certified);
        let directions: Vec<Vec<f64>> = (0..300).map(|_| unit(&mut rng, d)).collect();
        assert!(largest(&set, directions.into_iter()) <= plan.upper_bound * (1.0 + 1e-9));
        // The same with a ridge, which bounds the set by itself.
        let centre = minimiser(&history, 1.0, f64::INFINITY);
        let ridged = level_set(&history, &centre, 1.0, 2.0, f64::INFINITY);
        let plan = BallPlanner::new(d).choose(&ridged, 1e-6).unwrap();
        check_plan(&plan, &ridged);
        assert_eq!(plan.status, BallStatus::Certified);
        // Arms of one line say nothing across it; and a single success nothing about how good the arm is.
        history = History::new(d).unwrap();
        history.observe(&unit(&mut rng, d), 1.0).unwrap();
        let centre = minimiser(&history, 0.0, f64::INFINITY);
        let open = level_set(&history, &centre, 0.0, 2.0, f64::INFINITY);
        let plan = BallPlanner::new(d).choose(&open, 1e-6).unwrap();
        assert_eq!((plan.status, plan.value), (BallStatus::Unbounded, f64::INFINITY));
        assert!((norm(&plan.arm) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn an_empty_level_set_is_reported() {
    let mut rng = rng(27);
    let history = history(&mut rng, 2, 100, 8, 2.0);
    let centre = minimiser(&history, 1.0, 2.0);
    let set = level_set(&history, &centre, 1.0, -1.0, 2.0);
    let plan = BallPlanner::new(2).choose(&set, 1e-6).unwrap();
    assert_eq!((plan.status, plan.value), (BallStatus::Empty, norm(centre.theta())));
}

#[test]
fn a_set_of_one_point_still_gives_an_arm() {
    let mut history = History::new(2).unwrap();
    for x in [[1.0, 0.0], [0.0, 1.0]] {
        history.observe(&x, 1.0).unwrap();
        history.observe(&x, 0.0).unwrap();
    }
    let centre = minimiser(&history, 1.0, 2.0);
    let set = level_set(&history, &centre, 1.0, 0.0, 2.0);
    let plan = BallPlanner::new(2).choose(&set, 1e-6).unwrap();
    assert!((norm(&plan.arm) - 1.0).abs() < 1e-12);
    assert!(plan.value < 1e-6 && plan.upper_bound >= plan.value, "{plan:?}");
}

#[test]
fn a_limit_on_solves_leaves_valid_bounds() {
    // A round set: every direction is nearly as good as the best, and nothing can be discarded early.
    let mut history = History::new(3).unwrap();
    for j in 0..3 {
        let mut x = [0.0; 3];
        x[j] = 1.0;
        history.observe_many(&x, 1.0, 50).unwrap();
        history.observe_many(&x, 0.0, 50).unwrap();
    }
    let centre = minimiser(&history, 0.0, 5.0);
    let set = level_set(&history, &centre, 0.0, 0.5, 5.0);
    let plan = BallPlanner::new(3).with_solve_limit(200).choose(&set, 1e-9).unwrap();
    check_plan(&plan, &set);
    assert_eq!(plan.status, BallStatus::LocalOptimum);
    let grid = largest(&set, sphere(2000));
    assert!(grid <= plan.upper_bound && plan.upper_bound < plan.value * 1.05);
}
