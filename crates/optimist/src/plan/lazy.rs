//! The exact argmax over a list of arms, with about one solve per round.
//!
//! A certificate for an arm is linear in the level: bound(c) = bound(c_0) + (c - c_0)/nu. Losses are not negative and
//! the ridge never falls, so the loss only grows from round to round and today's set lies inside yesterday's loss's set
//! of today's level: yesterday's certificate, moved to today's level, still bounds the arm's value. It does so at today's
//! level less what the new observations cost every parameter ([`super::floor`]). So every arm keeps its last certificate;
//! each round all bounds are moved in O(1) per arm. The arm that was best last time is solved first. Then, as long as the
//! largest bound exceeds the best value, its arm is
//!
//! 1. bounded by an outer ellipsoid, in O(d^2) and without a pass ([`super::outer`]),
//! 2. if it was solved before, looked at from its last maximiser, mostly in one pass ([`super::glance`]),
//! 3. solved.
//!
//! What each of them finds is kept as the arm's certificate. An arm of which nothing is known starts from norm_bound * ||x||.

use serde::{Deserialize, Serialize, Serializer};

use super::certificate::{Certificate, Start, StoredCertificate};
use super::floor::Floor;
use super::glance::{Glance, Look};
use super::outer::OuterEllipsoid;
use super::support::{Support, SupportSolver, SupportStatus, Target, WarmStart};
use crate::arms::FiniteArms;
use crate::error::{Error, Result, check_dimension_size, check_vector};
use crate::history::History;
use crate::numerics::{dot, norm};
use crate::set::LevelSet;

/// Arms per block of the search for the largest bound: a changed bound costs one block, not the whole list.
const BLOCK: usize = 128;

/// The outcome of planning over a list of arms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The arm whose most favourable log-odds is largest.
    pub arm: usize,
    /// Its value, bound, multipliers and status.
    pub support: Support,
    /// Whether it is proved that no other arm is better by more than the gaps that the tolerance allows. False only if a
    /// solve ended [`SupportStatus::Inexact`].
    pub proved: bool,
    /// Support problems solved in this round.
    pub solves: u32,
    /// Arms looked at from their last maximiser in this round, to rule them out without a solve.
    pub looks: u32,
    /// Passes over the data in this round.
    pub passes: u32,
}

/// Plans over a list of arms, round after round.
///
/// **Ties.** Arms whose values differ by no more than the tolerance (relative to the best) are not told apart: the
/// first to be proved best is returned. The arm that was best last time comes first, the others in decreasing order of
/// their bounds, equal bounds in order of their index; so among arms that are exactly equal and were never solved, for
/// instance before any data, the one with the lowest index wins. Later the bounds that equal arms carry over from earlier
/// rounds may differ, and decide.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "RawPlanner")]
pub struct Planner {
    dimension: usize,
    tolerance: f64,
    /// What the certificates are about.
    subject: Option<Subject>,
    certificates: Vec<Certificate>,
    starts: Vec<Start>,
    floor: Floor,
    /// The arm that was best last time.
    incumbent: Option<usize>,
    /// Last maximiser of every arm, or where a look from it led, row-major.
    maximisers: Vec<f64>,
    /// This round's upper bounds.
    bounds: Vec<f64>,
    block_maxima: Vec<f64>,
    /// What has been done to an arm in this round.
    stages: Vec<Stage>,
    outer: OuterEllipsoid,
    glance: Glance,
    /// Whether `outer` encloses this round's set.
    enclosed: bool,
    solver: SupportSolver,
    best_theta: Vec<f64>,
}

/// Arms and data, to tell whether certificates still apply.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Subject {
    arms: u64,
    /// Means nothing in another process: see [`Planner::adopt`].
    #[serde(skip)]
    history: u64,
    observations: f64,
    ridge: f64,
    consolidations: u64,
}

impl Subject {
    fn new(set: &LevelSet<'_>, arms: &FiniteArms) -> Self {
        let (history, observations) = (set.history.identity(), set.history.observations());
        let consolidations = set.history.consolidations();
        Self { arms: arms.fingerprint(), history, observations, ridge: set.ridge, consolidations }
    }

    /// Whether this is the `earlier` subject with as many observations or more, so that its loss is no smaller anywhere.
    /// (Where rows were consolidated in between, the loss has become smaller.)
    fn continues(&self, earlier: &Subject) -> bool {
        let same = self.arms == earlier.arms
            && self.history == earlier.history
            && self.consolidations == earlier.consolidations;
        same && self.observations >= earlier.observations && self.ridge >= earlier.ridge
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Untouched,
    Enclosed,
    Looked,
    Solved,
}

impl Planner {
    /// A planner for `arms`. Values are solved to the relative gap `tolerance`.
    ///
    /// # Errors
    /// If the tolerance is not between 1e-12 and 0.01.
    pub fn new(arms: &FiniteArms, tolerance: f64) -> Result<Self> {
        let mut planner = Self::empty(arms.dimension(), tolerance)?;
        planner.forget(arms);
        Ok(planner)
    }

