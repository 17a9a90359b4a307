//! The keys as text.

use super::keys::{Absent, KEYS, Key};

/// Columns of a terminal that lines are wrapped to.
const WIDTH: usize = 100;
/// Where explanations begin.
const INDENT: usize = 6;

/// All keys of experiment files with their meanings, for the help of a command.
pub fn keys_help() -> String {
    KEYS.iter().map(entry).collect::<Vec<_>>().join("\n")
}

fn entry(key: &Key) -> String {
    let absent = match key.absent {
        Absent::Required => "required".to_owned(),
        Absent::Default(value) => format!("default {value}"),
        Absent::Meaning(words) => format!("without it: {words}"),
    };
    let sweep = if key.sweep { "; a list makes a sweep" } else { "" };
    let text = format!("{}; {}; {absent}{sweep}", key.help, key.kind.words());
    format!("  {}\n{}", key.path, wrapped(&text))
}

/// Indented lines, broken between words.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line = format!("{:INDENT$}{word}", ""),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => *line = format!("{line} {word}"),
            _ => lines.push(format!("{:INDENT$}{word}", "")),
        }
    }
    lines.into_iter().map(|line| line + "\n").collect()
}
