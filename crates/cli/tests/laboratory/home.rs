//! A directory of the test's own, with an experiment in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{optimist, refusal, stderr};

/// A directory in which the command is started.
pub(crate) struct Home(TempDir);

impl Home {
    /// With `experiment.toml` in it.
    pub(crate) fn with(experiment: &str) -> Self {
        let home = Self(tempfile::tempdir().expect("there is room for a directory"));
        home.write("experiment.toml", experiment);
        home
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("files can be written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).expect("JSON")
    }

    /// The command, to be started here.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = optimist(arguments);
        command.current_dir(self.0.path());
        command
    }

    /// Runs the command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the command starts")
    }

    /// Standard output of a run that must succeed in silence.
    pub(crate) fn answer(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!((stderr(&output).as_str(), output.status.code()), ("", Some(0)), "{arguments:?}");
        String::from_utf8(output.stdout).expect("answers are text")
    }

    /// The message of a run that must be refused.
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        refusal(&self.run(arguments))
    }

    /// All files below a directory, ascending, with their contents.
    pub(crate) fn files(&self, name: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        collect(&self.path(name), &mut files);
        files.sort();
        files
    }
}

fn collect(directory: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for path in fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            collect(&path, files);
        } else {
            let bytes = fs::read(&path).expect("files can be read");
            files.push((path, bytes));
        }
    }
}

/// Two environments and four policies, one of them random: 24 short runs.
pub(crate) const SMALL: &str = r#"
name = "Small <trial> & more"
seed = 3
runs = 3
horizon = 200

[environment]
dimension = 2
arms = { kind = "ball-sample", count = 8 }
kappa = [20, 200]

[[policy]]
name = "optimist"

[[policy]]
name = "laplace-ts"

[[policy]]
name = "greedy"
label = "greedy, \"as <it> is\""

[[policy]]
name = "ofulog-r"
"#;

/// A summary without times.
pub(crate) fn timeless(mut value: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for key in ["seconds_per_run", "rounds_per_second", "overhead"] {
                    map.remove(key);
                }
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut value);
    value
}
