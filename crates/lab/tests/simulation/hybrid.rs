//! Arms with parameters of their own: what is drawn, and that policies can play it. Margins are four standard deviations;
//! seeds are fixed.

use std::f64::consts::TAU;

use optimist::ArmSet;
use optimist::posterior::Row;
use optimist_lab::experiment::{Arms, Context, Environment, Hybrid, NormBound, PolicySpec, Truth};
use optimist_lab::simulation::{Setting, World};

use super::distributions::{assert_mean, assert_uniform, dot, norm};
use super::{environment, experiment, fresh, message};

/// Arms with parameters of their own and a common context.
pub(super) fn hybrid(count: usize, shared: usize, own: usize) -> Arms {
    Arms::Hybrid(Hybrid { count, shared, own, context: Context::Common, written_out: false })
}

fn place(arms: Arms) -> Environment {
    let Arms::Hybrid(hybrid) = arms else { panic!("hybrid arms were asked for") };
    environment(hybrid.dimension(), arms, Truth::ThetaNorm(2.0))
}

fn with(arms: Arms, change: fn(&mut Hybrid)) -> Arms {
    let Arms::Hybrid(mut hybrid) = arms else { panic!("hybrid arms were asked for") };
    change(&mut hybrid);
    Arms::Hybrid(hybrid)
}

/// The features of every arm, whose owners are their numbers.
fn rows(world: &World) -> Vec<Vec<f64>> {
    let arms = world.arms();
    (0..arms.len().unwrap())
        .map(|k| match arms.row(k) {
            Some(Row::Own { owner, features }) if owner == k as u64 => features.to_vec(),
            other => panic!("arm {k} is {other:?}"),
        })
        .collect()
}

/// Both parts have their share of a norm of one, and are uniform in direction.
fn check_parts(all: &[Vec<f64>], what: &str) {
    for x in all {
        assert!((dot(&x[..2], &x[..2]) - 0.4).abs() < 1e-14 && (dot(&x[2..], &x[2..]) - 0.6).abs() < 1e-14, "{what}");
        assert!((norm(x) - 1.0).abs() < 1e-14, "{what}");
    }
    assert_uniform(all.iter().map(|x| x[1].atan2(x[0]) / TAU + 0.5), what);
    for i in 2..5 {
        // Archimedes: on the sphere of three dimensions every coordinate is uniform.
        assert_uniform(all.iter().map(|x| 0.5 * (x[i] / 0.6_f64.sqrt() + 1.0)), what);
    }
    for (i, j) in [(0, 2), (1, 4)] {
        // Independent parts: the product of two coordinates has mean zero and variance 1/25.
        assert_mean(all.iter().map(|x| x[i] * x[j]), 0.0, 0.04, what);
    }
}

#[test]
fn features_have_their_law() {
    let each = place(with(hybrid(8_000, 2, 3), |hybrid| hybrid.context = Context::Each));
    let all = rows(&World::new(&each, 5, 0).unwrap());
    check_parts(&all, "features of the arms of one round");
    // Neighbours are independent: cosines of their own parts are uniform in three dimensions.
    assert_uniform(all.windows(2).map(|w| 0.5 * (dot(&w[0][2..], &w[1][2..]) / 0.6 + 1.0)), "neighbours");
    let mut world = World::new(&place(hybrid(3, 2, 3)), 5, 0).unwrap();
    let mut first = Vec::new();
    for _ in 0..4_000 {
        let all = rows(&world);
        assert!(all.iter().all(|x| x[2..] == all[0][2..]), "one context");
        assert!(all[0][..2] != all[1][..2] && all[1][..2] != all[2][..2], "shared features are each arm's");
        first.push(all[0].clone());
        world.next_round().unwrap();
    }
    check_parts(&first, "features of an arm from round to round");
}

