//! The constants of an instance against their definitions, written out with plain exponentials.

use optimist::{ArmSet, FiniteArms};
use optimist_lab::Instance;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn mean(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

/// 1/mu'(z).
fn flatness(z: f64) -> f64 {
    (1.0 + z.exp()) * (1.0 + (-z).exp())
}

fn product(x: &[f64], theta: &[f64]) -> f64 {
    x.iter().zip(theta).map(|(a, b)| a * b).sum()
}

fn close(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0), "{what}: {a} is not {b}");
}

/// `count` numbers, each uniform on [-scale, scale].
fn draw(rng: &mut ChaCha8Rng, count: usize, scale: f64) -> Vec<f64> {
    (0..count).map(|_| rng.random_range(-scale..=scale)).collect()
}

fn finite(dimension: usize, features: &[f64]) -> ArmSet<'static> {
    FiniteArms::new(dimension, features.to_vec()).unwrap().into()
}

/// The definition of X_- as printed.
fn detrimental(best: f64, z: f64) -> bool {
    if best > 0.0 { z <= -1.0 } else { 1.0 / flatness(z) <= 0.5 / flatness(best) }
}

#[test]
fn tables_and_constants_of_a_list_follow_their_definitions() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for case in 0..300 {
        let dimension = 1 + case % 5;
        let count = 1 + case % 13;
        let theta = draw(&mut rng, dimension, 4.0);
        let features = draw(&mut rng, count * dimension, 1.0);
        let instance = Instance::new(&theta, &finite(dimension, &features));
        let odds: Vec<f64> = features.chunks(dimension).map(|x| product(x, &theta)).collect();
        let best = odds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        close(instance.best(), best, "best");
        close(instance.best_mean(), mean(best), "best_mean");
        close(instance.kappa_star(), flatness(best), "kappa_star");
        close(instance.kappa_x(), odds.iter().map(|&z| flatness(z)).fold(0.0, f64::max), "kappa_x");
        close(odds[instance.best_arm().unwrap()], best, "best_arm");
        for (k, &z) in odds.iter().enumerate() {
            close(instance.log_odds()[k], z, "log_odds");
            close(instance.means()[k], mean(z), "means");
            close(instance.slopes()[k], 1.0 / flatness(z), "slopes");
            close(instance.log_odds_of(&features[k * dimension..][..dimension]), z, "log_odds_of");
            assert_eq!(instance.detrimental()[k], detrimental(best, z), "arm {k}: {z}, best {best}");
            assert_eq!(instance.detrimental()[k], instance.is_detrimental(z));
        }
    }
}

#[test]
fn the_ball_is_what_a_fine_grid_of_its_arms_says() {
    let theta = [2.1, -1.4];
    let mut grid = Vec::new();
    for i in 0..2000 {
        let angle = std::f64::consts::TAU * f64::from(i) / 2000.0;
        for radius in [0.0, 0.3, 0.7, 1.0] {
            grid.extend([radius * angle.cos(), radius * angle.sin()]);
        }
    }
    let listed = Instance::new(&theta, &finite(2, &grid));
    for arms in [ArmSet::Ball { dimension: 2 }, ArmSet::Sphere { dimension: 2 }] {
        let exact = Instance::new(&theta, &arms);
        close(exact.kappa_x(), 2.0 + 2.0 * product(&theta, &theta).sqrt().cosh(), "kappa_x");
        // The grid misses the extreme arms by an angle of at most pi/2000, which is of second order.
        for (on_grid, exact) in [
            (listed.best(), exact.best()),
            (listed.best_mean(), exact.best_mean()),
            (listed.kappa_star(), exact.kappa_star()),
            (listed.kappa_x(), exact.kappa_x()),
            (listed.kappa(3.0), exact.kappa(3.0)),
            (listed.detrimental_below(), exact.detrimental_below()),
        ] {
            assert!((on_grid - exact).abs() < 1e-5 * exact.abs(), "{on_grid} is not {exact}");
        }
        assert!(exact.log_odds().is_empty() && exact.best_arm().is_none());
    }
}

