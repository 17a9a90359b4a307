//! Theorem 2 put to the test: the worst regret of several policies among the neighbours of a theta*, against what no policy
//! can stay below.

mod drawing;
mod trial;

use optimist::ArmSet;
use optimist::numerics::norm;

use self::trial::{Trial, trials};
use super::claims::{Finding, verdict};
use super::measure::evidence_above;
use super::options::StudyOptions;
use optimist_lab::Result;
use optimist_lab::experiment::{Arms, Drift, Environment, Experiment, Feedback, NormBound, PolicySpec, Rewards, Truth};
use optimist_lab::report::{Block, Section, Table, Verdict, count, number};
use optimist_lab::store::Outcome;
use optimist_lab::theory::lower::{LowerBound, Neighbours, Packing};

/// The dimensions that are looked at.
const DIMENSIONS: [usize; 2] = [2, 3];
/// ||theta*||.
const NORM: f64 = 1.1;
/// Policies that know how to play on the sphere, and are quick.
const POLICIES: [&str; 5] = ["optimist", "ofulog-r", "laplace-ts", "greedy", "uniform"];
/// Horizons are this many, as far as the theorem reaches, each the square root of ten times the one before.
const HORIZONS: i32 = 7;

/// One experiment for every dimension and every horizon: policies that know the horizon may use it, and eps depends on it.
///
/// # Errors
/// If a bound cannot be computed, which would be a bug.
pub(super) fn experiments(options: &StudyOptions) -> Result<Vec<Experiment>> {
    let mut experiments = Vec::new();
    for dimension in DIMENSIONS {
        for horizon in horizons(options.lower_bound_horizon()) {
            let bound = bound(dimension, horizon)?;
            let Some(universal) = bound.universal else { continue };
            let environments = [environments(dimension, &universal)?, environments(dimension, &bound.sharp)?].concat();
            let name = format!("Lower bound, d = {dimension}");
            let policies = POLICIES.iter().map(|name| PolicySpec::plain(name)).collect();
            experiments.push(options.experiment(&name, (options.lower_bound_runs(), horizon), environments, policies));
        }
    }
    Ok(experiments)
}

/// From the shortest to the longest.
fn horizons(longest: usize) -> Vec<usize> {
    let horizon = |i: i32| (longest as f64 * 10_f64.powf(-0.5 * f64::from(i))).round() as usize;
    let mut horizons: Vec<usize> = (0..HORIZONS).rev().map(horizon).filter(|horizon| *horizon > 0).collect();
    horizons.dedup();
    horizons
}

/// Along no axis, with which some policies begin; the bound does not depend on where theta* points.
fn theta(dimension: usize) -> Vec<f64> {
    let direction: Vec<f64> = (1..=dimension).map(|i| i as f64).collect();
    let length = norm(&direction);
    direction.iter().map(|v| NORM * v / length).collect()
}

fn bound(dimension: usize, horizon: usize) -> Result<LowerBound> {
    LowerBound::new(&theta(dimension), &ArmSet::Sphere { dimension }, horizon as u64)
}

/// The sphere with each of the neighbours as the parameter.
fn environments(dimension: usize, packing: &Packing) -> Result<Vec<Environment>> {
    let arms = Arms::Sphere;
    let environment = |theta| Environment {
        label: None,
        dimension,
        arms: arms.clone(),
        truth: Truth::Theta(theta),
        norm_bound: NormBound::Exact,
        feedback: Feedback::default(),
        drift: Drift::None,
        rewards: Rewards::default(),
    };
    Ok(Neighbours::new(&theta(dimension), packing.eps)?.iter().map(environment).collect())
}

