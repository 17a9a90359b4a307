//! The table that papers print: a row per policy, a column per environment, the best in bold.

use serde::Serialize;

use super::differences::{ALPHA, Comparison, differences_of};
use super::markup::{latex, markdown};
use super::statistics::Statistics;
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::input::{shown_text, suggest};
use crate::store::{EnvironmentRuns, Outcome, PolicyRuns};

/// What a table is to show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableRequest {
    /// The round; the horizon if absent.
    pub t: Option<usize>,
    /// Policies by label or name; all if empty.
    pub policies: Vec<String>,
    /// Environments by label, short name or number from one; all if empty.
    pub environments: Vec<String>,
}

/// Mean regret and its standard error, by policy and environment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FinalTable {
    /// The name of the experiment.
    pub experiment: String,
    /// The round.
    pub t: usize,
    /// What the environments have in common; empty if nothing was taken out of their names.
    pub common: String,
    /// The names of the columns.
    pub environments: Vec<String>,
    /// The labels of the rows.
    pub policies: Vec<String>,
    /// By row and column; none where no run is finished.
    pub cells: Vec<Vec<Option<FinalCell>>>,
}

/// The regret of a policy in an environment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FinalCell {
    /// Finished runs.
    pub runs: usize,
    /// The mean.
    pub mean: f64,
    /// Its standard error; NaN, in JSON null, for a single run.
    pub standard_error: f64,
    /// Whether the mean is the least in the environment.
    pub best: bool,
    /// Whether it is not the least and yet not significantly more: paired t tests, adjusted after Holm for all pairs of the
    /// policies shown.
    pub near_best: bool,
}

impl FinalTable {
    /// The table of an outcome.
    ///
    /// # Errors
    /// If a policy or an environment is not there, or no figures were taken after that round.
    pub fn of(outcome: &Outcome, request: &TableRequest) -> Result<Self> {
        let experiment = &outcome.experiment;
        let t = round_with_figures(outcome, request.t)?;
        let policies = shown_policies(experiment, &request.policies)?;
        let short = experiment.short_names();
        let places = shown_environments(outcome, &short.names, &request.environments)?;
        let columns: Vec<Vec<Option<FinalCell>>> =
            places.iter().map(|i| column(&outcome.environments[*i], &policies, t)).collect();
        let row = |place: usize| columns.iter().map(|column| column[place]).collect();
        Ok(Self {
            experiment: experiment.name.clone(),
            t,
            common: short.common,
            environments: places.iter().map(|i| short.names[*i].clone()).collect(),
            policies: policies.iter().map(|i| experiment.policies[*i].label.clone()).collect(),
            cells: (0..policies.len()).map(row).collect(),
        })
    }

    /// As LaTeX, for the package booktabs.
    pub fn latex(&self) -> String {
        let cell = |cell: &Option<FinalCell>| match cell {
            None => "--".to_owned(),
            Some(cell) => {
                let text = cell.figures().join(" $\\pm$ ");
                match (cell.best, cell.near_best) {
                    (true, _) => format!("\\textbf{{{text}}}"),
                    (_, true) => format!("{text}$^{{*}}$"),
                    _ => text,
                }
            }
        };
        let line = |cells: Vec<String>| format!("    {} \\\\\n", cells.join(" & "));
        let rows = self.policies.iter().zip(&self.cells);
        let rows: String = rows
            .map(|(label, row)| line(std::iter::once(latex(label)).chain(row.iter().map(cell)).collect()))
            .collect();
        let (heading, columns) = (line(self.heading(&latex)), "r".repeat(self.environments.len()));
        let caption = self.caption(&latex, "$\\pm$", "$^{*}$");
        format!(
            "% Needs \\usepackage{{booktabs}} and \\usepackage[T1]{{fontenc}}.\n\\begin{{table}}\n  \\centering\n  \
             \\caption{{{caption}}}\n  \\begin{{tabular}}{{l{columns}}}\n    \\toprule\n{heading}    \\midrule\n{rows}    \
             \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n"
        )
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let cell = |cell: &Option<FinalCell>| match cell {
            None => "-".to_owned(),
            Some(cell) => {
                let text = cell.figures().join(" ± ");
                match (cell.best, cell.near_best) {
                    (true, _) => format!("**{text}**"),
                    (_, true) => format!("{text} \\*"),
                    _ => text,
                }
            }
        };
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let rule = std::iter::once("---".to_owned()).chain(self.environments.iter().map(|_| "---:".to_owned()));
        let rows = self.policies.iter().zip(&self.cells);
        let rows =
            rows.map(|(label, row)| line(std::iter::once(markdown(label)).chain(row.iter().map(cell)).collect()));
        let table: String = [line(self.heading(&markdown)), line(rule.collect())].into_iter().chain(rows).collect();
        format!("{table}\n{}\n", self.caption(&markdown, "±", "\\*"))
    }

