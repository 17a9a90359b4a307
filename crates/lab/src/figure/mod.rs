//! Drawing: a small SVG canvas whose colours are names, so that one body serves a file, a page in light or dark mode and
//! a PNG.

mod canvas;
mod ink;
mod picture;
mod text;

#[cfg(test)]
mod tests;

pub use canvas::{Canvas, Fill, Paint, Point, Rect, Stroke};
pub use ink::{COLOURS, Ink, page_css};
pub use picture::Figure;
pub use text::{Anchor, Text};
