//! Whether what was observed of an arm contradicts what the model says of it.

use optimist::rate::RateInterval;
use optimist::{FiniteArms, History};

use super::answer::ArmPlan;

/// The probability with which a model that fits is warned of, while its intervals are right: for all arms together, however
/// often one looks. It is split evenly over the arms.
const FALSE_ALARM: f64 = 0.001;

/// An arm whose own outcomes exclude all that the model allows it.
pub(super) struct Misfit {
    pub(super) arm: usize,
    count: f64,
    own: RateInterval,
}

/// Number and sum of the outcomes of each arm, if it was ever played. `unit_arms` if observations were brought to norm one
/// where they nearly had it.
pub(super) fn outcomes(arms: &FiniteArms<'_>, history: &History, unit_arms: bool) -> Vec<Option<(f64, f64)>> {
    let mut x = Vec::new();
    let mut of = |features: &[f64]| {
        x.clear();
        x.extend_from_slice(features);
        if unit_arms {
            optimist::arms::normalise(&mut x);
        }
        Some(history.outcomes(history.find(&x)?))
    };
    arms.iter().map(&mut of).collect()
}

/// The arms that do not fit, given the outcomes of each.
pub(super) fn find(plans: &[ArmPlan], outcomes: &[Option<(f64, f64)>]) -> Vec<Misfit> {
    let alpha = FALSE_ALARM / plans.len() as f64;
    let check = |arm: usize, plan: &ArmPlan| {
        let (count, sum) = outcomes[arm]?;
        let own = RateInterval::new(count, sum, alpha).ok()?;
        own.excludes(plan.lower, plan.upper).then_some(Misfit { arm, count, own })
    };
    plans.iter().enumerate().filter_map(|(arm, plan)| check(arm, plan)).collect()
}

/// More arms than this are not named.
const MOST: usize = 5;

/// One line for each of them, and one for those that are not named.
pub(super) fn warnings(misfits: &[Misfit], plans: &[ArmPlan]) -> Vec<String> {
    let mut lines: Vec<String> = misfits.iter().take(MOST).map(|misfit| line(misfit, &plans[misfit.arm])).collect();
    if let more @ 1.. = misfits.len().saturating_sub(MOST) {
        lines.push(format!("{more} more arms contradict the model in the same way; --csv marks them"));
    }
    lines
}

fn line(misfit: &Misfit, plan: &ArmPlan) -> String {
    let name = plan.id.as_ref().map_or_else(String::new, |id| format!(" ({id})"));
    let Misfit { arm, count, own } = misfit;
    format!(
        "arms[{arm}]{name} contradicts the model: the mean of its {count} outcomes is {:.4}, by which alone its probability \
         is {:.4} to {:.4}, and the model's interval is {:.4} to {:.4}. An interaction of features may be missing, rows may not \
         be independent, or the world may drift; the intervals of all arms rest on the same model",
        own.rate, own.lower, own.upper, plan.lower, plan.upper
    )
}
