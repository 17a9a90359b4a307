//! Everything that can be wrong with what a caller hands over.
//!
//! An error names the field, what is wrong with it and the remedy. Nothing is changed by a call that returns one.

use thiserror::Error;

/// What was wrong.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting of the engine.
    #[error("{field} {what}")]
    Setting {
        /// Which one.
        field: String,
        /// What is wrong with it, and what is allowed.
        what: String,
    },
    /// A value of a context or of an action's features.
    #[error("column \"{column}\" {what}")]
    Column {
        /// Its name.
        column: String,
        /// What is wrong with it.
        what: String,
    },
    /// An action.
    #[error("action \"{action}\" {what}")]
    Action {
        /// Its name.
        action: String,
        /// What is wrong with it.
        what: String,
    },
    /// A decision, or a reward for one.
    #[error("event \"{event}\" {what}")]
    Event {
        /// Its id.
        event: String,
        /// What is wrong with it.
        what: String,
    },
    /// A record of a log.
    #[error("record: {what}")]
    Record {
        /// What is wrong with it.
        what: String,
    },
    /// A stored engine.
    #[error("snapshot: {what}")]
    Snapshot {
        /// What is wrong with it.
        what: String,
    },
    /// What the policy or its model refused.
    #[error(transparent)]
    Policy(#[from] optimist::Error),
    /// What the evaluation of a log refused.
    #[error(transparent)]
    Evaluation(#[from] crate::evaluation::EvaluationError),
}

/// A result whose error is [`enum@Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn setting(field: impl Into<String>, what: impl Into<String>) -> Self {
        Error::Setting { field: field.into(), what: what.into() }
    }

    pub(crate) fn column(column: impl Into<String>, what: impl Into<String>) -> Self {
        Error::Column { column: column.into(), what: what.into() }
    }

    pub(crate) fn action(action: impl Into<String>, what: impl Into<String>) -> Self {
        Error::Action { action: action.into(), what: what.into() }
    }

    pub(crate) fn event(event: impl Into<String>, what: impl Into<String>) -> Self {
        Error::Event { event: event.into(), what: what.into() }
    }

    pub(crate) fn record(what: impl Into<String>) -> Self {
        Error::Record { what: what.into() }
    }

    pub(crate) fn snapshot(what: impl Into<String>) -> Self {
        Error::Snapshot { what: what.into() }
    }
}

/// Bytes up to which a name is compared with others.
const LONGEST_GUESS: usize = 256;

/// The end of a sentence that suggests a name, or lists the first few that there are.
pub(crate) fn known_names<'a>(wrong: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    // The distance costs the product of the lengths, in memory too; names whose lengths differ are far from each other.
    let comparable = |name: &&str| wrong.len() <= LONGEST_GUESS && name.len() <= LONGEST_GUESS;
    let near = names.clone().filter(comparable).map(|name| (strsim::damerau_levenshtein(wrong, name), name)).min();
    match near {
        _ if names.clone().next().is_none() => "there are none yet".into(),
        Some((distance, name)) if distance <= 2 && distance < wrong.chars().count() => {
            format!("did you mean \"{name}\"?")
        }
        _ => {
            let first: Vec<&str> = names.clone().take(8).collect();
            let more = if names.count() > 8 { ", ..." } else { "" };
            format!("there are \"{}\"{more}", first.join("\", \""))
        }
    }
}
