//! The part of JSON Schema that the schema of experiment files uses; any other keyword is an error.

use serde_json::Value;

/// Whether a value satisfies a schema.
pub(crate) fn is_valid(schema: &Value, value: &Value) -> bool {
    let keywords = schema.as_object().expect("a schema is an object");
    keywords.iter().all(|(keyword, rule)| holds(schema, keyword, rule, value))
}

fn holds(schema: &Value, keyword: &str, rule: &Value, value: &Value) -> bool {
    let number = |holds: fn(f64, f64) -> bool| value.as_f64().is_none_or(|v| holds(v, rule.as_f64().unwrap()));
    let all = |rules: &Value| rules.as_array().unwrap().iter().filter(|rule| is_valid(rule, value)).count();
    match keyword {
        "$schema" | "title" | "description" | "default" | "then" => true,
        "type" => is_of_type(rule.as_str().unwrap(), value),
        "enum" => rule.as_array().unwrap().contains(value),
        "const" => rule == value,
        "minimum" => number(|v, bound| v >= bound),
        "maximum" => number(|v, bound| v <= bound),
        "exclusiveMinimum" => number(|v, bound| v > bound),
        "exclusiveMaximum" => number(|v, bound| v < bound),
        "minLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 >= rule.as_u64().unwrap()),
        "pattern" => value.as_str().is_none_or(|text| matches_pattern(rule.as_str().unwrap(), text)),
        "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
        "items" => value.as_array().is_none_or(|items| items.iter().all(|item| is_valid(rule, item))),
        "required" => value.as_object().is_none_or(|entries| {
            rule.as_array().unwrap().iter().all(|name| entries.contains_key(name.as_str().unwrap()))
        }),
        "properties" => value.as_object().is_none_or(|entries| {
            entries.iter().all(|(name, inner)| rule.get(name).is_none_or(|rule| is_valid(rule, inner)))
        }),
        "additionalProperties" => {
            assert_eq!(rule, false);
            let known = |name: &String| schema["properties"].get(name).is_some();
            value.as_object().is_none_or(|entries| entries.keys().all(known))
        }
        "not" => !is_valid(rule, value),
        "anyOf" => all(rule) >= 1,
        "oneOf" => all(rule) == 1,
        "allOf" => all(rule) == rule.as_array().unwrap().len(),
        "if" => !is_valid(rule, value) || is_valid(&schema["then"], value),
        other => panic!("{other} is no keyword of JSON Schema that is known here"),
    }
}

/// The one pattern that the schema has, spelt out.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    assert_eq!(pattern, "^ *(all|(every|log) +0*[1-9][0-9]*) *$");
    match text.split_whitespace().collect::<Vec<_>>()[..] {
        ["all"] => true,
        ["every" | "log", number] => number.parse::<u64>().is_ok_and(|number| number > 0),
        _ => false,
    }
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("{other} is no type of JSON Schema that is known here"),
    }
}
