//! What the data allow us to believe: a history, an estimate, and a confidence set that is kept up to date.

use serde::{Deserialize, Serialize, Serializer};

use crate::consolidation::{Consolidation, Summary, consolidate};
use crate::error::{Error, Result, check_norm, check_number};
use crate::fit::{Estimator, FitStatus, GRADIENT_TOLERANCE, Penalty};
use crate::history::{History, check_observation};
use crate::numerics::{dot, norm};
use crate::problem::Problem;
use crate::set::{Guarantee, LevelSet, Radius};

/// A history with an estimate and a confidence set around it.
///
/// ```
/// use optimist::Belief;
/// let mut belief = Belief::new(2, Some(4.0), 0.05)?; // two features, ||theta*|| <= 4, wrong with probability 5% at most
/// belief.observe(&[1.0, 0.0], 1.0)?;
/// belief.observe(&[0.0, 1.0], 0.0)?;
/// let set = belief.set();
/// assert!(set.contains(&[0.5, -0.5]));
/// # Ok::<(), optimist::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "RawBelief")]
pub struct Belief {
    history: History,
    radius: Radius,
    norm_bound: f64,
    estimate: Estimator,
    status: FitStatus,
    /// Least loss over the ball: the set's centre where the estimate cannot serve.
    inner: Estimator,
    centre_is_inner: bool,
    level: f64,
    ridge: f64,
    /// Whether everything above is in step with the history.
    current: bool,
    /// Whether the set was empty when it was last brought up to date.
    was_empty: bool,
    /// Rows that are kept.
    memory: Option<usize>,
    /// Rows beyond which old ones are consolidated: as many as are kept, or more after an attempt that failed.
    crowded: usize,
}

impl Belief {
    /// A belief with the default radius, [`Mixture`](crate::set::Mixture), and no data.
    ///
    /// # Errors
    /// If the dimension is zero, delta is not in (0, 1), or the norm bound is not positive.
    pub fn new(dimension: usize, norm_bound: Option<f64>, delta: f64) -> Result<Self> {
        let options = Problem { dimension, delta, norm_bound };
        Self::with_radius(Radius::by_name("mixture", &options)?)
    }

    /// A belief with any radius and no data.
    ///
    /// # Errors
    /// If the radius was made for zero features.
    pub fn with_radius(radius: Radius) -> Result<Self> {
        let dimension = radius.strategy().dimension();
        let norm_bound = radius.strategy().guarantee().norm_bound.unwrap_or(f64::INFINITY);
        Ok(Self {
            history: History::new(dimension)?,
            radius,
            norm_bound,
            estimate: Estimator::new(dimension),
            status: FitStatus::Interior,
            inner: Estimator::new(dimension),
            centre_is_inner: false,
            level: 0.0,
            ridge: 0.0,
            current: false,
            was_empty: false,
            memory: None,
            crowded: usize::MAX,
        })
    }

    /// Keeps at most about `rows` distinct arms, and quadratics in place of the others; `None`: all, which is the default.
    ///
    /// On a fixed list of arms nothing changes as long as it has no more than that. On ever-new arms memory and time stop
    /// growing, and the set becomes a little wider, mostly by less than a tenth with 200 rows per feature. The promise stays the
    /// same (docs/sets.md has the proof), as do delta and the event.
    ///
    /// Rows are consolidated when the first observation comes after a look: a question about the set or the estimate. A set
    /// that nobody asked for may stand in the middle of a batch, sorted by outcome, and must not become permanent; so between
    /// two looks there may be any number of rows. Since what is kept depends on when one looked, looking is an act.
    ///
    /// # Errors
    /// If `rows` is zero, or if the radius cannot do with less than all rows.
    pub fn with_memory(mut self, rows: Option<usize>) -> Result<Self> {
        self.limit_memory(rows)?;
        Ok(self)
    }

    /// As [`Belief::with_memory`], from now on.
    pub(crate) fn limit_memory(&mut self, rows: Option<usize>) -> Result<()> {
        if let Some(rows) = rows {
            check_number("memory", rows as f64, rows > 0, "at least 1")?;
            if !self.radius.strategy().allows_consolidation() {
                let what = format!("the radius \"{}\" needs all rows", self.guarantee().name);
                return Err(Error::Option { field: "memory".into(), what });
            }
        }
        self.memory = rows;
        self.crowded = rows.unwrap_or(usize::MAX);
        Ok(())
    }

    /// How many distinct arms are kept; none if all.
    pub fn memory(&self) -> Option<usize> {
        self.memory
    }

