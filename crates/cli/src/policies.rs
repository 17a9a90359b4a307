//! `optimist policies`: the registry of policies, for people and for programs.

use clap::Args;
use optimist::policy::{COMMON_OPTIONS, OptionInfo, PolicyInfo, registry};
use serde::Serialize;
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::files::write_stdout;
use optimist_lab::input::{nearest, shorten};

/// Columns of a terminal that lines are wrapped to.
const WIDTH: usize = 120;

/// Between two columns.
const GAP: &str = "  ";

/// What `optimist policies` is given.
#[derive(Args)]
pub(crate) struct PoliciesArgs {
    /// A policy to describe in full: idea, formulas, options [default: list all]
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A policy for programs: its line of the registry, and what its options are if nobody sets them.
#[derive(Serialize)]
struct Entry {
    #[serde(flatten)]
    info: &'static PolicyInfo,
    shared_options: &'static [OptionInfo],
    default_options: Value,
}

impl Entry {
    fn new(info: &'static PolicyInfo) -> Self {
        let shared_options = if info.uses_history { COMMON_OPTIONS } else { &[] };
        Self { info, shared_options, default_options: info.default_options() }
    }
}

/// Runs the command.
///
/// # Errors
/// If there is no policy of that name, or standard output cannot be written.
pub(crate) fn run(args: &PoliciesArgs) -> Result<()> {
    let text = match &args.name {
        Some(name) => {
            let info = find(name)?;
            if args.json { to_json(&Entry::new(info))? } else { describe(info) }
        }
        None if args.json => to_json(&registry().into_iter().map(Entry::new).collect::<Vec<_>>())?,
        None => list(),
    };
    write_stdout(text.as_bytes())
}

fn find(name: &str) -> Result<&'static PolicyInfo> {
    registry().into_iter().find(|info| info.name == name).ok_or_else(|| {
        let names: Vec<&str> = optimist::policy::names().collect();
        let remedy = nearest(name, &names)
            .map_or_else(|| "there is no such policy".to_owned(), |near| format!("did you mean \"{near}\"?"));
        Failure::Input(format!("NAME is \"{}\": {remedy} (`optimist policies` lists all)", shorten(name)))
    })
}

fn to_json(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Failure::Internal(e.to_string()))?;
    Ok(text + "\n")
}

/// All policies: a row of short facts each, and below it what takes a sentence.
fn list() -> String {
    let width = |heading: &str, cell: fn(&PolicyInfo) -> String, most: usize| {
        registry().into_iter().map(|info| cell(info).len()).max().unwrap_or(0).max(heading.len()).min(most)
    };
    let widths = [
        width("name", |info| info.name.to_owned(), 20),
        width("family", |info| info.family.name().to_owned(), 12),
        width("arm sets", arm_sets, 20),
        width("memory", |info| info.memory.to_owned(), 24),
    ];
    let mut text = row(&widths, ["name", "family", "arm sets", "memory", "cost a round"]);
    for info in registry() {
        text += &row(&widths, [info.name, info.family.name(), &arm_sets(info), info.memory, info.cost]);
        text += &indented(4, "", info.summary);
        text += &indented(4, "guarantee: ", info.guarantee);
        text += &indented(4, "reference: ", info.reference);
        text.push('\n');
    }
    text + "K arms, d features, n distinct arms observed. `optimist policies NAME` describes one in full: idea, formulas, \
            options.\n"
}

/// A row of a table; texts too long for their column go on below.
fn row(widths: &[usize; 4], cells: [&str; 5]) -> String {
    let taken: usize = widths.iter().map(|width| width + GAP.len()).sum();
    let widths: Vec<usize> = widths.iter().copied().chain([WIDTH.saturating_sub(taken).max(20)]).collect();
    let columns: Vec<Vec<String>> = cells.iter().zip(&widths).map(|(cell, width)| wrap(cell, *width)).collect();
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let line = |i: usize| {
        let cell = |(column, width): (&Vec<String>, &usize)| {
            format!("{:width$}", column.get(i).map_or("", String::as_str), width = *width)
        };
        columns.iter().zip(&widths).map(cell).collect::<Vec<_>>().join(GAP).trim_end().to_owned() + "\n"
    };
    (0..height).map(line).collect()
}