    /// A planner that has seen no arms yet.
    pub(crate) fn empty(d: usize, tolerance: f64) -> Result<Self> {
        let allowed = (1e-12..=1e-2).contains(&tolerance);
        crate::error::check_number("tolerance", tolerance, allowed, "between 1e-12 and 0.01")?;
        Ok(Self {
            dimension: d,
            tolerance,
            subject: None,
            certificates: Vec::new(),
            starts: Vec::new(),
            floor: Floor::default(),
            incumbent: None,
            maximisers: Vec::new(),
            bounds: Vec::new(),
            block_maxima: Vec::new(),
            stages: Vec::new(),
            outer: OuterEllipsoid::new(d),
            glance: Glance::new(d),
            enclosed: false,
            solver: SupportSolver::new(d),
            best_theta: vec![0.0; d],
        })
    }

    /// The number of features.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Tells a restored planner that its certificates are about `history`, which was restored with it.
    pub(crate) fn adopt(&mut self, history: &History) {
        if let Some(subject) = &mut self.subject {
            subject.history = history.identity();
        }
    }

    /// The maximiser that belongs to the last plan: the parameter for which the chosen arm looks best.
    pub fn maximiser(&self) -> &[f64] {
        &self.best_theta
    }

    /// The arm with the largest support value over `set`.
    ///
    /// Certificates carry over from the last call if that was about the same arms and an earlier state of the same
    /// history. If not, for instance because the arms have changed, the planner starts afresh: the answer is the same,
    /// only slower.
    ///
    /// # Errors
    /// If the arms or the set have another dimension than the planner.
    pub fn choose(&mut self, set: &LevelSet<'_>, arms: &FiniteArms) -> Result<Plan> {
        self.check(set, arms)?;
        let subject = Subject::new(set, arms);
        let known = self.certificates.len() == arms.len();
        if !known || !self.subject.is_some_and(|earlier| subject.continues(&earlier)) {
            self.forget(arms);
            self.floor.restart(set.history);
        } else if self.floor.advance(set.history) {
            let total = self.floor.total();
            self.certificates.iter_mut().for_each(|certificate| certificate.settle(total));
        }
        self.subject = Some(subject);
        Ok(self.search(set, arms))
    }

    /// As [`Planner::choose`] for arms that change every round: nothing is carried over from earlier rounds, outer
    /// bounds come first, then arms are solved in decreasing order of their bounds until one is proved best.
    ///
    /// # Errors
    /// As [`Planner::choose`].
    pub fn choose_fresh(&mut self, set: &LevelSet<'_>, arms: &FiniteArms) -> Result<Plan> {
        self.check(set, arms)?;
        self.forget(arms);
        self.subject = None;
        Ok(self.search(set, arms))
    }

    /// Drops all certificates and takes over other arms.
    fn forget(&mut self, arms: &FiniteArms) {
        self.certificates.clear();
        self.certificates.extend(arms.iter().map(|x| Certificate::unknown(norm(x))));
        self.starts.clear();
        self.incumbent = None;
        self.make_room(arms.len());
    }

    fn make_room(&mut self, k: usize) {
        self.starts.resize(k, Start::default());
        self.maximisers.resize(k * self.dimension, 0.0);
        self.bounds.resize(k, 0.0);
        self.block_maxima.resize(k.div_ceil(BLOCK), 0.0);
        self.stages.resize(k, Stage::Untouched);
    }

    fn check(&self, set: &LevelSet<'_>, arms: &FiniteArms) -> Result<()> {
        let expected = self.dimension;
        for (field, got) in [("an arm", arms.dimension()), ("the set's centre", set.centre.len())] {
            if got != expected {
                return Err(Error::Dimension { field: field.into(), expected, got });
            }
        }
        Ok(())
    }

