//! What the paper claims, and what came out here.
//!
//! A claim is judged policy by policy: the numbers speak for it, against it (both with 97.5% confidence), or leave it
//! open. A policy that is still in its first, linear phase has not learnt anything; what its regret does then depends on the
//! arms that were drawn, and speaks neither for nor against.

use super::measure::{
    Estimate, LinearPhase, chance_of_failures, elasticity, exponent, linear_phase, mark_at, ratio, runs_of,
};
use super::options::label;
use optimist_lab::report::{Block, Table, Verdict, count, number};
use optimist_lab::store::{EnvironmentRuns, Outcome, PolicyRuns};

/// The policies whose long run the paper speaks of.
const OPTIMISTS: [&str; 3] = [label::PRINTED, label::TIGHT, label::OPTIMIST];

/// What the numbers of one policy say about a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    For,
    Against,
    Open,
}

/// Whether a number that should be below `bound` is.
pub(super) fn below(estimate: Estimate, bound: f64) -> Finding {
    match (estimate.is_below(bound), estimate.is_above(bound)) {
        (true, _) => Finding::For,
        (_, true) => Finding::Against,
        _ => Finding::Open,
    }
}

pub(super) fn verdict(findings: &[Finding]) -> Verdict {
    let has = |finding| findings.contains(&finding);
    match (has(Finding::For), has(Finding::Against), has(Finding::Open)) {
        (true, false, false) => Verdict::Holds,
        (true, _, _) => Verdict::Partly,
        (false, true, _) => Verdict::Fails,
        _ => Verdict::Open,
    }
}

/// A number and its standard error.
pub(super) fn pair(estimate: Estimate) -> String {
    match (estimate.value.is_finite(), estimate.error.is_finite()) {
        (false, _) => "undefined, for want of regret,".to_owned(),
        (_, false) => format!("{:.2} (too few runs for an error)", estimate.value),
        _ => format!("{:.2} ± {:.2}", estimate.value, estimate.error),
    }
}

/// Whether a policy has left its linear phase in the first half of the time, in every environment.
fn has_learnt(outcome: &Outcome, label: &str) -> bool {
    let half = outcome.experiment.horizon / 2;
    outcome.environments.iter().filter_map(|environment_runs| runs_of(environment_runs, label)).all(|policy_runs| {
        match linear_phase(policy_runs) {
            LinearPhase::Never => true,
            LinearPhase::Until(end) => end <= half,
            LinearPhase::ToTheEnd => false,
        }
    })
}

/// A larger kappa helps OFULog, and can only harm its predecessors.
pub(super) fn kappa_helps(outcome: &Outcome) -> Vec<Block> {
    let (helped, texts) = elasticities(outcome, &[label::PRINTED, label::TIGHT], |a| below(a, 0.0));
    let (ours, own) = elasticities(outcome, &[label::OPTIMIST], |a| below(a, 0.0));
    let (harmed, rivals) = elasticities(outcome, &[label::GLM_UCB, label::LOG_UCB_1], |a| match a.is_below(0.0) {
        true => Finding::Against,
        false => Finding::For,
    });
    if helped.is_empty() || ours.is_empty() || harmed.is_empty() {
        return Vec::new();
    }
    let horizon = count(outcome.experiment.horizon as u64);
    let helps = format!(
        "Regret after {horizon} rounds varies like kappa to the power a (± one standard error): {}. As kappa grows, so does \
         the norm bound S = ||theta*||, on which the constants depend: a longer first phase may hide what a larger kappa \
         helps later.",
        texts.join("; ")
    );
    let same = format!(
        "The same exponent: {}. In the theory's leading term, sqrt(T/kappa), it is -0.5{}.",
        own.join("; "),
        agreement(outcome)
    );
    let harms = format!("The same exponent: {}.", rivals.join("; "));
    let claims = [
        ("A larger kappa lowers the regret of OFULog-r in the long run.", verdict(&helped), helps),
        (
            "A larger kappa lowers the regret of `optimist`, the same algorithm with a tighter set.",
            verdict(&ours),
            same,
        ),
        ("A larger kappa can only harm GLM-UCB and LogUCB1.", verdict(&harmed), harms),
    ];
    claims.map(|(claim, verdict, text)| Block::Claim { claim: claim.to_owned(), verdict, text }).to_vec()
}

fn elasticities(
    outcome: &Outcome,
    labels: &[&str],
    judge: impl Fn(Estimate) -> Finding,
) -> (Vec<Finding>, Vec<String>) {
    let one = |label: &&str| {
        let a = elasticity(outcome, label)?;
        Some(match has_learnt(outcome, label) {
            true => (judge(a), format!("{} for {label}", pair(a))),
            false => {
                (Finding::Open, format!("{} for {label}, which is still in its first phase at some kappa", pair(a)))
            }
        })
    };
    labels.iter().filter_map(one).unzip()
}

