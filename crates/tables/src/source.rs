//! Where bytes come from: a file, standard input or any reader, unpacked if they are gzip, counted for progress.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use crate::format::{BYTE_ORDER_MARK, GZIP};
use crate::{Error, Result};

/// Bytes that are looked at before reading starts.
pub(crate) const HEAD: usize = 64 << 10;
const BUFFER: usize = 256 << 10;

/// How far reading has come, for a progress bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the file that were read, of gzip the packed ones. Parquet is read in no simple order: there it is the share
    /// of rows, in bytes of the file.
    pub bytes_read: u64,
    /// Bytes of the file; not known of a pipe.
    pub bytes_total: Option<u64>,
}

/// A stream of text.
pub(crate) struct Source {
    pub(crate) name: String,
    reader: Box<dyn BufRead + Send>,
    head: Vec<u8>,
    gzip: bool,
    read: Arc<AtomicU64>,
    total: Option<u64>,
}

impl Source {
    pub(crate) fn new(name: &str, reader: impl Read + Send + 'static, total: Option<u64>) -> Result<Self> {
        let read = Arc::new(AtomicU64::new(0));
        let mut reader: Box<dyn BufRead + Send> =
            Box::new(BufReader::with_capacity(BUFFER, Counting { reader, read: read.clone() }));
        let mut head = take_head(&mut reader).map_err(|error| Error::reading(name, &error, false))?;
        let gzip = head.starts_with(GZIP);
        if gzip {
            let packed = Cursor::new(head).chain(reader);
            reader = Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(packed)));
            head = take_head(&mut reader).map_err(|error| Error::reading(name, &error, true))?;
        }
        if head.starts_with(BYTE_ORDER_MARK) {
            head.drain(..BYTE_ORDER_MARK.len());
        }
        let reader = Box::new(Cursor::new(head.clone()).chain(reader));
        Ok(Self { name: name.to_owned(), reader, head, gzip, read, total })
    }

    /// The first bytes, unpacked and without byte-order mark. They are read again.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Whether [`Source::head`] is everything there is.
    pub(crate) fn is_all_head(&self) -> bool {
        // A byte-order mark may have been taken off.
        self.head.len() < HEAD - BYTE_ORDER_MARK.len()
    }

    pub(crate) fn is_gzip(&self) -> bool {
        self.gzip
    }

    /// The bytes that come next; none at the end.
    pub(crate) fn peek(&mut self) -> Result<&[u8]> {
        loop {
            match self.reader.fill_buf() {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::reading(&self.name, &error, self.gzip)),
            }
        }
        // What is buffered is given again without reading; returning it from the loop is more than the compiler allows.
        self.reader.fill_buf().map_err(|error| Error::reading(&self.name, &error, self.gzip))
    }

    pub(crate) fn consume(&mut self, count: usize) {
        self.reader.consume(count);
    }

    pub(crate) fn progress(&self) -> Progress {
        Progress { bytes_read: self.read.load(Ordering::Relaxed), bytes_total: self.total }
    }
}

/// Opens a file and says how long it is; pipes and devices have no length.
pub(crate) fn open(path: &Path) -> Result<(File, Option<u64>)> {
    let name = path.display().to_string();
    let fault = |error: io::Error| Error::reading(&name, &error, false);
    let file = File::open(path).map_err(fault)?;
    let metadata = file.metadata().map_err(fault)?;
    if metadata.is_dir() {
        return Err(fault(io::ErrorKind::IsADirectory.into()));
    }
    Ok((file, metadata.is_file().then_some(metadata.len())))
}

fn take_head(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

struct Counting<R> {
    reader: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
