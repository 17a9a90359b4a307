//! Posteriors in one pass, against slow computations and against each other.

use optimist::numerics::{Cholesky, Precision, dot};
use optimist::posterior::{DenseFilter, HybridFilter, OnePass, Prediction, Row, Structure};
use optimist::{Error, Generator, generator, link};
use rand::RngExt;

fn random_vector(rng: &mut Generator, d: usize) -> Vec<f64> {
    (0..d).map(|_| rng.random_range(-1.0..1.0)).collect()
}

fn assert_alike(a: Prediction, b: Prediction, tolerance: f64) {
    let near = |x: f64, y: f64| (x - y).abs() <= tolerance * (1.0 + x.abs());
    assert!(near(a.mean, b.mean) && near(a.variance, b.variance), "{a:?} and {b:?}");
}

/// The row of arm `k` of `arms` with all parameters written out.
fn written_out(features: &[f64], shared: usize, k: usize, arms: usize) -> Vec<f64> {
    let own = features.len() - shared;
    let mut x = vec![0.0; shared + arms * own];
    x[..shared].copy_from_slice(&features[..shared]);
    x[shared + k * own..][..own].copy_from_slice(&features[shared..]);
    x
}

#[test]
fn parts_are_the_whole() {
    for (seed, shared, own) in [(1, 3, 2), (2, 0, 3), (3, 4, 0), (4, 1, 1)] {
        let (mut rng, arms, ridge) = (generator(seed), 5, 0.3);
        let mut parts = HybridFilter::new(shared, own, ridge).unwrap();
        let mut whole = DenseFilter::new(shared + arms * own, ridge).unwrap();
        for _ in 0..600 {
            let (k, features) = (rng.random_range(0..arms), random_vector(&mut rng, shared + own));
            let reward = [0.0, 1.0, rng.random()][rng.random_range(0..3)];
            let x = written_out(&features, shared, k, arms);
            assert_alike(parts.predict(k as u64, &features).unwrap(), whole.predict(&x).unwrap(), 1e-11);
            parts.observe(k as u64, &features, reward).unwrap();
            whole.observe(&x, reward).unwrap();
        }
        for k in 0..arms {
            let theta = parts.own_theta(k as u64).unwrap();
            for (a, b) in theta.iter().zip(&whole.theta()[shared + k * own..]) {
                assert!((a - b).abs() < 1e-10, "{a} and {b}");
            }
        }
    }
}

/// The mode of N(0, 1/ridge) and the outcomes of one feature, by bisection, and the information there.
fn exact(ridge: f64, rows: &[(f64, f64)]) -> (f64, f64) {
    let slope = |t: f64| ridge * t + rows.iter().map(|(x, r)| (link::mean(x * t) - r) * x).sum::<f64>();
    let (mut low, mut high) = (-1e4, 1e4);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    (low, ridge + rows.iter().map(|(x, _)| x * x * link::variance(x * low)).sum::<f64>())
}

