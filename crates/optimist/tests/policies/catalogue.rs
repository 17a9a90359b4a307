//! Many items in a context: the search finds what looking at every item would.

use optimist::numerics::{add_outer, dot, square_form};
use optimist::policy::{self, Policy};
use optimist::{ArmSet, Catalogue, FiniteArms, Generator, Problem, generator};
use rand::RngExt;
use serde_json::{Value, json};

use crate::simulation::Simulation;

fn numbers(rng: &mut Generator, count: usize) -> Vec<f64> {
    (0..count).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// Items at random, in clusters, of one-hot categories, or all in few places, by turns.
fn items(rng: &mut Generator, case: usize, count: usize, q: usize) -> FiniteArms<'static> {
    let centres = numbers(rng, 5 * q);
    let mut features = numbers(rng, count * q);
    for (k, item) in features.chunks_exact_mut(q).enumerate() {
        let centre = &centres[k % 5 * q..][..q];
        for (j, v) in item.iter_mut().enumerate() {
            *v = match case % 4 {
                0 => *v,
                1 => centre[j] + 0.1 * *v,
                2 if j > 0 => f64::from(u8::from(j == 1 + k % (q - 1))),
                2 => 100.0 * *v,
                _ => centre[j],
            };
        }
    }
    FiniteArms::new(q, features).unwrap()
}

#[test]
fn the_search_finds_the_first_of_the_best() {
    let mut rng = generator(1);
    for case in 0..160 {
        let (q, count) = (rng.random_range(2..9), rng.random_range(1..3_000));
        let list = items(&mut rng, case, count, q);
        let catalogue = Catalogue::new(list.clone()).unwrap();
        let mean: Vec<f64> = numbers(&mut rng, q).iter().map(|v| v * 10_f64.powi(case as i32 % 5 - 2)).collect();
        // From no width at all to one that is the same in all directions.
        let mut square = vec![0.0; q * q];
        (0..case % 7).for_each(|_| add_outer(&mut square, rng.random_range(0.0..2.0), &numbers(&mut rng, q)));
        let share: f64 = rng.random_range(0.0..1e4);
        let z = |mean: f64, square: f64| (3.0 + 2.0 * (share * square / mean.cosh().powi(2)).ln_1p()).sqrt();
        let index = |a: &[f64]| {
            let (mean, square) = (dot(a, &mean), square_form(&square, a).max(0.0));
            mean + z(mean, square) * square.sqrt()
        };
        let mut best = (0, f64::NEG_INFINITY);
        for (k, value) in list.iter().map(index).enumerate() {
            if value > best.1 {
                best = (k, value);
            }
        }
        let found = catalogue.best(&mean, Some(&square), z);
        assert_eq!((found.item, found.value), best, "case {case}");
        let greedy = catalogue.best(&mean, None, |_, _| 0.0);
        assert_eq!(greedy.item, list.best_for(&mean), "case {case}");
        assert_eq!(greedy.forms, 0);
    }
}

#[test]
fn most_items_are_never_looked_at() {
    let mut rng = generator(2);
    let (count, q) = (20_000, 6);
    let catalogue = Catalogue::new(items(&mut rng, 0, count, q)).unwrap();
    let mut square = vec![0.0; q * q];
    (0..20).for_each(|_| add_outer(&mut square, 1e-3, &numbers(&mut rng, q)));
    let mut forms = 0;
    for _ in 0..50 {
        forms += catalogue.best(&numbers(&mut rng, q), Some(&square), |_, _| 2.0).forms;
    }
    // One group of 64 in ten at most, with its centre and those of the groups that it is part of.
    assert!(forms < 50 * count / 10, "{forms}");
}

fn build(name: &str, dimension: usize, options: Value) -> Box<dyn Policy> {
    let problem = Problem { dimension, delta: 0.05, norm_bound: Some(4.0) };
    policy::build_with(name, &problem, options).unwrap()
}

#[test]
fn policies_choose_as_from_the_list_written_out() {
    for name in ["bayes-ucb", "laplace-ts", "greedy"] {
        for delayed in [false, true] {
            let options = if delayed && name == "bayes-ucb" {
                json!({"posterior": "one-pass", "delayed": 30})
            } else {
                json!({"posterior": "one-pass"})
            };
            let mut rng = generator(3);
            let catalogue = Catalogue::new(items(&mut rng, 1, 300, 3)).unwrap();
            let mut simulation = Simulation::new(6, 3.0, 4);
            let (mut one, mut other) = (build(name, 6, options.clone()), build(name, 6, options));
            let (mut first, mut second) = (generator(5), generator(5));
            for t in 0..300 {
                let context = numbers(&mut rng, 2);
                let arms = catalogue.in_context(&context).unwrap();
                let rows: Vec<f64> = (0..arms.len()).flat_map(|k| arms.features(k)).collect();
                let list = ArmSet::from(FiniteArms::new(6, rows).unwrap());
                let arms = ArmSet::from(arms);
                let choice = one.choose(&arms, &mut first).unwrap().into_owned();
                let same = other.choose(&list, &mut second).unwrap();
                // Two orders of summation: an index may differ in its last digits, and choices where two indices do.
                assert_eq!(choice.index, same.index, "{name} in round {t}");
                assert_eq!(choice.features, same.features);
                let reward = simulation.reward(&choice.features);
                match choice.play {
                    Some(play) if t % 3 == 0 => {
                        one.settle(play, reward).unwrap();
                        other.settle(play, reward).unwrap();
                    }
                    Some(_) => {}
                    None => {
                        one.observe_row(&choice.row(), reward).unwrap();
                        other.observe_row(&choice.row(), reward).unwrap();
                    }
                }
            }
        }
    }
}

