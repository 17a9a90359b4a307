//! What the data allow us to believe: a history, an estimate, and a confidence set that is kept up to date.

use serde::{Deserialize, Serialize, Serializer};

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
        })
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
        self.radius.strategy_mut().observe(x, reward, count);
        self.history.record(x, reward, count as f64);
        if self.radius.strategy().weighted_history().is_none() {
            self.estimate.absorb(x, reward, count as f64);
        } else {
            self.estimate.forget_evaluation();
        }
        self.current = false;
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
    /// without a norm bound, and if the radius needs the ball ([`Strategy::holds_beyond_ball`](crate::set::Strategy)).
    pub fn set_beyond_ball<'a>(&'a mut self, centre: &'a mut Estimator) -> Option<LevelSet<'a>> {
        self.refresh();
        let holds = self.radius.strategy().holds_beyond_ball() && self.norm_bound.is_finite();
        holds.then(|| self.current_set_beyond_ball(centre))
    }

    /// [`Belief::set_beyond_ball`] of a mixture, as of the last [`Belief::refresh`].
    ///
    /// The centre is the minimiser m of J = L + (lambda/2)||.||^2 with the smallest precision lambda of the priors mixed.
    /// It is inside: J is lambda-strongly convex, so that int exp(-L) dN <= exp(-J(m)) for that prior, and the level is at
    /// least J(m) + log(1/delta); for a larger precision J is larger. A fit that stopped early may leave it outside; the set
    /// is taken for empty then, and nothing is claimed.
    pub(crate) fn current_set_beyond_ball<'a>(&'a self, centre: &'a mut Estimator) -> LevelSet<'a> {
        let Penalty { ridge, .. } = self.radius.strategy().penalty(self.history.observations());
        centre.restart(self.current_estimate());
        centre.minimise(&self.history, Penalty::ridge(ridge), None, GRADIENT_TOLERANCE);
        LevelSet::new(&self.history, self.ridge, self.level, f64::INFINITY, centre.theta(), centre.evaluation())
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
            #[serde(skip_serializing_if = "std::ops::Not::not")]
            was_empty: bool,
        }
        let Self { history, radius, estimate, inner, status, centre_is_inner, level, ridge, was_empty, .. } = self;
        let current = self.current && level.is_finite();
        let (status, centre_is_inner, level, ridge) = (*status, *centre_is_inner, *level, *ridge);
        let set = current.then_some(RawSet { status, centre_is_inner, level, ridge });
        Form { history, radius, estimate, inner, set, was_empty: *was_empty }.serialize(serializer)
    }
}
