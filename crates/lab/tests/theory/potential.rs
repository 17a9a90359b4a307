//! The elliptical potential and the determinant-trace inequality.

use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::matrix::{add_outer, inverse_square, log_determinant, scaled_identity};
use super::problem::{arm, config};

/// The sum over t of ||x_t||^2 in the metric of V_t^{-1}, V_t = sum_{s<t} x_s x_s' + ridge_t I.
fn potential(arms: &[Vec<f64>], ridge: impl Fn(usize) -> f64) -> f64 {
    let d = arms[0].len();
    let mut gram = scaled_identity(d, 0.0);
    let mut sum = 0.0;
    for (k, x) in arms.iter().enumerate() {
        let mut metric = gram.clone();
        (0..d).for_each(|i| metric[i][i] += ridge(k + 1));
        sum += inverse_square(&metric, x);
        add_outer(&mut gram, 1.0, x);
    }
    sum
}

/// As printed: 2 d (1 + X^2) log(lambda_T + T X^2/d), which assumes lambda_1 = 1.
fn printed(d: f64, rounds: f64, squared: f64, last: f64) -> f64 {
    2.0 * d * (1.0 + squared) * (last + rounds * squared / d).ln()
}

/// 2 max(1, X^2/lambda_1) d log((lambda_T + T X^2/d)/lambda_1).
fn corrected(d: f64, rounds: f64, squared: f64, first: f64, last: f64) -> f64 {
    2.0 * (squared / first).max(1.0) * d * ((last + rounds * squared / d) / first).ln()
}

/// (u/log(1 + u)) d log(1 + T X^2/(d lambda_1)), u = X^2/lambda_1.
///
/// V_t >= W_t = sum_{s<t} x_s x_s' + lambda_1 I, so that each term is at most w_t = ||x_t||^2 in the metric of W_t^{-1},
/// which is at most u. As log(1 + w)/w falls, w_t <= (u/log(1 + u)) log(1 + w_t); and the sum of log(1 + w_t) telescopes
/// to log det W_{T+1} - d log lambda_1, which the determinant-trace inequality bounds.
fn sharper(d: f64, rounds: f64, squared: f64, first: f64) -> f64 {
    let u = squared / first;
    u / u.ln_1p() * d * (rounds * squared / (d * first)).ln_1p()
}

fn arms(d: usize, count: usize, longest: f64, seed: u64) -> Vec<Vec<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut arms: Vec<Vec<f64>> = Vec::new();
    for _ in 0..count {
        let next = arm(&mut rng, &arms, d);
        arms.push(next);
    }
    arms.iter().map(|x| x.iter().map(|v| longest * v).collect()).collect()
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn potential_is_bounded(
        d in 1..=6_usize,
        count in 1..150_usize,
        longest in prop_oneof![0.1..1.0, 1.0..3.0],
        first in prop_oneof![0.01..1.0, 1.0..10.0],
        growth in prop_oneof![Just(0.0), 0.0..5.0],
        seed in any::<u64>(),
    ) {
        // Ridges that grow as those of the policies do, or not at all.
        let ridge = |t: usize| first * (1.0 + growth * (t as f64).ln());
        let arms = arms(d, count, longest, seed);
        let sum = potential(&arms, ridge);
        let (d, rounds, squared) = (d as f64, count as f64, longest * longest);
        let (wide, sharp) = (corrected(d, rounds, squared, first, ridge(count)), sharper(d, rounds, squared, first));
        prop_assert!(sum <= wide * (1.0 + 1e-12), "{sum} > {wide}");
        prop_assert!(sum <= sharp * (1.0 + 1e-12), "{sum} > {sharp}");
        // u/log(1 + u) <= 2 max(1, u) for every u > 0: the second form is never the worse.
        prop_assert!(sharp <= wide * (1.0 + 1e-12));
    }

    /// det(sum of t terms x x' + lambda I) <= (lambda + t X^2/d)^d.
    #[test]
    fn determinant_is_bounded_by_the_trace(
        d in 1..=6_usize,
        count in 0..100_usize,
        longest in 0.1..3.0,
        ridge in 0.01..10.0,
        seed in any::<u64>(),
    ) {
        let mut matrix = scaled_identity(d, ridge);
        for x in arms(d, count, longest, seed) {
            add_outer(&mut matrix, 1.0, &x);
        }
        let bound = d as f64 * (ridge + count as f64 * longest * longest / d as f64).ln();
        prop_assert!(log_determinant(&matrix) <= bound + 1e-12 * d as f64);
    }
}