/// Bad luck first, then good, under a wide prior: where a filter is far off.
#[test]
fn the_start_of_an_arm_that_shares_nothing_is_fitted() {
    let (ridge, structure) = (0.01, Structure::Hybrid { shared: 0, own: 1 });
    let mut posterior = OnePass::new(structure, &[ridge], None).unwrap();
    let mut filter = HybridFilter::new(0, 1, ridge).unwrap();
    let (mut rows, mut farthest) = (Vec::new(), 0.0f64);
    for i in 0..64 {
        let (x, reward) = (1.0 + f64::from(i % 3), f64::from(u8::from(i > 9 && i % 2 == 0)));
        rows.push((x, reward));
        posterior.observe(&Row::Own { owner: 9, features: &[x] }, reward).unwrap();
        posterior.observe(&Row::Own { owner: 2, features: &[x] }, 0.5).unwrap(); // Another arm is another matter.
        filter.observe(9, &[x], reward).unwrap();
        let (mode, information) = exact(ridge, &rows);
        let said = posterior.predict(&Row::Own { owner: 9, features: &[1.0] }).unwrap();
        assert!((said.mean - mode).abs() * information.sqrt() < 2e-3, "{i}: {said:?} and {mode}");
        assert!((said.variance * information - 1.0).abs() < 2e-3, "{i}: {said:?} and {information}");
        farthest = farthest.max((filter.predict(9, &[1.0]).unwrap().mean - mode).abs() * information.sqrt());
    }
    assert!(farthest > 0.5, "the filter alone is off by {farthest} posterior deviations at most");
    // An arm that was removed starts anew.
    assert!(posterior.remove(9));
    (0..3).for_each(|_| posterior.observe(&Row::Own { owner: 9, features: &[1.0] }, 1.0).unwrap());
    let (mode, _) = exact(ridge, &[(1.0, 1.0); 3]);
    let said = posterior.predict(&Row::Own { owner: 9, features: &[1.0] }).unwrap();
    assert!((said.mean - mode).abs() < 1e-2 * mode, "{said:?} and {mode}");
}

#[test]
fn what_is_counted_unseen_narrows_as_in_the_whole_and_leaves_the_estimate() {
    for (seed, shared, own) in [(1, 3, 2), (2, 0, 3), (3, 4, 0)] {
        let (mut rng, arms, ridge) = (generator(seed), 4, 0.7);
        let mut parts = HybridFilter::new(shared, own, ridge).unwrap();
        let d = shared + arms * own;
        let (mut whole, mut direction) = (Precision::new(d, ridge), vec![0.0; d]);
        for _ in 0..300 {
            let (k, features) = (rng.random_range(0..arms), random_vector(&mut rng, shared + own));
            let (x, weight) = (written_out(&features, shared, k, arms), rng.random_range(0.0..0.25));
            let variance = whole.solve(&x, &mut direction);
            whole.add(weight, &x, &direction, variance);
            let before = parts.add(k as u64, &features, weight).unwrap();
            assert_alike(before, Prediction { mean: 0.0, variance }, 1e-11);
        }
        let before = format!("{parts:?}");
        for (length, weight) in [(shared + own + 1, 1.0), (shared + own, -1.0), (shared + own, f64::NAN)] {
            parts.add(0, &vec![0.5; length], weight).unwrap_err();
        }
        assert_eq!(before, format!("{parts:?}"));
    }
}

#[test]
fn an_arm_that_goes_leaves_what_it_taught() {
    let mut rng = generator(7);
    let mut filter = HybridFilter::new(2, 2, 1.0).unwrap();
    for _ in 0..300 {
        let (k, features) = (rng.random_range(0..3), random_vector(&mut rng, 4));
        filter.observe(k, &features, f64::from(u8::from(rng.random_bool(0.4)))).unwrap();
    }
    let x = random_vector(&mut rng, 4);
    let before = [filter.predict(0, &x).unwrap(), filter.predict(9, &x).unwrap()];
    assert!(filter.remove(1) && !filter.remove(1));
    assert_eq!(before, [filter.predict(0, &x).unwrap(), filter.predict(9, &x).unwrap()]);
    // It comes back as an arm that was never seen.
    assert_eq!(filter.predict(1, &x).unwrap(), filter.predict(9, &x).unwrap());
}

/// A sum whose rounding errors are collected (Neumaier): as good as in twice the precision.
#[derive(Clone, Copy, Default)]
struct Sum {
    sum: f64,
    error: f64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        self.error += if self.sum.abs() >= value.abs() { (self.sum - sum) + value } else { (value - sum) + self.sum };
        self.sum = sum;
    }

    fn value(self) -> f64 {
        self.sum + self.error
    }
}

