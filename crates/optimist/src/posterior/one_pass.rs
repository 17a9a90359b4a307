//! One filter, or several with different priors of which the one is asked that foretold the rewards best.

use std::collections::BTreeMap;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::start::Start;
use super::{DenseFilter, HybridFilter, Prediction, Row};
use crate::arms::FiniteArms;
use crate::error::{Error, Result, check_dimension_size, check_number};
use crate::link;
use crate::numerics::{Draws, Elementary, Precision, StandardNormal, TOGETHER, dot};

/// How parameters belong to arms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Structure {
    /// All arms share all parameters.
    Shared {
        /// Their number.
        dimension: usize,
    },
    /// All arms share some parameters, and each has some of its own.
    Hybrid {
        /// The number of shared ones; zero: one model per arm.
        shared: usize,
        /// The number of each arm's own.
        own: usize,
    },
}

impl Structure {
    /// The number of features of a row.
    pub fn dimension(self) -> usize {
        match self {
            Structure::Shared { dimension } => dimension,
            Structure::Hybrid { shared, own } => shared + own,
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Filter {
    Dense(DenseFilter),
    Hybrid(HybridFilter),
}

impl Filter {
    fn score(&self, row: &Row<'_>, rest: &mut Vec<f64>) -> Prediction {
        match (self, row) {
            (Filter::Dense(filter), Row::Sparse { indices, values }) => filter.score_sparse(indices, values),
            (Filter::Dense(filter), row) => filter.score(row.values()),
            (Filter::Hybrid(filter), row) => {
                rest.resize(filter.shared().theta().len(), 0.0);
                filter.score(row.owner(), row.values(), rest)
            }
        }
    }

    /// H += weight x x'; the estimate stays.
    fn inform(&mut self, owner: u64, x: &[f64], weight: f64) {
        match self {
            Filter::Dense(filter) => filter.inform(x, weight),
            Filter::Hybrid(filter) => {
                filter.inform(owner, x, weight);
            }
        }
    }

    fn forget(&mut self, owner: u64, keep: f64) {
        match self {
            Filter::Dense(filter) => filter.forget(keep),
            Filter::Hybrid(filter) => filter.forget(owner, keep),
        }
    }

    fn grow(&mut self, structure: Structure) {
        match (self, structure) {
            (Filter::Dense(filter), Structure::Shared { dimension }) => filter.grow(dimension),
            (Filter::Hybrid(filter), Structure::Hybrid { shared, own }) => filter.grow(shared, own),
            // The caller has compared the two.
            (Filter::Dense(_), _) | (Filter::Hybrid(_), _) => {}
        }
    }

    fn check(&self, structure: Structure) -> Result<()> {
        match (self, structure) {
            (Filter::Dense(filter), Structure::Shared { dimension }) => filter.check(dimension),
            (Filter::Hybrid(filter), Structure::Hybrid { shared, own }) => filter.check(shared, own),
            _ => check_number("structure", structure.dimension() as f64, false, "that of the problem"),
        }
    }
}

/// A filter with its prior and what that is worth.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Candidate {
    filter: Filter,
    /// The same with the information that open plays will bring; none as long as no play was ever open. Its estimate means
    /// nothing.
    lent: Option<Filter>,
    /// Logarithm of the probability that it gave to the rewards, each before it came.
    evidence: f64,
}

/// A posterior in one pass.
///
/// With several prior scales there is one filter each, at the cost of one more update per observation; arms are scored by one
/// of them only: that with the largest evidence, the sum of log mu(z/sqrt(1 + pi v/8)) over the rewards foretold, z and v the
/// mean and the variance of the log-odds before the reward came (MacKay 1992).
///
/// Where arms share nothing, the first 64 outcomes of each are fitted: a filter is at its worst where the estimate still moves
/// far.
///
/// With a half-life the information of an observation halves after as many others, back towards the prior: for rewards whose
/// law drifts. Evidence fades alike.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OnePass {
    structure: Structure,
    candidates: Vec<Candidate>,
    best: usize,
    /// What is left of old information after one observation; one if nothing is forgotten.
    keep: f64,
    /// The first outcomes of arms that share nothing, as long as they are few.
    starts: BTreeMap<u64, Start>,
    #[serde(skip)]
    draws: Draws,
    #[serde(skip)]
    scratch: Scratch,
}

#[derive(Debug, Clone, Default)]
struct Scratch {
    /// g of a hybrid row.
    rest: Vec<f64>,
    /// A sparse row, written out.
    dense: Vec<f64>,
}

impl OnePass {
    /// The priors N(0, I/ridge), one per ridge.
    ///
    /// # Errors
    /// If there are no features, no ridge, a ridge that is not positive, or a half-life that is not positive.
    pub fn new(structure: Structure, ridges: &[f64], half_life: Option<f64>) -> Result<Self> {
        let filter = |ridge: &f64| match structure {
            Structure::Shared { dimension } => Ok(Filter::Dense(DenseFilter::new(dimension, *ridge)?)),
            Structure::Hybrid { shared, own } => Ok(Filter::Hybrid(HybridFilter::new(shared, own, *ridge)?)),
        };
        let candidate = |ridge| Ok(Candidate { filter: filter(ridge)?, lent: None, evidence: 0.0 });
        Self::of(structure, ridges.iter().map(candidate).collect::<Result<_>>()?, half_life)
    }