    /// Learns that playing `x` gave `reward`.
    ///
    /// # Errors
    /// If `x` has the wrong length, a number that is not finite, or a norm above what the radius was proved for, or if
    /// the reward is outside [0, 1]. Nothing is changed then.
    pub fn observe(&mut self, x: &[f64], reward: f64) -> Result<()> {
        self.observe_many(x, reward, 1)
    }

    /// Learns `count` observations of `x`, each with outcome `reward`.
    ///
    /// # Errors
    /// As [`Belief::observe`]; also if `count` is zero.
    pub fn observe_many(&mut self, x: &[f64], reward: f64, count: u64) -> Result<()> {
        self.check(x, reward, count)?;
        self.record(x, reward, count);
        Ok(())
    }

    /// As [`Belief::observe_many`] for observations that have been checked.
    pub(crate) fn record(&mut self, x: &[f64], reward: f64, count: u64) {
        self.make_room();
        self.radius.strategy_mut().observe(x, reward, count);
        self.history.record(x, reward, count as f64);
        if self.radius.strategy().weighted_history().is_none() {
            self.estimate.absorb(x, reward, count as f64);
        } else {
            self.estimate.forget_evaluation();
        }
        self.current = false;
    }

    /// Takes in features that were zero in all observations so far. The set says of rows with zeros in the new places what it
    /// said before, and holds at all times, before and after together ([`Strategy::grow`](crate::set::Strategy::grow)).
    ///
    /// # Errors
    /// If the radius does not allow it, or if rows were consolidated and no norm bound is known; the belief may not be used
    /// then.
    pub(crate) fn grow(&mut self, dimension: usize) -> Result<()> {
        if self.history.summary().is_some() && !self.norm_bound.is_finite() {
            let what = "old rows were consolidated, and without a norm bound nothing else would bound the parameters of new \
                        features: build with memory null or a norm bound, or in one pass with certify \"off\"";
            return Err(Error::Option { field: "memory".into(), what: what.into() });
        }
        self.radius.strategy_mut().grow(dimension)?;
        // Small beside the prior's precision, so that the region loses next to nothing of the mass that was in it.
        let penalty = self.radius.strategy().penalty(self.history.observations());
        self.history.grow(dimension);
        self.history.grow_summary(dimension, 1e-3 * penalty.ridge);
        self.estimate.grow(dimension);
        self.inner.grow(dimension);
        self.current = false;
        Ok(())
    }

    /// Consolidates old rows, if there are too many and somebody has looked at the set that is current. Half of the rows
    /// stay, so that this comes seldom; where it fails, it is tried again when there are half as many more.
    fn make_room(&mut self) {
        let rows = self.history.rows();
        let Some(memory) = self.memory.filter(|_| self.current && rows > self.crowded) else { return };
        match self.consolidation(memory / 2) {
            Some(Consolidation { summary, kept }) => {
                self.history.consolidate(&kept, summary);
                self.estimate.forget_evaluation();
                self.inner.forget_evaluation();
                (self.current, self.crowded) = (false, memory);
            }
            None => self.crowded = rows + rows / 2,
        }
    }

    /// The level set without the ball comes first, where it is known to hold theta* as well: what is consolidated by it stays
    /// true, and can go on, if the norm bound turns out to be false.
    fn consolidation(&self, keep: usize) -> Option<Consolidation> {
        let Penalty { ridge, .. } = self.radius.strategy().penalty(self.history.observations());
        let mut centre = Estimator::new(self.dimension());
        let beyond = if self.norm_bound.is_finite() { self.current_set_beyond_ball(&mut centre) } else { None };
        let beyond = beyond.and_then(|set| consolidate(&set, ridge, keep));
        beyond.or_else(|| consolidate(&self.current_set(), ridge, keep))
    }

    /// Looks at the set if that is all that stands in the way of a consolidation.
    pub(crate) fn look_if_crowded(&mut self) {
        if self.history.rows() > self.crowded {
            self.refresh();
        }
    }

    fn check(&self, x: &[f64], reward: f64, count: u64) -> Result<()> {
        check_observation(x, reward, self.dimension())?;
        check_number("count", count as f64, count > 0, "at least 1")?;
        let strategy = self.radius.strategy();
        check_norm("x", norm(x), strategy.feature_bound(), || strategy.guarantee().name)
    }

    /// The number of features.
    pub fn dimension(&self) -> usize {
        self.history.dimension()
    }

    /// The observations.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The data of the set's loss: the observations, weighted where the radius weighs them.
    pub(crate) fn data(&self) -> &History {
        self.radius.strategy().weighted_history().unwrap_or(&self.history)
    }

