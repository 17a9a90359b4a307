//! Lists in environment keys.

use super::{POLICY, accepted, file, refused};

fn names(environment: &str) -> Vec<String> {
    accepted(&file("", environment, POLICY)).environments.iter().map(ToString::to_string).collect()
}

#[test]
fn the_first_key_written_varies_slowest() {
    let one = names("kappa = [10, 50]\ndimension = [2, 3]\narms = { count = [4, 5], kind = \"ball-sample\" }");
    let expected = [
        "d=2 ball-sample=4 kappa=10",
        "d=2 ball-sample=5 kappa=10",
        "d=3 ball-sample=4 kappa=10",
        "d=3 ball-sample=5 kappa=10",
        "d=2 ball-sample=4 kappa=50",
        "d=2 ball-sample=5 kappa=50",
        "d=3 ball-sample=4 kappa=50",
        "d=3 ball-sample=5 kappa=50",
    ];
    assert_eq!(one, expected);
    let other = names("arms = { kind = \"ball-sample\", count = [5, 4] }\nkappa = [50, 10]\ndimension = 2");
    let expected = [
        "d=2 ball-sample=5 kappa=50",
        "d=2 ball-sample=5 kappa=10",
        "d=2 ball-sample=4 kappa=50",
        "d=2 ball-sample=4 kappa=10",
    ];
    assert_eq!(other, expected);
}

#[test]
fn tables_can_be_swept() {
    let arms =
        "[{ kind = [\"ball\", \"sphere\"] }, { kind = \"ball-sample\", count = 3, redraw = [\"run\", \"round\"] }]";
    let expected = [
        "d=2 ball theta_norm=1",
        "d=2 sphere theta_norm=1",
        "d=2 ball-sample=3 theta_norm=1",
        "d=2 ball-sample=3 theta_norm=1 redraw=round",
    ];
    assert_eq!(names(&format!("dimension = 2\narms = {arms}\ntheta_norm = 1")), expected);
}

#[test]
fn feedback_can_be_swept() {
    let environment = "dimension = 2\narms = { kind = \"ball\" }\ntheta_norm = 1\n[environment.feedback]\n\
                       delay = [{ kind = \"none\" }, { kind = \"geometric\", mean = [2, 3] }]\nmissing = [0, 0.5]";
    let expected = [
        "d=2 ball theta_norm=1",
        "d=2 ball theta_norm=1 missing=0.5",
        "d=2 ball theta_norm=1 delay=geometric(2)",
        "d=2 ball theta_norm=1 delay=geometric(2) missing=0.5",
        "d=2 ball theta_norm=1 delay=geometric(3)",
        "d=2 ball theta_norm=1 delay=geometric(3) missing=0.5",
    ];
    assert_eq!(names(environment), expected);
}

#[test]
fn parameters_and_bounds_can_be_swept() {
    let expected = [
        "d=2 ball theta=[1;0]",
        "d=2 ball theta=[1;0] norm_bound=+1",
        "d=2 ball theta=[1;0] norm_bound=8",
        "d=3 ball theta=[0;2;0]",
        "d=3 ball theta=[0;2;0] norm_bound=+1",
        "d=3 ball theta=[0;2;0] norm_bound=8",
    ];
    let environment = "arms = { kind = \"ball\" }\ntheta = [[1, 0], [0, 2, 0]]\nnorm_bound = [\"exact\", \"+1\", 8]";
    assert_eq!(names(environment), expected);
}

#[test]
fn a_list_among_policy_options_is_a_value() {
    let message = refused(&file(
        "",
        "dimension = 2\narms = { kind = \"ball\" }\nkappa = 50",
        "[[policy]]\nname = \"laplace-ts\"\nscale = [1, 2]",
    ));
    assert!(
        message.starts_with("[[policy]] number 1 (\"laplace-ts\"): scale is [1,2], which it cannot be"),
        "{message}"
    );
}

#[test]
fn too_many_combinations_are_refused() {
    let numbers: Vec<String> = (4..41).map(|kappa| kappa.to_string()).collect();
    let list = numbers.join(", ");
    let environment = format!("dimension = [{list}]\nkappa = [{list}]\narms = {{ kind = \"ball\" }}");
    let message = refused(&file("", &environment, POLICY));
    assert_eq!(message, "environment has more than 1000 combinations of its lists: shorten them");
}
