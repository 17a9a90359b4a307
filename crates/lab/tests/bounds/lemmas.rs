//! The inequalities between functions of log-odds that the upper bound rests on.

use optimist::link;
use rand::RngExt;

use super::{mu, rng, slope};

#[test]
fn averaged_curvatures_compare_as_the_distances_need() {
    let mut rng = rng(1);
    for _ in 0..20_000 {
        let (a, h): (f64, f64) = (rng.random_range(-12.0..12.0), rng.random_range(-8.0..8.0));
        if h.abs() < 1e-2 {
            continue;
        }
        // G is the mean of mu' between a and a + h, M its mean with weight 1 - v, H its value at a.
        let g = (link::mean(a + h) - link::mean(a)) / h;
        let m = (link::softplus(a + h) - link::softplus(a) - h * link::mean(a)) / (h * h);
        assert!(m >= g / (2.0 + h.abs()) * (1.0 - 1e-7), "{a} {h}: {m} {g}");
        assert!(m >= slope(a) / (2.0 + h.abs()) * (1.0 - 1e-7) && g >= slope(a) / (1.0 + h.abs()) * (1.0 - 1e-7));
    }
}

#[test]
fn constants_of_the_second_order_are_upper_bounds_and_nearly_reached() {
    // gap - mu'(z) Delta over mu'(z) Delta^2, over arms that are not detrimental, and over Delta^2 for all.
    let (mut above, mut below, mut any) = (0.0_f64, 0.0_f64, 0.0_f64);
    let grid = |low: f64, high: f64| (0..=600).map(move |i| low + (high - low) * f64::from(i) / 600.0);
    for best in grid(-15.0, 15.0).chain(grid(0.0, 1.0)) {
        for z in grid(best - 8.0, best - 0.01) {
            let delta = best - z;
            let v = (mu(best) - mu(z) - slope(z) * delta) / (delta * delta);
            any = any.max(v);
            if best > 0.0 && z > -1.0 {
                above = above.max(v / slope(z));
            } else if best <= 0.0 && slope(z) > 0.5 * slope(best) {
                below = below.max(v / slope(z));
            }
        }
    }
    // The suprema seem to be sinh(1) - 1 and (1 - log 2)/log(2)^2 = 0.6387; the constants in use are proved.
    assert!(above <= 0.175_201_193_65 && above > 0.173, "{above}");
    assert!(below <= 0.638_673_95 && below > 0.63, "{below}");
    assert!(any <= 0.048_112_522_433 && any > 0.0478, "{any}");
}

#[test]
fn slopes_exceed_that_of_the_best_arm_by_a_share_of_the_regret() {
    let mut rng = rng(2);
    for _ in 0..5000 {
        let best: f64 = rng.random_range(-6.0..6.0);
        let z = best - rng.random_range(0.0..8.0);
        let share = (2.0 * mu(best) - 1.0).max(0.0);
        assert!(slope(z) <= slope(best) + share * (mu(best) - mu(z)) + 1e-15);
    }
}
