//! Final regret against whatever number differs between environments.

use super::bootstrap::mean_intervals;
use super::results::{Band, Style, count};
use super::scale::in_words;
use super::{Axis, Chart, Figure, Mark, Scale, Series};
use crate::error::Result;
use crate::experiment::{
    Arms, Context, Delay, Drift, Environment, Form, Gaussian, Hybrid, Interaction, NormBound, Truth,
};
use crate::results::Statistics;
use crate::store::{EnvironmentRuns, Outcome};

/// With more curves than this, nobody can tell them apart.
const MOST_CURVES: usize = 30;

/// A key of environments: its name in experiment files, and what an axis calls it.
struct Key {
    name: &'static str,
    label: &'static str,
    /// Its value, and the number behind it if it is one.
    value: fn(&Environment) -> (String, Option<f64>),
}

fn numeric(value: f64) -> (String, Option<f64>) {
    (value.to_string(), Some(value))
}

fn word(value: impl ToString) -> (String, Option<f64>) {
    (value.to_string(), None)
}

/// A number of features, if the arms have some of their own.
fn part(environment: &Environment, number: fn(&Hybrid) -> usize) -> (String, Option<f64>) {
    environment.arms.hybrid().map_or_else(|| word("-"), |hybrid| numeric(number(&hybrid) as f64))
}

/// Arms of the kinds that have keys of their own, without the numbers that are keys below.
fn what_arms(arms: &Arms) -> String {
    match arms {
        Arms::Gaussian(Gaussian { form: Form::Equal, .. }) => "equal".to_owned(),
        Arms::Gaussian(Gaussian { form: Form::Ar1, .. }) => "ar1".to_owned(),
        Arms::Categories(categories) => categories.to_string().replacen(&format!("{} ", categories.count), "", 1),
        Arms::Table(table) => table.to_string().replacen(&format!(" count={}", table.count), "", 1),
        Arms::List(list) if list.sample.is_some() || !list.rates.is_empty() => list.to_string(),
        _ => String::new(),
    }
}

fn products(interactions: &[Interaction]) -> String {
    if interactions.is_empty() {
        return "none".to_owned();
    }
    interactions.iter().map(ToString::to_string).collect::<Vec<_>>().join(";")
}

const KEYS: [Key; 21] = [
    Key {
        name: "theta",
        label: "",
        value: |e| match &e.truth {
            Truth::Theta(theta) => word(format!("{theta:?}")),
            Truth::Fitted(fitted) => word(format!("{fitted:?}")),
            Truth::Kappa(_) => word("drawn by kappa"),
            Truth::ThetaNorm(_) => word("drawn by norm"),
        },
    },
    Key {
        name: "kappa",
        label: "κ",
        value: |e| if let Truth::Kappa(kappa) = e.truth { numeric(kappa) } else { word("-") },
    },
    Key {
        name: "theta_norm",
        label: "‖θ*‖",
        value: |e| if let Truth::ThetaNorm(norm) = e.truth { numeric(norm) } else { word("-") },
    },
    Key { name: "dimension", label: "dimension", value: |e| numeric(e.dimension as f64) },
    Key { name: "kind", label: "", value: |e| word(e.arms.kind().name()) },
    Key {
        name: "count",
        label: "number of arms",
        value: |e| e.arms.count().map_or_else(|| word(format!("{:?}", e.arms.list())), |count| numeric(count as f64)),
    },
    Key { name: "redraw", label: "", value: |e| word(if e.arms.is_changing() { "round" } else { "run" }) },
    Key {
        name: "norm_bound",
        label: "norm bound told to policies",
        value: |e| match e.norm_bound {
            NormBound::Exact => word("exact"),
            NormBound::PlusOne => word("+1"),
            NormBound::Value(bound) => numeric(bound),
            NormBound::None => word("none"),
        },
    },
    Key { name: "missing", label: "fraction of rewards that never arrive", value: |e| numeric(e.feedback.missing) },
    Key {
        name: "delay",
        label: "mean delay of rewards, in rounds",
        value: |e| match e.feedback.delay {
            Delay::None => numeric(0.0),
            Delay::Fixed { mean } => (format!("fixed({mean})"), Some(mean as f64)),
            Delay::Geometric { mean } => (format!("geometric({mean})"), Some(mean)),
            Delay::Batch { size } => (format!("batch({size})"), Some(0.5 * (size as f64 - 1.0))),
        },
    },
    Key {
        name: "correlation",
        label: "correlation of features",
        value: |e| if let Arms::Gaussian(gaussian) = &e.arms { numeric(gaussian.correlation) } else { word("-") },
    },
    Key { name: "arms", label: "", value: |e| word(what_arms(&e.arms)) },
    Key { name: "link", label: "", value: |e| word(e.rewards.link.name()) },
    Key { name: "interactions", label: "", value: |e| word(products(&e.rewards.interactions)) },
    Key { name: "noise", label: "standard deviation of errors in features", value: |e| numeric(e.rewards.noise) },
    Key { name: "flipped", label: "fraction of rewards that are flipped", value: |e| numeric(e.rewards.flipped) },
    Key { name: "shared", label: "features that all arms share", value: |e| part(e, |hybrid| hybrid.shared) },
    Key { name: "own", label: "features of an arm's own", value: |e| part(e, |hybrid| hybrid.own) },
    Key {
        name: "context",
        label: "",
        value: |e| match e.arms.hybrid().map(|hybrid| hybrid.context) {
            Some(Context::Common) => word("common"),
            Some(Context::Each) => word("each"),
            None => word("-"),
        },
    },
    Key {
        name: "written_out",
        label: "",
        value: |e| e.arms.hybrid().map_or_else(|| word("-"), |hybrid| word(hybrid.written_out)),
    },
    Key {
        name: "drift",
        label: "drift (every, rate or period)",
        value: |e| match e.drift {
            Drift::None => word("none"),
            drift @ Drift::Steps { every: rounds } | drift @ Drift::Seasons { period: rounds } => {
                (drift.to_string(), Some(rounds as f64))
            }
            drift @ Drift::Walk { rate } => (drift.to_string(), Some(rate)),
        },
    },
];

