//! The report of `optimist paper`.

use super::claims;
use super::definitions::{draw_detrimental, draw_kappas, examples};
use super::figures::{against_kappa, kappa, one_policy};
use super::options::{COMMON_KAPPA, DELTA, StudyOptions, label};
use super::sets::{ConfidenceSets, Kind, Setup, confidence_sets, draw, play};
use super::study::{Finished, Study};
use super::{lower_bound, transitory};
use optimist_lab::Result;
use optimist_lab::experiment::Experiment;
use optimist_lab::figure::{Band, Scale, Style, decomposition, regret};
use optimist_lab::report::{
    Block, PARTS, Page, Section, Table, add_theory, build_names, cost_table, count, duration, number, percent,
    policy_table, several_builds,
};
use optimist_lab::results::PolicyCost;
use optimist_lab::store::{EnvironmentRuns, Outcome};
use optimist_lab::theory::comparison::compare;

/// kappa_X of the paper's figures of sets and definitions.
const FIGURE_KAPPA: f64 = 22.0;

/// The report of the studies that were run. `seconds` is the time that the work took, `how` the command.
///
/// # Errors
/// If a drawing cannot be computed, which would be a bug.
pub(crate) fn page(options: &StudyOptions, studies: &[Finished], how: &str, seconds: f64) -> Result<Page> {
    let outcomes =
        |study: Study| studies.iter().find(|finished| finished.study == study).map(|f| f.outcomes.as_slice());
    let one = |study: Study| outcomes(study).and_then(<[Outcome]>::first);
    let all: Vec<&Outcome> = studies.iter().flat_map(|finished| &finished.outcomes).collect();
    let policies = one(Study::Policies);
    let mut sections = Vec::new();
    if let Some(kappas) = one(Study::Kappas) {
        sections.extend([experiments(kappas)?, claims_section(kappas, policies)]);
        sections.extend(analysis(kappas)?);
        sections.extend([sets_section()?, definitions_section()?]);
    }
    if let Some(outcomes) = outcomes(Study::LowerBound) {
        sections.push(lower_bound::section(outcomes)?);
    }
    if let Some(outcomes) = outcomes(Study::Transitory) {
        sections.push(transitory::section(outcomes)?);
    }
    if let Some(policies) = policies {
        sections.push(successors(policies)?);
    }
    sections.push(costs(studies, &all));
    Ok(Page {
        title: "The paper, run: instance-wise minimax-optimal algorithms for logistic bandits".to_owned(),
        lead: lead(&all),
        facts: facts(options, studies, &all, how, seconds),
        sections,
    })
}

fn lead(outcomes: &[&Outcome]) -> Vec<String> {
    let mut lead = [
        "Every round one plays one of several options (arms) and sees a success or a failure: a click, a sale, a recovery. \
         An arm is a vector of features x, and it succeeds with probability mu(x'theta*) = 1/(1 + exp(-x'theta*)), for a \
         theta* that nobody knows. To learn it one must try arms that may be bad; regret counts what that costs, compared \
         with playing the best arm from the start.",
        "How hard that is depends on how flat the S-shaped curve mu is where the arms lie: kappa is one over its slope, and \
         grows exponentially with the length of theta*. The first algorithms paid for kappa in every round; Faury et al. \
         (2020) brought that down to the beginning. Abeille, Faury and Calauzenes (AISTATS 2021) proved that optimism \
         (playing the arm that would be best if the most favourable theta that the data allow were true) gains from a large \
         kappa in the long run, that nothing can do essentially better, and that the price at the beginning depends on the \
         arms. This page runs their experiments, draws their figures from the definitions, and holds their claims against \
         the numbers.",
        "The algorithm is called OFULog, its tractable version OFULog-r. With the constants that the paper prints, the set \
         over which OFULog-r plans is the whole ball for thousands of rounds; `optimist` is the same algorithm with a set \
         that is among the tightest known, so that the guarantee is kept and the waiting is not.",
    ]
    .map(str::to_owned)
    .to_vec();
    lead.extend(several_builds(outcomes));
    lead
}

fn environment_at(outcome: &Outcome, level: f64) -> Option<&EnvironmentRuns> {
    outcome.environments.iter().find(|environment_runs| (kappa(environment_runs) - level).abs() < 1e-9)
}

