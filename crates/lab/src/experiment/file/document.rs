//! The keys of an experiment, from a file or from another program, before anything is made of them.

use std::path::Path;

use super::read::read_table;
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::input::parse_toml;

/// The keys of an experiment in their order, which decides the order of a sweep.
#[derive(Debug, Clone)]
pub struct Document(toml::Table);

impl Document {
    /// The keys of an experiment file.
    ///
    /// # Errors
    /// If the text is not TOML; the message gives line and column.
    pub fn of_toml(text: &str) -> Result<Self> {
        parse_toml(text).map(Self)
    }

    /// The same keys as a JSON object, for programs that have them as data.
    ///
    /// # Errors
    /// If the text is no JSON object, or holds what no key can be: null, or a whole number beyond 64 bits.
    pub fn of_json(text: &str) -> Result<Self> {
        serde_json::from_str(text).map(Self).map_err(|e| Error::input(format!("the experiment is no JSON object: {e}")))
    }

    /// Puts other policies in place of those that are there: a JSON list of tables, each as `[[policy]]` has it.
    ///
    /// # Errors
    /// If the text is not that.
    pub fn set_policies(&mut self, json: &str) -> Result<()> {
        let policies: Vec<toml::Table> = serde_json::from_str(json)
            .map_err(|e| Error::input(format!("the policies are no JSON list of objects: {e}")))?;
        let tables = policies.into_iter().map(toml::Value::Table).collect();
        self.0.insert("policy".to_owned(), toml::Value::Array(tables));
        Ok(())
    }

    /// The experiment. Paths in it are relative to `directory`.
    ///
    /// # Errors
    /// As [`read`](super::read()).
    pub fn read(&self, directory: &Path) -> Result<Experiment> {
        read_table(&self.0, directory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOML: &str = "name = \"x\"\nruns = 2\nhorizon = 10\n[environment]\nkappa = [50, 10]\ndimension = [3, 2]\n\
                        arms = { kind = \"ball\" }\n[[policy]]\nname = \"optimist\"\n";
    const JSON: &str = r#"{"name": "x", "runs": 2, "horizon": 10, "environment": {"kappa": [50, 10.0], "dimension": [3, 2],
                           "arms": {"kind": "ball"}}, "policy": [{"name": "optimist"}]}"#;

    #[test]
    fn both_notations_say_the_same() {
        let here = Path::new(".");
        let of_json = Document::of_json(JSON).unwrap().read(here).unwrap();
        assert_eq!(of_json, Document::of_toml(TOML).unwrap().read(here).unwrap());
        assert_eq!(of_json.environments[1].dimension, 2, "the key written first varies slowest");
        assert!(Document::of_json("[1]").is_err() && Document::of_json(r#"{"seed": null}"#).is_err());
    }

    #[test]
    fn policies_can_be_replaced() {
        let mut document = Document::of_toml(TOML).unwrap();
        document.set_policies(r#"[{"name": "uniform", "label": "any"}]"#).unwrap();
        let experiment = document.read(Path::new(".")).unwrap();
        assert_eq!((experiment.policies.len(), experiment.policies[0].label.as_str()), (1, "any"));
        assert!(document.set_policies("[3]").is_err());
    }
}
