//! Every arm solved exactly.

use optimist::fit::{Estimator, FitStatus};
use optimist::link;
use optimist::plan::{Support, SupportSolver, SupportStatus, Target};
use optimist::set::{LevelSet, Radius};

use super::answer::{ArmPlan, Plan};
use super::misfit;
use super::problem::PlanInput;
use crate::error::{Error, Result};

/// Causes of an empty set, and what follows from it.
const EMPTY: &str = "the set is empty: the observations contradict the norm bound or the model (a larger set.norm_bound \
                     spends delta again)";
const REFUTED: &str = "the observations contradict the norm bound, or the model: no parameter within set.norm_bound is left. \
                       Values and bounds are those of the level set without it, which holds at the same delta";
const DISORDER: &str = ", or they were merged or sorted by outcome (this radius needs them in order; use mixture)";
const UNCERTIFIED: &str = "; values are those of its centre, and nothing is certified";
const NO_PROMISE: &str =
    "this radius promises nothing, its bounds are for comparison only; use mixture for bounds that hold";
const COUNTS: &str = "counts merge observations by outcome: this radius's promise holds only if the merged observations \
                      were really consecutive; use mixture for counts";

/// A word for tables and programs, and the sentence that explains it.
type Warning = (&'static str, String);

/// The plan, and what to say beside it. After every arm `go_on` is told how many are done, and says whether to go on.
///
/// # Errors
/// If something cannot be computed in double precision, or `go_on` says no.
pub fn solve(mut problem: PlanInput, go_on: &mut dyn FnMut(usize) -> bool) -> Result<(Plan, Vec<String>)> {
    let belief = &mut problem.belief;
    let outcomes = misfit::outcomes(&problem.arms, belief.history(), problem.unit_arms);
    let mut estimate = belief.estimate().to_vec();
    let (mut guarantee, fit_status) = (belief.guarantee(), belief.fit_status());
    let needs_order = !guarantee.theorem.order_free;
    let mut centre = Estimator::new(belief.dimension());
    let mut refuted = belief.set().is_empty();
    let set = match refuted.then(|| belief.set_beyond_ball(&mut centre)).flatten() {
        // The norm bound is wrong and the level is not: the same event holds without the ball.
        Some(set) => {
            guarantee.norm_bound = None;
            // The estimate in the ball does not belong to the set that is shown; the centre of that is the estimate without.
            estimate = set.centre().to_vec();
            set
        }
        None => {
            refuted = false;
            problem.belief.set()
        }
    };
    if !set.level().is_finite() {
        return Err(out_of_range("the level of the set"));
    }
    let mut solver = ArmSolver::new(set, problem.tolerance);
    let mut arms = Vec::with_capacity(problem.arms.len());
    let mut ids = problem.ids.map(Vec::into_iter);
    for (k, x) in problem.arms.iter().enumerate() {
        let id = ids.as_mut().and_then(Iterator::next);
        arms.push(solver.solve(k, x, id)?);
        if !go_on(k + 1) {
            return Err(Error::Failed(format!("stopped after {} of {} arms", k + 1, problem.arms.len())));
        }
    }
    let mut warnings = solver.warnings(fit_status, needs_order);
    // A level that the user has given himself needs no such warning, and is none of the registered radii.
    if Radius::all().iter().any(|info| info.name == guarantee.name && !info.guaranteed) {
        warnings.push(("no-promise", NO_PROMISE.to_owned()));
    }
    if refuted {
        warnings.push(("norm-bound-refuted", REFUTED.to_owned()));
    }
    if needs_order && problem.has_counts {
        warnings.insert(0, ("unordered-counts", COUNTS.to_owned()));
    }
    let mut sentences = solver.mark_inexact(&mut arms);
    if guarantee.delta.is_some() {
        sentences.extend(mark_misfits(&mut arms, &outcomes));
    }
    let choice = largest(&arms);
    let plan = Plan {
        estimate,
        level: set.level(),
        ridge: set.ridge(),
        norm_bound: Some(set.norm_bound()).filter(|bound| bound.is_finite()),
        choice,
        choice_id: arms[choice].id.clone(),
        arms,
        guarantee,
        warnings: warnings.iter().map(|(word, _)| *word).collect(),
    };
    Ok((plan, warnings.into_iter().map(|(_, sentence)| sentence).chain(sentences).collect()))
}

/// Marks the arms that contradict the model, and says so.
fn mark_misfits(arms: &mut [ArmPlan], outcomes: &[Option<(f64, f64)>]) -> Vec<String> {
    let misfits = misfit::find(arms, outcomes);
    for found in &misfits {
        arms[found.arm].warnings.push("misfit");
    }
    misfit::warnings(&misfits, arms)
}

/// Null would otherwise be printed, which means infinity.
fn out_of_range(what: &str) -> Error {
    Error::Failed(format!("{what} cannot be computed in double precision; rescale the features"))
}

/// The first arm with the largest value.
fn largest(arms: &[ArmPlan]) -> usize {
    (1..arms.len()).fold(0, |best, k| if arms[k].value > arms[best].value { k } else { best })
}

/// Solves one arm after the other over the same set, and notes what the user should be told.
struct ArmSolver<'a> {
    set: LevelSet<'a>,
    solver: SupportSolver,
    target: Target,
    opposite: Vec<f64>,
    inexact: Vec<usize>,
}

