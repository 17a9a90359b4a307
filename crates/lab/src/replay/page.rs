//! Results as a figure and a page.

use super::entry::{Entry, mean};
use crate::figure::{Axis, Chart, Figure, Guide, Mark, Scale, Series};
use crate::report::{Block, Page, Section, Table, count, duration, number, percent};

/// What a page says beside the entries.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// What was replayed.
    pub title: String,
    /// What it is about, a paragraph each.
    pub lead: Vec<String>,
    /// A value to compare with, and what it is: a share of mistakes for labels, a mean reward for a log.
    pub yardstick: Option<(f64, String)>,
    /// Columns with what they were read as, and why.
    pub schema: Vec<[String; 3]>,
    /// What was run: names and values.
    pub facts: Vec<(String, String)>,
    /// Whether the rows have no labels.
    pub is_log: bool,
}

/// Rounds before which a share of mistakes is chance.
const FIRST: usize = 10;

/// Learning curves: the share of mistakes so far, or the estimated mean reward so far.
pub fn figure(entries: &[Entry], shown: &Shown) -> Figure {
    let orders = entries.iter().map(|entry| entry.orders).max().unwrap_or(0);
    let subtitle = match (shown.is_log, orders) {
        (true, _) => "Estimated from the log, before each row was learnt".to_owned(),
        (false, 0 | 1) => "One random order of the rows".to_owned(),
        (false, orders) => format!("Mean over {orders} random orders of the rows, and its standard error"),
    };
    let y = if shown.is_log { "mean reward so far" } else { "share of mistakes so far" };
    let guides = shown.yardstick.iter().map(|(at, label)| Guide::Horizontal { at: *at, label: label.clone() });
    let chart = Chart {
        title: shown.title.clone(),
        subtitle,
        x: Axis { label: "round".into(), scale: Scale::Log, range: None },
        y: Axis { label: y.into(), scale: Scale::Linear, range: shown.is_log.then(|| range(entries, shown)) },
        series: entries.iter().enumerate().map(|(ink, entry)| series(ink, entry, shown.is_log)).collect(),
        guides: guides.collect(),
    };
    chart.draw()
}

/// The value that a curve shows at a point.
fn shown_at(point: &super::Progressed, is_log: bool) -> f64 {
    let sum = if is_log { point.reward } else { point.mistakes.unwrap_or(0) as f64 };
    sum / point.round as f64
}

fn series(ink: usize, entry: &Entry, is_log: bool) -> Series {
    let (mut points, mut band) = (Vec::new(), Vec::new());
    let longest = entry.courses.iter().map(|course| course.curve.len()).min().unwrap_or(0);
    for i in 0..longest {
        let round = entry.courses[0].curve[i].round;
        // Early estimates from a log are wild.
        let first = if is_log { FIRST.max(entry.rounds / 50) } else { FIRST };
        if round < first.min(entry.rounds) {
            continue;
        }
        let values: Vec<f64> = entry.courses.iter().map(|course| shown_at(&course.curve[i], is_log)).collect();
        let (mean, error) = mean(values.into_iter());
        points.push((round as f64, mean));
        let error = error.unwrap_or(0.0);
        band.push((mean - error, mean + error));
    }
    let band = (entry.orders > 1).then_some(band);
    let mark = if entry.policy == "uniform" { Mark::Dashed } else { Mark::Line };
    Series { label: entry.label(), ink, points, band, bars: None, mark }
}

/// Where estimates have settled: early ones are wild, and would leave the rest of the axis empty.
fn range(entries: &[Entry], shown: &Shown) -> (f64, f64) {
    let late = entries.iter().flat_map(|entry| {
        let points = entry.courses.iter().flat_map(|course| &course.curve);
        points.filter(move |point| 10 * point.round >= entry.rounds).map(|point| shown_at(point, true))
    });
    let values = late.chain(shown.yardstick.iter().map(|(value, _)| *value)).filter(|value| value.is_finite());
    let (low, high) = values.fold((1.0f64, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
    let room = 0.1 * (high - low).max(0.02);
    ((low - room).max(0.0), high + room)
}

/// The page: figure, table, columns.
pub fn page(entries: &[Entry], shown: &Shown) -> Page {
    let mut results = Section::new("Results");
    if !entries.is_empty() {
        let caption = match shown.is_log {
            true => {
                "What each candidate would have earned per decision, estimated as it goes through the log as an apprentice: \
                 before every row it says what it would do, then it learns what was done and what came of it."
            }
            false => {
                "Every row is a decision: the candidate chooses a class, learns whether it was right, and nothing else. The \
                 lower, the better; a curve that still falls is still learning."
            }
        };
        results.figure(figure(entries, shown), "learning-curves", caption);
        results.blocks.push(Block::Table(if shown.is_log { log_table(entries) } else { label_table(entries) }));
        for entry in entries {
            let concerns = entry.log.iter().flat_map(|log| &log.concerns).chain(&entry.note);
            concerns.for_each(|concern| results.text(format!("{}: {concern}.", entry.label())));
        }
    }
    let mut columns = Section::new("Columns");
    columns.text("What the columns were read as, and why. `--number`, `--category`, `--text`, `--time`, `--hashed` and `--ignore` overrule it.");
    columns.blocks.push(Block::Table(Table {
        caption: "Columns".into(),
        columns: ["column", "read as", "why"].map(str::to_owned).to_vec(),
        rows: shown.schema.iter().map(|row| row.to_vec()).collect(),
    }));
    let sections = if shown.schema.is_empty() { vec![results] } else { vec![results, columns] };
    Page { title: shown.title.clone(), lead: shown.lead.clone(), facts: shown.facts.clone(), sections }
}

fn per_decision(entry: &Entry) -> String {
    duration(entry.seconds / entry.rounds.max(1) as f64)
}

fn label_table(entries: &[Entry]) -> Table {
    let row = |entry: &Entry| {
        let mistakes = entry.mistakes.unwrap_or(f64::NAN);
        let error = entry.mistakes_error.map_or_else(|| "-".to_owned(), number);
        let share = percent(mistakes / entry.rounds.max(1) as f64);
        let (rounds, orders) = (count(entry.rounds as u64), entry.orders.to_string());
        vec![entry.label(), rounds, orders, number(mistakes), error, share, per_decision(entry)]
    };
    let columns = ["candidate", "rounds", "orders", "mistakes", "standard error", "share", "time per decision"];
    Table {
        caption: "Mistakes per order, the mean over orders".into(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: entries.iter().map(row).collect(),
    }
}

fn log_table(entries: &[Entry]) -> Table {
    let dash = || "-".to_owned();
    let mut rows = Vec::new();
    for entry in entries {
        let Some(log) = &entry.log else { continue };
        if log.estimates.is_empty() {
            rows.push([entry.label(), log.verdict.to_string(), dash(), dash(), dash(), dash()].to_vec());
        }
        for estimate in &log.estimates {
            rows.push(vec![
                entry.label(),
                estimate.method.name().to_owned(),
                format!("{:.4}", estimate.value),
                estimate.standard_error.map_or_else(dash, |error| format!("{error:.4}")),
                estimate.asymptotic.map_or_else(dash, |interval| interval.to_string()),
                estimate.always_valid.map_or_else(dash, |interval| interval.to_string()),
            ]);
        }
    }
    let columns =
        ["candidate", "estimate", "mean reward", "standard error", "asymptotic interval", "always-valid interval"];
    Table { caption: "Mean reward per decision".into(), columns: columns.map(str::to_owned).to_vec(), rows }
}
