//! Figures as Vega-Lite: the numbers that are drawn, and how to draw them.

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::figure::chart::{Axis, Chart, Mark, Series};
use crate::figure::ink::{Ink, on_white};
use crate::figure::{Figure, Scale};

impl Figure {
    /// A specification in Vega-Lite 5 with the data inside it: the numbers are those of the curves, with all digits.
    ///
    /// # Errors
    /// If the figure is not made of charts.
    pub fn vega(&self) -> Result<String> {
        let Some((_, first)) = self.charts().first() else {
            return Err(Error::input(format!(
                "the figure {:?} has no curves, so there is no Vega-Lite of it",
                self.title
            )));
        };
        let is_single = self.charts().len() == 1;
        let mut spec = json!({
            "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
            "description": self.description,
            "data": { "values": self.rows() },
        });
        if !self.look.untitled {
            spec["title"] = json!(self.title);
        }
        let layers = self.layers(first);
        if is_single {
            let size = |pixels: f64| json!(pixels.round());
            spec["width"] = size(self.width());
            spec["height"] = size(self.height());
            spec["autosize"] = json!({ "type": "fit", "contains": "padding" });
            spec["layer"] = layers;
        } else {
            let columns = self.columns();
            spec["facet"] = json!({ "field": "panel", "type": "nominal", "title": null, "sort": self.panels() });
            spec["columns"] = json!(columns);
            let width = (self.width() / columns as f64 - 30.0).max(60.0).round();
            spec["spec"] = json!({ "width": width, "height": (0.62 * width).round(), "layer": layers });
        }
        let text = serde_json::to_string_pretty(&spec).map_err(|e| Error::input(e.to_string()))?;
        Ok(text + "\n")
    }

    fn panels(&self) -> Vec<&str> {
        self.charts().iter().map(|(panel, _)| panel.as_str()).collect()
    }

    fn columns(&self) -> usize {
        self.look.columns.unwrap_or(3).clamp(1, self.charts().len().max(1))
    }

    /// A row a point.
    fn rows(&self) -> Vec<Value> {
        let mut rows = Vec::new();
        for (panel, chart) in self.charts() {
            for series in &chart.series {
                for ((x, y), interval) in chart.drawn(series) {
                    let (low, high) = interval.unzip();
                    rows.push(
                        json!({ "panel": panel, "curve": series.label, "x": x, "y": y, "low": low, "high": high }),
                    );
                }
            }
        }
        rows
    }

    /// Bands below lines below points.
    fn layers(&self, chart: &Chart) -> Value {
        let (x, y) = (axis("x", &chart.x), axis("y", &chart.y));
        let curves = self.curves();
        let names: Vec<&str> = curves.iter().map(|series| series.label.as_str()).collect();
        let colours: Vec<String> = curves.iter().map(|series| colour(series.ink)).collect();
        let color = json!({ "field": "curve", "type": "nominal", "title": null, "sort": names,
            "scale": { "domain": names, "range": colours } });
        let dashes: Vec<Vec<f64>> = curves.iter().map(|series| self.dashes(series)).collect();
        let dash = json!({ "field": "curve", "type": "nominal", "title": null, "sort": names,
            "scale": { "domain": names, "range": dashes } });
        let interval = |mark: Value| {
            let mut low = y.clone();
            low["field"] = json!("low");
            json!({ "mark": mark, "encoding": { "x": x, "y": low, "y2": { "field": "high" }, "color": color },
                "transform": [{ "filter": "isValid(datum.low) && isValid(datum.high)" }] })
        };
        let mut layers = Vec::new();
        if curves.iter().any(|series| series.band.is_some()) {
            layers.push(interval(json!({ "type": "area", "opacity": 0.15 })));
        }
        if curves.iter().any(|series| series.bars.is_some()) {
            layers.push(interval(json!({ "type": "rule" })));
        }
        if curves.iter().any(|series| series.mark != Mark::Dots) {
            layers.push(json!({ "mark": "line", "encoding": { "x": x, "y": y, "color": color, "strokeDash": dash } }));
        }
        if curves.iter().any(|series| series.mark.has_dots()) {
            layers.push(json!({ "mark": { "type": "point", "filled": true },
                "encoding": { "x": x, "y": y, "color": color } }));
        }
        json!(layers)
    }

    /// One curve of every name.
    fn curves(&self) -> Vec<&Series> {
        let mut curves: Vec<&Series> = Vec::new();
        for series in self.charts().iter().flat_map(|(_, chart)| &chart.series) {
            if curves.iter().all(|other| other.label != series.label) {
                curves.push(series);
            }
        }
        curves
    }

    fn dashes(&self, series: &Series) -> Vec<f64> {
        let stroke = self.look.stroke(series.ink);
        let stroke = if series.mark == Mark::Dashed { stroke.dashed() } else { stroke };
        let dashes: Vec<f64> = stroke.dashes().collect();
        // A line without dashes is one that goes on.
        if dashes.is_empty() { vec![1.0, 0.0] } else { dashes }
    }
}

fn axis(field: &str, axis: &Axis) -> Value {
    let scale = match axis.scale {
        Scale::Linear => json!({ "type": "linear" }),
        Scale::Log => json!({ "type": "log" }),
    };
    json!({ "field": field, "type": "quantitative", "title": axis.label, "scale": scale })
}

fn colour(ink: usize) -> String {
    let ([red, green, blue], _) = on_white(Ink::Series(ink));
    format!("#{red:02x}{green:02x}{blue:02x}")
}
