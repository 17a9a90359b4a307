//! What files become.

use std::fs;

use optimist::numerics::norm;
use optimist_lab::Experiment;
use optimist_lab::experiment::{
    Arms, Context, Coverage, Delay, Drift, Feedback, Hybrid, NormBound, Redraw, Shape, Truth, log_spaced, read,
    read_arms,
};

use super::{ENVIRONMENT, POLICY, accepted, examples, file, refused, workspace};

#[test]
fn examples_are_read_and_survive_json() {
    let examples = examples();
    assert!(examples.len() >= 4, "{examples:?}");
    for (name, text) in examples {
        let experiment = read(&text, &workspace().join("examples")).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(name.ends_with(&format!("{}.toml", experiment.name)), "{name} is called {}", experiment.name);
        let json = serde_json::to_string(&experiment).unwrap();
        assert_eq!(serde_json::from_str::<Experiment>(&json).unwrap(), experiment, "{json}");
    }
}

#[test]
fn every_kind_of_value_survives_json() {
    let environment = "
        arms = [{ kind = \"list\", list = [[0.1, 0.2], [0.30000000000000004, -1e-300]] }, { kind = \"sphere\" }]
        theta = [[0.1, 0.7], [3.3333333333333335, 2]]
        norm_bound = [\"exact\", \"+1\", \"none\", 12.000000000000002]
        feedback = { missing = [0.1, 0], delay = [{ kind = \"none\" }, { kind = \"fixed\", mean = 3 }, \
        { kind = \"geometric\", mean = 0.1 }] }";
    let environment = format!("{environment}\n drift = [{{ kind = \"none\" }}, {{ kind = \"walk\", rate = 0.1 }}]");
    let policies = "[[policy]]\nname = \"laplace-ts\"\nscale = 0.30000000000000004\neliminate = false";
    let experiment = accepted(&file("seed = 9223372036854775807\ndelta = 0.1", &environment, policies));
    assert_eq!(experiment.environments.len(), 2 * 2 * 4 * 2 * 3 * 2);
    let json = serde_json::to_string(&experiment).unwrap();
    assert_eq!(serde_json::from_str::<Experiment>(&json).unwrap(), experiment);
}

#[test]
fn what_is_not_written_has_its_default() {
    let experiment = accepted(&file("", ENVIRONMENT, POLICY));
    assert_eq!((experiment.seed, experiment.runs, experiment.horizon, experiment.delta), (0, 2, 100, 0.05));
    assert_eq!(experiment.checkpoints, log_spaced(100, 10));
    assert_eq!(experiment.coverage, Coverage::Rounds);
    let [environment] = &experiment.environments[..] else { panic!("one environment") };
    assert_eq!(environment.dimension, 2);
    assert_eq!(environment.arms, Arms::Drawn { shape: Shape::Ball, count: 4, redraw: Redraw::Run });
    assert_eq!((&environment.truth, environment.norm_bound), (&Truth::Kappa(50.0), NormBound::Exact));
    assert_eq!(environment.feedback, Feedback { delay: Delay::None, missing: 0.0 });
    assert_eq!(environment.drift, Drift::None);
    assert_eq!(
        (experiment.policies[0].policy.as_str(), experiment.policies[0].label.as_str()),
        ("optimist", "optimist")
    );
}

#[test]
fn checkpoints_are_sorted_and_end_with_the_horizon() {
    let read = |text: &str| accepted(&file(&format!("checkpoints = {text}"), ENVIRONMENT, POLICY)).checkpoints;
    assert_eq!(read("[50, 1e1, 50, 10]"), [10, 50, 100]);
    assert_eq!(read("[100]"), [100]);
    assert_eq!(read("[]"), [100]);
}

#[test]
fn numbers_are_read_however_they_are_written() {
    let text = "name = \"n\"\nruns = 2.0\nhorizon = 1e4\n[environment]\ndimension = 2.0\n\
                arms = { kind = \"sphere-sample\", count = 1_0.0 }\ntheta_norm = 3\n\
                feedback = { delay = { kind = \"fixed\", mean = 5.0 } }\n\
                [[policy]]\nname = \"rs-glincb\"\nhorizon = 1e4";
    let experiment = accepted(text);
    assert_eq!((experiment.runs, experiment.horizon), (2, 10_000));
    assert_eq!(experiment.environments[0].arms, Arms::Drawn { shape: Shape::Sphere, count: 10, redraw: Redraw::Run });
    assert_eq!(experiment.environments[0].truth, Truth::ThetaNorm(3.0));
    assert_eq!(experiment.environments[0].feedback.delay, Delay::Fixed { mean: 5 });
    assert_eq!(experiment.policies[0].options["horizon"], 10_000);
}

#[test]
fn the_dimension_is_inferred() {
    let of = |environment: &str| accepted(&file("", environment, POLICY)).environments[0].dimension;
    assert_eq!(of("arms = { kind = \"ball\" }\ntheta = [1, 2, 3]"), 3);
    assert_eq!(of("arms = { kind = \"list\", list = [[1, 0, 0, 0]] }\nkappa = 10"), 4);
}

#[test]
fn hybrid_arms_are_read_and_named() {
    let arms =
        "arms = { kind = \"hybrid\", count = 10, shared = [0, 4], own = 3, written_out = [false, true] }\nkappa = 9";
    let experiment = accepted(&file("", arms, "[[policy]]\nname = \"bayes-ucb\""));
    let names: Vec<String> = experiment.environments.iter().map(ToString::to_string).collect();
    let expected = [
        "d=3 hybrid=10 shared=0 own=3 kappa=9",
        "d=30 hybrid=10 shared=0 own=3 written_out kappa=9",
        "d=7 hybrid=10 shared=4 own=3 kappa=9",
        "d=34 hybrid=10 shared=4 own=3 written_out kappa=9",
    ];
    assert_eq!(names, expected);
    let Arms::Hybrid(hybrid) = experiment.environments[3].arms else { panic!("hybrid arms were asked for") };
    assert_eq!(hybrid, Hybrid { count: 10, shared: 4, own: 3, context: Context::Common, written_out: true });
    let json = serde_json::to_string(&experiment).unwrap();
    assert_eq!(serde_json::from_str::<Experiment>(&json).unwrap(), experiment);
    // What the environment knows need not be written: which features are an arm's own.
    let policy = experiment.policies[0].build_for(&experiment.environments[2], 0.05, 100).unwrap();
    assert_eq!((policy.problem().dimension, policy.options().unwrap()["own"].as_u64()), (7, Some(3)));
    let policy = experiment.policies[0].build_for(&experiment.environments[3], 0.05, 100).unwrap();
    assert_eq!((policy.problem().dimension, policy.options().unwrap()["own"].as_u64()), (34, Some(0)));
}

#[test]
fn labels_name_what_differs() {
    let policies = "[[policy]]\nname = \"ofulog-r\"\n[[policy]]\nname = \"ofulog-r\"\nradius = \"paper\"\n\
                    [[policy]]\nname = \"laplace-ts\"\nscale = 2.0\neliminate = false\n\
                    [[policy]]\nname = \"laplace-ts\"\nscale = 0.5\neliminate = false\n\
                    [[policy]]\nname = \"uniform\"\nlabel = \"at random\"";
    let labels: Vec<String> =
        accepted(&file("", ENVIRONMENT, policies)).policies.into_iter().map(|policy| policy.label).collect();
    let expected = ["ofulog-r", "ofulog-r radius=paper", "laplace-ts scale=2", "laplace-ts scale=0.5", "at random"];
    assert_eq!(labels, expected);
}

#[test]
fn options_reach_the_policy() {
    let policies = "[[policy]]\nname = \"ofulog-r\"\nradius = \"paper\"";
    let experiment = accepted(&file("", ENVIRONMENT, policies));
    let policy = experiment.policies[0].build_for(&experiment.environments[0], 0.05, 100).unwrap();
    assert_eq!(policy.options().unwrap()["radius"], "paper");
}

#[test]
fn unit_vectors_may_be_rounded() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("arms.csv");
    fs::write(&path, "0.707107,0.707107\n-0.6,0.8\n").unwrap();
    let strict = "[[policy]]\nname = \"ecolog\"";
    let in_file = file("", "arms = { kind = \"list\", file = \"arms.csv\" }\nkappa = 50", strict);
    let inline = file("", "arms = { kind = \"list\", list = [[0.707107, 0.707107], [-0.6, 0.8]] }\nkappa = 50", strict);
    let lists = [
        read(&in_file, directory.path()).unwrap().environments[0].arms.list().to_vec(),
        accepted(&inline).environments[0].arms.list().to_vec(),
        read_arms(&path).unwrap(),
    ];
    for list in lists {
        assert!(norm(&list[0]) <= 1.0 && norm(&list[0]) > 1.0 - 1e-12, "{list:?}");
        assert_eq!(list[1], [-0.6, 0.8]);
    }
    let long = file("", "arms = { kind = \"list\", list = [[0.7072, 0.7072]] }\nkappa = 50", strict);
    assert!(refused(&long).contains("arm 1 of environment.arms"), "what is longer than rounding explains is refused");
}

#[test]
fn arms_come_from_csv_with_and_without_header() {
    let directory = tempfile::tempdir().unwrap();
    let text = file("", "arms = { kind = \"list\", file = \"arms.csv\" }\nkappa = 50", POLICY);
    for csv in ["x,y\n1, 0\n0.6,0.8\n", "1,0\n.6,8e-1", "\u{feff}x,y\r\n1,0\r\n0.6,0.8\r\n"] {
        fs::write(directory.path().join("arms.csv"), csv).unwrap();
        let experiment = read(&text, directory.path()).unwrap_or_else(|e| panic!("{e}: {csv:?}"));
        let arms = &experiment.environments[0].arms;
        assert_eq!(arms.list(), [[1.0, 0.0], [0.6, 0.8]], "{csv:?}");
    }
}

#[test]
fn csv_files_that_are_wrong_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let text = file("", "arms = { kind = \"list\", file = \"arms.csv\" }\nkappa = 50\ndimension = 2", POLICY);
    for (csv, expected) in [
        (
            "x,y\n1,0\n1,oops\n",
            "is \"arms.csv\": line 3 has \"oops\", which is not a finite number (numbers are separated by commas)",
        ),
        (
            "1,nan\n",
            "is \"arms.csv\": line 1 has \"nan\", which is not a finite number (numbers are separated by commas)",
        ),
        ("1,0\n1\n", "has arms of different lengths: arm 1 has 2, arm 2 has 1"),
        ("1,0,0\n", "has arms with 3 features: the dimension is 2"),
        ("x,y\n", "is \"arms.csv\": it has no arms"),
        ("", "is \"arms.csv\": it has no arms"),
    ] {
        fs::write(directory.path().join("arms.csv"), csv).unwrap();
        let message = read(&text, directory.path()).unwrap_err().to_string();
        assert_eq!(message, format!("environment.arms.file {expected}"), "{csv:?}");
    }
    fs::write(directory.path().join("arms.csv"), [0x31, 0x2c, 0xff]).unwrap();
    assert!(read(&text, directory.path()).unwrap_err().to_string().ends_with("it is not text in UTF-8"));
    let missing = refused(&text);
    assert_eq!(missing, "environment.arms.file is \"arms.csv\": arms.csv cannot be read: it does not exist");
}
