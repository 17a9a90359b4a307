//! The policies with a bonus, in every round of a run.

use optimist::policy::glm_ucb::{GlmUcb, GlmUcbOptions};
use optimist::policy::log_ucb_1::{LogUcb1, LogUcb1Options};
use optimist::policy::log_ucb_2::{LogUcb2, LogUcb2Options};
use optimist::policy::{Bonus, Constants};

use super::*;

#[test]
fn glm_ucb_is_its_formula() {
    let mut projections = 0;
    for (case, (s, truth, constants)) in
        [(4.0, 3.0, Constants::Ours), (1.0, 3.0, Constants::Ours), (2.0, 2.0, Constants::Published)]
            .into_iter()
            .enumerate()
    {
        let options = GlmUcbOptions { constants, horizon: Some(ROUNDS as u64), ..Default::default() };
        let (kappa, ridge) = (1.0 / variance(s), 2.0);
        play::<GlmUcb>(&problem(s), &options, (truth, case as u64, case < 2), |agent, data, arms, chosen| {
            let v = data.matrix(ridge, |_| 1.0);
            let distance = |theta: Vector| inverse_form(v, data.score(theta, ridge / kappa)).sqrt();
            let (centre, status) = (vector(agent.estimate()), agent.rule().projected());
            let reached = checked_distance(data.minimiser(ridge / kappa), (centre, status), s, data.search(), distance);
            projections += usize::from(status != ProjectionStatus::Skipped);
            let ours = 0.5 * (2.0 * (1.0 / DELTA).ln() + (determinant(v) / ridge.powi(2)).ln()).sqrt()
                + ridge.sqrt() * s / kappa;
            let published = (3.0 + 2.0 * (1.0 + 2.0 / ridge).ln()).sqrt()
                * (4.0 * (data.n() + 3.0).ln() * (4.0 * ROUNDS as f64 / DELTA).ln()).sqrt();
            let (radius, scale) = match constants {
                Constants::Ours => (ours, kappa * (ours + reached)),
                Constants::Published => (published, 2.0 * kappa * published),
            };
            let width = |x: Vector| scale * inverse_form(v, x).sqrt();
            assert_best(arms, chosen, |x| mean(dot(x, centre)) + 0.25 * width(x));
            let x = vector(arms.arm(0));
            assert_bounds(bounds(agent, &x), s, x, dot(x, centre), width(x));
            for theta in [[0.3, -0.2], [0.9 * s, 0.0], [0.0, -0.7 * s], [1.1 * s, 0.0]] {
                let inside = norm(theta) <= s && distance(theta) <= radius;
                assert_eq!(agent.rule().contains(&theta).unwrap(), inside);
            }
        });
    }
    assert!(projections > 20, "{projections} projections are too few to test them");
}

/// lambda_t and gamma_t, the latter by a search over a.
fn ridge_and_gamma(data: &Data, s: f64) -> (f64, f64) {
    let lambda = 2.0 * (1.0 + (data.n() + 1.0).ln());
    let chi_squared = |x: f64| 1.0 - (-0.5 * x).exp();
    let c = (2.0 * 2_f64.ln()).min((chi_squared(4.0) / chi_squared(lambda / 2.0)).ln());
    let w = (1.0 / DELTA).ln() + c + 0.5 * determinant(data.matrix(lambda, |_| 0.25)).ln() - 2_f64.ln();
    let most = lambda.sqrt() / 2.0;
    let a = w.sqrt().min(most);
    for i in 1..=100 {
        let other = most * f64::from(i) / 100.0;
        assert!(a + w / a <= other + w / other + 1e-12);
    }
    (lambda, lambda.sqrt() * s + a + w / a)
}

/// Norm bound, norm of the truth, and bonus of the runs: with and without projections.
const CASES: [(f64, f64, Bonus); 4] =
    [(4.0, 3.0, Bonus::Refined), (0.5, 4.0, Bonus::Refined), (0.5, 4.0, Bonus::Paper), (2.0, 1.0, Bonus::Paper)];

/// u and the bound on ||c - theta*||_{H(c)}; `spread` bounds D.
fn deviations(bonus: Bonus, q: f64, s: f64, spread: f64, lambda: f64) -> (f64, f64) {
    if bonus == Bonus::Paper {
        return ((1.0 + 2.0 * s).sqrt() * q, (1.0 + 2.0 * s) * q);
    }
    // The largest u with u^2 <= (1 + min(spread, u/sqrt(lambda))) q^2, by bisection.
    let (mut low, mut high) = (0.0, 1e6);
    for _ in 0..200 {
        let u: f64 = 0.5 * (low + high);
        if u * u <= (1.0 + spread.min(u / lambda.sqrt())) * q * q { low = u } else { high = u }
    }
    (low, low * (1.0 + spread.min(low / lambda.sqrt())).sqrt())
}

