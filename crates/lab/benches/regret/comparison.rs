//! Policies side by side: one line each.

use optimist_lab::Result;
use optimist_lab::experiment::Experiment;
use optimist_lab::results::{PolicySummary, quantile, ratio_of_means};
use optimist_lab::run::{RunOptions, run};
use optimist_lab::store::{Memory, PolicyRuns};

/// Plays all policies of an experiment with one environment, and prints a line for each.
pub(crate) fn compare(title: &str, experiment: &Experiment) -> Result<Vec<PolicyRuns>> {
    let Experiment { environments, horizon, runs, delta, seed, .. } = experiment;
    println!("{title}{}, delta={delta}, T={horizon}, {runs} runs of seed {seed}", environments[0]);
    let mut outcome = run(experiment, &RunOptions::default(), &Memory::default(), &())?;
    let rows = outcome.environments.remove(0).policies;
    let width = rows.iter().map(|row| row.spec.label.len()).max().unwrap_or(0).max("policy".len());
    println!(
        "{:width$} {:>9} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10}  ratio of means to the first",
        "policy", "regret", "s.e.", "std", "median", "90%", "95%", "max", "T by T/2", "rounds/s"
    );
    rows.iter().for_each(|row| print_row(width, experiment, row, &rows[0]));
    Ok(rows)
}

fn print_row(width: usize, experiment: &Experiment, row: &PolicyRuns, first: &PolicyRuns) {
    let (summary, regrets) = (PolicySummary::of(experiment, row), row.final_regrets());
    let Some(s) = summary.regret else { return };
    let standard_error = s.std / (regrets.len() as f64).sqrt();
    let mut sorted = regrets.clone();
    sorted.sort_by(f64::total_cmp);
    let [q95, max] = [0.95, 1.0].map(|level| quantile(&sorted, level));
    let speed = summary.rounds_per_second.unwrap_or(f64::NAN);
    let (ratio, error) = ratio_of_means(&regrets, &first.final_regrets());
    println!(
        "{:width$} {:>9.2} {standard_error:>8.2} {:>8.2} {:>9.2} {:>9.2} {q95:>9.2} {max:>9.2} {:>9.2} {speed:>10.0}  \
         {ratio:.3} +- {error:.3}",
        row.spec.label,
        s.mean,
        s.std,
        s.median,
        s.q90,
        growth(row),
    );
}

/// How much the regret grows from half of the rounds to all: 2 if it is linear, towards 1 if it is logarithmic.
pub(crate) fn growth(row: &PolicyRuns) -> f64 {
    let Some((_, record)) = row.runs.first() else { return f64::NAN };
    let horizon = record.t.last().copied().unwrap_or(0);
    // The marks of every experiment have it.
    let Ok(half) = record.t.binary_search(&horizon.div_ceil(2)) else { return f64::NAN };
    ratio_of_means(&row.final_regrets(), &row.regrets(half)).0
}
