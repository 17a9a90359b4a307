//! What becomes of runs that are finished: options that several commands have.

use clap::Args;
use optimist_lab::Error;

use crate::failure::Failure;

/// Which finished runs are kept.
#[derive(Args)]
pub(crate) struct FinishedArgs {
    /// Keep the runs of another build for this policy, whose code you know to be untouched; all for all. May be repeated
    #[arg(long, value_name = "POLICY|all")]
    pub(super) keep: Vec<String>,
    /// Run this policy again, even where this build has finished runs; all for all. May be repeated
    #[arg(long, value_name = "POLICY|all")]
    pub(super) rerun: Vec<String>,
}

impl FinishedArgs {
    /// What ended the work, in words. What was to be run again is gone: to ask for it once more would begin afresh.
    pub(super) fn failure(&self, error: Error) -> Failure {
        match error {
            Error::Interrupted { done, total } if !self.rerun.is_empty() => Failure::Interrupted(format!(
                "interrupted: {done} of {total} runs are finished and kept; the same command without --rerun goes on from \
                 there"
            )),
            other => other.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_stops_a_rerun_is_told_how_to_go_on() {
        let message = |rerun: &[&str]| {
            let rerun = rerun.iter().map(|name| (*name).to_owned()).collect();
            let failure = FinishedArgs { keep: Vec::new(), rerun }.failure(Error::Interrupted { done: 2, total: 5 });
            (failure.code(), failure.to_string())
        };
        let beginning = "interrupted: 2 of 5 runs are finished and kept; the same command";
        assert_eq!(message(&[]), (130, format!("{beginning} goes on from there")));
        assert_eq!(message(&["all"]), (130, format!("{beginning} without --rerun goes on from there")));
    }
}