/// After each step x'theta is z with H theta = sum (reward - mu(z) + mu'(z) z) x: sums that need no recursion.
#[test]
fn a_million_updates_leave_no_trace_of_rounding() {
    let (d, ridge, mut rng) = (4, 0.5, generator(11));
    let mut filter = DenseFilter::new(d, ridge).unwrap();
    let (mut matrix, mut right) = (vec![Sum::default(); d * d], vec![Sum::default(); d]);
    let truth = [1.0, -2.0, 0.5, 0.0];
    for i in 0..1_000_000 {
        let mut x = random_vector(&mut rng, d);
        // A direction that is hardly ever seen.
        x[d - 1] *= if i % 10_000 == 0 { 1.0 } else { 1e-4 };
        let reward = f64::from(u8::from(rng.random::<f64>() < link::mean(dot(&x, &truth))));
        filter.observe(&x, reward).unwrap();
        let z = dot(&x, filter.theta());
        let weight = link::variance(z);
        for a in 0..d {
            right[a].add((reward - link::mean(z) + weight * z) * x[a]);
            (0..=a).for_each(|b| matrix[a * d + b].add(weight * x[a] * x[b]));
        }
    }
    let matrix: Vec<f64> = matrix.iter().map(|s| s.value()).collect();
    let mut cholesky = Cholesky::new(d);
    assert!(cholesky.factor(&matrix, ridge));
    let mut theta: Vec<f64> = right.iter().map(|s| s.value()).collect();
    cholesky.solve(&mut theta);
    for (kept, fresh) in filter.theta().iter().zip(&theta) {
        assert!((kept - fresh).abs() < 1e-8 * (1.0 + fresh.abs()), "{kept} and {fresh}");
    }
    for a in 0..d {
        let mut unit = vec![0.0; d];
        unit[a] = 1.0;
        let variance = filter.predict(&unit).unwrap().variance;
        cholesky.solve_lower(&mut unit);
        let fresh = dot(&unit, &unit);
        assert!((variance / fresh - 1.0).abs() < 1e-8, "{variance} and {fresh}");
    }
}

#[test]
fn sparse_rows_say_what_they_say_with_their_zeros() {
    let (d, mut rng) = (40, generator(13));
    let structure = Structure::Shared { dimension: d };
    let (mut sparse, mut dense) =
        (OnePass::new(structure, &[0.2, 1.0], None).unwrap(), OnePass::new(structure, &[0.2, 1.0], None).unwrap());
    for _ in 0..400 {
        let mut indices: Vec<u32> = (0..4).map(|_| rng.random_range(0..d as u32)).collect();
        indices.sort_unstable();
        indices.dedup();
        let values = random_vector(&mut rng, indices.len());
        let mut x = vec![0.0; d];
        indices.iter().zip(&values).for_each(|(i, v)| x[*i as usize] = *v);
        let row = Row::Sparse { indices: &indices, values: &values };
        assert_alike(sparse.predict(&row).unwrap(), dense.predict(&Row::Dense(&x)).unwrap(), 1e-12);
        let reward = f64::from(u8::from(rng.random_bool(0.5)));
        sparse.observe(&row, reward).unwrap();
        dense.observe(&Row::Dense(&x), reward).unwrap();
    }
}

/// One parameter: the recursion H <- k H + (1 - k) ridge is exact in every step.
#[test]
fn information_halves_after_its_half_life() {
    let (ridge, life) = (0.25, 30.0);
    for structure in [Structure::Shared { dimension: 1 }, Structure::Hybrid { shared: 0, own: 1 }] {
        let mut posterior = OnePass::new(structure, &[ridge], Some(life)).unwrap();
        let row = |x: &'static [f64]| match structure {
            Structure::Shared { .. } => Row::Dense(x),
            Structure::Hybrid { .. } => Row::Own { owner: 3, features: x },
        };
        (0..200).for_each(|i| posterior.observe(&row(&[1.0]), f64::from(u8::from(i % 3 == 0))).unwrap());
        let before = 1.0 / posterior.predict(&row(&[1.0])).unwrap().variance;
        // Rows that say nothing: only time passes.
        (0..30).for_each(|_| posterior.observe(&row(&[0.0]), 1.0).unwrap());
        let after = 1.0 / posterior.predict(&row(&[1.0])).unwrap().variance;
        assert!((after - ridge - 0.5 * (before - ridge)).abs() < 1e-9 * before, "{before} {after}");
    }
}

