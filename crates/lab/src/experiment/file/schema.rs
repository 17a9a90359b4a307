//! The keys as a JSON Schema, for editors that complete and check files.

use optimist::policy::{self, PolicyInfo};
use serde_json::{Map, Value, json};

use super::keys::{self, Absent, Key};
use super::kind::{Kind, Range};

/// A JSON Schema (draft 2020-12) of experiment files, made from the keys and the registry of policies.
///
/// It describes types, ranges and names. What depends on several keys (that a norm bound is not below the norm, that a
/// policy is defined for the arms) only [`read`](super::read) knows.
pub fn schema() -> Value {
    let mut schema = table("");
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "An experiment of Optimist".into();
    schema
}

/// The schema of a table: its keys and no others.
fn table(path: &str) -> Value {
    let properties: Map<String, Value> =
        keys::of_table(path).map(|key| (key.name().to_owned(), property(key))).collect();
    let required: Vec<&str> =
        keys::of_table(path).filter(|key| key.absent == Absent::Required).map(|key| key.name()).collect();
    let mut schema = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false
    });
    if path == "environment" {
        let alone = ["kappa", "theta_norm", "theta"].map(|name| json!({ "required": [name] }));
        // Arms with rates of their own need none, and have none.
        let none = json!({
            "not": { "anyOf": alone.clone() },
            "properties": { "arms": { "type": "object", "required": ["rates"] } },
        });
        schema["oneOf"] = alone.into_iter().chain([none]).collect();
    }
    schema
}

fn property(key: &Key) -> Value {
    let one = value(key);
    let mut schema = match key.sweep {
        true => json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] }),
        false => one,
    };
    schema["description"] = key.help.into();
    if let Absent::Default(_) = key.absent {
        schema["default"] = serde_json::to_value(keys::default_of(key)).unwrap_or_default();
    }
    schema
}

/// The schema of one value of a key.
fn value(key: &Key) -> Value {
    match key.kind {
        Kind::Text => json!({ "type": "string", "minLength": 1 }),
        Kind::Labels => json!({ "anyOf": [
            { "type": "string", "minLength": 1 },
            { "type": "array", "items": { "type": "string", "minLength": 1 }, "minItems": 1 },
        ] }),
        Kind::Truth => json!({ "type": "boolean" }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Whole(from, to) => json!({ "type": "integer", "minimum": from, "maximum": to }),
        Kind::Number(range) => number(&range),
        Kind::WordOrNumber(words, range) => json!({ "anyOf": [{ "enum": words }, number(&range)] }),
        Kind::Rounds => json!({ "anyOf": [
            { "type": "array", "items": { "type": "integer", "minimum": 1 } },
            { "type": "string", "pattern": "^ *(all|(every|log) +0*[1-9][0-9]*) *$" },
        ] }),
        Kind::Vector => vector(),
        Kind::Rows => json!({ "type": "array", "items": vector(), "minItems": 1 }),
        Kind::Texts => json!({ "type": "array", "items": { "type": "string", "minLength": 1 }, "minItems": 1 }),
        Kind::Wholes => json!({ "type": "array", "items": { "type": "integer", "minimum": 1 }, "minItems": 1 }),
        Kind::VectorOrText => json!({ "anyOf": [vector(), { "type": "string", "minLength": 1 }] }),
        Kind::VectorOrTable(_) => json!({ "anyOf": [vector(), table(key.path)] }),
        Kind::Table(_) => table(key.path),
        Kind::Tables => json!({ "type": "array", "items": policies(), "minItems": 1 }),
    }
}

fn vector() -> Value {
    json!({ "type": "array", "items": { "type": "number" }, "minItems": 1 })
}

fn number(range: &Range) -> Value {
    let mut schema = json!({ "type": "number" });
    schema[if range.from_included { "minimum" } else { "exclusiveMinimum" }] = range.from.into();
    if range.to.is_finite() {
        schema[if range.to_included { "maximum" } else { "exclusiveMaximum" }] = range.to.into();
    }
    schema
}

/// A policy: which keys there are depends on its name.
fn policies() -> Value {
    let names: Vec<&str> = policy::names().collect();
    let cases: Vec<Value> = policy::registry().into_iter().map(case).collect();
    json!({
        "type": "object",
        "properties": { "name": { "enum": names } },
        "required": ["name"],
        "allOf": cases,
    })
}

fn case(info: &PolicyInfo) -> Value {
    let is_it = json!({ "properties": { "name": { "const": info.name } }, "required": ["name"] });
    let own = keys::of_table("policy").map(|key| (key.name().to_owned(), property(key)));
    let defaults = info.default_options();
    // What an option may hold is known to its policy only; the description says it in words.
    let options = info.all_options().map(|option| {
        let mut schema = json!({ "description": option.help });
        if let Some(default) = defaults.get(option.name).filter(|default| !default.is_null()) {
            schema["default"] = default.clone();
        }
        (option.name.to_owned(), schema)
    });
    let properties: Map<String, Value> = own.chain(options).collect();
    json!({ "if": is_it, "then": { "properties": properties, "additionalProperties": false } })
}