/// The keys that differ between environments.
fn varying(environments: &[&EnvironmentRuns]) -> Vec<&'static Key> {
    let differs =
        |key: &&Key| environments.windows(2).any(|w| (key.value)(&w[0].environment) != (key.value)(&w[1].environment));
    KEYS.iter().filter(differs).collect()
}

/// Whether a key can be an axis: numbers only, and no two kinds of delay, which would share a line.
fn is_axis(key: &Key, environments: &[&EnvironmentRuns]) -> bool {
    let values = || environments.iter().map(|environment_runs| (key.value)(&environment_runs.environment));
    let kind = |word: String| word.split_once('(').map(|(kind, _)| kind.to_owned());
    let mut kinds: Vec<String> = values().filter_map(|(word, _)| kind(word)).collect();
    kinds.sort();
    kinds.dedup();
    kinds.len() <= 1 && values().all(|(_, number)| number.is_some())
}

fn distinct(key: &Key, environments: &[&EnvironmentRuns]) -> usize {
    let mut words: Vec<String> =
        environments.iter().map(|environment_runs| (key.value)(&environment_runs.environment).0).collect();
    words.sort();
    words.dedup();
    words.len()
}

/// What the user calls the environments, or else what tells them apart, in short; their whole names if nothing does.
pub(super) fn differences(outcome: &Outcome) -> Vec<String> {
    let environments: Vec<&EnvironmentRuns> = outcome.environments.iter().collect();
    let keys = varying(&environments);
    let symbol = |key: &Key| if matches!(key.label, "κ" | "‖θ*‖") { key.label } else { key.name };
    let short = |runs: &&EnvironmentRuns| {
        let values = keys.iter().map(|key| format!("{} = {}", symbol(key), (key.value)(&runs.environment).0));
        runs.environment.label.clone().unwrap_or_else(|| values.collect::<Vec<_>>().join(", "))
    };
    let names: Vec<String> = environments.iter().map(short).collect();
    let are_distinct = (0..names.len()).all(|i| !names[i].is_empty() && !names[..i].contains(&names[i]));
    let whole = || environments.iter().map(|runs| runs.environment.to_string()).collect();
    if are_distinct { names } else { whole() }
}

