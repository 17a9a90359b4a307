#![allow(dead_code, unreachable_pub)]
//! Values for the options that a policy cannot do without.

use optimist::policy::PolicyInfo;
use serde_json::{Map, Value};

/// Adds the options that the policy requires and `options` does not name. What is known of an experiment is its length.
pub fn add_required(info: &PolicyInfo, rounds: usize, options: &mut Map<String, Value>) -> Result<(), String> {
    for name in info.required {
        if !options.contains_key(*name) {
            let value = match *name {
                "horizon" => Value::from(rounds),
                other => return Err(format!("{} requires the option {other}, for which there is no value", info.name)),
            };
            options.insert((*name).to_owned(), value);
        }
    }
    Ok(())
}
