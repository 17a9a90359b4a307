//! Files that appear whole or not at all, and names for them.

use std::fs::{self, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::error::{Error, Result};

/// Writes a file that appears whole or not at all, and the directories above it.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    try_write(path, bytes).map_err(|e| Error::file(path, "written", &e))
}

/// The same for what is written piece by piece.
///
/// # Errors
/// If it cannot be written, or `write` fails: what it says is said of this file.
pub(super) fn write_whole_by(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
    let failed = |e: &io::Error| Error::file(path, "written", e);
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(|e| failed(&e))?;
    let file = temporary_in(directory).map_err(|e| failed(&e))?;
    let mut out = BufWriter::new(Watched { file, failure: None });
    if let Err(error) = write(&mut out) {
        return Err(out.get_mut().failure.take().map_or(error, |e| failed(&e)));
    }
    let watched = out.into_inner().map_err(|e| failed(e.error()))?;
    watched.file.persist(path).map(drop).map_err(|e| failed(&e.error))
}

/// A file that remembers what went wrong, because whoever writes to it does not know its name.
struct Watched {
    file: NamedTempFile,
    failure: Option<io::Error>,
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        if let Err(e) = &written {
            self.failure = Some(e.raw_os_error().map_or_else(|| e.kind().into(), io::Error::from_raw_os_error));
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The same; who calls it says what could not be written.
pub(super) fn try_write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let mut temporary = temporary_in(directory)?;
    temporary.write_all(bytes)?;
    temporary.persist(path).map(drop).map_err(|e| e.error)
}

/// A temporary file with the permissions of any other new file: by default it would be its owner's only.
///
/// # Errors
/// If it cannot be created there.
#[cfg(unix)]
pub fn temporary_in(directory: &Path) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    tempfile::Builder::new().prefix(".optimist-").permissions(Permissions::from_mode(0o666)).tempfile_in(directory)
}

/// A temporary file.
///
/// # Errors
/// If it cannot be created there.
#[cfg(not(unix))]
pub fn temporary_in(directory: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".optimist-").tempfile_in(directory)
}

/// The longest slug, in bytes: several of them make the name of a file, which may have 255.
const SLUG_MOST: usize = 80;

/// A part of a file's name: letters, digits and single dashes, never empty, never long. Different texts may have the same.
pub fn slug(text: &str) -> String {
    let dashed: String = text.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let mut slug = dashed.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    while slug.len() > SLUG_MOST || slug.ends_with('-') {
        slug.pop();
    }
    if slug.is_empty() { "unnamed".to_owned() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_short_names_of_files() {
        assert_eq!(slug("d=2 ball-sample=40 kappa=50"), "d-2-ball-sample-40-kappa-50");
        assert_eq!(slug("../Größer than/ever\n"), "größer-than-ever");
        assert_eq!((slug("!!!").as_str(), slug("").as_str()), ("unnamed", "unnamed"));
        let long = slug(&"0.1234567;ö".repeat(60));
        assert!(long.len() <= SLUG_MOST && long.starts_with("0-1234567-ö0-") && !long.ends_with('-'), "{long}");
    }
}
