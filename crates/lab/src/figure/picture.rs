//! A finished figure, as a file, as a part of a page, or as a bitmap.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, Tree, fontdb};

use super::canvas::{Canvas, number};
use super::ink::standalone_css;
use super::text::escape;
use crate::error::{Error, Result};

/// Stands before every id of a body until it is known what the ids are to begin with. Text cannot contain it, because
/// XML forbids it and `escape` drops it.
pub(super) const PREFIX: char = '\u{1}';

/// The largest side of a bitmap, in pixels.
const LARGEST: f64 = 16_384.0;

/// A drawing with its name and with words for readers who cannot see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What it is called.
    pub title: String,
    /// What it shows, in words.
    pub description: String,
    width: f64,
    height: f64,
    body: String,
    names: Vec<Name>,
}

/// What something in a figure is called, with a small drawing of how it looks there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Name {
    pub(super) label: String,
    pub(super) sample: Figure,
}

impl Name {
    /// A name whose sample is drawn on a sheet of [`SAMPLE`].
    pub(super) fn new(label: &str, draw: impl FnOnce(&mut Canvas)) -> Self {
        let mut canvas = Canvas::new(SAMPLE.0, SAMPLE.1);
        draw(&mut canvas);
        Self { label: label.to_owned(), sample: canvas.finish(label, "") }
    }
}

/// Width and height of the sample of a name.
pub(super) const SAMPLE: (f64, f64) = (28.0, 12.0);

impl Figure {
    pub(super) fn new(title: String, description: String, width: f64, height: f64, body: String) -> Self {
        Self { title, description, width, height, body, names: Vec::new() }
    }

    /// The same figure, which knows what its curves are called.
    pub(super) fn named(self, names: Vec<Name>) -> Self {
        Self { names, ..self }
    }

    /// Its width in pixels.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Its height in pixels.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// A complete SVG file on white.
    pub fn standalone(&self) -> String {
        let (width, height) = (number(self.width), number(self.height));
        format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-labelledby="title description">
{}<style>
{}</style>
<rect class="f-paper" width="{width}" height="{height}"/>
{}</svg>
"#,
            self.words(""),
            standalone_css(),
            self.body.replace(PREFIX, "")
        )
    }

    /// The figure as a part of an HTML page that includes `page_css`: it has no background and no
    /// colours of its own, and shrinks with the page. Figures with different prefixes can share a page; a prefix keeps
    /// its letters, digits, `-` and `_`.
    pub fn inline(&self, id_prefix: &str) -> String {
        let prefix: String =
            id_prefix.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
        let prefix = format!("{prefix}-");
        let (width, height) = (number(self.width), number(self.height));
        format!(
            r#"<svg class="figure" viewBox="0 0 {width} {height}" width="100%" style="max-width:{width}px" role="img" aria-labelledby="{prefix}title {prefix}description">
{}{}</svg>
"#,
            self.words(&prefix),
            self.body.replace(PREFIX, &prefix)
        )
    }

    /// What curves are called, each with a sample, as a list for pages on which a figure is too wide to be seen whole. It
    /// says nothing that the figure does not, so that readers who cannot see are not told twice.
    pub(crate) fn names_html(&self, id_prefix: &str) -> String {
        let (width, height) = SAMPLE;
        let entry = |(i, Name { label, sample }): (usize, &Name)| {
            let body = sample.body.replace(PREFIX, &format!("{id_prefix}-name-{i}-"));
            let label = escape(label);
            format!(
                "<li><svg class=\"figure\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n{body}</svg>{label}</li>\n"
            )
        };
        if self.names.is_empty() {
            return String::new();
        }
        let entries: String = self.names.iter().enumerate().map(entry).collect();
        format!("<ul class=\"names\" aria-hidden=\"true\">\n{entries}</ul>\n")
    }

    fn words(&self, prefix: &str) -> String {
        let (title, description) = (escape(&self.title), escape(&self.description));
        format!("<title id=\"{prefix}title\">{title}</title>\n<desc id=\"{prefix}description\">{description}</desc>\n")
    }

    /// A bitmap on white, `scale` times as large as the figure. Its letters come with the program, so it looks the same
    /// everywhere.
    ///
    /// # Errors
    /// If the scale is not positive or the bitmap would be larger than 16384 pixels.
    pub fn png(&self, scale: f64) -> Result<Vec<u8>> {
        let (width, height) = ((scale * self.width).round(), (scale * self.height).round());
        let fits = |side: f64| (1.0..=LARGEST).contains(&side);
        if !(fits(width) && fits(height)) {
            return Err(Error::input(format!(
                "scale = {scale} makes a bitmap of {width} x {height} pixels: both sides must be from 1 to {LARGEST}"
            )));
        }
        let tree = self.tree()?;
        let mut pixmap = Pixmap::new(width as u32, height as u32).ok_or_else(|| self.failure(&"it is too large"))?;
        let (sx, sy) = (width / self.width, height / self.height);
        resvg::render(&tree, Transform::from_scale(sx as f32, sy as f32), &mut pixmap.as_mut());
        pixmap.encode_png().map_err(|e| self.failure(&e))
    }

    /// The file as the renderer understands it.
    pub(super) fn tree(&self) -> Result<Tree> {
        let options = usvg::Options {
            fontdb: Arc::clone(&FONTS),
            font_family: "DejaVu Sans".to_owned(),
            ..usvg::Options::default()
        };
        Tree::from_str(&self.standalone(), &options).map_err(|e| self.failure(&e))
    }

    fn failure(&self, why: &dyn std::fmt::Display) -> Error {
        Error::input(format!("the figure {:?} has no PNG: {why}", self.title))
    }
}

/// The two faces that figures use.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    for face in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(face)));
    }
    fonts.set_sans_serif_family("DejaVu Sans");
    Arc::new(fonts)
});