/// Final regret against the number that differs between environments (the one with most values, if several do), a curve
/// for each policy and each combination of the other keys; bars are one standard error. None if no number differs, if
/// fewer than two environments have finished runs, or if there would be more curves than can be told apart.
///
/// # Errors
/// If the style asks for what the experiment does not have, or if the sheet is too small.
pub fn sweep(outcome: &Outcome, style: &Style) -> Result<Option<Figure>> {
    let shown = style.shown(&outcome.experiment)?;
    let begun = |environment_runs: &&EnvironmentRuns| {
        shown.iter().any(|&i| environment_runs.policies.get(i).is_some_and(|policy_runs| !policy_runs.runs.is_empty()))
    };
    let chosen = style.shown_environments(outcome)?.into_iter().map(|i| &outcome.environments[i]);
    let environments: Vec<&EnvironmentRuns> = chosen.filter(begun).collect();
    let keys = varying(&environments);
    let axes = keys.iter().filter(|key| is_axis(key, &environments));
    // Of keys with equally many values the first is taken.
    let Some(&axis) = axes.rev().max_by_key(|key| distinct(key, &environments)) else { return Ok(None) };
    let others: Vec<&Key> = keys.into_iter().filter(|key| key.name != axis.name).collect();
    let mut groups: Vec<(String, Vec<&EnvironmentRuns>)> = Vec::new();
    for environment_runs in &environments {
        let name = group(&others, &environment_runs.environment);
        match groups.iter_mut().find(|(other, _)| *other == name) {
            Some((_, members)) => members.push(environment_runs),
            None => groups.push((name, vec![environment_runs])),
        }
    }
    if groups.len() * shown.len() > MOST_CURVES {
        return Ok(None);
    }
    let mut series = Vec::new();
    for (place, &policy) in shown.iter().enumerate() {
        for (i, (name, members)) in groups.iter().enumerate() {
            // With one group a policy has the colour that it has in the other figures.
            series.extend(curve(policy, name, members, axis, place * groups.len() + i, style));
        }
    }
    let runs =
        || environments.iter().flat_map(|c| &c.policies).map(|policy_runs| policy_runs.runs.len()).filter(|&n| n > 0);
    let runs = count(runs().min().unwrap_or(0), runs().max().unwrap_or(0));
    let numbers: Vec<f64> =
        environments.iter().filter_map(|environment_runs| (axis.value)(&environment_runs.environment).1).collect();
    let regrets: Vec<f64> = series.iter().flat_map(|s| &s.points).map(|(_, regret)| *regret).collect();
    let chart = Chart {
        title: style.title.clone().unwrap_or_else(|| format!("Final regret: {}", outcome.experiment.name)),
        subtitle: format!(
            "after {} rounds, {}",
            in_words(outcome.experiment.horizon as f64),
            match style.band {
                _ if runs == "1 run" => runs,
                Band::Bootstrap => format!("mean of {runs}, 95% bootstrap intervals"),
                _ => format!("mean of {runs}, bars of one standard error"),
            }
        ),
        x: Axis {
            label: style.x_label.clone().unwrap_or_else(|| axis.label.to_owned()),
            scale: spacing(&numbers),
            range: None,
        },
        y: Axis {
            label: style.y_label.clone().unwrap_or_else(|| "final regret".to_owned()),
            scale: if style.y == Scale::Log { Scale::Log } else { spacing(&regrets) },
            range: None,
        },
        series,
        guides: Vec::new(),
    };
    chart.draw_as(&style.look).map(Some)
}

/// The values of the keys that are not the axis.
fn group(others: &[&Key], environment: &Environment) -> String {
    let values = others.iter().map(|key| (key.name, (key.value)(environment).0));
    values.map(|(name, value)| format!(", {name}={value}")).collect()
}

/// Numbers of different magnitudes are spread on a logarithmic axis.
fn spacing(numbers: &[f64]) -> Scale {
    let (low, high) = numbers.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), &v| (l.min(v), h.max(v)));
    if low > 0.0 && high >= 20.0 * low { Scale::Log } else { Scale::Linear }
}

