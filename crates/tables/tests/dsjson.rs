//! Decision logs: lines as they are in the wild, and lines that contradict themselves.

use std::io::Cursor;

use optimist_tables::{Cell, Decision, DecisionLog, Error, Features, Format, Options};

use crate::written::{gzip, names, save, table, text};

/// As a ranking service writes it: ranked actions from 1, namespaces in lists, single precision.
const SERVICE: &str = r#"{"_label_cost":-1.0,"_label_probability":0.05000000074505806,"_label_Action":4,"_labelIndex":3,"o":[{"v":1.0,"EventId":"e7","ActionTaken":false}],"Timestamp":"2021-02-04T16:31:29.2460000Z","Version":"1","EventId":"e7","a":[4,2,1,3],"c":{"FromUrl":[{"hour":"noon","name":"Ada"}],"_multi":[{"_tag":"tea","i":{"constant":1,"id":"tea"},"j":[{"type":"hot"}]},{"i":{"id":"soda"}},{"i":{"id":"cocoa"}},{"i":{"id":"milk"}}]},"p":[0.05,0.1,0.05,0.8],"VWState":{"m":"x"},"pdrop":0.5}"#;
/// As scripts write it: actions from 0, features as names with a weight.
const SCRIPT: &str = r#"{"_label_cost": 0, "_label_probability": 0.25, "_label_Action": 2, "_labelIndex": 1, "o": [{"v": {"v=none": 1}, "_definitely_bad": false}], "a": [0, 1], "c": {"User": {"user=Ada": 1}, "_multi": [{"Action": {"action=news": 1}}, {"Action": {"action=sport": 1}}]}, "p": [0.75, 0.25]}"#;

/// The decisions, and the lines that are none with the reasons.
type Log = (Vec<Decision>, Vec<(u64, String)>);

fn read(lines: &str, options: &Options) -> Result<Log, Error> {
    let mut log = DecisionLog::from_reader("test", Cursor::new(lines.to_owned()), options)?;
    let mut decisions = Vec::new();
    let mut decision = Decision::default();
    while log.read(&mut decision)? {
        decisions.push(decision.clone());
    }
    Ok((decisions, log.malformed().first.clone()))
}

fn one(cell: &[(&str, Cell)]) -> Features {
    cell.iter().map(|(name, cell)| ((*name).to_owned(), cell.clone())).collect()
}

#[test]
fn a_line_of_a_service_is_read_in_full() {
    let (decisions, malformed) = read(SERVICE, &Options::default()).unwrap();
    assert!(malformed.is_empty());
    let decision = &decisions[0];
    assert_eq!(decision.event_id.as_deref(), Some("e7"));
    assert_eq!(decision.timestamp.as_deref(), Some("2021-02-04T16:31:29.2460000Z"));
    assert_eq!((decision.line, decision.chosen, decision.cost), (1, 3, Some(-1.0)));
    assert_eq!(decision.probability, 0.05000000074505806);
    assert_eq!(decision.probabilities, [0.05, 0.1, 0.8, 0.05], "p is in the order of a");
    assert_eq!(decision.context, one(&[("FromUrl.hour", text("noon")), ("FromUrl.name", text("Ada"))]));
    assert_eq!(
        decision.actions[0],
        one(&[
            ("_tag", text("tea")),
            ("i.constant", Cell::Number(1.0)),
            ("i.id", text("tea")),
            ("j.type", text("hot"))
        ])
    );
    assert_eq!(decision.actions.len(), 4);
    assert_eq!(decision.outcomes[0][0], ("v".to_owned(), Cell::Number(1.0)));
    assert_eq!((decision.drop_probability, decision.skip_learn), (0.5, false));
}

#[test]
fn actions_may_count_from_zero() {
    let (decisions, _) = read(SCRIPT, &Options::default()).unwrap();
    assert_eq!((decisions[0].chosen, decisions[0].probability), (1, 0.25));
    assert_eq!(decisions[0].probabilities, [0.75, 0.25]);
    assert_eq!(
        decisions[0].outcomes,
        [one(&[("v.v=none", Cell::Number(1.0)), ("_definitely_bad", Cell::Bool(false))])]
    );
}

#[test]
fn labels_that_are_missing_follow_from_the_rest() {
    let line = r#"{"_multi":0,"a":[2,1],"p":[0.8,0.2],"c":{"_multi":[{"x":1},{"x":2}]}}"#;
    let (decisions, _) = read(line, &Options::default()).unwrap();
    assert_eq!((decisions[0].chosen, decisions[0].probability, decisions[0].cost), (1, 0.8, None));
}

