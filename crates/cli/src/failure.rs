//! What ends the program early: one line for the user and an exit code.

use std::fmt;

/// Why the program cannot do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The user's input is at fault, and the text says how to mend it: exit code 2.
    Input(String),
    /// The program or the machine is at fault: exit code 1.
    Internal(String),
    /// The user stopped it: exit code 130, as shells have it.
    Interrupted(String),
}

/// Shorthand for results of this program.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Input(_) => 2,
            Failure::Internal(_) => 1,
            Failure::Interrupted(_) => 130,
        }
    }

    /// Says which file the failure is about.
    pub(crate) fn in_file(self, name: &str) -> Self {
        match self {
            Failure::Input(text) => Failure::Input(format!("{name}: {text}")),
            other => other,
        }
    }
}

impl From<optimist_lab::Error> for Failure {
    fn from(error: optimist_lab::Error) -> Self {
        match error {
            optimist_lab::Error::Input(text) => Failure::Input(text),
            stopped @ optimist_lab::Error::Interrupted { .. } => Failure::Interrupted(stopped.to_string()),
            other => Failure::Internal(other.to_string()),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(text) | Failure::Internal(text) | Failure::Interrupted(text) => f.write_str(&one_line(text)),
        }
    }
}

/// Control characters made visible: file names, keys and values in a message may hold line breaks or terminal codes.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut line, c| {
        if c.is_control() {
            line.extend(c.escape_default())
        } else {
            line.push(c)
        }
        line
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line() {
        let failure = Failure::Input("x\n\u{1b}[31m".into()).in_file("a\tb");
        assert_eq!(failure.to_string(), "a\\tb: x\\n\\u{1b}[31m");
    }
}
