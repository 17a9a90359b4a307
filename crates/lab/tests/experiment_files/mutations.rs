//! Files that are damaged in every place: whatever happens, it is one line and no panic.

use std::path::Path;

use optimist_lab::experiment::read;
use toml::{Table, Value};

use super::examples;

/// Values that are seldom what a key wants.
fn odd_values() -> Vec<Value> {
    let text = "v = [true, -1, 0, 9223372036854775807, 1e300, -0.0, nan, inf, \"\", \"x\", \"a\\nb\\u001b\", \"../\", [], [[]], \
                [[[1]]], {}, { x = 1 }, [{}], 1979-05-27]";
    let table: Table = text.parse().unwrap();
    table["v"].as_array().unwrap().clone()
}

/// All ways to replace one value by another, wherever it is.
fn replaced(value: &Value, by: &Value) -> Vec<Value> {
    let mut all = vec![by.clone()];
    match value {
        Value::Table(entries) => {
            for (name, inner) in entries {
                all.extend(replaced(inner, by).into_iter().map(|new| {
                    let mut entries = entries.clone();
                    entries.insert(name.clone(), new);
                    Value::Table(entries)
                }));
            }
        }
        Value::Array(items) => {
            for (i, inner) in items.iter().enumerate() {
                all.extend(replaced(inner, by).into_iter().map(|new| {
                    let mut items = items.clone();
                    items[i] = new;
                    Value::Array(items)
                }));
            }
        }
        _ => {}
    }
    all
}

/// Whether the text was read; a refusal must be one line.
fn is_read(text: &str) -> bool {
    match read(text, Path::new("")) {
        Ok(_) => true,
        Err(e) => {
            let message = e.to_string();
            assert!(!message.contains(char::is_control) && !message.is_empty(), "{message:?}\n{text}");
            false
        }
    }
}

#[test]
fn odd_values_do_no_harm() {
    let (mut read, mut refused) = (0, 0);
    for (_, text) in examples() {
        let document = Value::Table(text.parse().unwrap());
        for odd in odd_values() {
            for table in replaced(&document, &odd).iter().filter_map(Value::as_table) {
                match is_read(&toml::to_string(table).unwrap()) {
                    true => read += 1,
                    false => refused += 1,
                }
            }
        }
    }
    assert!(refused > 10 * read && read > 0, "{read} were read, {refused} refused");
}

#[test]
fn files_that_are_cut_off_do_no_harm() {
    for (_, text) in examples() {
        for (end, _) in text.char_indices().step_by(3) {
            is_read(&text[..end]);
        }
    }
}
