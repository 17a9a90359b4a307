//! Slow computations in the plane: naive sums, Newton's method with two unknowns, bisection.

pub(super) type Point = [f64; 2];

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

pub(super) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn mean(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

pub(super) fn softplus(z: f64) -> f64 {
    z.max(0.0) + (-z.abs()).exp().ln_1p()
}

/// A symmetric matrix of two rows: the diagonal, then the other entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix {
    pub(super) a: f64,
    pub(super) b: f64,
    pub(super) off: f64,
}

impl Matrix {
    pub(super) fn identity(scale: f64) -> Self {
        Self { a: scale, b: scale, off: 0.0 }
    }

    pub(super) fn add(&mut self, weight: f64, x: &[f64]) {
        self.a += weight * x[0] * x[0];
        self.b += weight * x[1] * x[1];
        self.off += weight * x[0] * x[1];
    }

    pub(super) fn det(&self) -> f64 {
        self.a * self.b - self.off * self.off
    }

    pub(super) fn solve(&self, v: &[f64]) -> Point {
        [(self.b * v[0] - self.off * v[1]) / self.det(), (self.a * v[1] - self.off * v[0]) / self.det()]
    }

    /// v'M^{-1}v.
    pub(super) fn inverse_form(&self, v: &[f64]) -> f64 {
        dot(v, &self.solve(v))
    }

    /// v'Mv.
    pub(super) fn form(&self, v: &[f64]) -> f64 {
        self.a * v[0] * v[0] + self.b * v[1] * v[1] + 2.0 * self.off * v[0] * v[1]
    }
}

/// Arms with how often they were played and what they paid in all, possibly weighted.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    rows: Vec<(Point, f64, f64)>,
}

impl Rows {
    pub(super) fn observe(&mut self, x: &[f64], reward: f64, weight: f64) {
        let x = [x[0], x[1]];
        match self.rows.iter_mut().find(|row| row.0 == x) {
            Some(row) => {
                row.1 += weight;
                row.2 += weight * reward;
            }
            None => self.rows.push((x, weight, weight * reward)),
        }
    }

    /// f(x, count) added up.
    pub(super) fn sum(&self, f: impl Fn(&Point, f64) -> f64) -> f64 {
        self.rows.iter().map(|(x, count, _)| f(x, *count)).sum()
    }

    pub(super) fn count(&self) -> f64 {
        self.sum(|_, count| count)
    }

    pub(super) fn max_norm(&self) -> f64 {
        self.rows.iter().map(|(x, _, _)| norm(x)).fold(0.0, f64::max)
    }

    pub(super) fn loss(&self, theta: &[f64], ridge: f64) -> f64 {
        let data: f64 = self.rows.iter().map(|(x, n, r)| n * softplus(dot(x, theta)) - r * dot(x, theta)).sum();
        data + 0.5 * ridge * dot(theta, theta)
    }

    pub(super) fn gradient(&self, theta: &[f64], ridge: f64) -> Point {
        let mut g = [ridge * theta[0], ridge * theta[1]];
        for (x, n, r) in &self.rows {
            let residual = n * mean(dot(x, theta)) - r;
            g = [g[0] + residual * x[0], g[1] + residual * x[1]];
        }
        g
    }

    /// ridge I + sum n weight(x'theta) xx'.
    pub(super) fn matrix(&self, theta: &[f64], ridge: f64, weight: impl Fn(f64) -> f64) -> Matrix {
        let mut m = Matrix::identity(ridge);
        self.rows.iter().for_each(|(x, n, _)| m.add(n * weight(dot(x, theta)), x));
        m
    }

    pub(super) fn hessian(&self, theta: &[f64], ridge: f64) -> Matrix {
        self.matrix(theta, ridge, |z| mean(z) * mean(-z))
    }

    /// The minimiser of the loss with a ridge.
    pub(super) fn ridge_fit(&self, ridge: f64) -> Point {
        self.ridge_fit_from([0.0, 0.0], ridge)
    }

