//! What can go wrong while reading a table, in one line that names the place and the remedy.

use std::io::{self, ErrorKind};

use thiserror::Error;

/// Why a table cannot be read, or not to its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// An option has a value that it cannot have.
    #[error("{field} = {value}: {remedy}")]
    Option {
        /// The field of [`Options`](crate::Options) or [`GuessOptions`](crate::GuessOptions).
        field: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        remedy: String,
    },
    /// The file cannot be opened, or the system fails to deliver its bytes.
    #[error("{name} cannot be read: {reason}")]
    File {
        /// The file.
        name: String,
        /// What the system says, in words.
        reason: String,
    },
    /// The bytes are there, but they are no table: the file is cut off, damaged, empty or of another kind.
    #[error("{name}: {reason}")]
    Content {
        /// The file.
        name: String,
        /// What is wrong, and how to mend it.
        reason: String,
    },
    /// A row is malformed, and the options say that none may be.
    #[error("{name}, line {line}: {reason}")]
    Row {
        /// The file.
        name: String,
        /// Its line, or in Parquet its row; the first is 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
}

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A fault of what the file contains.
    pub(crate) fn content(name: &str, reason: impl Into<String>) -> Self {
        Error::Content { name: name.to_owned(), reason: reason.into() }
    }

    /// A failure to read. Gzip reports a damaged file by the same type, so it is told apart here.
    pub(crate) fn reading(name: &str, error: &io::Error, gzip: bool) -> Self {
        if gzip {
            match error.kind() {
                ErrorKind::UnexpectedEof => {
                    return Error::content(name, "the gzip data ends too early: the file is cut off, fetch it again");
                }
                ErrorKind::InvalidInput | ErrorKind::InvalidData => {
                    return Error::content(name, format!("the gzip data is damaged ({error}): fetch the file again"));
                }
                _ => {}
            }
        }
        let reason = match error.kind() {
            ErrorKind::NotFound => "it does not exist".to_owned(),
            ErrorKind::PermissionDenied => "permission denied".to_owned(),
            ErrorKind::IsADirectory => "it is a directory: give a file in it".to_owned(),
            _ => error.to_string(),
        };
        Error::File { name: name.to_owned(), reason }
    }
}
