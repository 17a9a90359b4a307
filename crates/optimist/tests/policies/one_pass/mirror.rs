//! `ol2m`, `gloc` and `glb-omd`: projected steps.

use serde_json::json;

use super::dense::{
    Matrix, add_outer, ball_step, curvature, form, identity, inner, inverse_form, log_det, minus, mu, solve,
};
use super::{D, DELTA, Slow, compare, compare_on_sphere};

/// Everything that was seen, and the iterates.
struct Trail {
    bound: f64,
    published: bool,
    data: Vec<(Vec<f64>, f64)>,
    iterates: Vec<Vec<f64>>,
}

impl Trail {
    fn new(bound: f64, published: bool) -> Self {
        Self { bound, published, data: vec![], iterates: vec![vec![0.0; D]] }
    }

    fn last(&self) -> &[f64] {
        self.iterates.last().unwrap()
    }

    /// (mu(x'theta_s) - r) x.
    fn gradient(&self, s: usize) -> Vec<f64> {
        let (x, r) = &self.data[s];
        let slope = mu(inner(x, &self.iterates[s])) - r;
        x.iter().map(|v| slope * v).collect()
    }

    /// 2 g'(theta_s - theta_{s+1}) - ||theta_s - theta_{s+1}||_A^2.
    fn cost(&self, s: usize, a: &Matrix) -> f64 {
        let change = minus(&self.iterates[s], &self.iterates[s + 1]);
        2.0 * inner(&self.gradient(s), &change) - form(a, &change)
    }

    fn sum(&self, count: usize, start: f64, weight: impl Fn(usize) -> f64) -> Matrix {
        let mut a = identity(D, start);
        for s in 0..count {
            add_outer(&mut a, weight(s), &self.data[s].0);
        }
        a
    }
}

/// `ol2m` with ridge 1.
struct Ol2m(Trail);

impl Ol2m {
    fn beta(&self) -> f64 {
        1.0 / (2.0 * (1.0 + self.0.bound.exp()))
    }

    fn z(&self, count: usize) -> Matrix {
        self.0.sum(count, 1.0, |_| 0.5 * self.beta())
    }
}

impl Slow for Ol2m {
    fn learn(&mut self, x: &[f64], r: f64) {
        self.0.data.push((x.to_vec(), r));
        let n = self.0.data.len();
        let next = ball_step(&self.z(n), self.0.last(), &self.0.gradient(n - 1), self.0.bound);
        self.0.iterates.push(next);
    }

    fn centre(&self) -> Vec<f64> {
        self.0.last().to_vec()
    }

    fn matrix(&self) -> Matrix {
        self.z(self.0.data.len())
    }

    fn squared_radius(&self) -> f64 {
        let (n, s, beta) = (self.0.data.len(), self.0.bound, self.beta());
        if self.0.published {
            let t = n as f64 + 1.0;
            let looks = if n == 0 { 2.0 } else { (2.0 * t.log2()).ceil() };
            let tau = (2.0 * looks * t * t / DELTA).ln();
            return s * s + 8.0 * s + (8.0 / beta + 16.0 * s / 3.0) * tau + 2.0 / beta * log_det(&self.matrix());
        }
        let costs: f64 = (0..n).map(|i| self.0.cost(i, &self.z(i + 1))).sum();
        s * s + (1.0 / DELTA).ln() / (4.0 * curvature(s) - beta) + costs
    }
}

/// `gloc` with ridge 1.
struct Gloc(Trail);

impl Gloc {
    fn v(&self, count: usize) -> Matrix {
        self.0.sum(count, 1.0, |_| 1.0)
    }

    fn k(&self) -> f64 {
        curvature(self.0.bound)
    }

    fn predictions(&self) -> Vec<f64> {
        self.0.data.iter().zip(&self.0.iterates).map(|((x, _), theta)| inner(x, theta)).collect()
    }

    /// sum z_s x_s.
    fn target(&self) -> Vec<f64> {
        let mut sum = vec![0.0; D];
        for ((x, _), z) in self.0.data.iter().zip(self.predictions()) {
            sum.iter_mut().zip(x).for_each(|(s, v)| *s += z * v);
        }
        sum
    }
}

impl Slow for Gloc {
    fn learn(&mut self, x: &[f64], r: f64) {
        self.0.data.push((x.to_vec(), r));
        let n = self.0.data.len();
        let over_k: Vec<f64> = self.0.gradient(n - 1).iter().map(|v| v / self.k()).collect();
        let next = ball_step(&self.v(n), self.0.last(), &over_k, self.0.bound);
        self.0.iterates.push(next);
    }

    fn centre(&self) -> Vec<f64> {
        solve(&self.matrix(), &self.target())
    }

    fn matrix(&self) -> Matrix {
        self.v(self.0.data.len())
    }

