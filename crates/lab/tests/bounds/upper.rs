//! The upper bound: formulas in plain words, constants, lemmas, refusals.

use optimist::{ArmSet, FiniteArms};
use optimist_lab::Instance;
use optimist_lab::simulation::Potential;
use optimist_lab::theory::upper::{ConfidenceSet, Decrement, Seen, UpperBound, UpperBounds};
use rand::RngExt;

use super::{arms, bisect, close, dot, message, mu, rng, slope};

const DELTA: f64 = 0.05;

/// a_+ for a best log-odds above zero, and for others.
const ABOVE: f64 = 0.175_201_193_65;
const BELOW: f64 = 0.638_673_940_12;

const SETS: [ConfidenceSet; 10] = [
    ConfidenceSet::NewtonDecrement { gamma: Decrement::Sharp },
    ConfidenceSet::NewtonDecrement { gamma: Decrement::Corrected },
    ConfidenceSet::Corrected,
    ConfidenceSet::Tight,
    ConfidenceSet::RidgeLevel { excess: 70.0 },
    ConfidenceSet::Mixture,
    ConfidenceSet::Ofuglb { published: false },
    ConfidenceSet::Ofuglb { published: true },
    ConfidenceSet::OfulogPlus { published: false },
    ConfidenceSet::Level { excess: 12.0 },
];

fn bound(instance: &Instance, s: f64, set: ConfidenceSet, rounds: u64) -> UpperBound {
    UpperBounds::new(instance, s, DELTA, set, rounds).unwrap().after(rounds, &Seen::default()).unwrap()
}

/// Distances in round t = n + 1 in two dimensions, with D = `reach` and ||theta*|| = `truth`: gamma, rho, rho_G.
fn naive(set: ConfidenceSet, s: f64, truth: f64, n: f64) -> (f64, f64, f64) {
    let (lambda, log) = (2.0 * (1.0 + (n + 1.0).ln()), (1.0 / DELTA).ln());
    let chi_squared = |x: f64| 1.0 - (-0.5 * x).exp();
    let c = (2.0 * 2f64.ln()).min((chi_squared(4.0) / chi_squared(lambda / 2.0)).ln());
    let w = log + c + (lambda + n / 8.0).ln() - 2f64.ln();
    let largest = lambda.sqrt() / 2.0;
    let least = (1..=4000).map(|i| largest * f64::from(i) / 4000.0).map(|a| a + w / a).fold(f64::INFINITY, f64::min);
    let gamma = lambda.sqrt() * s + least;
    let closed = lambda.sqrt() * (s + 0.5)
        + 2.0 / lambda.sqrt() * log
        + 2.0 / lambda.sqrt() * (4.0 * lambda / 2.0 * (1.0 + n / (8.0 * lambda))).ln();
    let beta = |g: f64| g + g * g / lambda.sqrt();
    let reach = s + truth;
    // The largest rho with rho^2 <= (2 + D)(B + gamma rho).
    let level = |excess: f64| {
        let rho = bisect(0.0, 1e9, |rho| (2.0 + reach) * (excess + gamma * rho) - rho * rho);
        (rho, ((2.0 + reach) * (excess + gamma * rho)).sqrt())
    };
    // By the midpoint, with the ridges 2 and 1/4.
    let plain = |excess: f64| {
        let weight = ((1.0 - (-reach / 2.0).exp()) / reach).powi(2);
        let averaged = reach * (reach / 4.0).cosh() / (reach / 4.0).sinh();
        ((2.0 * excess / weight + 2.0 * reach * reach).sqrt(), (2.0 * excess * averaged + reach * reach / 4.0).sqrt())
    };
    let (rho, rho_g) = match set {
        ConfidenceSet::NewtonDecrement { gamma: which } => {
            let own = if which == Decrement::Sharp { gamma } else { closed };
            let (rho, rho_g) = level(0.25 * (2.0 + reach) * own * own);
            (rho.min((1.0 + reach) * (own + gamma)), rho_g.min((1.0 + reach).sqrt() * (own + gamma)))
        }
        ConfidenceSet::Corrected => level(beta(closed).powi(2)),
        ConfidenceSet::Tight => {
            let distance = bisect(0.0, 1e9, |y| (2.0 + y) * gamma * gamma / 4.0 - 0.5 * lambda * y * y);
            level((0.25 * (2.0 + s + truth + distance) * gamma * gamma).min(beta(gamma).powi(2)))
        }
        ConfidenceSet::RidgeLevel { excess } => level(excess),
        ConfidenceSet::Level { excess } => plain(excess),
        ConfidenceSet::Mixture => plain(1.0 + (1.0 + n * s * s / 16.0).ln() + log + 1.25_f64.ln()),
        ConfidenceSet::Ofuglb { published } => {
            let a = if published { 2.0 * s * (1.0 + s / 2.0) * n } else { s * n };
            let cost = (0..=20_000).map(|i| (-f64::from(i) / 2e3).exp()).map(|c| 2.0 * (1.0 / c).ln() + a * c);
            plain(log + cost.fold(f64::INFINITY, f64::min))
        }
        ConfidenceSet::OfulogPlus { .. } => {
            let e = std::f64::consts::E;
            plain(20.0 * (s * n / 4.0 + e).ln() + 2.0 * (e - 2.0 + s) * log)
        }
    };
    (gamma, rho, rho_g)
}

