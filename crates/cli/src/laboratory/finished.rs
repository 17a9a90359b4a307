//! What becomes of runs that are finished: options that several commands have.

use clap::Args;
use optimist_lab::Error;

use crate::failure::Failure;

/// Which finished runs are kept.
#[derive(Args)]
pub(crate) struct FinishedArgs {
    /// Keep finished runs of another build of optimist for this policy (its name or label), whose code you know to be
    /// untouched; may be repeated, all means all that --rerun does not name. If absent they are run again
    #[arg(long, value_name = "POLICY|all")]
    pub(super) keep: Vec<String>,
    /// Run this policy again (its name or label) even where runs of this build are finished; may be repeated, all means all
    /// that --keep does not name
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
