//! Environments that are wrong, each with the one line that says so.

use super::refusals::check;
use super::{ENVIRONMENT, POLICY, accepted, file, refused};

#[test]
fn environments() {
    check(
        |part| file("", part, POLICY),
        &[
            (
                "dimension = 0\narms = { kind = \"ball\" }\nkappa = 9",
                "environment.dimension is 0: it must be a whole number from 1 to 1000",
            ),
            (
                "dimension = 2\narms = \"ball\"\nkappa = 9",
                "environment.arms is \"ball\": it must be a table, for instance { kind = \"ball-sample\", count = 40 } or { kind = \"list\", list = [[1.0, 0.0], [0.0, 1.0]] }",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\nkappa = 3.9",
                "environment.kappa is 3.9: it must be a finite number, at least 4 (4 is theta = 0)",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\nkappa = inf",
                "environment.kappa is inf: it must be a finite number, at least 4 (4 is theta = 0)",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\nkappa = []",
                "environment.kappa is an empty list: give at least one value",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\nkappa = [9, [9]]",
                "environment.kappa is a list: it must be a finite number, at least 4 (4 is theta = 0)",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\nkappa = [9, 10, 9]",
                "environment: two combinations are called \"d=2 ball kappa=9\"; no value may be there twice",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\ntheta_norm = -1",
                "environment.theta_norm is -1: it must be a number at least 0 and at most 1e9",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\ntheta_norm = 1\nkappa = 9",
                "environment.kappa and environment.theta_norm are both given: each fixes the norm of theta; remove one",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\ntheta = [1, 2, 3]",
                "environment.theta has 3 entries: the dimension is 2",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\ntheta = [1, \"2\"]",
                "environment.theta must be a list of finite numbers, or a table, for instance { fit = \"log.csv\", reward = \"clicked\" }: number 2 is \"2\"",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\ntheta = 3",
                "environment.theta is 3: it must be a list of finite numbers, or a table, for instance { fit = \"log.csv\", reward = \"clicked\" }",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\nkappa = 4",
                "environment.norm_bound is \"exact\": that makes 0 here, and a bound must be above 0; write \"+1\", a number or \"none\"",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\ntheta_norm = 3\nnorm_bound = 2.5",
                "environment.norm_bound is 2.5: the norm of theta is 3, which the bound must not be below",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\ntheta_norm = 3\nnorm_bound = +1",
                "environment.norm_bound is 1: the norm of theta is 3, which the bound must not be below; with quotes, \"+1\" is the norm plus one",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\ntheta_norm = 3\nnorm_bound = \"exactly\"",
                "environment.norm_bound is \"exactly\": did you mean \"exact\"? \"exact\", \"+1\", \"none\" are allowed",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\ntheta_norm = 3\nnorm_bound = -3",
                "environment.norm_bound is -3: it must be \"exact\", \"+1\", \"none\" or a number above 0 and at most 1e9",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\ntheta_norm = 3\nnorm_bound = true",
                "environment.norm_bound is true: it must be \"exact\", \"+1\", \"none\" or a number above 0 and at most 1e9",
            ),
            (
                "arms = { kind = \"ball\" }\ntheta = [1e200, 1]\nnorm_bound = \"none\"",
                "environment.theta has norm 1e200: it must be at most 1e9",
            ),
            (
                "dimension = 2\narms = { kind = \"ball\" }\ntheta_norm = 1e10",
                "environment.theta_norm is 1e10: it must be a number at least 0 and at most 1e9",
            ),
        ],
    );
}

#[test]
fn arms() {
    check(
        |part| file("", &format!("dimension = 2\nkappa = 9\narms = {part}"), POLICY),
        &[
            (
                "{ kind = \"bal-sample\" }",
                "environment.arms.kind is \"bal-sample\": did you mean \"ball-sample\"? \"ball-sample\", \"sphere-sample\", \"half-ball-sample\", \"list\", \"ball\", \"sphere\", \"hybrid\", \"gaussian\", \"categories\", \"table\" are allowed",
            ),
            (
                "{ kind = \"cube\" }",
                "environment.arms.kind is \"cube\": it must be one of \"ball-sample\", \"sphere-sample\", \"half-ball-sample\", \"list\", \"ball\", \"sphere\", \"hybrid\", \"gaussian\", \"categories\", \"table\"",
            ),
            ("{ kind = \"ball-sample\" }", "environment.arms.count is missing: give a whole number from 1 to 1e7"),
            (
                "{ kind = \"ball-sample\", count = 0 }",
                "environment.arms.count is 0: it must be a whole number from 1 to 1e7",
            ),
            (
                "{ kind = \"ball-sample\", count = 6e6 }",
                "environment.arms.count is 6e6: times the dimension 2 that makes 1.2e7 numbers; at most 1e7 are allowed",
            ),
            (
                "{ kind = \"ball\", count = 3 }",
                "environment.arms.count is 3: arms of kind \"ball\" are not drawn; remove count",
            ),
            (
                "{ kind = \"sphere\", redraw = \"round\" }",
                "environment.arms.redraw is \"round\": arms of kind \"sphere\" are not drawn; remove redraw, or choose a kind that ends in -sample",
            ),
            (
                "{ kind = \"list\", redraw = \"round\", list = [[1, 0]] }",
                "environment.arms.redraw is \"round\": all arms of the list are there all the time; give count, how many of the list are drawn every round, or remove redraw",
            ),
            (
                "{ kind = \"ball-sample\", count = 3, redraw = \"rounds\" }",
                "environment.arms.redraw is \"rounds\": did you mean \"round\"? \"run\", \"round\" are allowed",
            ),
            (
                "{ kind = \"ball\", list = [[1, 0]] }",
                "environment.arms.list is for kind = \"list\", and kind is \"ball\": remove it",
            ),
            (
                "{ kind = \"list\" }",
                "environment.arms.list is missing: give a list of lists of finite numbers, or file = \"...\", a CSV file",
            ),
            (
                "{ kind = \"list\", list = [[1, 0]], file = \"arms.csv\" }",
                "environment.arms.file is given beside list: remove one of them",
            ),
            (
                "{ kind = \"list\", list = [] }",
                "environment.arms.list is an empty list: it must be a list of lists of finite numbers",
            ),
            (
                "{ kind = \"list\", list = [[1, 0], []] }",
                "environment.arms.list must be a list of lists of finite numbers: arm 2 is an empty list",
            ),
            (
                "{ kind = \"list\", list = [[1, 0], [1, nan]] }",
                "environment.arms.list must be a list of lists of finite numbers: a number of arm 2 is NaN",
            ),
            (
                "{ kind = \"list\", list = [[1, 0], 3] }",
                "environment.arms.list must be a list of lists of finite numbers: arm 2 is 3",
            ),
            (
                "{ kind = \"list\", list = [[1, 0], [1]] }",
                "environment.arms.list has arms of different lengths: arm 1 has 2, arm 2 has 1",
            ),
            (
                "{ kind = \"list\", list = [[1, 0, 0]] }",
                "environment.arms.list has arms with 3 features: the dimension is 2",
            ),
            (
                "{ kind = \"list\", file = 3 }",
                "environment.arms.file is 3: it must be a text in quotes, not empty, on one line",
            ),
            (
                "[{ kind = \"list\", list = [[1, 0]] }, { kind = \"list\", list = [[0, 1]] }]",
                "environment: two combinations are called \"d=2 list=1 kappa=9\"; no value may be there twice, and lists in one sweep must differ in their number of arms",
            ),
            (
                "[[1, 0], [0, 1]]",
                "environment.arms is a list: it must be a table, for instance { kind = \"ball-sample\", count = 40 } or { kind = \"list\", list = [[1.0, 0.0], [0.0, 1.0]] }",
            ),
        ],
    );
}

#[test]
fn feedback() {
    check(
        |part| file("", &format!("{ENVIRONMENT}\nfeedback = {part}"), POLICY),
        &[
            ("3", "environment.feedback is 3: it must be a table, for instance [environment.feedback]"),
            ("{ missing = 1 }", "environment.feedback.missing is 1: it must be a number at least 0 and below 1"),
            ("{ missing = -0.1 }", "environment.feedback.missing is -0.1: it must be a number at least 0 and below 1"),
            (
                "{ delay = \"none\" }",
                "environment.feedback.delay is \"none\": it must be a table, for instance { kind = \"geometric\", mean = 50 }",
            ),
            (
                "{ delay = { mean = 3 } }",
                "environment.feedback.delay.kind is missing: give one of \"none\", \"fixed\", \"geometric\", \"batch\"",
            ),
            (
                "{ delay = { kind = \"fixed\" } }",
                "environment.feedback.delay.mean is missing: give a number above 0 and at most 1e9",
            ),
            (
                "{ delay = { kind = \"fixed\", mean = 2.5 } }",
                "environment.feedback.delay.mean is 2.5: a fixed delay must be a whole number of rounds",
            ),
            (
                "{ delay = { kind = \"geometric\", mean = 0 } }",
                "environment.feedback.delay.mean is 0: it must be a number above 0 and at most 1e9",
            ),
            (
                "{ delay = { kind = \"none\", mean = 5 } }",
                "environment.feedback.delay.mean is 5: a delay of kind \"none\" has no mean; remove it",
            ),
            (
                "{ delay = { kind = \"batch\", mean = 5 } }",
                "environment.feedback.delay.mean is 5: a delay of kind \"batch\" has no mean; remove it",
            ),
            (
                "{ delay = { kind = \"fixed\", mean = 5, size = 3 } }",
                "environment.feedback.delay.size is 3: a delay of kind \"fixed\" has no size; remove it",
            ),
            (
                "{ delay = { kind = \"poisson\", mean = 5 } }",
                "environment.feedback.delay.kind is \"poisson\": it must be one of \"none\", \"fixed\", \"geometric\", \"batch\"",
            ),
        ],
    );
}

#[test]
fn hybrid_arms() {
    let start = "kind = \"hybrid\", count = 10";
    check(
        |part| {
            let (arms, more) = part.split_once('|').unwrap_or((part, ""));
            file("", &format!("theta_norm = 2\narms = {{ {arms} }}\n{more}"), "[[policy]]\nname = \"bayes-ucb\"")
        },
        &[
            (
                "kind = \"hybrid\", shared = 1, own = 1",
                "environment.arms.count is missing: give a whole number from 1 to 1e7",
            ),
            (&format!("{start}, own = 3"), "environment.arms.shared is missing: give a whole number from 0 to 1000"),
            (&format!("{start}, shared = 3"), "environment.arms.own is missing: give a whole number from 1 to 1000"),
            (
                &format!("{start}, shared = 3, own = 0"),
                "environment.arms.own is 0: it must be a whole number from 1 to 1000",
            ),
            (
                &format!("{start}, shared = 3, own = 1, context = \"one\""),
                "environment.arms.context is \"one\": it must be one of \"common\", \"each\"",
            ),
            (
                &format!("{start}, shared = 3, own = 1, written_out = \"yes\""),
                "environment.arms.written_out is \"yes\": it must be true or false",
            ),
            (
                &format!("{start}, shared = 3, own = 1, redraw = \"run\""),
                "environment.arms.redraw is \"run\": hybrid arms are drawn every round; remove redraw",
            ),
            (
                &format!("{start}, shared = 3, own = 1, list = [[1, 0]]"),
                "environment.arms.list is for kind = \"list\", and kind is \"hybrid\": remove it",
            ),
            (
                "kind = \"ball-sample\", count = 3, own = 1",
                "environment.arms.own is 1: it is for kind = \"hybrid\", and kind is \"ball-sample\"; remove it",
            ),
            (
                "kind = \"sphere\", written_out = false",
                "environment.arms.written_out is false: it is for kind = \"hybrid\" or \"table\", and kind is \"sphere\"; remove it",
            ),
            (
                &format!("{start}, shared = 600, own = 500"),
                "environment.arms has arms with 600 + 500 = 1100 features: at most 1000 are allowed",
            ),
            (
                &format!("{start}, shared = 600, own = 50, written_out = true"),
                "environment.arms has arms with 600 + 10 x 50 = 1100 features: at most 1000 are allowed",
            ),
            (
                "kind = \"hybrid\", count = 1e7, shared = 2, own = 2",
                "environment.arms.count is 1e7: times the dimension 4 that makes 4e7 numbers; at most 1e7 are allowed",
            ),
            (
                &format!("{start}, shared = 3, own = 2|dimension = 4"),
                "environment.dimension is 4: these hybrid arms have 3 + 2 = 5 features; remove it",
            ),
            (
                &format!("{start}, shared = 3, own = 2|norm_bound = 1.5"),
                "environment.norm_bound is 1.5: the norm of theta is 2, which the bound must not be below",
            ),
        ],
    );
    let theta = "arms = { kind = \"hybrid\", count = 2, shared = 1, own = 2 }\ntheta = [1, 2, 3]";
    assert_eq!(
        refused(&file("", theta, "[[policy]]\nname = \"bayes-ucb\"")),
        "environment.theta has 3 entries: these hybrid arms have 1 + 2 x 2 = 5 parameters"
    );
}

#[test]
fn policies_for_hybrid_arms() {
    let arms =
        |more: &str| format!("theta_norm = 2\narms = {{ kind = \"hybrid\", count = 3, shared = 1, own = 2{more} }}");
    check(
        |policy| file("", &arms(""), &format!("[[policy]]\n{policy}")),
        &[(
            "name = \"lin-ts\"",
            "[[policy]] number 1 (\"lin-ts\"): it is not defined for environment.arms.kind = \"hybrid\"; add written_out = true to them, or leave the policy out",
        )],
    );
    accepted(&file("", &arms(", written_out = true"), "[[policy]]\nname = \"lin-ts\""));
    // What the library says, with the place.
    let said = |environment: &str, option: &str| {
        let message = refused(&file("", environment, &format!("[[policy]]\nname = \"bayes-ucb\"\n{option}")));
        assert!(message.starts_with("[[policy]] number 1 (\"bayes-ucb\"): "), "{message}");
        message
    };
    assert!(said(&arms(""), "own = 0").contains("build the policy with option own"));
    assert!(said(&arms(""), "posterior = \"exact\"").contains("half_life and own need"));
    assert!(said(ENVIRONMENT, "own = 1").contains("leave option own out"));
}

#[test]
fn drift() {
    check(
        |part| file("", &format!("{ENVIRONMENT}\ndrift = {part}"), POLICY),
        &[
            (
                "\"walk\"",
                "environment.drift is \"walk\": it must be a table, for instance { kind = \"steps\", every = 2000 }",
            ),
            (
                "{ every = 3 }",
                "environment.drift.kind is missing: give one of \"none\", \"steps\", \"walk\", \"seasons\"",
            ),
            (
                "{ kind = \"step\", every = 3 }",
                "environment.drift.kind is \"step\": did you mean \"steps\"? \"none\", \"steps\", \"walk\", \"seasons\" are allowed",
            ),
            ("{ kind = \"steps\" }", "environment.drift.every is missing: give a whole number from 1 to 1e9"),
            (
                "{ kind = \"steps\", every = 0 }",
                "environment.drift.every is 0: it must be a whole number from 1 to 1e9",
            ),
            ("{ kind = \"walk\" }", "environment.drift.rate is missing: give a number above 0 and at most 1"),
            (
                "{ kind = \"walk\", rate = 1.5 }",
                "environment.drift.rate is 1.5: it must be a number above 0 and at most 1",
            ),
            (
                "{ kind = \"seasons\", period = 1 }",
                "environment.drift.period is 1: it must be a whole number from 2 to 1e9",
            ),
            (
                "{ kind = \"seasons\", period = 9, rate = 0.1 }",
                "environment.drift.rate is 0.1: a drift of kind \"seasons\" has no rate; remove it",
            ),
            (
                "{ kind = \"none\", every = 9 }",
                "environment.drift.every is 9: a drift of kind \"none\" has no every; remove it",
            ),
        ],
    );
    let steps = "drift = { kind = \"steps\", every = 9 }";
    check(
        |part| file("", part, POLICY),
        &[
            (
                &format!("dimension = 2\narms = {{ kind = \"ball\" }}\nkappa = 4\nnorm_bound = 1\n{steps}"),
                "environment.drift.kind is \"steps\": theta is zero, which has no direction; give another kappa, theta_norm or theta, or remove drift",
            ),
            (
                &format!("dimension = 2\narms = {{ kind = \"half-ball-sample\", count = 3 }}\nkappa = 9\n{steps}"),
                "environment.drift.kind is \"steps\": arms of kind \"half-ball-sample\" depend on theta; add redraw = \"round\" to them, or remove drift",
            ),
            (
                "dimension = 1\narms = { kind = \"ball\" }\nkappa = 9\ndrift = { kind = \"walk\", rate = 0.1 }",
                "environment.drift.kind is \"walk\": what has one dimension cannot turn; choose \"steps\", or give every part of theta two dimensions",
            ),
        ],
    );
    let one = "arms = { kind = \"hybrid\", count = 3, shared = 4, own = 1 }\nkappa = 9\ndrift = { kind = \"seasons\", period = 9 }";
    let message = refused(&file("", one, "[[policy]]\nname = \"bayes-ucb\""));
    assert!(message.contains("one dimension cannot turn"), "{message}");
    for fine in [
        "dimension = 1\narms = { kind = \"ball\" }",
        "dimension = 2\narms = { kind = \"half-ball-sample\", count = 3, redraw = \"round\" }",
    ] {
        accepted(&file("", &format!("{fine}\nkappa = 9\n{steps}"), POLICY));
    }
}
