//! A list of arms with few features each that are not zero.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, check_dimension_size};
use crate::posterior::Row;

/// A non-empty list of sparse arms, the caller's own memory or not: arm k has the numbers `starts[k]..starts[k + 1]` of
/// `indices` and `values`, as in the compressed rows of other libraries.
///
/// ```
/// use optimist::SparseArms;
/// let arms = SparseArms::new(1_000, vec![0, 2, 3], vec![3, 998, 3], vec![1.0, 0.5, -1.0])?;
/// assert_eq!(arms.len(), 2);
/// assert_eq!(arms.row(1).values(), &[-1.0]);
/// # Ok::<(), optimist::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct SparseArms<'a> {
    dimension: usize,
    starts: Cow<'a, [usize]>,
    indices: Cow<'a, [u32]>,
    values: Cow<'a, [f64]>,
    #[serde(skip_serializing)]
    max_norm: f64,
}

impl<'a> SparseArms<'a> {
    /// Takes the rows of all arms, one after the other. One pass.
    ///
    /// # Errors
    /// If there is no arm, if `starts` does not begin with zero, falls, or does not end with the number of values, if an index
    /// is out of range or not above the one before it, or if a number is not finite.
    pub fn new(
        dimension: usize,
        starts: impl Into<Cow<'a, [usize]>>,
        indices: impl Into<Cow<'a, [u32]>>,
        values: impl Into<Cow<'a, [f64]>>,
    ) -> Result<Self> {
        let (starts, indices, values) = (starts.into(), indices.into(), values.into());
        check_dimension_size("dimension", dimension)?;
        if starts.len() < 2 {
            return Err(Error::Empty { field: "arms" });
        }
        let rises = starts.windows(2).all(|pair| pair[0] <= pair[1]);
        if starts[0] != 0 || !rises || starts.last() != Some(&values.len()) || indices.len() != values.len() {
            let what = format!(
                "it must rise from 0 to the number of values, {}, of which there must be as many as indices, {}",
                values.len(),
                indices.len()
            );
            return Err(Error::Option { field: "starts".into(), what });
        }
        let mut this = Self { dimension, starts, indices, values, max_norm: 0.0 };
        for k in 0..this.len() {
            let row = this.row(k);
            row.check(dimension).map_err(|e| e.of_arm(k))?;
            this.max_norm = this.max_norm.max(row.norm());
        }
        Ok(this)
    }

    /// The number of parameters.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The number of arms; never zero.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The features of arm `k`.
    ///
    /// # Panics
    /// If `k` is not below [`SparseArms::len`].
    pub fn row(&self, k: usize) -> Row<'_> {
        let range = self.starts[k]..self.starts[k + 1];
        Row::Sparse { indices: &self.indices[range.clone()], values: &self.values[range] }
    }

    /// The largest Euclidean norm of an arm.
    pub fn max_norm(&self) -> f64 {
        self.max_norm
    }
}

#[derive(Deserialize)]
struct Raw {
    dimension: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl TryFrom<Raw> for SparseArms<'_> {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        Self::new(raw.dimension, raw.starts, raw.indices, raw.values)
    }
}