fn experiments(kappas: &Outcome) -> Result<Section> {
    let experiment = &kappas.experiment;
    let mut section = Section::new("The paper's experiments");
    section.text(format!(
        "Two features, 40 arms drawn uniformly from the unit disc for every run, a theta* of random direction whose length \
         gives the stated kappa and is told to the algorithms; {} runs of {} rounds. GLM-UCB (Filippi et al. 2010) has \
         its published constants, LogUCB1 (Faury et al. 2020) the bonus of its theorem with our deviation bound, OFULog-r \
         the constants the paper prints and then the tightest that its proof allows; then `optimist`. In the same run all \
         of them meet the same arms and the same luck. The paper states neither its horizon nor delta, the norm bound or \
         the direction of theta*: those are our choices, so shapes can be compared, heights cannot.",
        experiment.runs,
        count(experiment.horizon as u64)
    ));
    for level in [50.0, 400.0] {
        let Some(environment_runs) = environment_at(kappas, level) else { continue };
        let file = |axes: &str| format!("regret-kappa-{level}{axes}");
        let figure = regret(environment_runs, experiment, &Style::default())?;
        let shows = "Mean regret, one standard deviation of the runs shaded, as in the paper. While the curve of OFULog-r \
                     rises in a straight line, its confidence set still allows everything, and it plays the longest arm.";
        section.figure(figure, &file(""), format!("kappa = {level}. {shows}"));
        let logarithmic = Style { band: Band::None, x: Scale::Log, y: Scale::Log, ..Style::default() };
        let figure = regret(environment_runs, experiment, &logarithmic)?;
        let shows = "The same means on logarithmic axes, where `optimist` can be seen; slope 1 is linear growth, slope 1/2 \
                     the square root of time.";
        section.figure(figure, &file("-log"), format!("kappa = {level}. {shows}"));
    }
    let printed = "The printed constants. The larger kappa, the larger the norm bound and the constants, and the longer it \
                   takes until a curve can bend.";
    section.figure(one_policy(kappas, label::PRINTED), "kappas-printed", printed);
    let ours = "`optimist` on the same instances.";
    section.figure(one_policy(kappas, label::OPTIMIST), "kappas-optimist", ours);
    Ok(section)
}

/// The parts of the regret, and what theory says of it, at one level of kappa.
fn analysis(kappas: &Outcome) -> Result<Option<Section>> {
    let experiment = &kappas.experiment;
    let Some(environment_runs) = environment_at(kappas, COMMON_KAPPA) else { return Ok(None) };
    let Some(comparison) = compare(experiment, environment_runs)? else { return Ok(None) };
    let mut section = Section::new("The analysis, beside what happened");
    section.text(format!(
        "The paper's proof takes the regret apart, and so does this section, for kappa = {COMMON_KAPPA}. OFULog-r as printed \
         has no bound here: nothing is proved for the constants it prints."
    ));
    let style = Style::default();
    section.figure(decomposition(environment_runs, experiment, &style)?, "decomposition", PARTS);
    add_theory(&mut section, experiment, environment_runs, &comparison, &style, "bounds")?;
    Ok(Some(section))
}

fn claims_section(kappas: &Outcome, policies: Option<&Outcome>) -> Section {
    let mut section = Section::new("The claims, held against the numbers");
    section.text(format!(
        "This is what shows after {} rounds. Most of the claims are about the long run: a policy that is still in its first, \
         linear phase says nothing about them, and is not counted.",
        count(kappas.experiment.horizon as u64)
    ));
    let named: Vec<(&str, &EnvironmentRuns)> = [("kappa = 50", 50.0), ("kappa = 400", 400.0)]
        .iter()
        .filter_map(|(name, level)| Some((*name, environment_at(kappas, *level)?)))
        .collect();
    section.blocks.extend(claims::advantage(&named));
    section.blocks.extend(claims::kappa_helps(kappas));
    let caption = "Regret after all rounds at six levels of kappa. Parallel to the dashed line, regret falls like \
                   1/sqrt(kappa); upwards, a larger kappa harms. A regret of zero has no place on a logarithmic axis.";
    section.figure(against_kappa(kappas), "against-kappa", caption);
    if let Some((name, environment_runs)) = named.first() {
        section.blocks.extend(claims::two_regimes(name, environment_runs));
        section.blocks.extend(claims::detrimental(name, environment_runs));
    }
    section.blocks.extend(claims::coverage(kappas, policies));
    section
}

