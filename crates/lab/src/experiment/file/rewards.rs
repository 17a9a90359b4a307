//! How rewards depend on features.

use super::table::{Field, Table};
use crate::error::Result;
use crate::experiment::{Arms, Environment, Interaction, Rewards};

/// Reads how rewards depend on features; the rest of the environment decides what is possible.
pub(super) fn read(table: &Table<'_, '_>, environment: &Environment) -> Result<Rewards> {
    let Some(field) = table.get("rewards")? else { return Ok(Rewards::default()) };
    let table = field.table()?;
    let rewards = Rewards {
        link: table.need("link")?.word()?,
        interactions: read_interactions(&table, environment.dimension)?,
        noise: table.need("noise")?.number()?,
        flipped: table.need("flipped")?.number()?,
    };
    match obstacle(&rewards, &environment.arms) {
        Some((name, why)) => Err(table.need(name)?.refuse(why)),
        None => Ok(rewards),
    }
}

fn read_interactions(table: &Table<'_, '_>, dimension: usize) -> Result<Vec<Interaction>> {
    let Some(field) = table.get("interactions")? else { return Ok(Vec::new()) };
    field.rows()?.iter().enumerate().map(|(i, term)| read_interaction(&field, i + 1, term, dimension)).collect()
}

fn read_interaction(field: &Field<'_, '_>, number: usize, term: &[f64], dimension: usize) -> Result<Interaction> {
    let place = |v: f64| (v.fract() == 0.0 && (1.0..=dimension as f64).contains(&v)).then(|| v as usize - 1);
    let interaction = match *term {
        [first, second, weight] => place(first).zip(place(second)).map(|(first, second)| (first, second, weight)),
        _ => None,
    };
    match interaction {
        Some((first, second, weight)) => Ok(Interaction { first, second, weight }),
        None => Err(field.refuse(format_args!(
            "has something else as number {number}: give two features from 1 to {dimension} and a weight, such as [1, 2, 0.5]"
        ))),
    }
}

/// The key that does not fit the arms, and why, if there is one.
fn obstacle(rewards: &Rewards, arms: &Arms) -> Option<(&'static str, &'static str)> {
    let is_round = matches!(arms, Arms::Ball | Arms::Sphere);
    let is_rated = matches!(arms, Arms::List(list) if !list.rates.is_empty());
    if !rewards.is_logistic() && is_rated {
        let name = if rewards.interactions.is_empty() { "link" } else { "interactions" };
        return Some((name, "is given beside environment.arms.rates: the arms succeed with these; remove one"));
    }
    if !rewards.interactions.is_empty() && (is_round || arms.hybrid().is_some()) {
        return Some((
            "interactions",
            "needs arms that are lists and share all parameters: draw or list arms, or remove it",
        ));
    }
    if rewards.noise > 0.0 && (is_round || arms.hybrid().is_some()) {
        return Some(("noise", "needs arms that are lists and share all parameters: draw or list arms, or remove it"));
    }
    None
}
