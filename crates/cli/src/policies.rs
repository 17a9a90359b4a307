//! `optimist policies`: the registry of policies, for people and for programs.

use clap::Args;
use optimist::policy::{OptionInfo, PolicyEntry, PolicyInfo, registry};
use optimist_lab::input::{nearest, shorten};
use serde::Serialize;
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::files::write_stdout;
use crate::layout::{GAP, columns_of_output, indented, row};

/// What `optimist policies` is given.
#[derive(Args)]
pub(crate) struct PoliciesArgs {
    /// A policy to describe in full: idea, formulas, options [default: list all]
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// If there is no policy of that name, or standard output cannot be written.
pub(crate) fn run(args: &PoliciesArgs) -> Result<()> {
    let width = columns_of_output();
    let text = match &args.name {
        Some(name) => {
            let info = find(name)?;
            if args.json { to_json(&PolicyEntry::from(info))? } else { describe(info, width) }
        }
        None if args.json => to_json(&registry().into_iter().map(PolicyEntry::from).collect::<Vec<_>>())?,
        None => list(width),
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
fn list(width: usize) -> String {
    let widest = |heading: &str, cell: fn(&PolicyInfo) -> String| {
        registry().into_iter().map(|info| cell(info).len()).max().unwrap_or(0).max(heading.len())
    };
    let widths = [widest("name", |info| info.name.to_owned()), widest("family", |info| info.family.name().to_owned())];
    let mut text = row(width, &widths, &["name", "family", "arm sets"]);
    for info in registry() {
        text += &row(width, &widths, &[info.name, info.family.name(), &arm_sets(info)]);
        text += &indented(width, 4, "", info.summary);
        text += &indented(width, 4, "guarantee: ", info.guarantee);
        text += &indented(width, 4, "cost per round: ", info.cost);
        text += &indented(width, 4, "memory: ", info.memory);
        text += &indented(width, 4, "reference: ", info.reference);
        text.push('\n');
    }
    let legend = "K arms, d features, n distinct arms observed. `optimist policies NAME` describes one in full: idea, \
                  formulas, options.";
    text + &indented(width, 0, "", legend)
}

fn arm_sets(info: &PolicyInfo) -> String {
    info.arm_sets.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

/// Everything about one policy.
fn describe(info: &PolicyInfo, width: usize) -> String {
    let yes = |is: bool, yes: &str, no: &str| (if is { yes } else { no }).to_owned();
    let facts = [
        ("family", info.family.name().to_owned()),
        ("guarantee", info.guarantee.to_owned()),
        ("own set", yes(info.guaranteed, "holds as promised, with default options", "promises nothing by itself")),
        ("cost per round", info.cost.to_owned()),
        ("memory", info.memory.to_owned()),
        ("", "K arms, d features, n distinct arms observed".to_owned()),
        ("arm sets", arm_sets(info)),
        ("arm norms", yes(info.unit_arms, "at most one: rescale the features", "any")),
        ("norm bound", yes(info.needs_norm_bound, "needed", "optional")),
        ("choices", yes(info.randomised, "random", "not random")),
        ("remembers", yes(info.uses_history, "observations, merged by distinct arm", "a summary of fixed size")),
        ("required", if info.required.is_empty() { "no options".to_owned() } else { info.required.join(", ") }),
        ("reference", info.reference.to_owned()),
    ];
    let fact = |(name, text): &(&str, String)| indented(width, 0, &format!("{name:16}"), text);
    let facts: String = facts.iter().map(fact).collect();
    let title = indented(width, 0, "", &format!("{}: {}", info.name, info.summary));
    format!("{title}\n{}\n\n{facts}\n{}", fitted(&info.description(), width), options(info, width))
}

/// A text of paragraphs and indented formulas; paragraphs and formulas too wide for the terminal are wrapped.
fn fitted(doc: &str, width: usize) -> String {
    let fits = |line: &str| line.chars().count() <= width;
    let paragraph = |text: &str| {
        if text.lines().all(fits) {
            text.to_owned()
        } else if text.lines().any(|line| line.starts_with(' ')) {
            let line = |line: &str| indented(width, line.len() - line.trim_start().len(), "", line);
            text.lines().map(|l| if fits(l) { format!("{l}\n") } else { line(l) }).collect()
        } else {
            indented(width, 0, "", text)
        }
    };
    doc.trim_end().split("\n\n").map(|text| paragraph(text).trim_end().to_owned()).collect::<Vec<_>>().join("\n\n")
}

/// The options with their defaults and meanings.
fn options(info: &PolicyInfo, width: usize) -> String {
    let defaults = info.default_options();
    let start = |option: &OptionInfo| {
        if info.required.contains(&option.name) {
            return format!("{} (required)", option.name);
        }
        let default = defaults.get(option.name).map_or_else(|| "none".to_owned(), Value::to_string);
        format!("{} = {default}", option.name)
    };
    let starts: Vec<String> = info.all_options().map(start).collect();
    let Some(widest) = starts.iter().map(String::len).max() else { return "Options: none.\n".to_owned() };
    let heading = "Options, a JSON object; what it does not name keeps the default shown here:";
    let heading = indented(width, 0, "", heading) + "\n";
    starts.iter().zip(info.all_options()).fold(heading, |text, (start, option)| {
        text + &indented(width, 2, &format!("{start:widest$}{GAP}"), option.help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_keep_their_lines() {
        let wide = "word ".repeat(30);
        let text = fitted(&format!("First\nsecond.\n\n  a = b\n  {wide}\n\n{wide}\nend\n"), 120);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..4], ["First", "second.", "", "  a = b"], "{text}");
        assert!(lines[4..6].iter().all(|line| line.starts_with("  word")) && lines[6].is_empty(), "{text}");
        assert!(lines[8].ends_with(" end") && lines.iter().all(|line| line.len() <= 120), "{text}");
    }
}