/// Round-robin plays of the basis attain the determinant bound, and one play the sharper potential bound.
#[test]
fn bounds_are_attained() {
    let d = 4;
    let mut matrix = scaled_identity(d, 0.7);
    for k in 0..20 {
        let x: Vec<f64> = (0..d).map(|i| f64::from(u8::from(i == k % d))).collect();
        add_outer(&mut matrix, 1.0, &x);
    }
    assert!((log_determinant(&matrix) - 4.0 * (0.7_f64 + 20.0 / 4.0).ln()).abs() < 1e-13);
    assert!(
        (potential(&[vec![2.0]], |_| 0.5) - 8.0).abs() < 1e-14 && (sharper(1.0, 1.0, 4.0, 0.5) - 8.0).abs() < 1e-14
    );
}

/// Erratum: lambda_1 = 1 is assumed, but the ridge d log t starts at 0.
#[test]
fn printed_potential_needs_a_first_ridge_of_one() {
    let arms = vec![vec![1.0]];
    let sum = potential(&arms, |_| 0.01);
    let bounds = (printed(1.0, 1.0, 1.0, 0.01), corrected(1.0, 1.0, 1.0, 0.01, 0.01), sharper(1.0, 1.0, 1.0, 0.01));
    assert!((sum - 100.0).abs() < 1e-10 && (bounds.0 - 0.0398).abs() < 1e-4 && sum > bounds.0);
    assert!((bounds.1 - 923.0).abs() < 0.1 && sum <= bounds.1, "{bounds:?}");
    assert!((bounds.2 - sum).abs() < 1e-10, "the sharper form is attained");
    // With the printed ridge of the second round, d log 2, and arms of one dimension all along, it fails as well.
    let tiny = potential(&vec![vec![1.0]; 50], |t| if t == 1 { 1e-9 } else { (t as f64).ln() });
    assert!(tiny > 1e8 && printed(1.0, 50.0, 1.0, 50.0_f64.ln()) < 20.0);
}

/// Erratum: sqrt(mu') x has a squared norm of at most X^2 = 1/4, so that T/(16 d) in the theorem must be T/(4 d).
#[test]
fn printed_potential_of_weighted_arms_squares_the_variance_twice() {
    // One play at mu' = 1/4, lambda = 1, which the printed lemma asks for.
    let sum = potential(&[vec![0.5]], |_| 1.0);
    let printed = 4.0 * (1.0_f64 + 1.0 / 16.0).ln();
    assert!((sum - 0.25).abs() < 1e-15 && (printed - 0.2425).abs() < 1e-4 && sum > printed);
    assert!(sum <= corrected(1.0, 1.0, 0.25, 1.0, 1.0) && (sharper(1.0, 1.0, 0.25, 1.0) - sum).abs() < 1e-15);
}

/// Erratum: V_{t+1} is a sum of t terms, not of t - 1.
#[test]
fn printed_determinant_trace_inequality_counts_one_play_too_few() {
    let (ridge, t, d) = (1.0_f64, 1.0, 1.0);
    let mut matrix = scaled_identity(1, ridge);
    add_outer(&mut matrix, 1.0, &[1.0]);
    let determinant = log_determinant(&matrix).exp();
    assert!((determinant - 2.0).abs() < 1e-14);
    assert!(determinant > ridge + (t - 1.0) / d && determinant <= ridge + t / d + 1e-14);
}
