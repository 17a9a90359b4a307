//! Arms and contexts of one's own: lists from which some are drawn, rows of a table, rates, and rewards that no logistic model
//! makes.

use std::fmt::Write;
use std::fs;

use optimist::ArmSet;
use optimist_lab::experiment::{
    Environment, Experiment, Interaction, Link, List, Redraw, Rewards, Sample, Truth, read,
};
use optimist_lab::simulation::World;
use tempfile::TempDir;

use super::distributions::{assert_mean, dot, norm};
use super::*;

/// A directory with a table of `rows` rows, whose first column counts them.
fn place(rows: usize) -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let mut text = "number,other,kind,clicked\n".to_owned();
    for i in 0..rows {
        let (kind, clicked) = (["a", "b", "c"][i % 3], i % 4 == 1);
        writeln!(text, "{},{},{kind},{clicked}", i + 1, (i * i) % 7).unwrap();
    }
    fs::write(place.path().join("table.csv"), text).unwrap();
    place
}

/// An experiment with this environment.
fn read_in(place: &TempDir, environment: &str, policy: &str) -> Experiment {
    let text = format!(
        "name = \"own\"\nruns = 2\nhorizon = 40\n[environment]\n{environment}\n[[policy]]\nname = \"{policy}\"\n"
    );
    read(&text, place.path()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn rows(arms: &ArmSet<'_>) -> Vec<Vec<f64>> {
    let row = |k| arms.row(k).unwrap().values().to_vec();
    (0..arms.len().unwrap()).map(row).collect()
}

/// The arms of so many rounds.
fn rounds(environment: &Environment, run: usize, count: usize) -> Vec<Vec<Vec<f64>>> {
    let mut world = World::new(environment, 3, run).unwrap();
    let mut all = vec![rows(world.arms())];
    for _ in 1..count {
        world.next_round().unwrap();
        all.push(rows(world.arms()));
    }
    all
}

/// The numbers in the first column of rows that are scaled by the longest.
fn numbers(rounds: &[Vec<Vec<f64>>], longest: f64) -> Vec<usize> {
    rounds.iter().flatten().map(|row| (row[0] * longest).round() as usize).collect()
}

/// Ten arms of the plane, on a circle.
fn circle(count: usize, redraw: Redraw) -> Arms {
    let arm = |i: usize| vec![(i as f64).cos(), (i as f64).sin()];
    let list = List::new(None, (0..10).map(arm).collect());
    Arms::List(List { sample: Some(Sample { count, redraw }), ..list })
}

#[test]
fn arms_drawn_from_a_list_are_different_and_every_choice_of_them_is_equally_frequent() {
    let environment = environment(2, circle(3, Redraw::Round), Truth::ThetaNorm(2.0));
    let rounds = rounds(&environment, 0, 12_000);
    let place = |x: &Vec<f64>| (0..10).position(|i| (x[0] - f64::from(i).cos()).abs() < 1e-12).unwrap();
    let mut pairs = [[0_u32; 10]; 10];
    for arms in &rounds {
        let [a, b, c] = [0, 1, 2].map(|k| place(&arms[k]));
        assert!(a != b && b != c && a != c);
        pairs[a][b] += 1;
    }
    // The first two are one of 90 ordered pairs.
    let expected = 12_000.0 / 90.0;
    for (a, b) in (0..10).flat_map(|a| (0..10).map(move |b| (a, b))).filter(|(a, b)| a != b) {
        let deviation = (f64::from(pairs[a][b]) - expected) / (expected * (1.0 - 1.0 / 90.0_f64)).sqrt();
        assert!(deviation.abs() < 5.0, "{a} before {b}: {} of {expected}", pairs[a][b]);
    }
}

#[test]
fn arms_drawn_once_from_a_list_stay_for_a_run() {
    let environment = environment(2, circle(4, Redraw::Run), Truth::ThetaNorm(2.0));
    let first = rounds(&environment, 0, 3);
    assert!(first.iter().all(|arms| *arms == first[0]));
    assert_ne!(rounds(&environment, 1, 1)[0], first[0]);
}

#[test]
fn rows_come_in_order_and_begin_again() {
    let place = place(7);
    let arms = "arms = { kind = \"table\", file = \"table.csv\", columns = [\"number\"], count = 3 }\ntheta_norm = 1";
    let environment = read_in(&place, arms, "optimist").environments.remove(0);
    let seen = numbers(&rounds(&environment, 1, 5), 7.0);
    assert_eq!(seen, [1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 1]);
    assert_eq!(environment.to_string(), "d=1 table=table count=3 theta_norm=1");
}

#[test]
fn rows_are_shuffled_anew_or_drawn_from_all() {
    let place = place(7);
    let arms = |order: &str| {
        format!(
            "arms = {{ kind = \"table\", file = \"table.csv\", columns = [\"number\"], count = 7, order = \"{order}\" }}\ntheta_norm = 1"
        )
    };
    let shuffled = read_in(&place, &arms("shuffle"), "optimist").environments.remove(0);
    let passes = rounds(&shuffled, 0, 40);
    for pass in &passes {
        let mut seen = numbers(std::slice::from_ref(pass), 7.0);
        seen.sort_unstable();
        assert_eq!(seen, [1, 2, 3, 4, 5, 6, 7]);
    }
    assert!(passes.windows(2).any(|w| w[0] != w[1]));
    assert_ne!(rounds(&shuffled, 1, 3), passes[..3], "another run has another order");
    let resampled = read_in(&place, &arms("resample"), "optimist").environments.remove(0);
    let seen = numbers(&rounds(&resampled, 0, 1000), 7.0);
    for row in 1..=7 {
        let is_it = seen.iter().map(|number| f64::from(u8::from(*number == row)));
        assert_mean(is_it, 1.0 / 7.0, 6.0 / 49.0, "row");
    }
}

#[test]
fn rows_that_are_contexts_are_common_to_all_arms() {
    let place = place(5);
    let arms = |more: &str| {
        format!(
            "arms = {{ kind = \"table\", file = \"table.csv\", columns = [\"number\", \"other\"], rows = \"context\", count = 4{more} }}\ntheta_norm = 2"
        )
    };
    let own = read_in(&place, &arms(""), "bayes-ucb").environments.remove(0);
    let mut world = World::new(&own, 3, 0).unwrap();
    assert!(matches!(world.arms(), ArmSet::Hybrid(_)));
    assert_eq!(world.theta().len(), 8);
    // Every arm's parameters have the norm that is stated.
    assert!(world.theta().chunks(2).all(|part| (norm(part) - 2.0).abs() < 1e-12));
    let written_out = read_in(&place, &arms(", written_out = true"), "optimist").environments.remove(0);
    let dense = rounds(&written_out, 0, 6);
    for arms in dense {
        let context = rows(world.arms());
        assert!(context.iter().all(|row| *row == context[0]));
        for (k, row) in arms.iter().enumerate() {
            let expected: Vec<f64> = (0..8).map(|i| if i / 2 == k { context[0][i % 2] } else { 0.0 }).collect();
            assert_eq!(*row, expected);
            let z = dot(&context[0], &world.theta()[2 * k..2 * k + 2]);
            assert!((world.instance().log_odds()[k] - z).abs() < 1e-14);
        }
        world.next_round().unwrap();
    }
}

#[test]
fn columns_are_scaled_as_is_said() {
    let place = place(30);
    let environment = |scale: &str| {
        let arms = format!(
            "arms = {{ kind = \"table\", file = \"table.csv\", columns = [\"number\", \"kind\"], count = 30, scale = \"{scale}\" }}\ntheta_norm = 1"
        );
        read_in(&place, &arms, "greedy").environments.remove(0)
    };
    let plain = rounds(&environment("none"), 0, 1).remove(0);
    assert_eq!(plain[4], [5.0, 0.0, 1.0, 0.0], "a number, and a feature for each of a, b, c");
    let normed = rounds(&environment("norm"), 0, 1).remove(0);
    let longest = plain.iter().map(|x| norm(x)).fold(0.0, f64::max);
    for (x, y) in plain.iter().zip(&normed) {
        assert!(x.iter().zip(y).all(|(x, y)| (x / longest - y).abs() < 1e-15) && norm(y) <= 1.0);
    }
    let standard = rounds(&environment("standard"), 0, 1).remove(0);
    let (mean, variance) = (15.5, (30.0 * 30.0 - 1.0) / 12.0);
    let expected: Vec<Vec<f64>> =
        plain.iter().map(|x| [&[(x[0] - mean) / f64::sqrt(variance)], &x[1..]].concat()).collect();
    let longest = expected.iter().map(|x| norm(x)).fold(0.0, f64::max);
    for (x, y) in expected.iter().zip(&standard) {
        assert!(x.iter().zip(y).all(|(x, y)| (x / longest - y).abs() < 1e-14) && norm(y) <= 1.0);
    }
}

#[test]
fn a_changed_file_makes_other_runs() {
    let (home, place) = (tempfile::tempdir().unwrap(), place(9));
    let arms = "arms = { kind = \"table\", file = \"table.csv\", columns = [\"number\", \"other\"], count = 3 }\ntheta_norm = 1";
    let before = read_in(&place, arms, "greedy");
    assert_eq!(finish(&before, home.path()).1, 80);
    assert_eq!(finish(&read_in(&place, arms, "greedy"), home.path()).1, 0, "nothing has changed");
    let path = place.path().join("table.csv");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("9,1,", "9,2,")).unwrap();
    let after = read_in(&place, arms, "greedy");
    assert_ne!(before, after);
    assert_eq!(finish(&after, home.path()).1, 80);
}

#[test]
fn theta_is_the_penalised_regression_of_the_log() {
    let place = place(60);
    let environment = "arms = { kind = \"table\", file = \"table.csv\", columns = [\"number\", \"other\", \"kind\"], count = 3, scale = \"standard\" }\n\
                       theta = { fit = \"table.csv\", reward = \"clicked\", ridge = 0.5 }";
    let environment = read_in(&place, environment, "optimist").environments.remove(0);
    let Truth::Fitted(fitted) = &environment.truth else { panic!("theta is fitted") };
    assert_eq!((fitted.observations, fitted.file.as_str(), environment.dimension), (60, "table", 5));
    // The gradient of the penalised log-loss vanishes.
    let all = rounds(&environment, 0, 20).concat();
    let mut gradient: Vec<f64> = fitted.theta.iter().map(|v| 0.5 * v).collect();
    for (i, x) in all.iter().enumerate() {
        let mean = 1.0 / (1.0 + (-dot(x, &fitted.theta)).exp());
        let reward = f64::from(u8::from(i % 4 == 1));
        gradient.iter_mut().zip(x).for_each(|(g, v)| *g += (mean - reward) * v);
    }
    assert!(norm(&gradient) < 1e-6 && norm(&fitted.theta) > 0.1, "{gradient:?}");
    assert_eq!(environment.told_bound(), Some(environment.norm()));
    assert_eq!(World::new(&environment, 1, 4).unwrap().theta(), fitted.theta);
}

#[test]
fn arms_with_rates_succeed_with_these() {
    let list = vec![vec![1.0, 0.0], vec![0.6, 0.8], vec![0.0, 1.0], vec![-1.0, 0.0]];
    let text =
        "arms = { kind = \"list\", list = [[1, 0], [0.6, 0.8], [0, 1], [-1, 0]], rates = [0.2, 0.0, 1.0, 0.55] }";
    let experiment = read_in(&place(1), text, "optimist");
    let environment = &experiment.environments[0];
    let mut world = World::new(environment, 1, 0).unwrap();
    assert_eq!(rows(world.arms()), list);
    for (found, rate) in world.instance().means().iter().zip([0.2, 0.0, 1.0, 0.55]) {
        assert!((found - rate).abs() < 1e-15);
    }
    assert_eq!(world.instance().best_arm(), Some(2));
    let play = world.look(Some(0), &[1.0, 0.0]);
    let successes = (0..20_000).map(|_| f64::from(u8::from(world.next_luck() < play.mean)));
    assert_mean(successes, 0.2, 0.16, "success");
    // Nobody asks whether theta is in the set, and no number is lost to certainty.
    let outcome = fresh(&experiment);
    let (_, record) = &outcome.environments[0].policies[0].runs[0];
    assert_eq!(record.left_set, None);
    for column in [&record.regret, &record.r1, &record.r2, &record.slopes, &record.elliptical] {
        assert!(column.iter().all(|v| v.is_finite()), "{record:?}");
    }
    let total = record.r1.last().unwrap() + record.r2.last().unwrap();
    assert!((total - record.final_regret()).abs() < 1e-9);
    assert!(environment.no_truth().unwrap().contains("rates"));
}

#[test]
fn rates_stay_with_the_arms_that_are_drawn() {
    let text = "arms = { kind = \"list\", list = [[1, 0], [0.6, 0.8], [0, 1]], rates = [0.2, 0.4, 0.9], count = 2, redraw = \"round\" }";
    let environment = read_in(&place(1), text, "optimist").environments.remove(0);
    let mut world = World::new(&environment, 1, 0).unwrap();
    for _ in 0..20 {
        for (k, x) in rows(world.arms()).iter().enumerate() {
            let rate = if x[0] == 1.0 {
                0.2
            } else if x[0] == 0.0 {
                0.9
            } else {
                0.4
            };
            assert!((world.instance().means()[k] - rate).abs() < 1e-15);
        }
        world.next_round().unwrap();
    }
}

/// A changed law of rewards for six arms of the plane.
fn misfit(rewards: Rewards) -> Environment {
    Environment { rewards, ..plane(50.0) }
}

#[test]
fn success_follows_the_link_and_the_interactions() {
    let term = Interaction { first: 0, second: 1, weight: 1.5 };
    for link in [Link::Logit, Link::Probit, Link::Cloglog, Link::Cauchit, Link::Linear] {
        let environment = misfit(Rewards { link, interactions: vec![term], ..Rewards::default() });
        let world = World::new(&environment, 5, 0).unwrap();
        for (k, x) in rows(world.arms()).iter().enumerate() {
            let z = dot(x, world.theta()) + 1.5 * x[0] * x[1];
            let expected = match link {
                Link::Logit => 1.0 / (1.0 + (-z).exp()),
                Link::Probit => integral(z),
                Link::Cloglog => 1.0 - (-z.exp()).exp(),
                Link::Cauchit => 0.5 + z.atan() / std::f64::consts::PI,
                Link::Linear => (0.5 + 0.25 * z).clamp(0.0, 1.0),
            };
            let play = world.look(Some(k), x);
            assert!((play.mean - expected).abs() < 1e-8, "{link:?} {z}: {} is not {expected}", play.mean);
            assert!((play.slope - play.mean * (1.0 - play.mean)).abs() < 1e-12);
        }
    }
}

/// The distribution function of the standard normal law by the midpoint rule.
fn integral(z: f64) -> f64 {
    let (steps, from) = (20_000, -9.0);
    let width = (z - from) / f64::from(steps);
    let density = |i: i32| (-0.5 * (from + (f64::from(i) + 0.5) * width).powi(2)).exp();
    (0..steps).map(density).sum::<f64>() * width / std::f64::consts::TAU.sqrt()
}

#[test]
fn on_the_ball_the_best_arm_succeeds_by_the_link() {
    let environment = Environment {
        rewards: Rewards { link: Link::Cauchit, ..Rewards::default() },
        ..environment(2, Arms::Ball, Truth::Theta(vec![0.0, 2.0]))
    };
    let world = World::new(&environment, 5, 0).unwrap();
    let best = 0.5 + 2.0_f64.atan() / std::f64::consts::PI;
    assert!((world.instance().best_mean() - best).abs() < 1e-14);
    assert!((world.look(None, &[0.0, 1.0]).mean - best).abs() < 1e-14);
    assert!((world.look(None, &[1.0, 0.0]).mean - 0.5).abs() < 1e-14);
}

#[test]
fn policies_see_errors_that_the_rewards_do_not() {
    let noise = 0.3;
    let clean = environment(2, drawn(Shape::Ball, 4000, Redraw::Run), Truth::ThetaNorm(3.0));
    let noisy = Environment { rewards: Rewards { noise, ..Rewards::default() }, ..clean.clone() };
    let (world, mut seen) = (World::new(&clean, 5, 0).unwrap(), World::new(&noisy, 5, 0).unwrap());
    assert_eq!(world.instance().means(), seen.instance().means());
    let (arms, first) = (rows(world.arms()), rows(seen.arms()));
    assert!(first.iter().all(|x| norm(x) <= 1.0));
    // Arms near the middle are not shortened but with a probability below exp(-(1/2)(0.7/0.3)^2 ...): their errors are normal.
    let middle = || arms.iter().zip(&first).filter(|(x, _)| norm(x) < 0.05);
    assert_mean(middle().map(|(x, y)| y[0] - x[0]), 0.0, noise * noise, "error");
    seen.next_round().unwrap();
    assert_ne!(rows(seen.arms()), first, "other errors every round");
    assert_eq!(world.instance().means(), seen.instance().means());
}

#[test]
fn so_many_rewards_are_flipped_and_regret_is_of_the_true_ones() {
    let flipped = 0.3;
    let rewards = Rewards { flipped, ..Rewards::default() };
    let mut world = World::new(&misfit(rewards.clone()), 5, 0).unwrap();
    assert_mean((0..20_000).map(|_| f64::from(u8::from(world.next_flip()))), flipped, 0.21, "flips");
    // A policy that learns nothing plays the same arms, and has the same regret and reward.
    let experiments =
        [plane(50.0), misfit(rewards)].map(|environment| experiment(2, 60, vec![environment], &["uniform"]));
    let [clean, flipped] = experiments.map(|experiment| fresh(&experiment));
    let record = |outcome: &Outcome| outcome.environments[0].policies[0].runs[0].1.clone();
    assert_eq!((record(&clean).regret, record(&clean).reward), (record(&flipped).regret, record(&flipped).reward));
}

#[test]
fn guarantees_are_left_out_with_the_reason() {
    let environments = vec![
        misfit(Rewards { link: Link::Probit, ..Rewards::default() }),
        misfit(Rewards { flipped: 0.1, ..Rewards::default() }),
        plane(50.0),
    ];
    let outcome = fresh(&experiment(2, 60, environments, &["ofulog-r"]));
    let left_set: Vec<bool> =
        outcome.environments.iter().map(|runs| runs.policies[0].runs[0].1.left_set.is_some()).collect();
    // With flipped rewards theta is still the parameter of the true ones, and one may ask where it is.
    assert_eq!(left_set, [false, true, true]);
    let summary = serde_json::to_value(optimist_lab::results::Summary::of(&outcome)).unwrap();
    let told = |i: usize| &summary["cells"][i]["environment"];
    assert!(told(0)["no_coverage"].as_str().unwrap().contains("link"));
    assert_eq!((&told(0)["rewards"]["link"], &told(1)["rewards"]["flipped"]), (&"probit".into(), &0.1.into()));
    assert!(told(1)["no_coverage"].is_null() && told(2)["rewards"].is_null());
    let mut compared = outcome
        .environments
        .iter()
        .map(|runs| optimist_lab::theory::comparison::compare(&outcome.experiment, runs).unwrap().unwrap());
    for (why, what) in [("link", "logistic"), ("opposite", "logistic")] {
        let comparison = compared.next().unwrap();
        let no_bound = comparison.policies[0].no_bound.clone().unwrap();
        assert!(no_bound.contains(why) && no_bound.contains(what), "{no_bound}");
        assert!(comparison.note.unwrap().contains(why) && comparison.lower.is_none());
        assert!(comparison.no_graves_lai.unwrap().contains(why));
    }
    let plain = compared.next().unwrap();
    assert!(plain.policies[0].bound.is_some() && plain.note.is_none() && plain.graves_lai.is_some());
}

#[test]
fn threads_do_not_matter_to_any_of_it() {
    let place = place(20);
    let environment = "arms = [{ kind = \"table\", file = \"table.csv\", columns = [\"number\", \"kind\"], count = 4, order = [\"shuffle\", \"resample\"] }, { kind = \"gaussian\", count = 5, correlation = 0.5, redraw = \"round\" }, { kind = \"categories\", count = 5, levels = [2, 2] }]\n\
                       theta_norm = 2\ndimension = 4\nrewards = { link = \"cloglog\", noise = 0.1, flipped = 0.1 }";
    let experiment = read_in(&place, environment, "laplace-ts");
    assert_eq!(experiment.environments.len(), 4);
    let run = |jobs| {
        let home = tempfile::tempdir().unwrap();
        work(&experiment, home.path(), &(), jobs).unwrap()
    };
    assert_same(&run(1), &run(3));
}
