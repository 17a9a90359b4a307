//! Where theta* goes. Margins are four standard deviations; seeds are fixed.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};

use optimist::generator;
use optimist_lab::experiment::{Drift, Environment, Redraw, Shape, Truth};
use optimist_lab::report::publish;
use optimist_lab::run::{RunOptions, run};
use optimist_lab::simulation::{Setting, World, play};
use optimist_lab::store::Directory;
use serde_json::Value;

use super::distributions::{assert_mean, assert_uniform, dot, norm};
use super::hybrid::hybrid;
use super::resuming::choices;
use super::{Counter, drawn, environment, experiment};

fn drifting(dimension: usize, drift: Drift) -> Environment {
    let place = environment(dimension, drawn(Shape::Ball, 3, Redraw::Run), Truth::ThetaNorm(2.5));
    Environment { drift, ..place }
}

/// The parameters of the first rounds.
fn path(environment: &Environment, run: usize, rounds: usize) -> Vec<Vec<f64>> {
    let mut world = World::new(environment, 9, run).unwrap();
    let mut path = vec![world.theta().to_vec()];
    for _ in 1..rounds {
        world.next_round().unwrap();
        path.push(world.theta().to_vec());
    }
    path
}

/// The angle between two parts of the same norm, without the cancellation of a cosine near one.
fn angle(a: &[f64], b: &[f64]) -> f64 {
    let chord: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    2.0 * (0.5 * chord / norm(a)).min(1.0).asin()
}

#[test]
fn the_norm_stays_and_never_exceeds_the_bound() {
    for drift in [Drift::Steps { every: 3 }, Drift::Walk { rate: 0.3 }, Drift::Seasons { period: 7 }] {
        for dimension in [2, 3, 10] {
            for run in 0..20 {
                let lengths = path(&drifting(dimension, drift), run, 50)
                    .into_iter()
                    .map(|theta| optimist::numerics::norm(&theta));
                assert!(lengths.into_iter().all(|length| length <= 2.5 && length > 2.5 * (1.0 - 1e-14)), "{drift}");
            }
        }
    }
}

#[test]
fn steps_lead_to_uniform_directions_at_their_time() {
    let environment = drifting(2, Drift::Steps { every: 4 });
    let (mut angles, mut turns) = (Vec::new(), Vec::new());
    for run in 0..400 {
        let path = path(&environment, run, 41);
        let as_part = |theta: &[f64]| theta[1].atan2(theta[0]) / TAU + 0.5;
        for (i, pair) in path.windows(2).enumerate() {
            // Rounds are counted from one: the fifth is the first with another direction.
            assert_eq!(pair[0] != pair[1], (i + 1) % 4 == 0, "round {}", i + 2);
            if pair[0] != pair[1] {
                angles.push(as_part(&pair[1]));
                turns.push((as_part(&pair[1]) - as_part(&pair[0])).rem_euclid(1.0));
            }
        }
    }
    assert_eq!(angles.len(), 4000);
    assert_uniform(angles.into_iter(), "direction");
    assert_uniform(turns.into_iter(), "turn, which is uniform if the directions are independent");
}

#[test]
fn walks_turn_by_their_rate_and_to_either_side() {
    for (dimension, rate) in [(2, 0.05), (3, 0.2), (8, 0.01)] {
        let environment = drifting(dimension, Drift::Walk { rate });
        let path = path(&environment, 1, 5001);
        let squares: Vec<f64> = path.windows(2).map(|pair| angle(&pair[0], &pair[1]).powi(2)).collect();
        // A tangent of d - 1 normal coordinates: the square of its length is chi-squared over d - 1.
        let variance = 2.0 * rate.powi(4) / (dimension as f64 - 1.0);
        assert_mean(squares.into_iter(), rate * rate, variance, "squared angle");
        // Along another direction than theta a step has mean zero, given the past; its square is at most the angle's.
        let steps = path.windows(2).map(|pair| {
            let (along, length) = (dot(&pair[0], &pair[1]) / norm(&pair[0]).powi(2), norm(&pair[0]));
            (pair[1][0] - along * pair[0][0]) / length
        });
        assert_mean(steps, 0.0, rate * rate, "step along the first axis");
    }
}

