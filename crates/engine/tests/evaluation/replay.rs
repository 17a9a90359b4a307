//! Rejection replay.

use optimist_engine::evaluation::{Replay, ReplayConcern, Verdict};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::simulation::{Misses, assert_covered};

const PAYS: [f64; 4] = [0.2, 0.4, 0.6, 0.8];

fn toss(rng: &mut ChaCha8Rng, chance: f64) -> f64 {
    f64::from(u8::from(rng.random::<f64>() < chance))
}

fn uniform(rng: &mut ChaCha8Rng) -> usize {
    (rng.random::<f64>() * 4.0) as usize
}

#[test]
fn a_fixed_candidate_is_covered_at_all_times() {
    let mut runs = vec![];
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut replay, mut misses) = (Replay::new(4).unwrap(), Misses::default());
        for t in 0..600 {
            // Two actions in turn: 0.4 and 0.8 are 0.6 on average, whichever rows match.
            let logged = uniform(&mut rng);
            let chosen = if rng.random::<f64>() < 0.5 { 1 } else { 3 };
            let reward = toss(&mut rng, PAYS[logged]);
            replay.push(chosen, logged, reward).unwrap();
            if t % 4 == 0 && replay.report(0.5).unwrap().estimate.is_some() {
                misses.look(0.6, |delta| replay.report(delta).unwrap().estimate.unwrap().always_valid.unwrap());
            }
        }
        runs.push(misses);
    }
    assert_covered("replay", &runs);
}

/// A candidate that learns from its matches earns in replay what it earns when in charge (Li et al. 2011, Theorem 1).
#[test]
fn a_learning_candidate_earns_what_it_would_have() {
    let steps = 100;
    let learn = |counts: &mut [f64; 4], sums: &mut [f64; 4], action: usize, reward: f64| {
        counts[action] += 1.0;
        sums[action] += reward;
    };
    let choose = |rng: &mut ChaCha8Rng, counts: &[f64; 4], sums: &[f64; 4]| {
        if rng.random::<f64>() < 0.2 {
            return uniform(rng);
        }
        let rate = |a: usize| (sums[a] + 0.5) / (counts[a] + 1.0);
        (0..4).max_by(|&a, &b| rate(a).total_cmp(&rate(b))).unwrap()
    };
    let (mut in_charge, mut replayed) = (vec![], vec![]);
    for seed in 0..600 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut counts, mut sums) = ([0.0; 4], [0.0; 4]);
        for _ in 0..steps {
            let action = choose(&mut rng, &counts, &sums);
            let reward = toss(&mut rng, PAYS[action]);
            learn(&mut counts, &mut sums, action, reward);
        }
        in_charge.push(sums.iter().sum::<f64>() / steps as f64);

        let (mut counts, mut sums) = ([0.0; 4], [0.0; 4]);
        let mut replay = Replay::new(4).unwrap();
        let mut matched = 0;
        while matched < steps {
            let logged = uniform(&mut rng);
            let chosen = choose(&mut rng, &counts, &sums);
            let reward = toss(&mut rng, PAYS[logged]);
            if replay.push(chosen, logged, reward).unwrap() {
                learn(&mut counts, &mut sums, logged, reward);
                matched += 1;
            }
        }
        // The one in a thousand that the test of uniformity refuses has a mean all the same.
        if let Some(estimate) = replay.report(0.05).unwrap().estimate {
            replayed.push(estimate.value);
        }
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let variance = |values: &[f64]| {
        let centre = mean(values);
        values.iter().map(|v| (v - centre).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0) / values.len() as f64
    };
    let (a, b) = (mean(&in_charge), mean(&replayed));
    let margin = 4.0 * (variance(&in_charge) + variance(&replayed)).sqrt();
    println!("in charge {a:.4}, replayed {b:.4}, margin {margin:.4}, {} replays", replayed.len());
    assert!((a - b).abs() < margin && margin < 0.03 && replayed.len() > 590);
}

#[test]
fn logs_that_are_not_uniform() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    // One action more often than the others.
    let mut replay = Replay::new(4).unwrap();
    for _ in 0..2000 {
        let logged = if rng.random::<f64>() < 0.15 { 2 } else { uniform(&mut rng) };
        replay.push(0, logged, 1.0).unwrap();
    }
    let report = replay.report(0.05).unwrap();
    assert_eq!((report.verdict, &report.estimate), (Verdict::Refused, &None));
    assert!(matches!(report.concerns[0], ReplayConcern::UnevenActions { action: 2, .. }), "{:?}", report.concerns);
    assert!(report.concerns[0].to_string().contains("the log is not uniform: action 2"));

    // Even over all, but following the context, as the candidate does: only the matches show it.
    let mut replay = Replay::new(4).unwrap();
    for i in 0..2000 {
        let context = i % 4;
        let logged = if rng.random::<f64>() < 0.2 { context } else { uniform(&mut rng) };
        replay.push(context, logged, 1.0).unwrap();
    }
    let report = replay.report(0.05).unwrap();
    assert!(matches!(report.concerns[..], [ReplayConcern::UnevenMatches { .. }]), "{:?}", report.concerns);
    assert_eq!((report.verdict, report.estimate), (Verdict::Refused, None));
}

#[test]
fn uniform_logs_are_hardly_ever_refused() {
    let mut refused = 0;
    for seed in 0..2000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut replay = Replay::new(4).unwrap();
        for i in 0..500 {
            let logged = uniform(&mut rng);
            replay.push(i % 4, logged, 1.0).unwrap();
        }
        // Evidence once reached is kept, so one look at the end sees all looks.
        refused += i32::from(replay.report(0.05).unwrap().verdict == Verdict::Refused);
    }
    // A mean of at most 2, so 8 has a probability below 2e-4.
    println!("uniform logs refused: {refused} of 2000");
    assert!(refused < 8, "{refused}");
}

#[test]
fn what_cannot_be_replayed() {
    assert!(Replay::new(0).unwrap_err().to_string().contains("actions is 0: it must be from 1 to 65536"));
    let mut replay = Replay::new(2).unwrap();
    let before = replay.clone();
    assert!(replay.push(2, 0, 1.0).unwrap_err().to_string().contains("chosen is 2: it must be from 0 to 1"));
    assert!(replay.push(0, 5, 1.0).unwrap_err().to_string().contains("logged is 5"));
    assert!(replay.push(0, 0, f64::NAN).unwrap_err().to_string().contains("reward is NaN"));
    assert_eq!(replay, before);
    assert!(matches!(replay.report(0.05).unwrap().concerns[0], ReplayConcern::NoMatches { rows: 0 }));
    for i in 0..20 {
        replay.push(i % 2, (i / 2) % 2, 0.0).unwrap();
    }
    let report = replay.report(0.05).unwrap();
    assert_eq!((report.matched, report.verdict), (10, Verdict::TooLittleSupport));
    assert_eq!(report.estimate.unwrap().value, 0.0);
}
