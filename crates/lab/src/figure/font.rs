//! The letters of figures.

use std::sync::Arc;

use skrifa::raw::TableProvider;
use skrifa::string::StringId;
use skrifa::{FontRef, MetadataProvider};

use crate::error::{Error, Result};

/// Which letters a figure has. SVG and PGF name a family that the reader's machine or document has; PDF and PNG bring their
/// letters along, which come with the program (DejaVu Sans and DejaVu Serif) or from a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Font {
    /// The family.
    pub family: Family,
    file: Option<FontFile>,
}

/// A family of letters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Family {
    /// That of the document in PGF, without serifs elsewhere.
    #[default]
    Unspecified,
    /// Without serifs.
    Sans,
    /// With serifs.
    Serif,
    /// By its name.
    Named(String),
}

/// A file of letters.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FontFile {
    family: String,
    data: Arc<Vec<u8>>,
}

impl Font {
    /// The same with the letters of a file.
    ///
    /// # Errors
    /// If it holds no TrueType letters.
    pub fn with_file(self, data: Vec<u8>) -> Result<Self> {
        let wrong = |_| Error::input("this is no TrueType font: give a file .ttf");
        let font = FontRef::new(&data).map_err(wrong)?;
        // Outlines of the other kind would need another kind of PDF font.
        font.glyf().map_err(wrong)?;
        let family = font.localized_strings(StringId::FAMILY_NAME).english_or_first();
        let family = family.map_or_else(|| "unnamed".to_owned(), |name| name.to_string());
        Ok(Self { file: Some(FontFile { family, data: Arc::new(data) }), ..self })
    }

    /// The letters as a file of their own, if the user gave one.
    pub(super) fn data(&self) -> Option<Arc<Vec<u8>>> {
        self.file.as_ref().map(|file| Arc::clone(&file.data))
    }

    /// The file with the letters of PDF.
    pub(super) fn embedded(&self, bold: bool) -> &[u8] {
        match (&self.file, &self.family, bold) {
            (Some(file), ..) => &file.data,
            (None, Family::Serif, false) => dejavu::serif::regular(),
            (None, Family::Serif, true) => dejavu::serif::bold(),
            (None, _, false) => dejavu::sans::regular(),
            (None, _, true) => dejavu::sans::bold(),
        }
    }

    /// What a style sheet calls it, and what to take in its absence.
    pub(crate) fn css(&self) -> String {
        let named = |name: &str| {
            let name: String = name.chars().filter(|c| !c.is_control() && !"\"\\<>&{};".contains(*c)).collect();
            format!("\"{name}\",\"DejaVu Sans\",Verdana,sans-serif")
        };
        match (&self.file, &self.family) {
            (_, Family::Named(name)) => named(name),
            (Some(file), _) => named(&file.family),
            (None, Family::Serif) => "\"DejaVu Serif\",Georgia,serif".to_owned(),
            (None, Family::Sans | Family::Unspecified) => "\"DejaVu Sans\",Verdana,sans-serif".to_owned(),
        }
    }
}

impl Family {
    /// A family by what users call it.
    pub fn called(name: &str) -> Self {
        match name {
            "sans" | "sans-serif" => Family::Sans,
            "serif" => Family::Serif,
            name => Family::Named(name.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_fonts_or_refused() {
        let font = Font::default().with_file(dejavu::serif::regular().to_vec()).unwrap();
        assert!(font.css().starts_with("\"DejaVu Serif\","), "{}", font.css());
        assert_eq!(font.embedded(true), dejavu::serif::regular());
        for wrong in [&b""[..], b"no font at all", &dejavu::sans::regular()[..200]] {
            assert!(Font::default().with_file(wrong.to_vec()).is_err());
        }
    }

    #[test]
    fn names_cannot_break_a_style_sheet() {
        let font = Font { family: Family::called("Times\"}</style>"), ..Font::default() };
        assert!(font.css().starts_with("\"Times/style\","), "{}", font.css());
    }
}
