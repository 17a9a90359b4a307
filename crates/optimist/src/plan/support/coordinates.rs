//! Coordinates in which all directions about which the data speak are alike.
//!
//! Without norm bound and ridge nothing holds theta outside the span of the arms, and within it the given coordinates may be
//! bad: arms that are nearly parallel, features of very different size. Elimination with complete pivoting chooses arms, each the one
//! of which most is left outside the span of those before it; the new coordinates of theta are its log-odds at these. So they
//! become the unit vectors, and the others the coefficients with which they depend on them, which pivoting keeps moderate,
//! however small the angles between the arms are: none of the digits in which nearly parallel arms differ is lost in the sums over
//! the data. (An orthonormal basis of the span has them as small components beside large ones.)
//!
//! Coefficients computed in working precision are off by the rounding error divided by the angles. Mostly that is as if the arms were
//! others by as much. But where the maximum is at infinity because x is a sum of arms of one kind, on the edge of the cone that they
//! span, such an error puts x beyond the edge, where no bound exists. Then they have to be computed in [twice the digits](Basis).

use super::basis::{Basis, NOTHING};
use crate::history::History;
use crate::numerics::{add_scaled, dot, norm};

/// Rounding error of a component, relative to the arm.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The largest coefficient before all arms are looked at for better pivots, not only the longest.
const MODERATE: f64 = 100.0;

/// The data in new coordinates.
pub(super) struct Coordinates {
    pivots: Pivots,
    /// The same observations with the arms' coefficients as features.
    pub(super) history: History,
}

impl Coordinates {
    /// Coordinates for arms of which each counts as much as its length times its weight. None if every arm is zero.
    ///
    /// With the weights that the arms have at a maximiser, those that hold it come first, and what the others add has
    /// coordinates of its own. `refined` coefficients are right to the last digit but one, at ten times the cost.
    pub(super) fn new(history: &History, weights: &[f64], refined: bool) -> Option<Self> {
        let arms: Vec<Vec<f64>> = (0..history.rows()).map(|k| features(history, k)).collect();
        let sizes: Vec<f64> = arms.iter().zip(weights).map(|(x, w)| norm(x) * w).collect();
        let mut order: Vec<usize> = (0..arms.len()).collect();
        order.sort_by(|a, b| sizes[*b].total_cmp(&sizes[*a]));
        let few = 4 * history.dimension() + 50;
        if order.len() > few {
            let pivots = Pivots::choose(&arms, weights, &order[..few]).refined(&arms, refined);
            if let Some(coordinates) = Self::fill(pivots, history, &arms, MODERATE) {
                return Some(coordinates);
            }
        }
        let pivots = Pivots::choose(&arms, weights, &order).refined(&arms, refined);
        Self::fill(pivots, history, &arms, f64::INFINITY)
    }

    /// None if there are no pivots, or if an arm depends on them with coefficients beyond `largest` or not at all.
    fn fill(pivots: Pivots, history: &History, arms: &[Vec<f64>], largest: f64) -> Option<Self> {
        if pivots.basis.is_empty() {
            return None;
        }
        let mut new = History::new(pivots.basis.len()).expect("at least one dimension");
        for (k, x) in arms.iter().enumerate() {
            let (c, left) = pivots.coefficients(x);
            let moderate = c.iter().all(|c| c.abs() <= largest) && left <= NOTHING * norm(x);
            if largest.is_finite() && !moderate {
                return None;
            }
            let (count, rewards) = history.outcomes(k);
            // A sum of rewards beyond the count by a rounding error must not be refused.
            new.record(&c, (rewards / count).min(1.0), count);
        }
        Some(Self { pivots, history: new })
    }

    /// The coefficients of an arm, or of a direction in the span of the arms.
    pub(super) fn of_arm(&self, x: &[f64]) -> Vec<f64> {
        self.pivots.coefficients(x).0
    }

    /// The coordinates of a parameter.
    pub(super) fn of_parameter(&self, theta: &[f64]) -> Vec<f64> {
        let components: Vec<f64> = self.pivots.basis.iter().map(|q| dot(q, theta)).collect();
        self.pivots.triangle.iter().map(|row| dot(row, &components[..row.len()])).collect()
    }

    /// The shortest theta with the given coordinates.
    pub(super) fn parameter(&self, eta: &[f64], theta: &mut [f64]) {
        theta.fill(0.0);
        let mut components: Vec<f64> = Vec::with_capacity(eta.len());
        for ((row, q), e) in self.pivots.triangle.iter().zip(&self.pivots.basis).zip(eta) {
            let (diagonal, before) = row.split_last().expect("the diagonal at least");
            let component = (e - dot(before, &components)) / diagonal;
            add_scaled(theta, component, q);
            components.push(component);
        }
    }
}

/// The chosen arms, as the product of a lower triangle and orthonormal vectors.
struct Pivots {
    basis: Vec<Vec<f64>>,
    /// Row j: the components of pivot j along the first j + 1 of them.
    triangle: Vec<Vec<f64>>,
    /// Which arms they are.
    arms: Vec<usize>,
    /// The same in twice the digits, for coefficients, if asked for.
    exact: Option<Basis>,
}

