//! `optimist radii`: the registry of radii, for people and for programs.

use clap::Args;
use optimist::set::{Radius, RadiusInfo, Theorem};
use optimist_lab::input::{nearest, shorten};
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::files::write_stdout;

/// What `optimist radii` is given.
#[derive(Args)]
pub(crate) struct RadiiArgs {
    /// A radius to describe in full: what it promises, and under which assumptions [default: list all]
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A radius for programs.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    summary: &'static str,
    guaranteed: bool,
    needs_norm_bound: bool,
    needs_order: bool,
    unit_arms: bool,
    #[serde(flatten)]
    theorem: &'static Theorem,
}

impl Entry {
    fn new(info: &RadiusInfo) -> Self {
        let RadiusInfo { name, summary, guaranteed, needs_norm_bound, needs_order, unit_arms, theorem, .. } = *info;
        Self { name, summary, guaranteed, needs_norm_bound, needs_order, unit_arms, theorem }
    }
}

/// Runs the command.
///
/// # Errors
/// If there is no radius of that name, or standard output cannot be written.
pub(crate) fn run(args: &RadiiArgs) -> Result<()> {
    let chosen = args.name.as_deref().map(find).transpose()?;
    let text = match (chosen, args.json) {
        (Some(info), true) => to_json(&Entry::new(info))?,
        (Some(info), false) => describe(&Entry::new(info)),
        (None, true) => to_json(&Radius::all().into_iter().map(Entry::new).collect::<Vec<_>>())?,
        (None, false) => table(),
    };
    write_stdout(text.as_bytes())
}

fn find(name: &str) -> Result<&'static RadiusInfo> {
    Radius::all().into_iter().find(|info| info.name == name).ok_or_else(|| {
        let names: Vec<&str> = Radius::all().iter().map(|info| info.name).collect();
        let remedy = nearest(name, &names)
            .map_or_else(|| "there is no such radius".to_owned(), |near| format!("did you mean \"{near}\"?"));
        Failure::Input(format!("NAME is \"{}\": {remedy} (`optimist radii` lists all)", shorten(name)))
    })
}

/// The registry as a table for people, one line per radius.
pub(crate) fn table() -> String {
    let width = Radius::all().iter().map(|info| info.name.len()).max().unwrap_or(0);
    Radius::all().iter().fold(format!("{:width$}  norm bound  summary\n", "name"), |table, info| {
        let need = if info.needs_norm_bound { "needed" } else { "optional" };
        table + &format!("{:width$}  {need:10}  {}\n", info.name, info.summary)
    })
}

/// All about one radius.
fn describe(entry: &Entry) -> String {
    let Entry { name, summary, guaranteed, needs_norm_bound, theorem, .. } = entry;
    let norm_bound = if *needs_norm_bound { "needed" } else { "optional" };
    if !guaranteed {
        return format!(
            "{name}: {summary}\n\nNorm bound  {norm_bound}\nPromise     none\nSource      {}\n",
            theorem.citation
        );
    }
    let order = if theorem.order_free { "any between two looks" } else { "must not depend on the outcomes" };
    let assumptions: String = theorem.assumptions.iter().map(|assumption| format!("  - {assumption}\n")).collect();
    format!(
        "{name}: {summary}\n\nNorm bound  {norm_bound}\nPromise     with probability 1 - delta, the true parameter is in the set at all \
         times at once\nOrder       {order}\nProof       {}\n\nIt assumes:\n{assumptions}",
        theorem.citation
    )
}

fn to_json(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Failure::Internal(e.to_string()))?;
    Ok(text + "\n")
}
