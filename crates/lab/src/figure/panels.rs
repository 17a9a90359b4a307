//! Charts of one kind side by side, on axes that they share.

use super::chart::{Chart, numbers_width};
use super::frame::{Heading, Numbered, Plot, draw_grid, draw_names};
use super::legend;
use super::placement::shortened;
use super::{Anchor, Canvas, Figure, Legend, Look, Rect, Text};
use crate::error::{Error, Result};

/// What is drawn: a chart a panel. Titles and names of axes are those of the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    /// What the figure is called.
    pub title: String,
    /// A line of smaller text below the title; may be empty.
    pub subtitle: String,
    /// The charts by name.
    pub charts: Vec<(String, Chart)>,
}

/// No panel is narrower than this if another row can help, and more do not stand side by side.
const NARROW: f64 = 170.0;
const MOST_COLUMNS: usize = 4;
/// A panel that was asked for and is narrower than this has no room for its numbers.
const NARROWEST: f64 = 50.0;
/// Height of a panel's name.
const NAME: f64 = 20.0;

impl Panels {
    /// The figure.
    ///
    /// # Errors
    /// If there is no chart, or the sheet is too small for its letters.
    pub fn draw_as(&self, look: &Look) -> Result<Figure> {
        look.check_width()?;
        let Some((_, first)) = self.charts.first() else {
            return Err(Error::input("panels: there is nothing to draw"));
        };
        // All curves on one chart, which is what shared axes are those of.
        let mut together = first.clone();
        together.series = self.charts.iter().flat_map(|(_, chart)| chart.series.clone()).collect();
        let (x, y) = together.spans();
        let ticks = || together.x_ticks(&x);
        let key = self.key();

        let (width, margin, tick) = (look.sheet_width(), look.margin(), look.sizes().tick);
        let heading = Heading::new(&self.title, &self.subtitle, look);
        let head = heading.bottom();
        let top = head + if first.y.label.is_empty() { 0.0 } else { 20.0 };
        let left = margin + numbers_width(&y, look) + 8.0;
        let legend = look.legend.unwrap_or(Legend::Outside);
        let names = if legend == Legend::Direct { key.end_labels(look) } else { Vec::new() };
        let half = |label: Option<Text>| label.map_or(0.0, |label| 0.5 * label.size(tick).width());
        let labels: Vec<Option<Text>> = ticks().into_iter().map(|tick| tick.label).filter(Option::is_some).collect();
        let (begin, end) = (half(labels.first().cloned().flatten()), half(labels.last().cloned().flatten()));
        let right = names.iter().map(|name| name.width() + 24.0).fold(end.max(6.0), f64::max) + margin;
        let gap = begin + end + 8.0;
        let room = width - left - right;
        let columns = self.columns(look, room, gap);
        let panel = (room + gap) / columns as f64 - gap;
        if panel < NARROWEST {
            return Err(Error::input(format!(
                "columns is {columns}: a panel would be too narrow for its numbers; give fewer columns, a larger width or a \
                 smaller font-size"
            )));
        }
        let rows = self.charts.len().div_ceil(columns);
        let below = 26.0 + if first.x.label.is_empty() { 0.0 } else { 22.0 };
        let entries = if legend == Legend::Outside { legend::below(&key.series, look) } else { Vec::new() };
        let legend_height = entries.last().map_or(0.0, |((_, y), _)| 18.0 + y + 6.0);
        let rest = top + below + legend_height + look.foot() + NAME * rows as f64 + 12.0 * (rows - 1) as f64;
        let height = match look.sheet_height() {
            Some(height) => (height - rest) / rows as f64,
            None => (0.75 * panel).max(super::look::LOWEST),
        };
        look.check_height(height)?;

        let area = |i: usize| {
            let (row, column) = (i / columns, i % columns);
            let (x, y) = (left + (panel + gap) * column as f64, top + NAME + (NAME + height + 12.0) * row as f64);
            Rect::new(x, y, panel, height)
        };
        let bottom = area(columns * rows - 1).bottom();
        let mut canvas = Canvas::new(width, bottom + below + legend_height + look.foot());
        heading.draw(&mut canvas);
        for (i, (name, chart)) in self.charts.iter().enumerate() {
            let plot = Plot { area: area(i), x, y };
            // The last panel of a column has the numbers, also if the last row is not full.
            let at = Numbered { left: i % columns == 0, below: i + columns >= self.charts.len() };
            draw_grid(&mut canvas, &plot, ticks(), at, look);
            let words = |t: String| Text::new(t).size(look.sizes().label).anchor(Anchor::Middle);
            canvas.text((plot.area.x + 0.5 * panel, plot.area.y - 6.0), &shortened(name, panel + gap - 4.0, words));
            chart.draw_data(&mut canvas, &plot, look);
            let is_last = i % columns == columns - 1 || i == self.charts.len() - 1;
            if legend == Legend::Direct && is_last {
                chart.draw_end_labels(&mut canvas, &plot, &chart.end_labels(look));
            }
            if legend == Legend::Inside && i == 0 {
                legend::inside(&mut canvas, &plot, &key.series, look);
            }
        }
        let whole = Rect::new(left, bottom - height, room, height);
        draw_names(&mut canvas, whole, head, (&first.x.label, &first.y.label), look);
        for ((x, y), series) in entries {
            legend::entry(&mut canvas, (x, bottom + below + 18.0 + y), series, look);
        }
        Ok(look.finish(canvas, &self.title, self.description()).of(self.charts.clone()))
    }

    fn columns(&self, look: &Look, room: f64, gap: f64) -> usize {
        let most = self.charts.len().max(1);
        let fitting = ((room + gap) / (NARROW + gap)).floor() as usize;
        look.columns.unwrap_or_else(|| fitting.clamp(1, MOST_COLUMNS)).clamp(1, most)
    }

    /// One curve of every name, for the legend.
    fn key(&self) -> Chart {
        let mut key = Chart { series: Vec::new(), ..self.charts[0].1.clone() };
        for series in self.charts.iter().flat_map(|(_, chart)| &chart.series) {
            if key.series.iter().all(|other| other.label != series.label) {
                key.series.push(series.clone());
            }
        }
        key
    }

    fn description(&self) -> String {
        let panels = self.charts.iter().map(|(name, chart)| format!(" {name}: {}", chart.description()));
        format!("{}. {}.{}", self.title, self.subtitle, panels.collect::<String>())
    }
}
