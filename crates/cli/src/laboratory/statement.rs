//! What theory says of an instance, as text for the terminal.

use optimist_lab::report::{count, number, percent};
use optimist_lab::theory::graves_lai::{GravesLai, Status};
use optimist_lab::theory::{InstanceConstants, OptimalArm, Statement};

use super::columns::{aligned, words};

/// More arms than this are not listed.
const MOST_ARMS: usize = 20;
/// Nor more of those that must be tried.
const MOST_PLAYS: usize = 8;

/// One block an instance.
pub(super) fn shown(statements: &[Statement]) -> String {
    statements.iter().map(block).collect::<Vec<_>>().join("\n")
}

fn block(statement: &Statement) -> String {
    let parts = [
        format!("{}\n", statement.environment),
        constants(&statement.constants),
        arms(&statement.constants),
        format!("\nT = {} rounds, delta = {}:\n", count(statement.horizon as u64), probability(statement.delta)),
        upper(statement),
        lower(statement),
        yardstick(statement),
        notes(statement),
    ];
    parts.concat()
}

fn probability(p: f64) -> String {
    if p < 1e-4 { format!("{p:e}") } else { p.to_string() }
}

fn constants(constants: &InstanceConstants) -> String {
    let best = match &constants.optimal_arm {
        OptimalArm::Number(arm) => format!("arm {arm}"),
        OptimalArm::Point(point) => point.iter().map(|v| number(*v)).collect::<Vec<_>>().join(", "),
    };
    let (odds, mean) = (number(constants.best_log_odds), number(constants.best_mean));
    let rows = [
        ["kappa", &number(constants.kappa), &format!("||theta|| <= {}, any arm", number(constants.norm_bound))],
        ["kappa_*", &number(constants.kappa_star), "theta*, best arm: the long run"],
        ["kappa_X", &number(constants.kappa_x), "theta*, flattest arm: the beginning"],
        ["best arm", &best, &format!("log-odds {odds}, succeeds with probability {mean}")],
        ["detrimental", &detrimental(constants), &format!("x'theta* <= {}", number(constants.detrimental_below))],
    ];
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    rows.iter().map(|[name, value, what]| format!("  {name:first$}  {value:second$}  {what}\n")).collect()
}

fn detrimental(constants: &InstanceConstants) -> String {
    match constants.optimal_arm {
        OptimalArm::Point(_) if constants.detrimental_below < -constants.theta_norm => "none".to_owned(),
        OptimalArm::Point(_) => "a cap".to_owned(),
        OptimalArm::Number(_) => {
            format!("{} of {}", count(constants.detrimental.len() as u64), count(constants.arms.len() as u64))
        }
    }
}

/// The arms, the best first.
fn arms(constants: &InstanceConstants) -> String {
    if constants.arms.is_empty() {
        return String::new();
    }
    let mut order: Vec<usize> = (0..constants.arms.len()).collect();
    order.sort_by(|a, b| constants.arms[*b].log_odds.total_cmp(&constants.arms[*a].log_odds));
    let row = |arm: &usize| {
        let facts = &constants.arms[*arm];
        let figures = [facts.log_odds, facts.mean, facts.gap, facts.information, facts.least_information];
        let mut row = vec![arm.to_string()];
        row.extend(figures.map(number));
        row.push(if facts.detrimental { "detrimental".to_owned() } else { String::new() });
        row
    };
    let heading = words(&["arm", "log-odds", "probability", "gap", "mu'", "least mu'", ""]);
    let rows: Vec<Vec<String>> = std::iter::once(heading).chain(order.iter().take(MOST_ARMS).map(row)).collect();
    let more = order.len().saturating_sub(MOST_ARMS);
    let rest = if more > 0 { format!("  ... and {more} more; --json has all\n") } else { String::new() };
    format!("\n{}{rest}", aligned(&rows))
}

fn upper(statement: &Statement) -> String {
    if statement.upper_bound.is_empty() {
        return String::new();
    }
    let heading = words(&[
        "Upper bound on regret",
        "least",
        "Theorem 1",
        "by arms",
        "worst arm",
        "detrimental plays",
        "holds with",
    ]);
    let row = |(label, bound): (&String, &optimist_lab::theory::upper::UpperBound)| {
        vec![
            label.clone(),
            number(bound.value),
            number(bound.general),
            bound.by_arms.map_or_else(|| "-".to_owned(), number),
            number(bound.trivial),
            bound.detrimental_plays.map_or_else(|| "-".to_owned(), number),
            percent(bound.probability),
        ]
    };
    let rows: Vec<Vec<String>> = std::iter::once(heading).chain(statement.upper_bound.iter().map(row)).collect();
    aligned(&rows)
}

fn lower(statement: &Statement) -> String {
    let Some(bound) = &statement.lower_bound else { return String::new() };
    let universal = match (&bound.universal, &bound.refusal) {
        (Some(packing), _) => {
            format!("the universal constant K_d = 1/{} gives {}", number(1.0 / bound.constant), number(packing.value))
        }
        (None, why) => format!("the universal constant does not apply: {}", why.as_deref().unwrap_or("-")),
    };
    format!(
        "  Lower bound (Theorem 2): regret {} at least, for some theta at most {} from theta*\n    {universal}\n",
        number(bound.sharp.value),
        number(bound.sharp.eps * ((bound.dimension - 1) as f64).sqrt()),
    )
}

fn yardstick(statement: &Statement) -> String {
    let Some(yardstick) = &statement.graves_lai else { return String::new() };
    let plays = match plays(yardstick, &statement.constants) {
        plays if plays.is_empty() => String::new(),
        plays => format!("    plays per log T: {plays}\n"),
    };
    let bounded = statement.graves_lai_bounded.as_ref().map_or_else(String::new, |bounded| {
        format!("    if a policy relies on the norm bound: {}\n", constant(bounded))
    });
    format!("  Graves-Lai: as T grows, regret / log T tends to at least {}\n{plays}{bounded}", constant(yardstick))
}

/// The constant, or both of its bounds if they do not agree, and why it is zero if it is.
fn constant(yardstick: &GravesLai) -> String {
    match yardstick.status {
        Status::Converged => number(yardstick.value()),
        Status::Stopped => {
            format!("{}, at most {} ({})", number(yardstick.lower), number(yardstick.upper), yardstick.status)
        }
        _ => yardstick.status.to_string(),
    }
}

/// How often arms must be tried, the costliest first; what costs next to nothing is the solver's dust.
fn plays(yardstick: &GravesLai, constants: &InstanceConstants) -> String {
    let cost = |(arm, plays): &(usize, f64)| plays * constants.arms[*arm].gap;
    let mut plays: Vec<&(usize, f64)> = yardstick.plays.iter().collect();
    plays.retain(|entry| cost(entry) > 1e-6 * yardstick.value());
    plays.sort_by(|a, b| cost(b).total_cmp(&cost(a)));
    let more = plays.len().saturating_sub(MOST_PLAYS);
    let words = plays.iter().take(MOST_PLAYS).map(|(arm, plays)| format!("{} of arm {arm}", number(*plays)));
    let rest = (more > 0).then(|| format!("and {more} more; --json has all"));
    words.chain(rest).collect::<Vec<_>>().join(", ")
}

/// Why something is missing, with the names of figures as words.
fn notes(statement: &Statement) -> String {
    let words = |about: &str| about.replacen("upper_bound.", "upper bound, ", 1).replace('_', " ");
    statement.notes.iter().map(|(about, text)| format!("  ({}: {text})\n", words(about))).collect()
}
