//! A number never outlives the code behind it, unless somebody says so.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use optimist::policy::{self, Certify, FINITE_ARMS, Family, Pick, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use optimist::policy::{Round, Rule};
use optimist::{FiniteArms, Problem};
use optimist_lab::experiment::PolicySpec;
use optimist_lab::report::{publish, summary_json};
use optimist_lab::run::{RunOptions, Work, run};
use optimist_lab::simulation::Progress;
use optimist_lab::store::{Directory, Memory, RunStore, merge};
use optimist_lab::{Build, Experiment, Outcome, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::damage::{checksum, write_lines};
use super::resuming::choices;
use super::{Counter, assert_same, experiment, finish, fresh, interruption, log_lines, message, plane, small};

/// Which arm `turncoat` plays: its code, as it were, which changes from one build to the next.
static ARM: AtomicUsize = AtomicUsize::new(0);

/// Only one test at a time may change the code.
fn code() -> MutexGuard<'static, ()> {
    static CODE: Mutex<()> = Mutex::new(());
    policy::register(&TURNCOAT).unwrap();
    CODE.lock().unwrap_or_else(PoisonError::into_inner)
}

static TURNCOAT: PolicyInfo = PolicyInfo {
    name: "turncoat",
    family: Family::Baseline,
    summary: "for tests",
    doc: "For tests.",
    keeps_set: false,
    guarantee: "none",
    guaranteed: false,
    planning: Planning::ClosedForm,
    cost: "1",
    memory: "d",
    arm_sets: FINITE_ARMS,
    reference: "none",
    randomised: false,
    order: RewardOrder::Irrelevant,
    constant_cost: true,
    uses_history: false,
    needs_norm_bound: false,
    unit_arms: false,
    required: &[],
    example: "{}",
    options: &[],
    maker: PolicyMaker::of::<Turncoat>(),
};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoOptions {}

impl policy::Options for NoOptions {
    fn validate(&self) -> optimist::Result<()> {
        Ok(())
    }
}

/// Plays one arm, whatever happens.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Turncoat {
    theta: Vec<f64>,
}

impl Rule for Turncoat {
    type Options = NoOptions;
    const INFO: &'static PolicyInfo = &TURNCOAT;
    const CERTIFY: Certify = Certify::Own;

    fn new(problem: &Problem, _: &NoOptions) -> optimist::Result<Self> {
        Ok(Self { theta: vec![0.0; problem.dimension] })
    }

    fn check(&self, _: usize) -> optimist::Result<()> {
        Ok(())
    }

    fn pick(&mut self, arms: &FiniteArms<'_>, _: Round<'_>) -> optimist::Result<Pick> {
        Ok(Pick::bare(ARM.load(Ordering::SeqCst) % arms.len()))
    }

    fn learn(&mut self, _: &[f64], _: f64) {}

    fn estimate(&self) -> &[f64] {
        &self.theta
    }

    fn probabilities(&self, _: &FiniteArms<'_>, _: u64, _: &mut [f64]) -> optimist::Result<bool> {
        Ok(false)
    }
}

