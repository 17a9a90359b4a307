//! The radius of a level set as a strategy, and the registry of all radii.

use std::any::TypeId;
use std::fmt::{self, Debug};

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Error as _, SerializeMap};
use serde::{Deserialize, Serialize, Serializer};

use super::guarantee::{Guarantee, Theorem};
use crate::error::{Error, Result};
use crate::fit::{Estimator, Penalty};
use crate::history::History;
use crate::problem::Problem;
use crate::registry::{Named, Registry};

/// How a radius turns data into a level. Everything else about a level set is shared.
///
/// The calls come in this order, as often as there is data: `observe` for each batch of equal observations *before* it
/// enters the history (so that sequential radii can predict it), then `penalty`, a fit, and `level`.
pub trait Strategy: StrategyObject {
    /// The number of features.
    fn dimension(&self) -> usize;

    /// What is promised, under which assumptions, and where that is proved.
    fn guarantee(&self) -> Guarantee;

    /// The largest norm of an arm for which the promise is proved; infinite if it does not matter.
    fn feature_bound(&self) -> f64 {
        f64::INFINITY
    }

    /// Which estimate the level is built around, after `observations` observations.
    fn penalty(&self, observations: f64) -> Penalty;

    /// The ridge inside the set's own loss; must never decrease with the number of observations.
    fn ridge(&self, observations: f64) -> f64;

    /// Whether the set holds without its ball at the same delta, because the level is valid for parameters of any length.
    /// The minimiser of the loss with [`Strategy::penalty`]'s ridge must be below the level then.
    fn holds_beyond_ball(&self) -> bool {
        false
    }

    /// Whether [`Strategy::level`] allows for a history of which old rows were replaced by quadratics
    /// ([`Belief::with_memory`](crate::Belief::with_memory)): it must integrate what is above the true loss then, while the
    /// set's own loss is below it.
    fn allows_consolidation(&self) -> bool {
        false
    }

    /// Takes in features that were zero in all observations so far, `dimension` with the old ones. What was promised must go on
    /// to hold, at all times before and after together.
    ///
    /// # Errors
    /// If that is not proved of the radius, as of most; nothing is changed then.
    fn grow(&mut self, _dimension: usize) -> Result<()> {
        let what = format!(
            "the radius \"{}\" cannot take in new features: what it says before and after would not hold together; use \
             radius \"mixture\"",
            self.guarantee().name
        );
        Err(Error::Option { field: "dimension".into(), what })
    }

    /// Sees `count` observations of `x`, each with outcome `reward`, that are about to enter the history.
    fn observe(&mut self, _x: &[f64], _reward: f64, _count: u64) {}

    /// The level of the loss (with [`Strategy::ridge`]), given the data and the estimate.
    fn level(&mut self, history: &History, estimate: &mut Estimator) -> f64;

    /// The data of the set's loss, where they are not the plain observations: the same arms, or some of them, with weights.
    fn weighted_history(&self) -> Option<&History> {
        None
    }
}

/// What a boxed strategy must be able to do besides; every strategy that is `Clone`, `Debug` and `Serialize` can.
pub trait StrategyObject: Debug + Send + Sync + erased_serde::Serialize {
    /// A copy with all that was learnt.
    fn boxed_clone(&self) -> Box<dyn Strategy>;
}

impl<S: Strategy + Clone + Debug + Send + Sync + Serialize + 'static> StrategyObject for S {
    fn boxed_clone(&self) -> Box<dyn Strategy> {
        Box::new(self.clone())
    }
}

/// A strategy that can be built from a problem and has a line of the registry.
pub trait RegisteredStrategy: Strategy + Serialize + DeserializeOwned + 'static {
    /// The line of the registry.
    const INFO: &'static RadiusInfo;

    /// The strategy before any data.
    ///
    /// # Errors
    /// If an option is out of range, or there is no norm bound and the strategy needs one.
    fn build(problem: &Problem) -> Result<Self>;
}

/// A line of the registry: what help texts and tests need, and how the radius is made.
///
/// A radius of another crate has one as well, and is known by its name once it is [registered](Radius::register). Two are
/// equal if they say the same and make the same strategy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RadiusInfo {
    /// The name users write, of lower-case letters, digits and hyphens; also the name of the file, with underscores.
    pub name: &'static str,
    /// One line for help texts.
    pub summary: &'static str,
    /// Whether the set holds the true parameter at all times with probability 1 - delta; if not, nothing is promised.
    pub guaranteed: bool,
    /// Whether a norm bound must be given.
    pub needs_norm_bound: bool,
    /// Whether arms must lie in the unit ball.
    pub unit_arms: bool,
    /// Whether observations must be handed over in an order, and grouped into counts, without regard to their outcomes.
    pub needs_order: bool,
    /// What is proved of it, whatever the problem is, and where.
    pub theorem: &'static Theorem,
    /// How it is made.
    pub maker: RadiusMaker,
}

