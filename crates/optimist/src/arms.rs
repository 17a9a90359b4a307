//! The options one may choose from: a finite list of feature vectors, the unit ball, or the unit sphere.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, check_vector};
use crate::history::hash;
use crate::numerics::{dot, norm};

/// What may be played in a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ArmSet {
    /// A list of feature vectors.
    Finite(FiniteArms),
    /// Every vector of norm at most one.
    Ball {
        /// The number of features.
        dimension: usize,
    },
    /// Every vector of norm one.
    Sphere {
        /// The number of features.
        dimension: usize,
    },
}

impl ArmSet {
    /// The number of features of an arm.
    pub fn dimension(&self) -> usize {
        match self {
            ArmSet::Finite(arms) => arms.dimension(),
            ArmSet::Ball { dimension } | ArmSet::Sphere { dimension } => *dimension,
        }
    }
}

impl From<FiniteArms> for ArmSet {
    fn from(arms: FiniteArms) -> Self {
        ArmSet::Finite(arms)
    }
}

/// A non-empty list of arms: features in row-major order and, if the caller names them, identifiers.
///
/// ```
/// use optimist::FiniteArms;
/// let arms = FiniteArms::from_rows(&[[1.0, 0.0], [0.6, 0.8]])?.with_ids(["blue", "green"])?;
/// assert_eq!(arms.arm(1), &[0.6, 0.8]);
/// assert_eq!(arms.id(1), "green");
/// # Ok::<(), optimist::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawArms", into = "RawArms")]
pub struct FiniteArms {
    dimension: usize,
    features: Vec<f64>,
    ids: Option<Vec<String>>,
    /// Hash of the features, by which a planner notices that it is given other arms.
    fingerprint: u64,
    max_norm: f64,
}

impl FiniteArms {
    /// Takes the features of all arms, one arm after the other.
    ///
    /// # Errors
    /// If there is no arm, if `dimension` is zero, if the length is not a multiple of it, or if a number is not finite.
    pub fn new(dimension: usize, features: Vec<f64>) -> Result<Self> {
        if dimension == 0 {
            return Err(Error::OutOfRange { field: "dimension".into(), value: 0.0, allowed: "at least 1" });
        }
        if features.is_empty() {
            return Err(Error::Empty { field: "arms" });
        }
        for (k, row) in features.chunks(dimension).enumerate() {
            check_vector(&format!("arms[{k}]"), row, dimension)?;
        }
        let fingerprint = hash(&features) ^ dimension as u64;
        let max_norm = features.chunks_exact(dimension).map(norm).fold(0.0, f64::max);
        Ok(Self { dimension, features, ids: None, fingerprint, max_norm })
    }

    /// Takes one slice per arm.
    ///
    /// # Errors
    /// As [`FiniteArms::new`]; rows of unequal length are refused.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self> {
        let dimension = rows.first().ok_or(Error::Empty { field: "arms" })?.as_ref().len();
        for (k, row) in rows.iter().enumerate() {
            check_vector(&format!("arms[{k}]"), row.as_ref(), dimension)?;
        }
        Self::new(dimension, rows.iter().flat_map(|r| r.as_ref().iter().copied()).collect())
    }

    /// Names the arms, in order.
    ///
    /// # Errors
    /// If there are not as many names as arms.
    pub fn with_ids<I: Into<String>>(mut self, ids: impl IntoIterator<Item = I>) -> Result<Self> {
        let ids: Vec<String> = ids.into_iter().map(Into::into).collect();
        if ids.len() != self.len() {
            let what = format!("there are {} names for {} arms", ids.len(), self.len());
            return Err(Error::Option { field: "ids".into(), what });
        }
        self.ids = Some(ids);
        Ok(self)
    }

    /// The number of features of an arm.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The number of arms; never zero.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.features.len() / self.dimension
    }

    /// The features of arm `k`.
    ///
    /// # Panics
    /// If `k` is not below [`FiniteArms::len`].
    pub fn arm(&self, k: usize) -> &[f64] {
        &self.features[k * self.dimension..][..self.dimension]
    }

    /// The name of arm `k`: the caller's, or its index.
    pub fn id(&self, k: usize) -> Cow<'_, str> {
        match &self.ids {
            Some(ids) => Cow::Borrowed(&ids[k]),
            None => Cow::Owned(k.to_string()),
        }
    }

    /// The name that the caller gave to arm `k`, if the arms have names.
    pub fn given_id(&self, k: usize) -> Option<&str> {
        self.ids.as_ref().map(|ids| ids[k].as_str())
    }

    /// All arms in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.features.chunks_exact(self.dimension)
    }

    /// Hash of the features: equal for equal arms.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Features of all arms, one after the other.
    pub fn features(&self) -> &[f64] {
        &self.features
    }

    /// The arm with the largest x'theta, the first of equals: the greedy choice.
    pub fn best_for(&self, theta: &[f64]) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for (k, x) in self.iter().enumerate() {
            let value = dot(x, theta);
            if value > best.1 {
                best = (k, value);
            }
        }
        best.0
    }

    /// The largest Euclidean norm of an arm.
    pub fn max_norm(&self) -> f64 {
        self.max_norm
    }
}

/// The serialised form, checked on the way in.
#[derive(Serialize, Deserialize)]
struct RawArms {
    dimension: usize,
    features: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ids: Option<Vec<String>>,
}

impl TryFrom<RawArms> for FiniteArms {
    type Error = Error;

    fn try_from(raw: RawArms) -> Result<Self> {
        let arms = Self::new(raw.dimension, raw.features)?;
        match raw.ids {
            Some(ids) => arms.with_ids(ids),
            None => Ok(arms),
        }
    }
}

impl From<FiniteArms> for RawArms {
    fn from(arms: FiniteArms) -> Self {
        Self { dimension: arms.dimension, features: arms.features, ids: arms.ids }
    }
}
