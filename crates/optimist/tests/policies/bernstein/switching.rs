//! RS-GLinCB by its description.

use optimist::policy::Constants;
use optimist::policy::rs_glincb::{RsGlincb, RsGlincbOptions};

use super::*;

impl Data {
    /// The minimiser over the disk: the free one, or the best point of the circle.
    fn minimiser_in_disk(&self, ridge: f64, s: f64) -> Vector {
        let free = self.minimiser(ridge);
        if norm(free) <= s {
            return free;
        }
        let at = |angle: f64| [s * angle.cos(), s * angle.sin()];
        let mut best = free[1].atan2(free[0]);
        let mut size = 1.5;
        while size > 1e-9 {
            let value = |i: i32| self.loss(at(best + size * f64::from(i) / 10.0), ridge);
            let least = (-10..=10).min_by(|&i, &j| value(i).total_cmp(&value(j))).unwrap();
            best += size * f64::from(least) / 10.0;
            size *= 0.3;
        }
        at(best)
    }
}

/// RS-GLinCB by its description: all matrices are sums over lists.
struct SlowSwitching {
    warm: Data,
    rest: Data,
    weights: Vec<f64>,
    /// The length of `rest` when theta_tau was fitted.
    tau: usize,
    theta_o: Vector,
    theta_tau: Vector,
    switches: u64,
}

impl SlowSwitching {
    fn h(&self, ridge: f64, length: usize) -> Matrix {
        let mut h = [[ridge, 0.0], [0.0, ridge]];
        for ((x, _), w) in self.rest.seen.iter().zip(&self.weights).take(length) {
            for i in 0..2 {
                for j in 0..2 {
                    h[i][j] += w * x[i] * x[j];
                }
            }
        }
        h
    }

    fn learn(&mut self, x: Vector, reward: f64, ridge: f64, s: f64, threshold: f64, growth: f64) {
        if inverse_form(self.warm.matrix(ridge, |_| 1.0), x) >= threshold {
            self.warm.seen.push((x, reward));
            self.theta_o = self.warm.minimiser(ridge);
            return;
        }
        self.rest.seen.push((x, reward));
        self.weights.push(variance(dot(x, self.theta_o)) / 1_f64.exp());
        let now = self.weights.len();
        if determinant(self.h(ridge, now)) > growth * determinant(self.h(ridge, self.tau)) {
            self.tau = now;
            self.theta_tau = self.rest.minimiser_in_disk(ridge, s);
            self.switches += 1;
        }
    }
}

#[test]
fn rs_glincb_is_its_description() {
    for (case, (s, truth, constants)) in
        [(4.0, 3.0, Constants::Ours), (2.0, 3.0, Constants::Ours), (0.03, 1.0, Constants::Published)]
            .into_iter()
            .enumerate()
    {
        let options = RsGlincbOptions { horizon: Some(ROUNDS as u64), constants };
        let (kappa, l) = (1.0 / variance(s), 2.0 * (ROUNDS as f64 / DELTA).ln());
        let gamma = 25.0 * s * l.sqrt();
        let (ridge, threshold, a, b, growth, share) = match constants {
            Constants::Ours => (0.5, 50.0 / (kappa * s * s), s * (l * kappa).sqrt(), 4.0 * l.sqrt(), 1.5, 0.5),
            Constants::Published => {
                (l, 1.0 / (gamma * gamma * kappa), gamma * kappa.sqrt(), 150.0 * l.sqrt(), 2.0, 0.0)
            }
        };
        let (warm, rest) = (Data::default(), Data::default());
        let zero = [0.0, 0.0];
        let mut slow =
            SlowSwitching { warm, rest, weights: vec![], tau: 0, theta_o: zero, theta_tau: zero, switches: 0 };
        play::<RsGlincb>(&problem(s), &options, (truth, 30 + case as u64, true), |agent, data, arms, chosen| {
            if let Some((x, reward)) = data.seen.last() {
                slow.learn(*x, *reward, ridge, s, threshold, growth);
            }
            assert_eq!(agent.rule().warm_up(), slow.warm.n());
            assert_eq!(agent.rule().switches(), slow.switches);
            let mix = |i: usize| share * slow.theta_o[i] + (1.0 - share) * slow.theta_tau[i];
            let centre = [mix(0), mix(1)];
            let estimate = vector(agent.estimate());
            assert_close(estimate[0], centre[0], 1e-6, "estimate");
            assert_close(estimate[1], centre[1], 1e-6, "estimate");
            let v = slow.warm.matrix(ridge, |_| 1.0);
            let width = |x: Vector| inverse_form(v, x).sqrt();
            if arms.iter().any(|x| width(vector(x)).powi(2) >= threshold) {
                return assert_best(arms, chosen, width);
            }
            let bound = |x: Vector, sign: f64| dot(x, slow.theta_o) + sign * a * width(x);
            let least = arms.iter().map(|x| bound(vector(x), -1.0)).fold(f64::NEG_INFINITY, f64::max);
            let h = slow.h(ridge, slow.tau);
            let index = |x: Vector| dot(x, centre) + b * inverse_form(h, x).sqrt();
            let allowed = |x: Vector| bound(x, 1.0) >= least - 1e-9;
            assert!(allowed(vector(arms.arm(chosen))));
            // An arm that is barely dropped may be counted either way.
            let best = arms.iter().map(vector).filter(|x| bound(*x, 1.0) >= least + 1e-9).map(index);
            let best = best.fold(f64::NEG_INFINITY, f64::max);
            assert!(index(vector(arms.arm(chosen))) >= best - 1e-6 * (1.0 + best.abs()));
        });
        assert!(slow.warm.n() > 0.0 && slow.rest.n() > 50.0, "{} {}", slow.warm.n(), slow.rest.n());
        assert!(slow.switches > 1 || constants == Constants::Published, "{} switches", slow.switches);
    }
}

/// With the published constants theta_tau is held near theta_o; a ball so small that the warm-up ends.
#[test]
fn rs_glincb_switches_with_published_constants() {
    let options = RsGlincbOptions { horizon: Some(5000), constants: Constants::Published };
    let mut agent = Agent::<RsGlincb>::new(&problem(0.03), &options, Common::of::<RsGlincb>()).unwrap();
    let mut simulation = Simulation::new(2, 1.0, 40);
    let arms = ArmSet::from(simulation.ball_arms(10));
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..5000 {
        let choice = agent.choose(&arms, &mut rng).unwrap();
        let reward = simulation.reward(&choice.features);
        agent.observe(&choice.features, reward).unwrap();
    }
    assert!(agent.rule().switches() >= 2, "{}", agent.rule().switches());
    // The truth is far outside ||theta|| <= 0.03 but within the ellipsoid, so that the estimate finds it.
    let (estimate, truth) = (vector(agent.estimate()), vector(&simulation.theta));
    assert!(norm([estimate[0] - truth[0], estimate[1] - truth[1]]) < 0.4, "{estimate:?} {truth:?}");
    let mut restored = optimist::policy::restore(&agent.save().unwrap()).unwrap();
    assert_eq!(restored.estimate(), agent.estimate());
}