    fn search(&mut self, set: &LevelSet<'_>, arms: &FiniteArms) -> Plan {
        if set.is_empty() {
            return self.greedy(set, arms);
        }
        self.open_round(set);
        let mut plan: Option<Plan> = None;
        let (mut solves, mut looks, mut passes) = (0, 0, 0);
        // The largest upper bound among solves that could not be closed: what stays unproved.
        let mut open_bound = f64::NEG_INFINITY;
        loop {
            let best = plan.map_or(f64::NEG_INFINITY, |p| p.support.value);
            let first = if plan.is_none() { self.incumbent } else { None };
            let top = first.unwrap_or_else(|| self.top());
            if plan.is_some() && self.bounds[top] <= best + self.tolerance * best.abs() {
                break;
            }
            let x = arms.arm(top);
            if first.is_none() && self.lower_by_ellipsoid(set, top, x) {
                continue;
            }
            if let Some(ruled_out) = self.lower_by_look(set, top, x, best) {
                looks += 1;
                passes += self.glance.passes();
                if ruled_out {
                    continue;
                }
            }
            let support = self.solve(set, top, x, best);
            solves += 1;
            passes += support.passes;
            if support.status == SupportStatus::Inexact {
                open_bound = open_bound.max(support.upper_bound);
            }
            if support.status != SupportStatus::Cut && (support.value > best || plan.is_none()) {
                self.best_theta.copy_from_slice(self.solver.maximiser());
                plan = Some(Plan { arm: top, support, proved: false, solves, looks, passes });
            }
        }
        let plan = plan.expect("the loop ends with a plan only");
        self.incumbent = Some(plan.arm);
        let best = plan.support.value;
        Plan { proved: open_bound <= best + self.tolerance * best.abs(), solves, looks, passes, ..plan }
    }

    /// The best arm for the centre of an empty set. Nothing is learnt about any later set, which may have points again.
    fn greedy(&mut self, set: &LevelSet<'_>, arms: &FiniteArms) -> Plan {
        for (bound, x) in self.bounds.iter_mut().zip(arms.iter()) {
            *bound = dot(x, set.centre);
        }
        self.stages.fill(Stage::Untouched);
        self.best_theta.copy_from_slice(set.centre);
        let arm = first_largest(&self.bounds);
        let support = Support::empty(self.bounds[arm]);
        Plan { arm, support, proved: true, solves: 0, looks: 0, passes: 0 }
    }

    /// Moves every arm's certificate to the level of `set`.
    fn open_round(&mut self, set: &LevelSet<'_>) {
        let (reach, total) = (set.reach(), self.floor.total());
        for (bound, certificate) in self.bounds.iter_mut().zip(&self.certificates) {
            *bound = certificate.at(set.level, total, reach);
        }
        for (maximum, block) in self.block_maxima.iter_mut().zip(self.bounds.chunks(BLOCK)) {
            *maximum = block.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        }
        self.stages.fill(Stage::Untouched);
        self.enclosed = false;
    }

    /// The arm with the largest bound, the first of equals.
    fn top(&self) -> usize {
        let block = first_largest(&self.block_maxima);
        block * BLOCK + first_largest(&self.bounds[block * BLOCK..][..BLOCK.min(self.bounds.len() - block * BLOCK)])
    }

    /// The largest upper bound of any arm but `chosen`, as of the last round; minus infinity if there is no other.
    pub fn runner_up(&self, chosen: usize) -> f64 {
        let bound =
            |k: usize| if self.stages[k] == Stage::Solved { self.certificates[k].bound } else { self.bounds[k] };
        (0..self.bounds.len()).filter(|k| *k != chosen).map(bound).fold(f64::NEG_INFINITY, f64::max)
    }

    fn set_bound(&mut self, arm: usize, bound: f64) {
        self.bounds[arm] = bound;
        let block = arm / BLOCK;
        let end = self.bounds.len().min((block + 1) * BLOCK);
        self.block_maxima[block] = self.bounds[block * BLOCK..end].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    }

    /// Tries the outer ellipsoid, once per round, on an arm that has come to the top; true if that lowered its bound.
    fn lower_by_ellipsoid(&mut self, set: &LevelSet<'_>, arm: usize, x: &[f64]) -> bool {
        if self.stages[arm] != Stage::Untouched {
            return false;
        }
        self.stages[arm] = Stage::Enclosed;
        if !self.enclosed {
            self.outer.enclose(set);
            self.enclosed = true;
        }
        let (bound, slope) = self.outer.bound(x);
        let lowered = bound < self.bounds[arm];
        if lowered {
            if slope.is_finite() {
                self.certify(set, arm, bound, slope);
            }
            self.set_bound(arm, bound);
        }
        lowered
    }

    /// Looks at an arm that has come to the top, once per round and if something is to be gained: an arm was solved before,
    /// and there is a value to compare it with. True if it cannot exceed that.
    fn lower_by_look(&mut self, set: &LevelSet<'_>, arm: usize, x: &[f64], best: f64) -> Option<bool> {
        let (d, Start { level_multiplier, norm_multiplier, known }) = (self.dimension, self.starts[arm]);
        let usable = known && level_multiplier > 0.0 && best > f64::NEG_INFINITY;
        if !usable || self.stages[arm] != Stage::Enclosed {
            return None;
        }
        let theta = &self.maximisers[arm * d..][..d];
        let warm = WarmStart { theta, level_multiplier, norm_multiplier };
        let look = self.glance.look(set, x, warm, best);
        self.stages[arm] = Stage::Looked;
        let Some(look) = look else { return Some(false) };
        self.certify(set, arm, look.upper_bound, look.level_multiplier);
        self.set_bound(arm, look.upper_bound);
        let Look { level_multiplier, norm_multiplier, .. } = look;
        self.starts[arm] = Start { level_multiplier, norm_multiplier, known: true };
        self.maximisers[arm * d..][..d].copy_from_slice(self.glance.next_point());
        Some(true)
    }