fn sets_section() -> Result<Section> {
    let setup = Setup::default();
    let (rounds, policy) = (setup.rounds, setup.policy);
    let sets = confidence_sets(play(&setup)?)?;
    let mut section = Section::new("The confidence sets");
    section.text(format!(
        "After {} rounds on the unit disc with kappa_X = {}, these are the parameters that four sets still allow: C_t, \
         with which OFULog plans; E_t, its convex relaxation for OFULog-r; the same with the tightest constants; and the \
         mixture set of `optimist`. The arms \
         were chosen by `{policy}`, because OFULog-r with the printed constants would have played a single arm. The paper \
         draws its sets without the bound on the norm of theta, and so does the left figure.",
        count(rounds as u64),
        setup.kappa
    ));
    let caption = sets_caption(&sets);
    section.figure(draw(&sets), "confidence-sets", caption);
    Ok(section)
}

fn sets_caption(sets: &ConfidenceSets) -> String {
    let share = |kind: Kind| percent(sets.shape(kind).bounded_area / sets.disc_area);
    let truth = if sets.shapes.iter().all(|shape| shape.holds_truth) { "All of them hold theta*." } else { "" };
    format!(
        "Of the disc of parameters that the norm bound allows, E_t as printed leaves {}, C_t as printed {}, the tight \
         relaxation {}, the mixture set {}. {truth} The estimate with a hat is the paper's ridge estimate, about which C_t \
         and E_t are built; the mixture set has one of its own.",
        share(Kind::Relaxed),
        share(Kind::Decrement),
        share(Kind::Tight),
        share(Kind::Mixture)
    )
}

fn definitions_section() -> Result<Section> {
    let examples = examples(FIGURE_KAPPA)?;
    let [half, ball] = &examples;
    let mut section = Section::new("What the constants mean");
    section.text(
        "kappa_* is one over the slope of mu at the best arm, and governs the long run; kappa_X is the same at the arm where \
         mu is flattest, and governs the beginning. In a symmetric set of arms they are equal; in a set that lies on the \
         left of the curve they may differ as much as one likes.",
    );
    let caption = format!(
        "Left: arms in the half of the disc on which x'theta* <= 0: kappa_* = {}, kappa_X = {}. Right: the whole disc: \
         both are {}.",
        number(half.instance.kappa_star()),
        number(half.instance.kappa_x()),
        number(ball.instance.kappa_star())
    );
    section.figure(draw_kappas(&examples), "definition-kappa", caption);
    let caption = format!(
        "Detrimental arms are much worse than the best one and tell little. In the half disc they are those with x'theta* \
         <= {}, {} of its area; in the disc those with x'theta* <= {}, {}.",
        number(half.instance.detrimental_below()),
        percent(half.detrimental_share),
        number(ball.instance.detrimental_below()),
        percent(ball.detrimental_share)
    );
    section.figure(draw_detrimental(&examples), "definition-detrimental", caption);
    Ok(section)
}

fn successors(policies: &Outcome) -> Result<Section> {
    let experiment = &policies.experiment;
    let mut section = Section::new("Every policy on the same instances");
    let Some(environment_runs) = policies.environments.first() else { return Ok(section) };
    section.text(format!(
        "All {} policies with their default options at kappa = {COMMON_KAPPA}, for {} rounds, which is enough to tell them \
         apart. `optimist policies NAME` says \
         what each of them is and what it guarantees. Low regret without a guarantee is not the same as low regret with \
         one: the last column has a dash where a policy keeps no confidence set.",
        experiment.policies.len(),
        count(experiment.horizon as u64)
    ));
    let mut table: Table = policy_table(experiment, environment_runs, &Style::default())?;
    sort_by_regret(&mut table, environment_runs);
    section.blocks.push(Block::Table(table));
    let (proved, others) = by_guarantee(experiment)?;
    let style = |policies| Style {
        band: Band::None,
        x: Scale::Log,
        y: Scale::Log,
        policies: Some(policies),
        ..Style::default()
    };
    let caption = "Mean regret on logarithmic axes: policies whose confidence set is proved to hold.";
    section.figure(regret(environment_runs, experiment, &style(proved))?, "policies-proved", caption);
    let caption = "The others: heuristics, samplers, linear models and baselines.";
    section.figure(regret(environment_runs, experiment, &style(others))?, "policies-others", caption);
    Ok(section)
}

