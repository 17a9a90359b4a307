//! The numbers that a figure shows, as a table.

use crate::figure::Figure;

/// The columns: the chart (empty if there is one), the curve, its point, and the ends of the band or bar about it.
const HEADER: &str = "panel,curve,x,y,low,high\n";

impl Figure {
    /// What is drawn as CSV: a row a point, with all digits. Empty if the figure is not made of charts.
    pub fn csv(&self) -> String {
        let mut out = HEADER.to_owned();
        for (panel, chart) in self.charts() {
            for series in &chart.series {
                for ((x, y), interval) in chart.drawn(series) {
                    let (low, high) =
                        interval.map_or_else(Default::default, |(low, high)| (low.to_string(), high.to_string()));
                    let (panel, curve) = (field(panel), field(&series.label));
                    out.push_str(&format!("{panel},{curve},{x},{y},{low},{high}\n"));
                }
            }
        }
        out
    }
}

/// A text as a field: in quotes if it would break the row.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