    /// Keeps a bound at the level of `set`, with its derivative in the level, for later rounds.
    fn certify(&mut self, set: &LevelSet<'_>, arm: usize, bound: f64, slope: f64) {
        let Certificate { norm, .. } = self.certificates[arm];
        let (level, reach) = (set.level, set.reach());
        self.certificates[arm] = Certificate { norm, bound, level, slope, floor: f64::INFINITY, reach };
    }

    fn solve(&mut self, set: &LevelSet<'_>, arm: usize, x: &[f64], cutoff: f64) -> Support {
        let d = self.dimension;
        let Start { level_multiplier, norm_multiplier, known } = self.starts[arm];
        let maximiser = &mut self.maximisers[arm * d..][..d];
        let warm = known.then_some(WarmStart { theta: maximiser, level_multiplier, norm_multiplier });
        let support = self.solver.maximise(set, x, warm, Target { tolerance: self.tolerance, cutoff });
        maximiser.copy_from_slice(self.solver.maximiser());
        let Support { level_multiplier, norm_multiplier, .. } = support;
        self.starts[arm] = Start { level_multiplier, norm_multiplier, known: true };
        self.certify(set, arm, support.upper_bound, level_multiplier);
        self.stages[arm] = Stage::Solved;
        // A closed arm is worth its value: the gap that is left is within the tolerance, or reported as unproved.
        let cut = support.status == SupportStatus::Cut;
        self.set_bound(arm, if cut { support.upper_bound } else { support.value });
        support
    }
}

/// The serialised form: the certificates, by which ties are decided, and the maximisers, from which solves start.
#[derive(Deserialize)]
struct RawPlanner {
    dimension: usize,
    tolerance: f64,
    subject: Option<Subject>,
    certificates: Vec<StoredCertificate>,
    floor: Floor,
    incumbent: Option<usize>,
    #[serde(deserialize_with = "crate::numerics::stored_numbers::deserialize")]
    maximisers: Vec<f64>,
}

impl TryFrom<RawPlanner> for Planner {
    type Error = Error;

    fn try_from(raw: RawPlanner) -> Result<Self> {
        check_dimension_size("planner.dimension", raw.dimension)?;
        let mut planner = Self::empty(raw.dimension, raw.tolerance)?;
        let k = raw.certificates.len();
        raw.certificates.iter().try_for_each(StoredCertificate::check)?;
        raw.floor.check()?;
        if let Some(Subject { observations, ridge, .. }) = raw.subject {
            check_vector("planner.subject", &[observations, ridge], 2)?;
        }
        check_vector("maximisers", &raw.maximisers, k * raw.dimension)?;
        if let Some(arm) = raw.incumbent.filter(|arm| *arm >= k) {
            return Err(Error::OutOfRange { field: "planner.incumbent".into(), value: arm as f64, allowed: "an arm" });
        }
        planner.certificates.extend(raw.certificates.iter().map(StoredCertificate::certificate));
        planner.starts.extend(raw.certificates.iter().map(StoredCertificate::start));
        (planner.floor, planner.incumbent) = (raw.floor, raw.incumbent);
        planner.make_room(k);
        (planner.maximisers, planner.subject) = (raw.maximisers, raw.subject);
        Ok(planner)
    }
}

impl Serialize for Planner {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form<'a> {
            dimension: usize,
            tolerance: f64,
            subject: Option<Subject>,
            certificates: Vec<StoredCertificate>,
            floor: &'a Floor,
            incumbent: Option<usize>,
            #[serde(serialize_with = "crate::numerics::stored_numbers::serialize")]
            maximisers: &'a [f64],
        }
        Form {
            dimension: self.dimension,
            tolerance: self.tolerance,
            subject: self.subject,
            certificates: self
                .certificates
                .iter()
                .zip(&self.starts)
                .map(|(c, s)| StoredCertificate::of(c, s))
                .collect(),
            floor: &self.floor,
            incumbent: self.incumbent,
            maximisers: &self.maximisers,
        }
        .serialize(serializer)
    }
}

/// Index of the largest number, the first of equals.
fn first_largest(values: &[f64]) -> usize {
    let mut best = 0;
    for (i, v) in values.iter().enumerate() {
        if *v > values[best] {
            best = i;
        }
    }
    best
}

#[cfg(test)]
mod tests;