    /// Goes on from fits, each with its evidence.
    pub(crate) fn resume(dimension: usize, fits: Vec<(DenseFilter, f64)>, half_life: Option<f64>) -> Result<Self> {
        let candidate = |(filter, evidence)| Candidate { filter: Filter::Dense(filter), lent: None, evidence };
        Self::of(Structure::Shared { dimension }, fits.into_iter().map(candidate).collect(), half_life)
    }

    fn of(structure: Structure, candidates: Vec<Candidate>, half_life: Option<f64>) -> Result<Self> {
        if candidates.is_empty() {
            return Err(Error::Empty { field: "ridges" });
        }
        if let Some(life) = half_life {
            check_number("half_life", life, life > 0.0, "a positive number of observations")?;
        }
        let keep = kept_after(half_life);
        // In the middle, until evidence tells.
        let best = candidates.len() / 2;
        let (starts, draws, scratch) = Default::default();
        let mut this = Self { structure, candidates, best, keep, starts, draws, scratch };
        this.weigh();
        Ok(this)
    }

    /// How parameters belong to arms.
    pub fn structure(&self) -> Structure {
        self.structure
    }

    /// Estimate of the parameters that all arms share.
    pub fn theta(&self) -> &[f64] {
        self.shared().theta()
    }

    fn shared(&self) -> &DenseFilter {
        match &self.candidates[self.best].filter {
            Filter::Dense(filter) => filter,
            Filter::Hybrid(filter) => filter.shared(),
        }
    }

    /// Estimate and precision of the filter with the largest evidence, open plays included, if all parameters are shared.
    pub(crate) fn gaussian(&mut self) -> Option<(&[f64], &Precision)> {
        let Candidate { filter, lent, .. } = &mut self.candidates[self.best];
        match (filter, lent) {
            (Filter::Dense(filter), Some(Filter::Dense(lent))) => Some((filter.theta(), lent.precision())),
            (Filter::Dense(filter), _) => Some(filter.gaussian()),
            _ => None,
        }
    }

    /// The estimate, and the covariance with open plays included, if all parameters are shared.
    pub(crate) fn moments(&self) -> Option<(&[f64], &[f64])> {
        let Candidate { filter, lent, .. } = &self.candidates[self.best];
        match (filter, lent) {
            (Filter::Dense(filter), Some(Filter::Dense(lent))) => Some((filter.theta(), lent.covariance())),
            (Filter::Dense(filter), _) => Some((filter.theta(), filter.covariance())),
            _ => None,
        }
    }

    /// Checks a row against the structure.
    ///
    /// # Errors
    /// If the row has another form or length, a number that is not finite, or an index out of range or out of order.
    pub fn check_row(&self, row: &Row<'_>) -> Result<()> {
        let fits = matches!(row, Row::Own { .. }) == matches!(self.structure, Structure::Hybrid { .. });
        if !fits {
            let (given, defined_for) =
                if matches!(row, Row::Own { .. }) { ("hybrid", "other") } else { ("other", "hybrid") };
            return Err(Error::ArmKind {
                what: "this posterior".into(),
                given,
                defined_for: defined_for.into(),
                remedy: "give rows of the structure that it was made for",
            });
        }
        row.check(self.structure.dimension())
    }

    /// Mean and variance of the log-odds of a row.
    ///
    /// # Errors
    /// As [`OnePass::check_row`].
    pub fn predict(&self, row: &Row<'_>) -> Result<Prediction> {
        self.check_row(row)?;
        Ok(self.score(row, &mut Vec::new()))
    }

