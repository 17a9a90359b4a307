//! The parameter: as it is stated, given, or fitted.

use std::path::Path;

use optimist::{Estimator, History, Penalty};

use super::arms::stem;
use super::columns::Columns;
use super::encoder::Encoder;
use super::keys::NORM_MOST;
use super::table::{Field, Table};
use crate::error::{Error, Result};
use crate::experiment::{Arms, Fitted, List, Scale, Truth};
use crate::input::short;

/// Beside the rates of arms, which need no penalty but where some of them are zero or one.
const RATES_RIDGE: f64 = 1e-6;

/// Reads the parameter. `encoder` made the features of arms that are rows of a table.
pub(super) fn read(table: &Table<'_, '_>, arms: &Arms, encoder: Option<&Encoder>, directory: &Path) -> Result<Truth> {
    let given: Vec<&str> = ["kappa", "theta_norm", "theta"].into_iter().filter(|name| table.has(name)).collect();
    match (arms, &given[..]) {
        (Arms::List(list), []) if !list.rates.is_empty() => fit_rates(list),
        (Arms::List(list), [name, ..]) if !list.rates.is_empty() => Err(Error::input(format!(
            "environment.{name} is given beside environment.arms.rates: the arms succeed with these; remove one"
        ))),
        (_, ["kappa"]) => Ok(Truth::Kappa(table.need("kappa")?.number()?)),
        (_, ["theta_norm"]) => Ok(Truth::ThetaNorm(table.need("theta_norm")?.number()?)),
        (_, ["theta"]) => read_theta(&table.need("theta")?, arms, encoder, directory),
        (_, [first, second, ..]) => Err(Error::input(format!(
            "environment.{first} and environment.{second} are both given: each fixes the norm of theta; remove one"
        ))),
        _ => Err(Error::input("environment.kappa is missing: give it, or theta_norm, or theta")),
    }
}

fn read_theta(field: &Field<'_, '_>, arms: &Arms, encoder: Option<&Encoder>, directory: &Path) -> Result<Truth> {
    let truth = match field.is_table() {
        true => fit_log(&field.table()?, arms, encoder, directory)?,
        false => Truth::Theta(field.vector()?),
    };
    if !(truth.norm() <= NORM_MOST) {
        let (norm, most) = (short(truth.norm()), short(NORM_MOST));
        return Err(field.refuse(format_args!("has norm {norm}: it must be at most {most}")));
    }
    Ok(truth)
}

/// The logistic regression of a log.
fn fit_log(table: &Table<'_, '_>, arms: &Arms, encoder: Option<&Encoder>, directory: &Path) -> Result<Truth> {
    let (file, reward) = (table.need("fit")?, table.need("reward")?);
    if arms.hybrid().is_some() {
        return Err(file.refuse_value("arms with parameters of their own have no one theta to fit; give theta_norm"));
    }
    let chosen = match (encoder, table.get("columns")?) {
        (Some(encoder), None) => encoder.names(),
        (Some(_), Some(field)) => return Err(field.refuse("is not needed: features are those of the arms; remove it")),
        (None, Some(field)) => field.texts()?,
        (None, None) => table.need("columns")?.texts()?,
    };
    let (name, reward_name, ridge) = (file.text()?, reward.text()?, table.need("ridge")?.number()?);
    let refuse = |what: String| file.refuse_value(what);
    let mut log =
        Columns::read(&directory.join(&name), Some(&chosen), std::slice::from_ref(&reward_name)).map_err(refuse)?;
    let rewards = log.pop_numbers().filter(|rewards| rewards.iter().all(|reward| (0.0..=1.0).contains(reward)));
    let rewards =
        rewards.ok_or_else(|| reward.refuse_value("the column must have numbers from 0 to 1, or true and false"))?;
    let own = encoder.is_none().then(|| Encoder::of(&log, Scale::None)).transpose().map_err(refuse)?;
    let encoder = own.as_ref().or(encoder).ok_or_else(|| file.wrong())?;
    let features = encoder.encode(&log).map_err(refuse)?;
    let observations = features.chunks_exact(encoder.width()).zip(rewards.iter().copied());
    let theta = fit(observations, encoder.width(), ridge).map_err(refuse)?;
    Ok(Truth::Fitted(Fitted { theta, file: stem(&name), reward: reward_name, observations: rewards.len(), ridge }))
}

/// The logistic regression of the rates of arms on their features.
fn fit_rates(list: &List) -> Result<Truth> {
    let width = list.arms.first().map_or(0, Vec::len);
    let observations = list.arms.iter().map(Vec::as_slice).zip(list.rates.iter().copied());
    let theta =
        fit(observations, width, RATES_RIDGE).map_err(|e| Error::input(format!("environment.arms.rates: {e}")))?;
    let (file, reward) = (list.name.clone().unwrap_or_else(|| "arms".to_owned()), "rates".to_owned());
    Ok(Truth::Fitted(Fitted { theta, file, reward, observations: list.arms.len(), ridge: RATES_RIDGE }))
}

/// The theta that minimises the log-loss plus ridge/2 times its squared norm.
fn fit<'a>(
    observations: impl Iterator<Item = (&'a [f64], f64)>,
    width: usize,
    ridge: f64,
) -> std::result::Result<Vec<f64>, String> {
    let words = |e: optimist::Error| format!("theta cannot be fitted: {e}");
    let mut history = History::new(width).map_err(words)?;
    for (x, reward) in observations {
        history.observe(x, reward).map_err(words)?;
    }
    let mut estimator = Estimator::new(width);
    let status = estimator.fit(&history, Penalty::ridge(ridge)).map_err(words)?;
    if !status.is_converged() {
        return Err("theta cannot be fitted: the regression does not converge; give a larger ridge".to_owned());
    }
    Ok(estimator.theta().to_vec())
}
