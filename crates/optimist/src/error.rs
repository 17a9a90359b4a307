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
    #[error("{field} is \"{value}\"{suggestion}: expected one of {expected}")]
    UnknownName {
        /// Which setting.
        field: &'static str,
        /// The name that was given.
        value: String,
        /// The nearest name that exists, as a question; empty if none is near.
        suggestion: String,
        /// The names that exist.
        expected: String,
    },
    /// A name that is to be registered belongs to something else.
    #[error("{field} \"{name}\" is registered already: choose another name")]
    NameTaken {
        /// What is registered.
        field: &'static str,
        /// Its name.
        name: &'static str,
    },
    /// A name that is to be registered is not one that users could type and files could hold.
    #[error(
        "the name of a {field} is {name:?}: it must be lower-case letters and digits, in words joined by single hyphens, such as \
         \"laplace-ts\""
    )]
    BadName {
        /// What is to be registered.
        field: &'static str,
        /// Its name.
        name: &'static str,
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
    /// The confidence set holds no parameter, so that no statement about arms can be made with it.
    #[error(
        "the confidence set is empty: the data contradict the declared norm bound or the logistic model (a new set with a \
         larger norm bound spends delta again; that of radius \"mixture\" holds without its norm bound at the same delta)"
    )]
    EmptySet,
    /// What a set says in the middle of a batch is to be kept, and need not hold there.
    #[error(
        "what radius \"{radius}\" says cannot be recorded: it is not proved whatever the order of the data between two looks; \
         use radius \"mixture\""
    )]
    NotOrderFree {
        /// Which radius.
        radius: &'static str,
    },
    /// The policy keeps no confidence set of its own.
    #[error("policy \"{policy}\" keeps no confidence set of its own")]
    NoSet {
        /// Which policy.
        policy: &'static str,
    },
    /// The policy's statements come without a guarantee, so that it has no intervals to give.
    #[error("policy \"{policy}\" has no guarantee: {why}; {remedy}")]
    NoGuarantee {
        /// Which policy.
        policy: &'static str,
        /// Why there is none.
        why: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// The arms are of a kind for which the operation is not defined.
    #[error("{what} is not defined for {given} arms, only for {defined_for} arms: {remedy}")]
    ArmKind {
        /// Which policy or question.
        what: String,
        /// The kind of arms that was given.
        given: &'static str,
        /// The kinds that would be accepted.
        defined_for: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A reward is for a play that is not open.
    #[error("play {play} is not open: {why}")]
    NoOpenPlay {
        /// The number of the play.
        play: u64,
        /// What may have become of it, and what to do.
        why: &'static str,
    },
    /// A policy cannot take in new features.
    #[error("policy \"{policy}\" cannot take in new features: {why}")]
    CannotGrow {
        /// Which policy.
        policy: &'static str,
        /// Why not, and what to do.
        why: String,
    },
    /// A number left the range of doubles in a computation that has no answer then.
    #[error("{what} left the range of numbers: rescale the features")]
    Overflow {
        /// Which quantity.
        what: &'static str,
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

/// Checks that a number is finite and satisfies `allowed`, which `ok` says: for the options of policies.
///
/// # Errors
/// Names the field, its value and what is allowed.
pub fn check_number(field: &str, value: f64, ok: bool, allowed: &'static str) -> Result<()> {
    if !value.is_finite() {
        return Err(Error::NotFinite { field: field.to_owned(), value });
    }
    if !ok {
        return Err(Error::OutOfRange { field: field.to_owned(), value, allowed });
    }
    Ok(())
}

/// Matrices of more features do not fit into memory; a number of them that is larger is a mistake, or a damaged document.
pub(crate) const LARGEST_DIMENSION: usize = 10_000;

/// Checks a number of features before memory is taken for it.
pub(crate) fn check_dimension_size(field: &str, dimension: usize) -> Result<()> {
    check_number(field, dimension as f64, dimension > 0, "at least 1")?;
    check_number(field, dimension as f64, dimension <= LARGEST_DIMENSION, "at most 10,000")
}

/// Checks a stored count: one that nobody could have counted to would overflow.
pub(crate) fn check_count(field: &str, count: u64) -> Result<()> {
    check_number(field, count as f64, count <= 1 << 53, "a count, at most 2^53")
}

/// The nearest of the names that exist, as a question; empty if none is near.
pub(crate) fn suggestion(value: &str, names: &[&str]) -> String {
    let distance = |name: &&&str| strsim::damerau_levenshtein(name, value);
    let nearest = names.iter().min_by_key(distance).filter(|name| distance(name) <= name.len().max(3) / 3);
    nearest.map(|name| format!(" (did you mean \"{name}\"?)")).unwrap_or_default()
}

/// What the rounding of a norm may add to it: a unit vector computed in doubles passes for one, and nothing longer does.
const NORM_ROUNDING: f64 = 1e-12;

/// Checks that a norm is within the bound under which a guarantee was proved.
pub(crate) fn check_norm(field: &str, norm: f64, bound: f64, needed_by: impl Fn() -> &'static str) -> Result<()> {
    if norm > bound * (1.0 + NORM_ROUNDING) {
        return Err(Error::NormAboveBound { field: field.into(), norm, bound, needed_by: needed_by() });
    }
    Ok(())
}

impl Error {
    /// The same about a row of several: `x` becomes `rows[3]`, and so on.
    pub(crate) fn at_row(self, row: usize) -> Self {
        let at = |field: String| match field.strip_prefix('x') {
            Some(rest) => format!("rows[{row}]{rest}"),
            None if field == "reward" => format!("rewards[{row}]"),
            None => format!("rows[{row}].{field}"),
        };
        match self {
            Error::Dimension { field, expected, got } => Error::Dimension { field: at(field), expected, got },
            Error::NotFinite { field, value } => Error::NotFinite { field: at(field), value },
            Error::OutOfRange { field, value, allowed } => Error::OutOfRange { field: at(field), value, allowed },
            Error::NormAboveBound { field, norm, bound, needed_by } => {
                Error::NormAboveBound { field: at(field), norm, bound, needed_by }
            }
            other => other,
        }
    }

    /// The same about an arm of a list: `indices[2]` becomes `arms[3].indices[2]`, and so on.
    pub(crate) fn of_arm(self, arm: usize) -> Self {
        let at = |field: String| format!("arms[{arm}].{field}");
        match self {
            Error::NotFinite { field, value } => Error::NotFinite { field: at(field), value },
            Error::OutOfRange { field, value, allowed } => Error::OutOfRange { field: at(field), value, allowed },
            other => other,
        }
    }

    /// A name that is not among those known, with the nearest of them if one is near.
    pub(crate) fn unknown_name<'a>(field: &'static str, value: &str, names: impl Iterator<Item = &'a str>) -> Self {
        let names: Vec<&str> = names.collect();
        let suggestion = suggestion(value, &names);
        Error::UnknownName { field, value: value.to_owned(), suggestion, expected: names.join(", ") }
    }
}