/// What the report says.
///
/// # Errors
/// If a bound cannot be computed, which would be a bug.
pub(super) fn section(outcomes: &[Outcome]) -> Result<Section> {
    let mut section = Section::new("The lower bound: what no policy escapes");
    let constant = |d: &usize| Ok(format!("1/{:.0} for d = {d}", 1.0 / LowerBound::constant(*d)?.0));
    let constants = DIMENSIONS.iter().map(constant).collect::<Result<Vec<String>>>()?;
    section.text(format!(
        "The theory also says what cannot be done (Theorem 2 of the paper, with its constants mended). Take any theta*, here \
         of length {NORM}, and the unit sphere as arms, and move theta* a little, by eps to either side along every axis \
         across it. Whoever plays well for one of these 2^(d-1) neighbours cannot tell it from the others, so on one of \
         them every policy has a regret of at least K_d (d/||theta*||) sqrt(T/kappa_eps) after T rounds, where \
         1/kappa_eps is the slope of the curve at the best arm, the same for all of them. K_d is a constant: {}. For a \
         given theta* and T the proof gives more, which is the sharper bound below.",
        constants.join(", ")
    ));
    let trials = trials(outcomes)?;
    if trials.is_empty() {
        section.text(
            "The theorem needs at least d^2 kappa_eps rounds, and there were fewer: give a larger `--horizon` to see more.",
        );
        return Ok(section);
    }
    section.text(format!(
        "Every policy plays every neighbour, for both bounds with the eps that belongs to them; {} runs each. What counts is \
         the worst of its mean regrets.",
        count(outcomes.first().map_or(0, |outcome| outcome.experiment.runs) as u64)
    ));
    for dimension in DIMENSIONS {
        let trials: Vec<&Trial> = trials.iter().filter(|trial| trial.dimension == dimension).collect();
        if trials.is_empty() {
            continue;
        }
        let caption = format!(
            "d = {dimension}. Mean regret on the worst neighbour and one standard error, against the number of rounds; \
             dashed, what no policy can stay below. Where a curve runs parallel to the bounds, regret grows like sqrt(T), \
             which nothing can better."
        );
        section.figure(drawing::against_horizon(&trials), &format!("lower-bound-d-{dimension}"), caption);
        section.blocks.push(Block::Table(table(&trials)));
    }
    section.blocks.push(claim(&trials));
    Ok(section)
}

fn table(trials: &[&Trial]) -> Table {
    let head = ["rounds", "eps", "kappa_eps", "bound", "sharper bound"].map(str::to_owned);
    let labels =
        trials.first().iter().flat_map(|trial| &trial.universal.worst).map(|worst| worst.label.clone()).collect();
    let row = |trial: &&Trial| {
        let Trial { universal, sharp, .. } = trial;
        let mut row = vec![
            count(trial.horizon as u64),
            number(universal.packing.eps),
            number(universal.packing.kappa_eps),
            number(universal.packing.value),
            number(sharp.packing.value),
        ];
        let ratios = universal.ratios().zip(sharp.ratios());
        row.extend(ratios.map(|((_, a), (_, b))| format!("{} ({})", number(a), number(b))));
        row
    };
    let dimension = trials.first().map_or(0, |trial| trial.dimension);
    let caption = format!(
        "d = {dimension}. For every policy the worst mean regret divided by the bound, in brackets by the sharper one, each \
         among its own neighbours; eps and kappa_eps are those of the first."
    );
    Table { caption, columns: [head.to_vec(), labels].concat(), rows: trials.iter().map(row).collect() }
}

/// No policy escapes: every worst mean regret is above its bound.
fn claim(trials: &[Trial]) -> Block {
    let contests = || trials.iter().flat_map(|trial| [&trial.universal, &trial.sharp].map(|side| (trial, side)));
    // What would be enough for one judgement with an error of one in forty, times the number of judgements.
    let enough = 40.0 * contests().map(|(_, side)| side.worst.len()).sum::<usize>() as f64;
    let mut findings = Vec::new();
    let mut below = Vec::new();
    for (trial, side) in contests() {
        for worst in &side.worst {
            let bound = side.packing.value;
            let is_above = evidence_above(&worst.averages, bound) >= enough;
            let finding = match (is_above, worst.regret.is_below(bound)) {
                (true, _) => Finding::For,
                (_, true) => Finding::Against,
                _ => Finding::Open,
            };
            if finding == Finding::Against {
                below.push(format!(
                    "{} (d = {}, {} rounds)",
                    worst.label,
                    trial.dimension,
                    count(trial.horizon as u64)
                ));
            }
            findings.push(finding);
        }
    }
    let open = findings.iter().filter(|finding| **finding == Finding::Open).count();
    let mut text = format!(
        "A worst case is not below the average over its neighbours, by which it is judged, with an error of one in forty for \
         all judgements together, whatever the law of the regrets. {} worst cases: {} clearly above their bound, {open} too \
         close to it for so few runs, {} below.",
        findings.len(),
        findings.iter().filter(|finding| **finding == Finding::For).count(),
        below.len()
    );
    if !below.is_empty() {
        text.push_str(&format!(" Below, which contradicts the theorem: {}.", below.join(", ")));
    }
    text.push_str(&looseness(trials));
    let claim = "No policy escapes: on one of the neighbours every policy has at least the regret of the bound.";
    // What is too close for so few runs does not speak against a theorem.
    let verdict = if below.is_empty() && open > 0 { Verdict::Open } else { verdict(&findings) };
    Block::Claim { claim: claim.to_owned(), verdict, text }
}

