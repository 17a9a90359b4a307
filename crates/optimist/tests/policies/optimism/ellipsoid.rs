//! `ofuglb-e`.

use optimist::ArmSet;
use optimist::policy::Certificate;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::level_sets::{build, lists};
use super::sets::{ofuglb_excess, ofuglb_published_excess};
use super::slow::{Matrix, Point, Rows, dot, norm};
use crate::simulation::Simulation;

const BOUND: f64 = 4.0;

/// Centre, matrix, squared radius.
type Ellipse = (Point, Matrix, f64);

fn ours(rows: &Rows) -> Ellipse {
    let theta = rows.ball_fit(0.0, BOUND);
    let d = 2.0 * BOUND * rows.max_norm();
    let q = ((-d).exp() - 1.0 + d) / (d * d);
    let squared = ofuglb_excess(rows, BOUND) / q + 1.0;
    (theta, rows.hessian(&theta, 0.25 / (BOUND * BOUND)), squared)
}

fn published(rows: &Rows) -> Ellipse {
    let theta = rows.ball_fit(0.0, BOUND);
    let lambda = 1.0 / (8.0 * BOUND * BOUND * (1.0 + BOUND));
    let squared = 2.0 * (1.0 + BOUND) * (1.0 + ofuglb_published_excess(rows, BOUND));
    (theta, rows.hessian(&theta, lambda), squared)
}

fn support(ellipse: &Ellipse, x: &[f64]) -> f64 {
    dot(x, &ellipse.0) + (ellipse.2 * ellipse.1.inverse_form(x)).sqrt()
}

fn cross_check(options: &Value, slow: fn(&Rows) -> Ellipse) {
    let mut simulation = Simulation::new(2, 3.0, 31);
    let lists = lists(&mut simulation, 100);
    let mut policy = build("ofuglb-e", options, BOUND);
    let mut rng = ChaCha8Rng::seed_from_u64(32);
    let mut rows = Rows::default();
    // A start with data in all directions: before that the estimate is not unique.
    for x in [[0.5, 0.1], [-0.2, 0.6], [0.5, 0.1], [-0.2, 0.6]] {
        let reward = f64::from(u8::from(rows.count() < 2.0));
        policy.observe(&x, reward).unwrap();
        rows.observe(&x, reward, 1.0);
    }
    let mut clipped = 0;
    for (t, list) in lists.iter().enumerate() {
        let label = format!("ofuglb-e {options} round {}", t + 1);
        if t == 50 || t == 150 {
            policy = optimist::policy::restore(&policy.save().unwrap()).unwrap();
        }
        let arms = ArmSet::from(list.clone());
        let choice = policy.choose(&arms, &mut rng).unwrap();
        let ellipse = slow(&rows);
        let best = list.iter().map(|x| support(&ellipse, x)).fold(f64::NEG_INFINITY, f64::max);
        let x = &choice.features;
        let value = support(&ellipse, x);
        assert!(value >= best - 1e-7, "{label}: {value}, {best}");
        let Certificate::Bounds { log_odds_lower, log_odds_upper, .. } = choice.certificate else { panic!("{label}") };
        let ball = BOUND * norm(x);
        let (lower, upper) = ((2.0 * dot(x, &ellipse.0) - value).max(-ball), value.min(ball));
        clipped += usize::from(upper == ball);
        assert!((log_odds_upper - upper).abs() < 1e-6 && (log_odds_lower.unwrap() - lower).abs() < 1e-6, "{label}");
        let interval = policy.interval(x).unwrap().interval;
        assert_eq!((interval.log_odds_lower, interval.log_odds_upper), (log_odds_lower.unwrap(), log_odds_upper));
        for _ in 0..10 {
            let theta = [rng.random_range(-4.4..4.4), rng.random_range(-4.4..4.4)];
            let offset = [theta[0] - ellipse.0[0], theta[1] - ellipse.0[1]];
            let inside = ellipse.1.form(&offset) / ellipse.2 - 1.0;
            if inside.abs() > 1e-6 {
                let expected = inside < 0.0 && norm(&theta) <= BOUND;
                assert_eq!(policy.contains(&theta).unwrap(), expected, "{label}: {theta:?}");
            }
        }
        let reward = simulation.reward(x);
        policy.observe(x, reward).unwrap();
        rows.observe(x, reward, 1.0);
    }
    assert!(clipped > 0, "the ball never mattered");
    // The farthest point of the ellipse, by trying directions.
    let ellipse = slow(&rows);
    let farthest = (0..36_000).map(|i| {
        let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 36_000.0).sin_cos();
        support(&ellipse, &[cos, sin])
    });
    let farthest = farthest.fold(0.0, f64::max);
    let ball = ArmSet::Ball { dimension: 2 };
    let choice = policy.choose(&ball, &mut rng).unwrap();
    assert!((support(&ellipse, &choice.features) - farthest).abs() < 1e-5 * farthest);
}

#[test]
fn ofuglb_e() {
    cross_check(&json!({}), ours);
    cross_check(&json!({"constants": "published"}), published);
}