#[test]
fn seasons_come_back() {
    let period = 40;
    let environment = drifting(3, Drift::Seasons { period });
    for run in 0..20 {
        let path = path(&environment, run, 2 * period + 1);
        for (t, theta) in path.iter().enumerate() {
            let expected = FRAC_PI_4 * (1.0 - (TAU * t as f64 / period as f64).cos());
            assert!((angle(&path[0], theta) - expected).abs() < 1e-7, "run {run}, round {}", t + 1);
            assert!(angle(theta, &path[t % period]) < 1e-7);
        }
        assert!((angle(&path[0], &path[period / 2]) - FRAC_PI_2).abs() < 1e-7, "half a period is a right angle");
    }
    // In three dimensions the other pole is uniform on the circle perpendicular to the first one.
    let turns = (0..2000).map(|run| {
        let path = path(&environment, run, period / 2 + 1);
        let (first, second) = (&path[0], &path[period / 2]);
        // Two axes of that circle, made of the first pole alone.
        let a = cross(first, &[0.0, 0.0, 1.0]);
        let b = cross(first, &a);
        (dot(second, &b) / norm(&b)).atan2(dot(second, &a) / norm(&a)) / TAU + 0.5
    });
    assert_uniform(turns, "the other pole");
}

fn cross(a: &[f64], b: &[f64]) -> Vec<f64> {
    vec![a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[test]
fn every_part_moves_by_itself() {
    let place = |drift| Environment { drift, ..environment(5, hybrid(4, 2, 3), Truth::ThetaNorm(2.0)) };
    let parts = |theta: &[f64]| [0..2, 2..5, 5..8, 8..11, 11..14].map(|place| theta[place].to_vec());
    for (drift, rounds) in
        [(Drift::Steps { every: 5 }, 6), (Drift::Walk { rate: 0.1 }, 2), (Drift::Seasons { period: 4 }, 2)]
    {
        let path = path(&place(drift), 0, rounds);
        let (before, after) = (parts(&path[0]), parts(&path[rounds - 1]));
        let mut angles: Vec<f64> = before.iter().zip(&after).map(|(a, b)| angle(a, b)).collect();
        assert!(angles.iter().all(|angle| *angle > 1e-3), "{drift}: {angles:?}");
        for (a, b) in before.iter().zip(&after) {
            assert!((norm(a) / norm(b) - 1.0).abs() < 1e-13);
        }
        angles.dedup();
        assert!(angles.len() == 5 || matches!(drift, Drift::Seasons { .. }), "{drift}: {angles:?}");
    }
}

#[test]
fn environments_that_differ_in_norm_share_the_way_and_drift_moves_nothing_else() {
    let drift = Drift::Walk { rate: 0.1 };
    let (near, far) = (drifting(4, drift), Environment { truth: Truth::ThetaNorm(7.5), ..drifting(4, drift) });
    for (a, b) in path(&near, 3, 30).iter().zip(path(&far, 3, 30)) {
        assert!(a.iter().zip(b).all(|(a, b)| (3.0 * a - b).abs() < 1e-12));
    }
    let (mut still, mut moving) =
        (World::new(&drifting(4, Drift::None), 9, 3).unwrap(), World::new(&near, 9, 3).unwrap());
    assert_eq!(still.theta(), moving.theta());
    for _ in 0..5 {
        assert_eq!(still.arms(), moving.arms());
        assert_eq!(still.next_luck(), moving.next_luck());
        still.next_round().unwrap();
        moving.next_round().unwrap();
    }
    assert_ne!(still.theta(), moving.theta());
}

#[test]
fn a_given_parameter_is_where_it_starts() {
    let theta = vec![0.3, -1.1, 0.4];
    let place = |drift| Environment { drift, truth: Truth::Theta(theta.clone()), ..drifting(3, drift) };
    for drift in [Drift::Steps { every: 2 }, Drift::Walk { rate: 0.1 }, Drift::Seasons { period: 10 }] {
        let path = path(&place(drift), 0, 3);
        assert_eq!(path[0], theta);
        assert_ne!(path[2], theta);
        assert!((norm(&path[2]) / norm(&theta) - 1.0).abs() < 1e-14);
    }
}

/// A set is asked about the parameter of the round, not about the first.
#[test]
fn coverage_is_of_the_parameter_of_the_round() {
    let place = drifting(2, Drift::Steps { every: 60 });
    let mut experiment = experiment(6, 240, vec![place], &["optimist"]);
    experiment.delta = 0.5;
    let setting = Setting::new(&experiment, &experiment.environments[0], &experiment.policies[0]);
    let mut left_late = 0;
    for run in 0..6 {
        let record = play(&setting, run, &Counter::new(usize::MAX), None).unwrap().unwrap();
        let (mut world, mut policy) = (setting.world(run).unwrap(), setting.policy().unwrap());
        let mut left = 0;
        for t in 1..=240 {
            if t > 1 {
                world.next_round().unwrap();
            }
            let luck = world.next_luck();
            let choice = policy.choose(world.arms(), &mut generator(1)).unwrap();
            if left == 0 && !policy.contains(world.theta()).unwrap() {
                left = t;
            }
            let reward = f64::from(u8::from(luck < world.look(choice.index, &choice.features).mean));
            policy.observe(&choice.features, reward).unwrap();
        }
        assert_eq!(record.left_set, Some(left), "run {run}");
        left_late += usize::from(left > 60);
    }
    assert!(left_late >= 3, "a set of a parameter that stays should lose one that does not: {left_late} of 6");
}

/// Nothing on the way from runs to a page assumes that theta* stays or that arms share all parameters.
#[test]
fn results_are_published_and_say_that_theta_drifts() {
    let moving =
        Environment { drift: Drift::Steps { every: 20 }, ..environment(5, hybrid(4, 2, 3), Truth::ThetaNorm(2.0)) };
    let still = Environment { drift: Drift::None, ..moving.clone() };
    let (experiment, home) =
        (experiment(2, 60, vec![moving, still], &["bayes-ucb", "greedy"]), tempfile::tempdir().unwrap());
    let directory = Directory::open(home.path(), &experiment).unwrap();
    let options = RunOptions { choices: true, ..RunOptions::default() };
    let outcome = run(&experiment, &options, &directory, &()).unwrap();
    publish(&directory, &outcome, false).unwrap();
    let text = |name: &str| std::fs::read_to_string(home.path().join(name)).unwrap();
    let json = |name: &str| -> Value { serde_json::from_str(&text(name)).unwrap() };
    let theory = json("theory.json");
    assert!(theory[0]["note"].as_str().unwrap().contains("theta* drifts") && theory[1]["note"].is_null());
    let summary = json("summary.json");
    let [moving, still] = [0, 1].map(|i| &summary["cells"][i]["environment"]);
    assert_eq!((&moving["drift"]["kind"], &moving["drift"]["every"]), (&"steps".into(), &20.into()));
    assert!(still["drift"].is_null() && still["arms"]["own"] == 3 && still["norm_bound"] == 2.0);
    let page = text("report.html");
    assert_eq!(
        (page.matches("Regret is dynamic").count(), page.matches("constants of the first round").count()),
        (1, 1)
    );
    assert!(text("results.csv").contains("d=5 hybrid=4 shared=2 own=3 theta_norm=2 drift=steps(20)"));
    assert_eq!(choices(home.path()).len(), 2 * 2 * 2);
}
