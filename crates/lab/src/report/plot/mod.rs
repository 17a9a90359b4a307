//! Figures of finished runs, drawn anew as somebody wants them.

mod files;
mod keys;
mod order;
mod styles;

pub use files::{Drawn, plot};
pub use keys::{PLOT_KEYS, PlotKey};
pub use order::{Kind, PlotOrder};
pub use styles::{complete_style, read_style};
