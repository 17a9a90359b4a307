//! A list of arms with parameters of their own.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::FiniteArms;
use crate::error::{Error, Result};
use crate::posterior::Row;

/// A non-empty list of arms each of which has parameters of its own, beside those that all arms share: who the arms are, and
/// per arm its shared features followed by its own. How many are shared is the policy's to know (option `own`).
///
/// An owner may be there more than once, such as one item at several prices: its rows meet the same own parameters. Which of them
/// was chosen is told by [`Choice::index`](crate::policy::Choice::index). A policy that samples draws for each of them anew.
/// Nothing looks for owners that are there twice by mistake: that would cost as much as scoring a few arms.
///
/// ```
/// use optimist::HybridArms;
/// // Two arms with two features each.
/// let arms = HybridArms::new(vec![17, 4], 2, vec![1.0, 0.5, 1.0, -0.5])?;
/// assert_eq!(arms.row(1).values(), &[1.0, -0.5]);
/// // One context, seen by three arms: it is not written out three times.
/// let arms = HybridArms::same(vec![17, 4, 5], &[0.2, 0.7, 1.0])?;
/// assert_eq!((arms.len(), arms.dimension()), (3, 3));
/// # Ok::<(), optimist::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct HybridArms<'a> {
    owners: Cow<'a, [u64]>,
    /// One row, if all arms have the same features.
    rows: FiniteArms<'a>,
}

impl<'a> HybridArms<'a> {
    /// Takes who the arms are, and the features of all arms, one arm after the other, `dimension` numbers each.
    ///
    /// # Errors
    /// As [`FiniteArms::new`]; also if there are not as many rows as owners.
    pub fn new(
        owners: impl Into<Cow<'a, [u64]>>,
        dimension: usize,
        features: impl Into<Cow<'a, [f64]>>,
    ) -> Result<Self> {
        Self::of(owners.into(), FiniteArms::new(dimension, features)?, |rows, owners| rows == owners)
    }

    /// Arms that all have the same features, such as a context in which one of them is to be chosen.
    ///
    /// # Errors
    /// If there is no arm or no feature, or a feature is not finite.
    pub fn same(owners: impl Into<Cow<'a, [u64]>>, features: impl Into<Cow<'a, [f64]>>) -> Result<Self> {
        let features = features.into();
        Self::of(owners.into(), FiniteArms::new(features.len(), features)?, |_, owners| owners > 0)
    }

    fn of(owners: Cow<'a, [u64]>, rows: FiniteArms<'a>, fits: impl Fn(usize, usize) -> bool) -> Result<Self> {
        if owners.is_empty() {
            return Err(Error::Empty { field: "arms" });
        }
        if !fits(rows.len(), owners.len()) {
            let what = format!("there are {} for {} rows of features", owners.len(), rows.len());
            return Err(Error::Option { field: "owners".into(), what });
        }
        Ok(Self { owners, rows })
    }

    /// The number of features of an arm.
    pub fn dimension(&self) -> usize {
        self.rows.dimension()
    }

    /// The number of arms; never zero.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// Whether all arms have the same features, which are then stored once.
    pub fn is_same(&self) -> bool {
        self.rows.len() == 1
    }

    /// The features of arm `k`.
    ///
    /// # Panics
    /// If `k` is not below [`HybridArms::len`].
    pub fn row(&self, k: usize) -> Row<'_> {
        let place = if self.is_same() { 0 } else { k };
        Row::Own { owner: self.owners[k], features: self.rows.arm(place) }
    }

    /// The largest Euclidean norm of an arm.
    pub fn max_norm(&self) -> f64 {
        self.rows.max_norm()
    }
}

#[derive(Deserialize)]
struct Raw {
    owners: Vec<u64>,
    rows: FiniteArms<'static>,
}

impl TryFrom<Raw> for HybridArms<'_> {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        Self::of(raw.owners.into(), raw.rows, |rows, owners| owners > 0 && (rows == 1 || rows == owners))
    }
}