    fn ridge_fit_from(&self, start: Point, ridge: f64) -> Point {
        let mut theta = start;
        let (mut loss, mut idle) = (self.loss(&theta, ridge), 0);
        for _ in 0..500 {
            let gradient = self.gradient(&theta, ridge);
            let step = self.hessian(&theta, ridge).solve(&gradient);
            let mut length = 1.0;
            let at = |length: f64| [theta[0] - length * step[0], theta[1] - length * step[1]];
            while self.loss(&at(length), ridge) > loss && length > 1e-12 {
                length *= 0.5;
            }
            theta = at(length);
            // Where the loss is nearly flat, rounding keeps steps from becoming short. Newton's method needs a few steps
            // after the last one that the loss shows, not hundreds.
            let new = self.loss(&theta, ridge);
            idle = if new < loss { 0 } else { idle + 1 };
            loss = new;
            if norm(&step) < 1e-13 * (1.0 + norm(&theta)) || length <= 1e-12 || idle == 10 {
                break;
            }
        }
        theta
    }

    /// The minimiser in the ball: a larger ridge until it is inside.
    pub(super) fn ball_fit(&self, ridge: f64, bound: f64) -> Point {
        let least = ridge.max(1e-10);
        let free = self.ridge_fit(least);
        if norm(&free) <= bound {
            return free;
        }
        let (mut low, mut high) = (least, least.max(1.0));
        while norm(&self.ridge_fit(high)) > bound {
            high *= 4.0;
        }
        let mut inside = self.ridge_fit(high);
        for _ in 0..60 {
            let middle = (low * high).sqrt();
            let theta = self.ridge_fit_from(inside, middle);
            if norm(&theta) > bound { low = middle } else { (high, inside) = (middle, theta) }
        }
        inside
    }
}

/// { L(theta) + ridge/2 ||theta||^2 <= level, ||theta|| <= bound }, with a point of it.
#[derive(Debug, Clone)]
pub(super) struct Set {
    pub(super) rows: Rows,
    pub(super) ridge: f64,
    pub(super) level: f64,
    pub(super) bound: f64,
    pub(super) estimate: Point,
}

impl Set {
    /// Loss minus level.
    pub(super) fn excess(&self, theta: &[f64]) -> f64 {
        self.rows.loss(theta, self.ridge) - self.level
    }

    /// The largest x'theta: a value is reached if the least loss on its line, within the ball, is below the level.
    pub(super) fn support(&self, x: &[f64]) -> f64 {
        if norm(x) == 0.0 {
            return 0.0;
        }
        let along = [x[0] / norm(x), x[1] / norm(x)];
        let inside = self.inside();
        let (mut low, mut high) = (dot(&along, &inside), self.bound);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if self.reaches(&along, middle) { low = middle } else { high = middle }
        }
        high * norm(x)
    }

    /// A point of the set: the estimate, or the least loss in the ball.
    fn inside(&self) -> Point {
        let belongs = |theta: &Point| norm(theta) <= self.bound && self.excess(theta) <= 0.0;
        if belongs(&self.estimate) {
            return self.estimate;
        }
        let theta = self.rows.ball_fit(self.ridge, self.bound);
        assert!(belongs(&theta), "the set is empty");
        theta
    }

    fn reaches(&self, along: &[f64], value: f64) -> bool {
        let half = (self.bound * self.bound - value * value).max(0.0).sqrt();
        let across = [-along[1], along[0]];
        let at = |u: f64| [value * along[0] + u * across[0], value * along[1] + u * across[1]];
        let (mut low, mut high) = (-half, half);
        for _ in 0..40 {
            let u = 0.5 * (low + high);
            let excess = self.excess(&at(u));
            if excess <= 0.0 {
                return true;
            }
            let slope = dot(&across, &self.rows.gradient(&at(u), self.ridge));
            // The loss is convex: it lies above its tangent.
            if excess > slope.abs() * 0.5 * (high - low) {
                return false;
            }
            if slope > 0.0 { high = u } else { low = u }
        }
        false
    }
}
