//! What becomes of the runs that are finished: kept, or run again.

use crate::build::Build;
use crate::store::Warnings;

/// How many of the finished runs are kept and how many are run again, by the builds that made them.
#[derive(Debug, Clone)]
pub struct Reuse {
    /// The build that does the work.
    build: Build,
    /// What the user asked to keep.
    asked: Vec<String>,
    kept: Vec<(Build, usize)>,
    again: Vec<((Build, Why), usize)>,
    /// What is amiss with the build itself.
    warning: Option<String>,
}

/// Why a finished run is run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// It is of another build.
    Stale,
    /// The user wants it.
    Asked,
    /// Its choices are to be written down, and only the build that made it could.
    NoTable,
}

impl Reuse {
    pub(super) fn new(build: &Build, warning: Option<&str>, asked: &[String]) -> Self {
        let (build, warning) = (build.clone(), warning.map(str::to_owned));
        Self { build, asked: asked.to_vec(), kept: Vec::new(), again: Vec::new(), warning }
    }

    pub(super) fn keep(&mut self, build: &Build) {
        count(&mut self.kept, build, 1);
    }

    pub(super) fn run_again(&mut self, build: &Build, why: Why) {
        count(&mut self.again, &(build.clone(), why), 1);
    }

    /// Adds what becomes of the runs of another experiment.
    pub fn add(&mut self, other: &Self) {
        let new: Vec<String> = other.asked.iter().filter(|name| !self.asked.contains(name)).cloned().collect();
        self.asked.extend(new);
        other.kept.iter().for_each(|(build, runs)| count(&mut self.kept, build, *runs));
        other.again.iter().for_each(|(key, runs)| count(&mut self.again, key, *runs));
    }

    /// All of it in one line; none if no run was finished before.
    pub fn line(&self) -> Option<String> {
        let (kept, again) = (total(&self.kept), total(&self.again));
        let finished = kept + again;
        if finished == 0 {
            return None;
        }
        let mut line = format!("kept {kept} of {}", runs(finished, "finished "));
        if kept > 0 {
            let parts = self.kept.iter().map(|(build, runs)| format!("{runs} of {}", self.name(build)));
            line += &format!(": {}", parts.collect::<Vec<_>>().join(", "));
        }
        if self.kept.iter().any(|(build, _)| *build != self.build) {
            line += &format!(" ({})", self.asked());
        }
        self.again.iter().for_each(|((build, why), again)| line += &self.clause(build, *why, *again));
        Some(line)
    }

    fn clause(&self, build: &Build, why: Why, again: usize) -> String {
        let reason = match why {
            Why::Stale => " (--keep all keeps them)",
            Why::Asked => " (--rerun)",
            Why::NoTable => " (--choices, and their choices were not written down)",
        };
        let verb = if again == 1 { "is" } else { "are" };
        format!("; {} of {} {verb} run again{reason}", runs(again, ""), self.name(build))
    }

    fn name(&self, build: &Build) -> String {
        if *build == self.build { "this build".to_owned() } else { format!("build {build}") }
    }

    /// The option as the user has given it.
    fn asked(&self) -> String {
        self.asked.iter().map(|name| format!("--keep {name}")).collect::<Vec<_>>().join(" ")
    }

    /// What the user should know beside the results.
    pub fn warnings(&self) -> Warnings {
        let others: Vec<(Build, usize)> = self.kept.iter().filter(|(build, _)| *build != self.build).cloned().collect();
        let names: Vec<String> = others.iter().map(|(build, _)| build.to_string()).collect();
        let by_word = (!others.is_empty()).then(|| {
            let (kept, names, asked) = (runs(total(&others), ""), names.join(", "), self.asked());
            format!(
                "{kept} of another build ({names}) kept by your word ({asked}): wrong if the code behind has changed"
            )
        });
        self.warning.clone().into_iter().chain(by_word).collect()
    }
}

fn count<K: Clone + PartialEq>(tally: &mut Vec<(K, usize)>, key: &K, more: usize) {
    match tally.iter_mut().find(|(known, _)| known == key) {
        Some((_, runs)) => *runs += more,
        None => tally.push((key.clone(), more)),
    }
}

fn total<K>(tally: &[(K, usize)]) -> usize {
    tally.iter().map(|(_, runs)| runs).sum()
}

fn runs(count: usize, kind: &str) -> String {
    format!("{count} {kind}{}", if count == 1 { "run" } else { "runs" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(name: &str) -> Build {
        Build::identified_by(name)
    }

    #[test]
    fn a_line_says_what_becomes_of_the_runs() {
        let (this, other) = (build("this"), build("other"));
        let mut reuse = Reuse::new(&this, None, &["optimist".to_owned()]);
        assert_eq!((reuse.line(), reuse.warnings()), (None, Vec::new()));
        (0..30).for_each(|_| reuse.keep(&this));
        assert_eq!(reuse.line().unwrap(), "kept 30 of 30 finished runs: 30 of this build");
        assert_eq!(reuse.warnings(), Vec::<String>::new());
        (0..10).for_each(|_| reuse.keep(&other));
        (0..20).for_each(|_| reuse.run_again(&other, Why::Stale));
        reuse.run_again(&this, Why::Asked);
        let line = format!(
            "kept 40 of 61 finished runs: 30 of this build, 10 of build {other} (--keep optimist); 20 runs of build {other} \
             are run again (--keep all keeps them); 1 run of this build is run again (--rerun)"
        );
        assert_eq!(reuse.line().unwrap(), line);
        let [warning] = &reuse.warnings()[..] else { panic!("one warning") };
        assert!(warning.starts_with(&format!("10 runs of another build ({other}) kept by your word")), "{warning}");
    }

    #[test]
    fn experiments_add_up() {
        let (this, other) = (build("this"), build("other"));
        let [mut first, mut second] =
            [Reuse::new(&this, None, &[]), Reuse::new(&this, Some("odd"), &["greedy".to_owned()])];
        assert_eq!(second.warnings(), ["odd"]);
        first.keep(&this);
        second.keep(&this);
        second.keep(&other);
        second.run_again(&other, Why::Stale);
        first.add(&second);
        let line = first.line().unwrap();
        let beginning =
            format!("kept 3 of 4 finished runs: 2 of this build, 1 of build {other} (--keep greedy); 1 run of");
        assert!(line.starts_with(&beginning), "{line}");
    }
}
