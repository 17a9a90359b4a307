//! Where the source of Optimist is, as the new crate names it. Where this program was compiled says nothing of that:
//! the source may be gone, or it may have been another machine.

use std::env;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf, absolute};

use crate::failure::{Failure, Result};

/// How `Cargo.toml` asks for the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Library {
    /// The top of the repository, relative to the crate or absolute, with slashes.
    Path(String),
    /// The version of this program, from wherever cargo finds it.
    Version,
}

impl Library {
    /// The one that is given, or that the current directory is in, or a version.
    ///
    /// # Errors
    /// If no library is where the user says, or the system does not say where we are.
    pub(super) fn find(given: Option<&Path>, out: &Path) -> Result<Self> {
        let failed = |e: io::Error| Failure::Internal(format!("the current directory cannot be found: {e}"));
        match given {
            Some(top) if !is_library(top) => Err(Failure::Input(format!(
                "--library is \"{}\": no Optimist is there (crates/optimist/Cargo.toml), give the top of its repository",
                top.display()
            ))),
            Some(top) if top.is_absolute() => Ok(Self::Path(slashes(top))),
            Some(top) => Ok(Self::Path(from(out, top).map_err(failed)?)),
            None => {
                let here = env::current_dir().map_err(failed)?;
                let top = here.ancestors().find(|top| is_library(top));
                top.map_or(Ok(Self::Version), |top| Ok(Self::Path(from(out, top).map_err(failed)?)))
            }
        }
    }

    /// What to do if cargo will not find the library.
    pub(super) fn warning(&self) -> Option<String> {
        let text = "no repository of Optimist was found around this directory: put its path into Cargo.toml, where a comment says \
                    how, or call this with --library PATH";
        (*self == Self::Version).then(|| text.to_owned())
    }
}

fn is_library(top: &Path) -> bool {
    let is_named = |path: &str, name: &str| {
        let manifest = fs::read_to_string(top.join(path)).unwrap_or_default();
        manifest.lines().any(|line| line.trim() == format!("name = \"{name}\""))
    };
    is_named("crates/optimist/Cargo.toml", "optimist") && is_named("crates/lab/Cargo.toml", "optimist-lab")
}

/// The way from a directory, which need not be there yet, to one that is.
fn from(directory: &Path, to: &Path) -> io::Result<String> {
    let (start, end) = (resolved(directory)?, fs::canonicalize(to)?);
    let common = start.components().zip(end.components()).take_while(|(a, b)| a == b).count();
    let up = start.components().skip(common).map(|_| Component::ParentDir);
    Ok(slashes(&up.chain(end.components().skip(common)).collect::<PathBuf>()))
}

/// The path without links and detours, as far as it is there.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    let path = absolute(path)?;
    let there = path.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(&path);
    let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
    let mut whole = fs::canonicalize(there)?;
    for part in rest.components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            part => whole.push(part),
        }
    }
    Ok(whole)
}

/// As Cargo.toml has it on every system.
fn slashes(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_between_two_directories() {
        let place = tempfile::tempdir().unwrap();
        let at = |path: &str| place.path().join(path);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::create_dir_all(at("library")).unwrap();
        let way = |directory: &str| from(&at(directory), &at("library")).unwrap();
        assert_eq!(way("a/b/new/crate"), "../../../../library");
        assert_eq!(way("a/../new"), "../library");
        assert_eq!(way("library/new"), "..");
        assert_eq!(way("new/../other"), "../library");
    }
}
