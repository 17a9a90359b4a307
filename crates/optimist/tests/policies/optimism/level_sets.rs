//! The policies whose set is a level set of the loss.

use optimist::Problem;
use optimist::policy::{self, Certificate, Policy};
use optimist::{ArmSet, FiniteArms};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::sets::{self, ByFormula, DELTA, Formula, Ratios, Slow};
use super::slow::{Set, norm};
use crate::simulation::Simulation;

const ROUNDS: usize = 200;
const BOUND: f64 = 4.0;
/// What the policy's own tolerance and that of the slow search leave.
const TOLERANCE: f64 = 1e-7;

pub(super) fn build(name: &str, options: &Value, bound: f64) -> Box<dyn Policy> {
    let problem = Problem { dimension: 2, delta: DELTA, norm_bound: Some(bound) };
    policy::build_with(name, &problem, options).unwrap()
}

/// A list that stays for a hundred rounds, then a new one every round; or new ones all the time.
pub(super) fn lists(simulation: &mut Simulation, fixed: usize) -> Vec<FiniteArms<'static>> {
    let first = simulation.ball_arms(6);
    (0..ROUNDS).map(|t| if t < fixed { first.clone() } else { simulation.ball_arms(6) }).collect()
}

fn check_choice(set: &Set, arms: &FiniteArms, chosen: usize, certificate: &Certificate, label: &str) {
    let values: Vec<f64> = arms.iter().map(|x| set.support(x)).collect();
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let value = values[chosen];
    assert!(value >= best - TOLERANCE, "{label}: played {value}, the best is {best}");
    match certificate {
        Certificate::Bounds { log_odds_upper, guarantee, .. } => {
            assert_eq!(guarantee.delta, Some(DELTA));
            assert!((log_odds_upper - value).abs() <= TOLERANCE, "{label}: bound {log_odds_upper}, maximum {value}");
        }
        Certificate::None { .. } => assert!(label.contains("paper"), "{label} promises nothing"),
        other => panic!("{label}: {other:?}"),
    }
}

fn check_members(policy: &mut dyn Policy, set: &Set, rng: &mut ChaCha8Rng, label: &str) -> [usize; 2] {
    let mut counts = [0, 0];
    for _ in 0..10 {
        let theta = [rng.random_range(-1.1..1.1) * set.bound, rng.random_range(-1.1..1.1) * set.bound];
        let excess = set.excess(&theta);
        if excess.abs() > 1e-6 {
            let expected = excess < 0.0 && norm(&theta) <= set.bound;
            assert_eq!(policy.contains(&theta).unwrap(), expected, "{label}: {theta:?}, {excess}");
            counts[usize::from(expected)] += 1;
        }
    }
    counts
}

fn check_interval(policy: &mut dyn Policy, set: &Set, x: &[f64], label: &str) {
    let interval = policy.interval(x).unwrap().interval;
    let (lower, upper) = (-set.support(&[-x[0], -x[1]]), set.support(x));
    let off = (interval.log_odds_lower - lower).abs().max((interval.log_odds_upper - upper).abs());
    assert!(off <= TOLERANCE, "{label}: {interval:?}, not {lower} and {upper}");
}

/// Plays 200 rounds, comparing choice, bounds, estimate and membership with the slow set.
fn cross_check(name: &str, options: &Value, slow: &mut dyn Slow, fixed: usize) {
    let mut simulation = Simulation::new(2, 3.0, 11);
    let lists = lists(&mut simulation, fixed);
    let mut policy = build(name, options, BOUND);
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let mut members = [0, 0];
    for (t, list) in lists.iter().enumerate() {
        let label = format!("{name} {options} round {}", t + 1);
        if t == 50 || t == 150 {
            policy = optimist::policy::restore(&policy.save().unwrap()).unwrap();
        }
        let arms = ArmSet::from(list.clone());
        let choice = policy.choose(&arms, &mut rng).unwrap();
        let set = slow.set();
        check_choice(&set, list, choice.index.unwrap(), &choice.certificate, &label);
        let estimate = policy.estimate().to_vec();
        let loss = |theta: &[f64]| set.rows.loss(theta, set.ridge);
        // The estimate need not be unique before there are data in every direction; its loss is. That of the default
        // policy minimises with a ridge that its set does not have: there the point itself is compared.
        let apart = norm(&[estimate[0] - set.estimate[0], estimate[1] - set.estimate[1]]);
        let same = (loss(&estimate) - loss(&set.estimate)).abs() <= 1e-8 || apart <= 1e-6;
        assert!(same, "{label}: {estimate:?}, not {:?}", set.estimate);
        let [out, within] = check_members(&mut *policy, &set, &mut rng, &label);
        members = [members[0] + out, members[1] + within];
        if t % 10 == 0 && policy.claim().guarantee().is_some() {
            check_interval(&mut *policy, &set, list.arm(0), &label);
        }
        let reward = simulation.reward(&choice.features);
        policy.observe(&choice.features, reward).unwrap();
        slow.observe(&choice.features, reward);
    }
    assert!(members[0] > 100 && members[1] > 20, "{name} {options}: {members:?} points outside and inside");
}

