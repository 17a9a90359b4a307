//! The hard instances against their definition, computed directly.

use optimist::numerics::{dot, norm};
use optimist::{ArmSet, FiniteArms, link};
use optimist_lab::Instance;
use optimist_lab::experiment::{
    Coverage, Environment, Experiment, NormBound, PolicySpec, Truth, kappa_of, log_spaced, norm_of,
};
use optimist_lab::simulation::{Progress, Setting, World, play};
use optimist_paper::instances::{HALF_BALL_ARMS, HIDDEN_ARMS, HIDDEN_DIMENSION, half_ball, hidden_arm};

fn theta(environment: &Environment) -> &[f64] {
    let Truth::Theta(theta) = &environment.truth else { panic!("theta* is given") };
    theta
}

fn instance(environment: &Environment) -> Instance {
    let arms = ArmSet::from(FiniteArms::from_rows(environment.arms.list()).expect("arms"));
    Instance::new(theta(environment), &arms)
}

#[test]
fn arms_are_of_length_one_and_far_apart() {
    let environment = hidden_arm(5.0, 3);
    let list = environment.arms.list();
    assert_eq!((list.len(), environment.dimension), (HIDDEN_ARMS, HIDDEN_DIMENSION));
    assert!(list.iter().all(|x| x.len() == HIDDEN_DIMENSION && norm(x) <= 1.0 && norm(x) > 1.0 - 1e-12));
    for (i, x) in list.iter().enumerate() {
        for y in &list[..i] {
            // x = (e_0 + u)/sqrt(2): the cosine of the parts without e_0.
            let cosine = 2.0 * dot(&x[1..], &y[1..]);
            assert!(cosine <= 0.5 + 1e-12, "{x:?} {y:?}");
        }
    }
}

#[test]
fn one_arm_is_good_and_the_others_lie_to_the_left() {
    for kappa in [10.0, 40.0, 320.0, 2_500.0, 1e6] {
        let norm_bound = norm_of(kappa);
        for seed in 0..20 {
            let environment = hidden_arm(norm_bound, seed);
            assert!((norm(theta(&environment)) - norm_bound).abs() < 1e-12 * norm_bound);
            assert_eq!(environment.norm_bound, NormBound::Exact);
            let instance = instance(&environment);
            let direct: Vec<f64> = environment.arms.list().iter().map(|x| dot(x, theta(&environment))).collect();
            let good = instance.best_arm().expect("a list");
            assert!(direct[good] <= 0.0 && direct[good] > -1e-12, "{}", direct[good]);
            assert!((instance.kappa_star() - 4.0).abs() < 1e-9);
            let near = |share: f64| direct.iter().filter(|z| (*z / norm_bound + share).abs() < 1e-9).count();
            assert_eq!([0.0, 0.25, 0.5, 0.75, 1.0].map(near), [1, 24, 62, 24, 1]);
            let flattest = direct.iter().map(|z| 1.0 / link::variance(*z)).fold(0.0, f64::max);
            assert!((instance.kappa_x() / flattest - 1.0).abs() < 1e-9);
            assert!((instance.kappa_x() / kappa_of(norm_bound) - 1.0).abs() < 1e-9);
            // The paper's X_- at a best log-odds of zero: mu' at most one eighth.
            let detrimental = direct.iter().filter(|z| link::variance(**z) <= 0.125).count();
            assert_eq!(instance.detrimental().iter().filter(|is_bad| **is_bad).count(), detrimental);
        }
    }
}

#[test]
fn the_good_arm_may_be_anywhere() {
    let places: Vec<usize> = (0..50).filter_map(|seed| instance(&hidden_arm(6.0, seed)).best_arm()).collect();
    let (first, last) = (places.iter().min().expect("places"), places.iter().max().expect("places"));
    assert!(*first < HIDDEN_ARMS / 4 && *last > 3 * HIDDEN_ARMS / 4, "{places:?}");
    assert_eq!(hidden_arm(6.0, 7), hidden_arm(6.0, 7));
    assert_ne!(hidden_arm(6.0, 7).arms.list(), hidden_arm(6.0, 8).arms.list(), "the order differs as well");
}

#[test]
fn half_balls_have_a_small_kappa_star_and_a_large_kappa_x() {
    for run in 0..10 {
        let world = World::new(&half_ball(norm_of(1e4)), 1, run).expect("a world");
        let instance = world.instance();
        assert_eq!(instance.log_odds().len(), HALF_BALL_ARMS);
        assert!(instance.best() <= 0.0 && instance.kappa_star() < 4.2, "{}", instance.kappa_star());
        assert!((500.0..=1e4).contains(&instance.kappa_x()), "{}", instance.kappa_x());
    }
}

struct Nobody;

impl Progress for Nobody {
    fn played(&self, _: usize) {}

    fn is_stopped(&self) -> bool {
        false
    }
}

/// Somebody who knows nothing plays detrimental arms as often as there are such.
#[test]
fn uniform_play_meets_detrimental_arms_by_their_share() {
    let horizon = 20_000;
    for environment in [hidden_arm(norm_of(320.0), 5), half_ball(norm_of(320.0))] {
        let experiment = Experiment {
            name: "uniform".to_owned(),
            seed: 1,
            runs: 1,
            horizon,
            delta: 0.05,
            checkpoints: log_spaced(horizon, 5),
            coverage: Coverage::Off,
            environments: vec![environment],
            policies: vec![PolicySpec::plain("uniform")],
        };
        let setting = Setting::new(&experiment, &experiment.environments[0], &experiment.policies[0]);
        let record = play(&setting, 0, &Nobody, None).expect("a run").expect("nobody stopped it");
        let world = World::new(&experiment.environments[0], 1, 0).expect("a world");
        let bad = world.instance().detrimental().iter().filter(|is_bad| **is_bad).count();
        let share = bad as f64 / world.instance().detrimental().len() as f64;
        assert!((0.3..0.9).contains(&share), "{share}");
        let plays = *record.bad_plays.last().expect("a mark") as f64 / horizon as f64;
        // Four standard deviations.
        assert!((plays - share).abs() < 4.0 * (share * (1.0 - share) / horizon as f64).sqrt(), "{plays} {share}");
    }
}