/// How far the best policy is above the bounds.
fn looseness(trials: &[Trial]) -> String {
    let Some(longest) = trials.iter().map(|trial| trial.horizon).max() else { return String::new() };
    let least = |side: fn(&Trial) -> &trial::Side| {
        let last = trials.iter().filter(|trial| trial.horizon == longest);
        let ratios = last.flat_map(|trial| side(trial).ratios().map(|(label, ratio)| (trial.dimension, label, ratio)));
        ratios.min_by(|a, b| a.2.total_cmp(&b.2))
    };
    let (Some(a), Some(b)) = (least(|trial| &trial.universal), least(|trial| &trial.sharp)) else {
        return String::new();
    };
    format!(
        " The bound is loose: after {} rounds the best policy here is still a factor of about {} above it ({}, d = {}), and \
         {} above the sharper one ({}, d = {}). How much of that is due to the proof and how much to the policies, this does \
         not tell.",
        count(longest as u64),
        number(a.2),
        a.1,
        a.0,
        number(b.2),
        b.1,
        b.0
    )
}

#[cfg(test)]
mod tests {
    use super::trial::{Side, Worst};
    use super::*;
    use crate::measure::Estimate;

    #[test]
    fn horizons_grow_by_half_decades_as_far_as_the_theorem_reaches() {
        let rounds =
            |options: StudyOptions| experiments(&options).unwrap().iter().map(|e| e.horizon).collect::<Vec<_>>();
        let decades = [50, 158, 500, 1581, 5000];
        assert_eq!(rounds(StudyOptions::default()), [decades, decades].concat());
        let full = StudyOptions { extent: crate::Extent::Full, ..StudyOptions::default() };
        assert_eq!(rounds(full)[..6], [32, 100, 316, 1000, 3162, 10_000]);
        assert_eq!(rounds(StudyOptions { horizon: Some(30), ..StudyOptions::default() }), [30], "d = 3 needs more");
        assert!(rounds(StudyOptions { horizon: Some(10), ..StudyOptions::default() }).is_empty());
    }

    #[test]
    fn neighbours_have_one_norm_and_their_number() {
        for experiment in experiments(&StudyOptions::default()).unwrap() {
            let dimension = experiment.environments[0].dimension;
            assert_eq!(experiment.environments.len(), 1 << dimension, "2^(d-1) for each of two bounds");
            for half in experiment.environments.chunks(1 << (dimension - 1)) {
                let norms: Vec<f64> = half.iter().map(|environment| environment.truth.norm()).collect();
                assert!(norms.iter().all(|norm| (norm / norms[0] - 1.0).abs() < 1e-12 && *norm > NORM), "{norms:?}");
            }
        }
    }

    fn trial(regret: f64, error: f64, runs: usize) -> Trial {
        let regret = Estimate { value: regret, error, runs };
        let worst = || vec![Worst { label: "somebody".to_owned(), regret, averages: vec![regret.value; runs] }];
        let side = || Side { packing: Packing { eps: 0.1, kappa_eps: 10.0, value: 2.0 }, worst: worst() };
        Trial { dimension: 2, horizon: 1000, universal: side(), sharp: side() }
    }

    #[test]
    fn verdicts_follow_from_the_numbers() {
        let judge = |trials: &[Trial]| {
            let Block::Claim { verdict, text, .. } = claim(trials) else { panic!("a claim") };
            (verdict, text)
        };
        let (verdict, text) = judge(&[trial(50.0, 1.0, 20)]);
        assert_eq!(verdict, Verdict::Holds);
        assert!(text.contains("a factor of about 25 above it (somebody, d = 2)"), "{text}");
        let (verdict, text) = judge(&[trial(50.0, 1.0, 20), trial(1.0, 0.1, 20)]);
        assert_eq!(verdict, Verdict::Partly);
        assert!(text.contains("contradicts the theorem: somebody (d = 2, 1,000 rounds)"), "{text}");
        assert_eq!(judge(&[trial(1.0, 0.1, 20)]).0, Verdict::Fails);
        assert_eq!(judge(&[trial(2.1, 0.1, 20)]).0, Verdict::Open);
        assert_eq!(judge(&[trial(50.0, f64::NAN, 1)]).0, Verdict::Open);
    }
}