#[test]
fn log_ucb_1_is_its_formula() {
    let mut projections = 0;
    for (case, (s, truth, bonus)) in CASES.into_iter().enumerate() {
        let kappa = 1.0 / variance(s);
        play::<LogUcb1>(
            &problem(s),
            &LogUcb1Options { bonus },
            (truth, 10 + case as u64, case % 2 == 0),
            |agent, data, arms, chosen| {
                let (lambda, gamma) = ridge_and_gamma(data, s);
                agent.estimate();
                assert_close(agent.rule().gamma(), gamma, 1e-9, "gamma");
                let distance = |t: Vector| inverse_form(data.hessian(t, lambda), data.score(t, lambda)).sqrt();
                let (centre, status) = (vector(agent.estimate()), agent.rule().projected());
                let reached = checked_distance(data.minimiser(lambda), (centre, status), s, data.search(), distance);
                let projected = status != ProjectionStatus::Skipped;
                projections += usize::from(projected);
                let reached = if bonus == Bonus::Paper && projected { reached.max(gamma) } else { reached };
                let (u, _) = deviations(bonus, gamma + reached, s, s + norm(centre), lambda);
                let v = data.matrix(kappa * lambda, |_| 1.0);
                let width = |x: Vector| kappa.sqrt() * u * inverse_form(v, x).sqrt();
                assert_best(arms, chosen, |x| mean(dot(x, centre)) + 0.25 * width(x));
                let x = vector(arms.arm(1));
                assert_bounds(bounds(agent, &x), s, x, dot(x, centre), width(x));
                for theta in [[0.3, -0.2], [0.9 * s, 0.0], [0.0, -0.7 * s], [1.1 * s, 0.0]] {
                    let inside = norm(theta) <= s && distance(theta) <= gamma;
                    assert_eq!(agent.rule().contains(&theta).unwrap(), inside);
                }
            },
        );
    }
    assert!(projections > 20, "{projections} projections are too few to test them");
}

#[test]
fn log_ucb_2_is_its_formula() {
    let mut projections = 0;
    for (case, (s, truth, bonus)) in CASES.into_iter().enumerate() {
        let kappa = 1.0 / variance(s);
        // Recorded intervals, by arm; those of the round at hand are added when its reward has come.
        let mut recorded: Vec<(Vector, f64, f64)> = Vec::new();
        play::<LogUcb2>(
            &problem(s),
            &LogUcb2Options { bonus },
            (truth, 20 + case as u64, case % 2 == 0),
            |agent, data, arms, chosen| {
                let (lambda, gamma) = ridge_and_gamma(data, s);
                agent.estimate();
                assert_close(agent.rule().gamma(), gamma, 1e-9, "gamma");
                let distance = |t: Vector| inverse_form(data.hessian(t, lambda), data.score(t, lambda)).sqrt();
                let (centre, status) = (vector(agent.estimate()), agent.rule().projected());
                // The intervals are too wide to bind here, so that the ball decides.
                let reached = checked_distance(data.minimiser(lambda), (centre, status), s, data.search(), distance);
                projections += usize::from(status != ProjectionStatus::Skipped);
                let reached = if bonus == Bonus::Paper { reached.max(gamma) } else { reached };
                let by_record = recorded
                    .iter()
                    .map(|(x, lower, upper)| (dot(*x, centre) - lower).max(upper - dot(*x, centre)))
                    .fold(0.0, f64::max);
                let spread = (s + norm(centre)).min(by_record);
                let (u, by_hessian) = deviations(bonus, gamma + reached, s, spread, lambda);
                let (v, h) = (data.matrix(kappa * lambda, |_| 1.0), data.hessian(centre, lambda));
                let global = |x: Vector| kappa.sqrt() * u * inverse_form(v, x).sqrt();
                let local = |x: Vector| by_hessian * inverse_form(h, x).sqrt();
                let width = |x: Vector| global(x).min(local(x));
                let index = |x: Vector| {
                    let z = dot(x, centre);
                    let taylor = variance(z) * width(x) + width(x).powi(2) / (12.0 * 3_f64.sqrt());
                    let paper = variance(z) * local(x) + 0.25 * global(x).powi(2);
                    mean(z) + if bonus == Bonus::Paper { paper } else { taylor.min(0.25 * width(x)) }
                };
                // The constant 1/(12 sqrt 3) is rounded up there.
                let best = arms.iter().map(|x| index(vector(x))).fold(f64::NEG_INFINITY, f64::max);
                assert!(index(vector(arms.arm(chosen))) >= best * (1.0 - 1e-8));
                let x = vector(arms.arm(chosen));
                let interval = |x: Vector| {
                    let z = dot(x, centre);
                    ((z - width(x)).max(-s * norm(x)), (z + width(x)).min(s * norm(x)))
                };
                let (lower, upper) = interval(x);
                match recorded.iter_mut().find(|(y, _, _)| *y == x) {
                    Some((_, low, high)) => {
                        let (a, b) = agent.rule().recorded(&x).unwrap();
                        assert_close(a, *low, 1e-6, "recorded");
                        assert_close(b, *high, 1e-6, "recorded");
                        (*low, *high) = (low.max(lower), high.min(upper));
                    }
                    None => recorded.push((x, lower, upper)),
                }
                let (a, b) = bounds(agent, &x);
                let (_, low, high) = recorded.iter().find(|(y, _, _)| *y == x).unwrap();
                assert_close(a, *low, 1e-6, "lower");
                assert_close(b, *high, 1e-6, "upper");
            },
        );
    }
    assert!(projections > 20, "{projections} projections are too few to test them");
}
