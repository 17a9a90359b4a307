//! What theory says of an instance, as text for the terminal.

use optimist_lab::report::{count, number, percent};
use optimist_lab::theory::{Constants, OptimalArm, Statement};

use super::columns::{aligned, words};

/// More arms than this are not listed.
const MOST_ARMS: usize = 20;

/// One block an instance.
pub(super) fn shown(statements: &[Statement]) -> String {
    statements.iter().map(block).collect::<Vec<_>>().join("\n")
}

fn block(statement: &Statement) -> String {
    let parts = [
        format!("{}\n", statement.environment),
        constants(&statement.constants),
        arms(&statement.constants),
        format!("\nAfter {} rounds, delta = {}:\n", count(statement.horizon as u64), statement.delta),
        upper(statement),
        lower(statement),
        yardstick(statement),
        notes(statement),
    ];
    parts.concat()
}

fn constants(constants: &Constants) -> String {
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

fn detrimental(constants: &Constants) -> String {
    match constants.optimal_arm {
        OptimalArm::Point(_) if constants.detrimental_below < -constants.theta_norm => "none".to_owned(),
        OptimalArm::Point(_) => "a cap".to_owned(),
        OptimalArm::Number(_) => {
            format!("{} of {}", count(constants.detrimental.len() as u64), count(constants.arms.len() as u64))
        }
    }
}

/// The arms, the best first.
fn arms(constants: &Constants) -> String {
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
    let heading =
        words(&["Upper bound (Theorem 1)", "regret", "first order", "second", "detrimental plays", "holds with"]);
    let row = |(label, bound): (&String, &optimist_lab::theory::upper::UpperBound)| {
        vec![
            label.clone(),
            number(bound.value),
            number(bound.first_order),
            number(bound.second_order.least()),
            bound.detrimental_plays.map_or_else(|| "-".to_owned(), number),
            percent(bound.probability),
        ]
    };
    let rows: Vec<Vec<String>> = std::iter::once(heading).chain(statement.upper_bound.iter().map(row)).collect();
    aligned(&rows)
}

fn lower(statement: &Statement) -> String {
    let Some(bound) = &statement.lower_bound else { return String::new() };
    let universal = bound.universal.map_or_else(
        || bound.refusal.clone().unwrap_or_default(),
        |packing| format!("{} from K_d = 1/{}", number(packing.value), number(1.0 / bound.constant)),
    );
    format!(
        "  Lower bound (Theorem 2): regret {} for some theta at most {} from theta* ({universal})\n",
        number(bound.sharp.value),
        number(bound.sharp.eps * ((bound.dimension - 1) as f64).sqrt()),
    )
}

fn yardstick(statement: &Statement) -> String {
    let Some(yardstick) = &statement.graves_lai else { return String::new() };
    let log = (statement.horizon as f64).ln();
    let plays: Vec<String> = yardstick.plays.iter().map(|(arm, plays)| format!("{arm}: {}", number(*plays))).collect();
    let plays = if plays.is_empty() { String::new() } else { format!("; plays per log T of arm {}", plays.join(", ")) };
    format!(
        "  Graves-Lai: regret / log T tends to {} at least, {} after T rounds ({}){plays}\n",
        number(yardstick.value()),
        number(yardstick.value() * log),
        yardstick.status,
    )
}

fn notes(statement: &Statement) -> String {
    statement.notes.iter().map(|(about, text)| format!("  {about}: {text}\n")).collect()
}
