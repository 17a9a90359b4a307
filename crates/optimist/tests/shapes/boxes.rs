//! Bounds of the decrement over boxes.

use super::*;

/// A random history, cell and point of the cell: (history, ridge, centre, half widths, point).
fn random_cell(rng: &mut ChaCha8Rng) -> (History, f64, Vec<f64>, Vec<f64>, Vec<f64>) {
    let d = rng.random_range(1..=4);
    let n = rng.random_range(1..400);
    let history = history(rng, d, n, 12, 3.0);
    let ridge = 10_f64.powf(rng.random_range(-2.0..1.0));
    let centre = point(rng, d, 6.0);
    let size = 10_f64.powf(rng.random_range(-3.0..0.5));
    let half: Vec<f64> = (0..d).map(|_| size * rng.random::<f64>()).collect();
    let inside = |rng: &mut ChaCha8Rng| {
        // Vertices as often as inner points.
        let vertex = rng.random::<bool>();
        let mut draw = || {
            let u = rng.random_range(-1.0..1.0_f64);
            if vertex { u.signum() } else { u }
        };
        centre.iter().zip(&half).map(|(c, h)| c + h * draw()).collect::<Vec<f64>>()
    };
    let theta = inside(rng);
    (history, ridge, centre, half, theta)
}

#[test]
fn the_first_order_bound_of_the_decrement_holds() {
    // sqrt f(theta) >= e^{-p/2} (sqrt f(c) - (e^p - 1)/p ||theta - c||_{H(c)}), from e^{-p}H(c) <= H(theta) <= e^p
    // H(c).
    let mut rng = rng(4);
    for _ in 0..3000 {
        let (history, ridge, centre, _, theta) = random_cell(&mut rng);
        let set = DecrementSet::new(&history, ridge, 1.0, 1.0).unwrap();
        let step: Vec<f64> = theta.iter().zip(&centre).map(|(t, c)| t - c).collect();
        let p = history.max_norm() * norm(&step);
        let h = hessian(&history, ridge, &centre);
        let width = step.iter().zip(&h).map(|(s, row)| s * dot(row, &step)).sum::<f64>().sqrt();
        let factor = if p > 0.0 { p.exp_m1() / p } else { 1.0 };
        let bound = (-0.5 * p).exp() * (set.decrement(&centre) - factor * width);
        let value = set.decrement(&theta);
        assert!(value >= bound - 1e-9 * (1.0 + bound.abs()), "{value} {bound}");
    }
}

#[test]
fn the_second_order_bound_of_the_decrement_holds() {
    let mut rng = rng(5);
    let mut useful = 0;
    for _ in 0..6000 {
        let (history, ridge, centre, half, theta) = random_cell(&mut rng);
        let set = DecrementSet::new(&history, ridge, 1.0, 1.0).unwrap();
        let bound = set.least_decrement(&centre, &half).unwrap();
        let value = set.decrement(&theta);
        assert!(value >= bound - 1e-9 * (1.0 + bound), "{value} {bound}");
        useful += usize::from(bound > 0.5 * value);
    }
    assert!(useful > 2000, "{useful}");
}

#[test]
fn its_error_is_of_second_order() {
    let mut rng = rng(6);
    let history = history(&mut rng, 2, 200, 12, 2.0);
    let set = DecrementSet::new(&history, 1.0, 1.0, 1.0).unwrap();
    let centre = [1.5, -1.0];
    let error = |h: f64| {
        let bound = set.least_decrement(&centre, &[h, h]).unwrap();
        let mut least = f64::INFINITY;
        for_grid(2, h, 20, |y| least = least.min(set.decrement(&[centre[0] + y[0], centre[1] + y[1]])));
        least - bound
    };
    let (wide, narrow) = (error(0.02), error(0.005));
    assert!(narrow > 0.0 && wide / narrow > 12.0 && wide / narrow < 20.0, "{wide} {narrow}");
}
