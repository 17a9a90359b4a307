//! A filter for arms that have parameters of their own beside those that all share.
//!
//! A row of arm k is (s, u): p shared features s, and q features u that meet the parameters theta_k of arm k alone. Written
//! out for K arms it would have p + K q numbers, nearly all zero, and H^{-1} the square of that. H is an arrow: its blocks of
//! two different arms vanish. With D_k the block of arm k, B_k its border and M_k = B_k D_k^{-1}, keep
//!
//! ```text
//! S     = Schur complement of the shared block: what is known of theta_s once all theta_k are integrated out
//! eta_k = theta_k + M_k'theta_s: what theta_k would be at theta_s = 0
//! ```
//!
//! and with g = s - M_k u
//!
//! ```text
//! mean     = g'theta_s + u'eta_k
//! variance = g'S^{-1}g + a,   a = u'D_k^{-1}u.
//! ```
//!
//! An observation of weight w that moves the log-odds by e times their variance changes (old values on the right)
//!
//! ```text
//! theta_s += S^{-1}g e,   S += c g g',   D_k += w u u',   M_k += c g (D_k^{-1}u)',   c = w/(1 + w a)
//! eta_k   += D_k^{-1}u (e + c g'theta_s)                       (with the new theta_s)
//! ```
//!
//! which is exact: the same numbers as a dense filter of all parameters, at O(p^2 + pq + q^2), and no other arm is
//! touched. S and the D_k only grow by terms of rank one, so that [`Precision`] keeps their inverses.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::start::Start;
use super::{DenseFilter, Prediction};
use crate::error::{Error, Result, check_dimension_size, check_number, check_vector};
use crate::history::check_observation;
use crate::link;
use crate::numerics::{Precision, add_scaled, dot, grow_rows, posterior_logit, square_form};

/// The running Gaussian approximation for shared and own parameters.
///
/// ```
/// use optimist::posterior::HybridFilter;
///
/// let mut filter = HybridFilter::new(1, 2, 1.0)?; // one feature that all arms share, two of each arm's own
/// filter.observe(7, &[1.0, 0.5, -0.5], 1.0)?;     // arm 7 succeeded
/// let same = filter.predict(7, &[1.0, 0.5, -0.5])?;
/// let other = filter.predict(8, &[1.0, 0.5, -0.5])?; // an arm never seen: the shared part, and its prior
/// assert!(same.mean > other.mean && other.mean > 0.0 && same.variance < other.variance);
/// # Ok::<(), optimist::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HybridFilter {
    /// theta_s and S.
    shared: DenseFilter,
    own: usize,
    ridge: f64,
    blocks: BTreeMap<u64, Block>,
    #[serde(skip)]
    scratch: Scratch,
}

/// What is kept of one arm.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Block {
    eta: Vec<f64>,
    /// M_k', one row of p numbers per own feature.
    #[serde(with = "crate::numerics::stored_numbers")]
    coupling: Vec<f64>,
    /// D_k.
    precision: Precision,
    /// The direction that is next to be given back what forgetting took from the prior.
    next: usize,
}

/// Working memory of [`HybridFilter::learn`].
#[derive(Debug, Clone, Default)]
struct Scratch {
    /// g.
    rest: Vec<f64>,
    /// D_k^{-1}u.
    direction: Vec<f64>,
}

impl Block {
    fn new(shared: usize, own: usize, ridge: f64) -> Self {
        Self { eta: vec![0.0; own], coupling: vec![0.0; own * shared], precision: Precision::new(own, ridge), next: 0 }
    }

    /// g = s - M_k u.
    fn rest(&self, s: &[f64], u: &[f64], g: &mut [f64]) {
        g.copy_from_slice(s);
        if !s.is_empty() {
            for (row, value) in self.coupling.chunks_exact(s.len()).zip(u) {
                add_scaled(g, -value, row);
            }
        }
    }
}

impl HybridFilter {
    /// The prior N(0, I/ridge) for `shared` parameters, and for `own` ones of every arm.
    ///
    /// # Errors
    /// If there are no features at all, more than 10,000 of a kind, or the ridge is not positive.
    pub fn new(shared: usize, own: usize, ridge: f64) -> Result<Self> {
        check_dimension_size("shared + own", shared + own)?;
        check_number("ridge", ridge, ridge > 0.0, "positive")?;
        let blocks = BTreeMap::new();
        Ok(Self { shared: DenseFilter::start(shared, ridge), own, ridge, blocks, scratch: Scratch::default() })
    }