/// How a radius of one kind is built and restored.
#[derive(Debug, Clone, Copy)]
pub struct RadiusMaker {
    build: fn(&Problem) -> Result<Radius>,
    restore: fn(&mut dyn erased_serde::Deserializer<'_>) -> erased_serde::Result<Radius>,
    /// Which strategy it is: the functions above may share an address with those of another one, or have several.
    strategy: fn() -> TypeId,
}

/// Equal if they make the same strategy.
impl PartialEq for RadiusMaker {
    fn eq(&self, other: &Self) -> bool {
        (self.strategy)() == (other.strategy)()
    }
}

impl RadiusMaker {
    /// The maker of a strategy.
    pub const fn of<S: RegisteredStrategy>() -> Self {
        Self {
            build: |problem| Ok(S::build(problem)?.into()),
            restore: |state| Ok(erased_serde::deserialize::<S>(state)?.into()),
            strategy: TypeId::of::<S>,
        }
    }
}

impl Named for RadiusInfo {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// All radii that can be named, the default first.
static RADII: Registry<RadiusInfo> = Registry::new(
    "radius",
    &[
        super::Mixture::INFO,
        super::LocalMixture::INFO,
        super::SequentialMixing::INFO,
        super::Ofuglb::INFO,
        super::LikelihoodRatio::INFO,
        super::OfulogPlus::INFO,
        super::Tight::INFO,
        super::Corrected::INFO,
        super::Paper::INFO,
    ],
    &["excess"],
);

/// A radius of any kind.
#[derive(Debug)]
pub struct Radius {
    info: &'static RadiusInfo,
    strategy: Box<dyn Strategy>,
}

impl Radius {
    /// The registry, the default first.
    pub fn all() -> Vec<&'static RadiusInfo> {
        RADII.all()
    }

    /// Makes a radius of another crate known by its name. To register an equal line again does no harm, be it a static or a
    /// constant, and any number of threads may do so.
    ///
    /// # Errors
    /// If another radius has that name, or the name is not of lower-case letters, digits and hyphens.
    pub fn register(info: &'static RadiusInfo) -> Result<()> {
        RADII.register(info)
    }

    /// The radius of that name.
    ///
    /// # Errors
    /// If there is no such radius, if an option is out of range, or if the radius needs a norm bound and has none.
    pub fn by_name(name: &str, problem: &Problem) -> Result<Self> {
        problem.validate()?;
        (RADII.find(name)?.maker.build)(problem)
    }

    /// Its line of the registry.
    pub fn info(&self) -> &'static RadiusInfo {
        self.info
    }

    /// The strategy behind the name.
    pub fn strategy(&self) -> &dyn Strategy {
        &*self.strategy
    }

    /// The strategy behind the name, to be fed with data.
    pub fn strategy_mut(&mut self) -> &mut dyn Strategy {
        &mut *self.strategy
    }
}

impl<S: RegisteredStrategy> From<S> for Radius {
    fn from(strategy: S) -> Self {
        Self { info: S::INFO, strategy: Box::new(strategy) }
    }
}

impl Clone for Radius {
    fn clone(&self) -> Self {
        Self { info: self.info, strategy: self.strategy.boxed_clone() }
    }
}

/// The line by which a stored radius is restored. An excess is the caller's own number: it is stored like the rest, but cannot
/// be built by name.
fn known(name: &str) -> Option<&'static RadiusInfo> {
    Some(super::Excess::INFO).filter(|info| info.name == name).or_else(|| RADII.get(name))
}

/// A map with one entry, from the name to the state.
impl Serialize for Radius {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        struct State<'a>(&'a dyn Strategy);
        impl Serialize for State<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                erased_serde::serialize(self.0, serializer)
            }
        }
        // A radius can be made of any strategy, registered or not.
        if known(self.info.name).is_some_and(|known| known.maker != self.info.maker) {
            return Err(S::Error::custom(format!(
                "the radius \"{}\" has the registered name of another one, as which it would be restored: choose another name",
                self.info.name
            )));
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.info.name, &State(&*self.strategy))?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Radius {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(Entry)
    }
}

/// Reads the one entry of a stored radius.
struct Entry;

impl<'de> Visitor<'de> for Entry {
    type Value = Radius;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the state of a radius under its name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Radius, A::Error> {
        let name: String = map.next_key()?.ok_or_else(|| A::Error::custom("a radius without a name"))?;
        let info = known(&name).map_or_else(|| RADII.find(&name), Ok).map_err(A::Error::custom)?;
        map.next_value_seed(StateOf(info))
    }
}

/// Reads the state of a radius whose name is known.
struct StateOf(&'static RadiusInfo);

impl<'de> DeserializeSeed<'de> for StateOf {
    type Value = Radius;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Radius, D::Error> {
        let mut erased = <dyn erased_serde::Deserializer<'_>>::erase(deserializer);
        (self.0.maker.restore)(&mut erased).map_err(D::Error::custom)
    }
}
