//! Runs `optimist policies` as a user would.

use crate::command::{optimist, refusal, run, stderr};
use insta::assert_snapshot;
use optimist::policy::{self, registry};
use serde_json::Value;

/// Standard output of a run that must succeed in silence.
fn answer(arguments: &[&str]) -> String {
    let output = run(arguments, b"");
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
    String::from_utf8(output.stdout).expect("answers are text")
}

/// The same in a terminal of so many columns.
fn answer_in(columns: &str, arguments: &[&str]) -> String {
    let output = optimist(arguments).env("COLUMNS", columns).output().expect("the command ends");
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
    String::from_utf8(output.stdout).expect("answers are text")
}

/// Words only: what wrapping does not change.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_list_names_every_policy_and_its_facts() {
    let list = answer(&["policies"]);
    let entries: Vec<&str> = list.split("\n\n").collect();
    assert_eq!(entries.len(), registry().len() + 1, "entries and a legend");
    for (info, entry) in registry().iter().zip(entries) {
        let first = entry.lines().find(|line| !line.starts_with("name ")).expect("an entry");
        assert_eq!(first.split_whitespace().next(), Some(info.name), "{entry}");
        assert!(first.contains(info.family.name()), "{entry}");
        // Sentences have lines of their own, so that only space can come between their words.
        for text in [info.summary, info.guarantee, info.cost, info.memory, info.reference] {
            assert!(words(entry).contains(&words(text)), "{text}: {entry}");
        }
        assert!(info.arm_sets.iter().all(|kind| first.contains(kind.name())), "{entry}");
    }
}

#[test]
fn lines_fit_the_terminal() {
    for columns in [60, 72, 80, 100, 120] {
        let answer = |arguments: &[&str]| answer_in(&columns.to_string(), arguments);
        let names = policy::names().map(|name| answer(&["policies", name]));
        for text in names.chain([answer(&["policies"])]) {
            for line in text.lines() {
                assert!(line.chars().count() <= columns && line.trim_end() == line, "{columns}: {line:?}");
            }
        }
    }
    assert!(answer(&["policies", "--help"]).lines().all(|line| line.chars().count() <= 120));
}

#[test]
fn a_file_or_a_pager_gets_eighty_columns() {
    for arguments in [&["policies"][..], &["policies", "optimist"]] {
        assert_eq!(answer(arguments), answer_in("80", arguments));
        assert_eq!(answer(arguments), answer_in("wide", arguments), "what is no number says nothing");
        assert_ne!(answer(arguments), answer_in("100", arguments));
        assert_eq!(answer_in("400", arguments), answer_in("120", arguments), "longer lines are hard to read");
    }
}

