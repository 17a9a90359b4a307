//! What environments are called.

use optimist_lab::Experiment;

use super::{POLICY, accepted, file, refused};

const SWEEP: &str = "dimension = 2\narms = { kind = \"ball-sample\", count = 4 }\nkappa = [50, 400]";

fn labelled(label: &str) -> String {
    file("", &format!("label = {label}\n{SWEEP}"), POLICY)
}

fn names(experiment: &Experiment) -> Vec<String> {
    experiment.environments.iter().map(ToString::to_string).collect()
}

#[test]
fn labels_are_a_list_or_a_template() {
    assert_eq!(names(&accepted(&labelled("[\"flat\", \"flatter\"]"))), ["flat", "flatter"]);
    let template = accepted(&labelled("\"kappa {kappa}, {count} {arms}\""));
    assert_eq!(names(&template), ["kappa 50, 4 ball-sample", "kappa 400, 4 ball-sample"]);
    assert_eq!(template.environments[0].settings(), "d=2 ball-sample=4 kappa=50");
    let one = accepted(&labelled("\"mine\"").replace("[50, 400]", "50"));
    assert_eq!(names(&one), ["mine"]);
    // An experiment with labels is written and read like any other.
    let json = serde_json::to_string(&template).unwrap();
    assert_eq!(serde_json::from_str::<Experiment>(&json).unwrap(), template);
}

#[test]
fn labels_that_do_not_fit_are_refused() {
    for (label, message) in [
        (
            "\"x\"",
            "environment.label calls two of the 2 environments \"x\": give a list of different labels, or put into braces what \
             varies, such as \"kappa {kappa}\"",
        ),
        (
            "[\"a\", \"b\", \"c\"]",
            "environment.label has 3 labels: there are 2 environments (the key written first varies slowest); give as many \
             labels, or one text with settings in braces",
        ),
        (
            "\"{kapa}\"",
            "environment.label has \"kapa\" in braces, which is no setting here: did you mean {kappa}? \"dimension\", \"arms\", \
             \"count\", \"redraw\", \"kappa\", \"norm_bound\", \"delay\", \"missing\", \"drift\", \"link\", \"noise\", \"flipped\" are",
        ),
        ("\"{kappa\"", "environment.label is \"{kappa\": a brace is not closed"),
    ] {
        assert_eq!(refused(&labelled(label)), message);
    }
    for wrong in ["3", "\"\"", "[]", "[1, 2]", "[\"a\", \"b\\nc\"]"] {
        let message = refused(&labelled(wrong));
        assert!(
            message.starts_with("environment.label ") && message.contains("a text in quotes, or a list"),
            "{message}"
        );
    }
}

#[test]
fn short_names_say_what_varies() {
    let short = |environment: &str| accepted(&file("", environment, POLICY)).short_names();
    let sweep = short(SWEEP);
    assert_eq!(sweep.names, ["kappa=50", "kappa=400"]);
    assert_eq!(sweep.common, "dimension=2 arms=ball-sample count=4");
    // One alone has its whole name.
    let one = short(&SWEEP.replace("[50, 400]", "50"));
    assert_eq!((one.names, one.common.as_str()), (vec!["d=2 ball-sample=4 kappa=50".to_owned()], ""));
    // What goes without saying is said where it varies.
    let delays = format!("{SWEEP}\nfeedback = {{ delay = [{{ kind = \"none\" }}, {{ kind = \"fixed\", mean = 5 }}] }}");
    let delays = short(&delays.replace("[50, 400]", "50"));
    assert_eq!(delays.names, ["delay=none", "delay=fixed delay_mean=5"]);
    // Labels stay.
    let labelled = short(&format!("label = \"k{{kappa}}\"\n{SWEEP}"));
    assert_eq!((labelled.names, labelled.common), (vec!["k50".to_owned(), "k400".to_owned()], sweep.common));
}

#[test]
fn swept_settings_have_values() {
    let arms = "[{ kind = \"ball-sample\", count = [3, 4] }, { kind = \"list\", list = [[1.0, 0.0], [0.0, 1.0]] }]";
    let text = format!("dimension = 2\narms = {arms}\nkappa = 50\nnorm_bound = [\"exact\", 9]");
    let swept = accepted(&file("", &text, POLICY)).swept();
    let shown: Vec<String> =
        swept.iter().map(|swept| format!("{} {}", swept.name, serde_json::to_string(&swept.values).unwrap())).collect();
    assert_eq!(
        shown,
        [
            r#"arms ["ball-sample","ball-sample","ball-sample","ball-sample","list","list"]"#,
            "count [3,3,4,4,null,null]",
            r#"redraw ["run","run","run","run",null,null]"#,
            r#"list [null,null,null,null,"2","2"]"#,
            r#"norm_bound ["exact",9.0,"exact",9.0,"exact",9.0]"#,
        ]
    );
}
