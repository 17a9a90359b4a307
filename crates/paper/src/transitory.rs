//! The transitory phase on instances made to prolong it: how long it lasts, and what it costs.
//!
//! The paper splits regret into a long-term part, which falls with kappa_*, and a transitory part R_-, paid for detrimental
//! arms and bounded by the smaller of kappa_X d^2 and d^2 + d K, constants and logarithms aside, for K detrimental arms.

mod claims;
mod drawing;
mod samples;

use self::samples::{Level, levels};
use super::instances::{HALF_BALL_ARMS, HALF_BALL_DIMENSION, HIDDEN_ARMS, HIDDEN_DIMENSION, half_ball, hidden_arm};
use super::options::StudyOptions;
use optimist_lab::Result;
use optimist_lab::experiment::{Environment, Experiment, PolicySpec, norm_of};
use optimist_lab::report::{Block, Section, Table, count, number};
use optimist_lab::store::Outcome;

/// The kappa of ||theta*||, which is kappa_X where an arm lies opposite to theta*.
const LEVELS: [f64; 5] = [40.0, 320.0, 2_500.0, 20_000.0, 160_000.0];
/// The policies that are looked at.
const POLICIES: [&str; 3] = ["optimist", "ofulog-r", "laplace-ts"];
/// In how many orders the arms are listed among which one is hidden.
const ORDERS: usize = 2;

/// One experiment for the hidden arm, one for the half ball.
pub(super) fn experiments(options: &StudyOptions) -> Vec<Experiment> {
    let runs = options.transitory_runs();
    let orders = ORDERS.min(runs);
    let seed = |order: usize| options.seed.wrapping_mul(1000).wrapping_add(order as u64);
    let hidden = |kappa: &f64| (0..orders).map(|order| hidden_arm(norm_of(*kappa), seed(order))).collect::<Vec<_>>();
    let hidden: Vec<Environment> = LEVELS.iter().flat_map(hidden).collect();
    let halves: Vec<Environment> = LEVELS.iter().map(|kappa| half_ball(norm_of(*kappa))).collect();
    let policies = || POLICIES.iter().map(|name| PolicySpec::plain(name)).collect();
    let experiment = |name, runs, environments| {
        options.experiment(name, (runs, options.transitory_horizon()), environments, policies())
    };
    vec![
        experiment("Transitory phase: hidden arm", runs.div_ceil(orders), hidden),
        experiment("Transitory phase: half ball", runs, halves),
    ]
}

/// A family of instances with what came of it.
struct Family<'a> {
    name: &'static str,
    /// The beginning of the names of its figures' files.
    file: &'static str,
    dimension: usize,
    arms: usize,
    outcome: &'a Outcome,
    levels: Vec<Level>,
}

/// What the report says.
///
/// # Errors
/// If an instance cannot be made again, which would be a bug.
pub(super) fn section(outcomes: &[Outcome]) -> Result<Section> {
    let mut section = Section::new("Hard instances: the transitory phase");
    let [hidden, half] = outcomes else { return Ok(section) };
    introduce(&mut section, hidden);
    let family = |name, file, (dimension, arms), outcome| {
        Ok(Family { name, file, dimension, arms, outcome, levels: levels(outcome, LEVELS.len())? })
    };
    let hidden = family("hidden arm", "transitory-hidden-arm", (HIDDEN_DIMENSION, HIDDEN_ARMS), hidden)?;
    let half = family("half ball", "transitory-half-ball", (HALF_BALL_DIMENSION, HALF_BALL_ARMS), half)?;
    section.text(format!(
        "The hidden arm, in the spirit of Dong, Ma and Van Roy (2019). {HIDDEN_ARMS} arms in {HIDDEN_DIMENSION} dimensions \
         are as far from each other as so many can be; all but one of them lie to the left on the S-shaped curve, the \
         farther the larger kappa_X, and one is at its middle, with a probability of success of one half. That one of the \
         bad arms fails says almost nothing about the others, so that there is little to do but to try them one by one. \
         The order in which the arms are listed is drawn at random.",
    ));
    show(&mut section, &hidden);
    let caption = "The hardest of these instances. A policy that plays arms which hardly ever succeed loses one half a \
                   round (dashed); a curve that has left this line has found the good arm, and pays only for the arms that \
                   it still tries.";
    section.figure(drawing::regret(&hidden), "transitory-regret", caption);
    section.text(format!(
        "The half ball. {HALF_BALL_ARMS} arms in {HALF_BALL_DIMENSION} dimensions, drawn for every run from the half of \
         the ball on which x'theta* <= 0. The best of them succeed about every second time, the worst hardly ever. Here \
         neighbouring arms are alike, and what one of them shows is worth something for the others.",
    ));
    show(&mut section, &half);
    section.blocks.extend(claims::grows(&[&hidden, &half]));
    section.blocks.extend(claims::levels_off(&hidden));
    Ok(section)
}

