use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::*;
use crate::numerics::square_form;
use crate::{Belief, Generator, generator};

/// A row that is gone or is still there: features and outcome.
type Observation = (Vec<f64>, f64);

/// The true loss of all observations.
fn true_loss(data: &[Observation], theta: &[f64]) -> f64 {
    data.iter().map(|(x, reward)| link::log_loss(dot(x, theta), *reward)).sum()
}

fn direction(rng: &mut Generator, d: usize) -> Vec<f64> {
    let v: Vec<f64> = (0..d).map(|_| StandardNormal.sample(rng)).collect();
    let length = norm(&v);
    v.iter().map(|c| c / length).collect()
}

/// A point of the set or on its boundary, found along a ray from the centre.
fn point_of(set: &LevelSet<'_>, rng: &mut Generator, share: f64) -> Vec<f64> {
    let ray = direction(rng, set.centre().len());
    let at = |r: f64| -> Vec<f64> { set.centre().iter().zip(&ray).map(|(c, v)| c + r * v).collect() };
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if set.contains(&at(middle)) { low = middle } else { high = middle }
    }
    at(share * low)
}

/// Whether theta is in the region.
fn is_inside(region: &Region, theta: &[f64]) -> bool {
    let y: Vec<f64> = theta.iter().zip(region.centre()).map(|(t, c)| t - c).collect();
    square_form(region.matrix(), &y) <= region.radius().powi(2)
}

/// Checks the true loss against the lower and upper ones at points of all sets at which rows were consolidated, and counts
/// the points, and those of the region.
fn check(belief: &mut Belief, data: &[Observation], points: &[Vec<f64>]) -> (usize, usize) {
    let set = belief.set();
    let summary = set.history().summary().expect("rows were consolidated");
    let (mut below, mut above) = (0, 0);
    for theta in points {
        let exact = true_loss(data, theta);
        let rounding = 1e-11 * exact.abs();
        let lower = set.loss(theta);
        let upper = lower + summary.excess().value(summary.origin(), theta);
        let anywhere = lower + summary.excess_anywhere().value(summary.origin(), theta);
        assert!(anywhere >= exact - rounding, "{anywhere} below {exact} at {theta:?}");
        assert!(lower <= exact + rounding, "{lower} above {exact} at {theta:?}");
        below += 1;
        if is_inside(summary.region().expect("a region"), theta) {
            assert!(upper >= exact - rounding, "{upper} below {exact} at {theta:?}");
            above += 1;
        }
    }
    (below, above)
}

/// At points of all sets at which rows were consolidated, the lower loss is below the true one, and the upper one above it on
/// the region; the one for all theta is above it everywhere.
#[test]
fn the_true_loss_is_between_the_two() {
    let mut checked = (0, 0);
    for seed in 0..40 {
        let mut rng = generator(seed);
        let d = rng.random_range(1..4);
        let (length, scale) = (rng.random_range(0.0..6.0), rng.random_range(0.3..4.0));
        let theta: Vec<f64> = direction(&mut rng, d).iter().map(|v| length * v).collect();
        let norm_bound = [Some(length + 1.0), None][rng.random_range(0..2)];
        let mut belief = Belief::new(d, norm_bound, 0.05).unwrap().with_memory(Some(12 * d)).unwrap();
        let mut data: Vec<Observation> = Vec::new();
        let mut points: Vec<Vec<f64>> = Vec::new();
        // The beliefs as they were when rows were consolidated.
        let mut looks: Vec<Belief> = Vec::new();
        for _ in 0..120 * d {
            let x: Vec<f64> = direction(&mut rng, d).iter().map(|v| scale * rng.random::<f64>() * v).collect();
            let reward = f64::from(u8::from(rng.random::<f64>() < link::mean(dot(&x, &theta))));
            belief.set();
            let (look, before) = (belief.clone(), belief.history().consolidations());
            belief.observe(&x, reward).unwrap();
            data.push((x, reward));
            if belief.history().consolidations() == before {
                continue;
            }
            let shares = (0..30).map(|i| f64::from(1 + i % 10) / 10.0);
            points.extend(shares.map(|share| point_of(&look.current_set(), &mut rng, share)));
            looks.push(look);
            points.retain(|point| looks.iter().all(|look| look.current_set().contains(point)));
            let (below, above) = check(&mut belief, &data, &points);
            checked = (checked.0 + below, checked.1 + above);
        }
    }
    assert!(checked.0 > 5000 && checked.1 > 2000, "{checked:?} points checked");
}