#[test]
fn the_shape_of_an_entry() {
    let list = answer(&["policies"]);
    let entry = list.split("\n\n").find(|entry| entry.starts_with("greedy")).expect("greedy is a policy");
    // The widths of the columns depend on all policies.
    let first = words(entry.lines().next().unwrap());
    let rest = entry.lines().skip(1).collect::<Vec<_>>().join("\n");
    assert_snapshot!(first, @"greedy baseline finite, sparse, hybrid, catalogue, ball, sphere");
    assert_snapshot!(rest, @"
    the arm that looks best; may never try the right one
    guarantee: none for the choices; intervals from the mixture set
    cost per round: 2 passes of n d^2 + K d while n <= K, then 2 d^2 + K d
    memory: n d + d^2
    reference: folklore
");
    assert_snapshot!(words(list.lines().next().unwrap()), @"name family arm sets");
}

#[test]
fn a_policy_in_full() {
    assert_snapshot!(answer_in("120", &["policies", "greedy"]), @r#"
    greedy: the arm that looks best; may never try the right one

    Plays the arm with the largest x'theta_hat, theta_hat = argmin L(theta) + ridge/2 ||theta||^2.

    Guarantee: none for the choices; it may settle on a bad arm for ever, and on some instances does. Intervals come
    from the mixture set. The yardstick for what a round costs: every history-based policy fits at least this estimate.

    The posterior is exact while no more distinct arms were observed than the longest list offered holds, or 32 if that is
    more; beyond, for sparse and hybrid arms and with a half_life, it is a filter that looks at every reward once, at the
    same cost for ever (docs/contextual.md; option posterior). Of arms that share nothing it fits the first 64 rewards each.

    family          baseline
    guarantee       none for the choices; intervals from the mixture set
    own set         promises nothing by itself
    cost per round  2 passes of n d^2 + K d while n <= K, then 2 d^2 + K d
    memory          n d + d^2
                    K arms, d features, n distinct arms observed
    arm sets        finite, sparse, hybrid, catalogue, ball, sphere
    arm norms       any
    norm bound      optional
    choices         not random
    remembers       observations, merged by distinct arm
    required        no options
    reference       folklore

    Options, a JSON object; what it does not name keeps the default shown here:

      ridge = null         precision of the prior: a number; a list, of which the one is used that foretold the rewards best
                           (each costs one more update per reward); null: d/S^2, or without a norm bound 1 and, in one pass,
                           [0.03, 0.17, 1, 6]
      posterior = "auto"   "exact": a fit to all observations; "one-pass": a filter at constant cost; "auto": exact while
                           there are no more distinct arms than the longest list holds (or 32), then one pass
      own = 0              how many of an arm's features, the last ones, meet parameters of that arm alone: for hybrid arms;
                           the number of all features: one model per arm; 0: all arms share all parameters
      half_life = null     for laws that drift: the number of observations after which what one taught has halved; positive;
                           null: never. In one pass only, and without certificates
      certify = "mixture"  "mixture": intervals from the mixture set, which hold whatever rule chooses the arms, computed
                           when asked for; "own": from the policy's own set, where it promises something; "off": none
      eliminate = false    true: drop arms of a fixed list once they are certified worse than another (needs certify =
                           "mixture")
      memory = "auto"      distinct arms that are kept; beyond, old ones are merged into quadratics when somebody looks, so
                           that a round costs the same however many there were, and intervals are a little wider; "auto":
                           200 per feature; null or "all": all
      explore = 0.0        share of the rounds in which an arm of a list is drawn at random, so that every arm has at least
                           the probability explore/K that logs need; between 0 and 1
"#);
}

#[test]
fn every_description_is_complete() {
    for info in registry() {
        let text = answer(&["policies", info.name]);
        for fact in [&*info.description(), info.guarantee, info.cost, info.memory, info.reference] {
            assert!(words(&text).contains(&words(fact)), "{fact}: {text}");
        }
        let defaults = info.default_options();
        for option in info.all_options() {
            let start = match info.required.contains(&option.name) {
                true => format!("  {} (required)", option.name),
                false => format!("  {} = {}", option.name, defaults[option.name]),
            };
            assert!(text.lines().any(|line| line.starts_with(&start)), "{start}: {text}");
            assert!(words(&text).contains(&words(option.help)), "{}: {text}", option.help);
        }
    }
}

#[test]
fn required_options_are_options() {
    for info in registry() {
        assert!(info.required.iter().all(|name| info.options.iter().any(|o| o.name == *name)), "{}", info.name);
    }
}

#[test]
fn json_has_every_field() {
    let list: Vec<Value> = serde_json::from_str(&answer(&["policies", "--json"])).expect("JSON");
    assert_eq!(list.len(), registry().len());
    for (info, entry) in registry().iter().zip(&list) {
        // The library's own form of the public fields, and the defaults.
        let expected = serde_json::to_value(info).expect("a line of the registry");
        for (key, value) in expected.as_object().expect("an object") {
            assert_eq!(&entry[key], value, "{} {key}", info.name);
        }
        assert_eq!(entry["default_options"], info.default_options(), "{}", info.name);
        let named: Vec<&str> = ["options", "shared_options"]
            .iter()
            .flat_map(|key| entry[key].as_array().expect("a list"))
            .map(|option| option["name"].as_str().expect("a name"))
            .collect();
        assert_eq!(named, info.all_options().map(|option| option.name).collect::<Vec<_>>());
        let one: Value = serde_json::from_str(&answer(&["policies", info.name, "--json"])).expect("JSON");
        assert_eq!(&one, entry);
    }
}

#[test]
fn help_names_every_key() {
    let help = answer(&["policies", "--help"]);
    let one: Value = serde_json::from_str(&answer(&["policies", "greedy", "--json"])).expect("JSON");
    for key in one.as_object().expect("an object").keys() {
        assert!(help.contains(key.as_str()), "{key}");
    }
}

#[test]
fn unknown_names() {
    let refused = |name: &str| refusal(&run(&["policies", name], b""));
    assert_snapshot!(refused("optimits"), @r#"error: NAME is "optimits": did you mean "optimist"? (`optimist policies` lists all)"#);
    assert_snapshot!(refused("LAPLACE_TS"), @r#"error: NAME is "LAPLACE_TS": did you mean "laplace-ts"? (`optimist policies` lists all)"#);
    assert_snapshot!(refused("something-else-entirely"), @r#"error: NAME is "something-else-entirely": there is no such policy (`optimist policies` lists all)"#);
    assert_snapshot!(refused(""), @r#"error: NAME is "": there is no such policy (`optimist policies` lists all)"#);
    assert_snapshot!(refused("a\nb"), @r#"error: NAME is "a\nb": there is no such policy (`optimist policies` lists all)"#);
    assert_eq!(refused("optimits"), refusal(&run(&["policies", "optimits", "--json"], b"")));
    assert!(refused(&"x".repeat(10_000)).len() < 200);
}
