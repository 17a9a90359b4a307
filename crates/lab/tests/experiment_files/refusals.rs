//! Files that are wrong, each with the one line that says so.

use optimist::policy::{self, HORIZON, PolicyInfo};
use optimist_lab::run::{RunOptions, Work};

use super::{ENVIRONMENT, POLICY, accepted, file, refused};

/// Checks the messages of files: what is wrong in each, and the message.
pub(crate) fn check(make: impl Fn(&str) -> String, cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(part, expected)| {
            let message = refused(&make(part));
            assert!(!message.contains('\n'), "{message}");
            (message != *expected).then(|| format!("{part:?}\n  {message}\nnot\n  {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n\n"));
}

#[test]
fn syntax() {
    check(
        str::to_owned,
        &[
            ("name = \"a\nruns = 3", "line 1, column 10: invalid basic string, expected `\"`; mend the TOML there"),
            ("name = \"a\"\nruns 3", "line 2, column 6: key with no value, expected `=`; mend the TOML there"),
            ("name = \"a\"\nname = \"b\"", "line 2, column 1: \"name\" is there twice: remove one"),
            (
                "name = \"a\"\n[environment]\nkappa = [1, 2",
                "line 3, column 14: unclosed array, expected `]`; mend the TOML there",
            ),
            (
                "name = \"é\" x",
                "line 1, column 12: unexpected key or value, expected newline, `#`; mend the TOML there",
            ),
            (
                "runs = 99999999999999999999",
                "line 1, column 8: 99999999999999999999 is too large: whole numbers go up to 9223372036854775807",
            ),
            (
                "runs = 9999999999999999999",
                "line 1, column 8: 9999999999999999999 is too large: whole numbers go up to 9223372036854775807",
            ),
            ("[a]\nb = 1\n[a]\n", "line 3, column 2: \"a\" is there twice: remove one"),
            (
                "a = 1\na.b = 2\n",
                "line 2, column 1: cannot extend value of type integer with a dotted key; mend the TOML there",
            ),
            (
                "= 3",
                "line 1, column 1: unquoted keys cannot be empty, expected letters, numbers, `-`, `_`; mend the TOML there",
            ),
            ("\u{0}", "line 1, column 2: key with no value, expected `=`; mend the TOML there"),
        ],
    );
}

#[test]
fn missing_keys() {
    check(
        str::to_owned,
        &[
            ("", "horizon is missing: give a whole number from 1 to 1e8"),
            ("horizon = 5", "name is missing: give a text in quotes, not empty, on one line"),
            ("horizon = 5\nname = \"a\"", "runs is missing: give a whole number from 1 to 1e6"),
            ("horizon = 5\nname = \"a\"\nruns = 1", "environment is missing: give a table, for instance [environment]"),
            (
                "horizon = 5\nname = \"a\"\nruns = 1\nenvironment = { dimension = 2 }",
                "environment.arms is missing: give a table, for instance { kind = \"ball-sample\", count = 40 } or { kind = \"list\", list = [[1.0, 0.0], [0.0, 1.0]] }",
            ),
            (
                "horizon = 5\nname = \"a\"\nruns = 1\nenvironment = { arms = { kind = \"ball\" }, dimension = 2 }",
                "environment.kappa is missing: give it, or theta_norm, or theta",
            ),
            (
                "horizon = 5\nname = \"a\"\nruns = 1\nenvironment = { arms = { kind = \"ball\" }, kappa = 9 }",
                "environment.dimension is missing: give a whole number from 1 to 1000",
            ),
            (
                "horizon = 5\nname = \"a\"\nruns = 1\nenvironment = { arms = { count = 3 }, kappa = 9 }",
                "environment.arms.kind is missing: give one of \"ball-sample\", \"sphere-sample\", \"half-ball-sample\", \"list\", \"ball\", \"sphere\", \"hybrid\", \"gaussian\", \"categories\", \"table\"",
            ),
            (
                "horizon = 5\nname = \"a\"\nruns = 1\nenvironment = { arms = { kind = \"ball\" }, theta = [1] }",
                "policy is missing: give one or more tables, each headed by [[policy]]",
            ),
        ],
    );
}

#[test]
fn the_top_level() {
    let make = |part: &str| {
        let name = part.split(' ').next().unwrap_or_default();
        let rest = ["name = \"test\"", "runs = 2", "horizon = 100"];
        let rest: Vec<&str> = rest.into_iter().filter(|line| !line.starts_with(name)).collect();
        format!("{part}\n{}\n[environment]\n{ENVIRONMENT}\n{POLICY}", rest.join("\n"))
    };
    check(
        make,
        &[
            ("horizon = \"4000\"", "horizon is \"4000\": it must be a whole number from 1 to 1e8"),
            ("horizon = 0", "horizon is 0: it must be a whole number from 1 to 1e8"),
            ("horizon = 100.5", "horizon is 100.5: it must be a whole number from 1 to 1e8"),
            ("horizon = 1e9", "horizon is 1e9: it must be a whole number from 1 to 1e8"),
            ("runs = -1", "runs is -1: it must be a whole number from 1 to 1e6"),
            ("runs = true", "runs is true: it must be a whole number from 1 to 1e6"),
            ("name = 3", "name is 3: it must be a text in quotes, not empty, on one line"),
            ("name = \" \"", "name is \" \": it must be a text in quotes, not empty, on one line"),
            ("name = \"two\\nlines\"", "name is \"two\\nlines\": it must be a text in quotes, not empty, on one line"),
            ("seed = -1", "seed is -1: it must be a whole number from 0 to 9223372036854775807"),
            ("delta = 0", "delta is 0: it must be a number above 0 and below 1"),
            ("delta = 1", "delta is 1: it must be a number above 0 and below 1"),
            ("delta = nan", "delta is NaN: it must be a number above 0 and below 1"),
            (
                "checkpoints = 100",
                "checkpoints is 100: it must be a list of whole numbers from 1 to the horizon, or \"every N\", \"log N\" (N of them) or \"all\"",
            ),
            ("checkpoints = [10, 101]", "checkpoints has 101: no round is after the horizon, which is 100"),
            (
                "checkpoints = [10, 0]",
                "checkpoints must be a list of whole numbers from 1 to the horizon, or \"every N\", \"log N\" (N of them) or \"all\": number 2 is 0",
            ),
            (
                "coverage = \"round\"",
                "coverage is \"round\": did you mean \"rounds\"? \"rounds\", \"checkpoints\", \"off\" are allowed",
            ),
            ("coverage = \"always\"", "coverage is \"always\": it must be one of \"rounds\", \"checkpoints\", \"off\""),
            ("coverage = 2020-01-01", "coverage is 2020-01-01: it must be one of \"rounds\", \"checkpoints\", \"off\""),
        ],
    );
}

#[test]
fn policies() {
    check(
        |part| file("", ENVIRONMENT, part),
        &[
            (
                "[policy]\nname = \"optimist\"",
                "policy is a table: it must be one or more tables, each headed by [[policy]]",
            ),
            (
                "[[policy]]\nlabel = \"a\"",
                "[[policy]] number 1: name is missing: give a policy; `optimist policies` lists all",
            ),
            (
                "[[policy]]\nname = 3",
                "[[policy]] number 1: name is 3: it must be a policy; `optimist policies` lists all",
            ),
            (
                "[[policy]]\nname = \"optimits\"",
                "[[policy]] number 1: name is \"optimits\": did you mean \"optimist\"? (`optimist policies` lists all)",
            ),
            (
                "[[policy]]\nname = \"a policy that nobody knows\"",
                "[[policy]] number 1: name is \"a policy that nobody knows\": there is no such policy (`optimist policies` lists all)",
            ),
            (
                "[[policy]]\nname = \"optimist\"\n[[policy]]\nname = \"ofulog-r\"\nradus = \"paper\"",
                "[[policy]] number 2 (\"ofulog-r\"): radus is not a key: did you mean \"radius\"?",
            ),
            (
                "[[policy]]\nname = \"optimist\"\n[[policy]]\nname = \"ofulog-r\"\nradius = \"wide\"",
                "[[policy]] number 2 (\"ofulog-r\"): radius is \"wide\", which it cannot be. radius: \"tight\", \"corrected\", or \"paper\" (as printed: no guarantee)",
            ),
            (
                "[[policy]]\nname = \"laplace-ts\"\nscale = -1",
                "[[policy]] number 1 (\"laplace-ts\"): scale is -1: it must be positive",
            ),
            (
                "[[policy]]\nname = \"laplace-ts\"\nscale = inf",
                "[[policy]] number 1 (\"laplace-ts\"): scale is inf, which no option can be",
            ),
            (
                "[[policy]]\nname = \"laplace-ts\"\nscale = 1979-05-27",
                "[[policy]] number 1 (\"laplace-ts\"): scale is 1979-05-27, which no option can be",
            ),
            (
                "[[policy]]\nname = \"laplace-ts\"\nkappa = 3",
                "[[policy]] number 1 (\"laplace-ts\"): kappa: \"kappa\" belongs to [environment]",
            ),
            (
                "[[policy]]\nname = \"uniform\"\nscale = 3",
                "[[policy]] number 1 (\"uniform\"): scale is not a key: the keys here are \"name\", \"label\", \"own\", \"certify\", \"eliminate\", \"memory\", \"explore\"",
            ),
            (
                "[[policy]]\nname = \"optimist\"\nlabel = \"\"",
                "[[policy]] number 1 (\"optimist\"): label is \"\": it must be a text in quotes, not empty, on one line",
            ),
            (
                "[[policy]]\nname = \"optimist\"\n[[policy]]\nname = \"optimist\"",
                "[[policy]]: two policies are called \"optimist\"; give one of them another label = \"...\"",
            ),
            (
                "[[policy]]\nname = \"optimist\"\n[[policy]]\nname = \"uniform\"\nlabel = \"optimist\"",
                "[[policy]]: two policies are called \"optimist\"; give one of them another label = \"...\"",
            ),
        ],
    );
}

#[test]
fn policies_in_environments_that_they_cannot_handle() {
    let list = "arms = { kind = \"list\", list = [[1, 0], [1.5, 2]] }\nkappa = 9";
    check(
        |part| file("", part, "[[policy]]\nname = \"uniform\"\n[[policy]]\nname = \"log-ucb-1\""),
        &[
            (
                "dimension = 2\narms = [{ kind = \"ball-sample\", count = 3 }, { kind = \"sphere\" }]\nkappa = 9",
                "[[policy]] number 2 (\"log-ucb-1\"): it is not defined for environment.arms.kind = \"sphere\"; draw or list arms, or leave the policy out",
            ),
            (
                "dimension = 2\narms = { kind = \"ball-sample\", count = 3 }\nkappa = 9\nnorm_bound = [5, \"none\"]",
                "[[policy]] number 2 (\"log-ucb-1\"): it needs a norm bound, and environment.norm_bound is \"none\"; give a bound, or leave the policy out",
            ),
            (
                list,
                "[[policy]] number 2 (\"log-ucb-1\"): arm 2 of environment.arms has norm 2.5: log-ucb-1 needs norms of at most 1; rescale the features",
            ),
        ],
    );
}

/// What holds up to a horizon says nothing of later rounds. Every policy with that option is asked, by the registry.
#[test]
fn policies_made_for_fewer_rounds() {
    let horizons = policy::registry().into_iter().filter(|info| info.has_option(HORIZON));
    let published = |info: &PolicyInfo| {
        let is_choice = info.has_option("constants") && !info.required.contains(&HORIZON);
        if is_choice { "constants = \"published\"\n" } else { "" }
    };
    let mut asked = Vec::new();
    for info in horizons {
        let make = |line: &str| {
            let policy = format!("[[policy]]\nname = \"{}\"\n{}{line}", info.name, published(info));
            file("", ENVIRONMENT, &format!("{POLICY}\n{policy}"))
        };
        let expected = |given: u32| {
            format!(
                "[[policy]] number 2 (\"{}\"): horizon is {given}, and the experiment has 100 rounds: leave the key out, or give \
                 at least 100",
                info.name
            )
        };
        assert_eq!(refused(&make("horizon = 99")), expected(99));
        assert_eq!(refused(&make("horizon = 1e0")), expected(1));
        // The remedies.
        ["", "horizon = 100", "horizon = 1e6"].iter().for_each(|line| drop(accepted(&make(line))));
        asked.push(info.name);
    }
    assert!(asked.contains(&"rs-glincb") && asked.len() >= 3, "{asked:?}");
}

/// Whoever builds an experiment without a file is told as well, before anything runs.
#[test]
fn work_made_for_fewer_rounds() {
    let mut experiment = accepted(&file("", ENVIRONMENT, "[[policy]]\nname = \"rs-glincb\""));
    experiment.policies[0].options.insert(HORIZON.into(), 50.into());
    let message = Work::new(&experiment, &RunOptions::default()).unwrap_err().to_string();
    assert!(message.contains("horizon is 50, and the experiment has 100 rounds"), "{message}");
}
