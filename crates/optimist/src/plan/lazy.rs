//! The exact argmax over a list of arms, with about one solve per round.
//!
//! A certificate for an arm is linear in the level: bound(c) = bound(c_0) + (c - c_0)/nu. Losses are not negative and
//! the ridge never falls, so the loss only grows from round to round and today's set lies inside yesterday's loss's set
//! of today's level: yesterday's certificate, moved to today's level, still bounds the arm's value. So every arm keeps
//! its last certificate; each round all bounds are moved in O(1) per arm, and the arm with the largest bound is solved
//! until the largest bound belongs to a value already solved, which is then the maximum. An arm that was never solved
//! starts from norm_bound * ||x|| and, when it comes to the top, from an outer ellipsoid ([`super::outer`]).

use serde::{Deserialize, Serialize, Serializer};

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
    /// Passes over the data in this round.
    pub passes: u32,
}

/// Plans over a list of arms, round after round.
///
/// **Ties.** Arms whose values differ by no more than the tolerance (relative to the best) are not told apart: the
/// first to be proved best is returned. Arms come up in decreasing order of their bounds, equal bounds in order of
/// their index; so among arms that are exactly equal and were never solved, for instance before any data, the one with the
/// lowest index wins. Later the bounds that equal arms carry over from earlier rounds may differ, and decide.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "RawPlanner")]
pub struct Planner {
    dimension: usize,
    tolerance: f64,
    /// What the certificates are about.
    subject: Option<Subject>,
    certificates: Vec<Certificate>,
    /// Last maximiser of every arm, row-major.
    maximisers: Vec<f64>,
    /// This round's upper bounds.
    bounds: Vec<f64>,
    block_maxima: Vec<f64>,
    /// What has been done to an arm in this round.
    stages: Vec<Stage>,
    outer: OuterEllipsoid,
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
}

impl Subject {
    fn new(set: &LevelSet<'_>, arms: &FiniteArms) -> Self {
        let (history, observations) = (set.history.identity(), set.history.observations());
        Self { arms: arms.fingerprint(), history, observations, ridge: set.ridge }
    }

    /// Whether this is the `earlier` subject with as many observations or more, so that its loss is no smaller anywhere.
    fn continues(&self, earlier: &Subject) -> bool {
        let same = self.arms == earlier.arms && self.history == earlier.history;
        same && self.observations >= earlier.observations && self.ridge >= earlier.ridge
    }
}

