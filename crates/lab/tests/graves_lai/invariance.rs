//! What must not change the constant, and what can change it one way only.

use super::{naive, solve};

fn bandit() -> ([f64; 3], Vec<Vec<f64>>) {
    let arms = [
        [0.8, 0.3, 0.1],
        [0.2, 0.9, -0.2],
        [-0.4, 0.1, 0.8],
        [0.5, -0.6, 0.3],
        [0.1, 0.2, 0.9],
        [-0.7, -0.2, -0.1],
        [0.4, 0.4, -0.6],
    ];
    ([1.7, 0.6, -0.5], arms.iter().map(|x| x.to_vec()).collect())
}

fn close(a: f64, b: f64) {
    assert!((a / b - 1.0).abs() < 2e-6, "{a} is not {b}");
}

fn rotate(v: &[f64]) -> Vec<f64> {
    let mut v = v.to_vec();
    for (i, j, angle) in [(0, 1, 0.7_f64), (1, 2, -1.9), (0, 2, 2.4)] {
        let (c, s) = (angle.cos(), angle.sin());
        (v[i], v[j]) = (c * v[i] - s * v[j], s * v[i] + c * v[j]);
    }
    v
}

#[test]
fn coordinates_do_not_matter() {
    let (theta, arms) = bandit();
    let turned: Vec<Vec<f64>> = arms.iter().map(|x| rotate(x)).collect();
    for bound in [None, Some(2.0)] {
        let value = solve(&theta, &arms, bound).value();
        close(solve(&rotate(&theta), &turned, bound).value(), value);
    }
    // Longer arms and a shorter theta are the same bandit, if theta is not bounded.
    let longer: Vec<Vec<f64>> = arms.iter().map(|x| x.iter().map(|v| 7.0 * v).collect()).collect();
    let shorter: Vec<f64> = theta.iter().map(|t| t / 7.0).collect();
    close(solve(&shorter, &longer, None).value(), solve(&theta, &arms, None).value());
}

#[test]
fn a_tighter_norm_bound_never_raises_it() {
    let (theta, arms) = bandit();
    let free = solve(&theta, &arms, None).value();
    let mut before = 0.0;
    for bound in [2.0, 2.2, 2.6, 3.5, 6.0, 50.0] {
        let value = solve(&theta, &arms, Some(bound)).value();
        assert!(value >= before * (1.0 - 2e-6), "bound {bound}: {value} after {before}");
        before = value;
    }
    close(before, free);
    assert!(solve(&theta, &arms, Some(2.0)).value() < 0.95 * free);
}

#[test]
fn useless_arms_do_not_matter() {
    let (theta, arms) = bandit();
    let value = solve(&theta, &arms, None).value();
    let best = arms[naive::best(&theta, &arms)].clone();
    // In the span of the best arm, nothing, and the best arm once more.
    for extra in [best.iter().map(|v| 0.4 * v).collect(), vec![0.0; 3], best.iter().map(|v| -v).collect(), best] {
        let mut more = arms.clone();
        more.push(extra);
        close(solve(&theta, &more, None).value(), value);
    }
    // Another copy of an arm helps nobody.
    let mut more = arms.clone();
    more.push(arms[1].clone());
    close(solve(&theta, &more, None).value(), value);
}

/// For small theta, kl = h^2/8 and a play of x costs Delta_x/4. theta = (e, 0), and e1 is best. The alternatives are
/// (e, s); the arm (0.9, 0.2) is best from s = e/2 on, and e2 from s = e on. A play of e2 tells e^2/32 against s = e/2
/// and costs e/4, of the other arm 0.04 e^2/32 and e/40: per information, 8/e and 20/e. So e2 is played, for 8/e.
#[test]
fn small_parameters_are_the_linear_bandit() {
    let arms = vec![vec![1.0, 0.0], vec![0.9, 0.2], vec![0.0, 1.0]];
    for e in [1e-2, 1e-4, 1e-6] {
        let result = solve(&[e, 0.0], &arms, None);
        assert!((result.value() * e / 8.0 - 1.0).abs() < 0.5 * e + 2e-6, "{result:?}");
        assert!((result.lai_robbins * e / 22.0 - 1.0).abs() < 0.5 * e + 1e-6, "{result:?}");
        assert!(
            result.plays.iter().any(|(k, eta)| *k == 2 && (eta * e * e / 32.0 - 1.0).abs() < e + 1e-4),
            "{result:?}"
        );
    }
}