#[test]
fn distances_are_the_largest_of_any_round() {
    for (s, truth) in [(3.0, 3.0), (2.0, 0.7)] {
        let instance = Instance::new(&[0.0, truth], &ArmSet::Ball { dimension: 2 });
        for set in SETS {
            let mut largest = (0.0_f64, 0.0_f64, 0.0_f64);
            for t in 1..=400_u32 {
                let (gamma, rho, rho_g) = naive(set, s, truth, f64::from(t - 1));
                largest = (largest.0.max(gamma), largest.1.max(rho), largest.2.max(rho_g));
                if [1, 2, 30, 399, 400].contains(&t) {
                    let bound = bound(&instance, s, set, t.into());
                    for (ours, plain) in
                        [(bound.gamma, largest.0), (bound.rho, largest.1), (bound.rho_averaged, largest.2)]
                    {
                        // The grids of the plain evaluation overestimate a little.
                        assert!(ours >= plain * (1.0 - 2e-5) && ours <= plain * 1.01, "{set:?} {t}: {ours} {plain}");
                    }
                    // The closed forms of the paper, mended, are larger.
                    let excess = largest.1.powi(2) / (2.0 + s + truth) - largest.0 * largest.1;
                    let simple = (2.0 + 2.0 * s) * bound.gamma + ((2.0 + 2.0 * s) * excess.max(0.0)).sqrt();
                    assert!(bound.rho <= simple * 1.01);
                }
            }
        }
    }
}

#[test]
fn the_paper_s_own_set_reaches_no_farther_than_proposition_five_says() {
    let instance = Instance::new(&[0.0, 2.0], &ArmSet::Ball { dimension: 2 });
    for rounds in [1, 10, 1000] {
        let bound = bound(&instance, 2.0, SETS[0], rounds);
        assert!(bound.rho <= 2.0 * 5.0 * bound.gamma);
        close(bound.rho_averaged, 2.0 * 5f64.sqrt() * bound.gamma, 1e-12, "rho_G");
    }
}

#[test]
fn distances_that_fall_at_first_are_not_underestimated() {
    let instance = Instance::new(&[0.5], &ArmSet::Ball { dimension: 1 });
    let at = |delta: f64, rounds: u64| {
        let bounds = UpperBounds::new(&instance, 0.5, delta, ConfidenceSet::Tight, 1_000_000).unwrap();
        bounds.after(rounds, &Seen::default()).unwrap()
    };
    let (first, later) = (at(1e-12, 1), at(1e-12, 1_000_000));
    assert!(later.rho >= first.rho && later.gamma >= first.gamma && later.rho < 1.0001 * first.rho);
    assert!(at(0.5, 1_000_000).rho > 1.5 * at(0.5, 1).rho);
}