/// A labelled text, wrapped and indented; lines after the first are below the text, not below the label.
fn indented(indent: usize, label: &str, text: &str) -> String {
    let hanging = indent + label.len();
    let lines = wrap(text, WIDTH.saturating_sub(hanging).max(20));
    let line = |(i, line): (usize, &String)| {
        let start = if i == 0 { format!("{:indent$}{label}", "") } else { " ".repeat(hanging) };
        format!("{start}{line}\n")
    };
    lines.iter().enumerate().map(line).collect()
}

/// Lines of at most `width` characters, broken between words; a longer word stands by itself. At least one line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() {
            *line += word;
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            *line = format!("{line} {word}");
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

fn arm_sets(info: &PolicyInfo) -> String {
    info.arm_sets.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

/// Everything about one policy.
fn describe(info: &PolicyInfo) -> String {
    let yes = |is: bool, yes: &str, no: &str| (if is { yes } else { no }).to_owned();
    let facts = [
        ("family", info.family.name().to_owned()),
        ("guarantee", info.guarantee.to_owned()),
        ("own set", yes(info.guaranteed, "holds as promised, with default options", "promises nothing by itself")),
        ("cost a round", info.cost.to_owned()),
        ("memory", info.memory.to_owned()),
        ("", "K arms, d features, n distinct arms observed".to_owned()),
        ("arm sets", arm_sets(info)),
        ("arm norms", yes(info.unit_arms, "at most one: rescale the features", "any")),
        ("norm bound", yes(info.needs_norm_bound, "needed", "optional")),
        ("choices", yes(info.randomised, "random", "not random")),
        ("remembers", yes(info.uses_history, "all observations, merged by distinct arm", "a summary of fixed size")),
        ("required", if info.required.is_empty() { "no options".to_owned() } else { info.required.join(", ") }),
        ("reference", info.reference.to_owned()),
    ];
    let fact = |(name, text): &(&str, String)| indented(0, &format!("{name:14}"), text);
    let facts: String = facts.iter().map(fact).collect();
    format!("{}: {}\n\n{}\n\n{facts}\n{}", info.name, info.summary, fitted(info.doc), options(info))
}

/// A text of paragraphs and indented formulas; paragraphs and formulas too wide for the terminal are wrapped.
fn fitted(doc: &str) -> String {
    let fits = |line: &str| line.chars().count() <= WIDTH;
    let paragraph = |text: &str| {
        if text.lines().all(fits) {
            text.to_owned()
        } else if text.lines().any(|line| line.starts_with(' ')) {
            let line = |line: &str| indented(line.len() - line.trim_start().len(), "", line);
            text.lines().map(|l| if fits(l) { format!("{l}\n") } else { line(l) }).collect()
        } else {
            indented(0, "", text)
        }
    };
    doc.trim_end().split("\n\n").map(|text| paragraph(text).trim_end().to_owned()).collect::<Vec<_>>().join("\n\n")
}

/// The options with their defaults and meanings.
fn options(info: &PolicyInfo) -> String {
    let defaults = info.default_options();
    let start = |option: &OptionInfo| {
        if info.required.contains(&option.name) {
            return format!("{} (required)", option.name);
        }
        let default = defaults.get(option.name).map_or_else(|| "none".to_owned(), Value::to_string);
        format!("{} = {default}", option.name)
    };
    let starts: Vec<String> = info.all_options().map(start).collect();
    let Some(width) = starts.iter().map(String::len).max() else { return "Options: none.\n".to_owned() };
    let heading = "Options, a JSON object; what it does not name keeps the default shown here:\n\n".to_owned();
    starts
        .iter()
        .zip(info.all_options())
        .fold(heading, |text, (start, option)| text + &indented(2, &format!("{start:width$}{GAP}"), option.help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_not_cut() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("incomprehensible to me", 5), ["incomprehensible", "to me"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn formulas_keep_their_lines() {
        let wide = "word ".repeat(30);
        let text = fitted(&format!("First\nsecond.\n\n  a = b\n  {wide}\n\n{wide}\nend\n"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..4], ["First", "second.", "", "  a = b"], "{text}");
        assert!(lines[4..6].iter().all(|line| line.starts_with("  word")) && lines[6].is_empty(), "{text}");
        assert!(lines[8].ends_with(" end") && lines.iter().all(|line| line.len() <= WIDTH), "{text}");
    }

    #[test]
    fn long_cells_go_on_below() {
        let widths = [4, 4, 4, 4];
        let cost = "word ".repeat(30);
        let text = row(&widths, ["a", "b", "c c c c", "d", &cost]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].starts_with("a     b     c c   d     word"), "{text}");
        assert!(lines[1].starts_with("            c c         word"), "{text}");
    }
}