/// Several parameters: the prior is given back one direction at a time, which comes to the same over a cycle.
#[test]
fn forgetting_in_turns_is_forgetting_at_once_but_for_a_cycle() {
    let (d, ridge, life) = (3, 2.0, 50.0);
    let mut posterior = OnePass::new(Structure::Shared { dimension: d }, &[ridge], Some(life)).unwrap();
    let mut rng = generator(17);
    for _ in 0..2_000 {
        // The last direction is never observed: it must stay at the prior.
        let x = [rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0), 0.0];
        posterior.observe(&Row::Dense(&x), 1.0).unwrap();
        let idle = posterior.predict(&Row::Dense(&[0.0, 0.0, 1.0])).unwrap().variance * ridge;
        let swing = (d as f64) * std::f64::consts::LN_2 / life;
        assert!((idle - 1.0).abs() < swing, "{idle}");
    }
}

#[test]
fn evidence_finds_the_scale_of_the_truth() {
    for (size, expected) in [(0.05, 0), (20.0, 2)] {
        let d = 10;
        let ridges = [100.0, 1.0, 0.01];
        let structure = Structure::Shared { dimension: d };
        let mut weighed = OnePass::new(structure, &ridges, None).unwrap();
        let mut alone = OnePass::new(structure, &ridges[expected..=expected], None).unwrap();
        let mut rng = generator(19);
        let truth: Vec<f64> = random_vector(&mut rng, d).iter().map(|t| size * t).collect();
        for _ in 0..2_000 {
            let x = random_vector(&mut rng, d);
            let reward = f64::from(u8::from(rng.random::<f64>() < link::mean(dot(&x, &truth))));
            weighed.observe(&Row::Dense(&x), reward).unwrap();
            alone.observe(&Row::Dense(&x), reward).unwrap();
        }
        assert_eq!(weighed.theta(), alone.theta(), "theta of size {size}");
    }
}

#[test]
fn bad_rows_are_refused_and_change_nothing() {
    let mut posterior = OnePass::new(Structure::Shared { dimension: 3 }, &[1.0], None).unwrap();
    posterior.observe(&Row::Dense(&[1.0, 0.0, 0.5]), 1.0).unwrap();
    let before = format!("{posterior:?}");
    for (row, reward, said) in [
        (Row::Dense(&[1.0, 2.0][..]), 1.0, "x has 2 entries"),
        (Row::Dense(&[1.0, f64::NAN, 0.0]), 1.0, "x[1] is NaN"),
        (Row::Dense(&[1.0, 0.0, 0.0]), 1.5, "reward is 1.5"),
        (Row::Sparse { indices: &[3], values: &[1.0] }, 1.0, "indices[0] is 3"),
        (Row::Sparse { indices: &[1, 1], values: &[1.0, 1.0] }, 1.0, "indices[1] is 1"),
        (Row::Sparse { indices: &[1], values: &[f64::NAN] }, 1.0, "values[0] is NaN"),
        (Row::Sparse { indices: &[1, 2], values: &[1.0] }, 1.0, "values has 1 entries"),
        (Row::Own { owner: 1, features: &[1.0, 0.0, 0.0] }, 1.0, "hybrid"),
    ] {
        let error: Error = posterior.observe(&row, reward).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
    assert_eq!(before, format!("{posterior:?}"));
    for (ridges, life) in [(&[][..], None), (&[0.0], None), (&[1.0], Some(0.0)), (&[1.0], Some(f64::NAN))] {
        assert!(OnePass::new(Structure::Shared { dimension: 3 }, ridges, life).is_err());
    }
    assert!(HybridFilter::new(0, 0, 1.0).is_err() && DenseFilter::new(3, -1.0).is_err());
}
