//! Environments: one for every combination of the keys that are lists.

use std::collections::HashSet;
use std::path::Path;

use super::keys::{DIMENSION_MOST, NUMBERS_MOST};
use super::sweep::expand;
use super::table::{Field, Table};
use super::{arms, drift, labels, rewards, theta};
use crate::error::{Error, Result};
use crate::experiment::{Arms, Delay, Drift, Environment, Feedback, Hybrid, NormBound, Rewards, Truth};
use crate::input::{Path as Place, short};

/// What rounding may do to the norm of a parameter.
const ROUNDING: f64 = 1e-12;

/// Reads all environments; files of arms are looked for in `directory`.
pub(super) fn read_all(field: &Field<'_, '_>, directory: &Path) -> Result<Vec<Environment>> {
    // Refuses what is not a table, and unknown keys, before lists are multiplied.
    let table = field.table()?;
    // Labels are not settings: a list of them makes no sweep.
    let settings: toml::Table =
        field.entries()?.iter().filter(|(name, _)| *name != "label").map(|(k, v)| (k.clone(), v.clone())).collect();
    let tables = expand("environment", &settings)?;
    let (mut environments, mut names, mut numbers) = (Vec::new(), HashSet::new(), 0);
    for entries in &tables {
        let environment = read(entries, directory)?;
        numbers += environment.arms.numbers();
        if numbers > NUMBERS_MOST {
            let most = short(NUMBERS_MOST as f64);
            return Err(Error::input(format!("environment.arms: the lists have more than {most} numbers in all")));
        }
        if !names.insert(environment.to_string()) {
            return Err(repeated(&environment));
        }
        environments.push(environment);
    }
    if let Some(labels) = table.get("label")? {
        labels::apply(&labels, &mut environments)?;
    }
    Ok(environments)
}

fn repeated(environment: &Environment) -> Error {
    let remedy = match environment.arms.list().is_empty() {
        true => "no value may be there twice",
        false => "no value may be there twice, and lists in one sweep must differ in their number of arms",
    };
    Error::input(format!("environment: two combinations are called \"{environment}\"; {remedy}"))
}

fn read(entries: &toml::Table, directory: &Path) -> Result<Environment> {
    let place = Place::Key(&Place::Root, "environment");
    let table = Table::new("environment", &place, entries, &[])?;
    let arms_field = table.need("arms")?;
    let arms_table = arms_field.table()?;
    let (arms, encoder) = arms::read(&arms_table, directory)?;
    let truth = theta::read(&table, &arms, encoder.as_ref(), directory)?;
    let dimension = read_dimension(&table, &truth, &arms)?;
    arms::check(&arms_table, &arms, dimension)?;
    let (norm_bound, feedback) = (NormBound::None, read_feedback(&table)?);
    let (drift, rewards) = (Drift::None, Rewards::default());
    let mut environment = Environment { label: None, dimension, arms, truth, norm_bound, feedback, drift, rewards };
    // What the bound must not be below depends on the arms.
    environment.norm_bound = read_norm_bound(&table, environment.norm())?;
    environment.drift = drift::read(&table, &environment)?;
    environment.rewards = rewards::read(&table, &environment)?;
    Ok(environment)
}

/// The dimension as written, or the length of what is given.
fn read_dimension(table: &Table<'_, '_>, truth: &Truth, arms: &Arms) -> Result<usize> {
    if let Some(hybrid) = arms.hybrid() {
        check_hybrid(table, truth, &hybrid)?;
        return Ok(hybrid.dimension());
    }
    let theta = theta_length(truth);
    let dimension = match (table.get("dimension")?, theta.or(arms.width())) {
        (Some(field), _) => field.size()?,
        (None, Some(length)) => length,
        (None, None) => table.need("dimension")?.size()?,
    };
    match theta {
        Some(length) if length != dimension => {
            Err(table.need("theta")?.refuse(format_args!("has {length} entries: the dimension is {dimension}")))
        }
        Some(length) if length as u64 > DIMENSION_MOST => {
            Err(table.need("theta")?.refuse(format_args!("has {length} entries: at most {DIMENSION_MOST} are allowed")))
        }
        _ => Ok(dimension),
    }
}

