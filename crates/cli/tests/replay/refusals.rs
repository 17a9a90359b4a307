//! Bad input: one clear line each, exit code 2.

use insta::assert_snapshot;

use super::data::{Desk, csv, gzip, log, log_csv, visits};

#[test]
fn wrong_columns() {
    let desk = Desk::new();
    desk.write("visits.csv", csv(&visits(50)));
    let refused = |arguments: &[&str]| desk.refused(&[&["visits.csv"], arguments].concat());
    assert_snapshot!(refused(&["--label", "bougth"]), @r#"error: --label is "bougth": did you mean "bought"?"#);
    assert_snapshot!(refused(&["--label", "colour of hair"]), @r#"error: --label is "colour of hair": there is no such column; there are row, age, device, bought"#);
    assert_snapshot!(refused(&["--label", "bought", "--number", "devise"]), @r#"error: --number is "devise": did you mean "device"?"#);
    assert_snapshot!(refused(&["--label", "bought", "--number", "age", "--text", "age"]), @r#"error: both --number and --text name the column "age": keep one"#);
    assert_snapshot!(refused(&["--label", "bought", "--ignore", "agee"]), @r#"error: --ignore is "agee": there is no such column; there are row, age, device, bought"#);
    assert_snapshot!(refused(&["--label", "bought", "--ignore", "age,device"]), @"error: no column is left to decide by: all are identifiers, constants, ignored or the answer itself; --category COL or --number COL keeps one");
    assert_snapshot!(refused(&["--arm", "device", "--reward", "device"]), @r#"error: both --arm and --reward name the column "device": they are different things"#);
    assert_snapshot!(refused(&[]), @"error: visits.csv: say what to replay: --label COLUMN for a table with classes, or --arm COLUMN --reward COLUMN for a log; there are row, age, device, bought");
}

#[test]
fn wrong_arguments() {
    let desk = Desk::new();
    desk.write("visits.csv", csv(&visits(50)));
    let refused = |arguments: &[&str]| desk.refused(&[&["visits.csv", "--label", "bought"], arguments].concat());
    assert_snapshot!(refused(&["--policy", "bayes-ubc"]), @r#"error: --policy is "bayes-ubc": did you mean "bayes-ucb"? (`optimist policies` lists all)"#);
    assert_snapshot!(refused(&["--model", "shared"]), @r#"error: bayes-ucb, shared: model is "shared", but actions have no features and nothing tells them apart: give features, an interaction such as device:action, or use "disjoint""#);
    assert_snapshot!(refused(&["--model", "joint"]), @r#"error: --model is "joint": use one of disjoint, hybrid, shared"#);
    assert_snapshot!(refused(&["--orders", "0"]), @r#"error: --orders is "0": give a whole number, 1 or more"#);
    assert_snapshot!(refused(&["--explore", "2"]), @"error: --explore is 2: give a share from 0 to 1");
    assert_snapshot!(refused(&["--reward-scale", "cap:9"]), @"error: --reward-scale is for logs: leave it out, or give --arm and --reward instead of --label");
    assert_snapshot!(refused(&["--arm", "device", "--reward", "age"]), @"error: --label cannot be given together with --arm, --reward: keep one");
    assert_snapshot!(refused(&["--options", "{}x"]), @r#"error: --options is no JSON object (trailing characters at line 1 column 3): give one such as {"quantile": 0.9}"#);
    assert!(refused(&["--options", r#"{"quantile": 0.9}"#]).contains("must say of which policy they are"));
    assert!(refused(&["--policy", "greedy", "--options", r#"{"nothing": 1}"#]).contains("nothing"));
}

#[test]
fn wrong_files() {
    let desk = Desk::new();
    let whole = gzip(csv(&visits(2000)).as_bytes());
    desk.write("cut.csv.gz", &whole[..whole.len() / 2]);
    desk.write("empty.csv", "");
    desk.write("header.csv", "a,b\n");
    desk.write("bad.csv", "a,b\n1\n2\n");
    let refused = |name: &str| desk.refused(&[name, "--label", "b"]);
    assert_snapshot!(refused("absent.csv"), @"error: absent.csv cannot be read: it does not exist");
    assert_snapshot!(refused("empty.csv"), @"error: empty.csv: the file is empty: a table needs at least the names of its columns");
    assert_snapshot!(refused("header.csv"), @"error: header.csv: it has no rows: there is nothing to replay");
    assert_snapshot!(refused("bad.csv"), @"error: bad.csv: 2 rows could not be read, and no other is there: there is nothing to replay");
    assert_snapshot!(desk.refused(&["bad.csv", "--label", "b", "--strict"]), @"error: bad.csv, line 2: 1 field where there are 2 columns");
    assert_snapshot!(desk.refused(&["cut.csv.gz", "--label", "bought"]), @"error: cut.csv.gz: the gzip data ends too early: the file is cut off, fetch it again");
}

#[test]
fn labels_that_are_none() {
    let desk = Desk::new();
    let rows = |class: &dyn Fn(usize) -> String| -> String {
        (0..100_000).fold("x,y\n".to_owned(), |text, i| text + &format!("{},{}\n", i % 7, class(i)))
    };
    desk.write("one.csv", rows(&|_| "same".to_owned()));
    desk.write("many.csv", rows(&|i| format!("class {i}")));
    desk.write("none.csv", rows(&|_| String::new()));
    let refused = |name: &str| desk.refused(&[name, "--label", "y"]);
    assert_snapshot!(refused("one.csv"), @r#"error: one.csv: --label "y" has one class, "same", in all rows: there is nothing to choose; give another column"#);
    assert_snapshot!(refused("many.csv"), @r#"error: many.csv: --label "y" has more than 1,000 classes: each is an action, so give a column with fewer values; an amount can be cut into ranges first"#);
    assert_snapshot!(refused("none.csv"), @r#"error: none.csv: --label "y" has no value in any row: give another column"#);
}

#[test]
fn logs_that_contradict_themselves() {
    let desk = Desk::new();
    let good = log_csv(&log(100, [0.6, 0.2, 0.2]));
    let columns = ["--arm", "banner", "--reward", "clicked", "--propensity", "p"];
    let refused = |line: &str| {
        desk.write("log.csv", format!("{good}{line}\n"));
        desk.refused(&[&["log.csv"], &columns[..]].concat())
    };
    assert_snapshot!(refused("30,phone,green,0,1"), @r#"error: log.csv, line 102: --propensity "p" is 0: it must be above 0 and at most 1, because it is the probability with which the logged action was drawn"#);
    assert_snapshot!(refused("30,phone,green,0.6,3"), @r#"error: log.csv, line 102: --reward "clicked" is 3: it must be between 0 and 1; give --reward-scale range:LOW:HIGH or cap:X for others"#);
    assert_snapshot!(refused("30,phone,green,0.6,maybe"), @r#"error: log.csv, line 102: --reward "clicked" is "maybe": it must be a number"#);
    assert_snapshot!(desk.refused(&["log.csv", "--arm", "banner"]), @"error: --reward is missing: `optimist replay --help` says what to give");
}