#[test]
fn the_parts_add_up() {
    let mut rng = rng(3);
    for case in 0..40 {
        let d = 1 + case % 4;
        let theta: Vec<f64> = (0..d).map(|_| rng.random_range(-2.0..2.0)).collect();
        let set = if case % 3 == 0 { ArmSet::Ball { dimension: d } } else { arms(&mut rng, d, 3 + case) };
        let (instance, s) = (Instance::new(&theta, &set), dot(&theta, &theta).sqrt() + 0.5);
        for rounds in [1_u64, 50, 100_000, 1_000_000_000_000] {
            let t = rounds as f64;
            let it = bound(&instance, s, SETS[case % SETS.len()], rounds);
            let d = d as f64;
            let u = 0.25 / d;
            close(it.elliptical, u / (1.0 + u).ln() * d * (1.0 + t * u / d).ln(), 1e-9, "elliptical");
            let a = it.rho * it.elliptical.sqrt();
            close(it.first_order, a * (t / instance.kappa_star()).sqrt(), 1e-12, "first order");
            let v = 1.0 / (instance.kappa_x() * d);
            let plain = instance.kappa_x() * v / (1.0 + v).ln() * d * (1.0 + t * v / d).ln();
            let by_kappa = 3f64.sqrt() / 36.0 * it.rho * it.rho * plain.min(t / d);
            close(it.second_order.by_kappa, by_kappa, 1e-9, "by kappa");
            assert!(it.second_order.by_kappa <= 0.0482 * it.rho.powi(2) * instance.kappa_x() * it.elliptical);
            let (c, base) = (it.second_order.least(), t / instance.kappa_star());
            let p = (2.0 * instance.best_mean() - 1.0).max(0.0);
            let most = 4.0 * (c + a * a + a * base.sqrt());
            let root = bisect(c, most, |r| a * (base + p * r).sqrt() - (r - c));
            close(it.general, root, 1e-9, "general");
            let printed = ((a + (a * a + 4.0 * (c + a * base.sqrt())).sqrt()) / 2.0).powi(2);
            assert!(it.general <= printed * (1.0 + 1e-12));
            let least = it.general.min(it.trivial).min(it.by_arms.unwrap_or(f64::INFINITY));
            assert_eq!(it.value, least);
        }
    }
}

#[test]
fn three_arms_by_hand() {
    // theta* = 2 and arms 1, 0, -1: log-odds 2, 0, -2; the last is detrimental.
    let list = FiniteArms::new(1, vec![1.0, 0.0, -1.0]).unwrap();
    let instance = Instance::new(&[2.0], &list.into());
    let set = ConfidenceSet::RidgeLevel { excess: 1.0 };
    let it = bound(&instance, 2.0, set, 100_000);
    let square = it.rho_averaged.powi(2);
    let (gap, far) = (0.380_797_077_977_882_3, 0.761_594_155_955_764_9);
    close(it.by_arms.unwrap(), square / 2.0 + square / 4.0, 1e-12, "by arms");
    let plays = square / (4.0 * far);
    close(it.detrimental_plays.unwrap(), plays, 1e-12, "plays");
    let rest = far - 4.0 * 0.104_993_585_403_506_52;
    let by_detrimental = ABOVE * it.rho * it.rho * it.elliptical + rest * plays;
    close(it.second_order.by_detrimental.unwrap(), by_detrimental, 1e-12, "by detrimental arms");
    close(it.trivial, 1e5 * far, 1e-12, "trivial");
    let written = serde_json::to_value(it).unwrap();
    assert_eq!(written["set"], serde_json::json!({ "kind": "ridge-level", "excess": 1.0 }));
    assert_eq!(written["second_order"]["by_detrimental"].as_f64(), it.second_order.by_detrimental);
    // Few rounds bound plays as well.
    let early = bound(&instance, 2.0, set, 7);
    assert_eq!(early.detrimental_plays, Some(7.0));
    close(early.by_arms.unwrap(), 7.0 * (gap + far), 1e-12, "by arms, early");
    assert_eq!(early.value, early.trivial);
}