#[test]
fn features_of_one_name_are_told_apart() {
    let line = r#"{"_label_cost":0,"a":[1],"p":[1],"c":{"n":[{"x":1},{"x":2},{"x":3,"x.2":4}],"v":[1,2],"_multi":[{"s":1,"s":2}]}}"#;
    let (decisions, _) = read(line, &Options::default()).unwrap();
    let names: Vec<&str> = decisions[0].context.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["n.x", "n.x.2", "n.x.3", "n.x.2.2", "v"]);
    assert_eq!(decisions[0].context[4].1, Cell::Vector(vec![1.0, 2.0]));
    assert_eq!(decisions[0].actions[0][1].0, "s.2");
}

#[test]
fn lines_that_contradict_themselves_are_counted() {
    for (from, to, reason) in [
        ("\"a\": [0, 1]", "\"a\": [0, 1, 2]", "`a` has 3 actions and `p` has 2"),
        ("\"a\": [0, 1]", "\"a\": [0, 0]", "twice"),
        ("\"a\": [0, 1]", "\"a\": [0, 7]", "names the action 7, but there are 2"),
        ("\"a\": [0, 1]", "\"a\": [0, 0.5]", "names the action 0.5"),
        ("\"a\": [0, 1]", "\"a\": 3", "`a` is not a list"),
        ("[0.75, 0.25]", "[0.75, 0.75]", "sum to 1.5"),
        ("[0.75, 0.25]", "[1.75, -0.75]", "probability 1.75"),
        ("[0.75, 0.25]", "[\"x\", 1]", "not a list of numbers"),
        ("\"_labelIndex\": 1", "\"_labelIndex\": 0", "the second should be one more"),
        ("\"_label_Action\": 2, \"_labelIndex\": 1", "\"_labelIndex\": 2", "action 2 was taken, but there are 2"),
        ("\"_label_Action\": 2, \"_labelIndex\": 1", "\"_labelIndex\": -1", "action -1 was taken"),
        ("\"_label_probability\": 0.25", "\"_label_probability\": 0", "must be above 0"),
        ("\"_label_probability\": 0.25", "\"_label_probability\": \"x\"", "`_label_probability` is not a number"),
        ("\"c\":", "\"pdrop\": 1, \"c\":", "`pdrop` is 1"),
        ("\"c\":", "\"d\":", "has no `c`"),
        ("\"_multi\":", "\"multi\":", "has no `c._multi`"),
        ("\"User\": {\"user=Ada\": 1}", "\"_slots\": []", "several slots"),
        ("\"o\": [", "\"o\": 1, \"x\": [", "`o` is not a list"),
        ("{\"_label_cost\"", "[{\"_label_cost\"", "is not JSON"),
    ] {
        let line = SCRIPT.replace(from, to);
        assert_ne!(line, SCRIPT);
        let (decisions, malformed) = read(&format!("{SERVICE}\n{line}\n\n{SCRIPT}"), &Options::default()).unwrap();
        assert_eq!((decisions.len(), malformed.len()), (2, 1), "{to}");
        assert_eq!(malformed[0].0, 2);
        assert!(malformed[0].1.contains(reason), "{malformed:?} for {to}");
    }
    let strict = Options { strict: true, ..Options::default() };
    let error = read(&format!("{SERVICE}\n{{}}\n"), &strict).unwrap_err();
    assert!(error.to_string().starts_with("test, line 2: has no `c`"), "{error}");
}

#[test]
fn it_is_told_from_other_json_lines_and_is_a_table_too() {
    assert!(read("{\"x\":1}\n", &Options::default()).unwrap_err().to_string().contains("is JSON lines, not dsjson"));
    assert!(read("x,y\n", &Options::default()).unwrap_err().to_string().contains("is CSV, not dsjson"));
    let given = Options { format: Some(Format::Dsjson), ..Options::default() };
    assert_eq!(read(&format!("{{\"x\":1}}\n{SCRIPT}"), &given).unwrap().0.len(), 1);
    let mut table = table(SCRIPT);
    assert_eq!(table.format(), Format::Dsjson);
    assert!(names(&table).contains(&"c.User.user=Ada"));
    let row = table.rows().next().unwrap().unwrap();
    assert_eq!(row.get("p"), Some(&Cell::Vector(vec![0.75, 0.25])));
    assert!(row.get("c._multi").unwrap().text().unwrap().starts_with("[{\"Action\""));
}

#[test]
fn files_may_be_packed() {
    let (_directory, path) = save(&gzip(SERVICE.as_bytes()));
    let mut log = DecisionLog::open(&path, &Options::default()).unwrap();
    assert!(log.read(&mut Decision::default()).unwrap());
    assert_eq!(Some(log.progress().bytes_read), log.progress().bytes_total);
    assert!(!log.read(&mut Decision::default()).unwrap());
}
