//! What somebody may write into a stored state by hand.

use serde_json::{Value, json};

/// The paths of all arrays and numbers of a document.
pub(super) fn places(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(document, String::new(), &mut found);
    found
}

fn collect(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            found.push(path.clone());
            items.iter().enumerate().for_each(|(i, item)| collect(item, format!("{path}/{i}"), found));
        }
        Value::Object(fields) => fields.iter().for_each(|(k, v)| collect(v, format!("{path}/{k}"), found)),
        Value::Number(_) => found.push(path),
        _ => {}
    }
}

/// Other things that could stand there.
pub(super) fn edits(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(items) => {
            let mut longer = items.clone();
            longer.push(items.first().cloned().unwrap_or(json!(1)));
            let shorter = items[..items.len().saturating_sub(1)].to_vec();
            vec![json!([]), Value::Array(shorter), Value::Array(longer)]
        }
        _ => vec![json!(-1), json!(0), json!(7), json!(1e9), Value::Null],
    }
}
