//! The sequential radii.

use super::*;

#[test]
fn equal_observations_in_one_call_cost_little_more_than_one_by_one() {
    for name in ["sequential-mixing", "likelihood-ratio"] {
        for norm_bound in [Some(3.0), None] {
            for reward in [0.0, 0.3, 1.0] {
                let build = || Belief::with_radius(Radius::by_name(name, &options(2, norm_bound)).unwrap()).unwrap();
                let (mut single, mut batch) = (build(), build());
                for _ in 0..3000 {
                    single.observe(&[0.6, -0.5], reward).unwrap();
                }
                batch.observe_many(&[0.6, -0.5], reward, 3000).unwrap();
                // What the level grants above the least loss.
                let excess = |belief: &mut Belief| {
                    let theta = belief.estimate().to_vec();
                    let set = belief.set();
                    set.level() - set.loss(&theta)
                };
                let (one, many) = (excess(&mut single), excess(&mut batch));
                println!("{name} {norm_bound:?} reward {reward}: excess {one:.3} one by one, {many:.3} in one call");
                // For outcomes all alike the forecast falls like c/k, c of the order of one, and a block has c/16 for
                // c log(17/16): with some hundred blocks the difference is below c/4.
                assert!((one - many).abs() < 0.75, "{name}, reward {reward}: {one} and {many}");
            }
        }
    }
}

#[test]
fn huge_counts_are_fast() {
    let start = std::time::Instant::now();
    for name in ["sequential-mixing", "likelihood-ratio"] {
        let radius = Radius::by_name(name, &options(3, Some(4.0))).unwrap();
        let mut belief = Belief::with_radius(radius).unwrap();
        for (i, reward) in [1.0, 0.0, 0.5, 0.7].into_iter().enumerate() {
            let x = [0.1 * i as f64, 0.5, -0.3];
            belief.observe_many(&x, reward, 1_000_000_000_000).unwrap();
        }
        assert!(belief.set().level().is_finite());
    }
    // Some four hundred updates a call, not 1e12.
    assert!(start.elapsed().as_secs_f64() < 5.0, "{:?}", start.elapsed());
}

#[test]
fn sequential_mixing_level_is_that_of_a_distribution_over_outcomes() {
    // The likelihoods that the forecaster gives to all 2^10 sequences of rewards add up to one. This is what its
    // guarantee rests on, and it would fail if a forecast had seen its own reward.
    let mut rng = rng(13);
    let arms: Vec<Vec<f64>> = (0..10).map(|_| in_ball(&mut rng, 2, 2.0)).collect();
    for (name, norm_bound) in
        [("sequential-mixing", Some(3.0)), ("sequential-mixing", None), ("likelihood-ratio", None)]
    {
        let mut total = 0.0;
        for bits in 0..1024_u32 {
            let mut belief = Belief::with_radius(Radius::by_name(name, &options(2, norm_bound)).unwrap()).unwrap();
            for (s, x) in arms.iter().enumerate() {
                belief.observe(x, f64::from(bits >> s & 1)).unwrap();
            }
            total += (-(belief.set().level() + DELTA.ln())).exp();
        }
        assert_close(total, 1.0, 1e-11);
    }
}

#[test]
fn sequential_radii_must_not_see_their_data_sorted_by_outcome() {
    // One arm, a hundred plays, handed over as one batch for each outcome. Every order of k ones and 100 - k zeros gets
    // the likelihood of the sorted one, and these no longer add up to one: the level would be too low. The mixture does
    // not care for the order.
    let total = |name: &str| {
        let (mut total, mut log_orders) = (0.0, 0.0);
        for ones in 0..=100_u64 {
            if ones > 0 {
                log_orders += (101.0 - ones as f64).ln() - (ones as f64).ln();
            }
            let mut belief = Belief::with_radius(Radius::by_name(name, &options(1, Some(3.0))).unwrap()).unwrap();
            if ones > 0 {
                belief.observe_many(&[1.0], 1.0, ones).unwrap();
            }
            if ones < 100 {
                belief.observe_many(&[1.0], 0.0, 100 - ones).unwrap();
            }
            total += (log_orders - belief.set().level() - DELTA.ln()).exp();
        }
        total
    };
    let (sequential, mixture) = (total("sequential-mixing"), total("mixture"));
    println!("sorted by outcome: total likelihood {sequential:e} for sequential-mixing, {mixture:.3} for mixture");
    assert!(sequential > 1e3 && mixture <= 1.0);
}

#[test]
fn discounted_likelihood_ratios_have_mean_at_most_one() {
    // E over all sequences of rewards of exp(L^w(theta*) - sum of weighted losses), in which the weights do not depend
    // on the rewards.
    let mut rng = rng(14);
    let arms: Vec<Vec<f64>> = (0..10).map(|_| in_ball(&mut rng, 2, 1.0)).collect();
    for theta in [[0.0, 0.0], [2.9, 0.0], [-1.0, 2.0]] {
        let mut mean = 0.0;
        for bits in 0..1024_u32 {
            let radius = Radius::by_name("likelihood-ratio", &options(2, Some(3.0))).unwrap();
            let mut belief = Belief::with_radius(radius).unwrap();
            let mut log_probability = 0.0;
            for (s, x) in arms.iter().enumerate() {
                let reward = f64::from(bits >> s & 1);
                belief.observe(x, reward).unwrap();
                let z = dot(x, &theta);
                log_probability -= link::softplus(z) - reward * z;
            }
            let set = belief.set();
            mean += (log_probability + set.loss(&theta) - set.level() - DELTA.ln()).exp();
        }
        println!("discounted likelihood ratio at {theta:?}: mean {mean:.4}");
        assert!(mean <= 1.0 + 1e-12 && mean > 0.01, "{mean}");
    }
}

/// The expectation of M = exp(L(theta*) - level)/delta over a complete set of outcome sequences must be at most one:
/// that is what makes the level valid. Sequences are handed over as runs, as a caller who counts would.
#[test]
fn runs_may_be_handed_over_as_counts() {
    let longest = 120;
    for name in ["mixture", "sequential-mixing", "likelihood-ratio", "ofuglb"] {
        for (norm_bound, theta) in [(Some(16.0), 1.0), (Some(4.0), 3.0), (None, 2.0)] {
            if name == "ofuglb" && norm_bound.is_none() {
                continue;
            }
            let p = optimist::link::mean(theta);
            let ratio = |successes: u64, failure: bool| {
                let radius = Radius::by_name(name, &options(1, norm_bound)).unwrap();
                let mut belief = Belief::with_radius(radius).unwrap();
                if successes > 0 {
                    belief.observe_many(&[1.0], 1.0, successes).unwrap();
                }
                if failure {
                    belief.observe(&[1.0], 0.0).unwrap();
                }
                let set = belief.set();
                (set.loss(&[theta]) - set.level()).exp() / DELTA
            };
            // Either the first failure comes after k successes, or there is none in the first `longest` outcomes.
            let stopped = (0..longest).map(|k| p.powi(k as i32) * (1.0 - p) * ratio(k, true)).sum::<f64>();
            let expectation = stopped + p.powi(longest as i32) * ratio(longest, false);
            assert!(expectation <= 1.0 + 1e-9, "{name}, S {norm_bound:?}, theta {theta}: {expectation}");
        }
    }
}