    /// Learns an outcome.
    ///
    /// # Errors
    /// As [`OnePass::check_row`], and if the reward is outside [0, 1].
    pub fn observe(&mut self, row: &Row<'_>, reward: f64) -> Result<()> {
        self.check_row(row)?;
        check_number("reward", reward, (0.0..=1.0).contains(&reward), "between 0 and 1")?;
        self.learn(row, reward);
        Ok(())
    }

    /// Takes in features that were zero in all rows so far: at the end of those that are shared, and of those that are an arm's
    /// own. New parameters have the prior of the others, and no prediction of rows with zeros in the new places changes.
    ///
    /// Two things are as they will be, and not as they would have been had the features always been there: with a half-life,
    /// which direction is next to be given back what was taken from the prior; and where arms share nothing, how many
    /// outcomes of a young arm wait for a fit, if there are eight features or more.
    ///
    /// # Errors
    /// If the structure is of another kind, has fewer features of a kind or more than 10,000, or if arms that shared nothing
    /// would share something: their first outcomes were fitted, as those of arms that share are not.
    pub fn grow(&mut self, structure: Structure) -> Result<()> {
        let refused = |what: &str| Err(Error::Option { field: "structure".into(), what: what.into() });
        check_dimension_size("dimension", structure.dimension())?;
        match (self.structure, structure) {
            (Structure::Shared { dimension: from }, Structure::Shared { dimension: to }) if from <= to => {}
            (Structure::Hybrid { shared: 0, .. }, Structure::Hybrid { shared, .. }) if shared > 0 => {
                return refused("arms that share nothing cannot begin to share: build a new posterior");
            }
            (Structure::Hybrid { shared: p, own: q }, Structure::Hybrid { shared, own }) if p <= shared && q <= own => {
            }
            _ => return refused("it must be of the same kind and have no fewer features: none can be taken away"),
        }
        let filters = |c: &mut Candidate| {
            c.filter.grow(structure);
            c.lent.iter_mut().for_each(|lent| lent.grow(structure));
        };
        self.candidates.iter_mut().for_each(filters);
        let (from, to) = (self.structure.dimension(), structure.dimension());
        self.starts.values_mut().for_each(|start| start.grow(from, to));
        self.draws.grow();
        self.structure = structure;
        Ok(())
    }

    /// Forgets the own parameters of an arm; says whether there were any.
    pub fn remove(&mut self, owner: u64) -> bool {
        self.starts.remove(&owner);
        let mut any = false;
        for filter in self.candidates.iter_mut().flat_map(|c| std::iter::once(&mut c.filter).chain(&mut c.lent)) {
            if let Filter::Hybrid(filter) = filter {
                any |= filter.remove(owner);
            }
        }
        any
    }

    /// [`OnePass::predict`] for a row that has been checked, in the memory of the caller.
    pub(crate) fn score(&self, row: &Row<'_>, rest: &mut Vec<f64>) -> Prediction {
        let Candidate { filter, lent, .. } = &self.candidates[self.best];
        let said = filter.score(row, rest);
        match lent {
            Some(lent) => Prediction { variance: lent.score(row, rest).variance, ..said },
            None => said,
        }
    }

    /// [`OnePass::score`] for the arms of a list, several at a time where all parameters are shared.
    pub(crate) fn score_list(
        &self,
        arms: &FiniteArms<'_>,
        rest: &mut Vec<f64>,
        mut tell: impl FnMut(usize, Prediction),
    ) {
        let Candidate { filter: Filter::Dense(filter), lent: None, .. } = &self.candidates[self.best] else {
            return arms.iter().enumerate().for_each(|(k, x)| tell(k, self.score(&Row::Dense(x), rest)));
        };
        let whole = arms.len() - arms.len() % TOGETHER;
        for first in (0..whole).step_by(TOGETHER) {
            let said = filter.score_together(std::array::from_fn(|k| arms.arm(first + k)));
            said.into_iter().enumerate().for_each(|(k, said)| tell(first + k, said));
        }
        (whole..arms.len()).for_each(|k| tell(k, filter.score(arms.arm(k))));
    }

    /// Counts a play whose reward is out as if that were known: H += weight x x' in the widths, weight the variance of its
    /// outcome by the estimate. Returns the weight.
    pub(crate) fn lend(&mut self, row: &Row<'_>) -> f64 {
        let weight = link::variance(self.mean(row));
        self.inform_lent(row, weight);
        weight
    }

