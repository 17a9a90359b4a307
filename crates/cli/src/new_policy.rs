//! `optimist new-policy`: a crate, or a file of Python, in which somebody writes a policy of their own.

pub(crate) mod help;
mod library;
mod name;
mod template;

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::{Failure, Result};
use crate::files::write_stdout;
use library::Library;
use template::Draft;

/// What `optimist new-policy` is given.
#[derive(Args)]
pub(crate) struct NewPolicyArgs {
    /// The policy's name: lower-case letters and digits, in words joined by hyphens, such as my-policy
    name: String,
    /// Directory of the crate, which must not exist or be empty; NAME if absent. With --python, where the file goes;
    /// here if absent
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The repository of Optimist on this machine; if absent, the one that the current directory is in
    #[arg(long, value_name = "PATH", conflicts_with = "python")]
    library: Option<PathBuf>,
    /// Write one file of Python instead of a crate
    #[arg(long)]
    python: bool,
}

/// Runs the command; returns warnings.
///
/// # Errors
/// If the name cannot be used, something is in the way, no library is where one should be, or a file cannot be written.
pub(crate) fn run(args: &NewPolicyArgs) -> Result<Vec<String>> {
    name::check(&args.name).map_err(Failure::Input)?;
    if args.python { write_python(args) } else { write_crate(args) }
}

fn write_crate(args: &NewPolicyArgs) -> Result<Vec<String>> {
    let directory = args.out.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    check_free(&directory)?;
    let library = Library::find(args.library.as_deref(), &directory)?;
    let drafts = template::crate_files(&args.name, &library);
    let paths = write(&directory, &drafts)?;
    let manifest = quoted(&directory.join("Cargo.toml"));
    let policy = paths.iter().find(|path| path.ends_with(template::policy_file(&args.name)));
    let next = format!(
        "\nChange {}; these check it and play it beside `optimist`:\n\n  cargo test --manifest-path {manifest}\n  \
         cargo run --release --manifest-path {manifest}\n",
        policy.unwrap_or(&directory).display()
    );
    write_stdout((listed(&paths) + &next).as_bytes())?;
    Ok(library.warning().into_iter().collect())
}

fn write_python(args: &NewPolicyArgs) -> Result<Vec<String>> {
    let directory = args.out.clone().unwrap_or_default();
    let draft = template::python_file(&args.name);
    let path = directory.join(&draft.path);
    if path.symlink_metadata().is_ok() {
        return Err(Failure::Input(format!(
            "{} is there already: give another name, or another directory with --out",
            path.display()
        )));
    }
    let paths = write(&directory, &[draft])?;
    let next = format!(
        "\nChange it; the second command plays it beside `optimist`, the first is for where `import optimist` fails, in the \
         repository of Optimist:\n\n  make wheel && pip install target/wheels/*.whl\n  python {}\n",
        quoted(&path)
    );
    write_stdout((listed(&paths) + &next).as_bytes())?;
    Ok(Vec::new())
}

fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| format!("{}\n", path.display())).collect()
}

/// Refuses a place where something is: it is not ours to overwrite.
fn check_free(directory: &Path) -> Result<()> {
    let refuse = |what: &str| {
        let place = directory.display();
        Err(Failure::Input(format!("{place} {what}: nothing was written, give another directory with --out")))
    };
    match fs::read_dir(directory).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => refuse("is not empty"),
        Err(e) if e.kind() == ErrorKind::NotFound && directory.symlink_metadata().is_err() => Ok(()),
        Err(e) if e.kind() == ErrorKind::PermissionDenied => refuse("cannot be read"),
        Err(_) => refuse("is not a directory"),
    }
}

/// Writes all files, or none of them.
fn write(directory: &Path, drafts: &[Draft]) -> Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    for draft in drafts {
        let path = directory.join(&draft.path);
        if let Err(error) = write_new(&path, &draft.text) {
            // If these cannot be removed either, the message is still about the first failure.
            written.iter().for_each(|path: &PathBuf| drop(fs::remove_file(path)));
            return Err(optimist_lab::Error::file(&path, "written", &error).into());
        }
        written.push(path);
    }
    Ok(written)
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes()).inspect_err(|_| drop(fs::remove_file(path)))
}

/// As a shell takes it for one word.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = text.chars().all(|c| c.is_alphanumeric() || "/._-+,:@%\\".contains(c));
    if is_plain { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_would_split_them() {
        assert_eq!(quoted(Path::new("a-rule/Cargo.toml")), "a-rule/Cargo.toml");
        assert_eq!(quoted(Path::new("my work/it's")), r"'my work/it'\''s'");
    }
}
