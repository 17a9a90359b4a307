//! Where regret comes from: its parts, stacked over time, one small chart a policy.

use super::results::{Style, count, policies_with_runs};
use super::stack::{Panel, Part, Stack};
use super::{Figure, Ink, Paint, Stroke};
use crate::error::Result;
use crate::experiment::Experiment;
use crate::simulation::Record;
use crate::store::{EnvironmentRuns, PolicyRuns};

/// The parts of the mean regret in one environment: R1, and R2 on detrimental and on other arms.
///
/// # Errors
/// If the style asks for a policy that the experiment does not have, or if no run is finished.
pub fn decomposition(environment_runs: &EnvironmentRuns, experiment: &Experiment, style: &Style) -> Result<Figure> {
    let policies = policies_with_runs(environment_runs, experiment, style)?;
    let runs = policies.iter().map(|(_, policy_runs)| policy_runs.runs.len());
    let runs = count(runs.clone().min().unwrap_or(0), runs.max().unwrap_or(0));
    let wash = |ink: usize| Paint::fill(Ink::Soft(ink)).edge(Stroke::new(Ink::Series(ink), 0.8));
    let part = |label: &str, paint: Paint| Part { label: label.to_owned(), paint };
    let stack = Stack {
        title: format!("Where regret comes from: {}", experiment.name),
        subtitle: format!("{} — mean of {runs}; every chart has a scale of its own", environment_runs.environment),
        x_label: "round".to_owned(),
        parts: vec![
            part("R₁", wash(0)),
            part("R₂, detrimental arms", Paint::hatch(Ink::Warn).edge(Stroke::new(Ink::Warn, 0.8))),
            part("R₂, other arms", wash(2)),
        ],
        sum: "regret".to_owned(),
        panels: policies.iter().map(|(_, policy_runs)| panel(policy_runs)).collect(),
    };
    Ok(stack.draw())
}

fn panel(policy_runs: &PolicyRuns) -> Panel {
    let x = policy_runs.runs.first().map_or_else(Vec::new, |(_, record)| record.t.iter().map(|t| *t as f64).collect());
    let mean = |figure: fn(&Record, usize) -> Option<f64>| {
        let at = |mark: usize| {
            let sum: f64 = policy_runs.runs.iter().filter_map(|(_, record)| figure(record, mark)).sum();
            sum / policy_runs.runs.len() as f64
        };
        (0..x.len()).map(at).collect::<Vec<f64>>()
    };
    let bad = |record: &Record, mark: usize| record.r2_bad.get(mark).copied();
    let good = |record: &Record, mark: usize| Some(record.r2.get(mark)? - record.r2_bad.get(mark)?);
    let parts = vec![mean(|record, mark| record.r1.get(mark).copied()), mean(bad), mean(good)];
    Panel { title: policy_runs.spec.label.clone(), x, parts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::tests::{environment_runs, experiment};

    #[test]
    fn panels_hold_mean_parts() {
        let mut environment_runs = environment_runs(50.0, 2);
        for (i, (_, record)) in environment_runs.policies[0].runs.iter_mut().enumerate() {
            let factor = 1.0 + i as f64;
            record.r1 = record.t.iter().map(|t| factor * *t as f64).collect();
            record.r2 = record.t.iter().map(|t| -0.5 * *t as f64).collect();
            record.r2_bad = record.t.iter().map(|t| 0.25 * *t as f64).collect();
        }
        let panel = panel(&environment_runs.policies[0]);
        let last = panel.parts.iter().map(|row| *row.last().unwrap()).collect::<Vec<_>>();
        assert_eq!(last, [1500.0, 250.0, -750.0]);
        let figure = decomposition(&environment_runs, &experiment(&[50.0]), &Style::default()).unwrap();
        assert!(
            figure.description.contains("R₂, other arms −750") || figure.description.contains("R₂, other arms -750"),
            "{}",
            figure.description
        );
    }
}