    /// As comma-separated values: a line per environment and policy, numbers with all digits.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let header = ["environment", "policy", "t", "runs", "mean", "standard_error", "best", "near_best"];
        let mut write = |cells: &[String]| writer.write_record(cells).expect("memory takes everything");
        write(&header.map(str::to_owned));
        for (place, environment) in self.environments.iter().enumerate() {
            for (label, row) in self.policies.iter().zip(&self.cells) {
                let Some(FinalCell { runs, mean, standard_error, best, near_best }) = row[place] else { continue };
                let error = if standard_error.is_nan() { String::new() } else { standard_error.to_string() };
                let [runs, t] = [runs, self.t].map(|number| number.to_string());
                write(&[
                    environment.clone(),
                    label.clone(),
                    t,
                    runs,
                    mean.to_string(),
                    error,
                    best.to_string(),
                    near_best.to_string(),
                ]);
            }
        }
        let bytes = writer.into_inner().expect("memory takes everything");
        String::from_utf8(bytes).expect("what was written is text")
    }

    fn heading(&self, escape: &dyn Fn(&str) -> String) -> Vec<String> {
        std::iter::once("policy".to_owned()).chain(self.environments.iter().map(|name| escape(name))).collect()
    }

    /// What the table shows.
    fn caption(&self, escape: &dyn Fn(&str) -> String, plus_minus: &str, mark: &str) -> String {
        let runs = || self.cells.iter().flatten().flatten().map(|cell| cell.runs);
        let (least, most) = (runs().min().unwrap_or(0), runs().max().unwrap_or(0));
        let runs = match (least, most) {
            (1, 1) => "of 1 run".to_owned(),
            _ if least == most => format!("{plus_minus} standard error of {most} runs"),
            _ => format!("{plus_minus} standard error of {least} to {most} runs"),
        };
        let common = if self.common.is_empty() { String::new() } else { format!(" ({})", escape(&self.common)) };
        let marked = self.cells.iter().flatten().flatten().any(|cell| cell.near_best);
        let marked = if marked {
            format!(
                "; {mark}: not significantly more than the least (paired t tests, adjusted after Holm in every environment, \
                 level {ALPHA})"
            )
        } else {
            String::new()
        };
        format!(
            "{}: regret after {} rounds{common}. Mean {runs}; the least in bold{marked}.",
            escape(&self.experiment),
            self.t
        )
    }
}

impl FinalCell {
    /// The mean and, if it is known, its error, with as many decimals as give two digits of the error.
    fn figures(&self) -> Vec<String> {
        let scale = if self.standard_error > 0.0 { self.standard_error } else { 0.1 * self.mean.abs() };
        let decimals = if scale > 0.0 { (1.0 - scale.log10().floor()).clamp(0.0, 9.0) as usize } else { 0 };
        let shown = |value: f64| format!("{value:.decimals$}");
        let error = (!self.standard_error.is_nan()).then(|| shown(self.standard_error));
        std::iter::once(shown(self.mean)).chain(error).collect()
    }
}

