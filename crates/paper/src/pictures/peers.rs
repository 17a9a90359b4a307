//! This library beside others: mistakes against time, one point for every setting.

mod table;

use std::path::Path;

use optimist_lab::Result;
use optimist_lab::figure::{Axis, Emphasis, Figure, KeyEntry, Level, Scale, Scatter, Spot};

use table::{Place, Row};

/// The library that is seen first, and its colour, which is that of `confidence`.
const OURS: (&str, usize) = ("Optimist", 1);
/// The colours of the others in the order of the table, the one that resembles ours last.
const THEIRS: [usize; 9] = [0, 2, 3, 4, 5, 7, 8, 9, 6];

/// Draws a table whose text has been read from `path`.
///
/// # Errors
/// If a row is malformed; the error names the file, the line and the field.
pub(super) fn draw(path: &Path, text: &str) -> Result<Figure> {
    Ok(scatter(&table::read(path, text)?).draw())
}

fn scatter(rows: &[Row]) -> Scatter {
    let mut others: Vec<&str> = Vec::new();
    let (mut spots, mut levels) = (Vec::new(), Vec::new());
    for row in rows {
        match row.place {
            Place::Level => levels.push(Level { at: row.mistakes, label: row.setting.clone() }),
            Place::Point { microseconds, shown, linear } => spots.push(Spot {
                at: (microseconds, row.mistakes),
                error: row.error,
                ink: ink(&mut others, row),
                emphasis: match shown {
                    false => Emphasis::Faint,
                    true if row.library == OURS.0 => Emphasis::Strong,
                    true => Emphasis::Plain,
                },
                hollow: !linear,
                name: row.library.clone(),
                detail: row.setting.clone(),
            }),
        }
    }
    Scatter {
        title: "Mistakes and time, library by library".to_owned(),
        subtitle: "Nine public tables played as bandits; lower and further left is better. Bars that outgrow a mark are standard errors."
            .to_owned(),
        x: Axis { label: "microseconds per decision and its reward, median over games".to_owned(), scale: Scale::Log, range: None },
        y: Axis { label: "share of wrong choices, geometric mean over tables".to_owned(), ..Axis::default() },
        key: key(&spots),
        spots,
        levels,
    }
}

/// The colour of a library: others get theirs when they come up for the first time.
fn ink<'a>(others: &mut Vec<&'a str>, row: &'a Row) -> usize {
    if row.library == OURS.0 {
        return OURS.1;
    }
    let known = others.iter().position(|name| *name == row.library);
    let number = known.unwrap_or(others.len());
    if known.is_none() {
        others.push(&row.library);
    }
    THEIRS[number % THEIRS.len()]
}

/// What the marks that occur mean.
fn key(spots: &[Spot]) -> Vec<KeyEntry> {
    let is_faint = |spot: &Spot| spot.emphasis == Emphasis::Faint;
    let entries = [
        (spots.iter().any(|spot| !spot.hollow), Emphasis::Plain, false, "linear model"),
        (spots.iter().any(|spot| spot.hollow), Emphasis::Plain, true, "not linear"),
        (spots.iter().any(is_faint), Emphasis::Faint, false, "small: other settings of Optimist"),
    ];
    let present = entries.into_iter().filter(|entry| entry.0);
    present.map(|(_, emphasis, hollow, text)| KeyEntry { emphasis, hollow, text: text.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "library,setting,shown,mistakes,error,microseconds,linear\n\
        Vowpal Wabbit,--cb_explore_adf,true,0.2,0.01,30,true\n\
        Vowpal Wabbit,--bag 5,false,0.25,0.01,80,true\n\
        Optimist,bayes-ucb,true,0.18,0.005,5,true\n\
        Optimist,greedy,false,0.22,,4,true\n\
        contextualbandits,\"BootstrappedUCB, forest\",true,0.21,0.01,9000,false\n\
        skyline,all labels known,,0.12,,,\n";

    fn path() -> &'static Path {
        Path::new("peers.csv")
    }

    #[test]
    fn every_row_is_a_point_or_a_line() {
        let Scatter { spots, levels, key, .. } = scatter(&table::read(path(), TABLE).unwrap());
        let looks: Vec<_> = spots.iter().map(|s| (s.ink, s.emphasis, s.hollow)).collect();
        assert_eq!(
            looks,
            [
                (0, Emphasis::Plain, false),
                (0, Emphasis::Faint, false),
                (1, Emphasis::Strong, false),
                (1, Emphasis::Faint, false),
                (2, Emphasis::Plain, true),
            ]
        );
        assert_eq!((spots[0].at, spots[0].error, spots[3].error), ((30.0, 0.2), 0.01, 0.0));
        assert_eq!(levels, [Level { at: 0.12, label: "all labels known".to_owned() }]);
        assert_eq!(key.len(), 3);
        let linear = TABLE.replace("false\n", "true\n");
        let key = scatter(&table::read(path(), &linear).unwrap()).key;
        assert!(key.iter().all(|entry| !entry.hollow), "what does not occur needs no words");
    }

    #[test]
    fn settings_that_are_shown_are_named_and_the_others_are_not() {
        let svg = draw(path(), TABLE).unwrap().standalone();
        for name in
            ["Vowpal Wabbit<", "--cb_explore_adf<", "bayes-ucb<", "BootstrappedUCB, forest<", "all labels known<"]
        {
            assert!(svg.contains(name), "{name}");
        }
        assert!(!svg.contains("--bag 5") && !svg.contains("greedy"));
        assert!(svg.contains("Optimist, bayes-ucb: 0.18 at 5."), "the words for readers who cannot see it");
    }

    #[test]
    fn a_malformed_table_is_no_picture() {
        let error = draw(path(), &TABLE.replace("0.18", "18%")).unwrap_err().to_string();
        assert_eq!(error, "peers.csv, line 4: mistakes is \"18%\": a number from 0 to 1 is needed");
    }
}