fn theta_length(truth: &Truth) -> Option<usize> {
    truth.theta().map(<[f64]>::len)
}

/// Checks whatever says how many features or parameters there are.
fn check_hybrid(table: &Table<'_, '_>, truth: &Truth, hybrid: &Hybrid) -> Result<()> {
    let Hybrid { count, shared, own, written_out, .. } = hybrid;
    let (dimension, parameters) = (hybrid.dimension(), hybrid.parameters());
    let sum = if *written_out { format!("{shared} + {count} x {own}") } else { format!("{shared} + {own}") };
    if dimension as u64 > DIMENSION_MOST {
        let what = format!("has arms with {sum} = {dimension} features: at most {DIMENSION_MOST} are allowed");
        return Err(table.need("arms")?.refuse(what));
    }
    if let Some(field) = table.get("dimension")?.filter(|field| !matches!(field.size(), Ok(d) if d == dimension)) {
        return Err(field.refuse_value(format_args!("these hybrid arms have {sum} = {dimension} features; remove it")));
    }
    match theta_length(truth).filter(|length| *length != parameters) {
        Some(length) => Err(table.need("theta")?.refuse(format_args!(
            "has {length} entries: these hybrid arms have {shared} + {count} x {own} = {parameters} parameters"
        ))),
        None => Ok(()),
    }
}

fn read_norm_bound(table: &Table<'_, '_>, norm: f64) -> Result<NormBound> {
    let field = table.need("norm_bound")?;
    let bound = match field.word_or_number()? {
        Ok(word) if word == "exact" => NormBound::Exact,
        Ok(word) if word == "+1" => NormBound::PlusOne,
        Ok(_) => NormBound::None,
        Err(number) => NormBound::Value(number),
    };
    check_norm_bound(&field, bound, norm)?;
    Ok(bound)
}

/// Policies may rely on the bound, so a false one is refused, and so is one they cannot work with.
fn check_norm_bound(field: &Field<'_, '_>, bound: NormBound, norm: f64) -> Result<()> {
    match (bound, bound.value(norm)) {
        (NormBound::Value(value), _) if value < norm * (1.0 - ROUNDING) => {
            // `+1` without quotes is the number one.
            let hint = if value == 1.0 { "; with quotes, \"+1\" is the norm plus one" } else { "" };
            Err(field
                .refuse_value(format_args!("the norm of theta is {norm}, which the bound must not be below{hint}")))
        }
        (_, Some(value)) if !(value > 0.0) => {
            let remedy = "write \"+1\", a number or \"none\"";
            Err(field.refuse_value(format_args!("that makes {value} here, and a bound must be above 0; {remedy}")))
        }
        _ => Ok(()),
    }
}

fn read_feedback(table: &Table<'_, '_>) -> Result<Feedback> {
    let Some(field) = table.get("feedback")? else { return Ok(Feedback::default()) };
    let table = field.table()?;
    let delay = table.get("delay")?.map_or(Ok(Delay::None), |field| read_delay(&field.table()?))?;
    Ok(Feedback { delay, missing: table.need("missing")?.number()? })
}

fn read_delay(table: &Table<'_, '_>) -> Result<Delay> {
    let kind: String = table.need("kind")?.word()?;
    let unwanted: &[&str] = match kind.as_str() {
        "none" => &["mean", "size"],
        "batch" => &["mean"],
        _ => &["size"],
    };
    for name in unwanted {
        if let Some(field) = table.get(name)? {
            return Err(field.refuse_value(format_args!("a delay of kind \"{kind}\" has no {name}; remove it")));
        }
    }
    match kind.as_str() {
        "none" => Ok(Delay::None),
        "batch" => Ok(Delay::Batch { size: table.need("size")?.size()? }),
        "fixed" => {
            let field = table.need("mean")?;
            let mean = field.number()?;
            if mean.fract() != 0.0 {
                return Err(field.refuse_value("a fixed delay must be a whole number of rounds"));
            }
            Ok(Delay::Fixed { mean: mean as usize })
        }
        _ => Ok(Delay::Geometric { mean: table.need("mean")?.number()? }),
    }
}
