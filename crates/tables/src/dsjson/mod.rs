//! Decision logs in dsjson, one decision per line.

mod decision;
mod features;

use std::io::Read;
use std::path::Path;

use crate::json::Json;
use crate::json_lines::too_long;
use crate::lines::{Line, Lines};
use crate::source::{self, Progress, Source};
use crate::words::Words;
use crate::{Error, Format, Malformed, Options, Result, format};

pub use decision::Decision;
pub use features::Features;

/// A decision log in dsjson, as Vowpal Wabbit and Azure Personalizer write it, read one decision at a time.
///
/// The members that are read are `_label_cost`, `_label_probability`, `_label_Action` (the first is 1), `_labelIndex` (the
/// first is 0), `a`, `p`, `c`, `o`, `EventId`, `Timestamp`, `pdrop`, `_skipLearn` and `_deferred`; others say
/// nothing about the decision. `p` is in the order of `a`, which ranks the actions and counts them from 1; if a 0 occurs
/// in it, it counts from 0.
///
/// Lists of objects, which stand for several namespaces without a name, are flattened as if their members stood outside. Of
/// several features with the same name, the second is called `name.2`, the third `name.3`.
///
/// A line is malformed, and counted, if it contradicts itself or says too little to learn from: no actions, no probability,
/// a chosen action that does not exist, probabilities that do not sum to 1. So are lines that are no decision (observations
/// that found none), and decisions with several slots.
///
/// ```
/// use optimist_tables::{Decision, DecisionLog, Options};
///
/// let line = r#"{"_label_cost":-1,"_label_probability":0.8,"_label_Action":2,"_labelIndex":1,"a":[2,1],"p":[0.8,0.2],
///     "c":{"User":{"age":31},"_multi":[{"id":"tea"},{"id":"coffee"}]}}"#.replace('\n', " ");
/// let mut log = DecisionLog::from_reader("example", std::io::Cursor::new(line), &Options::default())?;
/// let mut decision = Decision::default();
/// while log.read(&mut decision)? {
///     assert_eq!((decision.chosen, decision.cost), (1, Some(-1.0)));
///     assert_eq!(decision.probabilities, [0.2, 0.8]);
///     assert_eq!(decision.context[0].0, "User.age");
/// }
/// # Ok::<(), optimist_tables::Error>(())
/// ```
pub struct DecisionLog {
    name: String,
    lines: Lines,
    buffer: Vec<u8>,
    words: Words,
    strict: bool,
    malformed: Malformed,
    is_done: bool,
}

impl std::fmt::Debug for DecisionLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DecisionLog").field("name", &self.name).finish_non_exhaustive()
    }
}

impl DecisionLog {
    /// Opens a file, or standard input if the path is `-`; gzip is unpacked.
    ///
    /// # Errors
    ///
    /// As of [`Table::open`](crate::Table::open); [`Error::Content`] also if it is no dsjson, unless
    /// [`Options::format`] says that it is.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Self> {
        let path = path.as_ref();
        if path == Path::new("-") {
            return Self::from_reader("standard input", std::io::stdin(), options);
        }
        options.validate()?;
        let (file, length) = source::open(path)?;
        Self::from_source(Source::new(&path.display().to_string(), file, length)?, options)
    }

    /// Reads from anything; `name` is what messages call it.
    ///
    /// # Errors
    ///
    /// As of [`DecisionLog::open`].
    pub fn from_reader(name: &str, reader: impl Read + Send + 'static, options: &Options) -> Result<Self> {
        options.validate()?;
        Self::from_source(Source::new(name, reader, None)?, options)
    }

    fn from_source(source: Source, options: &Options) -> Result<Self> {
        let name = source.name.clone();
        let found = format::of_text(&name, source.head(), options.format)?;
        if found != Format::Dsjson {
            let reason = format!(
                "is {found}, not dsjson: each line must have the members c, a and p (say format = \"dsjson\" if only the \
                 first has not)"
            );
            return Err(Error::content(&name, reason));
        }
        Ok(Self {
            name,
            lines: Lines::new(source, options.max_row_bytes),
            buffer: Vec::new(),
            words: Words::new(options),
            strict: options.strict,
            malformed: Malformed::default(),
            is_done: false,
        })
    }

    /// Reads the next decision; false at the end. After an error there is nothing more to read.
    ///
    /// # Errors
    ///
    /// As of [`Table::read`](crate::Table::read).
    pub fn read(&mut self, decision: &mut Decision) -> Result<bool> {
        while !self.is_done {
            let line = match self.lines.next(&mut self.buffer) {
                Ok(line) => line,
                Err(error) => {
                    self.is_done = true;
                    return Err(error);
                }
            };
            let found = match line {
                Line::End => break,
                Line::TooLong => Err(too_long(&self.lines)),
                Line::Whole if self.buffer.iter().all(u8::is_ascii_whitespace) => continue,
                Line::Whole => {
                    Json::parse_object(&self.buffer).and_then(|members| decision::decide(members, &self.words))
                }
            };
            let line = self.lines.number;
            match found {
                Ok(found) => {
                    *decision = Decision { line, ..found };
                    return Ok(true);
                }
                Err(reason) => {
                    self.malformed.add(line, reason.clone());
                    if self.strict {
                        self.is_done = true;
                        return Err(Error::Row { name: self.name.clone(), line, reason });
                    }
                }
            }
        }
        self.is_done = true;
        Ok(false)
    }

    /// How far reading has come.
    pub fn progress(&self) -> Progress {
        self.lines.source.progress()
    }

    /// The lines that were left out so far.
    pub fn malformed(&self) -> &Malformed {
        &self.malformed
    }
}
