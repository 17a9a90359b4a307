//! The report of `optimist run`.

use super::builds::{build_names, several_builds};
use super::differences::significance;
use super::numbers::{count, duration, number};
use super::page::{Block, Page, Section, Table};
use super::theory::add_theory;
use crate::error::Result;
use crate::experiment::{Environment, Experiment, ShortNames};
use crate::figure::{Band, Scale, Style, decomposition, regret, sweep};
use crate::results::PolicySummary;
use crate::store::slug;
use crate::store::{EnvironmentRuns, Outcome};
use crate::theory::comparison::Comparison;

/// The report of an experiment: for every environment a table and the regret on linear and on logarithmic axes, and
/// regret against whatever was varied; then the parts of the regret and, where `theory` has it, what theory says.
///
/// # Errors
/// If `style` names a policy that is not there.
pub(super) fn run_report(outcome: &Outcome, theory: &[Option<Comparison>], style: &Style) -> Result<Page> {
    let experiment = &outcome.experiment;
    let ShortNames { common, names } = experiment.short_names();
    let mut sections = Vec::new();
    if let Some(figure) = sweep(outcome, style)? {
        let mut section = Section::new("What the environment does to regret");
        section.figure(figure, "sweep", "Regret after all rounds: mean, and one standard error.");
        sections.push(section);
    }
    sections.extend(significance(outcome, &names));
    for (i, environment_runs) in outcome.environments.iter().enumerate() {
        let comparison = theory.get(i).and_then(Option::as_ref);
        sections.push(environment_section(experiment, environment_runs, (i, &names[i]), comparison, style)?);
    }
    Ok(Page { title: experiment.name.clone(), lead: lead(outcome, &common), facts: facts(outcome), sections })
}

pub(super) fn has_runs(environment_runs: &EnvironmentRuns) -> bool {
    environment_runs.policies.iter().any(|policy_runs| !policy_runs.runs.is_empty())
}

pub(super) fn file_name(number: usize, environment_runs: &EnvironmentRuns, what: &str) -> String {
    format!("{}-{}-{what}", number + 1, slug(&environment_runs.environment.settings()))
}

fn lead(outcome: &Outcome, common: &str) -> Vec<String> {
    let Experiment { runs, horizon, policies, environments, .. } = &outcome.experiment;
    let plural = |n: usize, one: &str, many: &str| format!("{} {}", count(n as u64), if n == 1 { one } else { many });
    let what = format!(
        "{} in {}, {} of {} each. Every round a policy plays an arm, whose reward is 1 or 0; regret is what the best arm \
         would have earned more, in expectation. In the same run all policies meet the same bandit and the same luck.",
        plural(policies.len(), "policy", "policies"),
        plural(environments.len(), "environment", "environments"),
        plural(*runs, "run", "runs"),
        plural(*horizon, "round", "rounds"),
    );
    let (done, total) = outcome.progress();
    let mut lead = vec![what];
    if !common.is_empty() {
        // Backquotes, so that names of settings are not made into symbols.
        lead.push(format!("In all environments: `{}`.", common.replace('`', "'")));
    }
    lead.extend(several_builds(&[outcome]));
    if done < total {
        lead.push(format!("Unfinished: {} of {} runs are there.", count(done as u64), count(total as u64)));
    }
    lead
}

/// What the parts of the regret are.
pub const PARTS: &str = "The parts of the regret, which add up to it: R1 is its first-order part, mu' at the arm \
    played times what the arm lacks in log-odds; R2 is what the curvature of mu adds. On detrimental arms, which are bad \
    and tell little, R2 is the price of the beginning; on the right of the curve R2 is negative.";

/// What is to be known of runs whose rewards are not those of the logistic model.
fn misfit_text(environment: &Environment, why: &str) -> String {
    let coverage = match environment.no_truth() {
        Some(_) => " No policy is asked whether theta is in its set, since no theta is the truth.",
        None => "",
    };
    format!(
        "The logistic model, for which policies are made, does not hold: {why}. Regret is that of the true success \
         probabilities.{coverage}"
    )
}