fn by_formula(name: &str, options: &Value, formula: Formula) {
    cross_check(name, options, &mut ByFormula::new(BOUND, formula), 100);
}

#[test]
fn optimist() {
    by_formula("optimist", &json!({}), sets::mixture);
}

#[test]
fn ofuglb() {
    by_formula("ofuglb", &json!({}), sets::ofuglb);
    by_formula("ofuglb", &json!({"constants": "published"}), sets::ofuglb_published);
}

#[test]
fn ofulog_plus() {
    by_formula("ofulog-plus", &json!({}), sets::ofulog_plus);
    by_formula("ofulog-plus", &json!({"constants": "published"}), sets::ofulog_plus_published);
}

#[test]
fn ofulog_r() {
    by_formula("ofulog-r", &json!({}), sets::tight);
    by_formula("ofulog-r", &json!({"radius": "corrected"}), sets::corrected);
    by_formula("ofulog-r", &json!({"radius": "paper"}), sets::paper);
}

#[test]
fn emk() {
    // Ever-new arms, so that no run of one arm is long enough to be forecast in blocks.
    cross_check("emk", &json!({}), &mut Ratios::new(BOUND, true), 0);
    cross_check("emk", &json!({"weights": "plain"}), &mut Ratios::new(BOUND, false), 0);
}

/// After this many observations most sets lie inside the ball.
const MANY: usize = 20_000;

/// Where the set is small, the best direction of the ball is the farthest point of the set.
#[test]
fn the_ball() {
    let cases: [(&str, Value, Formula); 5] = [
        ("optimist", json!({}), sets::mixture),
        ("ofuglb", json!({}), sets::ofuglb),
        ("ofulog-plus", json!({"constants": "published"}), sets::ofulog_plus_published),
        ("ofulog-r", json!({}), sets::tight),
        ("ofulog-r", json!({"radius": "paper"}), sets::paper),
    ];
    for (name, options, formula) in cases {
        let mut simulation = Simulation::new(2, 1.5, 21);
        let list = simulation.ball_arms(8);
        let mut policy = build(name, &options, BOUND);
        let mut slow = ByFormula::new(BOUND, formula);
        for t in 0..MANY {
            let x = list.arm(t % list.len());
            let reward = simulation.reward(x);
            policy.observe(x, reward).unwrap();
            slow.observe(x, reward);
        }
        let set = slow.set();
        let values = (0..720).map(|i| {
            let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 720.0).sin_cos();
            set.support(&[cos, sin])
        });
        let farthest = values.fold(0.0, f64::max);
        for arms in [ArmSet::Ball { dimension: 2 }, ArmSet::Sphere { dimension: 2 }] {
            let choice = policy.choose(&arms, &mut ChaCha8Rng::seed_from_u64(0)).unwrap();
            let value = set.support(&choice.features);
            assert!((norm(&choice.features) - 1.0).abs() < 1e-12 && choice.index.is_none());
            assert!(value >= farthest - 1e-4, "{name} {options}: {value}, {farthest}");
            if let Certificate::Bounds { log_odds_upper, .. } = choice.certificate {
                assert!(
                    log_odds_upper >= farthest - 1e-9 && log_odds_upper <= value + 1e-4,
                    "{name} {options}: {log_odds_upper} for {farthest}, {value}"
                );
            }
        }
    }
}

/// With a norm bound of one and many observations even the sets of the largest radii lie well inside the ball.
#[test]
fn small_sets_over_lists() {
    for (name, options, formula) in [
        ("ofulog-r", json!({"radius": "corrected"}), sets::corrected as Formula),
        ("ofulog-r", json!({"radius": "paper"}), sets::paper),
        ("ofuglb", json!({"constants": "published"}), sets::ofuglb_published),
    ] {
        let mut simulation = Simulation::new(2, 0.3, 22);
        let list = simulation.ball_arms(8);
        let (mut policy, mut slow) = (build(name, &options, 1.0), ByFormula::new(1.0, formula));
        for t in 0..20 * MANY {
            let x = list.arm(t % list.len());
            let reward = simulation.reward(x);
            policy.observe(x, reward).unwrap();
            slow.observe(x, reward);
        }
        let arms = ArmSet::from(list.clone());
        let choice = policy.choose(&arms, &mut ChaCha8Rng::seed_from_u64(0)).unwrap();
        let set = slow.set();
        let small = list.iter().all(|x| set.support(x) < 0.95 * norm(x));
        assert!(small, "{name} {options}: the set fills the ball");
        check_choice(&set, &list, choice.index.unwrap(), &choice.certificate, &format!("{name} {options}"));
    }
}