#[test]
fn the_mass_outside_of_a_region_is_bounded_from_above() {
    let mut rng = generator(1);
    for d in [1, 2, 5] {
        let identity: Vec<f64> = (0..d * d).map(|i| f64::from(u8::from(i % (d + 1) == 0))).collect();
        let region = Region::next(None, &vec![0.0; d], &identity).expect("the first region");
        for growth in [1.0_f64, 3.0] {
            let precision: Vec<f64> = identity.iter().map(|v| growth * v).collect();
            for shift in [0.0, 0.8, 2.5] {
                let mut centre = vec![0.0; d];
                centre[0] = shift;
                let log_det = d as f64 * growth.ln();
                let penalty = region.penalty(&centre, &precision, 0.0, log_det, &mut Scratch::new(d));
                let draws = 20_000;
                let radius = region.radius() - shift;
                let outside = (0..draws)
                    .filter(|_| {
                        let square: f64 = (0..d)
                            .map(|_| {
                                let v: f64 = StandardNormal.sample(&mut rng);
                                v * v / growth
                            })
                            .sum();
                        square > radius * radius
                    })
                    .count() as f64
                    / f64::from(draws);
                let bound = 1.0 - (-penalty).exp();
                let noise = 4.0 * (outside * (1.0 - outside) / f64::from(draws)).sqrt();
                assert!(bound >= outside - noise, "d {d}, {growth}, {shift}: {bound} below {outside}");
                assert!(shift > 1.0 || bound < 0.05, "d {d}, {growth}, {shift}: {bound}");
            }
        }
    }
}

#[test]
fn regions_are_nested() {
    let mut rng = generator(2);
    let d = 2;
    let mut precision = vec![4.0, 0.0, 1.0, 3.0];
    let mut centre = vec![0.5, -1.0];
    let mut region = Region::next(None, &centre, &precision).expect("the first region");
    let mut renewed = 0;
    for _ in 0..60 {
        for _ in 0..10 {
            crate::numerics::add_outer(&mut precision, 0.2, &direction(&mut rng, d));
        }
        centre.iter_mut().for_each(|c| *c += 0.02 * (rng.random::<f64>() - 0.5));
        let Some(next) = Region::next(Some(&region), &centre, &precision) else { continue };
        renewed += 1;
        for _ in 0..200 {
            let ray = direction(&mut rng, d);
            let r = next.radius() / square_form(next.matrix(), &ray).sqrt();
            let point: Vec<f64> = next.centre().iter().zip(&ray).map(|(c, v)| c + 0.999_999 * r * v).collect();
            assert!(is_inside(&region, &point), "{point:?} is outside of the region before");
        }
        region = next;
    }
    assert!(renewed >= 3, "{renewed} regions");
}

/// One quadratic below all data: at points of the set, and up to its boundary, what it says holds, with rows consolidated or not.
#[test]
fn a_quadratic_lies_beneath_the_loss_on_the_set() {
    let mut rng = generator(7);
    let mut shares = Vec::new();
    for (d, n, memory, norm_bound) in
        [(1, 40, None, None), (2, 300, None, None), (3, 900, Some(60), None), (2, 200, None, Some(20.0))]
    {
        let theta: Vec<f64> = direction(&mut rng, d).iter().map(|v| 2.0 * v).collect();
        let mut belief = Belief::new(d, norm_bound, 0.05).unwrap().with_memory(memory).unwrap();
        for _ in 0..n {
            let x: Vec<f64> = direction(&mut rng, d);
            belief.observe(&x, f64::from(u8::from(rng.random_bool(link::mean(dot(&x, &theta)))))).unwrap();
            belief.set();
        }
        let set = belief.set();
        let beneath = Beneath::of(&set).expect("data that span the space");
        for k in 0..200 {
            let theta = point_of(&set, &mut rng, if k % 2 == 0 { 1.0 } else { 0.01 * k as f64 / 2.0 });
            let y: Vec<f64> = theta.iter().zip(&beneath.centre).map(|(t, c)| t - c).collect();
            let (distance, left) = (0.5 * square_form(&beneath.matrix, &y), set.level() - set.loss(&theta));
            assert!(
                distance <= beneath.room - left + 1e-9 * set.level(),
                "{distance} for {} less {left}",
                beneath.room
            );
        }
        shares.push(beneath.share);
    }
    // Less than all of the curvature is certain, and enough.
    assert!(shares.iter().all(|share| (0.3..1.0).contains(share)), "{shares:?}");
}

#[test]
fn nothing_lies_beneath_a_set_without_end() {
    let mut belief = Belief::new(2, None, 0.05).unwrap();
    (0..50).for_each(|k| belief.observe(&[1.0, 0.0], f64::from(k % 2)).unwrap());
    assert!(Beneath::of(&belief.set()).is_none());
}