    fn squared_radius(&self) -> f64 {
        let (n, k, s) = (self.0.data.len(), self.k(), self.0.bound);
        let squares: f64 = self.predictions().iter().map(|z| z * z).sum();
        let rest = squares - inner(&self.centre(), &self.target());
        if self.0.published {
            let costs: f64 = (0..n).map(|i| inverse_form(&self.v(i + 1), &self.0.gradient(i))).sum();
            let (regret, noise) = (2.0 * k * s * s + costs / (2.0 * k), 0.5_f64);
            let inside = 1.0 + 2.0 / k * regret + 4.0 * noise.powi(4) / (k.powi(4) * DELTA * DELTA);
            let log = (2.0 / DELTA * inside.sqrt()).ln();
            return 1.0 + 4.0 / k * regret + 8.0 * noise * noise / (k * k) * log + s * s - rest;
        }
        let costs = (0..n).map(|i| {
            let scaled: Matrix = self.v(i + 1).iter().map(|row| row.iter().map(|v| k * v).collect()).collect();
            self.0.cost(i, &scaled)
        });
        let regret = 0.5 * k * s * s + 0.5 * costs.sum::<f64>();
        4.0 / k * regret + 2.0 / (k * k) * (1.0 / DELTA).ln() + s * s - rest
    }
}

/// `glb-omd`.
struct GlbOmd(Trail);

impl GlbOmd {
    fn eta(&self) -> f64 {
        1.0 + self.0.bound
    }

    fn ridge(&self) -> f64 {
        let (d, s, eta) = (D as f64, self.0.bound, self.eta());
        if self.0.published { (14.0 * d * eta).max(1.5 * eta * s) } else { eta * (s / 3f64.sqrt()).max(d).max(3.0) }
    }

    fn h(&self, count: usize) -> Matrix {
        self.0.sum(count, self.ridge(), |s| curvature(inner(&self.0.data[s].0, &self.0.iterates[s + 1])))
    }
}

impl Slow for GlbOmd {
    fn learn(&mut self, x: &[f64], r: f64) {
        self.0.data.push((x.to_vec(), r));
        let n = self.0.data.len();
        let mut a = self.h(n - 1);
        add_outer(&mut a, self.eta() * curvature(inner(x, self.0.last())), x);
        let scaled: Vec<f64> = self.0.gradient(n - 1).iter().map(|v| self.eta() * v).collect();
        let next = ball_step(&a, self.0.last(), &scaled, self.0.bound);
        self.0.iterates.push(next);
    }

    fn centre(&self) -> Vec<f64> {
        self.0.last().to_vec()
    }

    fn matrix(&self) -> Matrix {
        self.h(self.0.data.len())
    }

    fn squared_radius(&self) -> f64 {
        let (n, d, s, eta, ridge) = (self.0.data.len() as f64, D as f64, self.0.bound, self.eta(), self.ridge());
        let confidence = 2.0 * eta * (1.0 / DELTA).ln();
        if self.0.published {
            let growth = d * (1.0 + n / (4.0 * ridge * d)).ln();
            return 4.0 * ridge * s * s + confidence + eta * (6.0 * eta + 1.0) * growth;
        }
        // E[e^|h| - 1 - |h|]/v by Simpson's rule.
        let v = 1.5 * eta / ridge;
        let density = |t: f64| {
            let h = v.sqrt() * t;
            (h.exp_m1() - h) * (-0.5 * t * t).exp() * (2.0 / std::f64::consts::PI).sqrt()
        };
        let cell = 12.0 / 2000.0;
        let simpson = |i: i32| {
            let t = f64::from(i) * cell;
            cell / 6.0 * (density(t) + 4.0 * density(t + 0.5 * cell) + density(t + cell))
        };
        let c = (0..2000).map(simpson).sum::<f64>() / v;
        let growth = log_det(&self.matrix()) - d * ridge.ln();
        ridge * s * s + confidence + eta * (3.0 * c * eta + 1.0) * growth
    }
}

const BOUNDS: [f64; 3] = [0.3, 1.5, 4.0];

#[test]
fn ol2m_does_what_it_says() {
    for (i, bound) in BOUNDS.into_iter().enumerate() {
        compare("ol2m", json!({}), &mut Ol2m(Trail::new(bound, false)), bound, i as u64);
        let options = json!({"constants": "published"});
        compare("ol2m", options, &mut Ol2m(Trail::new(bound, true)), bound, i as u64);
    }
}

#[test]
fn gloc_does_what_it_says() {
    for (i, bound) in BOUNDS.into_iter().enumerate() {
        compare("gloc", json!({}), &mut Gloc(Trail::new(bound, false)), bound, i as u64);
        let options = json!({"constants": "published"});
        compare("gloc", options, &mut Gloc(Trail::new(bound, true)), bound, i as u64);
    }
}

#[test]
fn glb_omd_does_what_it_says() {
    for (i, bound) in BOUNDS.into_iter().enumerate() {
        compare("glb-omd", json!({}), &mut GlbOmd(Trail::new(bound, false)), bound, i as u64);
        let options = json!({"constants": "published"});
        compare("glb-omd", options, &mut GlbOmd(Trail::new(bound, true)), bound, i as u64);
    }
}

#[test]
fn the_best_direction_is_played_on_the_sphere() {
    compare_on_sphere("ol2m", &mut Ol2m(Trail::new(1.5, false)), 1.5, 1);
    compare_on_sphere("gloc", &mut Gloc(Trail::new(1.5, false)), 1.5, 2);
    compare_on_sphere("glb-omd", &mut GlbOmd(Trail::new(4.0, false)), 4.0, 3);
}
