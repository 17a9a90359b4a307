//! Style files: the keys of figures as TOML.

use std::fmt::Write as _;

use toml::{Table, Value};

use super::keys::PLOT_KEYS;
use super::order::PlotOrder;
use crate::error::{Error, Result};

/// Sets all keys of a style file.
///
/// # Errors
/// If it is not TOML, or as [`PlotOrder::set`].
pub fn read_style(text: &str, order: &mut PlotOrder) -> Result<()> {
    let table: Table = text.parse().map_err(|e: toml::de::Error| {
        let line = e.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        Error::input(format!("line {line}: {}", e.message().replace('\n', " ")))
    })?;
    for (key, value) in &table {
        order.set(key, &values(key, value)?)?;
    }
    Ok(())
}

/// The values of a key as options have them.
fn values(key: &str, value: &Value) -> Result<Vec<String>> {
    match value {
        Value::Array(items) => items.iter().map(|item| word(key, item)).collect(),
        Value::Table(table) => table.iter().map(|(name, item)| Ok(format!("{name}={}", word(key, item)?))).collect(),
        single => Ok(vec![word(key, single)?]),
    }
}

fn word(key: &str, value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(on) => Ok(on.to_string()),
        other => Err(Error::input(format!("{key} has {other}: give a text, a number, true or false"))),
    }
}

/// A style file with every key. What is not a default is an example, and commented out.
pub fn complete_style() -> String {
    let mut out =
        String::from("# A style for `optimist plot DIR --style FILE`. Options on the command line outdo it.\n");
    for key in PLOT_KEYS {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "\n# {}.", key.help.trim_end_matches('.'));
        for (name, meaning) in key.choices {
            let _ = writeln!(out, "#   {name}: {meaning}");
        }
        let _ = writeln!(out, "{}{} = {}", if key.is_default { "" } else { "# " }, key.name, key.example);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Band, Format, Legend};

    #[test]
    fn a_style_file_sets_what_options_set() {
        let mut order = PlotOrder::default();
        let text = "band = \"bootstrap\"\nfont-size = \"8pt\"\nformat = [\"pdf\", \"csv\"]\npanels = true\ndpi = 600\n\
                    legend = \"inside\"\n[label]\noptimist = \"Ours\"\n";
        read_style(text, &mut order).unwrap();
        assert_eq!((order.style.band, order.dpi, order.panels), (Band::Bootstrap, Some(600.0), true));
        assert_eq!(
            (order.formats.as_slice(), order.style.look.legend),
            (&[Format::Pdf, Format::Csv][..], Some(Legend::Inside))
        );
        let mut same = PlotOrder::default();
        for (key, values) in [
            ("band", vec!["bootstrap"]),
            ("font_size", vec!["8pt"]),
            ("format", vec!["pdf", "csv"]),
            ("panels", vec!["true"]),
            ("dpi", vec!["600"]),
            ("legend", vec!["inside"]),
            ("label", vec!["optimist=Ours"]),
        ] {
            same.set(key, &values.into_iter().map(str::to_owned).collect::<Vec<_>>()).unwrap();
        }
        assert_eq!(order, same);
    }

    #[test]
    fn the_complete_style_is_the_default_and_every_example_is_allowed() {
        let complete = complete_style();
        let mut order = PlotOrder::default();
        read_style(&complete, &mut order).unwrap();
        assert_eq!(order, PlotOrder::default());
        for key in PLOT_KEYS.iter().filter(|key| key.name != "font-file") {
            assert!(complete.contains(&format!("{} = {}\n", key.name, key.example)), "{}", key.name);
            read_style(&format!("{} = {}", key.name, key.example), &mut order).unwrap();
        }
        assert_ne!(order, PlotOrder::default());
    }

    #[test]
    fn what_is_wrong_is_named_with_the_remedy() {
        for (text, words) in [
            ("fontsize = \"8pt\"", "did you mean \"font-size\"?"),
            ("band = \"stderror\"", "band is \"stderror\": did you mean \"stderr\"?"),
            ("width = 85", "width is \"85\": give a number with a unit"),
            ("width = \"-3in\"", "above zero"),
            ("dpi = 0", "from 1 to 10000"),
            ("panels = 3", "true or false"),
            ("columns = 0", "1 or more"),
            ("format = []", "format has no value"),
            ("band = [\"std\", \"none\"]", "band has 2 values: give one"),
            ("label = \"optimist\"", "NAME=LABEL"),
            ("font-file = \"/no/such.ttf\"", "cannot be read"),
            ("title = 1979-05-27", "give a text"),
            ("band = ", "line 1"),
        ] {
            let error = read_style(text, &mut PlotOrder::default()).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{text}: {error}");
        }
    }
}