impl Pivots {
    /// Chooses among some arms until nothing is left of any of them.
    fn choose(arms: &[Vec<f64>], weights: &[f64], among: &[usize]) -> Self {
        let mut rest: Vec<Vec<f64>> = among.iter().map(|k| arms[*k].clone()).collect();
        let lengths: Vec<f64> = rest.iter().map(|x| norm(x)).collect();
        let mut left = lengths.clone();
        let mut this = Self { basis: Vec::new(), triangle: Vec::new(), arms: Vec::new(), exact: None };
        while arms.first().is_some_and(|x| this.basis.len() < x.len()) {
            let size = |i: &usize| left[*i] * weights[among[*i]];
            let open = (0..rest.len()).filter(|i| left[*i] > 0.0);
            let Some(i) = open.max_by(|a, b| size(a).total_cmp(&size(b))) else { break };
            let mut pivot = rest[i].clone();
            // Once more, because what rounding had left of the others has grown relative to what is left.
            for q in &this.basis {
                remove(&mut pivot, q);
            }
            let length = norm(&pivot);
            pivot.iter_mut().for_each(|v| *v /= length);
            for ((x, left), length) in
                rest.iter_mut().zip(&mut left).zip(&lengths).filter(|((_, left), _)| **left > 0.0)
            {
                remove(x, &pivot);
                let now = norm(x);
                *left = if now > NOTHING * length { now } else { 0.0 };
            }
            left[i] = 0.0;
            this.basis.push(pivot);
            let (components, _) = this.components(&arms[among[i]]);
            this.triangle.push(components);
            this.arms.push(among[i]);
        }
        this
    }

    /// With coefficients in twice the digits, if that is wanted and the arms are as independent there as they seemed.
    fn refined(mut self, arms: &[Vec<f64>], wanted: bool) -> Self {
        if let (true, Some(x)) = (wanted, arms.first()) {
            let mut exact = Basis::new(x.len());
            self.exact = self.arms.iter().all(|k| exact.extend(&arms[*k])).then_some(exact);
        }
        self
    }

    /// The components of a vector along the basis, and the length of what is left of it.
    fn components(&self, x: &[f64]) -> (Vec<f64>, f64) {
        let mut rest = x.to_vec();
        let components = self.basis.iter().map(|q| remove(&mut rest, q)).collect();
        (components, norm(&rest))
    }

    /// The coefficients c with x = sum_j c_j pivot_j, and the length of what is left of x. Those that are rounding errors are
    /// zero: the multipliers of directions that do not exist would otherwise be what they are divided by.
    fn coefficients(&self, x: &[f64]) -> (Vec<f64>, f64) {
        let (mut c, left) = self.components(x);
        if let Some(exact) = &self.exact {
            return (exact.expand(x), left);
        }
        let nothing = ROUNDING * norm(x);
        for (j, row) in self.triangle.iter().enumerate().rev() {
            c[j] = if c[j].abs() > nothing { c[j] / row[j] } else { 0.0 };
            let coefficient = c[j];
            add_scaled(&mut c[..j], -coefficient, &row[..j]);
        }
        (c, left)
    }
}

fn features(history: &History, row: usize) -> Vec<f64> {
    let mut x = vec![0.0; history.dimension()];
    history.features(row, &mut x);
    x
}

/// Removes the component along a unit vector and returns it.
fn remove(x: &mut [f64], unit: &[f64]) -> f64 {
    let component = dot(unit, x);
    add_scaled(x, -component, unit);
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arms at tiny angles become unit vectors, exactly, and parameters come back.
    #[test]
    fn log_odds_are_kept() {
        let mut history = History::new(3).unwrap();
        let arms = [[1.0, 1e-6, 0.0], [1.0, 0.0, 1e-5], [1.0, 3e-6, -2e-5], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]];
        for x in &arms {
            history.observe(x, 1.0).unwrap();
        }
        let coordinates = Coordinates::new(&history, &[1.0; 5], false).unwrap();
        assert_eq!(coordinates.history.dimension(), 3);
        let unit =
            |c: &[f64]| c.iter().filter(|v| **v == 1.0).count() == 1 && c.iter().filter(|v| **v == 0.0).count() == 2;
        assert_eq!(arms.iter().filter(|x| unit(&coordinates.of_arm(&x[..]))).count(), 3);
        let eta = [3.0, -2.0, 0.5];
        let mut theta = [0.0; 3];
        coordinates.parameter(&eta, &mut theta);
        for (back, e) in coordinates.of_parameter(&theta).iter().zip(eta) {
            assert!((back - e).abs() < 1e-9, "{back} {e}");
        }
        for x in &arms {
            let (inner, outer) = (dot(&coordinates.of_arm(x), &eta), dot(x, &theta));
            assert!((inner - outer).abs() < 1e-9, "{inner} {outer}");
        }
    }

    /// Differences of nearly parallel arms are those of unit vectors, without a trace of the other arms.
    #[test]
    fn refined_coefficients_hold_no_rounding_errors() {
        let mut history = History::new(4).unwrap();
        let arm = |k: usize| -> Vec<f64> {
            (0..4).map(|i| (1.0 + i as f64).sqrt() + 1e-5 * (1.7 * ((k + 1) * (i * i + 3)) as f64).sin()).collect()
        };
        for k in 0..4 {
            history.observe(&arm(k), 1.0).unwrap();
        }
        let sum: Vec<f64> = arm(0).iter().zip(arm(1)).map(|(a, b)| a + b).collect();
        history.observe(&sum, 0.0).unwrap();
        let coordinates = Coordinates::new(&history, &[1.0, 1.0, 1.0, 1.0, 0.1], true).unwrap();
        for (a, b) in [(0, 1), (2, 3), (1, 3)] {
            let x: Vec<f64> = arm(a).iter().zip(arm(b)).map(|(a, b)| a - b).collect();
            let mut c = coordinates.of_arm(&x);
            c.retain(|c| *c != 0.0);
            assert!(c.len() == 2 && c.iter().all(|c| (c.abs() - 1.0).abs() < 1e-15), "{c:?}");
            assert!(c[0] * c[1] < 0.0);
        }
    }
}
