//! Text in columns, as wide as the reader's terminal.

use console::Term;

/// Between two columns.
pub(crate) const GAP: &str = "  ";

/// Where nobody knows better: standard output is a file or a pager, and this is readable in all of them.
const USUAL: usize = 80;

/// Columns cannot be narrower than their words, and lines longer than this are hard to read.
const SENSIBLE: std::ops::RangeInclusive<usize> = 60..=120;

/// A text beside a label is this wide at least.
const NARROWEST: usize = 20;

/// The columns that lines on standard output are wrapped to: `COLUMNS` if somebody has set it, or the terminal's.
pub(crate) fn columns_of_output() -> usize {
    let wish = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok());
    sensible(wish.or_else(|| Term::stdout().size_checked().map(|(_, columns)| columns.into())))
}

/// Zero is what terminals say that do not know.
fn sensible(columns: Option<usize>) -> usize {
    columns.filter(|columns| *columns > 0).unwrap_or(USUAL).clamp(*SENSIBLE.start(), *SENSIBLE.end())
}

/// A row of a table. Cells have these widths, the last one what is left; texts too long for their cell go on below.
pub(crate) fn row(width: usize, widths: &[usize], cells: &[&str]) -> String {
    let taken: usize = widths.iter().map(|width| width + GAP.len()).sum();
    let widths: Vec<usize> = widths.iter().copied().chain([width.saturating_sub(taken).max(NARROWEST)]).collect();
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

/// A labelled text, wrapped and indented; lines after the first are below the text, not below the label, unless that
/// leaves too little room.
pub(crate) fn indented(width: usize, indent: usize, label: &str, text: &str) -> String {
    let most = width.saturating_sub(NARROWEST);
    let indent = indent.min(most);
    let hanging = indent + label.chars().count();
    let hanging = if hanging <= most { hanging } else { (indent + 4).min(most) };
    let line = |(i, line): (usize, &String)| match i {
        0 => format!("{:indent$}{line}\n", ""),
        _ => format!("{:hanging$}{line}\n", ""),
    };
    let lines = wrap_after(label, text, width - indent, width - hanging);
    lines.iter().enumerate().map(line).collect()
}

/// Lines of at most `width` characters, broken between words; a longer word stands by itself. At least one line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    wrap_after("", text, width, width)
}

/// The same after a label, which is kept as it is, in a first line of another width.
fn wrap_after(label: &str, text: &str, first: usize, others: usize) -> Vec<String> {
    let mut lines = vec![label.to_owned()];
    let mut is_fresh = true;
    for word in text.split_whitespace() {
        let width = if lines.len() == 1 { first } else { others };
        let line = lines.last_mut().expect("there is a line");
        let room = width.saturating_sub(line.chars().count());
        let space = if is_fresh { "" } else { " " };
        if space.len() + word.chars().count() <= room || line.is_empty() {
            *line += space;
            *line += word;
        } else {
            lines.push(word.to_owned());
        }
        is_fresh = false;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_sensible() {
        assert_eq!([None, Some(0), Some(10), Some(100), Some(400)].map(sensible), [80, 80, 60, 100, 120]);
    }

    #[test]
    fn words_are_wrapped_not_cut() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("incomprehensible to me", 5), ["incomprehensible", "to me"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn texts_hang_beside_their_label() {
        assert_eq!(
            indented(30, 2, "label: ", "one two three four five six"),
            "  label: one two three four\n         five six\n"
        );
        // A label that takes the whole line has its text below.
        let long = "a label of many words: ";
        assert_eq!(indented(30, 2, long, "one two three"), format!("  {long}one\n      two three\n"));
        // A formula that begins far to the right moves to the left.
        assert_eq!(indented(30, 28, "", "one two"), format!("{:10}one two\n", ""));
    }

    #[test]
    fn long_cells_go_on_below() {
        let text = row(50, &[4, 4, 4], &["a", "b", "c c c c", &"word ".repeat(8)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].starts_with("a     b     c c   word"), "{text}");
        assert!(lines[1].starts_with("            c c   word"), "{text}");
    }
}
