//! Exceptions: the words of the library, as subclasses of `ValueError`.

use optimist_lab::Error as LabError;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    optimist,
    OptimistError,
    PyValueError,
    "Whatever optimist refuses. Nothing is changed by a call that raises it."
);
create_exception!(
    optimist,
    InvalidInput,
    OptimistError,
    "An array, a reward, a context or an action that does not fit."
);
create_exception!(
    optimist,
    InvalidOption,
    OptimistError,
    "A setting or an option that is unknown, missing or out of range."
);
create_exception!(
    optimist,
    NoGuarantee,
    OptimistError,
    "A bound was asked for, and nothing is promised, or the set is empty."
);
create_exception!(
    optimist,
    InvalidDocument,
    OptimistError,
    "Stored bytes that are damaged, of another kind or of another version."
);
create_exception!(
    optimist,
    PolicyFailed,
    OptimistError,
    "A policy written in Python raised something, or chose no arm."
);
create_exception!(
    optimist,
    UnknownEvent,
    OptimistError,
    "A reward or a question for a decision that is not known, or not any more."
);

/// What a call may fail with, on its way to becoming an exception.
#[derive(Debug)]
pub(crate) struct Fault(PyErr);

/// A result of this module.
pub(crate) type Result<T> = std::result::Result<T, Fault>;

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        fault.0
    }
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Self {
        Fault(error)
    }
}

impl Fault {
    /// Something handed over does not fit.
    pub(crate) fn input(text: impl Into<String>) -> Self {
        Fault(InvalidInput::new_err(text.into()))
    }

    /// The same, and where it happened. What is no refusal of ours keeps its words.
    pub(crate) fn at(self, py: Python<'_>, place: &str) -> Self {
        let Fault(error) = self;
        if !error.is_instance_of::<OptimistError>(py) {
            return Fault(error);
        }
        let text = format!("{place}: {}", error.value(py));
        Fault(PyErr::from_type(error.get_type(py), text))
    }

    /// What the engine says of an event: it is unknown only if it is not among those that are `known`.
    pub(crate) fn of_event(error: optimist_engine::Error, known: bool) -> Self {
        match error {
            optimist_engine::Error::Event { .. } if known => Fault(InvalidInput::new_err(error.to_string())),
            error => error.into(),
        }
    }

    /// What Python raised where something was read, in words of ours; what is no ordinary exception, such as Ctrl-C, goes on its way.
    pub(crate) fn unreadable(py: Python<'_>, error: PyErr, text: impl FnOnce(&PyErr) -> String) -> Self {
        if error.is_instance_of::<PyException>(py) && !error.is_instance_of::<PyMemoryError>(py) {
            return Self::input(text(&error));
        }
        Fault(error)
    }

    /// A setting is not allowed.
    pub(crate) fn option(text: impl Into<String>) -> Self {
        Fault(InvalidOption::new_err(text.into()))
    }
}

impl From<optimist::Error> for Fault {
    fn from(error: optimist::Error) -> Self {
        use optimist::Error as E;
        let text = error.to_string();
        Fault(match error {
            E::Missing { .. } | E::UnknownName { .. } | E::Option { .. } | E::NameTaken { .. } | E::BadName { .. } => {
                InvalidOption::new_err(text)
            }
            E::NoSet { .. } | E::NoGuarantee { .. } | E::EmptySet | E::NotOrderFree { .. } => {
                NoGuarantee::new_err(text)
            }
            E::Document { .. } => InvalidDocument::new_err(text),
            E::NoOpenPlay { .. } => UnknownEvent::new_err(text),
            _ => InvalidInput::new_err(text),
        })
    }
}

impl From<optimist_engine::Error> for Fault {
    fn from(error: optimist_engine::Error) -> Self {
        use optimist_engine::Error as E;
        let text = error.to_string();
        Fault(match error {
            E::Policy(error) => return error.into(),
            E::Setting { .. } => InvalidOption::new_err(text),
            E::Event { .. } => UnknownEvent::new_err(text),
            E::Record { .. } | E::Snapshot { .. } => InvalidDocument::new_err(text),
            _ => InvalidInput::new_err(text),
        })
    }
}

impl From<LabError> for Fault {
    fn from(error: LabError) -> Self {
        let text = as_keywords(&error.to_string());
        Fault(match error {
            LabError::File(_) => PyOSError::new_err(text),
            LabError::Interrupted { .. } => PyKeyboardInterrupt::new_err(text),
            _ => InvalidInput::new_err(text),
        })
    }
}

/// The words of the command line in those of Python: `--reward-scale` is the keyword `reward_scale`.
pub(crate) fn as_keywords(text: &str) -> String {
    let text = text.replace("`optimist policies`", "optimist.policies()").replace("the same command", "the same call");
    let mut words = text.split("--");
    let mut shown = words.next().unwrap_or_default().to_owned();
    for word in words {
        // Only where a word begins: names of files may hold anything.
        let begins = shown.chars().last().is_none_or(|c| c.is_whitespace() || "(`".contains(c));
        let is_option = begins && word.starts_with(|c: char| c.is_ascii_lowercase());
        let end = word.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(word.len());
        if is_option {
            shown += &word[..end].replace('-', "_");
            shown += &word[end..];
        } else {
            shown += "--";
            shown += word;
        }
    }
    shown
}

/// Adds all of them to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("OptimistError", py.get_type::<OptimistError>())?;
    module.add("InvalidInput", py.get_type::<InvalidInput>())?;
    module.add("InvalidOption", py.get_type::<InvalidOption>())?;
    module.add("NoGuarantee", py.get_type::<NoGuarantee>())?;
    module.add("InvalidDocument", py.get_type::<InvalidDocument>())?;
    module.add("PolicyFailed", py.get_type::<PolicyFailed>())?;
    module.add("UnknownEvent", py.get_type::<UnknownEvent>())
}
