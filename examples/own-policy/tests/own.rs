//! The policy and the radius pass the checks, and do what they are for.

use optimist::set::Radius;
use optimist::{ArmSet, Belief, FiniteArms, Problem, conformance, generator, policy};
use own_policy::laboratory::{EXPERIMENT, mean_regrets};
use own_policy::{boltzmann, register, two_scales};

#[test]
fn the_policy_conforms() {
    register().unwrap();
    conformance::check_policy(&boltzmann::INFO);
}

#[test]
fn the_radius_conforms() {
    register().unwrap();
    conformance::check_radius(&two_scales::INFO);
}

#[test]
fn it_learns_in_the_laboratory() {
    register().unwrap();
    let regrets = mean_regrets(EXPERIMENT).unwrap();
    let regret = |name: &str| regrets.iter().find(|(label, _)| label == name).unwrap().1;
    assert!(regret("boltzmann") < 0.5 * regret("uniform"), "{regrets:?}");
}

/// exp(b (x - y)'theta_hat), written again.
#[test]
fn probabilities_are_a_softmax() {
    register().unwrap();
    let problem = Problem { dimension: 1, delta: 0.05, norm_bound: Some(3.0) };
    let mut policy = policy::build("boltzmann", &problem).unwrap();
    policy.observe_many(&[1.0, 1.0, 1.0], &[1.0, 1.0, 0.0]).unwrap();
    let theta = policy.estimate()[0];
    let arms = ArmSet::from(FiniteArms::from_rows(&[[1.0], [-0.5]]).unwrap());
    let p = policy.probabilities(&arms, 0, &mut generator(1)).unwrap();
    assert!(theta > 0.0 && p.standard_errors.is_none());
    assert!((p.values[0] / p.values[1] - 2f64.powf(1.5 * theta)).abs() < 1e-9, "{p:?}");
}

/// It wins where the norm bound was declared with caution, and never loses more than log 2.
#[test]
fn the_level_lies_where_it_should() {
    register().unwrap();
    let level = |name: &str, bound: f64| {
        let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(bound) };
        let mut belief = Belief::with_radius(Radius::by_name(name, &problem).unwrap()).unwrap();
        belief.observe_many(&[1.0, 0.0], 0.6, 50).unwrap();
        belief.observe_many(&[0.0, 1.0], 0.5, 50).unwrap();
        belief.set().level()
    };
    assert!(level("two-scales", 32.0) < level("mixture", 32.0) - 0.5);
    for bound in [1.0, 4.0, 32.0] {
        assert!(level("two-scales", bound) <= level("mixture", bound) + 2f64.ln() + 1e-9);
    }
}

/// Every piece of code of the page stands in this crate, so that the page cannot say what no longer works.
#[test]
fn the_page_shows_this_code() {
    let root = env!("CARGO_MANIFEST_DIR");
    let read = |file: &str| std::fs::read_to_string(format!("{root}/{file}")).unwrap();
    let files =
        ["Cargo.toml", "src/boltzmann.rs", "src/laboratory.rs", "src/lib.rs", "src/two_scales.rs", "tests/own.rs"];
    let code = files.map(|file| without_indentation(&read(file)));
    let page = read("../../docs/own-policy.md");
    let blocks: Vec<&str> = page.split("\n```").skip(1).step_by(2).collect();
    let pieces: Vec<&str> =
        blocks.iter().filter_map(|b| b.strip_prefix("rust\n").or_else(|| b.strip_prefix("toml\n"))).collect();
    assert!(pieces.len() > 10, "{} pieces of code", pieces.len());
    for piece in pieces {
        let wanted = without_indentation(piece);
        assert!(code.iter().any(|file| file.contains(&wanted)), "docs/own-policy.md shows what is not there:\n{piece}");
    }
}

fn without_indentation(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim())).collect()
}
