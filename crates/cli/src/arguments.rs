//! Wrong arguments, refused in the words of the rest of this program: one line that names what is wrong and the remedy.

use std::error::Error as _;
use std::num::{ParseFloatError, ParseIntError};

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use optimist_lab::input::shorten;

use crate::failure::Failure;

/// What is wrong with the arguments, or nothing if the user asked for help or for the version.
pub(crate) fn refusal(error: &Error) -> Option<Failure> {
    let asked = error.exit_code() == 0 || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    (!asked).then(|| Failure::Input(message(error)))
}

fn message(error: &Error) -> String {
    let argument = name(&text(error, ContextKind::InvalidArg));
    let value = text(error, ContextKind::InvalidValue);
    let help = help(error);
    match error.kind() {
        ErrorKind::InvalidValue if value.is_empty() => format!("{argument} has no value: {}", allowed(error, &help)),
        ErrorKind::InvalidValue => format!("{argument} is \"{value}\": {}", allowed(error, &help)),
        ErrorKind::ValueValidation => format!("{argument} is \"{value}\": {}", reason(error)),
        ErrorKind::UnknownArgument => {
            let remedy = suggested(error, ContextKind::SuggestedArg);
            format!("{argument} is not known here: {remedy}{help} lists what is")
        }
        ErrorKind::InvalidSubcommand => {
            let wrong = text(error, ContextKind::InvalidSubcommand);
            let remedy = suggested(error, ContextKind::SuggestedSubcommand);
            format!("\"{wrong}\" is not a command: {remedy}{help} lists all")
        }
        ErrorKind::MissingRequiredArgument => {
            let (names, are) = listed(&texts(error, ContextKind::InvalidArg));
            format!("{names} {are} missing: {help} says what to give")
        }
        ErrorKind::ArgumentConflict => conflict(error, &argument),
        // Such as an argument that is not text: clap's own words, without the usage below them.
        _ => first_line(error),
    }
}

/// The values that are allowed, or where to read about them.
fn allowed(error: &Error, help: &str) -> String {
    let values = texts(error, ContextKind::ValidValue);
    let near = suggested(error, ContextKind::SuggestedValue);
    if values.is_empty() {
        format!("{near}give one ({help} says which)")
    } else {
        format!("{near}use one of {}", values.join(", "))
    }
}

/// Why a value was refused, in the words of what read it.
fn reason(error: &Error) -> String {
    let Some(source) = error.source() else { return "this cannot be read".to_owned() };
    // The standard library says what it met, not what it wants.
    if source.is::<ParseIntError>() {
        "give a whole number, 0 or more".to_owned()
    } else if source.is::<ParseFloatError>() {
        "give a number".to_owned()
    } else {
        source.to_string()
    }
}

fn conflict(error: &Error, argument: &str) -> String {
    let others: Vec<String> = texts(error, ContextKind::PriorArg).iter().map(|other| name(other)).collect();
    match &others[..] {
        [other] if other == argument => format!("{argument} is given twice: keep one"),
        [] => format!("{argument} cannot be given with the rest: leave it out"),
        others => format!("{argument} cannot be given together with {}: keep one", others.join(", ")),
    }
}

/// "did you mean ...? ", if something is like it. Of several, clap puts the nearest last.
fn suggested(error: &Error, kind: ContextKind) -> String {
    texts(error, kind).last().map_or_else(String::new, |near| format!("did you mean \"{near}\"? "))
}

/// Without clap's "error: ", for which this program has its own.
fn first_line(error: &Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// `--shard` of `--shard <I/N>`, and `EXPERIMENT` of `<EXPERIMENT>`.
fn name(argument: &str) -> String {
    let first = argument.split_whitespace().next().unwrap_or("an argument");
    shorten(first.trim_matches(|c| "<>[].".contains(c))).into_owned()
}

/// Names with commas between them, and the verb that goes with them.
fn listed(arguments: &[String]) -> (String, &'static str) {
    let names: Vec<String> = arguments.iter().map(|argument| name(argument)).collect();
    (names.join(", "), if names.len() == 1 { "is" } else { "are" })
}

/// `optimist run --help` of "Usage: optimist run [OPTIONS] ..."; not every error knows of which command it is.
fn help(error: &Error) -> String {
    let Some(usage) = error.get(ContextKind::Usage).map(ToString::to_string) else { return "`--help`".to_owned() };
    // The second word is what the file of this program is called.
    let is_name = |word: &str| !word.starts_with('-') && word.chars().all(|c| c == '-' || c.is_ascii_lowercase());
    let command = usage.split_whitespace().skip(2).take_while(|word| is_name(word));
    let words: Vec<&str> = ["optimist"].into_iter().chain(command).chain(["--help"]).collect();
    format!("`{}`", words.join(" "))
}

/// What clap knows of the error, short enough for a message: a user may have given anything.
fn text(error: &Error, kind: ContextKind) -> String {
    texts(error, kind).first().map_or_else(String::new, |text| shorten(text).into_owned())
}

fn texts(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}