/// Whether the exponent of the default policy agrees with the theory's.
fn agreement(outcome: &Outcome) -> &'static str {
    let Some(a) = elasticity(outcome, label::OPTIMIST).filter(|a| a.error.is_finite()) else { return "" };
    match (a.is_above(-0.5), a.is_below(-0.5)) {
        (true, _) => "; this is less steep",
        (_, true) => "; this is steeper",
        _ => "; the two agree within the error",
    }
}

/// OFULog has the advantage over its predecessors.
pub(super) fn advantage(environments: &[(&str, &EnvironmentRuns)]) -> Vec<Block> {
    let (mut rows, mut printed, mut tight) = (Vec::new(), Vec::new(), Vec::new());
    for (name, environment_runs) in environments {
        for rival in [label::GLM_UCB, label::LOG_UCB_1] {
            let ratios = (ratio(environment_runs, label::PRINTED, rival), ratio(environment_runs, label::TIGHT, rival));
            let (Some(a), Some(b)) = ratios else { continue };
            printed.push(below(a, 1.0));
            tight.push(below(b, 1.0));
            rows.push(vec![format!("{name}, {rival}"), pair(a), pair(b)]);
        }
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let score = |findings: &[Finding]| {
        let count = |finding| findings.iter().filter(|f| **f == finding).count();
        let (better, worse) = (count(Finding::For), count(Finding::Against));
        format!("clearly better in {better} and clearly worse in {worse} of {} comparisons", findings.len())
    };
    let text = format!(
        "With the printed constants OFULog-r is {}; with the tight ones it is {}.",
        score(&printed),
        score(&tight)
    );
    let all: Vec<Finding> = printed.iter().chain(&tight).copied().collect();
    let claim = "OFULog displays a clear advantage over GLM-UCB and LogUCB1.".to_owned();
    let table = Table {
        caption:
            "Regret of OFULog-r divided by that of its rival, in the same worlds, ± one standard error; below 1 is \
                  better."
                .to_owned(),
        columns: ["rival", "OFULog-r as printed", "OFULog-r, tight"].map(str::to_owned).to_vec(),
        rows,
    };
    vec![Block::Claim { claim, verdict: verdict(&all), text }, Block::Table(table)]
}

/// Regret has two regimes: possibly linear at first, then like the square root of time, or slower.
pub(super) fn two_regimes(name: &str, environment_runs: &EnvironmentRuns) -> Vec<Block> {
    let regimes = OPTIMISTS.iter().filter_map(|label| Some(regime(label, runs_of(environment_runs, label)?)));
    let (findings, texts): (Vec<Finding>, Vec<String>) = regimes.unzip();
    if findings.is_empty() {
        return Vec::new();
    }
    let claim =
        "Regret has two regimes: a transitory phase in which it may grow linearly, and a long-term one in which it \
                 grows at most like sqrt(T)."
            .to_owned();
    vec![Block::Claim { claim, verdict: verdict(&findings), text: format!("At {name}. {}", texts.join(" ")) }]
}

fn regime(label: &str, policy_runs: &PolicyRuns) -> (Finding, String) {
    let last = policy_runs.runs[0].1.t.len() - 1;
    let horizon = policy_runs.runs[0].1.t[last];
    let late = exponent(policy_runs, mark_at(policy_runs, horizon.div_ceil(4)), last);
    let growth = format!("over the last three quarters of the time it grows like t to the power {}.", pair(late));
    match linear_phase(policy_runs) {
        LinearPhase::ToTheEnd => {
            (Finding::Open, format!("The regret of {label} grows nearly linearly to the end: too early to tell."))
        }
        LinearPhase::Until(end) => {
            let end = count(end as u64);
            let text = format!("The regret of {label} grows nearly linearly up to about round {end}; {growth}");
            (below(late, 0.5), text)
        }
        LinearPhase::Never => (below(late, 0.5), format!("The regret of {label} has no linear phase; {growth}")),
    }
}

/// Detrimental arms are played in the transitory phase.
pub(super) fn detrimental(name: &str, environment_runs: &EnvironmentRuns) -> Vec<Block> {
    let plays = OPTIMISTS.iter().filter_map(|label| Some(detrimental_plays(label, runs_of(environment_runs, label)?)));
    let (findings, texts): (Vec<Finding>, Vec<String>) = plays.unzip();
    if findings.is_empty() {
        return Vec::new();
    }
    let claim = "Detrimental arms (far worse, and telling little) are essentially played in the transitory phase.";
    let text = format!("Plays of detrimental arms, mean of the runs at {name}. {}", texts.join(" "));
    vec![Block::Claim { claim: claim.to_owned(), verdict: verdict(&findings), text }]
}

/// The claim is open for a policy that plays none or has not left its linear phase; it holds if at most a tenth of the
/// plays are in the second half of the time.
fn detrimental_plays(label: &str, policy_runs: &PolicyRuns) -> (Finding, String) {
    let last = policy_runs.runs[0].1.t.len() - 1;
    let half = mark_at(policy_runs, policy_runs.runs[0].1.t[last].div_ceil(2));
    let plays = |mark: usize| {
        policy_runs.runs.iter().map(|(_, record)| record.bad_plays[mark] as f64).sum::<f64>()
            / policy_runs.runs.len() as f64
    };
    let (first, second) = (plays(half), plays(last) - plays(half));
    let text = format!("{label}: {} in the first half, {} in the second.", number(first), number(second));
    let finding = match linear_phase(policy_runs) {
        LinearPhase::ToTheEnd => Finding::Open,
        _ if first + second == 0.0 => Finding::Open,
        _ if second <= 0.1 * (first + second) => Finding::For,
        _ => Finding::Against,
    };
    (finding, text)
}

/// theta* stays in the confidence sets. Every policy in every environment is tested against the binomial law, all tests
/// together at level 5%.
pub(super) fn coverage(kappas: &Outcome, policies: Option<&Outcome>) -> Vec<Block> {
    let delta = kappas.experiment.delta;
    let counts = counts_of_failures(kappas, policies);
    let (left, runs) = counts.iter().fold((0, 0), |(left, runs), c| (left + c.left, runs + c.runs));
    if runs == 0 {
        return Vec::new();
    }
    let worst = counts.iter().max_by(|a, b| (a.left * b.runs).cmp(&(b.left * a.runs)));
    let most = match worst.filter(|worst| worst.left > 0) {
        None => "No set ever lost it.".to_owned(),
        Some(worst) => {
            format!("The most for one policy at one kappa is {} of {} ({}).", worst.left, worst.runs, worst.label)
        }
    };
    let level = 0.05 / counts.len() as f64;
    let is_violated = |c: &Failures| chance_of_failures(c.left, c.runs, delta) < level;
    let broken: Vec<&str> = counts.iter().filter(|c| is_violated(c)).map(|c| c.label.as_str()).collect();
    let text = format!(
        "The promise is that theta* is in the set in every round, in all but a fraction {delta} of the runs. It ever left \
         the policy's own set in {} of {} runs. {most}{} For the printed constants of the paper, and for the published ones \
         of GLM-UCB, nothing is proved; they are counted as well.",
        count(left as u64),
        count(runs as u64),
        if broken.is_empty() { String::new() } else { format!(" More than chance allows: {}.", broken.join(", ")) }
    );
    let verdict = if broken.is_empty() { Verdict::Holds } else { Verdict::Fails };
    vec![Block::Claim { claim: "The confidence sets hold at all times.".to_owned(), verdict, text }]
}

struct Failures {
    label: String,
    left: usize,
    runs: usize,
}

/// Of every policy that keeps a set, in every environment. A policy that both experiments have is counted once.
fn counts_of_failures(kappas: &Outcome, policies: Option<&Outcome>) -> Vec<Failures> {
    let is_known = |policy_runs: &PolicyRuns| {
        let is_same = |c: &optimist_lab::experiment::PolicySpec| {
            (&c.policy, &c.options) == (&policy_runs.spec.policy, &policy_runs.spec.options)
        };
        kappas.experiment.policies.iter().any(is_same)
    };
    let first = kappas.environments.iter().flat_map(|environment_runs| &environment_runs.policies);
    let second = policies
        .iter()
        .flat_map(|policies| &policies.environments)
        .flat_map(|environment_runs| &environment_runs.policies)
        .filter(|policy_runs| !is_known(policy_runs));
    let failures = |policy_runs: &PolicyRuns| {
        let left: Option<Vec<u64>> = policy_runs.runs.iter().map(|(_, record)| record.left_set).collect();
        let left = left.filter(|left| !left.is_empty())?;
        let out = left.iter().filter(|round| **round > 0).count();
        Some(Failures { label: policy_runs.spec.label.clone(), left: out, runs: left.len() })
    };
    first.chain(second).filter_map(failures).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_from_findings() {
        use Finding::{Against, For, Open};
        let cases: [(&[Finding], Verdict); 7] = [
            (&[For, For], Verdict::Holds),
            (&[For, Open], Verdict::Partly),
            (&[For, Against], Verdict::Partly),
            (&[Against, Open], Verdict::Fails),
            (&[Against], Verdict::Fails),
            (&[Open, Open], Verdict::Open),
            (&[], Verdict::Open),
        ];
        for (findings, expected) in cases {
            assert_eq!(verdict(findings), expected, "{findings:?}");
        }
    }

    #[test]
    fn one_run_and_no_regret_are_said_in_words() {
        let estimate = |value, error| Estimate { value, error, runs: 1 };
        assert_eq!(pair(estimate(0.5, 0.25)), "0.50 ± 0.25");
        assert!(pair(estimate(0.5, f64::NAN)).contains("too few runs"));
        assert!(pair(estimate(f64::NAN, f64::NAN)).contains("undefined"));
        assert_eq!(below(estimate(0.1, f64::NAN), 1.0), Finding::Open);
    }
}
