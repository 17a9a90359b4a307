//! The table of the comparison, as `make bench-peers` writes it.

use std::path::Path;

use csv::{ReaderBuilder, StringRecord, Trim};
use optimist_lab::{Error, Result};

const COLUMNS: [&str; 7] = ["library", "setting", "shown", "mistakes", "error", "microseconds", "linear"];

/// The library whose rows are what could be reached, and not what somebody reached.
const SKYLINE: &str = "skyline";

/// A setting of a library, and how it did.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) library: String,
    pub(super) setting: String,
    /// The share of wrong choices.
    pub(super) mistakes: f64,
    /// Its standard error; zero if there is none.
    pub(super) error: f64,
    pub(super) place: Place,
}

/// Where a row is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Place {
    /// As a line across: it takes no time.
    Level,
    /// As a point.
    Point {
        /// Per decision and its reward.
        microseconds: f64,
        /// Whether the tables of the documentation have it.
        shown: bool,
        /// Whether its model is linear.
        linear: bool,
    },
}

/// The rows of a table.
///
/// # Errors
/// If there are no points, a field is missing or not what it must be, or no row of a library is shown, so that nothing says
/// what its colour means.
pub(super) fn read(path: &Path, text: &str) -> Result<Vec<Row>> {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for (i, record) in reader.records().enumerate() {
        let record = record.map_err(|e| Error::input(format!("{}: {e}", path.display())))?;
        let line = Line { path, record: &record };
        match i {
            0 => line.header()?,
            _ => rows.push(line.row()?),
        }
    }
    let refused = |why: String| Err(Error::input(format!("{}: {why}", path.display())));
    let points = || rows.iter().filter(|row| row.place != Place::Level);
    let is_shown = |row: &Row| matches!(row.place, Place::Point { shown: true, .. });
    if points().next().is_none() {
        return refused("it has no rows with microseconds, at least one is needed".to_owned());
    }
    match points().find(|row| !points().any(|other| other.library == row.library && is_shown(other))) {
        Some(Row { library, .. }) => refused(format!("no row of {library} has shown = true, at least one is needed")),
        None => Ok(rows),
    }
}

/// A line of the file, of which errors tell.
struct Line<'a> {
    path: &'a Path,
    record: &'a StringRecord,
}

