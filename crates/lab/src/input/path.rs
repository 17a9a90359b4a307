//! Where a value stands.

use std::fmt;

/// Where a value stands, written like `observations[3].reward`. Made of borrowed pieces: it is written out only if
/// something is refused.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Path<'p> {
    /// The whole document.
    Root,
    /// Something with a name of its own, after which a key follows: `[[policy]] number 2: `.
    Place(&'p str),
    /// Under a key of an object, as a message shows it.
    Key(&'p Path<'p>, &'p str),
    /// In a list.
    Index(&'p Path<'p>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => f.write_str("the document"),
            Path::Place(place) => f.write_str(place),
            Path::Key(Path::Root, key) => f.write_str(key),
            Path::Key(Path::Place(place), key) => write!(f, "{place}{key}"),
            Path::Key(parent, key) => write!(f, "{parent}.{key}"),
            Path::Index(parent, i) => write!(f, "{parent}[{i}]"),
        }
    }
}
