//! Where text comes from and where it goes.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use optimist_lab::store::temporary_in;
use tempfile::NamedTempFile;

use crate::failure::{Failure, Result};

/// A kind of input, for messages.
pub(crate) struct Kind {
    /// What it should hold.
    pub(crate) content: &'static str,
    /// The format.
    pub(crate) format: &'static str,
    /// The command that shows an example.
    pub(crate) help: &'static str,
}

/// A problem for `optimist plan`.
pub(crate) const PROBLEM: Kind = Kind { content: "a problem as JSON", format: "JSON", help: "optimist plan --help" };
/// An experiment for `optimist run`.
pub(crate) const EXPERIMENT: Kind =
    Kind { content: "an experiment as TOML", format: "TOML", help: "optimist run --help" };

/// Reads the whole input: a file, or standard input if the name is `-`. `kind` says what it should hold, and where to read
/// about that.
///
/// # Errors
/// If it cannot be read, is not text, or is empty.
pub(crate) fn read(name: &Path, kind: &Kind) -> Result<String> {
    let bytes = if name == Path::new("-") { read_stdin() } else { fs::read(name) };
    let mut text = String::from_utf8(bytes.map_err(|e| Failure::Input(advice(&e, kind)))?).map_err(|e| {
        let at = e.utf8_error().valid_up_to() + 1;
        Failure::Input(format!("not UTF-8 text (byte {at}): save the file as UTF-8"))
    })?;
    // Some editors put a byte-order mark in front, which JSON does not know.
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    if text.trim().is_empty() {
        return Err(Failure::Input(format!("empty: give {} ({} shows one)", kind.content, kind.help)));
    }
    Ok(text)
}

fn read_stdin() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn advice(error: &io::Error, kind: &Kind) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file: check the path, or give - to read standard input".into(),
        ErrorKind::IsADirectory => {
            format!("a directory: give a {} file, or - to read standard input", kind.format)
        }
        ErrorKind::PermissionDenied => "permission denied: make the file readable".into(),
        _ => format!("cannot be read: {error}"),
    }
}

/// How messages call an input.
pub(crate) fn name_of(input: &Path) -> String {
    if input == Path::new("-") { "stdin".to_owned() } else { input.display().to_string() }
}

/// Refuses to write the answer over the problem.
///
/// # Errors
/// If both names lead to the same file.
pub(crate) fn check_distinct(input: &Path, out: Option<&Path>) -> Result<()> {
    match out {
        Some(out) if input != Path::new("-") && same_file(input, out) => {
            Err(Failure::Input("--out is the problem itself, which would be lost: give another file".into()))
        }
        _ => Ok(()),
    }
}

/// A terminal may be read and written under one name, so only plain files count.
fn same_file(a: &Path, b: &Path) -> bool {
    a.is_file() && matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

/// Where the answer goes.
pub(crate) enum Destination {
    /// Standard output.
    Stdout,
    /// A file that appears complete or not at all.
    Atomic {
        /// Its name.
        path: PathBuf,
        /// The permissions of the file that it replaces, if there is one.
        permissions: Option<Permissions>,
    },
    /// A device or a pipe, which must not be replaced by a file.
    Special(File),
}

impl Destination {
    /// Checks the destination, so that long work does not begin if it cannot be written.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Destination::Stdout) };
        open_file(path).map_err(|e| unwritable(path, &e))
    }

    /// Writes everything.
    ///
    /// # Errors
    /// If it cannot be written. That nobody reads standard output any more is no failure.
    pub(crate) fn write(self, bytes: &[u8]) -> Result<()> {
        match self {
            Destination::Stdout => write_stdout(bytes),
            Destination::Atomic { path, permissions } => {
                write_atomic(bytes, &path, permissions).map_err(|e| unwritable(&path, &e))
            }
            Destination::Special(mut file) => match file.write_all(bytes) {
                Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Failure::Internal(format!("--out: {e}"))),
                _ => Ok(()),
            },
        }
    }
}

/// Writes to standard output; a reader that has gone away is no failure.
///
/// # Errors
/// If it cannot be written for another reason, for instance a full disk.
pub(crate) fn write_stdout(bytes: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Failure::Internal(format!("standard output: {e}"))),
        _ => Ok(()),
    }
}

fn open_file(path: &Path) -> io::Result<Destination> {
    let (path, permissions) = match fs::metadata(path) {
        Ok(existing) if existing.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        Ok(existing) if !existing.is_file() => {
            return Ok(Destination::Special(File::options().write(true).open(path)?));
        }
        // The file behind a link is replaced, not the link.
        Ok(existing) => (fs::canonicalize(path)?, Some(existing.permissions())),
        Err(e) if e.kind() == ErrorKind::NotFound => (path.to_owned(), None),
        Err(e) => return Err(e),
    };
    // Only a test: a file that waited for the answer would be left behind if the user loses patience.
    temporary_beside(&path)?;
    Ok(Destination::Atomic { path, permissions })
}

/// Writes a temporary file beside `path` and gives it that name.
fn write_atomic(bytes: &[u8], path: &Path, permissions: Option<Permissions>) -> io::Result<()> {
    let mut temporary = temporary_beside(path)?;
    temporary.write_all(bytes)?;
    if let Some(permissions) = permissions {
        temporary.as_file().set_permissions(permissions)?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(path).map(drop).map_err(|e| e.error)
}

/// In the same directory, because a file cannot be renamed from one disk to another.
fn temporary_beside(path: &Path) -> io::Result<NamedTempFile> {
    temporary_in(path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let why = match error.kind() {
        ErrorKind::NotFound => "its directory does not exist".to_owned(),
        ErrorKind::IsADirectory => "it is a directory".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        // The library names its temporary file, which means nothing to the user.
        _ => error.get_ref().map_or_else(|| error.to_string(), |inner| inner.to_string()),
    };
    Failure::Internal(format!("{} cannot be written: {why}", path.display()))
}
