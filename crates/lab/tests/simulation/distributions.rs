//! What is drawn has the law that it is said to have. Margins are four standard deviations; seeds are fixed.

use optimist::ArmSet;
use optimist_lab::experiment::{Arms, Categories, Form, Gaussian, Redraw, Shape, Truth, kappa_of, norm_of};
use optimist_lab::simulation::World;

use super::{drawn, environment};

const COUNT: usize = 20_000;

fn world(dimension: usize, shape: Shape, seed: u64) -> (Vec<f64>, Vec<Vec<f64>>) {
    let environment = environment(dimension, drawn(shape, COUNT, Redraw::Run), Truth::ThetaNorm(2.0));
    let world = World::new(&environment, seed, 0).unwrap();
    let ArmSet::Finite(list) = world.arms() else { panic!("a list was asked for") };
    (world.theta().to_vec(), list.iter().map(<[f64]>::to_vec).collect())
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// The mean of a sample is `mean`, given the variance of one draw.
pub(super) fn assert_mean(sample: impl Iterator<Item = f64>, mean: f64, variance: f64, what: &str) {
    let all: Vec<f64> = sample.collect();
    let (n, found) = (all.len() as f64, all.iter().sum::<f64>() / all.len() as f64);
    assert!((found - mean).abs() < 4.0 * (variance / n).sqrt(), "{what}: {found}, not {mean}");
}

/// The sample is uniform on [0, 1]: the Kolmogorov-Smirnov distance is below 2.3/sqrt(n), exceeded with probability 5e-5.
pub(super) fn assert_uniform(sample: impl Iterator<Item = f64>, what: &str) {
    let mut sorted: Vec<f64> = sample.collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let gap = |(i, v): (usize, &f64)| (v - i as f64 / n).abs().max(((i + 1) as f64 / n - v).abs());
    let distance = sorted.iter().enumerate().map(gap).fold(0.0, f64::max);
    assert!(distance < 2.3 / n.sqrt(), "{what}: distance {distance}");
}

#[test]
fn ball_samples_are_uniform_in_the_ball() {
    for dimension in [1, 2, 5] {
        let (_, arms) = world(dimension, Shape::Ball, 5);
        assert!(arms.iter().all(|x| norm(x) <= 1.0));
        assert_uniform(arms.iter().map(|x| norm(x).powi(dimension as i32)), "radius to the power of d");
        for i in 0..dimension {
            // A coordinate has variance 1/(d + 2).
            let variance = 1.0 / (dimension as f64 + 2.0);
            assert_mean(arms.iter().map(|x| x[i]), 0.0, variance, "coordinate");
            // Its fourth moment is 3/((d + 2)(d + 4)), which bounds the variance of the square.
            let fourth = 3.0 / ((dimension as f64 + 2.0) * (dimension as f64 + 4.0));
            assert_mean(arms.iter().map(|x| x[i] * x[i]), variance, fourth - variance * variance, "square");
        }
    }
    let (_, plane) = world(2, Shape::Ball, 6);
    assert_uniform(plane.iter().map(|x| x[1].atan2(x[0]) / std::f64::consts::TAU + 0.5), "angle");
}

#[test]
fn sphere_samples_have_norm_one() {
    let (_, arms) = world(3, Shape::Sphere, 5);
    assert!(arms.iter().all(|x| (norm(x) - 1.0).abs() < 1e-14));
    // Archimedes: on the sphere of three dimensions every coordinate is uniform.
    for i in 0..3 {
        assert_uniform(arms.iter().map(|x| 0.5 * (x[i] + 1.0)), "height");
    }
}

#[test]
fn half_ball_samples_are_the_bad_half() {
    let (theta, arms) = world(3, Shape::HalfBall, 5);
    assert!(arms.iter().all(|x| dot(x, &theta) <= 0.0 && norm(x) <= 1.0 + 1e-14));
    assert_uniform(arms.iter().map(|x| norm(x).powi(3)), "radius to the power of d");
    // Along theta the mean of the half ball is 3/8, with variance 1/5 - 9/64.
    let along = |x: &Vec<f64>| -dot(x, &theta) / norm(&theta);
    assert_mean(arms.iter().map(along), 0.375, 0.2 - 9.0 / 64.0, "depth");
}

#[test]
fn theta_has_the_norm_of_kappa_and_never_more() {
    for kappa in [4.5, 50.0, 1e3, 1e6] {
        let length = norm_of(kappa);
        assert!((kappa_of(length) / kappa - 1.0).abs() < 1e-12);
        // 1/mu'(z) = (1 + e^z)(1 + e^-z), written differently than in the program.
        assert!((((1.0 + length.exp()) * (1.0 + (-length).exp())) / kappa - 1.0).abs() < 1e-9);
        for dimension in [1, 2, 3, 10] {
            for run in 0..200 {
                let environment = environment(dimension, drawn(Shape::Ball, 1, Redraw::Run), Truth::Kappa(kappa));
                let world = World::new(&environment, 3, run).unwrap();
                let found = optimist::numerics::norm(world.theta());
                assert!(found <= length && found > length * (1.0 - 1e-14), "{found} {length}");
            }
        }
    }
}

#[test]
fn directions_of_theta_are_uniform() {
    let environment = environment(2, drawn(Shape::Ball, 1, Redraw::Run), Truth::ThetaNorm(3.0));
    let angle = |run| {
        let theta = World::new(&environment, 8, run).unwrap().theta().to_vec();
        theta[1].atan2(theta[0]) / std::f64::consts::TAU + 0.5
    };
    assert_uniform((0..4000).map(angle), "angle of theta");
}

#[test]
fn success_is_as_frequent_as_mu_says() {
    let theta = vec![1.2, -0.7];
    let environment = environment(2, drawn(Shape::Ball, 8, Redraw::Run), Truth::Theta(theta.clone()));
    let mut world = World::new(&environment, 2, 0).unwrap();
    let luck: Vec<f64> = (0..COUNT).map(|_| world.next_luck()).collect();
    assert_uniform(luck.iter().copied(), "luck");
    let ArmSet::Finite(list) = world.arms() else { panic!("a list was asked for") };
    for (k, x) in list.iter().enumerate() {
        let mean = 1.0 / (1.0 + (-dot(x, &theta)).exp());
        assert!((world.look(Some(k), x).mean - mean).abs() < 1e-14);
        let successes = luck.iter().map(|luck| f64::from(u8::from(*luck < world.look(Some(k), x).mean)));
        assert_mean(successes, mean, mean * (1.0 - mean), "success");
    }
}

/// Arms that are drawn once.
fn list(dimension: usize, arms: Arms) -> Vec<Vec<f64>> {
    let environment = environment(dimension, arms, Truth::ThetaNorm(2.0));
    let world = World::new(&environment, 9, 0).unwrap();
    let ArmSet::Finite(list) = world.arms() else { panic!("a list was asked for") };
    list.iter().map(<[f64]>::to_vec).collect()
}

#[test]
fn gaussian_arms_have_the_correlation_that_is_stated() {
    let dimension = 4;
    for (form, correlation) in [(Form::Equal, 0.0), (Form::Equal, 0.5), (Form::Ar1, 0.6), (Form::Ar1, -0.6)] {
        let gaussian = Gaussian { count: COUNT, redraw: Redraw::Run, correlation, form };
        let arms = list(dimension, Arms::Gaussian(gaussian));
        assert!(arms.iter().all(|x| norm(x) <= 1.0));
        for i in 0..dimension {
            // The sign of a feature is fair, whatever its scale.
            assert_mean(arms.iter().map(|x| x[i].signum()), 0.0, 1.0, "sign");
            for j in 0..i {
                let rho = match form {
                    Form::Equal => correlation,
                    Form::Ar1 => f64::powi(correlation, (i - j) as i32),
                };
                // Scaling an arm does not move signs: those of two normal features with correlation rho have the correlation
                // (2/pi) arcsin(rho).
                let mean = std::f64::consts::FRAC_2_PI * rho.asin();
                assert_mean(arms.iter().map(|x| (x[i] * x[j]).signum()), mean, 1.0 - mean * mean, "signs");
            }
        }
    }
}

#[test]
fn gaussian_arms_are_scaled_as_is_said() {
    // In two dimensions, |z|^2/2 is exponential: |x|^2 = min(1, |z|^2/2) has the distribution function 1 - exp(-s) below 1.
    let gaussian = Gaussian { count: COUNT, redraw: Redraw::Run, correlation: 0.0, form: Form::Equal };
    let arms = list(2, Arms::Gaussian(gaussian));
    let share = 1.0 - (-1.0_f64).exp();
    let inside: Vec<f64> = arms.iter().map(|x| dot(x, x)).filter(|square| *square < 1.0 - 1e-12).collect();
    assert_mean(
        arms.iter().map(|x| f64::from(u8::from(dot(x, x) < 1.0 - 1e-12))),
        share,
        share * (1.0 - share),
        "inside",
    );
    assert_uniform(inside.iter().map(|square| (1.0 - (-square).exp()) / share), "square of the norm");
    assert_uniform(arms.iter().map(|x| x[1].atan2(x[0]) / std::f64::consts::TAU + 0.5), "angle");
}

#[test]
fn categories_have_their_weights_and_are_independent() {
    let levels = vec![3, 2];
    for weights in [vec![], vec![vec![1.0, 0.0, 3.0], vec![0.1, 0.3]]] {
        let even = vec![vec![1.0; 3], vec![1.0; 2]];
        let probabilities: Vec<Vec<f64>> = if weights.is_empty() { even } else { weights.clone() }
            .iter()
            .map(|weights| weights.iter().map(|weight| weight / weights.iter().sum::<f64>()).collect())
            .collect();
        let arms = list(
            5,
            Arms::Categories(Categories { count: COUNT, redraw: Redraw::Run, levels: levels.clone(), weights }),
        );
        let one = 0.5_f64.sqrt();
        for x in &arms {
            assert!(norm(x) <= 1.0 && x.iter().filter(|v| (**v - one).abs() < 1e-15).count() == 2);
            assert!(x[..3].iter().filter(|v| **v > 0.0).count() == 1);
        }
        for (a, p) in probabilities[0].iter().enumerate() {
            for (b, q) in probabilities[1].iter().enumerate() {
                let both = arms.iter().map(|x| f64::from(u8::from(x[a] > 0.0 && x[3 + b] > 0.0)));
                assert_mean(both, p * q, (p * q * (1.0 - p * q)).max(1e-300), "two levels");
            }
        }
    }
}