fn curve(
    policy: usize,
    group: &str,
    environments: &[&EnvironmentRuns],
    axis: &Key,
    ink: usize,
    style: &Style,
) -> Option<Series> {
    let mut values: Vec<(f64, Statistics, (f64, f64))> = (environments.iter())
        .filter_map(|environment_runs| {
            Some((
                (axis.value)(&environment_runs.environment).1?,
                environment_runs.policies.get(policy)?.final_regrets(),
            ))
        })
        .filter(|(_, regrets)| !regrets.is_empty())
        .map(|(x, regrets)| (x, Statistics::of(&regrets), bar(&regrets, style.band)))
        .collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let label = &environments.first()?.policies.get(policy)?.spec.label;
    let label = style.labels.find(label).unwrap_or(label);
    (!values.is_empty()).then(|| Series {
        label: format!("{label}{group}"),
        ink,
        points: values.iter().map(|(x, s, _)| (*x, s.mean)).collect(),
        band: None,
        bars: Some(values.iter().map(|(.., bar)| *bar).collect()),
        mark: Mark::LineAndDots,
    })
}

/// The bar about a mean: one standard error, or a bootstrap interval if bands are such.
fn bar(regrets: &[f64], band: Band) -> (f64, f64) {
    if band == Band::Bootstrap {
        return mean_intervals(&[regrets.to_vec()])[0];
    }
    let s = Statistics::of(regrets);
    let error = s.std / (regrets.len() as f64).sqrt();
    (s.mean - error, s.mean + error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Feedback;
    use crate::figure::tests::{environment_runs, outcome};

    #[test]
    fn kappa_is_found_and_regret_drawn_against_it() {
        let outcome = outcome(&[500.0, 5.0, 50.0], 4);
        let environments: Vec<&EnvironmentRuns> = outcome.environments.iter().collect();
        assert_eq!(varying(&environments).iter().map(|k| k.name).collect::<Vec<_>>(), ["kappa"]);
        let series = curve(1, "", &environments, &KEYS[1], 1, &Style::default()).unwrap();
        let mean = |i: usize| Statistics::of(&outcome.environments[i].policies[1].final_regrets()).mean;
        assert_eq!(series.points, [(5.0, mean(1)), (50.0, mean(2)), (500.0, mean(0))]);
        let std = Statistics::of(&outcome.environments[1].policies[1].final_regrets()).std;
        let (low, high) = series.bars.unwrap()[0];
        assert!((high - low - std).abs() < 1e-12, "two standard errors of four runs are one standard deviation");
        let figure = sweep(&outcome, &Style::default()).unwrap().unwrap();
        assert!(figure.description.contains("Horizontal: κ (logarithmic)"), "{}", figure.description);
    }

    #[test]
    fn other_keys_make_further_curves() {
        let mut outcome = outcome(&[5.0, 50.0, 5.0, 50.0, 500.0], 2);
        for environment_runs in &mut outcome.environments[2..] {
            environment_runs.environment.feedback = Feedback { delay: Delay::Fixed { mean: 10 }, missing: 0.0 };
        }
        let text = sweep(&outcome, &Style::default()).unwrap().unwrap().description;
        assert!(text.contains("greedy, delay=0:") && text.contains("greedy, delay=fixed(10):"), "{text}");
        // The kinds of delay do not mix on an axis, but its size can be one.
        let environments: Vec<&EnvironmentRuns> = outcome.environments.iter().collect();
        assert!(is_axis(&KEYS[9], &environments));
        let mut mixed = environment_runs(5.0, 1);
        mixed.environment.feedback.delay = Delay::Geometric { mean: 3.0 };
        assert!(!is_axis(&KEYS[9], &[environments[2], &mixed]));
    }

    #[test]
    fn nothing_is_drawn_without_a_number_that_differs_or_with_too_many_curves() {
        assert!(sweep(&outcome(&[5.0], 2), &Style::default()).unwrap().is_none());
        let mut unfinished = outcome(&[5.0, 50.0], 2);
        unfinished.environments[1].policies.iter_mut().for_each(|policy_runs| policy_runs.runs.clear());
        assert!(sweep(&unfinished, &Style::default()).unwrap().is_none());
        let mut crowd = outcome(&[5.0; 24], 1);
        for (i, environment_runs) in crowd.environments.iter_mut().enumerate() {
            environment_runs.environment.truth = Truth::Theta(vec![(i / 2) as f64, 1.0]);
            environment_runs.environment.feedback.missing = [0.0, 0.5][i % 2];
        }
        assert!(sweep(&crowd, &Style::default()).unwrap().is_none(), "three policies with twelve parameters");
        crowd.environments.truncate(4);
        assert!(sweep(&crowd, &Style::default()).unwrap().is_some());
    }
}
