//! Reports: a page of text, tables and figures as one HTML file.

mod numbers;
mod page;
mod run;
mod theory;

pub use numbers::{count, duration, number, percent, signed};
pub use page::{Block, Page, Section, Table, Verdict};
pub(crate) use run::{PARTS, policy_table};
pub use run::{run_figures, run_report};
pub(crate) use theory::add_theory;
