//! What the paper claims, and what came out here.

use super::measure::{Estimate, elasticity, end_of_linear_phase, exponent, lane, mark_at, ratio};
use super::plan::label;
use crate::outcome::{Cell, Lane, Outcome};
use crate::report::{Block, Table, Verdict, count, number, percent};

/// A number and its standard error.
fn pair(estimate: Estimate) -> String {
    format!("{:.2} ± {:.2}", estimate.value, estimate.error)
}

/// A larger kappa helps OFULog, and can only harm its predecessors.
pub(super) fn kappa_helps(outcome: &Outcome) -> Vec<Block> {
    let horizon = count(outcome.experiment.horizon as u64);
    let slope = |label: &str| elasticity(outcome, label);
    let [Some(printed), Some(tight), Some(ours)] = [label::PRINTED, label::TIGHT, label::OPTIMIST].map(slope) else {
        return Vec::new();
    };
    let verdict = match [printed, tight, ours].map(|e| e.is_below(0.0)) {
        [true, true, true] => Verdict::Holds,
        [false, false, false] => Verdict::Fails,
        _ => Verdict::Partly,
    };
    let helped = Block::Claim {
        claim: "A larger kappa lowers the regret of OFULog, in the long run like sqrt(T/kappa).".to_owned(),
        verdict,
        text: format!(
            "Regret after {horizon} rounds grows like kappa to the power a, with a = {} for OFULog-r as printed, {} with \
             the tight constants, and {} for `optimist` (± one standard error; the theory's leading term has -0.5). As \
             kappa grows, so does the norm bound S = ||theta*||, on which the printed constants depend strongly: the \
             first phase becomes longer. {}",
            pair(printed),
            pair(tight),
            pair(ours),
            kappa_comment(printed, ours)
        ),
    };
    let predecessors = [label::GLM_UCB, label::LOG_UCB_1].map(slope);
    let [Some(glm), Some(log)] = predecessors else { return vec![helped] };
    let verdict = match [glm, log].map(|e| e.is_above(0.0)) {
        [true, true] => Verdict::Holds,
        [false, false] => Verdict::Fails,
        _ => Verdict::Partly,
    };
    let harmed = Block::Claim {
        claim: "A larger kappa can only harm GLM-UCB and LogUCB1.".to_owned(),
        verdict,
        text: format!("The same exponent is {} for GLM-UCB and {} for LogUCB1.", pair(glm), pair(log)),
    };
    vec![helped, harmed]
}

fn kappa_comment(printed: Estimate, ours: Estimate) -> &'static str {
    match (printed.is_below(0.0), ours.is_below(0.0)) {
        (false, true) => {
            "At this horizon that decides for the printed constants; where the confidence set is tight enough for the \
             second phase to show, a larger kappa does help."
        }
        (false, false) => "At this horizon that hides whatever a larger kappa helps later.",
        (true, _) => "At this horizon the second phase shows nevertheless.",
    }
}

/// OFULog has the advantage over its predecessors.
pub(super) fn advantage(cells: &[(&str, &Cell)]) -> Vec<Block> {
    let (mut rows, mut printed_wins, mut tight_wins) = (Vec::new(), 0, 0);
    for (name, cell) in cells {
        for rival in [label::GLM_UCB, label::LOG_UCB_1] {
            let ratios = (ratio(cell, label::PRINTED, rival), ratio(cell, label::TIGHT, rival));
            let (Some(printed), Some(tight)) = ratios else { continue };
            printed_wins += usize::from(printed.is_below(1.0));
            tight_wins += usize::from(tight.is_below(1.0));
            rows.push(vec![format!("{name}, {rival}"), pair(printed), pair(tight)]);
        }
    }
    let compared = rows.len();
    if compared == 0 {
        return Vec::new();
    }
    let verdict = match printed_wins {
        n if n == compared => Verdict::Holds,
        0 if tight_wins == 0 => Verdict::Fails,
        _ => Verdict::Partly,
    };
    let text = format!(
        "With the printed constants OFULog-r clearly beats its rivals in {printed_wins} of {compared} comparisons, with the \
         tight ones in {tight_wins} (by two standard errors)."
    );
    let claim = "OFULog displays a clear advantage over GLM-UCB and LogUCB1.".to_owned();
    let table = Table {
        caption:
            "Regret of OFULog-r divided by that of its rival, in the same worlds, ± one standard error; below 1 is \
                  better."
                .to_owned(),
        columns: ["rival", "OFULog-r as printed", "OFULog-r, tight"].map(str::to_owned).to_vec(),
        rows,
    };
    vec![Block::Claim { claim, verdict, text }, Block::Table(table)]
}

