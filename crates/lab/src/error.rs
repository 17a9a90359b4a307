//! What can go wrong in the laboratory, in one line that names the place and the remedy.

use std::io::{self, ErrorKind};
use std::path::Path;

use thiserror::Error;

/// What went wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The user's file, options or directory are at fault; the text says which key, and how to mend it.
    #[error("{0}")]
    Input(String),
    /// A file or directory cannot be read or written.
    #[error("{0}")]
    File(String),
    /// The machine cannot do it, and nobody's input is at fault.
    #[error("{0}")]
    Failed(String),
    /// The work was interrupted; what was finished is kept.
    #[error("interrupted: {done} of {total} runs are finished and kept; the same command goes on from there")]
    Interrupted {
        /// Runs that are finished.
        done: usize,
        /// Runs that were asked for.
        total: usize,
    },
}

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A fault of the input.
    pub fn input(text: impl Into<String>) -> Self {
        Error::Input(text.into())
    }

    /// A failure of the file system, in words.
    pub fn file(path: &Path, doing: &str, error: &io::Error) -> Self {
        let why = match error.kind() {
            ErrorKind::NotFound if doing == "read" => "it does not exist".to_owned(),
            ErrorKind::NotFound => "the system does not allow it there".to_owned(),
            ErrorKind::AlreadyExists => "there is a file of that name: give another directory".to_owned(),
            ErrorKind::PermissionDenied => "permission denied".to_owned(),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "the disk is full: make room, then run the same command again".to_owned()
            }
            ErrorKind::FileTooLarge => {
                "the system does not let it grow: raise its limit, then run the same command again".to_owned()
            }
            ErrorKind::NotADirectory => "a part of the path is not a directory".to_owned(),
            // Libraries name their temporary files, which mean nothing to the user.
            _ => error.get_ref().map_or_else(|| error.to_string(), ToString::to_string),
        };
        Error::File(format!("{} cannot be {doing}: {why}", path.display()))
    }
}