fn introduce(section: &mut Section, hidden: &Outcome) {
    let horizon = hidden.experiment.horizon;
    section.text(
        "In the long run a large kappa_* helps. At the beginning a large kappa_X can harm: where the curve is flat, the \
         failures of an arm say little about theta*, and regret may grow by a constant amount a round until the arms \
         there have been ruled out. The theory bounds what that costs by the smaller of two numbers, constants and \
         logarithms aside: kappa_X d^2, and d^2 + d K, where K counts the detrimental arms: those that are far worse \
         than the best one and tell little. On the instances of this section the best arm is at the steep middle of the \
         curve (kappa_* is 4 or a little more), and kappa_X runs over several powers of ten.",
    );
    section.text(format!(
        "The transitory phase of a run is taken to end in the first round after which at most one round in ten plays a \
         detrimental arm, looked at from twice that round onwards. To be seen to end it must be followed by as many rounds \
         as it lasted: with {} rounds, phases that last longer than {} are not seen to end, and count as longer than all \
         others.",
        count(horizon as u64),
        count(horizon as u64 / 2)
    ));
}

fn show(section: &mut Section, family: &Family<'_>) {
    let Family { name, file, dimension, arms, .. } = *family;
    let caption = format!(
        "The {name}. Dashed, for comparison: kappa_X itself, and the number of arms, {arms}: one play of each. Dots on the \
         uppermost dashed line stand for phases that were not seen to end; phases of no length have no place on a \
         logarithmic axis."
    );
    section.figure(drawing::lengths(family), file, caption);
    section.blocks.push(Block::Table(table(family, dimension, arms)));
}

fn table(family: &Family<'_>, dimension: usize, arms: usize) -> Table {
    let columns = [
        "kappa_X and policy",
        "detrimental arms",
        "length, median",
        "10% to 90%",
        "not seen to end",
        "detrimental plays",
        "of each arm",
        "regret",
    ];
    let row = |level: &Level, sample: &samples::Sample| {
        let lengths = &sample.lengths;
        vec![
            format!("{}, {}", number(level.kappa_x), sample.label),
            number(level.detrimental),
            lengths.words(0.5),
            format!("{} to {}", lengths.words(0.1), lengths.words(0.9)),
            format!("{} of {}", lengths.unended(), lengths.runs()),
            number(samples::mean(&sample.bad_plays)),
            number(samples::mean(&sample.bad_plays) / level.detrimental),
            number(samples::mean(&sample.regrets)),
        ]
    };
    let caption = format!(
        "The {}, {arms} arms in {dimension} dimensions. Length of the transitory phase in rounds; number of detrimental \
         arms, plays of them (in all, and divided by their number) and regret after {} rounds, mean of the runs.",
        family.name,
        count(family.outcome.experiment.horizon as u64)
    );
    let rows = family.levels.iter().flat_map(|level| level.samples.iter().map(move |sample| row(level, sample)));
    Table { caption, columns: columns.map(str::to_owned).to_vec(), rows: rows.collect() }
}