#[test]
fn ball_and_half_ball() {
    let set = ConfidenceSet::Level { excess: 3.0 };
    let it = bound(&Instance::new(&[0.0, 0.0, 2.5], &ArmSet::Sphere { dimension: 3 }), 2.5, set, 1_000_000_000);
    let plays = 4.0 * it.rho_averaged.powi(2) / (0.5 - mu(-1.0));
    close(it.detrimental_plays.unwrap(), plays, 1e-12, "plays");
    let by_detrimental = ABOVE * it.rho.powi(2) * it.elliptical + plays * (mu(2.5) - mu(-2.5));
    close(it.second_order.by_detrimental.unwrap(), by_detrimental, 1e-12, "cost");
    assert_eq!(it.by_arms, None);
    // No arm of a short parameter is detrimental.
    let short = bound(&Instance::new(&[0.9, 0.0], &ArmSet::Ball { dimension: 2 }), 0.9, set, 1000);
    assert_eq!(short.detrimental_plays, Some(0.0));
    // The half ball has no partition, but plays can be counted.
    let half = UpperBounds::new(&Instance::half_ball(&[0.0, 3.0]), 3.0, DELTA, set, 1000).unwrap();
    let unseen = half.after(1000, &Seen::default()).unwrap();
    assert_eq!((unseen.detrimental_plays, unseen.second_order.by_detrimental), (None, None));
    let seen = half.after(1000, &Seen { elliptical: None, detrimental_plays: Some(10) }).unwrap();
    let by_detrimental = BELOW * seen.rho.powi(2) * seen.elliptical + 10.0 * (0.5 - mu(-3.0));
    close(seen.second_order.by_detrimental.unwrap(), by_detrimental, 1e-12, "counted");
}

#[test]
fn elliptical_sums_are_what_matrices_say_and_within_their_bound() {
    let mut rng = rng(4);
    for case in 0..20 {
        let theta: [f64; 2] = [rng.random_range(-3.0..3.0), rng.random_range(-3.0..3.0)];
        let (mut potential, mut realised, mut sum) = (Potential::new(2), 0.0, 0.0);
        let mut h = [2.0, 0.0, 2.0];
        for t in 1..=2000_u64 {
            let angle: f64 = if case % 2 == 0 { rng.random_range(0.0..7.0) } else { (t % 2) as f64 * 1.57 };
            let x = [angle.cos(), angle.sin()];
            let z = dot(&x, &theta);
            let form =
                (h[2] * x[0] * x[0] - 2.0 * h[1] * x[0] * x[1] + h[0] * x[1] * x[1]) / (h[0] * h[2] - h[1] * h[1]);
            sum += slope(z) * form;
            for (entry, product) in h.iter_mut().zip([x[0] * x[0], x[0] * x[1], x[1] * x[1]]) {
                *entry += slope(z) * product;
            }
            realised += potential.enter(&x, slope(z));
            if t % 500 == 0 {
                close(realised, sum, 1e-9, "sum");
                let instance = Instance::new(&theta, &ArmSet::Ball { dimension: 2 });
                let bounds = UpperBounds::new(&instance, 5.0, DELTA, ConfidenceSet::Tight, t).unwrap();
                let blind = bounds.after(t, &Seen::default()).unwrap();
                assert!(sum <= blind.elliptical);
                let seen = bounds.after(t, &Seen { elliptical: Some(sum), detrimental_plays: None }).unwrap();
                assert_eq!(seen.elliptical, sum);
                assert!(seen.general < blind.general);
            }
        }
    }
    // theta* = 0 and one arm after the other: the bound is nearly reached.
    let mut potential = Potential::new(2);
    let arm = |t: u32| [f64::from(t % 2), f64::from(1 - t % 2)];
    let realised: f64 = (0..100_000).map(|t| potential.enter(&arm(t), 0.25)).sum();
    let bound = bound(&Instance::new(&[0.0, 0.1], &ArmSet::Ball { dimension: 2 }), 1.0, ConfidenceSet::Tight, 100_000);
    assert!(realised <= bound.elliptical && realised > 0.9 * bound.elliptical);
}

