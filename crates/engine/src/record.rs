//! Records: everything that changes an engine, in the order in which it happened. The same records give the same state.
//!
//! A record is one line of JSON, or a frame of bytes: its length, a checksum, and MessagePack.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::schema::Column;
use crate::settings::{Action, Settings};
use crate::value::Features;

/// Raised whenever a record that was written before could be misread.
pub const RECORD_VERSION: u32 = 1;

/// Length and checksum.
const HEADER: usize = 4 + 8;
/// No record is longer: a length beyond it is damage.
const LONGEST: usize = 64 << 20;

/// One change of state, and when it happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The version of the format.
    pub version: u32,
    /// Seconds since any fixed moment.
    pub time: f64,
    /// What happened.
    pub change: Change,
}

/// What can happen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Change {
    /// The engine was made.
    Create(Box<Settings>),
    /// A decision was asked for, and what it was.
    Decide {
        /// What was asked.
        request: Request,
        /// What was answered; none while it has not been.
        answer: Option<Answer>,
    },
    /// A reward came.
    Reward {
        /// Of this decision.
        event: String,
        /// Before rewards.scale.
        value: f64,
    },
    /// A decision that was deferred has been carried out.
    Activate {
        /// Which one.
        event: String,
    },
    /// Time has passed.
    Tick,
    /// An action is new.
    AddAction(Action),
    /// An action is no longer offered.
    RetireAction(String),
    /// A retired action is back.
    RestoreAction(String),
    /// Contexts have a new column.
    AddColumn(Column),
}

/// A question: which action in this context?
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The id by which the reward will find the decision. It seeds what is random.
    pub event: String,
    /// What is known.
    #[serde(default)]
    pub context: Features,
    /// The actions to choose from; none: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<String>>,
    /// What the caller chooses itself; the engine learns from it, and says what it would have chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    /// Whether the decision may never be carried out: it waits for [`Engine::activate`](crate::Engine::activate).
    #[serde(default)]
    pub deferred: bool,
}

impl Request {
    /// A question about all actions.
    pub fn new(event: impl Into<String>, context: Features) -> Self {
        Self { event: event.into(), context, ..Self::default() }
    }

    /// The same about these actions only.
    pub fn among<N: Into<String>>(self, actions: impl IntoIterator<Item = N>) -> Self {
        Self { actions: Some(actions.into_iter().map(Into::into).collect()), ..self }
    }

    /// The caller chooses this one, with this probability if it knows one.
    pub fn baseline(self, action: impl Into<String>, probability: Option<f64>) -> Self {
        Self { baseline: Some(Baseline { action: action.into(), probability }), ..self }
    }

    /// The decision may never be carried out.
    pub fn deferred(self) -> Self {
        Self { deferred: true, ..self }
    }
}

/// A choice of the caller's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The action.
    pub action: String,
    /// The probability with which the caller's rule chose it, if it has one.
    #[serde(default)]
    pub probability: Option<f64>,
}

/// What was decided, as far as it must be known to follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The action.
    pub action: String,
    /// The probability with which it was chosen.
    pub probability: Option<f64>,
}

impl Record {
    /// A record of this version.
    pub fn new(time: f64, change: Change) -> Self {
        Self { version: RECORD_VERSION, time, change }
    }

    /// One line of JSON, without its end.
    pub fn to_json(&self) -> String {
        // Keys are texts and numbers are finite, or null: nothing can fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads what [`Record::to_json`] wrote.
    ///
    /// # Errors
    /// If it is no record, or one of another version.
    pub fn from_json(line: &str) -> Result<Self> {
        let damaged = |e: serde_json::Error| Error::record(format!("not understood: {e}"));
        check_version(serde_json::from_str::<Version>(line).map_err(damaged)?.version)?;
        serde_json::from_str(line).map_err(damaged)
    }

    /// A frame of bytes; frames can be written one after the other.
    pub fn to_bytes(&self) -> Vec<u8> {
        // As above.
        // Fields by name: some are left out where they say nothing.
        let body = rmp_serde::to_vec_named(self).unwrap_or_default();
        let mut frame = Vec::with_capacity(HEADER + body.len());
        frame.extend_from_slice(&(body.len() as u32).to_le_bytes());
        frame.extend_from_slice(&optimist::hash::bytes(&body).to_le_bytes());
        frame.extend_from_slice(&body);
        frame
    }

    /// Reads the first frame of `bytes`; says how long it was.
    ///
    /// # Errors
    /// If the frame is cut off or damaged, or the record is of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<(Self, usize)> {
        let header = bytes.get(..HEADER).ok_or_else(|| cut(bytes.len(), HEADER))?;
        let (length, checksum) = header.split_at(4);
        let length = u32::from_le_bytes(length.try_into().unwrap_or_default()) as usize;
        let checksum = u64::from_le_bytes(checksum.try_into().unwrap_or_default());
        if length > LONGEST {
            return Err(Error::record(format!("damaged: it claims to be {length} bytes long")));
        }
        let body = bytes.get(HEADER..HEADER + length).ok_or_else(|| cut(bytes.len(), HEADER + length))?;
        if optimist::hash::bytes(body) != checksum {
            return Err(Error::record("damaged: its checksum does not agree"));
        }
        let damaged = |e: rmp_serde::decode::Error| Error::record(format!("not understood: {e}"));
        check_version(rmp_serde::from_slice::<Version>(body).map_err(damaged)?.version)?;
        Ok((rmp_serde::from_slice(body).map_err(damaged)?, HEADER + length))
    }
}

/// Read first: a newer version may have fields that this one does not know.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

fn cut(got: usize, needed: usize) -> Error {
    Error::record(format!("cut off: {got} bytes of {needed} are there"))
}

pub(crate) fn check_version(version: u32) -> Result<()> {
    if version == RECORD_VERSION {
        return Ok(());
    }
    let newer =
        if version > RECORD_VERSION { ", which is newer: use the program that wrote it or a later one" } else { "" };
    Err(Error::record(format!("of version {version}{newer}; this program reads version {RECORD_VERSION}")))
}