/// What is known of an arm from earlier rounds.
#[derive(Debug, Clone, Copy)]
struct Certificate {
    norm: f64,
    bound: f64,
    /// The level at which `bound` was computed.
    level: f64,
    level_multiplier: f64,
    norm_multiplier: f64,
    solved: bool,
    /// The bound on ||theta|| that `bound` relies on.
    reach: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Untouched,
    Enclosed,
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
            maximisers: Vec::new(),
            bounds: Vec::new(),
            block_maxima: Vec::new(),
            stages: Vec::new(),
            outer: OuterEllipsoid::new(d),
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
        }
        self.subject = Some(subject);
        // A certificate bounds x'theta within the reach it was made for. Where the ridge and not the norm bound sets
        // the reach, that grows with the level.
        let reach = set.reach();
        for certificate in self.certificates.iter_mut().filter(|c| reach > c.reach) {
            *certificate = Certificate { reach, bound: f64::INFINITY, level_multiplier: 0.0, ..*certificate };
        }
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
        self.make_room(arms.len());
    }

    fn make_room(&mut self, k: usize) {
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
        let (mut solves, mut passes) = (0, 0);
        // The largest upper bound among solves that could not be closed: what stays unproved.
        let mut open_bound = f64::NEG_INFINITY;
        loop {
            let top = self.top();
            let best = plan.map_or(f64::NEG_INFINITY, |p| p.support.value);
            if plan.is_some() && self.bounds[top] <= best + self.tolerance * best.abs() {
                break;
            }
            let x = arms.arm(top);
            if self.lower_by_ellipsoid(set, top, x) {
                continue;
            }
            let support = self.solve(set, top, x, best);
            solves += 1;
            passes += support.passes;
            if support.status == SupportStatus::Inexact {
                open_bound = open_bound.max(support.upper_bound);
            }
            if support.status != SupportStatus::Cut && (support.value > best || plan.is_none()) {
                self.best_theta.copy_from_slice(self.solver.maximiser());
                plan = Some(Plan { arm: top, support, proved: false, solves, passes });
            }
        }
        let plan = plan.expect("the loop ends with a plan only");
        let best = plan.support.value;
        Plan { proved: open_bound <= best + self.tolerance * best.abs(), solves, passes, ..plan }
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
        Plan { arm, support, proved: true, solves: 0, passes: 0 }
    }

    /// Moves every arm's certificate to the level of `set`.
    fn open_round(&mut self, set: &LevelSet<'_>) {
        let reach = set.reach();
        for (bound, certificate) in self.bounds.iter_mut().zip(&self.certificates) {
            *bound = certificate.at(set.level, reach);
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
        let bound = self.outer.bound(x);
        let lowered = bound < self.bounds[arm];
        if lowered {
            self.set_bound(arm, bound);
        }
        lowered
    }

    fn solve(&mut self, set: &LevelSet<'_>, arm: usize, x: &[f64], cutoff: f64) -> Support {
        let d = self.dimension;
        let certificate = &mut self.certificates[arm];
        let maximiser = &mut self.maximisers[arm * d..][..d];
        let warm = certificate.solved.then_some(WarmStart {
            theta: maximiser,
            level_multiplier: certificate.level_multiplier,
            norm_multiplier: certificate.norm_multiplier,
        });
        let support = self.solver.maximise(set, x, warm, Target { tolerance: self.tolerance, cutoff });
        maximiser.copy_from_slice(self.solver.maximiser());
        *certificate = Certificate {
            norm: certificate.norm,
            bound: support.upper_bound,
            level: set.level,
            level_multiplier: support.level_multiplier,
            norm_multiplier: support.norm_multiplier,
            solved: true,
            reach: set.reach(),
        };
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
    certificates: Vec<RawCertificate>,
    #[serde(deserialize_with = "crate::numerics::stored_numbers::deserialize")]
    maximisers: Vec<f64>,
}

/// A certificate without infinities, which documents do not know.
#[derive(Serialize, Deserialize)]
struct RawCertificate {
    norm: f64,
    bound: Option<f64>,
    level: f64,
    multipliers: [f64; 2],
    solved: bool,
    reach: Option<f64>,
}

impl TryFrom<RawPlanner> for Planner {
    type Error = Error;

    fn try_from(raw: RawPlanner) -> Result<Self> {
        check_dimension_size("planner.dimension", raw.dimension)?;
        let mut planner = Self::empty(raw.dimension, raw.tolerance)?;
        let k = raw.certificates.len();
        raw.certificates.iter().try_for_each(RawCertificate::check)?;
        if let Some(Subject { observations, ridge, .. }) = raw.subject {
            check_vector("planner.subject", &[observations, ridge], 2)?;
        }
        check_vector("maximisers", &raw.maximisers, k * raw.dimension)?;
        planner.certificates.extend(raw.certificates.iter().map(|c| Certificate {
            norm: c.norm,
            bound: c.bound.unwrap_or(f64::INFINITY),
            level: c.level,
            level_multiplier: c.multipliers[0],
            norm_multiplier: c.multipliers[1],
            solved: c.solved,
            reach: c.reach.unwrap_or(f64::INFINITY),
        }));
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
            certificates: Vec<RawCertificate>,
            #[serde(serialize_with = "crate::numerics::stored_numbers::serialize")]
            maximisers: &'a [f64],
        }
        Form {
            dimension: self.dimension,
            tolerance: self.tolerance,
            subject: self.subject,
            certificates: self.certificates.iter().map(RawCertificate::of).collect(),
            maximisers: &self.maximisers,
        }
        .serialize(serializer)
    }
}

impl RawCertificate {
    fn check(&self) -> Result<()> {
        let RawCertificate { norm, bound, level, multipliers: [first, second], reach, .. } = *self;
        let numbers = [norm, bound.unwrap_or(0.0), level, first, second, reach.unwrap_or(0.0)];
        check_vector("planner.certificate", &numbers, numbers.len())
    }

    fn of(certificate: &Certificate) -> Self {
        let finite = |v: f64| v.is_finite().then_some(v);
        let sound = certificate.level_multiplier.is_finite() && certificate.norm_multiplier.is_finite();
        let c = if sound { *certificate } else { Certificate::unknown(certificate.norm) };
        Self {
            norm: c.norm,
            bound: finite(c.bound),
            level: c.level,
            multipliers: [c.level_multiplier, c.norm_multiplier],
            solved: c.solved,
            reach: finite(c.reach),
        }
    }
}

impl Certificate {
    fn unknown(norm: f64) -> Self {
        Self {
            norm,
            bound: f64::INFINITY,
            level: 0.0,
            level_multiplier: 0.0,
            norm_multiplier: 0.0,
            solved: false,
            reach: 0.0,
        }
    }

    /// The bound at another level.
    #[inline(always)]
    fn at(&self, level: f64, reach: f64) -> f64 {
        // A zero arm in an unbounded set has value zero, not infinity times zero.
        let trivial = if self.norm == 0.0 { 0.0 } else { reach * self.norm };
        (self.bound + (level - self.level) * self.level_multiplier).min(trivial)
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
