//! Reports: a page of text, tables and figures as one HTML file.

mod builds;
mod cost;
mod differences;
mod figures;
mod forecast;
mod numbers;
mod page;
mod plot;
mod publish;
mod run;
mod theory;

pub use builds::{build_names, several_builds};
pub use cost::cost_table;
pub use figures::publish_page;
pub use forecast::{forecast, rough_duration};
pub use numbers::{count, duration, number, percent};
pub use page::{Block, Page, Section, Table, Verdict};
pub use plot::{Drawn, Kind, PLOT_KEYS, PlotKey, PlotOrder, complete_style, plot, read_style};
pub use publish::{publish, publish_data, publish_unfinished, summary_json};
pub use run::{PARTS, policy_table};
pub use theory::add_theory;