/// How many policies are named in the table of costs.
const NAMED: usize = 12;

/// Where the time went, by study and by policy.
fn costs(studies: &[Finished], all: &[&Outcome]) -> Section {
    let mut section = Section::new("What it cost");
    let seconds = |finished: &Finished| {
        PolicyCost::of(&finished.outcomes.iter().collect::<Vec<_>>()).iter().map(|cost| cost.seconds).sum::<f64>()
    };
    let parts = studies.iter().map(|finished| format!("{} {}", title(finished.study), duration(seconds(finished))));
    section.text(format!(
        "Time of all runs on one core, those of earlier calls included: {}. Times depend on the machine and on what else it \
         does; nothing else on this page does.",
        parts.collect::<Vec<_>>().join("; ")
    ));
    section.blocks.push(Block::Table(cost_table(&PolicyCost::of(all), NAMED)));
    section
}

/// Labels of the policies with and without a guarantee.
fn by_guarantee(experiment: &Experiment) -> Result<(Vec<String>, Vec<String>)> {
    let (mut proved, mut others) = (Vec::new(), Vec::new());
    for spec in &experiment.policies {
        let side = if spec.info()?.guaranteed { &mut proved } else { &mut others };
        side.push(spec.label.clone());
    }
    Ok((proved, others))
}

/// The best first. Rows and policies are in the same order before.
fn sort_by_regret(table: &mut Table, environment_runs: &EnvironmentRuns) {
    let mean = |i: usize| {
        let regrets = environment_runs.policies[i].final_regrets();
        regrets.iter().sum::<f64>() / regrets.len().max(1) as f64
    };
    let mut rows: Vec<(f64, Vec<String>)> =
        std::mem::take(&mut table.rows).into_iter().enumerate().map(|(i, row)| (mean(i), row)).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    table.rows = rows.into_iter().map(|(_, row)| row).collect();
}

fn facts(
    options: &StudyOptions,
    studies: &[Finished],
    all: &[&Outcome],
    how: &str,
    seconds: f64,
) -> Vec<(String, String)> {
    let mut facts = vec![
        ("Program", format!("optimist {}", env!("CARGO_PKG_VERSION"))),
        ("Build", build_names(all)),
        ("Command", format!("`{how}`")),
        ("Seed", options.seed.to_string()),
        ("delta", DELTA.to_string()),
    ];
    facts.extend(studies.iter().map(|finished| (title(finished.study), sizes(&finished.outcomes))));
    facts.extend([
        ("Time of this call", duration(seconds)),
        ("Data", "`data/`: one directory an experiment, with summary.json, results.csv and every run".to_owned()),
        (
            "Paper",
            "M. Abeille, L. Faury, C. Calauzenes: Instance-Wise Minimax-Optimal Algorithms for Logistic Bandits. AISTATS \
             2021"
                .to_owned(),
        ),
    ]);
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn title(study: Study) -> &'static str {
    match study {
        Study::Kappas => "Paper's experiments",
        Study::Policies => "All policies",
        Study::LowerBound => "Lower bound",
        Study::Transitory => "Transitory phase",
    }
}

/// How much was run in every experiment of a study.
fn sizes(outcomes: &[Outcome]) -> String {
    let size = |outcome: &Outcome| {
        let Experiment { environments, policies, runs, horizon, .. } = &outcome.experiment;
        format!(
            "{} × {} policies × {runs} runs × {} rounds",
            match environments.len() {
                1 => "1 environment".to_owned(),
                n => format!("{n} environments"),
            },
            policies.len(),
            count(*horizon as u64)
        )
    };
    match outcomes {
        [] => "nothing".to_owned(),
        outcomes => outcomes.iter().map(size).collect::<Vec<_>>().join("; "),
    }
}