    /// Takes away what was added for a play; `left` are open beside it.
    pub(crate) fn take_back(&mut self, row: &Row<'_>, weight: f64, left: usize) {
        if left > 0 {
            return self.inform_lent(row, -weight);
        }
        for Candidate { filter, lent, .. } in &mut self.candidates {
            // Nothing is left of what was lent, to the last bit.
            if let Some(lent) = lent {
                lent.clone_from(filter);
            }
        }
    }

    /// H += `lower` in the widths: what is lent when this posterior takes over.
    pub(crate) fn lend_matrix(&mut self, lower: &[f64]) {
        for Candidate { filter, lent, .. } in &mut self.candidates {
            if let Filter::Dense(filter) = filter {
                let mut with = filter.clone();
                with.inform_by(lower);
                *lent = Some(Filter::Dense(with));
            }
        }
    }

    fn inform_lent(&mut self, row: &Row<'_>, weight: f64) {
        let mut dense = std::mem::take(&mut self.scratch.dense);
        let x = row.dense(self.structure.dimension(), &mut dense);
        for Candidate { filter, lent, .. } in &mut self.candidates {
            lent.get_or_insert_with(|| filter.clone()).inform(row.owner(), x, weight);
        }
        self.scratch.dense = dense;
    }

    /// The mean alone.
    pub(crate) fn mean(&self, row: &Row<'_>) -> f64 {
        match &self.candidates[self.best].filter {
            Filter::Dense(filter) => row.dot(filter.theta()),
            Filter::Hybrid(filter) => filter.mean(row.owner(), row.values()),
        }
    }

    /// The number of parameters met so far.
    pub(crate) fn parameters(&self) -> usize {
        match (&self.candidates[self.best].filter, self.structure) {
            (Filter::Hybrid(filter), Structure::Hybrid { shared, own }) => shared + own * filter.arms(),
            _ => self.structure.dimension(),
        }
    }

    /// [`OnePass::observe`] for an observation that has been checked.
    pub(crate) fn learn(&mut self, row: &Row<'_>, reward: f64) {
        self.draws.outdate();
        self.begin(row);
        let several = self.candidates.len() > 1;
        let mut dense = std::mem::take(&mut self.scratch.dense);
        let x = row.dense(self.structure.dimension(), &mut dense);
        for Candidate { filter, lent, evidence } in &mut self.candidates {
            let (prior, weight) = match filter {
                Filter::Dense(filter) => {
                    let prior = filter.prepare(x);
                    (prior, filter.learn(x, reward, 1.0, prior))
                }
                Filter::Hybrid(filter) => filter.learn(row.owner(), x, reward, 1.0),
            };
            if let Some(lent) = lent {
                lent.inform(row.owner(), x, weight);
            }
            if several {
                *evidence = self.keep * *evidence - foretold_loss(prior, reward);
            }
        }
        self.fit_start(row, reward);
        if self.keep < 1.0 {
            self.forget(row);
        }
        self.scratch.dense = dense;
        self.weigh();
    }

    /// Begins to keep the outcomes of an arm that was never seen, if it shares nothing and nothing is forgotten.
    fn begin(&mut self, row: &Row<'_>) {
        if let (Structure::Hybrid { shared: 0, .. }, Filter::Hybrid(filter)) =
            (self.structure, &self.candidates[self.best].filter)
            && self.keep >= 1.0
            && !filter.knows(row.owner())
        {
            self.starts.insert(row.owner(), Start::default());
        }
    }

    /// Notes the outcome of a young arm, and fits those that there are if it is time.
    fn fit_start(&mut self, row: &Row<'_>, reward: f64) {
        let (owner, x) = (row.owner(), row.values());
        let Some(start) = self.starts.get_mut(&owner) else { return };
        start.note(x, reward);
        if start.falls_due(x.len()) {
            for Candidate { filter, lent, .. } in &mut self.candidates {
                if let Filter::Hybrid(filter) = filter {
                    let lent = lent.as_mut().and_then(|lent| if let Filter::Hybrid(l) = lent { Some(l) } else { None });
                    filter.fit(owner, start, lent);
                }
            }
        }
        if start.is_over() {
            self.starts.remove(&owner);
        }
    }

