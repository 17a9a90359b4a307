//! Arms that are new in every round, sparse, or with parameters of their own; late rewards, forgetting, exploration.

use optimist::policy::uniform::{Uniform, UniformOptions};
use optimist::policy::{self, Agent, Common, Policy, Rule};
use optimist::posterior::Row;
use optimist::{ArmSet, Error, FiniteArms, HybridArms, Problem, SparseArms, generator};
use rand::RngExt;
use serde_json::{Value, json};

use crate::simulation::Simulation;

/// Those that choose by the Laplace posterior.
const ON_THE_POSTERIOR: [&str; 3] = ["bayes-ucb", "laplace-ts", "greedy"];

fn build(name: &str, dimension: usize, options: Value) -> Box<dyn Policy> {
    let problem = Problem { dimension, delta: 0.05, norm_bound: Some(4.0) };
    policy::build_with(name, &problem, options).unwrap()
}

/// Plays lists of ten arms that are new in every round.
fn play_new_arms(policy: &mut dyn Policy, simulation: &mut Simulation, rounds: usize) {
    let mut rng = generator(5);
    for _ in 0..rounds {
        let arms = ArmSet::from(simulation.ball_arms(10));
        let choice = policy.choose(&arms, &mut rng).unwrap();
        let reward = simulation.reward(&choice.features);
        policy.observe(&choice.features, reward).unwrap();
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn one_pass_takes_over_where_the_exact_posterior_is() {
    for name in ON_THE_POSTERIOR {
        let mut auto = build(name, 3, json!({}));
        let mut exact = build(name, 3, json!({"posterior": "exact"}));
        let mut simulation = Simulation::new(3, 2.0, 1);
        for n in 1..=60 {
            let list = simulation.ball_arms(1);
            let reward = simulation.reward(list.arm(0));
            auto.observe(list.arm(0), reward).unwrap();
            exact.observe(list.arm(0), reward).unwrap();
            let apart = distance(auto.estimate(), exact.estimate());
            // 32 distinct arms are few; with the 33rd one pass begins, from the same estimate. Each observation adds at most
            // x_i^2/4, 1/20 on average, to the precision of a parameter: no posterior deviation is below 0.56.
            if n <= 33 {
                assert!(apart < 1e-7, "{name} after {n}: {apart:e}");
            } else {
                assert!(apart > 1e-9 && apart < 0.5 * 0.56, "{name} after {n}: {apart:e}");
            }
        }
    }
}

#[test]
fn on_a_fixed_list_the_posterior_stays_exact() {
    for name in ON_THE_POSTERIOR {
        let mut simulation = Simulation::new(3, 2.0, 2);
        let arms = ArmSet::from(simulation.ball_arms(100));
        let (mut auto, mut exact) = (build(name, 3, json!({})), build(name, 3, json!({"posterior": "exact"})));
        let (mut a, mut b) = (generator(3), generator(3));
        for _ in 0..500 {
            let choice = auto.choose(&arms, &mut a).unwrap();
            assert_eq!(choice, exact.choose(&arms, &mut b).unwrap());
            let reward = simulation.reward(&choice.features);
            auto.observe(&choice.features, reward).unwrap();
            exact.observe(&choice.features, reward).unwrap();
        }
    }
}

#[test]
fn no_problem_is_solved_for_lists_that_do_not_stay() {
    let mut simulation = Simulation::new(4, 2.0, 3);
    let mut policy = build("bayes-ucb", 4, json!({}));
    play_new_arms(&mut *policy, &mut simulation, 300);
    assert_eq!(policy.solves(), Some(0));
}

#[test]
fn what_is_learnt_in_one_pass_is_nearly_what_a_fit_says() {
    for seed in 0..10 {
        let mut simulation = Simulation::new(5, 3.0, seed);
        let mut policy = build("greedy", 5, json!({"posterior": "one-pass"}));
        let mut exact = build("greedy", 5, json!({"posterior": "exact"}));
        for _ in 0..1_000 {
            let list = simulation.ball_arms(1);
            let reward = simulation.reward(list.arm(0));
            policy.observe(list.arm(0), reward).unwrap();
            exact.observe(list.arm(0), reward).unwrap();
        }
        // A posterior deviation is about sqrt(5 d/n) here, 0.16 in each direction.
        let apart = distance(policy.estimate(), exact.estimate());
        assert!(apart < 0.16, "seed {seed}: {apart}");
    }
}

fn goes_on_alike(policy: &mut dyn Policy, arms: &ArmSet<'_>) {
    let mut text = policy::restore(&policy.save().unwrap()).unwrap();
    let mut bytes = policy::restore_bytes(&policy.save_bytes().unwrap()).unwrap();
    assert_eq!(policy.open_plays(), text.open_plays());
    for restored in [&mut text, &mut bytes] {
        let (mut a, mut b, mut copy) = (generator(1), generator(1), policy.boxed_clone());
        for i in 0..30 {
            let choice = copy.choose(arms, &mut a).unwrap();
            assert_eq!(choice, restored.choose(arms, &mut b).unwrap());
            let reward = f64::from(u8::from(i % 3 == 0));
            copy.observe_row(&choice.row(), reward).unwrap();
            restored.observe_row(&choice.row(), reward).unwrap();
        }
    }
}

fn hybrid_arms(arms: usize, dimension: usize, seed: u64) -> ArmSet<'static> {
    let mut rng = generator(seed);
    let features: Vec<f64> = (0..arms * dimension).map(|_| rng.random_range(-0.5..0.5)).collect();
    HybridArms::new((0..arms as u64).map(|k| 100 + k).collect::<Vec<_>>(), dimension, features).unwrap().into()
}

#[test]
fn one_pass_is_stored_to_the_last_bit() {
    for name in ON_THE_POSTERIOR {
        let mut simulation = Simulation::new(3, 2.0, 4);
        let mut policy = build(name, 3, json!({"posterior": "one-pass", "ridge": [0.1, 1.0]}));
        play_new_arms(&mut *policy, &mut simulation, 100);
        goes_on_alike(&mut *policy, &simulation.ball_arms(10).into());

        let mut policy = build(name, 4, json!({"own": 2, "half_life": 50, "ridge": [0.1, 1.0]}));
        let mut rng = generator(5);
        for i in 0..100 {
            let arms = hybrid_arms(5, 4, i);
            let choice = policy.choose(&arms, &mut rng).unwrap();
            policy.observe_row(&choice.row(), f64::from(u8::from(i % 2 == 0))).unwrap();
        }
        goes_on_alike(&mut *policy, &hybrid_arms(7, 4, 999));
    }
    for options in [json!({"delayed": 100}), json!({"delayed": 100, "posterior": "one-pass"})] {
        let mut policy = build("bayes-ucb", 3, options);
        let arms = ArmSet::from(Simulation::new(3, 2.0, 6).ball_arms(10));
        let plays = policy.choose_many(&arms, 10, &mut generator(6)).unwrap();
        policy.settle(plays[3].play.unwrap(), 1.0).unwrap();
        policy.give_up(plays[4].play.unwrap()).unwrap();
        assert_eq!(policy.open_plays(), 8);
        goes_on_alike(&mut *policy, &arms);
    }
}

#[test]
fn sparse_arms_are_chosen_as_their_dense_selves() {
    for name in ON_THE_POSTERIOR {
        let (mut sparse, mut dense) =
            (build(name, 6, json!({"posterior": "one-pass"})), build(name, 6, json!({"posterior": "one-pass"})));
        let (mut a, mut b, mut rng) = (generator(1), generator(1), generator(2));
        for i in 0..200 {
            let first: Vec<u32> = (0..4).map(|_| rng.random_range(0..3)).collect();
            let indices: Vec<u32> = first.iter().flat_map(|k| [*k, *k + 3]).collect();
            let values: Vec<f64> = (0..8).map(|_| rng.random_range(-1.0..1.0)).collect();
            let mut rows = vec![[0.0; 6]; 4];
            (0..8).for_each(|j| rows[j / 2][indices[j] as usize] = values[j]);
            let lists = SparseArms::new(6, vec![0, 2, 4, 6, 8], indices, values).unwrap();
            let (lists, rows) = (ArmSet::from(lists), ArmSet::from(FiniteArms::from_rows(&rows).unwrap()));
            let (x, y) = (sparse.choose(&lists, &mut a).unwrap(), dense.choose(&rows, &mut b).unwrap());
            assert_eq!(x.index, y.index, "{name} in round {i}");
            assert!((x.log_odds - y.log_odds).abs() < 1e-12);
            let reward = f64::from(u8::from(i % 3 == 0));
            sparse.observe_row(&x.row(), reward).unwrap();
            dense.observe(&y.features, reward).unwrap();
        }
    }
}

/// Arms that share nothing, in a context that all see: each learns from its own outcomes only.
#[test]
fn disjoint_arms_learn_apart() {
    let mut policy = build("greedy", 2, json!({"own": 2}));
    let context = [0.6, 0.8];
    let arms = ArmSet::from(HybridArms::same(vec![1, 2], &context).unwrap());
    for _ in 0..20 {
        policy.observe_row(&Row::Own { owner: 1, features: &context }, 0.0).unwrap();
    }
    let choice = policy.choose(&arms, &mut generator(1)).unwrap();
    assert_eq!((choice.index, choice.log_odds), (Some(1), 0.0));
    assert!(policy.snapshot().log_odds_of(&Row::Own { owner: 1, features: &context }).unwrap() < -1.0);
}

#[test]
fn forgetting_finds_the_arm_that_has_become_better() {
    let arms = ArmSet::from(FiniteArms::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap());
    let mut plays_of_the_new_best = Vec::new();
    for options in [json!({}), json!({"half_life": 50})] {
        let mut policy = build("bayes-ucb", 2, options);
        let mut rng = generator(8);
        let mut plays = 0;
        for t in 0..4_000 {
            let k = policy.choose(&arms, &mut rng).unwrap().index.unwrap();
            let better = usize::from(t >= 2_000);
            let reward = f64::from(u8::from(rng.random_bool(if k == better { 0.8 } else { 0.2 })));
            plays += usize::from((2_000..2_400).contains(&t) && k == 1);
            policy.observe(&[[1.0, 0.0], [0.0, 1.0]][k], reward).unwrap();
        }
        plays_of_the_new_best.push(plays);
    }
    // In the 400 rounds after the change.
    assert!(plays_of_the_new_best[0] < 100 && plays_of_the_new_best[1] > 250, "{plays_of_the_new_best:?}");
}

#[test]
fn no_certificate_outlives_a_drift() {
    let mut policy = build("bayes-ucb", 2, json!({"half_life": 50}));
    let error = policy.interval(&[1.0, 0.0]).unwrap_err().to_string();
    assert!(error.contains("half_life is set") && error.contains("leave that option out"), "{error}");
    let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) };
    for (name, options, said) in [
        ("bayes-ucb", json!({"half_life": 50, "certify": "mixture"}), "half_life is set"),
        ("bayes-ucb", json!({"half_life": 0}), "half_life is 0"),
        ("bayes-ucb", json!({"half_life": 50, "posterior": "exact"}), "posterior"),
        ("bayes-ucb", json!({"own": 3}), "own: is 3: it must be at most the number of features, 2"),
        ("insured", json!({"own": 2}), "\"own\" is not an option of this policy"),
        ("greedy", json!({"ridge": []}), "ridge is empty"),
        ("greedy", json!({"ridge": [1.0, -1.0]}), "ridge is -1"),
        ("insured", json!({"half_life": 50}), "\"half_life\" is not an option of this policy"),
        ("uniform", json!({"explore": 1.5}), "explore is 1.5"),
        ("uniform", json!({"explore": "much"}), "explore is \"much\""),
    ] {
        let error = policy::build_with(name, &problem, options).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

/// All plays of a batch are settled, or none.
#[test]
fn plays_are_settled_together() {
    for options in
        [json!({"delayed": 100}), json!({"delayed": 100, "posterior": "one-pass"}), json!({"delayed": 100, "own": 1})]
    {
        let mut policy = build("bayes-ucb", 3, options.clone());
        let list = Simulation::new(3, 2.0, 6).ball_arms(10);
        let arms = if options["own"] == 1 { hybrid_arms(10, 3, 6) } else { ArmSet::from(list) };
        let choices = policy.choose_many(&arms, 6, &mut generator(6)).unwrap();
        let plays: Vec<u64> = choices.iter().map(|choice| choice.play.unwrap()).collect();
        policy.give_up(plays[5]).unwrap();
        let mut twin = policy.clone();
        let before = policy.save().unwrap();
        for (outcomes, said) in [
            ([(plays[0], 1.0), (plays[1], 1.5)], "rewards[1] is 1.5".to_owned()),
            ([(plays[0], f64::NAN), (plays[1], 1.0)], "rewards[0] is NaN".to_owned()),
            ([(plays[0], 1.0), (plays[5], 1.0)], format!("play {} is not open", plays[5])),
            ([(plays[0], 1.0), (77, 1.0)], "play 77 is not open: no choice has that number".to_owned()),
            ([(plays[0], 1.0), (plays[0], 0.0)], format!("play {} is not open: it is there twice", plays[0])),
        ] {
            let error = policy.settle_many(&outcomes).unwrap_err().to_string();
            assert!(error.contains(&said), "{error}");
            assert_eq!((policy.open_plays(), policy.save().unwrap()), (5, before.clone()), "{said}");
        }
        let outcomes = [(plays[2], 1.0), (plays[0], 0.0), (plays[4], 1.0)];
        policy.settle_many(&outcomes).unwrap();
        outcomes.iter().for_each(|(play, reward)| twin.settle(*play, *reward).unwrap());
        assert_eq!((policy.open_plays(), policy.save().unwrap()), (2, twin.save().unwrap()));
        policy.settle_many(&[]).unwrap();
        assert_eq!(policy.save().unwrap(), twin.save().unwrap());
    }
}

/// No choice of `uniform` fits anything: its estimate is still that of before the data when somebody asks for it.
#[test]
fn uniform_fits_nothing_until_somebody_asks() {
    let problem = Problem { dimension: 3, delta: 0.05, norm_bound: Some(4.0) };
    let (options, common) = (UniformOptions::default(), Common::of::<Uniform>());
    let mut policy = Agent::<Uniform>::new(&problem, &options, common).unwrap();
    play_new_arms(&mut policy, &mut Simulation::new(3, 2.0, 9), 300);
    assert_eq!(policy.rule().estimate(), [0.0; 3]);
    let estimate = policy.estimate().to_vec();
    assert!(distance(&estimate, &[0.0; 3]) > 0.1, "{estimate:?}");
    // From then on choices know that one, until it is asked for again.
    play_new_arms(&mut policy, &mut Simulation::new(3, 2.0, 9), 300);
    assert_eq!(policy.rule().estimate(), estimate);
    assert!(policy.snapshot().estimate() != estimate && policy.estimate() != estimate);
}

#[test]
fn uniform_plays_arms_of_every_kind() {
    let mut rng = generator(3);
    let sparse = ArmSet::from(SparseArms::new(3, vec![0, 1, 3], vec![2, 0, 1], vec![1.0, 0.5, 0.5]).unwrap());
    for (own, arms) in [(0, sparse), (1, hybrid_arms(4, 3, 1)), (3, hybrid_arms(4, 3, 2))] {
        let mut policy = build("uniform", 3, json!({ "own": own }));
        let count = arms.len().unwrap();
        let exact = policy.probabilities(&arms, 0, &mut rng).unwrap();
        assert!(exact.standard_errors.is_none() && exact.values == vec![1.0 / count as f64; count]);
        let mut counts = vec![0; count];
        for i in 0..200 {
            let choice = policy.choose(&arms, &mut rng).unwrap();
            counts[choice.index.unwrap()] += 1;
            policy.observe_row(&choice.row(), f64::from(u8::from(i % 3 > 0))).unwrap();
        }
        assert!(counts.iter().all(|c| *c > 20), "{counts:?}");
        // Where arms share nothing each has a set of its own, and where all is shared there is one.
        assert_eq!(policy.interval_of_row(&arms.row(0).unwrap()).is_ok(), own != 1);
        goes_on_alike(&mut *policy, &arms);
    }
    let mut policy = build("uniform", 3, json!({"own": 1}));
    assert!(policy.choose(&ArmSet::Ball { dimension: 3 }, &mut rng).is_err());
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let mut policy = build("bayes-ucb", 3, json!({"own": 1, "delayed": 5}));
    let arms = hybrid_arms(4, 3, 1);
    let play = policy.choose(&arms, &mut generator(1)).unwrap().play.unwrap();
    policy.give_up(play).unwrap();
    let before = policy.save().unwrap();
    let other = ArmSet::from(FiniteArms::from_rows(&[[1.0, 0.0, 0.0]]).unwrap());
    let sparse = ArmSet::from(SparseArms::new(3, vec![0, 1], vec![2], vec![1.0]).unwrap());
    let longer = hybrid_arms(4, 4, 1);
    for (arms, said) in [(&other, "hybrid"), (&sparse, "hybrid"), (&longer, "4 entries")] {
        let error = policy.choose(arms, &mut generator(1)).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    let own = |features| Row::Own { owner: 100, features };
    for (row, reward) in [
        (own(&[1.0, 0.0][..]), 1.0),
        (own(&[1.0, f64::INFINITY, 0.0]), 1.0),
        (own(&[1.0, 0.0, 0.0]), -0.5),
        (Row::Dense(&[1.0, 0.0, 0.0]), 1.0),
        (Row::Sparse { indices: &[5], values: &[1.0] }, 1.0),
    ] {
        policy.observe_row(&row, reward).unwrap_err();
    }
    assert!(policy.settle(play, 1.0).unwrap_err().to_string().contains("only if it has expired"));
    assert!(matches!(policy.give_up(77), Err(Error::NoOpenPlay { play: 77, .. })));
    assert_eq!(policy.save().unwrap(), before);
    // Only those that know such arms take them.
    let mut optimist = build("optimist", 3, json!({}));
    let error = optimist.choose(&arms, &mut generator(1)).unwrap_err().to_string();
    assert!(error.contains("not defined for hybrid arms"), "{error}");
    optimist.observe_row(&Row::Sparse { indices: &[2], values: &[1.0] }, 1.0).unwrap();
    assert_eq!(optimist.counts().rewards, 1);
}

#[test]
fn a_reward_that_comes_leaves_nothing_of_its_play_but_the_reward() {
    for posterior in ["exact", "one-pass"] {
        let mut simulation = Simulation::new(3, 2.0, 9);
        let arms = ArmSet::from(simulation.ball_arms(20));
        let mut late = build("bayes-ucb", 3, json!({"delayed": 1000, "posterior": posterior, "eliminate": false}));
        let mut prompt = build("bayes-ucb", 3, json!({"posterior": posterior, "eliminate": false}));
        let mut rng = generator(1);
        for _ in 0..20 {
            let plays: Vec<_> =
                late.choose_many(&arms, 10, &mut rng).unwrap().into_iter().map(|choice| choice.into_owned()).collect();
            for choice in &plays {
                let reward = simulation.reward(&choice.features);
                late.settle(choice.play.unwrap(), reward).unwrap();
                prompt.observe(&choice.features, reward).unwrap();
            }
            assert_eq!(late.open_plays(), 0);
            // What each would choose and how wide it finds the arms: the index is the only thing that widths enter.
            let (a, b) = (late.probabilities(&arms, 1, &mut rng), prompt.probabilities(&arms, 1, &mut rng));
            assert_eq!(a.unwrap().values, b.unwrap().values);
            assert!(distance(late.estimate(), prompt.estimate()) < 1e-9);
        }
    }
}

#[test]
fn a_batch_spreads_where_rewards_are_late() {
    let arms = ArmSet::from(Simulation::new(5, 2.0, 10).ball_arms(30));
    for posterior in ["exact", "one-pass"] {
        let distinct = |options: Value| {
            let mut policy = build("bayes-ucb", 5, options);
            let batch = policy.choose_many(&arms, 15, &mut generator(1)).unwrap();
            let mut places: Vec<_> = batch.iter().map(|choice| choice.index).collect();
            places.sort_unstable();
            places.dedup();
            places.len()
        };
        let (with, without) =
            (distinct(json!({"delayed": 50, "posterior": posterior})), distinct(json!({"posterior": posterior})));
        assert!(with >= 5 && without <= 3, "{posterior}: {with} and {without} arms");
    }
}

#[test]
fn plays_expire() {
    let arms = ArmSet::from(Simulation::new(3, 2.0, 11).ball_arms(5));
    let mut policy = build("bayes-ucb", 3, json!({"delayed": 4}));
    let mut rng = generator(1);
    let first = policy.choose(&arms, &mut rng).unwrap().play.unwrap();
    for _ in 0..20 {
        policy.choose(&arms, &mut rng).unwrap();
        assert!(policy.open_plays() <= 5);
    }
    assert!(matches!(policy.settle(first, 1.0), Err(Error::NoOpenPlay { play, .. }) if play == first));
    let said = build("bayes-ucb", 2, json!({})).settle(0, 1.0).unwrap_err().to_string();
    assert!(said.contains("option delayed"), "{said}");
}

#[test]
fn exploration_gives_every_arm_its_share() {
    let (mut simulation, explore, arms) = (Simulation::new(2, 2.0, 12), 0.2, 8);
    let list = ArmSet::from(simulation.ball_arms(arms));
    for name in ["bayes-ucb", "laplace-ts", "optimist-stream"] {
        let mut policy = build(name, 2, json!({"explore": explore}));
        for _ in 0..50 {
            let choice = policy.choose(&list, &mut generator(1)).unwrap();
            let reward = simulation.reward(&choice.features);
            policy.observe(&choice.features, reward).unwrap();
        }
        let said = policy.probabilities(&list, 4_000, &mut generator(2)).unwrap();
        assert!((said.values.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(said.values.iter().all(|p| *p >= explore / arms as f64));
        let (draws, mut rng) = (4_000, generator(3));
        let mut counts = vec![0.0; arms];
        for _ in 0..draws {
            let mut copy = policy.clone();
            counts[copy.choose(&list, &mut rng).unwrap().index.unwrap()] += 1.0;
        }
        for (k, p) in said.values.iter().enumerate() {
            // Five standard errors, of the frequency and of what was simulated.
            let error = (p * (1.0 - p) / draws as f64).sqrt() + said.standard_errors.as_ref().map_or(0.0, |e| e[k]);
            assert!((counts[k] / draws as f64 - p).abs() < 5.0 * error, "{name}, arm {k}: {} and {p}", counts[k]);
        }
    }
}

#[test]
fn a_round_on_new_arms_allocates_nothing_in_one_pass() {
    for name in ON_THE_POSTERIOR {
        let mut simulation = Simulation::new(6, 3.0, 13);
        let lists: Vec<ArmSet<'_>> = (0..400).map(|_| simulation.ball_arms(10).into()).collect();
        let hybrid: Vec<ArmSet<'_>> = (0..400).map(|i| hybrid_arms(10, 6, i)).collect();
        for (lists, options) in
            [(&lists, json!({"certify": "off", "posterior": "one-pass"})), (&hybrid, json!({"own": 2}))]
        {
            let mut policy = build(name, 6, options);
            // An arm takes its memory when it is first observed.
            for row in (0..10).filter_map(|k| lists[0].row(k)) {
                policy.observe_row(&row, 0.0).unwrap();
            }
            let mut rng = generator(1);
            let mut play = |lists: &[ArmSet<'_>]| {
                for (i, arms) in lists.iter().enumerate() {
                    let choice = policy.choose(arms, &mut rng).unwrap();
                    policy.observe_row(&choice.row(), f64::from(u8::from(i % 2 == 0))).unwrap();
                }
            };
            // The memory in which an arm's inverse is computed afresh comes with its first 72 outcomes.
            (0..10).for_each(|_| play(&lists[..200]));
            let count = allocation_counter::measure(|| play(&lists[200..])).count_total;
            assert_eq!(count, 0, "{name}");
        }
    }
}

/// One set per arm: deltas add up, an arm never seen has the ball, and the truth is missed no more often than promised.
#[test]
fn sets_of_disjoint_arms_hold_together() {
    let (truth, context_law) =
        ([[1.5, -0.5], [-1.0, 0.5], [0.3, 0.8]], [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-0.6, 0.8]]);
    for (delta, runs) in [(0.05, 200), (0.5, 200)] {
        let mut missed = 0;
        for seed in 0..runs {
            let problem = Problem { dimension: 2, delta, norm_bound: Some(2.0) };
            let mut policy = policy::build_with("bayes-ucb", &problem, json!({"own": 2})).unwrap();
            let mut rng = generator(seed);
            let mut right = true;
            for t in 1..=200 {
                let context = context_law[rng.random_range(0..4)];
                let arms = ArmSet::from(HybridArms::same(vec![0, 1, 2], &context).unwrap());
                let choice = policy.choose(&arms, &mut rng).unwrap();
                let log_odds = |k: usize, x: &[f64]| truth[k][0] * x[0] + truth[k][1] * x[1];
                let mean = optimist::link::mean(log_odds(choice.index.unwrap(), &context));
                policy.observe_row(&choice.row(), f64::from(u8::from(rng.random::<f64>() < mean))).unwrap();
                if t % 20 == 0 {
                    for (k, x) in (0..3).flat_map(|k| context_law.iter().map(move |x| (k, x))) {
                        let said = policy.interval_of_row(&Row::Own { owner: k as u64, features: x }).unwrap().interval;
                        right &= said.log_odds_lower <= log_odds(k, x) && log_odds(k, x) <= said.log_odds_upper;
                    }
                }
            }
            missed += u32::from(!right);
        }
        // Three standard deviations above what is allowed.
        let most = delta + 3.0 * (delta * (1.0 - delta) / runs as f64).sqrt();
        assert!(f64::from(missed) <= most * runs as f64, "{missed} of {runs} at {delta}");
    }
    let mut policy = build("bayes-ucb", 2, json!({"own": 2}));
    let never = policy.interval_of_row(&Row::Own { owner: 9, features: &[0.6, 0.8] }).unwrap();
    assert!((never.interval.log_odds_upper - 4.0).abs() < 1e-6 && (never.interval.log_odds_lower + 4.0).abs() < 1e-6);
    assert!(never.guarantee.theorem.assumptions.iter().any(|words| words.contains("share no parameters")));
    let mut hybrid = build("bayes-ucb", 2, json!({"own": 1}));
    let error = hybrid.interval_of_row(&Row::Own { owner: 9, features: &[0.6, 0.8] }).unwrap_err().to_string();
    assert!(error.contains("beside shared ones"), "{error}");
}
