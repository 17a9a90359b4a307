//! The files, which are those of `examples/my-policy` and `python/examples` with another name: these are compiled and
//! tested.

use super::library::Library;

/// The name in the template.
const NAME: &str = "my-policy";
/// The same as Rust and Python write it.
const IDENTIFIER: &str = "my_policy";

/// The files of the crate.
const CRATE: [(&str, &str); 7] = [
    ("Cargo.toml", include_str!("../../../../examples/my-policy/Cargo.toml")),
    (".gitignore", include_str!("../../../../examples/my-policy/.gitignore")),
    ("experiment.toml", include_str!("../../../../examples/my-policy/experiment.toml")),
    ("src/my_policy.rs", include_str!("../../../../examples/my-policy/src/my_policy.rs")),
    ("src/lib.rs", include_str!("../../../../examples/my-policy/src/lib.rs")),
    ("src/main.rs", include_str!("../../../../examples/my-policy/src/main.rs")),
    ("tests/checks.rs", include_str!("../../../../examples/my-policy/tests/checks.rs")),
];

const PYTHON: &str = include_str!("../../../../python/examples/my_policy.py");

/// Where the template finds the library.
const LIBRARY: &str = "../..";

/// A file to be written.
pub(super) struct Draft {
    /// Relative to the directory of the crate.
    pub(super) path: String,
    pub(super) text: String,
}

/// The files of a crate with a policy of this name.
pub(super) fn crate_files(name: &str, library: &Library) -> Vec<Draft> {
    let draft = |(path, text): (&str, &str)| {
        // First, since paths may hold the name of the template.
        let text = renamed(text, name);
        let text = if path == "Cargo.toml" { with_library(&text, library) } else { text };
        Draft { path: renamed(path, name), text }
    };
    CRATE.into_iter().map(draft).collect()
}

/// The file in which the policy is.
pub(super) fn policy_file(name: &str) -> String {
    renamed("src/my_policy.rs", name)
}

/// The file of Python. Its name ends with "policy": Python would take a file called random.py, beside the script, for
/// its own.
pub(super) fn python_file(name: &str) -> Draft {
    let identifier = name.replace('-', "_");
    let stem = if identifier.ends_with("policy") { identifier } else { format!("{identifier}_policy") };
    let text = PYTHON.replace(IDENTIFIER, &stem).replace(NAME, name);
    Draft { path: format!("{stem}.py"), text }
}

fn renamed(text: &str, name: &str) -> String {
    text.replace(NAME, name).replace(IDENTIFIER, &name.replace('-', "_"))
}

fn with_library(manifest: &str, library: &Library) -> String {
    let crates = ["optimist", "lab"];
    let inner = |top: &str, part: &str| format!("path = \"{top}/crates/{part}\"");
    match library {
        Library::Path(top) => {
            let top = top.replace('"', "\\\"");
            crates.iter().fold(manifest.to_owned(), |text, part| {
                text.replace(&inner(LIBRARY, part), &inner(top.trim_end_matches('/'), part))
            })
        }
        Library::Version => {
            let version = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
            let text =
                crates.iter().fold(manifest.to_owned(), |text, part| text.replace(&inner(LIBRARY, part), &version));
            let comment = "# To use a copy of the source, put its path in the place of version, in these three lines:\n\
                           #   path = \"PATH/crates/optimist\" for optimist, path = \"PATH/crates/lab\" for optimist-lab\n";
            text.replacen("[dependencies]\n", &format!("[dependencies]\n{comment}"), 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// All files of the example but what belongs to this repository, so that none is forgotten.
    #[test]
    fn every_file_of_the_example_is_written() {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/my-policy");
        let mut found = Vec::new();
        for directory in ["", "src", "tests"] {
            for entry in std::fs::read_dir(top.join(directory)).unwrap().map(|entry| entry.unwrap().path()) {
                let name = entry.strip_prefix(&top).unwrap().to_str().unwrap().replace('\\', "/");
                found.extend((entry.is_file() && !["Cargo.lock", "clippy.toml"].contains(&&*name)).then_some(name));
            }
        }
        found.sort();
        let mut written: Vec<String> = CRATE.iter().map(|(path, _)| (*path).to_owned()).collect();
        written.sort();
        assert_eq!(found, written);
    }

    #[test]
    fn a_new_name_is_everywhere() {
        for draft in crate_files("thrifty-2", &Library::Path("..".into())) {
            let all = format!("{} {}", draft.path, draft.text);
            assert!(!all.contains(NAME) && !all.contains(IDENTIFIER) && !all.contains(LIBRARY), "{all}");
        }
        let draft = python_file("thrifty-2");
        assert_eq!(draft.path, "thrifty_2_policy.py");
        assert!(
            !draft.text.contains("my-policy") && draft.text.contains("python thrifty_2_policy.py"),
            "{}",
            draft.text
        );
        assert_eq!(python_file("my-policy").text, PYTHON);
    }

    #[test]
    fn the_library_is_named_three_times() {
        let manifest = |library| crate_files("a", &library).remove(0).text;
        let path = manifest(Library::Path("/opt/optimist".into()));
        assert_eq!(path.matches("path = \"/opt/optimist/crates/").count(), 3, "{path}");
        let version = manifest(Library::Version);
        let asked = concat!("{ version = \"", env!("CARGO_PKG_VERSION"), "\"");
        assert_eq!(version.matches(asked).count(), 3, "{version}");
        assert_eq!(version.matches("path = \"PATH/").count(), 2, "{version}");
    }
}
