//! How theta* moves.

use super::table::Table;
use crate::error::Result;
use crate::experiment::{Arms, Drift, Environment, Redraw, Shape};

/// Reads how theta* moves; the rest of the environment decides what is possible.
pub(super) fn read(table: &Table<'_, '_>, environment: &Environment) -> Result<Drift> {
    let Some(field) = table.get("drift")? else { return Ok(Drift::None) };
    let drift = read_drift(&field.table()?)?;
    if drift.is_none() {
        return Ok(drift);
    }
    match obstacle(drift, environment) {
        Some(why) => Err(field.table()?.need("kind")?.refuse_value(why)),
        None => Ok(drift),
    }
}

fn read_drift(table: &Table<'_, '_>) -> Result<Drift> {
    let kind: String = table.need("kind")?.word()?;
    let wanted = match kind.as_str() {
        "steps" => Some("every"),
        "walk" => Some("rate"),
        "seasons" => Some("period"),
        _ => None,
    };
    for name in ["every", "rate", "period"].into_iter().filter(|name| Some(*name) != wanted) {
        if let Some(field) = table.get(name)? {
            return Err(field.refuse_value(format_args!("a drift of kind \"{kind}\" has no {name}; remove it")));
        }
    }
    Ok(match wanted {
        Some("every") => Drift::Steps { every: table.need("every")?.size()? },
        Some("rate") => Drift::Walk { rate: table.need("rate")?.number()? },
        Some(_) => Drift::Seasons { period: table.need("period")?.size()? },
        None => Drift::None,
    })
}

/// Why theta* cannot move like that, if it cannot.
fn obstacle(drift: Drift, environment: &Environment) -> Option<&'static str> {
    if environment.norm() == 0.0 {
        return Some("theta is zero, which has no direction; give another kappa, theta_norm or theta, or remove drift");
    }
    if drift.turns() && environment.least_part() == 1 {
        return Some(
            "what has one dimension cannot turn; choose \"steps\", or give every part of theta two dimensions",
        );
    }
    if matches!(&environment.arms, Arms::List(list) if !list.rates.is_empty()) {
        return Some("the arms succeed with rates of their own, whatever theta is; remove drift");
    }
    // Arms that were drawn on the bad side of the first theta* would not be on that of the second.
    match environment.arms {
        Arms::Drawn { shape: Shape::HalfBall, redraw: Redraw::Run, .. } => {
            Some("arms of kind \"half-ball-sample\" depend on theta; add redraw = \"round\" to them, or remove drift")
        }
        _ => None,
    }
}