#[test]
fn bounds_grow_with_the_rounds() {
    let mut rng = rng(5);
    let theta: Vec<f64> = (0..10).map(|_| rng.random_range(-1.0..1.0)).collect();
    let instance = Instance::new(&theta, &arms(&mut rng, 10, 1000));
    for set in SETS {
        let bounds = UpperBounds::new(&instance, 4.0, DELTA, set, 1_000_000).unwrap();
        let mut last: Option<UpperBound> = None;
        for i in 0..200 {
            let rounds = 1_000_000_f64.powf(f64::from(i) / 199.0).round() as u64;
            let next = bounds.after(rounds, &Seen::default()).unwrap();
            if let Some(last) = last {
                assert!(next.value >= last.value && next.general >= last.general && next.rho >= last.rho);
                assert!(next.first_order >= last.first_order && next.detrimental_plays >= last.detrimental_plays);
            }
            last = Some(next);
        }
    }
}

#[test]
fn theta_so_long_that_kappa_overflows_still_has_a_bound() {
    let it = bound(&Instance::new(&[900.0], &ArmSet::Ball { dimension: 1 }), 900.0, ConfidenceSet::Tight, 1000);
    assert!(it.value.is_finite() && it.value > 0.0 && it.general > 0.0 && !it.general.is_nan());
}

#[test]
fn what_is_wrong_is_refused() {
    let ball = ArmSet::Ball { dimension: 2 };
    let instance = Instance::new(&[0.0, 2.0], &ball);
    let new = |s: f64, delta: f64, set, horizon| UpperBounds::new(&instance, s, delta, set, horizon);
    assert!(message(new(1.5, DELTA, SETS[3], 10)).contains("norm_bound is 1.5"));
    assert!(message(new(2.0, 1.0, SETS[3], 10)).contains("delta is 1"));
    assert!(message(new(f64::NAN, DELTA, SETS[3], 10)).contains("norm_bound"));
    assert!(message(new(2.0, DELTA, SETS[3], 0)).contains("horizon is 0"));
    assert!(message(new(2.0, DELTA, ConfidenceSet::Level { excess: -1.0 }, 9)).contains("excess of the set is -1"));
    assert!(message(new(2.0, DELTA, ConfidenceSet::RidgeLevel { excess: f64::NAN }, 9)).contains("NaN"));
    let bounds = new(2.0, DELTA, SETS[3], 10).unwrap();
    for rounds in [0, 11] {
        assert!(message(bounds.after(rounds, &Seen::default())).contains(&format!("rounds is {rounds}")));
    }
    let seen = Seen { elliptical: Some(f64::NAN), detrimental_plays: None };
    assert!(message(bounds.after(5, &seen)).contains("elliptical sum is NaN"));
    let long = FiniteArms::from_rows(&[[1.1, 0.0], [0.0, 1.0]]).unwrap();
    let text = message(UpperBounds::new(&Instance::new(&[1.0, 1.0], &long.into()), 2.0, DELTA, SETS[3], 10));
    assert!(text.contains("longer than 1"), "{text}");
    let nowhere = Instance::new(&[f64::NAN, 0.0], &ball);
    assert!(message(UpperBounds::new(&nowhere, 2.0, DELTA, SETS[3], 10)).contains("theta* is NaN"));
    assert_eq!(SETS[3].probability(0.05), 0.95);
    assert_eq!(SETS[5].probability(0.05), 0.95);
}
