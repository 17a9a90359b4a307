//! Lines of bounded length.

use crate::Result;
use crate::source::Source;

/// What the next line is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// It is in the buffer, without its end.
    Whole,
    /// It is longer than allowed, and was passed over.
    TooLong,
    End,
}

pub(crate) struct Lines {
    pub(crate) source: Source,
    /// Number of the line that was read last.
    pub(crate) number: u64,
    max_bytes: usize,
}

impl Lines {
    pub(crate) fn new(source: Source, max_bytes: usize) -> Self {
        Self { source, number: 0, max_bytes }
    }

    pub(crate) fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    pub(crate) fn next(&mut self, buffer: &mut Vec<u8>) -> Result<Line> {
        buffer.clear();
        let mut too_long = false;
        let mut anything = false;
        loop {
            let bytes = self.source.peek()?;
            if bytes.is_empty() && !anything {
                return Ok(Line::End);
            }
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            anything = true;
            too_long |= buffer.len() + part.len() > self.max_bytes;
            if too_long {
                // Not kept for later: whoever sends one such line should not own the memory.
                *buffer = Vec::new();
            } else {
                buffer.extend_from_slice(part);
            }
            let is_last = end.is_some() || bytes.is_empty();
            let used = part.len() + usize::from(end.is_some());
            self.source.consume(used);
            if is_last {
                self.number += 1;
                return Ok(if too_long { Line::TooLong } else { Line::Whole });
            }
        }
    }
}
