//! Which format a file has, from its first bytes. Names lie more often than bytes do.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// The formats that are read. Gzip of the text formats is not a format of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Format {
    /// Fields separated by `,` `;` tab or `|`.
    Csv,
    /// One JSON object per line.
    JsonLines,
    /// JSON lines as Vowpal Wabbit's decision service writes them, also to be read as a [`DecisionLog`](crate::DecisionLog).
    Dsjson,
    /// Apache Parquet.
    Parquet,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Csv => "CSV",
            Format::JsonLines => "JSON lines",
            Format::Dsjson => "dsjson",
            Format::Parquet => "Parquet",
        })
    }
}

pub(crate) const GZIP: &[u8] = &[0x1f, 0x8b];
pub(crate) const PARQUET: &[u8] = b"PAR1";
pub(crate) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// What is recognised only to say what to do about it.
const OTHERS: &[(&[u8], &str)] = &[
    (GZIP, "is gzip inside gzip: unpack it once with `gunzip`"),
    (PARQUET, "is Parquet inside gzip: unpack it with `gunzip`"),
    (b"PK\x03\x04", "is a zip archive (or a spreadsheet): unpack it, or save the sheet as CSV"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd: unpack it with `zstd -d`, or pipe `zstd -dc` into `-`"),
    (b"BZh", "is compressed with bzip2: unpack it with `bunzip2`, or pipe `bunzip2 -c` into `-`"),
    (b"\xfd7zXZ", "is compressed with xz: unpack it with `unxz`, or pipe `xz -dc` into `-`"),
    (b"\xff\xfe", "is text in UTF-16: convert it with `iconv -f UTF-16 -t UTF-8`"),
    (b"\xfe\xff", "is text in UTF-16: convert it with `iconv -f UTF-16 -t UTF-8`"),
    (b"ARROW1", "is an Arrow file: write it as Parquet"),
    (b"SQLite format 3", "is an SQLite database: export the table as CSV"),
];

/// The format of text from its head, without byte-order mark and after unpacking.
pub(crate) fn of_text(name: &str, head: &[u8], wanted: Option<Format>) -> Result<Format> {
    if head.iter().all(u8::is_ascii_whitespace) && head.len() < crate::source::HEAD {
        return Err(Error::content(name, "the file is empty: a table needs at least the names of its columns"));
    }
    if let Some(format @ (Format::Csv | Format::JsonLines | Format::Dsjson)) = wanted {
        return Ok(format);
    }
    if let Some((_, reason)) = OTHERS.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(Error::content(name, *reason));
    }
    if wanted == Some(Format::Parquet) {
        return Err(Error::content(name, "is not Parquet, which starts with the four letters PAR1"));
    }
    let text = head.trim_ascii_start();
    match text.first() {
        Some(b'{') => Ok(if is_dsjson(text) { Format::Dsjson } else { Format::JsonLines }),
        Some(b'[') => {
            let reason = "is a JSON array: write one object per line instead, as `jq -c '.[]'` does \
                          (or say format = \"csv\" if it is none)";
            Err(Error::content(name, reason))
        }
        _ => Ok(Format::Csv),
    }
}

/// Whether the first line has the keys that only decision logs have.
fn is_dsjson(text: &[u8]) -> bool {
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let has = |key: &[u8]| line.windows(key.len()).any(|window| window == key);
    has(b"\"_label_cost\"") || has(b"\"_labelIndex\"") || (has(b"\"_multi\"") && has(b"\"c\""))
}
