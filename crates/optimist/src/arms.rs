//! The options one may choose from: a list of feature vectors, dense, sparse, in parts or by products, the unit ball, or the
//! unit sphere.

mod catalogue;
mod hybrid;
mod sparse;

pub use catalogue::{Catalogue, CatalogueArms, Found};
pub use hybrid::HybridArms;
pub use sparse::SparseArms;

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer};

use crate::error::{Error, Result, check_vector};
use crate::hash;
use crate::numerics::{dot, norm};
use crate::posterior::Row;

/// What may be played in a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ArmSet<'a> {
    /// A list of feature vectors.
    Finite(FiniteArms<'a>),
    /// A list of feature vectors that are mostly zero.
    Sparse(SparseArms<'a>),
    /// A list of arms with parameters of their own.
    Hybrid(HybridArms<'a>),
    /// Many items in a context.
    Catalogue(CatalogueArms<'a>),
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

impl ArmSet<'_> {
    /// The number of features of an arm.
    pub fn dimension(&self) -> usize {
        match self {
            ArmSet::Finite(arms) => arms.dimension(),
            ArmSet::Sparse(arms) => arms.dimension(),
            ArmSet::Hybrid(arms) => arms.dimension(),
            ArmSet::Catalogue(arms) => arms.dimension(),
            ArmSet::Ball { dimension } | ArmSet::Sphere { dimension } => *dimension,
        }
    }

    /// The number of arms, if they are a list.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> Option<usize> {
        match self {
            ArmSet::Finite(arms) => Some(arms.len()),
            ArmSet::Sparse(arms) => Some(arms.len()),
            ArmSet::Hybrid(arms) => Some(arms.len()),
            ArmSet::Catalogue(arms) => Some(arms.len()),
            ArmSet::Ball { .. } | ArmSet::Sphere { .. } => None,
        }
    }

    /// The features of arm `k` of a list; none if the arms are no list, it is not as long, or features are products that
    /// have to be written out ([`CatalogueArms::features`]).
    pub fn row(&self, k: usize) -> Option<Row<'_>> {
        if self.len().is_none_or(|len| k >= len) {
            return None;
        }
        match self {
            ArmSet::Finite(arms) => Some(Row::Dense(arms.arm(k))),
            ArmSet::Sparse(arms) => Some(arms.row(k)),
            ArmSet::Hybrid(arms) => Some(arms.row(k)),
            ArmSet::Catalogue(_) | ArmSet::Ball { .. } | ArmSet::Sphere { .. } => None,
        }
    }

    /// The largest Euclidean norm of an arm; one for the ball and the sphere.
    pub fn max_norm(&self) -> f64 {
        match self {
            ArmSet::Finite(arms) => arms.max_norm(),
            ArmSet::Sparse(arms) => arms.max_norm(),
            ArmSet::Hybrid(arms) => arms.max_norm(),
            ArmSet::Catalogue(arms) => arms.max_norm(),
            ArmSet::Ball { .. } | ArmSet::Sphere { .. } => 1.0,
        }
    }
}

impl<'a> From<SparseArms<'a>> for ArmSet<'a> {
    fn from(arms: SparseArms<'a>) -> Self {
        ArmSet::Sparse(arms)
    }
}

impl<'a> From<HybridArms<'a>> for ArmSet<'a> {
    fn from(arms: HybridArms<'a>) -> Self {
        ArmSet::Hybrid(arms)
    }
}

impl<'a> From<CatalogueArms<'a>> for ArmSet<'a> {
    fn from(arms: CatalogueArms<'a>) -> Self {
        ArmSet::Catalogue(arms)
    }
}

impl<'a> From<FiniteArms<'a>> for ArmSet<'a> {
    fn from(arms: FiniteArms<'a>) -> Self {
        ArmSet::Finite(arms)
    }
}

/// A non-empty list of arms: features in row-major order, the caller's own memory or not, and, if the caller names them,
/// identifiers.
///
/// ```
/// use optimist::FiniteArms;
/// let arms = FiniteArms::from_rows(&[[1.0, 0.0], [0.6, 0.8]])?.with_ids(["blue", "green"])?;
/// assert_eq!(arms.arm(1), &[0.6, 0.8]);
/// assert_eq!(arms.id(1), "green");
///
/// let memory = [1.0, 0.0, 0.6, 0.8]; // two arms of two features each, not copied
/// assert_eq!(FiniteArms::new(2, &memory)?.arm(1), arms.arm(1));
/// # Ok::<(), optimist::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "RawArms")]
pub struct FiniteArms<'a> {
    dimension: usize,
    features: Cow<'a, [f64]>,
    ids: Option<Vec<String>>,
    /// Hash of the features, by which a planner notices that it is given other arms.
    fingerprint: u64,
    max_norm: f64,
}

/// How far above one a norm may be for [`FiniteArms::normalised`] to take the arm for a unit vector in few digits: unit
/// vectors rounded to five decimals are within it up to d = 16, those rounded to six up to d = 1,600.
pub const UNIT_TOLERANCE: f64 = 2e-5;

