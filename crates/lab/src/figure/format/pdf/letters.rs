//! The letters that a PDF brings along: those that occur, and which characters they are.

use std::collections::BTreeMap;

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Filter, Finish, Name, Pdf, Rect as Box, Ref, Str};
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};
use subsetter::GlyphRemapper;

use super::compressed;
use crate::error::{Error, Result};

/// The numbers of glyphs are codes of two bytes, without any table of our own.
const IDENTITY: SystemInfo<'static> = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// A face, and what is used of it.
pub(super) struct Letters<'a> {
    name: &'static str,
    data: &'a [u8],
    font: FontRef<'a>,
    glyphs: GlyphRemapper,
    /// By their numbers in the file that is brought along: the character, and how wide it is in thousandths.
    used: BTreeMap<u16, (char, f32)>,
}

impl<'a> Letters<'a> {
    pub(super) fn new(data: &'a [u8], name: &'static str) -> Result<Self> {
        let font = FontRef::new(data).map_err(|e| Error::input(format!("font-file: this is no TrueType font: {e}")))?;
        Ok(Self { name, data, font, glyphs: GlyphRemapper::new(), used: BTreeMap::new() })
    }

    /// What pages call it.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn is_used(&self) -> bool {
        !self.used.is_empty()
    }

    /// The glyph of a character; 0 shows that there is none.
    fn glyph(&self, c: char) -> u16 {
        self.font.charmap().map(c).and_then(|glyph| u16::try_from(glyph.to_u32()).ok()).unwrap_or(0)
    }

    /// How wide a glyph is, in thousandths of the size.
    fn advance(&self, glyph: u16) -> f32 {
        let metrics = self.font.glyph_metrics(Size::new(1000.0), LocationRef::default());
        metrics.advance_width(u32::from(glyph).into()).unwrap_or(0.0)
    }

    /// How wide a text is, relative to its size.
    pub(super) fn width(&self, text: &str) -> f64 {
        shown(text).map(|c| f64::from(self.advance(self.glyph(c)))).sum::<f64>() / 1000.0
    }

    /// The codes of a text; its characters will be in the file.
    pub(super) fn codes(&mut self, text: &str) -> Vec<u8> {
        let mut codes = Vec::new();
        for c in shown(text) {
            let glyph = self.glyph(c);
            let code = self.glyphs.remap(glyph);
            let width = self.advance(glyph);
            self.used.entry(code).or_insert((c, width));
            codes.extend(code.to_be_bytes());
        }
        codes
    }

    /// Writes the face with all that belongs to it.
    pub(super) fn write(&self, pdf: &mut Pdf, id: Ref, next: &mut impl FnMut() -> Ref) -> Result<()> {
        let subset = subsetter::subset(self.data, 0, &self.glyphs)
            .map_err(|e| Error::input(format!("font-file: its letters cannot be taken out: {e}")))?;
        // Readers take faces of one name for the same, so every selection has a name of its own.
        let face = format!("{}+{}", tag(&subset), self.postscript_name());
        let (cid, descriptor, file, unicode) = (next(), next(), next(), next());
        pdf.type0_font(id)
            .base_font(Name(face.as_bytes()))
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(cid)
            .to_unicode(unicode);
        let mut font = pdf.cid_font(cid);
        font.subtype(CidFontType::Type2).base_font(Name(face.as_bytes())).system_info(IDENTITY);
        font.font_descriptor(descriptor).default_width(0.0).cid_to_gid_map_predefined(Name(b"Identity"));
        let mut widths = font.widths();
        for (code, (_, width)) in &self.used {
            widths.consecutive(*code, [*width]);
        }
        widths.finish();
        font.finish();
        self.describe(pdf, descriptor, &face, file);
        let length = i32::try_from(subset.len()).unwrap_or(i32::MAX);
        let data = compressed(&subset)?;
        pdf.stream(file, &data).filter(Filter::FlateDecode).pair(Name(b"Length1"), length);
        let mut map = UnicodeCmap::<u16>::new(Name(b"Letters"), IDENTITY);
        for (code, (c, _)) in &self.used {
            map.pair(*code, *c);
        }
        let map = compressed(&map.finish())?;
        pdf.stream(unicode, &map).filter(Filter::FlateDecode);
        Ok(())
    }

    fn describe(&self, pdf: &mut Pdf, id: Ref, face: &str, file: Ref) {
        let metrics = self.font.metrics(Size::new(1000.0), LocationRef::default());
        let bounds = metrics.bounds.unwrap_or_default();
        pdf.font_descriptor(id)
            .name(Name(face.as_bytes()))
            .flags(FontFlags::SYMBOLIC)
            .bbox(Box::new(bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max))
            .italic_angle(metrics.italic_angle)
            .ascent(metrics.ascent)
            .descent(metrics.descent)
            .cap_height(metrics.cap_height.unwrap_or(metrics.ascent))
            .stem_v(80.0)
            .font_file2(file);
    }

    fn postscript_name(&self) -> String {
        let name = self.font.localized_strings(skrifa::string::StringId::POSTSCRIPT_NAME).english_or_first();
        let name = name.map_or_else(String::new, |name| name.to_string());
        let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
        if name.is_empty() { "Letters".to_owned() } else { name }
    }
}

/// The characters that have a place on a line.
fn shown(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| !c.is_control() || c.is_whitespace()).map(|c| if c.is_whitespace() { ' ' } else { c })
}

/// Six capitals that are the same for the same letters, and most likely no others.
fn tag(subset: &[u8]) -> String {
    let mut crc = flate2::Crc::new();
    crc.update(subset);
    let mut rest = crc.sum();
    let mut letter = || {
        let letter = b'A' + (rest % 26) as u8;
        rest /= 26;
        char::from(letter)
    };
    (0..6).map(|_| letter()).collect()
}