#[test]
fn parameters_have_their_law() {
    let place = place(hybrid(3, 2, 3));
    let all: Vec<Vec<f64>> = (0..4_000).map(|run| World::new(&place, 6, run).unwrap().theta().to_vec()).collect();
    for theta in &all {
        assert_eq!(theta.len(), 2 + 3 * 3);
        for own in theta[2..].chunks(3) {
            let pair = norm(&theta[..2]).hypot(norm(own));
            assert!((norm(own) / (2.0 * 0.6_f64.sqrt()) - 1.0).abs() < 1e-13);
            assert!(pair <= 2.0 + 1e-15 && pair > 2.0 * (1.0 - 1e-14), "{pair}");
        }
    }
    assert_uniform(all.iter().map(|theta| theta[1].atan2(theta[0]) / TAU + 0.5), "shared part");
    let square: f64 = 4.0 * 0.6;
    for k in 0..3 {
        assert_uniform(all.iter().map(|theta| 0.5 * (theta[3 + 3 * k] / square.sqrt() + 1.0)), "own part");
    }
    assert_uniform(all.iter().map(|theta| 0.5 * (dot(&theta[2..5], &theta[8..11]) / square + 1.0)), "arms");
    // Log-odds have mean zero and variance N^2/(p + q); their fourth power is at most N^2 times their square.
    let log_odds = |run| World::new(&place, 6, run).unwrap().instance().log_odds()[1];
    let (variance, most) = (4.0 / 5.0, 4.0);
    assert_mean((0..4_000).map(log_odds), 0.0, variance, "log-odds");
    assert_mean((0..4_000).map(|run| log_odds(run).powi(2)), variance, most * variance, "squared log-odds");
}

/// The files refuse it, but the library can be asked for it.
#[test]
fn arms_without_parameters_of_their_own_are_drawn_as_well() {
    let mut world = World::new(&place(hybrid(3, 2, 0)), 5, 0).unwrap();
    world.next_round().unwrap();
    assert_eq!(world.theta().len(), 2);
    assert!(rows(&world).iter().all(|x| x.len() == 2 && (norm(x) - 1.0).abs() < 1e-14));
}

#[test]
fn success_depends_on_shared_and_own_parameters() {
    let mut world = World::new(&place(hybrid(4, 2, 3)), 7, 0).unwrap();
    for _ in 0..20 {
        let theta = world.theta();
        let expected = rows(&world).into_iter().enumerate().map(|(k, x)| {
            let own = &theta[2 + 3 * k..][..3];
            (x[0] * theta[0] + x[1] * theta[1]) + (x[2] * own[0] + x[3] * own[1] + x[4] * own[2])
        });
        let expected: Vec<f64> = expected.collect();
        for (k, z) in expected.iter().enumerate() {
            let play = world.look(Some(k), &[]);
            assert!((play.log_odds - z).abs() < 1e-14 && (play.mean - 1.0 / (1.0 + (-z).exp())).abs() < 1e-14);
        }
        let best = expected.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert!((world.instance().best() - best).abs() < 1e-14);
        world.next_round().unwrap();
    }
}

#[test]
fn arms_that_are_written_out_are_the_same() {
    for arms in [hybrid(4, 2, 3), hybrid(3, 0, 2), with(hybrid(4, 2, 3), |hybrid| hybrid.context = Context::Each)] {
        let short = place(arms.clone());
        let long = place(with(arms, |hybrid| hybrid.written_out = true));
        let Arms::Hybrid(Hybrid { count, shared, own, .. }) = short.arms else { panic!("hybrid arms were asked for") };
        assert_eq!((short.dimension, long.dimension), (shared + own, shared + count * own));
        let (mut a, mut b) = (World::new(&short, 3, 1).unwrap(), World::new(&long, 3, 1).unwrap());
        assert!((norm(b.theta()) / long.norm() - 1.0).abs() < 1e-14 && norm(b.theta()) <= long.norm());
        for _ in 0..5 {
            assert!(a.theta().iter().zip(b.theta()).all(|(a, b)| (a - b).abs() < 1e-14));
            let ArmSet::Finite(list) = b.arms() else { panic!("a list was asked for") };
            for (k, (x, row)) in rows(&a).iter().zip(list.iter()).enumerate() {
                assert_eq!(row[..shared], x[..shared]);
                assert_eq!(row[shared + k * own..][..own], x[shared..]);
                assert_eq!(row.iter().filter(|v| **v != 0.0).count(), shared + own);
            }
            let pairs = a.instance().log_odds().iter().zip(b.instance().log_odds());
            assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-14));
            assert_eq!(a.next_luck(), b.next_luck());
            a.next_round().unwrap();
            b.next_round().unwrap();
        }
    }
}

