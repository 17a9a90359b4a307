//! What columns are taken to be, and what is said about it.

use optimist_tables::{Distinct, Guess, GuessOptions, Guesser, Kind, Options, TimeForm, guess};

use crate::written::{open, table};

fn guesses(text: &str, options: &GuessOptions) -> Vec<Guess> {
    guess(&mut table(text), options).unwrap()
}

/// The guess of one column with these values.
fn column(name: &str, values: impl IntoIterator<Item = String>) -> Guess {
    let rows: String = values.into_iter().map(|value| format!("\"{value}\",0\n")).collect();
    guesses(&format!("{name},other\n{rows}"), &GuessOptions::default()).swap_remove(0)
}

fn cycle(values: &[&str], count: usize) -> Vec<String> {
    values.iter().cycle().take(count).map(|&value| value.to_owned()).collect()
}

fn numbers(count: usize, value: impl Fn(usize) -> String) -> Vec<String> {
    (0..count).map(value).collect()
}

#[test]
fn kinds_follow_the_rules() {
    let names = ["Ada", "Bo", "Cy", "Di"];
    let sentences = numbers(50, |i| format!("a sentence of {i} words"));
    for (name, values, kind) in [
        ("x", numbers(100, |i| format!("{}", (i as f64).sin())), Kind::Number),
        ("age", numbers(100, |i| (20 + i * 7 % 50).to_string()), Kind::Number),
        ("zip", numbers(100, |i| (10_000 + i * 37 % 12).to_string()), Kind::Category { levels: 12 }),
        ("productCode", numbers(100, |i| (i * 37 % 12).to_string()), Kind::Category { levels: 12 }),
        ("user_id", numbers(100, |i| (i * 37 % 12).to_string()), Kind::Category { levels: 12 }),
        ("userId", numbers(100, |i| (7919 * i).to_string()), Kind::Identifier),
        ("paid", numbers(100, |i| (7919 * i).to_string()), Kind::Number),
        ("n", numbers(100, |i| (i + 1).to_string()), Kind::Identifier),
        ("code", numbers(100, |i| format!("{:03}", i % 5)), Kind::Category { levels: 5 }),
        ("side", cycle(&["1", "2"], 30), Kind::Category { levels: 2 }),
        ("clicked", cycle(&["0", "1", ""], 30), Kind::Boolean),
        ("b", cycle(&["true", "false"], 30), Kind::Boolean),
        ("b", cycle(&["Yes", "No"], 30), Kind::Boolean),
        ("name", cycle(&names, 40), Kind::Category { levels: 4 }),
        ("hash", numbers(40, |i| format!("x{i:x}")), Kind::Identifier),
        ("comment", sentences, Kind::Text),
        ("short", cycle(&["a few words here", "and some more there"], 40), Kind::Category { levels: 2 }),
        ("t", numbers(40, |i| format!("2021-02-04T16:31:{:02}Z", i)), Kind::Time(TimeForm::Rfc3339)),
        ("t", numbers(40, |i| format!("2021-02-04 16:31:{:02}.5", i)), Kind::Time(TimeForm::Rfc3339)),
        ("t", numbers(20, |i| format!("2021-02-{:02}", i + 1)), Kind::Time(TimeForm::Date)),
        ("t", numbers(20, |i| format!("2021-13-{:02}", i + 1)), Kind::Identifier),
        ("t", numbers(40, |i| (1_612_456_289 + 60 * i).to_string()), Kind::Time(TimeForm::UnixSeconds)),
        (
            "t",
            numbers(40, |i| (1_612_456_289_000_u64 + 60 * i as u64).to_string()),
            Kind::Time(TimeForm::UnixMilliseconds),
        ),
        ("event_id", numbers(40, |i| (1_612_456_289 + 60 * i).to_string()), Kind::Identifier),
        ("same", cycle(&["5", ""], 30), Kind::Constant),
        ("none", cycle(&["NA"], 30), Kind::Constant),
    ] {
        let guess = column(name, values);
        assert_eq!(guess.kind, kind, "{guess}");
    }
}

