//! The programs that made the runs, in the words of a report.

use crate::store::{BuildRuns, Outcome};

fn builds(outcomes: &[&Outcome]) -> Vec<BuildRuns> {
    BuildRuns::gathered(outcomes.iter().flat_map(|outcome| outcome.builds()))
}

/// The programs that made the runs, for the end of a report.
pub fn build_names(outcomes: &[&Outcome]) -> String {
    match &builds(outcomes)[..] {
        [] => "none, no run is finished".to_owned(),
        [one] => one.build.to_string(),
        several => several.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    }
}

/// What a reader should know before comparing runs of several programs.
pub fn several_builds(outcomes: &[&Outcome]) -> Option<String> {
    let builds = builds(outcomes);
    let part = |entry: &BuildRuns| format!("{entry}, of {}", entry.policies.join(", "));
    (builds.len() > 1).then(|| {
        let parts = builds.iter().map(part).collect::<Vec<_>>().join("; ");
        format!("Runs of several builds of the program: {parts}. They compare only if these are of the same code.")
    })
}