/// Regret has two regimes: linear at first, then like the square root of time, or slower.
pub(super) fn two_regimes(name: &str, cell: &Cell) -> Vec<Block> {
    let (mut texts, mut seen, mut all) = (Vec::new(), 0, 0);
    for label in [label::PRINTED, label::TIGHT, label::OPTIMIST] {
        let Some(lane) = lane(cell, label).filter(|lane| lane.runs[0].1.t.len() > 20) else { continue };
        let (early, late, text) = regimes(label, lane);
        all += 1;
        seen += usize::from(early && late);
        texts.push(text);
    }
    if all == 0 {
        return Vec::new();
    }
    let verdict = match seen {
        0 => Verdict::Fails,
        n if n == all => Verdict::Holds,
        _ => Verdict::Partly,
    };
    let text = format!("At {name}. {}", texts.join(" "));
    let claim =
        "Regret has two regimes: a transitory phase in which it may grow linearly, and a long-term one in which it \
                 grows at most like sqrt(T)."
            .to_owned();
    vec![Block::Claim { claim, verdict, text }]
}

/// Whether the early phase is linear, whether the late one is at most a square root, and the numbers.
fn regimes(label: &str, lane: &Lane) -> (bool, bool, String) {
    let last = lane.runs[0].1.t.len() - 1;
    let horizon = lane.runs[0].1.t[last] as f64;
    let late = exponent(lane, mark_at(lane, horizon / 4.0), last);
    let (is_linear, phase) = match end_of_linear_phase(lane) {
        Some(end) if end as f64 >= horizon => (true, "grows linearly to the end".to_owned()),
        Some(end) => (true, format!("grows nearly linearly up to round {}", count(end as u64))),
        None => (false, "is never linear".to_owned()),
    };
    let text = format!(
        "The regret of {label} {phase}; over the last three quarters of the time it grows like t to the \
                        power {}.",
        pair(late)
    );
    (is_linear, late.value - 2.0 * late.error <= 0.5, text)
}

/// theta* stays in the confidence sets.
pub(super) fn coverage(outcomes: &[&Outcome]) -> Vec<Block> {
    let (mut left, mut runs, mut worst) = (0, 0, (0.0, String::new(), 0, 0));
    for outcome in outcomes {
        for contender in &outcome.experiment.policies {
            let lanes = outcome.cells.iter().filter_map(|cell| lane(cell, &contender.label));
            let all: Vec<u64> =
                lanes.flat_map(|lane| lane.runs.iter().filter_map(|(_, record)| record.left_set)).collect();
            let out = all.iter().filter(|left| **left > 0).count();
            let share = out as f64 / all.len().max(1) as f64;
            (left, runs) = (left + out, runs + all.len());
            if share > worst.0 {
                worst = (share, contender.label.clone(), out, all.len());
            }
        }
    }
    if runs == 0 {
        return Vec::new();
    }
    let delta = outcomes[0].experiment.delta;
    let (share, label, out, of) = worst;
    // Two standard deviations of the binomial law with the promised probability.
    let allowed = delta + 2.0 * (delta * (1.0 - delta) / of.max(1) as f64).sqrt();
    let most = match out {
        0 => "No policy's set ever lost it.".to_owned(),
        _ => format!("The most for one policy is {out} of {of} runs ({}; {label}).", percent(share)),
    };
    let text = format!(
        "The promise is that theta* is in the set in every round, in all but a fraction {delta} of the runs. It ever left \
         the policy's own set in {} of {} runs. {most} For the printed constants of the paper, and for the published \
         ones of GLM-UCB, nothing is proved; they are counted as well.",
        count(left as u64),
        count(runs as u64)
    );
    let verdict = if share <= allowed { Verdict::Holds } else { Verdict::Fails };
    vec![Block::Claim { claim: "The confidence sets hold at all times.".to_owned(), verdict, text }]
}

/// Detrimental arms are played in the transitory phase only.
pub(super) fn detrimental(name: &str, cell: &Cell) -> Vec<Block> {
    let mut texts = Vec::new();
    let mut is_early = true;
    for label in [label::PRINTED, label::TIGHT, label::OPTIMIST] {
        let Some(lane) = lane(cell, label) else { continue };
        let last = lane.runs[0].1.t.len() - 1;
        let half = mark_at(lane, lane.runs[0].1.t[last] as f64 / 2.0);
        let plays = |mark: usize| {
            lane.runs.iter().map(|(_, record)| record.bad_plays[mark] as f64).sum::<f64>() / lane.runs.len() as f64
        };
        let (first, all) = (plays(half), plays(last));
        is_early &= all - first < 0.1 * all.max(1.0);
        texts.push(format!("{label}: {} in the first half, {} in the second.", number(first), number(all - first)));
    }
    if texts.is_empty() {
        return Vec::new();
    }
    vec![Block::Claim {
        claim: "Detrimental arms (far worse, and telling little) are played in the transitory phase only.".to_owned(),
        verdict: if is_early { Verdict::Holds } else { Verdict::Partly },
        text: format!("Plays of detrimental arms, mean of the runs at {name}. {}", texts.join(" ")),
    }]
}