impl<'a> FiniteArms<'a> {
    /// Takes the features of all arms, one arm after the other: a vector, or a slice that is only borrowed. One pass.
    ///
    /// # Errors
    /// If there is no arm, if `dimension` is zero, if the length is not a multiple of it, or if a number or the norm of an arm
    /// is not finite.
    pub fn new(dimension: usize, features: impl Into<Cow<'a, [f64]>>) -> Result<Self> {
        let features = features.into();
        if dimension == 0 {
            return Err(Error::OutOfRange { field: "dimension".into(), value: 0.0, allowed: "at least 1" });
        }
        if features.is_empty() {
            return Err(Error::Empty { field: "arms" });
        }
        let rows = features.chunks_exact(dimension);
        let (count, rest) = (rows.len(), rows.remainder().len());
        if rest != 0 {
            return Err(Error::Dimension { field: format!("arms[{count}]"), expected: dimension, got: rest });
        }
        let mut max_norm = 0.0_f64;
        for (k, x) in rows.enumerate() {
            let length = norm(x);
            if !length.is_finite() {
                check_vector(&format!("arms[{k}]"), x, dimension)?;
                let (field, allowed) = (format!("the norm of arms[{k}]"), "a finite number: rescale the features");
                return Err(Error::OutOfRange { field, value: length, allowed });
            }
            max_norm = max_norm.max(length);
        }
        let fingerprint = fingerprint(dimension, &features);
        Ok(Self { dimension, features, ids: None, fingerprint, max_norm })
    }

    /// The same arms, in memory of their own.
    pub fn into_owned(self) -> FiniteArms<'static> {
        FiniteArms { features: Cow::Owned(self.features.into_owned()), ..self }
    }

    /// The same arms, where those that are longer than one by no more than `UNIT_TOLERANCE` (2e-5), as unit vectors written
    /// in few digits are, are brought onto the unit ball: what is proved for norms of at most one then applies to them.
    /// Longer ones are left as they are, to be refused by who needs that.
    pub fn normalised(mut self) -> Self {
        if self.max_norm > 1.0 {
            self.features.to_mut().chunks_exact_mut(self.dimension).for_each(normalise);
            self.max_norm = self.features.chunks_exact(self.dimension).map(norm).fold(0.0, f64::max);
            self.fingerprint = fingerprint(self.dimension, &self.features);
        }
        self
    }
}

fn fingerprint(dimension: usize, features: &[f64]) -> u64 {
    hash::numbers(features) ^ dimension as u64
}

/// Scales a vector whose norm is above one, by no more than `UNIT_TOLERANCE` (2e-5), to a norm of at most one.
pub fn normalise(x: &mut [f64]) {
    let mut length = norm(x);
    while length > 1.0 && length <= 1.0 + UNIT_TOLERANCE {
        // Rounding may leave the quotient a last digit above one.
        let divisor = length.max(1.0 + 2.0 * f64::EPSILON);
        x.iter_mut().for_each(|v| *v /= divisor);
        length = norm(x);
    }
}

impl FiniteArms<'static> {
    /// Takes one slice per arm, and copies them.
    ///
    /// # Errors
    /// As [`FiniteArms::new`]; rows of unequal length are refused.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self> {
        let dimension = rows.first().ok_or(Error::Empty { field: "arms" })?.as_ref().len();
        let mut features = Vec::with_capacity(rows.len() * dimension);
        for (k, row) in rows.iter().enumerate() {
            let row = row.as_ref();
            if row.len() != dimension {
                return Err(Error::Dimension { field: format!("arms[{k}]"), expected: dimension, got: row.len() });
            }
            features.extend_from_slice(row);
        }
        Self::new(dimension, features)
    }
}

impl FiniteArms<'_> {
    /// Names the arms, in order. Names are handed back with choices and are nothing else to a policy: equal ones are not looked for,
    /// and told apart by the index.
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
#[derive(Deserialize)]
struct RawArms {
    dimension: usize,
    #[serde(deserialize_with = "crate::numerics::stored_numbers::deserialize")]
    features: Vec<f64>,
    #[serde(default)]
    ids: Option<Vec<String>>,
}

impl TryFrom<RawArms> for FiniteArms<'_> {
    type Error = Error;

    fn try_from(raw: RawArms) -> Result<Self> {
        let arms = Self::new(raw.dimension, raw.features)?;
        match raw.ids {
            Some(ids) => arms.with_ids(ids),
            None => Ok(arms),
        }
    }
}

impl Serialize for FiniteArms<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form<'a> {
            dimension: usize,
            #[serde(serialize_with = "crate::numerics::stored_numbers::serialize")]
            features: &'a [f64],
            #[serde(skip_serializing_if = "Option::is_none")]
            ids: &'a Option<Vec<String>>,
        }
        Form { dimension: self.dimension, features: &self.features, ids: &self.ids }.serialize(serializer)
    }
}
