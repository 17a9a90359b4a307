//! Data of the user's own, replayed.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use optimist_lab::replay::{Prepared, ReplayOptions, Replayed, read_model, read_scale};
use optimist_tables::{Format, Options, Table};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::attend::{Watch, attend};
use super::cells;
use crate::errors::{Fault, Result, as_keywords};
use crate::json;

/// What the user wants, as `optimist.replay` writes it down.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wishes {
    label: Option<String>,
    arm: Option<String>,
    reward: Option<String>,
    propensity: Option<String>,
    reward_scale: Option<String>,
    policy: Vec<String>,
    options: Option<Map<String, Value>>,
    model: Vec<String>,
    orders: Option<NonZero<usize>>,
    rounds: Option<NonZero<usize>>,
    seed: u64,
    jobs: Option<NonZero<usize>>,
    explore: f64,
    certify: bool,
    norm_bound: Option<f64>,
    delta: f64,
    weight_limit: Option<f64>,
    number: Vec<String>,
    category: Vec<String>,
    text: Vec<String>,
    time: Vec<String>,
    hashed: Vec<String>,
    ignore: Vec<String>,
    format: Option<Format>,
    delimiter: Option<char>,
    header: bool,
    decimal_comma: bool,
    strict: bool,
}

impl Wishes {
    fn options(self, data: PathBuf) -> Result<ReplayOptions> {
        let named = |field: &str| {
            let field = field.to_owned();
            move |what: String| Fault::option(format!("{field}: {what}"))
        };
        let scale = self.reward_scale.as_deref().map(read_scale).transpose().map_err(named("reward_scale"))?;
        let models: std::result::Result<_, String> = self.model.iter().map(|model| read_model(model)).collect();
        let tables = Options {
            format: self.format,
            delimiter: self.delimiter,
            header: self.header,
            decimal_comma: self.decimal_comma,
            strict: self.strict,
            ignore: self.ignore,
            ..Options::default()
        };
        Ok(ReplayOptions {
            data,
            label: self.label,
            arm: self.arm,
            reward: self.reward,
            propensity: self.propensity,
            reward_scale: scale,
            policy: self.policy,
            options: self.options.map(|options| Value::Object(options).to_string()),
            model: models.map_err(named("model"))?,
            orders: self.orders,
            rounds: self.rounds,
            seed: self.seed,
            jobs: self.jobs,
            explore: self.explore,
            certify: self.certify,
            norm_bound: self.norm_bound,
            delta: self.delta,
            weight_limit: self.weight_limit,
            number: self.number,
            category: self.category,
            text: self.text,
            time: self.time,
            hashed: self.hashed,
            tables,
        })
    }
}

/// Replays a file, or columns with their names if these are given. What was raised meanwhile is returned beside what is there.
#[pyfunction]
#[pyo3(signature = (data, wishes, columns = None, out = None, tell = None))]
pub(crate) fn replay_data<'py>(
    py: Python<'py>,
    data: PathBuf,
    wishes: &str,
    columns: Option<Vec<(String, Bound<'py, PyAny>)>>,
    out: Option<PathBuf>,
    tell: Option<Py<PyAny>>,
) -> Result<(Bound<'py, PyDict>, Option<PyErr>)> {
    let wishes: Wishes =
        serde_json::from_str(wishes).map_err(|e| Fault::option(format!("an option cannot be: {e}")))?;
    let options = wishes.options(data)?;
    let cells = columns.map(|columns| -> Result<Vec<_>> {
        columns.into_iter().map(|(name, values)| Ok((name.clone(), cells::of_column(&name, &values)?))).collect()
    });
    let cells = cells.transpose()?;
    let prepared = py.detach(|| prepare(&options, cells))?;
    let watch = Watch::default();
    let (replayed, raised) = attend(py, &watch, tell.as_ref(), || prepared.run(&watch));
    let replayed = replayed?;
    if let Some(out) = &out {
        py.detach(|| replayed.save(out))?;
    }
    Ok((told(py, &prepared, &replayed)?, raised))
}

fn prepare(options: &ReplayOptions, cells: Option<Vec<(String, Vec<optimist_tables::Cell>)>>) -> Result<Prepared> {
    let Some(cells) = cells else { return Ok(Prepared::open(options)?) };
    let name = Path::new(&options.data).display().to_string();
    let table =
        Table::from_columns(&name, cells, &options.tables).map_err(|e| Fault::input(as_keywords(&e.to_string())))?;
    Ok(Prepared::read(options, table)?)
}

/// All of it in Python's terms.
fn told<'py>(py: Python<'py>, prepared: &Prepared, replayed: &Replayed) -> Result<Bound<'py, PyDict>> {
    let Replayed { rounds, entries, shown, what, yardstick, logged, stopped, .. } = replayed;
    let curves = entries.iter().map(|entry| {
        let courses = entry.courses.iter().map(|course| json!(course.curve));
        courses.collect::<Vec<Value>>()
    });
    let told = PyDict::new(py);
    told.set_item("title", &shown.title)?;
    told.set_item("what", what)?;
    told.set_item("is_log", shown.is_log)?;
    told.set_item("rounds", rounds)?;
    told.set_item("yardstick", yardstick)?;
    told.set_item("level", shown.yardstick.as_ref().map(|(value, _)| *value))?;
    told.set_item("logged", json::write(py, logged)?)?;
    told.set_item("entries", json::write(py, entries)?)?;
    told.set_item("curves", json::write(py, &curves.collect::<Vec<_>>())?)?;
    told.set_item("best", optimist_lab::replay::best(entries).map(|best| best.label()))?;
    let lines: Vec<[String; 3]> =
        prepared.lines.iter().map(|[column, kind, why]| [column.clone(), kind.clone(), as_keywords(why)]).collect();
    told.set_item("schema", lines)?;
    told.set_item("notes", prepared.notes.iter().map(|note| as_keywords(note)).collect::<Vec<_>>())?;
    told.set_item("warnings", replayed.warnings())?;
    told.set_item("stopped", stopped)?;
    Ok(told)
}