#[test]
fn what_is_said_can_be_printed() {
    let zip = column("zip", numbers(3000, |i| (10_000 + i % 812).to_string()));
    assert_eq!(
        zip.to_string(),
        "`zip` has 812 different whole numbers and is named like a code: read as category; say `--number zip` otherwise"
    );
    assert_eq!(
        (zip.distinct, zip.missing, zip.rows, zip.example.as_deref()),
        (Distinct::Exactly(812), 0, 3000, Some("10000"))
    );
    let few = column("children", cycle(&["0", "1", "2", "3"], 40));
    assert_eq!(
        few.to_string(),
        "`children` has 4 different whole numbers: read as number; say `--category children` otherwise"
    );
    let mixed = column("x", [numbers(99, |i| i.to_string()), vec!["unknown".to_owned()]].concat());
    assert!(
        mixed.why.contains("has 99 numbers, but also 1 text such as `unknown` (put it among the missing"),
        "{mixed}"
    );
    let comma = column("x", numbers(30, |i| format!("{},5", i % 9)));
    assert!(comma.why.contains("decimal_comma"), "{comma}");
}

#[test]
fn distinct_values_are_counted_up_to_the_limit() {
    let values = numbers(500, |i| format!("{}.5", i % 300));
    let csv = format!("x\n{}\n", values.join("\n"));
    let guess = |max_distinct| guesses(&csv, &GuessOptions { max_distinct, ..GuessOptions::default() }).swap_remove(0);
    assert_eq!(guess(1000).distinct, Distinct::Exactly(300));
    assert_eq!(guess(100).distinct, Distinct::AtLeast(100));
    assert_eq!(guess(100).distinct.to_string(), ">= 100");
    assert_eq!(guess(100).kind, Kind::Number);
}

#[test]
fn only_the_first_rows_count() {
    let csv = format!("x,y\n{}text,1\n", "1.5,2\n2.5,3\n3.5,4\n".repeat(10));
    assert_eq!(guesses(&csv, &GuessOptions { rows: 30, ..GuessOptions::default() })[0].kind, Kind::Number);
    assert!(matches!(guesses(&csv, &GuessOptions::default())[0].kind, Kind::Category { .. }));
}

#[test]
fn json_brings_vectors_and_columns_that_come_late() {
    let lines = "{\"v\":[1,2],\"w\":[1]}\n{\"v\":[3,4],\"w\":[1,2]}\n{\"v\":null,\"z\":true}\n{\"z\":false}\n";
    let mut table = open(lines, &Options { look_ahead: 0, ..Options::default() }).unwrap();
    let found = guess(&mut table, &GuessOptions::default()).unwrap();
    assert_eq!(found.iter().map(|guess| guess.kind).collect::<Vec<_>>(), [Kind::Vector(2), Kind::Text, Kind::Boolean]);
    assert_eq!(found.iter().map(|guess| guess.missing).collect::<Vec<_>>(), [2, 2, 2]);
}

#[test]
fn a_table_without_rows_has_guesses_too() {
    let found = guesses("a,b\n", &GuessOptions::default());
    assert_eq!((found.len(), found[1].kind, found[1].rows), (2, Kind::Constant, 0));
    assert_eq!(found[1].why, "has no rows");
}

#[test]
fn rows_one_by_one_give_the_same_guesses() {
    let csv = format!("a,b\n{}", numbers(200, |i| format!("{},{}\n", i * i, i % 3)).concat());
    let options = GuessOptions { rows: 100, ..GuessOptions::default() };
    let mut guesser = Guesser::new(&options).unwrap();
    let wanted = table(&*csv).rows().map(Result::unwrap).take_while(|row| guesser.add(row)).count();
    assert_eq!(wanted, 99, "the hundredth is looked at, and no more is wanted");
    assert_eq!(guesser.finish(), guesses(&csv, &options));
}

#[test]
fn options_are_checked() {
    let error = Guesser::new(&GuessOptions { rows: 0, ..GuessOptions::default() }).unwrap_err();
    assert_eq!(error.to_string(), "rows = 0: give at least 1");
    assert!(Guesser::new(&GuessOptions { max_distinct: 2, ..GuessOptions::default() }).is_err());
}
