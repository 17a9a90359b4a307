//! The drawn confidence sets against the inequalities that define them, written out here.

use std::sync::LazyLock;

use optimist::Belief;
use optimist::Problem;
use optimist::set::Radius;
use optimist_paper::boundary::Point;
use optimist_paper::sets::{ConfidenceSets, Kind, Setup, Trajectory, confidence_sets, draw, play};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

static SETS: LazyLock<ConfidenceSets> = LazyLock::new(|| confidence_sets(play(&Setup::default()).unwrap()).unwrap());

/// The paper's lambda_t and gamma_t in round t = 1001, as printed, for d = 2.
fn printed(trajectory: &Trajectory) -> (f64, f64) {
    let t = 1001.0_f64;
    let lambda = 2.0 * t.ln();
    let log = ((4.0 / trajectory.delta) * (1.0 + t / (16.0 * 2.0 * lambda))).ln();
    (lambda, lambda.sqrt() * (trajectory.norm_bound + 0.5) + 2.0 / lambda.sqrt() * log)
}

/// The loss with a ridge, its gradient and its Hessian (xx, xy, yy).
fn loss(trajectory: &Trajectory, ridge: f64, theta: Point) -> (f64, Point, [f64; 3]) {
    let square = theta[0] * theta[0] + theta[1] * theta[1];
    let mut value = 0.5 * ridge * square;
    let mut gradient = theta.map(|v| ridge * v);
    let mut hessian = [ridge, 0.0, ridge];
    for &(x, reward) in &trajectory.plays {
        let z = x[0] * theta[0] + x[1] * theta[1];
        let mean = 1.0 / (1.0 + (-z).exp());
        value += z.max(0.0) + (-z.abs()).exp().ln_1p() - reward * z;
        for axis in 0..2 {
            gradient[axis] += (mean - reward) * x[axis];
        }
        let slope = 1.0 / (2.0 + z.exp() + (-z).exp());
        hessian[0] += slope * x[0] * x[0];
        hessian[1] += slope * x[0] * x[1];
        hessian[2] += slope * x[1] * x[1];
    }
    (value, gradient, hessian)
}

/// ||g_t(theta) - g_t(theta_hat)|| in the norm of H_t(theta)^{-1}.
fn decrement(trajectory: &Trajectory, ridge: f64, theta: Point) -> f64 {
    let (_, [a, b], [p, q, r]) = loss(trajectory, ridge, theta);
    ((a * a * r - 2.0 * a * b * q + b * b * p) / (p * r - q * q)).sqrt()
}

/// Points of the square around the origin in which a set lies, with a margin.
fn sample(kind: Kind, count: usize) -> Vec<Point> {
    let corners = SETS.shape(kind).free.loops.concat();
    let reach = 1.2 * corners.iter().flatten().fold(0.0, |reach: f64, v| reach.max(v.abs()));
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    (0..count).map(|_| [0, 1].map(|_| rng.random_range(-reach..reach))).collect()
}

/// The outlines, with and without the disc, say of random points what the inequality says.
fn compare(kind: Kind, holds: impl Fn(Point) -> bool) {
    let shape = SETS.shape(kind);
    let mut inside = 0;
    let points = sample(kind, 1500);
    let pencil = 1e-3 * points.iter().flatten().fold(0.0, |a: f64, v| a.max(v.abs()));
    for p in points.into_iter().filter(|p| shape.free.distance(*p) > pencil) {
        assert_eq!(shape.free.contains(p), holds(p), "{kind:?} at {p:?}");
        inside += usize::from(holds(p));
        if shape.bounded.distance(p) > pencil {
            let bounded = holds(p) && p[0].hypot(p[1]) <= SETS.trajectory.norm_bound;
            assert_eq!(shape.bounded.contains(p), bounded, "{kind:?} in the disc at {p:?}");
        }
    }
    assert!(inside > 50, "{kind:?}: only {inside} points inside");
}

#[test]
fn the_outline_of_the_papers_set_is_where_its_inequality_turns() {
    let trajectory = &SETS.trajectory;
    let (lambda, gamma) = printed(trajectory);
    assert!((SETS.shape(Kind::Decrement).allowance - gamma).abs() < 1e-9);
    compare(Kind::Decrement, |p| decrement(trajectory, lambda, p) <= gamma);
}