/// The round that is asked for, or the horizon.
///
/// # Errors
/// If no figures were taken after it.
pub fn round_with_figures(outcome: &Outcome, asked: Option<usize>) -> Result<usize> {
    let experiment = &outcome.experiment;
    let Some(t) = asked else { return Ok(experiment.horizon) };
    let marks = experiment.marks();
    if marks.binary_search(&t).is_ok() {
        return Ok(t);
    }
    let after = marks.partition_point(|mark| *mark < t);
    let near = [after.checked_sub(1), Some(after)].into_iter().flatten().filter_map(|i| marks.get(i));
    let near: Vec<String> = near.map(usize::to_string).collect();
    Err(Error::input(format!(
        "t is {t}: no figures were taken after that round; the nearest rounds that have some: {}",
        near.join(", ")
    )))
}

fn shown_policies(experiment: &Experiment, asked: &[String]) -> Result<Vec<usize>> {
    let known: Vec<&str> = experiment.policies.iter().map(|spec| spec.label.as_str()).collect();
    if let Some(unknown) = asked.iter().find(|name| !experiment.policies.iter().any(|spec| spec.is_called(name))) {
        let what = format!("policies has {}, which is no policy of the experiment", shown_text(unknown));
        return Err(Error::input(format!("{what}: {}", suggest(unknown, &known))));
    }
    let is_shown = |i: &usize| asked.is_empty() || asked.iter().any(|name| experiment.policies[*i].is_called(name));
    Ok((0..known.len()).filter(is_shown).collect())
}

fn shown_environments(outcome: &Outcome, short: &[String], asked: &[String]) -> Result<Vec<usize>> {
    let all = 0..outcome.environments.len();
    if asked.is_empty() {
        return Ok(all.collect());
    }
    let is_called = |i: usize, name: &str| {
        short[i] == name || outcome.environments[i].environment.to_string() == name || (i + 1).to_string() == name
    };
    if let Some(unknown) = asked.iter().find(|name| !all.clone().any(|i| is_called(i, name))) {
        let known: Vec<&str> = short.iter().map(String::as_str).collect();
        let what = format!("environments has {}, which is no environment of the experiment", shown_text(unknown));
        return Err(Error::input(format!("{what}: {}, or a number from 1", suggest(unknown, &known))));
    }
    Ok(all.filter(|i| asked.iter().any(|name| is_called(*i, name))).collect())
}

/// The cells of an environment, one a policy.
fn column(environment_runs: &EnvironmentRuns, policies: &[usize], t: usize) -> Vec<Option<FinalCell>> {
    let mut cells: Vec<Option<FinalCell>> =
        policies.iter().map(|i| environment_runs.policies.get(*i).and_then(|runs| cell(runs, t))).collect();
    let means = cells.iter().enumerate().filter_map(|(i, cell)| Some((i, (*cell)?.mean)));
    let Some((best, least)) = means.min_by(|a, b| a.1.total_cmp(&b.1)) else { return cells };
    let label = |i: usize| environment_runs.policies[policies[i]].spec.label.as_str();
    // Over the runs that both have, which may be fewer than those of the means.
    let worse: Vec<String> = differences_of(environment_runs, policies, t)
        .into_iter()
        .filter_map(|d| match d.comparison() {
            Comparison::Worse if d.reference == label(best) => Some(d.policy),
            Comparison::Better if d.policy == label(best) => Some(d.reference),
            _ => None,
        })
        .collect();
    for (i, cell) in cells.iter_mut().enumerate() {
        if let Some(cell) = cell {
            cell.best = cell.mean == least;
            cell.near_best = !cell.best && !worse.iter().any(|name| name == label(i));
        }
    }
    cells
}

fn cell(policy_runs: &PolicyRuns, t: usize) -> Option<FinalCell> {
    let (_, first) = policy_runs.runs.first()?;
    let mark = first.t.binary_search(&t).ok()?;
    let regret = Statistics::of(&policy_runs.regrets(mark));
    let runs = policy_runs.runs.len();
    let standard_error = regret.std / (runs as f64).sqrt();
    Some(FinalCell { runs, mean: regret.mean, standard_error, best: false, near_best: false })
}