fn environment_section(
    experiment: &Experiment,
    environment_runs: &EnvironmentRuns,
    (number, name): (usize, &str),
    comparison: Option<&Comparison>,
    style: &Style,
) -> Result<Section> {
    let mut section = Section::new(name);
    if !has_runs(environment_runs) {
        section.text("No run is finished.");
        return Ok(section);
    }
    if environment_runs.environment.label.is_some() {
        section.text(format!("`{}`", environment_runs.environment.settings().replace('`', "'")));
    }
    if !environment_runs.environment.drift.is_none() {
        section.text("The parameter drifts. Regret is dynamic: every round is compared with its own best arm.");
    }
    if let Some(why) = environment_runs.environment.misfit() {
        section.text(misfit_text(&environment_runs.environment, why));
    }
    section.blocks.push(Block::Table(policy_table(experiment, environment_runs, style)?));
    let figure = regret(environment_runs, experiment, style)?;
    let caption = match style.band {
        Band::Std => "Mean regret; one standard deviation is shaded.",
        Band::StdErr => "Mean regret; one standard error is shaded.",
        Band::Bootstrap => "Mean regret; a 95% bootstrap interval is shaded.",
        Band::Quantiles => "Median regret; from the 10% to the 90% quantile is shaded.",
        Band::None => "Mean regret.",
    };
    section.figure(figure, &file_name(number, environment_runs, "regret"), caption);
    let logarithmic = Style { x: Scale::Log, y: Scale::Log, ..style.clone() };
    if style.x != Scale::Log || style.y != Scale::Log {
        let figure = regret(environment_runs, experiment, &logarithmic)?;
        let caption = "The same on logarithmic axes: a straight line is a power of time.";
        section.figure(figure, &file_name(number, environment_runs, "regret-log"), caption);
    }
    section.figure(
        decomposition(environment_runs, experiment, style)?,
        &file_name(number, environment_runs, "decomposition"),
        PARTS,
    );
    if let Some(comparison) = comparison {
        add_theory(
            &mut section,
            experiment,
            environment_runs,
            comparison,
            style,
            &file_name(number, environment_runs, "bounds"),
        )?;
    }
    Ok(section)
}

/// One line per policy: regret, time, coverage.
pub fn policy_table(experiment: &Experiment, environment_runs: &EnvironmentRuns, style: &Style) -> Result<Table> {
    let columns =
        ["policy", "mean regret", "std", "median", "10% to 90%", "time per round", "solves per round", "left the set"];
    let shown = style.shown(experiment)?;
    let rows =
        shown.iter().map(|i| policy_row(&PolicySummary::of(experiment, &environment_runs.policies[*i]))).collect();
    let caption = format!(
        "Regret after {} rounds. The last column: runs in which theta* was ever outside the policy's own confidence set, \
         where it keeps one.",
        count(experiment.horizon as u64)
    );
    Ok(Table { caption, columns: columns.map(str::to_owned).to_vec(), rows })
}

fn policy_row(summary: &PolicySummary) -> Vec<String> {
    let dash = || "-".to_owned();
    let regret = |figure: fn(&crate::results::Statistics) -> String| summary.regret.as_ref().map_or_else(dash, figure);
    vec![
        summary.label.clone(),
        regret(|r| number(r.mean)),
        regret(|r| number(r.std)),
        regret(|r| number(r.median)),
        regret(|r| format!("{} to {}", number(r.q10), number(r.q90))),
        summary.rounds_per_second.map_or_else(dash, |rate| duration(1.0 / rate)),
        summary.solves_per_round.map_or_else(dash, number),
        summary.excluded_runs.map_or_else(dash, |excluded| format!("{excluded} of {}", summary.runs)),
    ]
}

fn facts(outcome: &Outcome) -> Vec<(String, String)> {
    let Experiment { name, seed, runs, horizon, delta, .. } = &outcome.experiment;
    let policies = outcome.environments.iter().flat_map(|environment_runs| &environment_runs.policies);
    let seconds: f64 = policies.flat_map(|policy_runs| &policy_runs.runs).map(|(_, record)| record.seconds).sum();
    let facts = [
        ("Program", format!("optimist {}", env!("CARGO_PKG_VERSION"))),
        ("Build", build_names(&[outcome])),
        ("Experiment", name.clone()),
        ("Seed", seed.to_string()),
        ("Runs", count(*runs as u64)),
        ("Rounds a run", count(*horizon as u64)),
        ("delta", delta.to_string()),
        ("Time of all runs", format!("{} on one core", duration(seconds))),
        ("Data", "summary.json, theory.json, results.csv; experiment.json has every setting".to_owned()),
    ];
    facts.map(|(name, value)| (name.to_owned(), value)).to_vec()
}