#[test]
fn kappas_are_ordered_and_the_first_two_agree_for_symmetric_arms() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut strict = 0;
    for case in 0..500 {
        let dimension = 1 + case % 4;
        let theta = draw(&mut rng, dimension, 3.0);
        let size = product(&theta, &theta).sqrt();
        let mut features = draw(&mut rng, dimension * (1 + case % 7), 0.7);
        let one_sided = Instance::new(&theta, &finite(dimension, &features));
        assert!(one_sided.kappa_star() <= one_sided.kappa_x());
        assert!(one_sided.kappa_x() <= one_sided.kappa(size) * (1.0 + 1e-12));
        assert!(one_sided.kappa(size) < one_sided.kappa(size + 1.0));
        strict += usize::from(one_sided.kappa_star() < one_sided.kappa_x());
        features.extend(features.clone().iter().map(|v| -v));
        let symmetric = Instance::new(&theta, &finite(dimension, &features));
        close(symmetric.kappa_star(), symmetric.kappa_x(), "symmetric");
        let ball = Instance::new(&theta, &ArmSet::Ball { dimension });
        close(ball.kappa_star(), ball.kappa_x(), "ball");
        close(ball.kappa_x(), ball.kappa(size), "tight bound");
    }
    assert!(strict > 100, "only {strict} instances tell kappa_* from kappa_X");
}

#[test]
fn the_half_ball_has_kappa_star_four() {
    let theta = [0.0, 10_f64.acosh()];
    let instance = Instance::half_ball(&theta);
    close(instance.kappa_star(), 4.0, "kappa_star");
    close(instance.kappa_x(), 22.0, "kappa_x");
    // mu'(z) = 1/8 where mu(z) = (1 - sqrt(1/2))/2.
    let z = instance.detrimental_below();
    close(mean(z), 0.5 * (1.0 - 0.5_f64.sqrt()), "boundary of the detrimental arms");
    assert!(instance.is_detrimental(z - 1e-9) && !instance.is_detrimental(z + 1e-9));
}

#[test]
fn offering_other_arms_is_starting_afresh() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let theta = draw(&mut rng, 3, 2.0);
    let mut instance = Instance::new(&theta, &ArmSet::Ball { dimension: 3 });
    for count in [7, 2, 12, 1] {
        let arms = finite(3, &draw(&mut rng, 3 * count, 1.0));
        instance.offer(&arms);
        let fresh = Instance::new(&theta, &arms);
        assert_eq!(instance.log_odds(), fresh.log_odds());
        assert_eq!(instance.means(), fresh.means());
        assert_eq!(instance.slopes(), fresh.slopes());
        assert_eq!(instance.detrimental(), fresh.detrimental());
        assert_eq!(instance.best_arm(), fresh.best_arm());
        assert_eq!(
            [instance.best(), instance.best_mean(), instance.kappa_star(), instance.kappa_x(), instance.kappa(2.0)],
            [fresh.best(), fresh.best_mean(), fresh.kappa_star(), fresh.kappa_x(), fresh.kappa(2.0)]
        );
    }
    instance.offer(&ArmSet::Sphere { dimension: 3 });
    assert!(instance.means().is_empty() && instance.detrimental().is_empty() && instance.best_arm().is_none());
    close(instance.best(), product(&theta, &theta).sqrt(), "best on the sphere");
}

#[test]
fn extreme_log_odds_stay_numbers() {
    let far_right = Instance::new(&[600.0], &ArmSet::Ball { dimension: 1 });
    assert!(far_right.kappa_star() > 1e260 && far_right.kappa_star().is_finite());
    assert_eq!(far_right.best_mean(), 1.0);
    let far_left = Instance::new(&[800.0], &finite(1, &[-1.0, -0.9999]));
    assert!(far_left.best_mean() >= 0.0 && far_left.best_mean() < 1e-300);
    // There mu' halves for every ln 2.
    close(far_left.detrimental_below(), far_left.best() - 2_f64.ln(), "far left");
}