impl<'a> ArmSolver<'a> {
    fn new(set: LevelSet<'a>, tolerance: f64) -> Self {
        let dimension = set.centre().len();
        Self {
            set,
            solver: SupportSolver::new(dimension),
            target: Target::exact(tolerance),
            opposite: vec![0.0; dimension],
            inexact: Vec::new(),
        }
    }

    fn solve(&mut self, k: usize, x: &[f64], id: Option<String>) -> Result<ArmPlan> {
        let mut opposite = std::mem::take(&mut self.opposite);
        opposite.iter_mut().zip(x).for_each(|(o, xi)| *o = -xi);
        let below = self.support(k, &opposite);
        self.opposite = opposite;
        // Last, because the solver's maximiser is that of its last problem.
        let (below, above) = (below?, self.support(k, x)?);
        if [below.status, above.status].contains(&SupportStatus::Inexact) {
            self.inexact.push(k);
        }
        // The bounds of an empty set would meet, as if everything were known; its promise is broken, and nothing is known.
        let empty = above.status == SupportStatus::Empty;
        Ok(ArmPlan {
            id,
            value: above.value,
            upper_bound: above.upper_bound,
            theta: above.value.is_finite().then(|| self.solver.maximiser().to_vec()),
            status: above.status,
            lower: if empty { 0.0 } else { link::mean(-below.upper_bound) },
            upper: if empty { 1.0 } else { link::mean(above.upper_bound) },
            warnings: Vec::new(),
        })
    }

    fn support(&mut self, k: usize, x: &[f64]) -> Result<Support> {
        let support = self.solver.solve(&self.set, x, self.target).map_err(|e| Error::Failed(e.to_string()))?;
        if support.value.is_nan() || support.upper_bound.is_nan() {
            return Err(out_of_range(&format!("arms[{k}]")));
        }
        Ok(support)
    }

    fn warnings(&self, fit_status: FitStatus, needs_order: bool) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.set.is_empty() {
            let disorder = if needs_order { DISORDER } else { "" };
            warnings.push(("empty", format!("{EMPTY}{disorder}{UNCERTIFIED}")));
        }
        if fit_status == FitStatus::IterationLimit {
            let what = "the estimate did not converge; a named radius stays valid, but is wider";
            warnings.push(("not-converged", what.into()));
        }
        warnings
    }

    /// Marks the arms that were not solved to the tolerance, and says so.
    fn mark_inexact(&self, arms: &mut [ArmPlan]) -> Vec<String> {
        let Some(first) = self.inexact.first() else { return Vec::new() };
        for k in &self.inexact {
            arms[*k].warnings.push("inexact");
        }
        let others = match self.inexact.len() - 1 {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        vec![format!("arms[{first}]{others} not solved to the tolerance; values and bounds remain valid")]
    }
}
