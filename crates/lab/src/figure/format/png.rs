//! Figures as bitmaps.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, Tree, fontdb};

use crate::error::{Error, Result};
use crate::figure::Figure;

/// The largest side of a bitmap, in pixels.
const LARGEST: f64 = 16_384.0;

impl Figure {
    /// A bitmap on white, `scale` times as large as the figure. Its letters come with the program, so it looks the same
    /// everywhere.
    ///
    /// # Errors
    /// If the scale is not positive or the bitmap would be larger than 16384 pixels.
    pub fn png(&self, scale: f64) -> Result<Vec<u8>> {
        let (width, height) = ((scale * self.width()).round(), (scale * self.height()).round());
        let fits = |side: f64| (1.0..=LARGEST).contains(&side);
        if !(fits(width) && fits(height)) {
            return Err(Error::input(format!(
                "scale = {scale} makes a bitmap of {width} x {height} pixels: both sides must be from 1 to {LARGEST}"
            )));
        }
        let tree = self.tree()?;
        let mut pixmap = Pixmap::new(width as u32, height as u32).ok_or_else(|| self.failure(&"it is too large"))?;
        let (sx, sy) = (width / self.width(), height / self.height());
        resvg::render(&tree, Transform::from_scale(sx as f32, sy as f32), &mut pixmap.as_mut());
        pixmap.encode_png().map_err(|e| self.failure(&e))
    }

    /// A bitmap for print: so many pixels an inch, which the file says, so that it has its size on paper.
    ///
    /// # Errors
    /// As [`png`](Self::png).
    pub fn png_for_print(&self, dots_per_inch: f64) -> Result<Vec<u8>> {
        let mut bytes = self.png(dots_per_inch / 96.0).map_err(|_| {
            let (width, height) = (self.width() / 96.0, self.height() / 96.0);
            Error::input(format!(
                "dpi is {dots_per_inch}: for {width:.2} x {height:.2} inches, give a number with which both sides have 1 to \
                 {LARGEST} pixels"
            ))
        })?;
        // Behind the signature (8 bytes) and the header (25 bytes).
        bytes.splice(33..33, density(dots_per_inch));
        Ok(bytes)
    }

    /// The file as the renderer understands it.
    pub(in crate::figure) fn tree(&self) -> Result<Tree> {
        let fonts = match self.look.font.data() {
            None => Arc::clone(&FONTS),
            Some(data) => {
                let mut fonts = fontdb::Database::clone(&FONTS);
                fonts.load_font_source(fontdb::Source::Binary(data));
                Arc::new(fonts)
            }
        };
        let options =
            usvg::Options { fontdb: fonts, font_family: "DejaVu Sans".to_owned(), ..usvg::Options::default() };
        Tree::from_str(&self.standalone(), &options).map_err(|e| self.failure(&e))
    }

    fn failure(&self, why: &dyn std::fmt::Display) -> Error {
        Error::input(format!("the figure {:?} has no PNG: {why}", self.title))
    }
}

/// The part of a PNG file (`pHYs`) that says how many pixels a metre has.
fn density(dots_per_inch: f64) -> Vec<u8> {
    let dots = ((dots_per_inch / 0.0254).round() as u32).to_be_bytes();
    let mut body = b"pHYs".to_vec();
    body.extend(dots.iter().chain(&dots).chain(&[1]));
    let sum = crc(&body).to_be_bytes();
    let length = 9_u32.to_be_bytes();
    length.into_iter().chain(body).chain(sum).collect()
}

/// The checksum of a part of a PNG file.
fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The faces that figures use.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    let faces = [dejavu::sans::regular(), dejavu::sans::bold(), dejavu::serif::regular(), dejavu::serif::bold()];
    for face in faces {
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(face)));
    }
    fonts.set_sans_serif_family("DejaVu Sans");
    fonts.set_serif_family("DejaVu Serif");
    Arc::new(fonts)
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_png() {
        // That of the empty last part, which every PNG file ends with.
        assert_eq!(crc(b"IEND"), 0xae42_6082);
        assert_eq!(density(300.0).len(), 21);
        assert_eq!(density(300.0)[8..12], 11_811_u32.to_be_bytes());
    }
}
