//! Many items with fixed features, and a context that changes with every request.

mod groups;
mod search;

pub use search::Found;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::FiniteArms;
use crate::error::{Error, Result, check_dimension_size, check_vector};
use crate::numerics::norm;
use groups::Groups;

/// A list of items whose features stay while contexts come and go: thousands of articles, millions of products.
///
/// In a context c, item a is an arm with the features c_i a_j, one for each pair (those of c_1 first), so that its log-odds
/// c'Theta a let every feature of the context change the worth of every feature of an item. A constant 1 in the context gives
/// the items' own worth beside that.
///
/// Items are sorted into groups once, by likeness. A policy then bounds the index of whole groups, and looks only into
/// those that may hold the best: its choice is the one that looking at every item would have made. Building takes two to
/// three seconds for a million items.
///
/// ```
/// use optimist::{ArmSet, Catalogue, FiniteArms};
/// let catalogue = Catalogue::new(FiniteArms::from_rows(&[[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])?)?;
/// let visitor = [1.0, -0.5, 0.2];
/// let arms = ArmSet::from(catalogue.in_context(&visitor)?);
/// assert_eq!((arms.len(), arms.dimension()), (Some(3), 6));
/// # Ok::<(), optimist::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "FiniteArms<'static>", into = "FiniteArms<'static>")]
pub struct Catalogue {
    groups: Groups,
    ids: Option<Vec<String>>,
    max_norm: f64,
}

impl Catalogue {
    /// Sorts items into groups.
    ///
    /// # Errors
    /// If there are more than 4,294,967,295 of them.
    pub fn new(items: FiniteArms<'_>) -> Result<Self> {
        if u32::try_from(items.len()).is_err() {
            let what = format!("there are {}: at most 4,294,967,295 are allowed", items.len());
            return Err(Error::Option { field: "items".into(), what });
        }
        let groups = Groups::new(&items);
        Ok(Self { groups, max_norm: items.max_norm, ids: items.ids })
    }

    /// The number of items; never zero.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// The number of features of an item.
    pub fn item_dimension(&self) -> usize {
        self.groups.dimension()
    }

    /// The features of item `k`.
    ///
    /// # Panics
    /// If `k` is not below [`Catalogue::len`].
    pub fn item(&self, k: usize) -> &[f64] {
        self.groups.item(k)
    }

    /// The name that the caller gave to item `k`, if items have names.
    pub fn given_id(&self, k: usize) -> Option<&str> {
        self.ids.as_ref().map(|ids| ids[k].as_str())
    }

    /// The items as arms of a request.
    ///
    /// # Errors
    /// If the context is empty or holds a number that is not finite, or features of an arm would be.
    pub fn in_context<'a>(&'a self, context: impl Into<Cow<'a, [f64]>>) -> Result<CatalogueArms<'a>> {
        CatalogueArms::of(Cow::Borrowed(self), context.into())
    }

    /// The item with the largest a'mean + z ||a||_M, the first of equals, where `square` is the lower triangle of M (a row of
    /// zeros and more per feature) and z(a'mean, ||a||^2_M) must not fall as the second grows, nor as the first comes closer
    /// to zero. Without M: the largest a'mean.
    ///
    /// # Panics
    /// If `mean` or `square` is of another dimension than the items.
    pub fn best(&self, mean: &[f64], square: Option<&[f64]>, z: impl Fn(f64, f64) -> f64) -> Found {
        search::best(&self.groups, mean, square, z)
    }
}

impl PartialEq for Catalogue {
    fn eq(&self, other: &Self) -> bool {
        self.groups.has_same_items(&other.groups) && self.ids == other.ids
    }
}

impl TryFrom<FiniteArms<'static>> for Catalogue {
    type Error = Error;

    fn try_from(items: FiniteArms<'static>) -> Result<Self> {
        Self::new(items)
    }
}

impl From<Catalogue> for FiniteArms<'static> {
    fn from(catalogue: Catalogue) -> Self {
        let (dimension, features) = (catalogue.item_dimension(), catalogue.groups.features());
        let fingerprint = super::fingerprint(dimension, &features);
        let Catalogue { ids, max_norm, .. } = catalogue;
        FiniteArms { dimension, features: Cow::Owned(features), ids, fingerprint, max_norm }
    }
}

/// The items of a [`Catalogue`] in a context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw")]
pub struct CatalogueArms<'a> {
    catalogue: Cow<'a, Catalogue>,
    context: Cow<'a, [f64]>,
}

impl<'a> CatalogueArms<'a> {
    fn of(catalogue: Cow<'a, Catalogue>, context: Cow<'a, [f64]>) -> Result<Self> {
        if context.is_empty() {
            return Err(Error::Empty { field: "context" });
        }
        check_vector("context", &context, context.len())?;
        check_dimension_size("context", context.len().saturating_mul(catalogue.item_dimension()))?;
        let this = Self { catalogue, context };
        let (field, allowed) = ("the norm of an arm".into(), "a finite number: rescale the context");
        match this.max_norm() {
            longest if longest.is_finite() => Ok(this),
            longest => Err(Error::OutOfRange { field, value: longest, allowed }),
        }
    }

    /// The items.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The context.
    pub fn context(&self) -> &[f64] {
        &self.context
    }

    /// The number of features of an arm: one for each pair of a feature of the context and one of the items.
    pub fn dimension(&self) -> usize {
        self.context.len() * self.catalogue.item_dimension()
    }

    /// The number of arms; never zero.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.catalogue.len()
    }

    /// The features of arm `k`, written out.
    ///
    /// # Panics
    /// If `k` is not below [`CatalogueArms::len`].
    pub fn features(&self, k: usize) -> Vec<f64> {
        let item = self.catalogue.item(k);
        self.context.iter().flat_map(|c| item.iter().map(move |a| c * a)).collect()
    }

    /// The largest Euclidean norm of an arm.
    pub fn max_norm(&self) -> f64 {
        norm(&self.context) * self.catalogue.max_norm
    }
}

#[derive(Deserialize)]
struct Raw {
    catalogue: Catalogue,
    context: Vec<f64>,
}

impl TryFrom<Raw> for CatalogueArms<'_> {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        Self::of(Cow::Owned(raw.catalogue), raw.context.into())
    }
}