    /// The largest norm of an arm for which the set's promise is proved; infinite if it does not matter.
    pub fn feature_bound(&self) -> f64 {
        self.radius.strategy().feature_bound()
    }

    /// What the set promises.
    pub fn guarantee(&self) -> Guarantee {
        self.radius.strategy().guarantee()
    }

    /// The estimate around which the set is built, brought up to date.
    pub fn estimate(&mut self) -> &[f64] {
        self.refresh();
        self.estimate.theta()
    }

    /// How the last fit ended; the worse one, if the set's centre took a second fit.
    pub fn fit_status(&self) -> FitStatus {
        self.status
    }

    /// Passes over the data spent on fitting so far.
    pub fn fit_passes(&self) -> u64 {
        self.estimate.passes() + self.inner.passes()
    }

    /// The confidence set, brought up to date.
    pub fn set(&mut self) -> LevelSet<'_> {
        self.refresh();
        self.current_set()
    }

    /// The confidence set as of the last [`Belief::refresh`], after which nothing may have been observed.
    pub(crate) fn current_set(&self) -> LevelSet<'_> {
        debug_assert!(self.current, "the set is asked for before it is brought up to date");
        let centre = if self.centre_is_inner { &self.inner } else { &self.estimate };
        let data = self.radius.strategy().weighted_history().unwrap_or(&self.history);
        LevelSet::new(data, self.ridge, self.level, self.norm_bound, centre.theta(), centre.evaluation())
    }

    /// The level set without the ball, around `centre`, which is fitted for it: what remains when the set is empty because
    /// the norm bound is wrong. It holds on the same event as the set, so that nothing is spent by asking for it. None
    /// without a norm bound, if the radius needs the ball ([`Strategy::holds_beyond_ball`](crate::set::Strategy)), and if rows
    /// were consolidated such that nothing is known without it.
    pub fn set_beyond_ball<'a>(&'a mut self, centre: &'a mut Estimator) -> Option<LevelSet<'a>> {
        self.refresh();
        if self.norm_bound.is_finite() { self.current_set_beyond_ball(centre) } else { None }
    }

    /// [`Belief::set_beyond_ball`], as of the last [`Belief::refresh`].
    ///
    /// Of a mixture the centre is the minimiser m of J = L + (lambda/2)||.||^2 with the smallest precision lambda of the priors
    /// mixed. It is inside: J is lambda-strongly convex, so that int exp(-L) dN <= exp(-J(m)) for that prior, and the level is at
    /// least J(m) + log(1/delta); for a larger precision J is larger. A fit that stopped early may leave it outside; the set
    /// is taken for empty then, and nothing is claimed.
    ///
    /// None if the radius needs the ball, if rows were consolidated by help of it, or if what is left of them does not bound
    /// theta without it: a set that may have no end is decided about row by row, and these rows are gone.
    pub(crate) fn current_set_beyond_ball<'a>(&'a self, centre: &'a mut Estimator) -> Option<LevelSet<'a>> {
        let unusable = |summary: &Summary| summary.is_in_ball() || summary.reach(self.level).is_infinite();
        if !self.radius.strategy().holds_beyond_ball() || self.history.summary().is_some_and(unusable) {
            return None;
        }
        let Penalty { ridge, .. } = self.radius.strategy().penalty(self.history.observations());
        centre.restart(self.current_estimate());
        centre.minimise(&self.history, Penalty::ridge(ridge), None, GRADIENT_TOLERANCE);
        let (theta, at) = (centre.theta(), centre.evaluation());
        Some(LevelSet::new(&self.history, self.ridge, self.level, f64::INFINITY, theta, at))
    }

    /// The estimate as of the last [`Belief::refresh`], after which nothing may have been observed.
    pub(crate) fn current_estimate(&self) -> &[f64] {
        debug_assert!(self.current, "the estimate is asked for before it is brought up to date");
        self.estimate.theta()
    }

    /// Brings estimate and set in step with the observations.
    pub(crate) fn refresh(&mut self) {
        if self.current {
            return;
        }
        let n = self.history.observations();
        let penalty = self.radius.strategy().penalty(n);
        let data = self.radius.strategy().weighted_history().unwrap_or(&self.history);
        self.status = self.estimate.minimise(data, penalty, None, GRADIENT_TOLERANCE);
        self.ridge = self.radius.strategy().ridge(n);
        self.level = self.radius.strategy_mut().level(&self.history, &mut self.estimate);
        self.find_centre();
        self.current = true;
        // An estimate that is in the set answers it.
        self.was_empty = self.centre_is_inner && self.current_set().is_empty();
    }

    /// Whether the set was empty when it was last brought up to date: what is known without a fit.
    pub(crate) fn was_empty(&self) -> bool {
        self.was_empty
    }

    /// The estimate is the centre if it is in the set; otherwise the point of the ball with the least loss.
    fn find_centre(&mut self) {
        let theta = self.estimate.theta();
        let loss = self.estimate.evaluation().loss + 0.5 * self.ridge * dot(theta, theta);
        self.centre_is_inner = !(norm(theta) <= self.norm_bound && loss < self.level);
        if self.centre_is_inner {
            let data = self.radius.strategy().weighted_history().unwrap_or(&self.history);
            let penalty = Penalty { ridge: self.ridge, norm_bound: self.norm_bound };
            self.inner.restart(theta);
            let status = self.inner.minimise(data, penalty, None, GRADIENT_TOLERANCE);
            if !status.is_converged() {
                self.status = status;
            }
        }
    }
}

