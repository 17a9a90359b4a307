//! The interval again, from the definition: for every mean on a grid, what would all gamblers own?

use optimist_engine::evaluation::{BoundedMean, Interval, LoggedRow, OffPolicy, OffPolicyOptions, WeightedMean};

const BETS: usize = 24;
const STEPS: usize = 20_000;

/// The wealth of one way to bet, if the means of `xs`, each at least its floor, average `mean`.
fn wealth(xs: &[(f64, f64)], mean: f64) -> f64 {
    let mut total = 0.0;
    let mut shares = 0.0;
    for j in 0..BETS {
        let lambda = 7.5 * 0.5f64.powi(j as i32);
        let share = 1.0 / (1.0 + ((j as f64 - 8.0) / 4.0).powi(2));
        let mut owns = 1.0;
        for (i, &(x, floor)) in xs.iter().enumerate() {
            let past = (0.5 + xs[..i].iter().map(|row| row.0).sum::<f64>()) / (i + 1) as f64;
            let centre = past.clamp(0.0, 1.0).min(floor + 0.9375 / lambda);
            assert!(1.0 + lambda * (x - centre) > 0.06, "a gambler may not lose all");
            owns *= (1.0 + lambda * (x - centre)) * (lambda * (centre - mean)).exp();
        }
        total += share * owns;
        shares += share;
    }
    total / shares
}

/// The smallest mean on the grid that is not excluded.
fn lower(ways: &[Vec<(f64, f64)>], delta: f64) -> f64 {
    let grid = (0..=STEPS).map(|k| k as f64 / STEPS as f64);
    let owns = |mean: f64| ways.iter().map(|way| wealth(way, mean)).sum::<f64>() / ways.len() as f64;
    grid.clone().find(|&mean| owns(mean) < 1.0 / delta).unwrap_or(1.0)
}

fn assert_agree(interval: Interval, below: &[Vec<(f64, f64)>], above: &[Vec<(f64, f64)>], delta: f64) {
    let step = 1.0 / STEPS as f64;
    let (lower, upper) = (lower(below, delta / 2.0), 1.0 - self::lower(above, delta / 2.0));
    assert!(interval.lower <= lower && lower <= interval.lower + step, "{interval:?}: by force {lower}");
    assert!(interval.upper >= upper && upper >= interval.upper - step, "{interval:?}: by force {upper}");
}

/// Rows without much order: (propensity, target, reward).
fn rows() -> Vec<(f64, f64, f64)> {
    (0..40u32)
        .map(|i| {
            let p = [0.5, 0.1, 0.4, 0.05][(i * i % 7 % 4) as usize];
            (p, [0.2, 0.5, 0.0, 0.25][(i % 4) as usize], f64::from(i * 5 % 11) / 10.0)
        })
        .collect()
}

#[test]
fn rewards_without_weights() {
    let mut mean = BoundedMean::new();
    let mut rewards = vec![];
    for (_, _, reward) in rows() {
        rewards.push(reward);
        mean.push(reward).unwrap();
        if rewards.len() % 13 == 0 {
            let below = rewards.iter().map(|r| (*r, 0.0)).collect();
            let above = rewards.iter().map(|r| (1.0 - r, 0.0)).collect();
            assert_agree(mean.interval(0.3).unwrap(), &[below], &[above], 0.3);
        }
    }
}

#[test]
fn weighted_rewards() {
    let limit = 10.0;
    let mut free = WeightedMean::new(None).unwrap();
    let mut limited = WeightedMean::new(Some(limit)).unwrap();
    let mut plain = [vec![], vec![]];
    let mut centred = [vec![], vec![]];
    let (mut weights, mut sum) = (0.0, 0.0);
    for (p, q, r) in rows() {
        free.push(p, q, r, 0.0).unwrap();
        limited.push(p, q, r, 0.0).unwrap();
        let w = q / p;
        let c = (0.5 + sum) / (1.0 + weights);
        plain[0].push((w * r, 0.0));
        plain[1].push((w * (1.0 - r), 0.0));
        centred[0].push((w * (r - c) + c, -c * limit));
        centred[1].push((w * (c - r) + 1.0 - c, -(1.0 - c) * limit));
        weights += w;
        sum += w * r;
    }
    for delta in [0.9, 0.2] {
        assert_agree(free.interval(delta).unwrap(), &plain[..1], &plain[1..], delta);
        let [below, above] = [0, 1].map(|side| [plain[side].clone(), centred[side].clone()]);
        assert_agree(limited.interval(delta).unwrap(), &below, &above, delta);
    }
}

/// Every figure of a report, from its formula and all rows at once.
#[test]
fn estimates_from_their_formulas() {
    let clip = 2.0;
    let mut evaluation = OffPolicy::new(OffPolicyOptions { clip, ..Default::default() }).unwrap();
    let rows = rows();
    let model = |i: usize| (0.1 + 0.02 * i as f64, 0.7 - 0.01 * i as f64);
    for (i, &(p, q, r)) in rows.iter().enumerate() {
        let (logged, target) = model(i);
        evaluation.push(&LoggedRow::new(p, q, r).with_predictions(logged, target)).unwrap();
    }
    let report = evaluation.report(0.1).unwrap();
    let estimates = report.estimates.unwrap();
    let n = rows.len() as f64;
    let mean = |f: &dyn Fn(usize, f64, f64) -> f64| {
        rows.iter().enumerate().map(|(i, &(p, q, r))| f(i, q / p, r)).sum::<f64>() / n
    };
    let error = |f: &dyn Fn(usize, f64, f64) -> f64| {
        let centre = mean(f);
        (mean(&|i, w, r| (f(i, w, r) - centre).powi(2)) / (n - 1.0)).sqrt()
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} is not {b}");

    let ips = estimates.inverse_propensity;
    near(ips.value, mean(&|_, w, r| w * r));
    near(ips.standard_error.unwrap(), error(&|_, w, r| w * r));
    near(ips.asymptotic.unwrap().upper, ips.value + 1.6448536269514722 * ips.standard_error.unwrap());
    let effective = (n * mean(&|_, w, _| w)).powi(2) / (n * mean(&|_, w, _| w * w));
    near(ips.effective_rows, effective);

    let snips = estimates.self_normalised.unwrap();
    let ratio = mean(&|_, w, r| w * r) / mean(&|_, w, _| w);
    near(snips.value, ratio);
    near(snips.standard_error.unwrap(), error(&|_, w, r| w * (r - ratio)) / mean(&|_, w, _| w));

    let clipped = estimates.clipped;
    near(clipped.estimate.value, mean(&|_, w, r| w.min(clip) * r));
    near(clipped.bias_bound, (1.0 - mean(&|_, w, _| w.min(clip))).max(0.0));
    let upper =
        1.0 - mean(&|_, w, r| w.min(clip) * (1.0 - r)) + 1.6448536269514722 * error(&|_, w, r| w.min(clip) * (1.0 - r));
    near(clipped.estimate.asymptotic.unwrap().upper, upper);

    let robust = estimates.doubly_robust.unwrap();
    let x = |i: usize, w: f64, r: f64| model(i).1 + w * (r - model(i).0);
    near(robust.value, mean(&x));
    near(robust.standard_error.unwrap(), error(&x));
}