#[test]
fn a_catalogue_is_stored_and_keeps_names() {
    let mut rng = generator(6);
    let list = items(&mut rng, 0, 200, 3).with_ids((0..200).map(|k| format!("item {k}"))).unwrap();
    let catalogue = Catalogue::new(list.clone()).unwrap();
    assert!((0..200).all(|k| catalogue.item(k) == list.arm(k)));
    let arms = ArmSet::from(catalogue.in_context(&[1.0, 0.5][..]).unwrap());
    let text = serde_json::to_string(&arms).unwrap();
    let back: ArmSet<'static> = serde_json::from_str(&text).unwrap();
    assert_eq!(back, arms);
    let mut policy = build("bayes-ucb", 6, json!({}));
    let choice = policy.choose(&back, &mut rng).unwrap();
    assert_eq!(choice.id.as_deref(), choice.index.map(|k| format!("item {k}")).as_deref());
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut rng = generator(7);
    let catalogue = Catalogue::new(items(&mut rng, 0, 50, 3)).unwrap();
    let said = |context: &[f64]| catalogue.in_context(context.to_vec()).unwrap_err().to_string();
    assert!(said(&[]).contains("context"), "{}", said(&[]));
    assert!(said(&[1.0, f64::NAN]).contains("context"), "{}", said(&[1.0, f64::NAN]));
    assert!(said(&[1e308, 1e308]).contains("rescale the context"), "{}", said(&[1e308, 1e308]));
    assert!(said(&[1.0; 4_000]).contains("context"));
    let arms = ArmSet::from(catalogue.in_context(&[1.0, 0.5][..]).unwrap());
    let said = |name, dimension, options| {
        build(name, dimension, options).choose(&arms, &mut generator(1)).unwrap_err().to_string()
    };
    assert!(said("optimist", 6, json!({})).contains("catalogue"));
    assert!(
        said("bayes-ucb", 5, json!({})).contains("built for 5; no context fits"),
        "{}",
        said("bayes-ucb", 5, json!({}))
    );
    assert!(said("bayes-ucb", 6, json!({"own": 2})).contains("hybrid"));
    assert!(said("bayes-ucb", 6, json!({"posterior": "exact"})).contains("one-pass"));
}

/// Features so long or short that their squares leave the range of doubles, and indices that fall with the width.
#[test]
fn the_search_is_exact_at_any_scale() {
    let mut rng = generator(8);
    for (case, scale) in [1e-170, 1e-160, 1e-8, 1.0, 1e8, 1e155, 1e160].into_iter().cycle().take(140).enumerate() {
        let (q, count) = (rng.random_range(1..5), rng.random_range(2..400));
        let features: Vec<f64> = numbers(&mut rng, count * q).iter().map(|v| v * scale).collect();
        let list = FiniteArms::new(q, features).unwrap();
        let catalogue = Catalogue::new(list.clone()).unwrap();
        let mean: Vec<f64> = numbers(&mut rng, q).iter().map(|v| v / scale).collect();
        let mut square = vec![0.0; q * q];
        (0..2 * q).for_each(|_| add_outer(&mut square, 1.0, &numbers(&mut rng, q)));
        square.iter_mut().for_each(|v| *v *= scale.recip().powi(2).min(1e300));
        for z in [-1.0, 1.0, 3.0] {
            let index = |a: &[f64]| dot(a, &mean) + z * square_form(&square, a).max(0.0).sqrt();
            let best = list.iter().map(index).fold(f64::NEG_INFINITY, f64::max);
            let found = catalogue.best(&mean, Some(&square), |_, _| z);
            assert!(found.value == best, "case {case}, scale {scale:e}, z {z}: {} for {best}", found.value);
        }
    }
}

/// Indices that differ by rounding alone: a law that knows nothing of the direction in which items differ.
#[test]
fn the_search_is_exact_among_rounding_errors() {
    let mut rng = generator(9);
    for _ in 0..50 {
        let rows: Vec<[f64; 2]> = (0..1_000)
            .map(|_| {
                let t = 1.0 + 1e-12 * rng.random_range(-1.0..1.0);
                [t + 1e-13 * rng.random_range(-1.0..1.0), -t]
            })
            .collect();
        let catalogue = Catalogue::new(FiniteArms::from_rows(&rows).unwrap()).unwrap();
        let square = [1.0, 0.0, 1.0, 1.0];
        let best = rows.iter().map(|a| square_form(&square, a).max(0.0).sqrt()).fold(0.0, f64::max);
        assert_eq!(catalogue.best(&[0.0, 0.0], Some(&square), |_, _| 1.0).value, best);
    }
}

#[test]
fn a_context_of_the_wrong_length_is_told_with_its_factors() {
    let catalogue = Catalogue::new(FiniteArms::new(3, numbers(&mut generator(4), 30)).unwrap()).unwrap();
    let refused = |dimension: usize, context: &[f64]| {
        let problem = Problem { dimension, delta: 0.05, norm_bound: None };
        let mut policy = policy::build("greedy", &problem).unwrap();
        let arms = ArmSet::from(catalogue.in_context(context).unwrap());
        policy.choose(&arms, &mut generator(1)).unwrap_err().to_string()
    };
    assert_eq!(
        refused(6, &[1.0, 0.5, 0.2]),
        "context: has 3 entries, which times the 3 features of an item is 9: the policy was built for 6; give a context of 2"
    );
    assert!(refused(7, &[1.0, 0.5]).ends_with("for 7; no context fits, build it for a multiple of 3"));
}