/// The serialised form: all that later answers depend on, so that a restored belief goes on to the last digit.
#[derive(Deserialize)]
struct RawBelief {
    history: History,
    radius: Radius,
    estimate: Estimator,
    inner: Estimator,
    /// The set, if it is in step with the history.
    #[serde(default)]
    set: Option<RawSet>,
    #[serde(default)]
    was_empty: bool,
    #[serde(default)]
    memory: Option<usize>,
    #[serde(default)]
    crowded: Option<usize>,
}

#[derive(Serialize, Deserialize)]
struct RawSet {
    status: FitStatus,
    centre_is_inner: bool,
    level: f64,
    ridge: f64,
}

impl TryFrom<RawBelief> for Belief {
    type Error = Error;

    fn try_from(raw: RawBelief) -> Result<Self> {
        let expected = raw.radius.strategy().dimension();
        let parts = [
            ("history", raw.history.dimension()),
            ("estimate", raw.estimate.dimension()),
            ("inner", raw.inner.dimension()),
        ];
        for (field, got) in parts {
            if got != expected {
                return Err(Error::Dimension { field: field.into(), expected, got });
            }
        }
        let mut belief = Self::with_radius(raw.radius)?;
        belief.limit_memory(raw.memory)?;
        belief.crowded = raw.crowded.map_or(belief.crowded, |rows| rows.max(belief.crowded));
        if raw.history.summary().is_some() && !belief.radius.strategy().allows_consolidation() {
            let what = "its rows were consolidated, which its radius does not allow for";
            return Err(Error::Option { field: "history".into(), what: what.into() });
        }
        let longest = raw.history.max_norm();
        check_norm("the longest arm of the history", longest, belief.feature_bound(), || belief.guarantee().name)?;
        // What is weighted is what was observed, so that what was said of the one holds for the other.
        if belief.radius.strategy().weighted_history().is_some_and(|weighted| !raw.history.has_arms_of(weighted)) {
            let what = "its weighted history has an arm that was not observed";
            return Err(Error::Option { field: "radius".into(), what: what.into() });
        }
        (belief.history, belief.estimate, belief.inner) = (raw.history, raw.estimate, raw.inner);
        belief.was_empty = raw.was_empty;
        if let Some(set) = raw.set {
            check_number("level", set.level, true, "a number")?;
            check_number("ridge", set.ridge, set.ridge >= 0.0, "zero or positive")?;
            (belief.status, belief.centre_is_inner) = (set.status, set.centre_is_inner);
            (belief.level, belief.ridge, belief.current) = (set.level, set.ridge, true);
        }
        Ok(belief)
    }
}

impl Serialize for Belief {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form<'a> {
            history: &'a History,
            radius: &'a Radius,
            estimate: &'a Estimator,
            inner: &'a Estimator,
            set: Option<RawSet>,
            was_empty: bool,
            memory: Option<usize>,
            crowded: Option<usize>,
        }
        let Self { history, radius, estimate, inner, status, centre_is_inner, level, ridge, was_empty, .. } = self;
        let current = self.current && level.is_finite();
        let (status, centre_is_inner, level, ridge) = (*status, *centre_is_inner, *level, *ridge);
        let set = current.then_some(RawSet { status, centre_is_inner, level, ridge });
        let (memory, crowded) = (self.memory, self.memory.map(|_| self.crowded));
        Form { history, radius, estimate, inner, set, was_empty: *was_empty, memory, crowded }.serialize(serializer)
    }
}
