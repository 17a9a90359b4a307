//! The command `optimist`: arguments in, answers out. All that is clever is in the library.

mod arguments;
mod failure;
mod files;
mod help;
mod laboratory;
mod layout;
mod new_policy;
mod plan;
mod policies;
mod progress;
mod radii;
mod replay;

use std::fmt::Display;
use std::io::{Write, stderr};
use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::{Failure, Result, one_line};

/// Chooses between options whose outcome is yes or no, and says how sure it is
#[derive(Parser)]
#[command(name = "optimist", version, long_about = help::ABOUT, after_help = help::BEGIN)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Say what is known of every arm, and which one to play
    #[command(long_about = help::PLAN, after_long_help = help::plan_details())]
    Plan(plan::PlanArgs),
    /// List the radii: the kinds of confidence set that a problem can name
    Radii(radii::RadiiArgs),
    /// List the policies: the rules that choose arms, or describe one of them in full
    #[command(long_about = help::POLICIES, after_long_help = help::POLICIES_DETAILS)]
    Policies(policies::PoliciesArgs),
    /// Begin a policy of your own: a crate, or a file of Python, that works and says what to change
    #[command(long_about = new_policy::help::NEW_POLICY, after_long_help = new_policy::help::DETAILS)]
    NewPolicy(new_policy::NewPolicyArgs),
    /// Run an experiment: policies x environments x runs, from a small text file
    #[command(long_about = help::RUN, after_long_help = help::run_details())]
    Run(laboratory::run::RunArgs),
    /// Replay data of your own: a table with labels as a bandit, or a log of decisions
    #[command(long_about = replay::help::REPLAY, after_long_help = replay::help::DETAILS)]
    Replay(Box<replay::ReplayArgs>),
    /// Put the parts of an experiment together that several machines have run
    #[command(long_about = help::MERGE)]
    Merge(laboratory::merge::MergeArgs),
    /// Draw the figures of an experiment anew: for a paper, other bands, other axes, some policies
    #[command(after_long_help = help::PLOT_DETAILS)]
    Plot(laboratory::plot::PlotArgs),
    /// Print the final regret as a table for LaTeX, Markdown or CSV, the best in bold
    #[command(long_about = help::TABLE)]
    Table(laboratory::table::TableArgs),
    /// Reproduce the paper: its experiments, figures and claims, as one report
    #[command(long_about = help::PAPER)]
    Paper(laboratory::paper::PaperArgs),
    /// Draw the pictures of the documentation
    #[command(long_about = help::PICTURES)]
    Pictures(laboratory::pictures::PicturesArgs),
    /// Say what theory says of an instance: its constants, bounds on regret, how hard it is
    #[command(long_about = help::THEORY, after_long_help = help::THEORY_DETAILS)]
    Theory(laboratory::theory::TheoryArgs),
}

fn main() -> ExitCode {
    panic::set_hook(Box::new(report_panic));
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    match panic::catch_unwind(|| run(&cli)) {
        Ok(Ok(warnings)) => {
            warnings.iter().for_each(|warning| say("warning", warning));
            ExitCode::SUCCESS
        }
        Ok(Err(failure)) => fail(&failure),
        // The hook has reported it.
        Err(_) => ExitCode::FAILURE,
    }
}

/// Arguments that cannot be read, or that ask for a text which clap prints.
fn refuse(error: &clap::Error) -> ExitCode {
    if let Some(failure) = arguments::refusal(error) {
        return fail(&failure);
    }
    // If nobody can read it there is nothing left to do.
    let _ = error.print();
    u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

fn fail(failure: &Failure) -> ExitCode {
    say("error", failure);
    ExitCode::from(failure.code())
}

fn run(cli: &Cli) -> Result<Vec<String>> {
    match &cli.command {
        Command::Plan(args) => plan::run(args),
        Command::Radii(args) => radii::run(args).map(|()| Vec::new()),
        Command::Policies(args) => policies::run(args).map(|()| Vec::new()),
        Command::NewPolicy(args) => new_policy::run(args),
        Command::Run(args) => laboratory::run::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Merge(args) => laboratory::merge::run(args),
        Command::Plot(args) => laboratory::plot::run(args),
        Command::Table(args) => laboratory::table::run(args),
        Command::Paper(args) => laboratory::paper::run(args),
        Command::Pictures(args) => laboratory::pictures::run(args),
        Command::Theory(args) => laboratory::theory::run(args).map(|()| Vec::new()),
    }
}

/// One line on standard error. If nobody can read it there is nothing left to do.
fn say(kind: &str, text: impl Display) {
    let _ = writeln!(stderr(), "{kind}: {}", one_line(&text.to_string()));
}

/// A panic is a bug: the user learns that in one line, and where it is.
fn report_panic(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    let what = text.unwrap_or("no message");
    let place = info.location().map_or_else(|| "unknown place".to_owned(), |at| format!("{}:{}", at.file(), at.line()));
    say("error", format_args!("this is a bug in optimist, please report it: {what} ({place})"));
}