    /// The number of features of a row: shared ones and own ones.
    pub fn dimension(&self) -> usize {
        self.shared_features() + self.own
    }

    fn shared_features(&self) -> usize {
        self.shared.theta().len()
    }

    /// The number of arms with parameters of their own.
    pub fn arms(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn knows(&self, owner: u64) -> bool {
        self.blocks.contains_key(&owner)
    }

    /// The shared part: theta_s and S.
    pub(crate) fn shared(&self) -> &DenseFilter {
        &self.shared
    }

    pub(crate) fn shared_mut(&mut self) -> &mut DenseFilter {
        &mut self.shared
    }

    /// The estimate of an arm's own parameters; none if it was never observed.
    pub fn own_theta(&self, owner: u64) -> Option<Vec<f64>> {
        let block = self.blocks.get(&owner)?;
        let p = self.shared_features().max(1);
        let mut theta = block.eta.clone();
        for (t, row) in theta.iter_mut().zip(block.coupling.chunks_exact(p)) {
            *t -= dot(row, self.shared.theta());
        }
        Some(theta)
    }

    /// Mean and variance of the log-odds of `features` (shared, then own) for an arm.
    ///
    /// # Errors
    /// If there are not as many features as there should be, or one is not finite.
    pub fn predict(&self, owner: u64, features: &[f64]) -> Result<Prediction> {
        check_vector("x", features, self.dimension())?;
        let mut rest = vec![0.0; self.shared_features()];
        Ok(self.score(owner, features, &mut rest))
    }

    /// Learns an outcome of an arm.
    ///
    /// # Errors
    /// As [`HybridFilter::predict`], and if the reward is outside [0, 1].
    pub fn observe(&mut self, owner: u64, features: &[f64], reward: f64) -> Result<()> {
        check_observation(features, reward, self.dimension())?;
        self.learn(owner, features, reward, 1.0);
        Ok(())
    }

    /// Counts an outcome of an arm without looking at it: H += weight x x', and the estimate stays. Returns what was known before.
    ///
    /// # Errors
    /// As [`HybridFilter::predict`], and if the weight is negative or not finite.
    pub fn add(&mut self, owner: u64, features: &[f64], weight: f64) -> Result<Prediction> {
        check_vector("x", features, self.dimension())?;
        check_number("weight", weight, weight >= 0.0, "zero or positive")?;
        Ok(self.inform(owner, features, weight))
    }

    /// Forgets the parameters of an arm. What it taught about the shared ones stays, exactly. Says whether there were any.
    pub fn remove(&mut self, owner: u64) -> bool {
        self.blocks.remove(&owner).is_some()
    }

    /// [`HybridFilter::predict`] for features that have been checked; g is left in `rest`.
    pub(crate) fn score(&self, owner: u64, features: &[f64], rest: &mut [f64]) -> Prediction {
        let (mean, variance) = self.own_score(owner, features, rest);
        let shared = self.shared.score(rest);
        Prediction { mean: mean + shared.mean, variance: variance + shared.variance }
    }

    /// The mean alone, g'theta_s + u'eta_k, without g.
    pub(crate) fn mean(&self, owner: u64, features: &[f64]) -> f64 {
        let (p, theta) = (self.shared_features(), self.shared.theta());
        let (s, u) = features.split_at(p);
        let Some(block) = self.blocks.get(&owner) else { return dot(s, theta) };
        let own = (0..self.own).map(|j| u[j] * (block.eta[j] - dot(&block.coupling[j * p..][..p], theta)));
        dot(s, theta) + own.sum::<f64>()
    }

    /// u'eta_k and u'D_k^{-1}u; g is left in `rest`.
    pub(crate) fn own_score(&self, owner: u64, features: &[f64], rest: &mut [f64]) -> (f64, f64) {
        let (s, u) = features.split_at(self.shared_features());
        match self.blocks.get(&owner) {
            Some(block) => {
                block.rest(s, u, rest);
                (dot(u, &block.eta), square_form(block.precision.inverse(), u).max(0.0))
            }
            None => {
                rest.copy_from_slice(s);
                (0.0, dot(u, u) / self.ridge)
            }
        }
    }

    /// Takes in `count` outcomes of mean `reward`. Returns what was known before, and the weight w that was added to H.
    pub(crate) fn learn(&mut self, owner: u64, features: &[f64], reward: f64, count: f64) -> (Prediction, f64) {
        self.change(owner, features, |prior| {
            let logit = posterior_logit(prior.mean, prior.variance, reward, count);
            let step = if prior.variance > 0.0 { (logit - prior.mean) / prior.variance } else { 0.0 };
            (step, count * link::variance(logit))
        })
    }

    /// [`HybridFilter::add`] for features that have been checked; a weight that was added may be taken away again.
    pub(crate) fn inform(&mut self, owner: u64, features: &[f64], weight: f64) -> Prediction {
        self.change(owner, features, |_| (0.0, weight)).0
    }

    /// Moves the estimate by a step along H^{-1}x and adds a weight to H along x, both of which `decide` names from what is
    /// known of x; returns that and the weight.
    fn change(
        &mut self,
        owner: u64,
        features: &[f64],
        decide: impl FnOnce(Prediction) -> (f64, f64),
    ) -> (Prediction, f64) {
        let (p, q, ridge) = (self.shared_features(), self.own, self.ridge);
        let (s, u) = features.split_at(p);
        let block = self.blocks.entry(owner).or_insert_with(|| Block::new(p, q, ridge));
        let Scratch { rest, direction } = &mut self.scratch;
        rest.resize(p, 0.0);
        direction.resize(q, 0.0);
        block.rest(s, u, rest);
        let own_variance = block.precision.solve(u, direction);
        let shared = self.shared.prepare(rest);
        let prior = Prediction { mean: shared.mean + dot(u, &block.eta), variance: shared.variance + own_variance };
        let (step, weight) = decide(prior);
        let part = weight / (1.0 + weight * own_variance);
        self.shared.shift(step);
        self.shared.add(part, rest, shared.variance);
        if p > 0 {
            for (row, v) in block.coupling.chunks_exact_mut(p).zip(&*direction) {
                add_scaled(row, part * v, rest);
            }
        }
        add_scaled(&mut block.eta, step + part * dot(rest, self.shared.theta()), direction);
        block.precision.add(weight, u, direction, own_variance);
        (prior, weight)
    }

    /// Puts the fit to an arm's outcomes, which are all that there were, in place of what the filter made of them; for arms that
    /// share nothing. In `lent` the information of open plays is on top of it, as before.
    pub(super) fn fit(&mut self, owner: u64, start: &Start, lent: Option<&mut Self>) {
        let Some(block) = self.blocks.get_mut(&owner) else { return };
        let Some(fitted) = start.fit(self.ridge, &mut block.eta) else { return };
        let before = std::mem::replace(&mut block.precision, fitted);
        if let Some(other) = lent.and_then(|lent| lent.blocks.get_mut(&owner)) {
            let mut matrix = other.precision.matrix().to_vec();
            add_scaled(&mut matrix, -1.0, before.matrix());
            add_scaled(&mut matrix, 1.0, block.precision.matrix());
            other.precision = Precision::of(matrix, self.own, self.ridge);
        }
    }

    /// Information decays towards the prior: of the arm that was just observed, and of the shared parameters. Exact if
    /// nothing is shared; otherwise an approximation, because what couples the two is kept as it is.
    pub(crate) fn forget(&mut self, owner: u64, keep: f64) {
        self.shared.forget(keep);
        let Some(block) = self.blocks.get_mut(&owner) else { return };
        block.precision.scale(keep, self.own);
        if self.own > 0 {
            let i = block.next % self.own;
            block.precision.add_to_axis((1.0 - keep) * self.ridge * self.own as f64, i, self.own);
            block.next = (i + 1) % self.own;
        }
    }

    /// Takes in features that were zero in all rows so far, shared ones and own ones. No row couples them to anything, so that
    /// their blocks are those of the prior, and M_k has zeros there.
    pub(crate) fn grow(&mut self, shared: usize, own: usize) {
        let (p, q) = (self.shared_features(), self.own);
        self.shared.grow(shared);
        for block in self.blocks.values_mut() {
            grow_rows(&mut block.coupling, p, shared);
            block.coupling.resize(own * shared, 0.0);
            block.eta.resize(own, 0.0);
            block.precision.grow(q, own, self.ridge);
        }
        self.own = own;
    }

    /// Checks a deserialised filter.
    pub(crate) fn check(&self, shared: usize, own: usize) -> Result<()> {
        self.shared.check(shared)?;
        check_number("ridge", self.ridge, self.ridge > 0.0, "positive")?;
        if self.own != own {
            return Err(Error::Dimension { field: "own".into(), expected: own, got: self.own });
        }
        self.blocks.values().try_for_each(|block| {
            check_vector("eta", &block.eta, own)?;
            check_vector("coupling", &block.coupling, own * shared)?;
            block.precision.check(own)
        })
    }
}
