//! Which program made a run.
//!
//! Of all that decides a run only the code cannot be written into an experiment file. The version does not stand for it: it
//! stays the same while somebody works on a policy. So every run names the bytes of the program that made it.

use std::env::current_exe;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A program: two runs of the same build come out the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Build {
    /// Of everything that decides how runs come out; 16 hexadecimal digits.
    digest: String,
    /// The version of the laboratory in it.
    version: String,
}

/// What is known of the program that is running.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) build: Build,
    /// Why its digest is not that of its bytes, if so.
    pub(crate) warning: Option<String>,
}

impl Build {
    /// The program that is running, known by the bytes of its executable. They are read once per process, when somebody
    /// first asks. If they cannot be read, it is [`Build::unrepeatable`].
    pub fn running() -> Self {
        running().build.clone()
    }

    /// A build by whatever identifies the code that decides its runs: a commit, the digest of a library. For programs whose
    /// policies are not in the executable, such as an extension of an interpreter: the interpreter's bytes would stay the
    /// same while the policies change.
    pub fn identified_by(code: impl AsRef<[u8]>) -> Self {
        Self::of_digest(optimist::hash::bytes(code.as_ref()))
    }

    /// A build that equals no other, in this process or in any, so that none of its runs is used again unasked.
    pub fn unrepeatable() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self::identified_by(format!("{time} {} {count}", process::id()))
    }

    /// Sixteen hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The version of the laboratory in it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Enough of the digest to tell builds apart.
    pub(crate) fn short(&self) -> &str {
        self.digest.get(..8).unwrap_or(&self.digest)
    }

    fn of_digest(digest: u64) -> Self {
        Self { digest: format!("{digest:016x}"), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

/// As messages show it: `3f9a12cd (0.1.0)`.
impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.short(), self.version)
    }
}

/// The program that is running.
pub(crate) fn running() -> &'static Running {
    static RUNNING: OnceLock<Running> = OnceLock::new();
    RUNNING.get_or_init(|| executable().map_or_else(|e| unreadable(&e), |path| examine(&path)))
}

/// On Linux the name by which the kernel keeps the executable, also after somebody has compiled another one to its place.
fn executable() -> io::Result<PathBuf> {
    let kept = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && kept.exists() { Ok(kept.to_owned()) } else { current_exe() }
}

fn examine(path: &Path) -> Running {
    let digest = File::open(path).and_then(digest_of);
    digest.map_or_else(|e| unreadable(&e), |digest| Running { build: Build::of_digest(digest), warning: None })
}

/// The safe side: nothing that is stored is taken for a run of this program.
fn unreadable(error: &io::Error) -> Running {
    let warning = format!(
        "the program cannot read its own executable ({error}), so that its runs cannot be told from those of another build: \
         finished runs are run again, and so will these be, unless you say --keep"
    );
    Running { build: Build::unrepeatable(), warning: Some(warning) }
}

/// Bytes that are read at a time.
const BLOCK: u64 = 1 << 20;

/// The hash of the hashes of the blocks. An executable without a byte is none.
fn digest_of(mut file: impl Read) -> io::Result<u64> {
    let (mut hashes, mut block) = (Vec::new(), Vec::new());
    loop {
        block.clear();
        if file.by_ref().take(BLOCK).read_to_end(&mut block)? == 0 {
            break;
        }
        hashes.extend(optimist::hash::bytes(&block).to_le_bytes());
    }
    if hashes.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(optimist::hash::bytes(&hashes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_the_executable_counts() {
        let mut bytes: Vec<u8> = (0..3 * BLOCK + 17).map(|i| (i % 251) as u8).collect();
        let digest = digest_of(&bytes[..]).unwrap();
        assert_eq!(digest_of(&bytes[..]).unwrap(), digest);
        for place in [0, BLOCK as usize - 1, BLOCK as usize, 2_500_000, bytes.len() - 1] {
            bytes[place] ^= 1;
            assert_ne!(digest_of(&bytes[..]).unwrap(), digest, "{place}");
            bytes[place] ^= 1;
        }
        assert_ne!(digest_of(&bytes[..bytes.len() - 1]).unwrap(), digest);
        bytes.push(0);
        assert_ne!(digest_of(&bytes[..]).unwrap(), digest);
    }

    /// Gives few bytes at a time, as pipes and network disks do.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let few = out.len().min(777);
            self.0.read(&mut out[..few])
        }
    }

    #[test]
    fn the_digest_does_not_depend_on_how_the_bytes_come() {
        let bytes = vec![7; BLOCK as usize + 1000];
        assert_eq!(digest_of(&bytes[..]).unwrap(), digest_of(Slow(&bytes)).unwrap());
    }

    #[test]
    fn the_running_program_is_always_the_same() {
        assert_eq!(Build::running(), Build::running());
        assert_eq!(running().warning, None);
        assert_eq!(examine(&current_exe().unwrap()).build, Build::running(), "whichever name the executable has");
    }

    #[test]
    fn an_executable_that_cannot_be_read_matches_nothing() {
        let place = tempfile::tempdir().unwrap();
        let empty = place.path().join("empty");
        File::create(&empty).unwrap();
        for path in [place.path(), &place.path().join("missing"), &empty] {
            let [first, second] = [examine(path), examine(path)];
            assert_ne!(first.build, second.build);
            let warning = first.warning.expect("a warning");
            assert!(warning.contains("cannot read its own executable") && warning.contains("--keep"), "{warning}");
        }
    }

    #[test]
    fn builds_are_shown_short() {
        let build = Build { digest: "3f9a12cd00112233".into(), version: "1.2.3".into() };
        assert_eq!(build.to_string(), "3f9a12cd (1.2.3)");
        // What comes from a file may be anything.
        assert_eq!(Build { digest: "ä".repeat(5), ..build }.short().chars().next(), Some('ä'));
    }
}
