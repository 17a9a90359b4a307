//! `optimist new-policy`: what is written, and what is refused. That the crate compiles, passes its tests and runs is
//! what `make test-new-policy` is for.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::stderr;
use crate::laboratory::home::Home;

fn repository() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).expect("this repository")
}

/// A home in a repository with nothing in it but what the command looks for.
fn home_in_a_repository() -> Home {
    let home = Home::with("");
    for (path, name) in [("crates/optimist", "optimist"), ("crates/lab", "optimist-lab")] {
        fs::create_dir_all(home.path(path)).unwrap();
        home.write(&format!("{path}/Cargo.toml"), &format!("[package]\nname = \"{name}\"\n"));
    }
    home
}

fn paths_of_the_library(manifest: &str) -> Vec<&str> {
    manifest.split("path = \"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

/// The example is compiled and tested by `make test`; what the command writes is that, to the last byte.
#[test]
fn what_is_written_is_the_example() {
    let home = home_in_a_repository();
    let answer = home.answer(&["new-policy", "my-policy", "--out", "examples/my-policy"]);
    let written = home.files("examples/my-policy");
    assert_eq!(written.len(), 7, "{answer}");
    for (path, bytes) in written {
        let name = path.strip_prefix(home.path("examples")).unwrap();
        let example = fs::read(repository().join("examples").join(name)).unwrap();
        assert!(bytes == example, "examples/{} is not what is written", name.display());
        assert!(answer.contains(&format!("examples/{}\n", name.display())), "{answer}");
    }
}

#[test]
fn the_library_is_named_from_the_crate() {
    let home = home_in_a_repository();
    fs::create_dir_all(home.path("deep/er")).unwrap();
    let manifest = |arguments: &[&str], directory: &str, written: &str| {
        let output = home.command(&[&["new-policy"], arguments].concat()).current_dir(home.path(directory)).output();
        let output = output.unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
        home.read(&format!("{written}/Cargo.toml"))
    };
    let paths = |top: &str| ["optimist", "lab", "optimist"].map(|part| format!("{top}/crates/{part}"));
    // The repository around the current directory.
    assert_eq!(paths_of_the_library(&manifest(&["a"], "", "a")), paths(".."));
    assert_eq!(paths_of_the_library(&manifest(&["a"], "deep/er", "deep/er/a")), paths("../../.."));
    // As given: relative to where we are, or absolute.
    let absolute = repository();
    let absolute = absolute.to_str().unwrap();
    assert_eq!(paths_of_the_library(&manifest(&["b", "--library", absolute], "", "b")), paths(absolute));
    let out = ["c", "--library", "../..", "--out", "../../c"];
    assert_eq!(paths_of_the_library(&manifest(&out, "deep/er", "c")), paths(".."));
}

/// The compiled program knows where it was compiled; what it writes does not.
#[test]
fn without_a_library_a_version_is_asked_for() {
    let home = Home::with("");
    let output = home.run(&["new-policy", "thrifty"]);
    let message = stderr(&output);
    assert_eq!((output.status.code(), message.lines().count()), (Some(0), 1), "{message}");
    assert!(
        message.starts_with("warning: no repository of Optimist") && message.contains("--library PATH"),
        "{message}"
    );
    let manifest = home.read("thrifty/Cargo.toml");
    assert!(manifest.contains(concat!("optimist = { version = \"", env!("CARGO_PKG_VERSION"), "\" }")), "{manifest}");
    for (path, bytes) in home.files("thrifty") {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains(repository().to_str().unwrap()), "{}", path.display());
    }
}

#[test]
fn what_cannot_be_is_refused_and_nothing_is_overwritten() {
    let home = home_in_a_repository();
    home.write("file", "mine");
    fs::create_dir(home.path("full")).unwrap();
    home.write("full/notes.txt", "mine");
    let before = home.files("");
    for (arguments, expected) in [
        (
            &["optimist"][..],
            "NAME is \"optimist\": a policy of this name is registered already (`optimist policies` lists all), choose another",
        ),
        (
            &["My_Policy"],
            "NAME is \"My_Policy\": give lower-case letters and digits, in words joined by single hyphens, a letter first, such as \
             my-policy",
        ),
        (&["full"], "full is not empty: nothing was written, give another directory with --out"),
        (&["a", "--out", "full"], "full is not empty: nothing was written, give another directory with --out"),
        (&["file"], "file is not a directory: nothing was written, give another directory with --out"),
        (
            &["a", "--library", "full"],
            "--library is \"full\": no Optimist is there (crates/optimist/Cargo.toml), give the top of its repository",
        ),
        (&["a", "--python", "--library", "."], "--python cannot be given together with --library: keep one"),
    ] {
        assert_eq!(home.refused(&[&["new-policy"], arguments].concat()), format!("error: {expected}"));
        assert!(home.files("") == before, "{arguments:?} has written something");
    }
    // An empty directory is as good as none; the second call finds it full.
    fs::create_dir(home.path("empty")).unwrap();
    home.answer(&["new-policy", "a", "--out", "empty"]);
    let before = home.files("");
    home.refused(&["new-policy", "a", "--out", "empty"]);
    assert!(home.files("") == before);
}

#[test]
fn a_file_of_python() {
    let home = Home::with("");
    let answer = home.answer(&["new-policy", "my-policy", "--python"]);
    assert!(answer.starts_with("my_policy.py\n") && answer.ends_with("\n  python my_policy.py\n"), "{answer}");
    // The example is run by the tests of Python.
    let example = fs::read_to_string(repository().join("python/examples/my_policy.py")).unwrap();
    assert_eq!(home.read("my_policy.py"), example);
    let message = home.refused(&["new-policy", "my-policy", "--python"]);
    assert_eq!(message, "error: my_policy.py is there already: give another name, or another directory with --out");
    let answer = home.answer(&["new-policy", "random", "--python", "--out", "deep/er"]);
    assert!(answer.starts_with("deep/er/random_policy.py\n"), "{answer}");
}

/// The commands at the beginning of the page, one after the other, print what the page says.
#[test]
fn the_page_begins_with_what_happens() {
    let page = fs::read_to_string(repository().join("docs/own-policy.md")).unwrap();
    let session = page.split("```console\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a session");
    let mut steps = session.split("$ optimist ").skip(1);
    let home = home_in_a_repository();
    let step = steps.next().expect("a command");
    let (arguments, shown) = step.split_once('\n').unwrap();
    assert!(arguments.starts_with("new-policy "), "{arguments}");
    let answer = home.answer(&arguments.split(' ').collect::<Vec<_>>());
    let (said, later) = shown.split_once("$ ").expect("the next command");
    assert_eq!(answer, said);
    // The next two commands of the page are those that were printed.
    let typed: Vec<&str> = later.lines().map(|line| line.strip_prefix("$ ").unwrap_or(line)).collect();
    let printed: Vec<&str> = answer.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    assert_eq!(typed, printed);
    // The Makefile follows them, with another directory for what is compiled.
    let makefile = fs::read_to_string(repository().join("Makefile")).unwrap();
    assert!(makefile.contains("new-policy thrifty") && makefile.contains("test-new-policy"));
}