impl Line<'_> {
    fn header(&self) -> Result<()> {
        if self.record.iter().eq(COLUMNS) {
            return Ok(());
        }
        let found = self.record.iter().collect::<Vec<_>>().join(",");
        Err(self.wrong(&format!("the header is \"{found}\": \"{}\" is needed", COLUMNS.join(","))))
    }

    fn row(&self) -> Result<Row> {
        if let Some(extra) = self.record.get(COLUMNS.len()) {
            return Err(self.wrong(&format!("\"{extra}\" comes after {}, the last field", COLUMNS[COLUMNS.len() - 1])));
        }
        let library = self.field("library")?;
        if library.is_empty() {
            return Err(self.refused("library", "a name"));
        }
        let setting = self.field("setting")?.to_owned();
        let mistakes = self.number("mistakes", "a number from 0 to 1", |v| (0.0..=1.0).contains(&v))?;
        let error = match self.field("error")? {
            "" => 0.0,
            _ => self.number("error", "a number from 0 to 1 or nothing", |v| (0.0..=1.0).contains(&v))?,
        };
        let place = if library == SKYLINE { self.level()? } else { self.point()? };
        Ok(Row { library: library.to_owned(), setting, mistakes, error, place })
    }

    fn level(&self) -> Result<Place> {
        match self.field("microseconds")? {
            "" => Ok(Place::Level),
            _ => Err(self.refused("microseconds", &format!("nothing, as the library is {SKYLINE},"))),
        }
    }

    fn point(&self) -> Result<Place> {
        // What is smaller or larger is a mistake of units.
        let possible = |v: f64| (1e-6..=1e12).contains(&v);
        Ok(Place::Point {
            shown: self.truth("shown")?,
            microseconds: self.number("microseconds", "a number from 1e-6 to 1e12", possible)?,
            linear: self.truth("linear")?,
        })
    }

    fn field(&self, name: &str) -> Result<&str> {
        let field = COLUMNS.iter().position(|column| *column == name).and_then(|i| self.record.get(i));
        field.ok_or_else(|| self.wrong(&format!("{name} is missing: {} fields are needed", COLUMNS.len())))
    }

    fn number(&self, name: &str, needed: &str, possible: impl Fn(f64) -> bool) -> Result<f64> {
        let value = self.field(name)?.parse().ok().filter(|value| possible(*value));
        value.ok_or_else(|| self.refused(name, needed))
    }

    fn truth(&self, name: &str) -> Result<bool> {
        self.field(name)?.parse().map_err(|_| self.refused(name, "true or false"))
    }

    fn refused(&self, name: &str, needed: &str) -> Error {
        let value = self.field(name).unwrap_or_default();
        self.wrong(&format!("{name} is \"{value}\": {needed} is needed"))
    }

    fn wrong(&self, why: &str) -> Error {
        let line = self.record.position().map_or(0, csv::Position::line);
        Error::input(format!("{}, line {line}: {why}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "library,setting,shown,mistakes,error,microseconds,linear";
    const GOOD: &str = "river,defaults,true,0.3,0.01,400,true";

    fn rows(lines: &[&str]) -> Result<Vec<Row>> {
        read(Path::new("peers.csv"), &lines.join("\n"))
    }

    fn refusal(lines: &[&str]) -> String {
        rows(lines).unwrap_err().to_string()
    }

    #[test]
    fn rows_are_read() {
        let rows = rows(&[HEADER, GOOD, "", "skyline,\"all, known\",,0.1,,,"]).unwrap();
        let place = Place::Point { microseconds: 400.0, shown: true, linear: true };
        let row = |library: &str, setting: &str, mistakes, error, place| Row {
            library: library.to_owned(),
            setting: setting.to_owned(),
            mistakes,
            error,
            place,
        };
        let expected =
            [row("river", "defaults", 0.3, 0.01, place), row("skyline", "all, known", 0.1, 0.0, Place::Level)];
        assert_eq!(rows, expected);
    }

    #[test]
    fn a_malformed_row_is_refused_with_its_line_and_field() {
        let cases = [
            (",b,true,0.3,0.01,400,true", "library is \"\": a name"),
            ("a,b,yes,0.3,0.01,400,true", "shown is \"yes\": true or false"),
            ("a,b,true,1.3,0.01,400,true", "mistakes is \"1.3\": a number from 0 to 1"),
            ("a,b,true,,0.01,400,true", "mistakes is \"\": a number from 0 to 1"),
            ("a,b,true,NaN,0.01,400,true", "mistakes is \"NaN\": a number from 0 to 1"),
            ("a,b,true,0.3,-1,400,true", "error is \"-1\": a number from 0 to 1 or nothing"),
            ("a,b,true,0.3,0.01,,true", "microseconds is \"\": a number from 1e-6 to 1e12"),
            ("a,b,true,0.3,0.01,0,true", "microseconds is \"0\": a number from 1e-6 to 1e12"),
            ("a,b,true,0.3,0.01,400,1", "linear is \"1\": true or false"),
            ("a,b,true,0.3,0.01,400", "linear is missing: 7 fields are needed"),
            ("a,b,true,0.3,0.01,400,true,x", "\"x\" comes after linear, the last field"),
            ("skyline,b,,0.3,,7,", "microseconds is \"7\": nothing, as the library is skyline,"),
        ];
        for (row, why) in cases {
            let error = refusal(&[HEADER, GOOD, row]);
            assert!(error.starts_with(&format!("peers.csv, line 3: {why}")) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn tables_without_names_for_columns_or_colours_are_refused() {
        let error = refusal(&["library,setting", GOOD]);
        assert!(error.contains("line 1") && error.contains("\"library,setting\"") && error.contains(HEADER), "{error}");
        for table in [&[][..], &[HEADER], &[HEADER, "skyline,b,,0.3,,,"]] {
            assert!(refusal(table).contains("no rows with microseconds"), "{table:?}");
        }
        let error = refusal(&[HEADER, GOOD, "coba,vw,false,0.3,0.01,400,true"]);
        assert!(error.contains("no row of coba has shown = true"), "{error}");
    }
}
