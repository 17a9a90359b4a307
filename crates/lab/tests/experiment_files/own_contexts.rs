//! Lists with counts and rates, tables, fitted parameters and rewards of other models: what is refused, and in which words.

#[cfg(feature = "replay")]
use std::fs;
#[cfg(feature = "replay")]
use std::path::Path;

#[cfg(feature = "replay")]
use optimist_lab::experiment::read;

use super::refusals::check;
use super::{ENVIRONMENT, POLICY, accepted, file};

#[test]
fn lists_and_rates() {
    let list = "kind = \"list\", list = [[1, 0], [0, 1]]";
    check(
        |part| {
            let (arms, theta) = part.split_once('|').unwrap_or((part, "kappa = 9"));
            file("", &format!("dimension = 2\narms = {{ {arms} }}\n{theta}"), POLICY)
        },
        &[
            (
                &format!("{list}, count = 3, redraw = \"round\""),
                "environment.arms.count is 3: the list has 2 arms, and no arm is drawn twice; give 2 at most",
            ),
            (&format!("{list}, rates = [0.5]|"), "environment.arms.rates has 1 probabilities: there are 2 arms"),
            (
                &format!("{list}, rates = [0.5, 1.5]|"),
                "environment.arms.rates has 1.5 for arm 2: a probability is from 0 to 1",
            ),
            (
                &format!("{list}, rates = \"rate\"|"),
                "environment.arms.rates is \"rate\": a column is one of file; beside list, give a list of probabilities",
            ),
            (
                &format!("{list}, rates = [0.5, 0.6]"),
                "environment.kappa is given beside environment.arms.rates: the arms succeed with these; remove one",
            ),
            (
                &format!("{list}, rates = [0.5, 0.6]|rewards = {{ link = \"probit\" }}"),
                "environment.rewards.link is given beside environment.arms.rates: the arms succeed with these; remove one",
            ),
            (
                &format!("{list}, rates = [0.5, 0.6]|drift = {{ kind = \"steps\", every = 3 }}"),
                "environment.drift.kind is \"steps\": the arms succeed with rates of their own, whatever theta is; remove drift",
            ),
            (&format!("{list}|"), "environment.kappa is missing: give it, or theta_norm, or theta"),
            (
                "kind = \"ball-sample\", count = 3, rates = [1, 2]",
                "environment.arms.rates is a list: it is for kind = \"list\", and kind is \"ball-sample\"; remove it",
            ),
        ],
    );
}

#[test]
fn features_that_are_drawn() {
    check(
        |part| file("", &format!("dimension = 3\nkappa = 9\narms = {{ {part} }}"), POLICY),
        &[
            (
                "kind = \"gaussian\", count = 3, correlation = 1",
                "environment.arms.correlation is 1: it must be a number above -1 and below 1 (not negative for form = \"equal\")",
            ),
            (
                "kind = \"gaussian\", count = 3, correlation = -0.5",
                "environment.arms.correlation is -0.5: more features than a few cannot all have a negative correlation; give 0 or more, or form = \"ar1\"",
            ),
            (
                "kind = \"sphere\", correlation = 0.5",
                "environment.arms.correlation is 0.5: it is for kind = \"gaussian\", and kind is \"sphere\"; remove it",
            ),
            (
                "kind = \"categories\", count = 3",
                "environment.arms.levels is missing: give a list of whole numbers from 1",
            ),
            (
                "kind = \"categories\", count = 3, levels = []",
                "environment.arms.levels is an empty list: it must be a list of whole numbers from 1",
            ),
            (
                "kind = \"categories\", count = 3, levels = [2, 2]",
                "environment.arms.levels has arms with 4 features: the dimension is 3",
            ),
            (
                "kind = \"categories\", count = 3, levels = [600, 600]",
                "environment.arms.levels makes 1200 features: at most 1000 are allowed",
            ),
            (
                "kind = \"categories\", count = 3, levels = [3], weights = [[1, 2]]",
                "environment.arms.weights has 2 weights for variable 1, which has 3 levels",
            ),
            (
                "kind = \"categories\", count = 3, levels = [2, 1], weights = [[1, 2]]",
                "environment.arms.weights has 1 lists: levels has 2 variables, give a list for each",
            ),
            (
                "kind = \"categories\", count = 3, levels = [2, 1], weights = [[1, 2], [0]]",
                "environment.arms.weights has weights for variable 2 that cannot be: they must not be negative, nor all be zero",
            ),
        ],
    );
}

#[test]
fn rewards() {
    check(
        |part| {
            let (rewards, environment) = part.split_once('|').unwrap_or((part, ENVIRONMENT));
            file("", &format!("{environment}\nrewards = {{ {rewards} }}"), POLICY)
        },
        &[
            (
                "link = \"prohbit\"",
                "environment.rewards.link is \"prohbit\": did you mean \"probit\"? \"logit\", \"probit\", \"cloglog\", \"cauchit\", \"linear\" are allowed",
            ),
            ("flipped = 1", "environment.rewards.flipped is 1: it must be a number at least 0 and below 1"),
            ("noise = -1", "environment.rewards.noise is -1: it must be a number at least 0 and at most 1e9"),
            (
                "interactions = [[1, 2, 0.5], [1, 3, 0.5]]",
                "environment.rewards.interactions has something else as number 2: give two features from 1 to 2 and a weight, such as [1, 2, 0.5]",
            ),
            (
                "interactions = [[1, 2]]",
                "environment.rewards.interactions has something else as number 1: give two features from 1 to 2 and a weight, such as [1, 2, 0.5]",
            ),
            (
                "noise = 0.1|dimension = 2\nkappa = 9\narms = { kind = \"ball\" }",
                "environment.rewards.noise needs arms that are lists and share all parameters: draw or list arms, or remove it",
            ),
            (
                "interactions = [[1, 1, 1]]|dimension = 2\nkappa = 9\narms = { kind = \"sphere\" }",
                "environment.rewards.interactions needs arms that are lists and share all parameters: draw or list arms, or remove it",
            ),
        ],
    );
}

