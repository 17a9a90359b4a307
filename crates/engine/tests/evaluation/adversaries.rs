//! Truths that try to break always-valid intervals.

use optimist_engine::evaluation::{BoundedMean, WeightedMean};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::simulation::{Logger, Misses, TARGET, assert_covered, value};

/// One or zero.
fn toss(rng: &mut ChaCha8Rng, chance: f64) -> f64 {
    f64::from(u8::from(rng.random::<f64>() < chance))
}

/// Values that drift, jump and swing: the interval is for their running mean.
#[test]
fn drifting_rewards() {
    let chances = |t: usize| {
        let swing = 0.5 + 0.4 * (t as f64 / 15.0).sin();
        let jump = if t < 150 { 0.05 } else { 0.95 };
        [[swing, jump, 1.0 - jump], [1.0 - swing, t as f64 / 300.0, 0.5]]
    };
    let (mut free, mut limited) = (vec![], vec![]);
    for seed in 0..400 {
        let mut logger = Logger::new(seed, 0.3);
        let mut evaluations =
            [WeightedMean::new(None).unwrap(), WeightedMean::new(Some(logger.weight_limit())).unwrap()];
        let (mut misses, mut total) = ([Misses::default(); 2], 0.0);
        for t in 0..300 {
            let now = chances(t);
            total += value(&TARGET, &now);
            let step = logger.step(&now);
            for (evaluation, misses) in evaluations.iter_mut().zip(&mut misses) {
                evaluation.push(step.propensity, TARGET[step.context][step.action], step.reward, 0.0).unwrap();
                misses.look(total / (t + 1) as f64, |delta| evaluation.interval(delta).unwrap());
            }
        }
        free.push(misses[0]);
        limited.push(misses[1]);
    }
    assert_covered("drift, weights unbounded", &free);
    assert_covered("drift, weights bounded", &limited);
}

/// The chance of the next reward is set far from the mean of the past, where the centre of the bets is wrong.
#[test]
fn chances_that_flee_the_past() {
    let mut runs = vec![];
    for seed in 0..600 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut mean, mut misses) = (BoundedMean::new(), Misses::default());
        let (mut seen, mut truth) = (0.0, 0.0);
        for t in 0..400 {
            let chance = if seen > 0.5 * t as f64 { 0.02 } else { 0.98 };
            let reward = toss(&mut rng, chance);
            seen += reward;
            truth += chance;
            mean.push(reward).unwrap();
            misses.look(truth / (t + 1) as f64, |delta| mean.interval(delta).unwrap());
        }
        runs.push(misses);
    }
    assert_covered("chances that flee", &runs);
}

/// Rewards stop paying as soon as the interval is about to miss: the past decides what comes.
#[test]
fn chances_that_chase_a_miss() {
    let mut runs = vec![];
    for seed in 0..400 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut mean, mut misses, mut truth) = (BoundedMean::new(), Misses::default(), 0.0);
        for t in 0..300 {
            let interval = mean.interval(0.5).unwrap();
            let now = if t == 0 { 0.5 } else { truth / t as f64 };
            // Nearer to the lower end: keep that by luck of sure rewards; else add noise.
            let chance = if now - interval.lower < interval.upper - now { 0.999 } else { 0.5 };
            truth += chance;
            mean.push(toss(&mut rng, chance)).unwrap();
            misses.look(truth / (t + 1) as f64, |delta| mean.interval(delta).unwrap());
        }
        runs.push(misses);
    }
    assert_covered("chances that chase a miss", &runs);
}

/// The target takes an action that is logged once in a hundred rows: weights of a hundred, and mostly none.
#[test]
fn rare_large_weights() {
    for (name, chance) in [("pay", 1.0), ("never pay", 0.0), ("pay at times", 0.3)] {
        for limit in [None, Some(100.0)] {
            let mut runs = vec![];
            for seed in 0..400 {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let (mut evaluation, mut misses) = (WeightedMean::new(limit).unwrap(), Misses::default());
                for _ in 0..600 {
                    let (p, q) = if rng.random::<f64>() < 0.01 { (0.01, 1.0) } else { (0.99, 0.0) };
                    let reward = toss(&mut rng, chance);
                    evaluation.push(p, q, reward, 0.0).unwrap();
                    misses.look(chance, |delta| evaluation.interval(delta).unwrap());
                }
                runs.push(misses);
            }
            assert_covered(&format!("rare weights that {name}, limit {limit:?}"), &runs);
        }
    }
}

/// Propensities that shrink towards a floor as the log goes on, and weights that grow with them.
#[test]
fn propensities_that_shrink() {
    let mut runs = vec![];
    for seed in 0..400 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut evaluation, mut misses) = (WeightedMean::new(None).unwrap(), Misses::default());
        for t in 0..600 {
            let p = (1.0 / (1.0 + t as f64)).max(0.002);
            let (p, q, chance) = if rng.random::<f64>() < p { (p, 0.5, 0.9) } else { (1.0 - p, 0.5, 0.4) };
            evaluation.push(p, q, toss(&mut rng, chance), 0.0).unwrap();
            misses.look(0.65, |delta| evaluation.interval(delta).unwrap());
        }
        runs.push(misses);
    }
    assert_covered("propensities that shrink", &runs);
}

/// Constant rewards: the truth is an end of the range, and must never be excluded by rounding.
#[test]
fn constant_rewards() {
    for reward in [0.0, 1.0, 0.3] {
        let mut mean = BoundedMean::new();
        for t in 1..=20_000 {
            mean.push(reward).unwrap();
            if t % 37 == 0 || t < 50 {
                let interval = mean.interval(0.05).unwrap();
                assert!(interval.contains(reward), "{reward} after {t}: {interval}");
            }
        }
        let width = mean.interval(0.05).unwrap().width();
        println!("constant {reward}: width {width:.6} after 20000 rows");
        assert!(width < 0.0012, "{reward}: {width}");
    }
}

/// Mass on actions that could not have been logged: with it handed over, ends hold whatever those actions earn.
#[test]
fn actions_that_were_never_logged() {
    for hidden in [0.0, 1.0] {
        let (logged, mass) = (0.5, 0.3);
        let truth = (1.0 - mass) * logged + mass * hidden;
        for limit in [None, Some(1.0)] {
            let mut runs = vec![];
            for seed in 0..300 {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let (mut evaluation, mut misses) = (WeightedMean::new(limit).unwrap(), Misses::default());
                for _ in 0..400 {
                    evaluation.push(1.0, 1.0 - mass, toss(&mut rng, logged), mass).unwrap();
                    misses.look(truth, |delta| evaluation.interval(delta).unwrap());
                }
                runs.push(misses);
            }
            assert_covered(&format!("hidden actions earn {hidden}, limit {limit:?}"), &runs);
        }
    }
}
