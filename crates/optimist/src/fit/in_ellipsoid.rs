//! The least loss over an ellipsoid around another estimate.
//!
//! In the coordinates y = L'(theta - centre), V = LL', the ellipsoid ||theta - centre||_V <= radius is a ball around the
//! origin, and Newton's method with its steps minimised over that ball, as everywhere in this crate, does the rest.

use crate::history::History;
use crate::loss::{Evaluation, Order, evaluate, loss};
use crate::numerics::{Cholesky, Quadratic, TrustRegion, add_scaled, dot, multiply};

/// Newton steps; ten are many.
const STEP_LIMIT: usize = 200;

/// Where L + (ridge/2)||theta||^2 is least over ||theta - centre||_V <= radius, V given by its lower triangle. A descent
/// from the centre, so that the result lies in the ellipsoid and is no worse than the centre, wherever it ends.
pub(crate) fn minimise_in_ellipsoid(history: &History, ridge: f64, centre: &[f64], v: &[f64], radius: f64) -> Vec<f64> {
    let d = centre.len();
    let mut frame = Cholesky::new(d);
    let mut theta = centre.to_vec();
    if !frame.factor(v, 0.0) {
        return theta;
    }
    let objective = |theta: &[f64]| loss(history, theta) + 0.5 * ridge * dot(theta, theta);
    let (mut at, mut model) = (Evaluation::new(d), TrustRegion::new(d));
    let (mut y, mut value) = (vec![0.0; d], objective(centre));
    for _ in 0..STEP_LIMIT {
        evaluate(history, &theta, Order::Hessian, &mut at);
        let mut slope = at.gradient.clone();
        add_scaled(&mut slope, ridge, &theta);
        frame.solve_lower(&mut slope);
        let turned = turn(&at.hessian, ridge, &frame, d);
        model.minimise(Quadratic { hessian: &turned, ridge: 0.0, theta: &y, slope: &slope }, radius, 0.0);
        let step: Vec<f64> = model.minimiser().iter().zip(&y).map(|(new, old)| new - old).collect();
        let fall = dot(&slope, &step);
        let mut length = 1.0;
        let improved = loop {
            let trial: Vec<f64> = y.iter().zip(&step).map(|(y, s)| y + length * s).collect();
            let mut point = trial.clone();
            frame.solve_upper(&mut point);
            add_scaled(&mut point, 1.0, centre);
            let new = objective(&point);
            if new < value && new <= value + 1e-4 * length * fall {
                (y, theta, value) = (trial, point, new);
                break true;
            }
            length *= 0.5;
            if length < 1e-10 {
                break false;
            }
        };
        // No decrease is left, or none that shows in the last digit.
        if !improved || -fall <= 1e-16 * value.abs() {
            break;
        }
    }
    theta
}

/// L^{-1}(H + ridge I)L^{-T}, lower triangle.
fn turn(hessian: &[f64], ridge: f64, frame: &Cholesky, d: usize) -> Vec<f64> {
    let mut turned = vec![0.0; d * d];
    let (mut column, mut product) = (vec![0.0; d], vec![0.0; d]);
    for j in 0..d {
        column.fill(0.0);
        column[j] = 1.0;
        frame.solve_upper(&mut column);
        multiply(hessian, &column, &mut product);
        add_scaled(&mut product, ridge, &column);
        frame.solve_lower(&mut product);
        for i in j..d {
            turned[i * d + j] = product[i];
        }
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::square_form;

    /// Against all points of fine ellipses inside, and the free minimiser where that is feasible.
    #[test]
    fn no_point_of_the_ellipsoid_has_a_smaller_loss() {
        let mut history = History::new(2).unwrap();
        history.observe_many(&[0.8, 0.3], 1.0, 30).unwrap();
        history.observe_many(&[-0.2, 0.9], 0.0, 10).unwrap();
        history.observe_many(&[0.1, 0.7], 1.0, 5).unwrap();
        let v = [3.0, 0.0, 1.0, 2.0];
        let (centre, ridge) = ([0.4, -0.3], 0.5);
        let objective = |theta: &[f64]| loss(&history, theta) + 0.5 * ridge * dot(theta, theta);
        for radius in [0.01, 0.5, 2.0, 100.0] {
            let found = minimise_in_ellipsoid(&history, ridge, &centre, &v, radius);
            let offset = [found[0] - centre[0], found[1] - centre[1]];
            assert!(square_form(&v, &offset).sqrt() <= radius * (1.0 + 1e-9));
            let mut least = f64::INFINITY;
            for i in 0..2000 {
                let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 2000.0).sin_cos();
                let unit = radius / square_form(&v, &[cos, sin]).sqrt();
                for j in 0..=200 {
                    let r = unit * f64::from(j) / 200.0;
                    least = least.min(objective(&[centre[0] + r * cos, centre[1] + r * sin]));
                }
            }
            assert!(objective(&found) <= least + 1e-9 * least, "{radius}: {} {least}", objective(&found));
        }
        // A ball so large that it does not matter: the gradient vanishes.
        let found = minimise_in_ellipsoid(&history, ridge, &centre, &v, 100.0);
        let mut at = Evaluation::new(2);
        evaluate(&history, &found, Order::Gradient, &mut at);
        add_scaled(&mut at.gradient, ridge, &found);
        assert!(dot(&at.gradient, &at.gradient).sqrt() < 1e-6, "{:?}", at.gradient);
    }
}