#[test]
fn bounds_are_of_what_policies_see() {
    let short = place(hybrid(10, 4, 1));
    let long = place(with(hybrid(10, 4, 1), |hybrid| hybrid.written_out = true));
    assert_eq!(short.told_bound(), Some(2.0));
    // All parameters have the same mean square: 5 of them have norm 2, 14 have more.
    assert!((long.told_bound().unwrap() - 2.0 * (14.0_f64 / 5.0).sqrt()).abs() < 1e-14);
    let theta: Vec<f64> = [3.0, 0.0].into_iter().chain([4.0, 1.0, -2.0]).collect();
    let given = |written_out| Environment {
        label: None,
        dimension: if written_out { 5 } else { 3 },
        truth: Truth::Theta(theta.clone()),
        norm_bound: NormBound::PlusOne,
        arms: Arms::Hybrid(Hybrid { count: 3, shared: 2, own: 1, context: Context::Common, written_out }),
        ..short.clone()
    };
    assert_eq!(given(false).told_bound(), Some(6.0), "the longest pair is 3, 0 and 4");
    assert!((given(true).told_bound().unwrap() - (1.0 + 30.0_f64.sqrt())).abs() < 1e-14);
}

/// Policies that explore learn such arms.
#[test]
fn policies_learn_own_parameters() {
    for arms in [hybrid(5, 0, 3), hybrid(5, 3, 2)] {
        let mut experiment = experiment(12, 1000, vec![place(arms)], &["bayes-ucb", "laplace-ts", "greedy"]);
        experiment.policies.push(PolicySpec::plain("greedy").with("explore", 1.0).labelled("at random"));
        experiment.policies.push(PolicySpec::plain("uniform"));
        let outcome = fresh(&experiment);
        let policies = &outcome.environments[0].policies;
        let regret = |i: usize| policies[i].final_regrets().iter().sum::<f64>() / 12.0;
        assert!((regret(4) / regret(3) - 1.0).abs() < 0.1, "{} {}", regret(3), regret(4));
        for (i, policy) in policies[..2].iter().enumerate() {
            assert!(regret(i) < 0.5 * regret(3), "{}: {} {}", policy.spec.label, regret(i), regret(3));
            // What is learnt shows in how regret grows: the second half costs less than the first.
            let growth = |from: usize, to: usize| -> f64 {
                let at = |t: usize, record: &optimist_lab::simulation::Record| match t {
                    0 => 0.0,
                    t => record.regret[record.t.binary_search(&t).unwrap()],
                };
                policy.runs.iter().map(|(_, record)| at(to, record) - at(from, record)).sum()
            };
            assert!(growth(500, 1000) < growth(0, 500), "{}", policy.spec.label);
        }
    }
}

#[test]
fn policies_that_cannot_play_such_arms_are_refused_before_the_work() {
    let mut experiment = experiment(1, 10, vec![place(hybrid(5, 2, 2))], &["lin-ts"]);
    let setting = |experiment: &optimist_lab::Experiment| {
        message(optimist_lab::run::Work::new(experiment, &optimist_lab::run::RunOptions::default()))
    };
    assert!(setting(&experiment).contains("lin-ts"), "{}", setting(&experiment));
    experiment.environments = vec![place(with(hybrid(5, 2, 2), |hybrid| hybrid.written_out = true))];
    let (environment, spec) = (&experiment.environments[0], &experiment.policies[0]);
    Setting::new(&experiment, environment, spec).policy().unwrap();
    assert_eq!(fresh(&experiment).progress(), (1, 1));
}