#[test]
fn the_outline_of_its_relaxation_is_where_its_inequality_turns() {
    let trajectory = &SETS.trajectory;
    let (lambda, gamma) = printed(trajectory);
    let beta = gamma + gamma * gamma / lambda.sqrt();
    let least = loss(trajectory, lambda, SETS.estimate);
    assert!(least.1[0].hypot(least.1[1]) < 1e-5, "the estimate has the gradient {:?}", least.1);
    compare(Kind::Relaxed, |p| loss(trajectory, lambda, p).0 - least.0 <= beta * beta);
}

/// Lemma 1 of the paper, here also without the bound on the norm.
#[test]
fn the_relaxation_holds_the_set() {
    let (lambda, gamma) = printed(&SETS.trajectory);
    let relaxed = SETS.shape(Kind::Relaxed);
    let members =
        sample(Kind::Decrement, 3000).into_iter().filter(|p| decrement(&SETS.trajectory, lambda, *p) <= gamma);
    assert!(members.inspect(|p| assert!(relaxed.free.contains(*p), "{p:?}")).count() > 300);
    for p in SETS.shape(Kind::Decrement).free.loops.iter().flatten() {
        assert!(relaxed.free.contains(*p) && SETS.shape(Kind::Tight).free.contains(*p), "{p:?}");
    }
}

#[test]
fn the_truth_is_in_every_set_and_areas_are_in_order() {
    assert!(SETS.shapes.iter().all(|shape| shape.holds_truth));
    let area = |kind| SETS.shape(kind).bounded_area;
    assert!(area(Kind::Mixture) < area(Kind::Decrement) && area(Kind::Decrement) < area(Kind::Tight));
    // The relaxation as printed excludes nothing after a thousand rounds.
    assert!((area(Kind::Relaxed) / SETS.disc_area - 1.0).abs() < 1e-3);
    assert!(SETS.shape(Kind::Relaxed).free_area > 50.0 * SETS.shape(Kind::Decrement).free_area);
    assert!(SETS.decrement_set_is_convex());
}

#[test]
fn level_sets_agree_with_the_cores_own_boundary() {
    let Trajectory { delta, norm_bound, ref plays, .. } = SETS.trajectory;
    for (name, kind) in [("paper", Kind::Relaxed), ("tight", Kind::Tight), ("mixture", Kind::Mixture)] {
        let options = Problem { dimension: 2, delta, norm_bound: Some(norm_bound) };
        let mut belief = Belief::with_radius(Radius::by_name(name, &options).unwrap()).unwrap();
        for (x, reward) in plays {
            belief.observe(x, *reward).unwrap();
        }
        let boundary = belief.set().boundary(180, 100.0);
        let distances = boundary.iter().map(|p| SETS.shape(kind).bounded.distance(*p));
        // Where the loss meets the circle there are sharp corners, which outlines cut a little.
        let far = distances.inspect(|d| assert!(*d < 5e-3, "{name}: {d}")).filter(|d| *d > 1e-3).count();
        assert!(far <= 4, "{name}: {far} of 180 points are off the outline");
    }
}

#[test]
fn the_figure_names_its_numbers() {
    let figure = draw(&SETS);
    let svg = figure.standalone();
    assert!(svg.contains("after 1,000 rounds") && !svg.contains("NaN"));
    assert!(figure.description.contains("1,753") && svg.contains("1,753"), "{}", figure.description);
}

/// Why another rule chooses the arms.
#[test]
fn the_printed_rule_plays_one_arm_for_all_of_the_rounds() {
    let options = serde_json::json!({"radius": "paper"});
    let trajectory = play(&Setup { policy: "ofulog-r", options, ..Setup::default() }).unwrap();
    assert_eq!((trajectory.history.rows(), trajectory.plays.len()), (1, 1000));
    assert!(SETS.trajectory.history.rows() > 50);
}

#[test]
fn setups_without_a_direction_or_a_policy_are_refused() {
    let refusal = |setup: Setup| play(&setup).unwrap_err().to_string();
    assert!(refusal(Setup { kappa: 4.0, ..Setup::default() }).contains("kappa = 4"));
    assert!(refusal(Setup { kappa: f64::NAN, ..Setup::default() }).contains("kappa = NaN"));
    assert!(refusal(Setup { policy: "nobody", ..Setup::default() }).contains("nobody"));
}
