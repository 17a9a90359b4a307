//! `runs.log`: one finished run a line, appended, each with a checksum.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::try_write;
use super::hash::checksum;
use super::run_store::RunKey;
use super::runs::Runs;
use crate::build::Build;
use crate::simulation::Record;

/// A line.
#[derive(Serialize, Deserialize)]
pub(super) struct Line<R> {
    pub(super) fingerprint: String,
    pub(super) run: usize,
    pub(super) record: R,
}

/// What a log holds.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) runs: Runs,
    /// Lines that are not whole.
    pub(super) damaged: usize,
    /// Runs of earlier versions, which did not write down which build made them.
    pub(super) nameless: usize,
}

/// Reads all lines that are whole. Of several lines of one run and build the first counts.
pub(super) fn read(path: &Path) -> io::Result<Contents> {
    let mut contents = Contents::default();
    let file = match File::open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(contents),
        file => file?,
    };
    for line in BufReader::new(file).split(b'\n') {
        let line = line?;
        if line.is_empty() {
            continue;
        }
        match parse(&line) {
            Some(line) => contents.add(line),
            None => contents.damaged += 1,
        }
    }
    Ok(contents)
}

impl Contents {
    fn add(&mut self, Line { fingerprint, run, record }: Line<Record>) {
        match record.build.clone() {
            Some(build) => self.runs.insert(&fingerprint, run, &build, record),
            None => self.nameless += 1,
        }
    }
}

/// A finished run as a line.
pub(super) fn line_of(fingerprint: &str, run: usize, record: &Record) -> io::Result<String> {
    let line = Line { fingerprint: fingerprint.to_owned(), run, record };
    let text = serde_json::to_string(&line)?;
    Ok(format!("{} {text}\n", checksum(text.as_bytes())))
}

/// What a line holds; none if it is not whole.
pub(super) fn parse(line: &[u8]) -> Option<Line<Record>> {
    let (sum, text) = line.split_at_checked(17)?;
    let is_whole = sum[16] == b' ' && checksum(text).as_bytes() == &sum[..16];
    is_whole.then(|| serde_json::from_slice(text).ok()).flatten()
}

/// A log open for appending.
#[derive(Debug)]
pub(super) struct RunLog {
    file: File,
    /// Where the next line begins.
    end: u64,
}

impl RunLog {
    /// Opens or creates the log; a half-written last line is ended, so that the next one begins afresh.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::options().read(true).append(true).create(true).open(path)?;
        let mut end = file.seek(SeekFrom::End(0))?;
        if end > 0 {
            file.seek(SeekFrom::End(-1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                file.write_all(b"\n")?;
                end += 1;
            }
        }
        Ok(Self { file, end })
    }

    /// Appends a run; if that fails, what is there of its line is taken back, so that another thread's line is not glued to
    /// it.
    pub(super) fn append(&mut self, fingerprint: &str, run: usize, record: &Record) -> io::Result<()> {
        let line = line_of(fingerprint, run, record)?;
        // One call, so that a reader sees all of the line or a damaged one, never two lines mixed.
        if let Err(e) = self.file.write_all(line.as_bytes()) {
            // If this fails too, the checksum will tell.
            let _ = self.file.set_len(self.end);
            return Err(e);
        }
        self.end += line.len() as u64;
        Ok(())
    }

    /// Takes runs of a build out of the log at `path`, which is this one. All of them go or, if that fails, none.
    pub(super) fn withdraw(&mut self, path: &Path, build: &Build, runs: &[RunKey]) -> io::Result<()> {
        let gone: HashSet<(&str, usize)> = runs.iter().map(|(fingerprint, run)| (fingerprint.as_str(), *run)).collect();
        let goes = |line: &Line<Record>| {
            line.record.build.as_ref() == Some(build) && gone.contains(&(line.fingerprint.as_str(), line.run))
        };
        let mut left = fs::read(path)?;
        left = left
            .split_inclusive(|byte| *byte == b'\n')
            .filter(|line| !is_line(line, goes))
            .flatten()
            .copied()
            .collect();
        try_write(path, &left)?;
        *self = Self::open(path)?;
        Ok(())
    }

    /// Asks the machine to bring everything to the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Whether this is a run of that kind; what is damaged is none.
fn is_line(line: &[u8], is_meant: impl Fn(&Line<Record>) -> bool) -> bool {
    parse(line.trim_ascii_end()).is_some_and(|line| is_meant(&line))
}
