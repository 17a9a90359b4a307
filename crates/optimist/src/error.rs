//! Everything that can be wrong with what a caller hands over.
//!
//! An error names the field, the value it had and what is allowed, so that its text alone is enough to mend the call.
//! Nothing is changed by a call that returns an error.

use thiserror::Error;

/// What was wrong with a caller's input.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A number is NaN or infinite.
    #[error("{field} is {value}: it must be a finite number")]
    NotFinite {
        /// Where the number stood, for instance `x[3]`.
        field: String,
        /// The offending value.
        value: f64,
    },
    /// A vector has the wrong length.
    #[error("{field} has {got} entries: the dimension is {expected}")]
    Dimension {
        /// Which vector.
        field: String,
        /// The dimension that was declared.
        expected: usize,
        /// The length that was given.
        got: usize,
    },
    /// A number is outside its range.
    #[error("{field} is {value}: it must be {allowed}")]
    OutOfRange {
        /// Which option or argument.
        field: String,
        /// The offending value.
        value: f64,
        /// The values that would be accepted, in words.
        allowed: &'static str,
    },
    /// A list that must not be empty is empty.
    #[error("{field} is empty: give at least one")]
    Empty {
        /// Which list.
        field: &'static str,
    },
    /// A vector is longer than the bound under which a guarantee was proved.
    #[error("{field} has norm {norm}: {needed_by} needs norms of at most {bound}; rescale the features")]
    NormAboveBound {
        /// Which vector.
        field: String,
        /// Its Euclidean norm.
        norm: f64,
        /// The declared bound.
        bound: f64,
        /// What relies on the bound.
        needed_by: &'static str,
    },
    /// A setting that this choice cannot do without is missing.
    #[error("{field} is missing: {needed_by} needs it")]
    Missing {
        /// Which setting.
        field: &'static str,
        /// What needs it.
        needed_by: &'static str,
    },
    /// A name is not one of those known.
    #[error("{field} is \"{value}\": expected one of {expected}")]
    UnknownName {
        /// Which setting.
        field: &'static str,
        /// The name that was given.
        value: String,
        /// The names that exist.
        expected: String,
    },
    /// A stored document cannot be read.
    #[error("the document {what}")]
    Document {
        /// What is wrong with it, and what to do.
        what: String,
    },
    /// An option cannot be understood.
    #[error("{field}: {what}")]
    Option {
        /// Which options.
        field: String,
        /// What is wrong with them.
        what: String,
    },
    /// An operation is not defined for this kind of input.
    #[error("{what}")]
    Unsupported {
        /// What was asked, why it cannot be done, and what to do instead.
        what: String,
    },
}

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Checks that `values` has the declared dimension and holds finite numbers only.
pub(crate) fn check_vector(field: &str, values: &[f64], dimension: usize) -> Result<()> {
    if values.len() != dimension {
        return Err(Error::Dimension { field: field.to_owned(), expected: dimension, got: values.len() });
    }
    match values.iter().position(|v| !v.is_finite()) {
        Some(i) => Err(Error::NotFinite { field: format!("{field}[{i}]"), value: values[i] }),
        None => Ok(()),
    }
}

/// Checks that a number is finite and satisfies `allowed`.
pub(crate) fn check_number(field: &str, value: f64, ok: bool, allowed: &'static str) -> Result<()> {
    if !value.is_finite() {
        return Err(Error::NotFinite { field: field.to_owned(), value });
    }
    if !ok {
        return Err(Error::OutOfRange { field: field.to_owned(), value, allowed });
    }
    Ok(())
}