    fn forget(&mut self, row: &Row<'_>) {
        for Candidate { filter, lent, .. } in &mut self.candidates {
            filter.forget(row.owner(), self.keep);
            lent.iter_mut().for_each(|lent| lent.forget(row.owner(), self.keep));
        }
    }

    /// Finds the largest evidence, the present one's of equals.
    fn weigh(&mut self) {
        let best = self.candidates[self.best].evidence;
        for (k, candidate) in self.candidates.iter().enumerate() {
            if candidate.evidence > best.max(self.candidates[self.best].evidence) {
                self.best = k;
            }
        }
    }

    /// Draws shared parameters from N(theta_s, scale^2 S^{-1}); [`OnePass::drawn`] says what rows are worth for them.
    pub(crate) fn draw(&mut self, scale: f64, rng: &mut dyn Rng) {
        let filter = match &mut self.candidates[self.best].filter {
            Filter::Dense(filter) => filter,
            Filter::Hybrid(filter) => filter.shared_mut(),
        };
        self.draws.draw(filter.ellipsoid(scale), rng);
    }

    /// The shared parameters last drawn.
    pub(crate) fn last_draw(&self) -> &[f64] {
        self.draws.last()
    }

    /// The log-odds of a row for the shared parameters last drawn, and own parameters drawn now given those: together, over
    /// rows of different arms, a draw from the joint posterior.
    pub(crate) fn drawn(&mut self, row: &Row<'_>, scale: f64, rng: &mut dyn Rng) -> f64 {
        match (&self.candidates[self.best].filter, row) {
            (Filter::Dense(_), row) => row.dot(self.draws.last()),
            (Filter::Hybrid(filter), row) => {
                let rest = &mut self.scratch.rest;
                rest.resize(filter.shared().theta().len(), 0.0);
                let (mean, variance) = filter.own_score(row.owner(), row.values(), rest);
                let noise: f64 = rng.sample(StandardNormal);
                mean + dot(rest, self.draws.last()) + scale * variance.sqrt() * noise
            }
        }
    }

    /// Checks a deserialised posterior.
    pub(crate) fn check(&self, structure: Structure) -> Result<()> {
        let sound = self.structure == structure && self.best < self.candidates.len();
        check_number("structure", structure.dimension() as f64, sound, "that of the problem")?;
        check_number("keep", self.keep, self.keep > 0.0 && self.keep <= 1.0, "above 0 and at most 1")?;
        self.starts.values().try_for_each(|start| start.check(structure.dimension()))?;
        self.candidates.iter().try_for_each(|Candidate { filter, lent, evidence }| {
            check_number("evidence", *evidence, true, "a number")?;
            filter.check(structure)?;
            lent.as_ref().map_or(Ok(()), |lent| lent.check(structure))
        })
    }
}

/// What is left of an observation after the next one.
pub(crate) fn kept_after(half_life: Option<f64>) -> f64 {
    half_life.map_or(1.0, |life| (-std::f64::consts::LN_2 / life).exponential())
}

/// The loss of a reward under the forecast mu(z/sqrt(1 + pi v/8)).
fn foretold_loss(prior: Prediction, reward: f64) -> f64 {
    link::log_loss(prior.mean / (1.0 + std::f64::consts::PI / 8.0 * prior.variance).sqrt(), reward)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an open play is counted for stays on top of what is known, whether that is filtered or fitted.
    #[test]
    fn open_plays_of_a_young_arm_are_counted_once() {
        let mut posterior = OnePass::new(Structure::Hybrid { shared: 0, own: 1 }, &[0.1, 1.0], None).unwrap();
        let row = Row::Own { owner: 4, features: &[1.5] };
        for i in 0..10 {
            posterior.learn(&row, f64::from(u8::from(i == 3)));
            if i == 2 {
                posterior.lend(&row);
            }
        }
        let weight = 0.2;
        posterior.inform_lent(&row, weight);
        let information = |filter: &Filter| 1.5 * 1.5 / filter.score(&row, &mut Vec::new()).variance;
        let added = |c: &Candidate| information(c.lent.as_ref().unwrap()) - information(&c.filter);
        let before: Vec<f64> = posterior.candidates.iter().map(added).collect();
        (0..100).for_each(|i| posterior.learn(&row, f64::from(u8::from(i % 4 == 0))));
        for (candidate, before) in posterior.candidates.iter().zip(before) {
            assert!(before > 1.5 * 1.5 * weight && (added(candidate) - before).abs() < 1e-9, "{before}");
        }
    }
}