#[test]
fn rewards_can_be_swept() {
    let rewards = "rewards = [{ link = [\"logit\", \"probit\"], noise = [0, 0.5] }, { interactions = [[1, 2, -2]] }]";
    let names = accepted(&file("", &format!("{ENVIRONMENT}\n{rewards}"), POLICY)).environments;
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let start = "d=2 ball-sample=4 kappa=50";
    let expected = ["", " noise=0.5", " link=probit", " link=probit noise=0.5", " interactions=[1*2:-2]"];
    assert_eq!(names, expected.map(|end| format!("{start}{end}")));
}

/// Reads a file with tables beside it; the message if it is refused.
#[cfg(feature = "replay")]
fn said(place: &Path, environment: &str) -> String {
    match read(&file("", environment, POLICY), place) {
        Ok(experiment) => experiment.environments[0].to_string(),
        Err(e) => e.to_string(),
    }
}

#[cfg(feature = "replay")]
#[test]
fn tables_and_fits() {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(place.path().join(name), text).unwrap();
    write("good.csv", "a,b,w,y\n1,2,x,0\n3,4,z,1\n0.5,1,x,1\n");
    write("gap.csv", "a,b\n1,2\n,4\n");
    write("mixed.csv", "a,b\n1,2\nx,4\n");
    write("other.csv", "a,b,w,y\n1,2,q,0\n");
    write("rates.csv", "x,y,p\n1,0,0.25\n0,1,0.5\n");
    let table = |more: &str| format!("theta_norm = 1\narms = {{ kind = \"table\", count = 2, {more} }}");
    let fit = |arms: &str, theta: &str| format!("arms = {{ {arms} }}\ntheta = {{ {theta} }}");
    let good = "kind = \"table\", count = 2, file = \"good.csv\", columns = [\"a\", \"w\"]";
    for (environment, answer) in [
        (table("file = \"good.csv\", columns = [\"a\", \"b\"]"), "d=2 table=good count=2 theta_norm=1"),
        (
            table("file = \"good.csv\", columns = [\"a\", \"c\"]"),
            "environment.arms.file is \"good.csv\": it has no column \"c\": ",
        ),
        (
            table("file = \"good.csv\", columns = [\"a\", \"a\"]"),
            "environment.arms.file is \"good.csv\": column \"a\" is named twice; name it once",
        ),
        (
            table("file = \"gap.csv\""),
            "environment.arms.file is \"gap.csv\": line 3: column \"a\" has no value; fill it in, or leave the row out",
        ),
        (
            table("file = \"mixed.csv\""),
            "environment.arms.file is \"mixed.csv\": line 3: column \"a\" has \"x\", and numbers above; let it hold one or the other",
        ),
        (
            table("file = \"good.csv\", redraw = \"run\""),
            "environment.arms.redraw is \"run\": every round has other rows of a table; remove redraw",
        ),
        (
            table("file = \"good.csv\", written_out = true"),
            "environment.arms.written_out is true: it is for rows = \"context\"; remove it",
        ),
        (table("columns = [\"a\"]"), "environment.arms.file is missing: give a text in quotes"),
        (fit(good, "fit = \"good.csv\", reward = \"y\""), "d=3 table=good count=2 theta=fit(good;y)"),
        (
            fit(good, "fit = \"other.csv\", reward = \"y\""),
            "environment.theta.fit is \"other.csv\": column \"w\" has \"q\", which the table of the arms does not have",
        ),
        (
            fit(good, "fit = \"good.csv\", reward = \"b\""),
            "environment.theta.reward is \"b\": the column must have numbers from 0 to 1, or true and false",
        ),
        (fit(good, "fit = \"good.csv\""), "environment.theta.reward is missing: give a text in quotes"),
        (
            fit(good, "fit = \"good.csv\", reward = \"y\", columns = [\"a\"]"),
            "environment.theta.columns is not needed: features are those of the arms; remove it",
        ),
        (
            fit("kind = \"ball-sample\", count = 3", "fit = \"good.csv\", reward = \"y\", columns = [\"a\", \"b\"]"),
            "d=2 ball-sample=3 theta=fit(good;y)",
        ),
        (
            fit("kind = \"ball-sample\", count = 3", "fit = \"good.csv\", reward = \"y\""),
            "environment.theta.columns is missing: give a list of texts in quotes",
        ),
        (
            "arms = { kind = \"list\", file = \"rates.csv\", rates = \"p\" }".into(),
            "d=2 list=rates rates theta=fit(rates;rates)",
        ),
        (
            "arms = { kind = \"list\", file = \"rates.csv\", rates = \"q\" }".into(),
            "environment.arms.rates is \"q\": the header of \"rates.csv\" has \"x\", \"y\", \"p\"; name one of several columns",
        ),
    ] {
        let found = said(place.path(), &environment);
        assert!(found.starts_with(answer), "{environment}\n{found}\n{answer}");
    }
}