/// Two policies, two runs, one environment.
fn comparison() -> Experiment {
    experiment(2, 60, vec![plane(20.0)], &["turncoat", "greedy"])
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

/// How a build with this name does its work, with policies to keep and to rerun.
fn options(build: &str, keep: &[&str], rerun: &[&str]) -> RunOptions {
    let build = Some(Build::identified_by(build));
    RunOptions {
        build,
        keep: names(keep),
        rerun: names(rerun),
        jobs: Some(1.try_into().unwrap()),
        ..RunOptions::default()
    }
}

/// What a build found, did and said.
struct Session {
    outcome: Outcome,
    rounds: usize,
    line: Option<String>,
    warnings: Vec<String>,
}

fn session(experiment: &Experiment, store: &dyn RunStore, options: &RunOptions) -> Session {
    let (work, counter) = (Work::new(experiment, options).unwrap(), Counter::new(usize::MAX));
    let remaining = work.remaining(store).unwrap();
    let outcome = remaining.run(&counter).unwrap();
    let (line, warnings) = (remaining.reuse().line(), remaining.warnings());
    Session { outcome, rounds: counter.rounds(), line, warnings }
}

fn session_in(place: &Path, experiment: &Experiment, options: &RunOptions) -> Session {
    session(experiment, &Directory::open(place, experiment).unwrap(), options)
}

/// The regret of the policy whose code changes.
fn regrets(outcome: &Outcome) -> Vec<f64> {
    outcome.environments[0].policies[0].final_regrets()
}

fn build(name: &str) -> Build {
    Build::identified_by(name)
}

/// The names of the builds that made the runs of each policy in the first environment.
fn makers(outcome: &Outcome, candidates: &[&'static str]) -> Vec<Vec<&'static str>> {
    let name = |made: &Option<Build>| *candidates.iter().find(|name| made.as_ref() == Some(&build(name))).unwrap();
    let policies = outcome.environments[0].policies.iter();
    policies.map(|policy_runs| policy_runs.runs.iter().map(|(_, record)| name(&record.build)).collect()).collect()
}

#[test]
fn a_policy_whose_code_has_changed_gets_its_new_regret() {
    let _code = code();
    let (experiment, place) = (comparison(), tempfile::tempdir().unwrap());
    ARM.store(0, Ordering::SeqCst);
    let old = session_in(place.path(), &experiment, &options("old", &[], &[]));
    assert_eq!((old.rounds, old.line, old.warnings), (4 * 60, None, Vec::new()));
    // The same build goes on.
    let again = session_in(place.path(), &experiment, &options("old", &[], &[]));
    let line = "kept 4 of 4 finished runs: 4 of this build";
    assert_eq!((again.rounds, again.line.as_deref(), again.warnings), (0, Some(line), Vec::new()));
    // Another build keeps what its user wants to be kept.
    ARM.store(1, Ordering::SeqCst);
    let kept = session_in(place.path(), &experiment, &options("new", &["all"], &[]));
    assert_eq!((kept.rounds, regrets(&kept.outcome)), (0, regrets(&old.outcome)));
    let line = format!("kept 4 of 4 finished runs: 4 of build {} (--keep all)", build("old"));
    assert_eq!(kept.line, Some(line));
    let warning = format!("4 runs of another build ({}) kept by your word (--keep all)", build("old"));
    assert!(kept.warnings.len() == 1 && kept.warnings[0].starts_with(&warning), "{:?}", kept.warnings);
    // Nobody has said anything: the new code's regret.
    let new = session_in(place.path(), &experiment, &options("new", &[], &[]));
    assert_eq!(new.rounds, 4 * 60);
    assert_ne!(regrets(&new.outcome), regrets(&old.outcome), "the test proves something");
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(regrets(&new.outcome), regrets(&finish(&experiment, directory.path()).0));
    let line =
        format!("kept 0 of 4 finished runs; 4 runs of build {} are run again (--keep all keeps them)", build("old"));
    assert_eq!((new.line, new.warnings), (Some(line), Vec::new()));
    // What is read later is what was reported last.
    assert_same(&Directory::load(place.path()).unwrap().0, &new.outcome);
}

#[test]
fn one_policy_is_kept_and_the_other_is_not() {
    let _code = code();
    let (experiment, store) = (comparison(), Memory::default());
    ARM.store(0, Ordering::SeqCst);
    session(&experiment, &store, &options("old", &[], &[]));
    for (keep, rerun) in [(&["greedy"][..], &[][..]), (&["all"], &["turncoat"]), (&["greedy"], &["all"])] {
        let new = session(&experiment, &store, &options("new", keep, rerun));
        assert_eq!(makers(&new.outcome, &["old", "new"]), [["new", "new"], ["old", "old"]], "{keep:?} {rerun:?}");
    }
    // A run of this build is better than one that is kept by word.
    let new = session(&experiment, &store, &options("new", &["all"], &[]));
    assert_eq!((makers(&new.outcome, &["old", "new"]), new.rounds), (vec![vec!["new"; 2], vec!["old"; 2]], 0));
}

#[test]
fn who_goes_back_finds_the_runs_of_then() {
    let (experiment, place) = (small(2), tempfile::tempdir().unwrap());
    session_in(place.path(), &experiment, &options("a", &[], &[]));
    session_in(place.path(), &experiment, &options("b", &[], &[]));
    for name in ["a", "b", "a"] {
        let session = session_in(place.path(), &experiment, &options(name, &[], &[]));
        assert_eq!((session.rounds, session.outcome.builds().len()), (0, 1));
        let stored = Directory::load(place.path()).unwrap().0;
        assert_eq!(stored.builds()[0].build, build(name), "what was reported last is what is read");
    }
    // Of several others the latest is kept.
    let kept = session_in(place.path(), &experiment, &options("c", &["all"], &[]));
    assert_eq!((kept.rounds, kept.outcome.builds()[0].build.clone()), (0, build("b")));
}

#[test]
fn stopped_work_leaves_no_stale_run_among_the_results() {
    let (experiment, place) = (small(3), tempfile::tempdir().unwrap());
    session_in(place.path(), &experiment, &options("old", &[], &[]));
    let stopped = |options: &RunOptions, rounds: usize| {
        let directory = Directory::open(place.path(), &experiment).unwrap();
        interruption(run(&experiment, options, &directory, &Counter::new(rounds)))
    };
    assert_eq!(stopped(&options("new", &[], &[]), 300), (5, 12));
    let (unfinished, _) = Directory::load(place.path()).unwrap();
    assert_eq!((unfinished.progress(), unfinished.builds().len()), ((5, 12), 1));
    // Second thoughts: the others are kept after all.
    let kept = session_in(place.path(), &experiment, &options("new", &["all"], &[]));
    assert_eq!((kept.rounds, kept.outcome.progress(), kept.outcome.builds().len()), (0, (12, 12), 2));
    // Runs that the user wants again are gone, so that the command without that wish goes on.
    let rest = session_in(place.path(), &experiment, &options("new", &[], &[]));
    assert_eq!(rest.rounds, 7 * 60);
    assert_eq!(stopped(&options("new", &[], &["all"]), 300), (5, 12));
    assert_eq!(Directory::load(place.path()).unwrap().0.progress(), (5, 12));
    let rest = session_in(place.path(), &experiment, &options("new", &[], &[]));
    assert_eq!(rest.rounds, 7 * 60);
    assert_same(&fresh(&experiment), &rest.outcome);
}

#[test]
fn the_same_build_runs_again_if_asked() {
    let _code = code();
    let (experiment, place) = (comparison(), tempfile::tempdir().unwrap());
    ARM.store(0, Ordering::SeqCst);
    let old = session_in(place.path(), &experiment, &options("this", &[], &[]));
    // The build does not tell: what the policy does depends on something outside of the program.
    ARM.store(1, Ordering::SeqCst);
    let again = session_in(place.path(), &experiment, &options("this", &[], &["turncoat"]));
    assert_eq!(again.rounds, 2 * 60);
    assert_ne!(regrets(&again.outcome), regrets(&old.outcome));
    let line = "kept 2 of 4 finished runs: 2 of this build; 2 runs of this build are run again (--rerun)";
    assert_eq!((again.line.as_deref(), again.warnings), (Some(line), Vec::new()));
    assert_eq!(log_lines(place.path()).len(), 4, "what was run again is gone");
    assert_same(&Directory::load(place.path()).unwrap().0, &again.outcome);
}

/// Every run with its choices, by this build.
fn with_choices(place: &Path, experiment: &Experiment, build: &str, keep: &[&str], rerun: &[&str]) -> Session {
    session_in(place, experiment, &RunOptions { choices: true, ..options(build, keep, rerun) })
}

#[test]
fn choices_are_those_of_the_build_that_made_the_run() {
    let _code = code();
    let (experiment, place) = (comparison(), tempfile::tempdir().unwrap());
    let (other, path) = (tempfile::tempdir().unwrap(), place.path());
    ARM.store(0, Ordering::SeqCst);
    with_choices(path, &experiment, "old", &[], &[]);
    let old = choices(path);
    ARM.store(1, Ordering::SeqCst);
    assert_eq!(with_choices(path, &experiment, "new", &["all"], &[]).rounds, 0, "runs and tables are there");
    with_choices(path, &experiment, "new", &[], &[]);
    with_choices(other.path(), &experiment, "new", &[], &[]);
    let new = choices(other.path());
    assert_ne!(
        new.iter().map(|(_, text)| text).collect::<Vec<_>>(),
        old.iter().map(|(_, text)| text).collect::<Vec<_>>()
    );
    let mut both = [old, new.clone()].concat();
    both.sort();
    assert_eq!(choices(path), both, "every build has tables of its own");
    // Runs of another build without tables are run again: this build would write others.
    let (bare, session) = (tempfile::tempdir().unwrap(), options("old", &[], &[]));
    session_in(bare.path(), &experiment, &session);
    let kept = with_choices(bare.path(), &experiment, "new", &["all"], &[]);
    assert_eq!((kept.rounds, makers(&kept.outcome, &["new"])), (4 * 60, vec![vec!["new"; 2]; 2]));
    assert!(kept.line.unwrap().contains("are run again (--choices"));
    assert_eq!(choices(bare.path()), new);
    // A run that is run again without its table takes the table with it.
    session_in(bare.path(), &experiment, &options("new", &[], &["greedy"]));
    assert_eq!(choices(bare.path()).len(), 2);
}

#[test]
fn a_build_that_cannot_be_told_keeps_nothing() {
    let (experiment, place) = (small(1), tempfile::tempdir().unwrap());
    let unknown = |keep: &[&str]| RunOptions { build: Some(Build::unrepeatable()), ..options("", keep, &[]) };
    for _ in 0..2 {
        assert_eq!(session_in(place.path(), &experiment, &unknown(&[])).rounds, 4 * 60);
    }
    assert_eq!(session_in(place.path(), &experiment, &unknown(&["all"])).rounds, 0, "but the user may know better");
    assert_eq!(session_in(place.path(), &experiment, &RunOptions::default()).rounds, 4 * 60);
}

/// Makes a log of the version before, whose lines had no build.
fn make_old(place: &Path) {
    let old = |line: String| {
        let mut line: Value = serde_json::from_str(&line[17..]).unwrap();
        line["record"].as_object_mut().unwrap().remove("build").expect("every run names its build");
        let text = line.to_string();
        format!("{} {text}", checksum(text.as_bytes()))
    };
    write_lines(place, &log_lines(place).into_iter().map(old).collect::<Vec<_>>());
    let name = place.join("experiment.json");
    let mut document: Value = serde_json::from_slice(&std::fs::read(&name).unwrap()).unwrap();
    document.as_object_mut().unwrap().remove("builds").expect("the builds that count");
    std::fs::write(&name, document.to_string()).unwrap();
}

#[test]
fn runs_of_earlier_versions_are_run_again() {
    let (experiment, place) = (small(2), tempfile::tempdir().unwrap());
    let reference = session_in(place.path(), &experiment, &options("x", &[], &[])).outcome;
    make_old(place.path());
    let (outcome, loaded) = Directory::load(place.path()).unwrap();
    assert_eq!(outcome.progress(), (0, 8));
    let opened = Directory::open(place.path(), &experiment).unwrap().warnings().clone();
    for (warnings, fate) in [(loaded, "missing until"), (opened, "they are run again")] {
        let [warning] = &warnings[..] else { panic!("{warnings:?}") };
        assert!(warning.contains("runs.log: 8 runs of an earlier version") && warning.contains(fate), "{warning}");
    }
    let new = session_in(place.path(), &experiment, &options("x", &["all"], &[]));
    assert_eq!(new.rounds, 8 * 60, "not even --keep knows what they are");
    assert_same(&reference, &new.outcome);
    assert_eq!(Directory::load(place.path()).unwrap().1, Vec::<String>::new(), "nobody is bothered with it again");
}

#[test]
fn names_of_policies_are_checked() {
    let mut experiment = small(1);
    experiment.policies.push(PolicySpec::plain("optimist").labelled("twin"));
    let refused = |keep: &[&str], rerun: &[&str]| message(Work::new(&experiment, &options("x", keep, rerun)));
    for (keep, rerun, option) in [(&["optimst"][..], &[][..], "--keep"), (&[], &["optimst"], "--rerun")] {
        let text = refused(keep, rerun);
        let expected =
            format!("{option} is \"optimst\", which is no policy of the experiment: did you mean \"optimist\"?");
        assert!(text.starts_with(&expected) && text.contains("twin") && text.contains("all"), "{text}");
    }
    // By name and by label; the name means both.
    for (keep, rerun) in [("twin", "twin"), ("optimist", "twin"), ("all", "all")] {
        let text = refused(&[keep], &[rerun]);
        let label = if keep == "all" { "optimist" } else { "twin" };
        assert!(text.starts_with(&format!("both --keep and --rerun ask for the policy \"{label}\"")), "{text}");
    }
    assert!(Work::new(&experiment, &options("x", &["laplace-ts", "all"], &["twin"])).is_ok());
}

/// Two parts, by the builds of these names.
fn parts(experiment: &Experiment, home: &Path, builds: [&str; 2]) -> Vec<PathBuf> {
    let part = |(i, name): (usize, &str)| {
        let place = home.join(format!("{}-of-2-by-{name}", i + 1));
        let shard = Some(format!("{}/2", i + 1).parse().unwrap());
        session_in(&place, experiment, &RunOptions { shard, ..options(name, &[], &[]) });
        place
    };
    builds.into_iter().enumerate().map(part).collect()
}

#[test]
fn parts_of_several_builds_are_merged_with_a_warning() {
    let (experiment, home) = (small(4), tempfile::tempdir().unwrap());
    let places = parts(&experiment, home.path(), ["this", "that"]);
    let out = home.path().join("out");
    let (outcome, directory, warnings) = merge(&places, &out, &[]).unwrap();
    assert_same(&fresh(&experiment), &outcome);
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert!(["this", "that"].iter().all(|name| warning.contains(&build(name).to_string())), "{warning}");
    publish(&directory, &outcome, false).unwrap();
    drop(directory);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("Runs of several builds of the program") && page.contains(&build("that").to_string()));
    let summary: Value = serde_json::from_str(&summary_json(&outcome).unwrap()).unwrap();
    let builds = summary["builds"].as_array().unwrap();
    assert_eq!(builds.iter().map(|entry| entry["runs"].as_u64().unwrap()).collect::<Vec<_>>(), [8, 8]);
    assert!(builds.iter().any(|entry| entry["digest"] == build("this").digest()));
    assert_eq!(builds[0]["policies"], serde_json::json!(["optimist", "laplace-ts"]));
    // By the user's word they are of the same code.
    let silent =
        |keep: &[&str], name: &str| merge(&places, &home.path().join(name), &names(keep)).unwrap().2.is_empty();
    assert!(silent(&["all"], "all") && silent(&["optimist", "laplace-ts"], "both") && !silent(&["optimist"], "one"));
    let text = message(merge(&places, &home.path().join("none"), &names(&["optimst"])));
    assert!(text.contains("--keep") && !home.path().join("none").exists(), "{text}");
    // The whole goes on by whichever build, if so asked.
    assert_eq!(session_in(&out, &experiment, &options("third", &["all"], &[])).rounds, 0);
    assert_eq!(session_in(&out, &experiment, &options("this", &[], &[])).rounds, 8 * 60);
}

#[test]
fn parts_of_builds_that_contradict_each_other_are_refused() {
    let _code = code();
    let (experiment, home) = (comparison(), tempfile::tempdir().unwrap());
    let place = |name: &str| home.path().join(name);
    ARM.store(0, Ordering::SeqCst);
    session_in(&place("a"), &experiment, &options("old", &[], &[]));
    ARM.store(1, Ordering::SeqCst);
    session_in(&place("b"), &experiment, &options("new", &[], &[]));
    let text = message(merge(&[place("a"), place("b")], &place("out"), &names(&["all"])));
    assert!(text.contains("differ in run 0 of \"turncoat\"") && text.contains("out of date"), "{text}");
    assert!(["old", "new"].iter().all(|name| text.contains(&build(name).to_string())), "{text}");
    assert!(!place("out").exists());
}

/// Takes down what is said before the work.
#[derive(Default)]
struct Listener(Mutex<Vec<String>>);

impl Progress for Listener {
    fn note(&self, line: &str) {
        self.0.lock().unwrap().push(line.to_owned());
    }

    fn played(&self, _: usize) {}

    fn is_stopped(&self) -> bool {
        false
    }
}

#[test]
fn whoever_runs_an_experiment_is_told() -> Result<()> {
    let (experiment, memory, listener) = (small(1), Memory::default(), Listener::default());
    run(&experiment, &RunOptions::default(), &memory, &listener)?;
    assert!(listener.0.lock().unwrap().is_empty(), "nothing was there");
    run(&experiment, &RunOptions::default(), &memory, &listener)?;
    assert_eq!(*listener.0.lock().unwrap(), ["kept 4 of 4 finished runs: 4 of this build"]);
    Ok(())
}
