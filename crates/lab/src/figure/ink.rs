//! Colours by name, and what the names mean in light and in dark surroundings.

use std::fmt::Write as _;

/// How many colours there are for series; further series repeat them with dashes.
pub(super) const COLOURS: usize = 10;

/// A colour by its purpose. Elements carry it as a class, and a style sheet says what it looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ink {
    /// Titles, numbers, whatever must be read.
    Text,
    /// Secondary text, axes and guides.
    Muted,
    /// The lines of a grid.
    Grid,
    /// The background.
    Paper,
    /// What deserves attention.
    Warn,
    /// `Warn` as a wash under other things.
    WarnSoft,
    /// The colour of a series; numbers beyond the palette start again at its beginning.
    Series(usize),
    /// The same colour as a wash, for bands and regions.
    Soft(usize),
}

/// A name, what it is in light and what it is in dark surroundings.
type Entry = (&'static str, &'static str, &'static str);

const PLAIN: [Entry; 5] = [
    ("text", "#1c2024", "#e8eaed"),
    ("muted", "#5b636d", "#a3abb5"),
    ("grid", "#e3e6ea", "#2d333b"),
    ("paper", "#ffffff", "#15181c"),
    ("warn", "#c22f1f", "#ff8f7d"),
];

/// Blue, vermilion, green, purple, ochre, petrol, crimson, violet, brown, olive. Every one can be read as text on its
/// paper, and they differ in lightness where colour-blind readers see no difference of hue; the first five differ most.
const SERIES: [Entry; COLOURS] = [
    ("0", "#0057bc", "#5eadf5"),
    ("1", "#c72e00", "#ff7b4c"),
    ("2", "#00826b", "#3cb485"),
    ("3", "#a43a8d", "#f4b9e7"),
    ("4", "#7c6a3d", "#ecba2b"),
    ("5", "#01526b", "#7bb1b8"),
    ("6", "#7f0d28", "#fc6d79"),
    ("7", "#4f3ecf", "#9281ff"),
    ("8", "#70594e", "#cdb5a4"),
    ("9", "#547200", "#b8d861"),
];

/// How strong a wash is, in light and in dark surroundings.
const WASH: (&str, &str) = ("0.15", "0.22");

/// The first of these as a number.
const WASH_ON_WHITE: f64 = 0.15;

impl Ink {
    /// The class of an element that is drawn (`s-`) or filled (`f-`) with it, without the prefix.
    pub(super) fn name(self) -> String {
        match self {
            Ink::Text => "text".to_owned(),
            Ink::Muted => "muted".to_owned(),
            Ink::Grid => "grid".to_owned(),
            Ink::Paper => "paper".to_owned(),
            Ink::Warn => "warn".to_owned(),
            Ink::WarnSoft => "soft-warn".to_owned(),
            Ink::Series(i) => (i % COLOURS).to_string(),
            Ink::Soft(i) => format!("soft-{}", i % COLOURS),
        }
    }
}

/// What an ink looks like on white: red, green and blue, and how strong it is.
pub(super) fn on_white(ink: Ink) -> ([u8; 3], f64) {
    let name = ink.name();
    let (colour, strength) = match name.strip_prefix("soft-") {
        Some(colour) => (colour, WASH_ON_WHITE),
        None => (name.as_str(), 1.0),
    };
    let hex = PLAIN.iter().chain(&SERIES).find(|entry| entry.0 == colour).map_or("#000000", |entry| entry.1);
    let part = |at: usize| hex.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok()).unwrap_or(0);
    ([1, 3, 5].map(part), strength)
}

/// The rules of all classes; `colour` says how a name's colour is written, `wash` how the strength of a wash is.
fn rules(scope: &str, colour: impl Fn(&Entry) -> String, wash: &str) -> String {
    let mut css = String::new();
    for entry in PLAIN.iter().chain(&SERIES) {
        let (name, value) = (entry.0, colour(entry));
        // Writing to a string cannot fail.
        let _ = writeln!(css, "{scope}.s-{name}{{stroke:{value}}}");
        let _ = writeln!(css, "{scope}.f-{name}{{fill:{value}}}");
        if SERIES.contains(entry) || name == "warn" {
            let _ = writeln!(css, "{scope}.s-soft-{name}{{stroke:{value};stroke-opacity:{wash}}}");
            let _ = writeln!(css, "{scope}.f-soft-{name}{{fill:{value};fill-opacity:{wash}}}");
        }
    }
    css
}

/// The style sheet of a file that stands alone: literal colours, since not every renderer knows variables.
pub(crate) fn standalone_css(font_family: &str) -> String {
    format!("text{{font-family:{font_family}}}\n{}", rules("", |(_, light, _)| (*light).to_owned(), WASH.0))
}

/// The style sheet of a page with inline figures: the palette as variables, light unless the reader prefers dark, and
/// the rules that use them. Everything is scoped to `svg.figure`.
pub(crate) fn page_css() -> String {
    let variables = |pick: fn(&Entry) -> &'static str, wash: &str| {
        let mut css = format!("--figure-wash:{wash};");
        for entry in PLAIN.iter().chain(&SERIES) {
            let _ = write!(css, "--figure-{}:{};", entry.0, pick(entry));
        }
        css
    };
    let light = variables(|entry| entry.1, WASH.0);
    let dark = variables(|entry| entry.2, WASH.1);
    format!(
        "svg.figure{{display:block;height:auto;margin:0 auto;{light}}}\n\
         @media (prefers-color-scheme: dark){{svg.figure{{{dark}}}}}\n\
         svg.figure text{{font-family:\"DejaVu Sans\",system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif}}\n{}",
        rules("svg.figure ", |(name, ..)| format!("var(--figure-{name})"), "var(--figure-wash)")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red, green and blue in proportion to light.
    fn linear(hex: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| {
            let v = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn apply(matrix: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
    }

    const XYZ: [[f64; 3]; 3] = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];

    /// The relative luminance of a colour, as the accessibility guidelines of the web define it.
    fn luminance(hex: &str) -> f64 {
        apply(&XYZ, linear(hex))[1]
    }

    /// Lightness and the two opponent colours of CIELAB.
    fn lab(light: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = apply(&XYZ, light);
        let root = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t.max(0.0) + 16.0 / 116.0 };
        let [x, y, z] = [root(x / 0.9505), root(y), root(z / 1.089)];
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    #[test]
    fn colours_differ_for_colour_blind_readers_too() {
        // What readers without red and without green cones see (Machado, Oliveira and Fernandes 2009).
        let no_red =
            [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]];
        let no_green = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]];
        for seen in [no_red, no_green] {
            for pick in [|e: &Entry| e.1, |e: &Entry| e.2] {
                let colours = SERIES.map(|entry| lab(apply(&seen, linear(pick(&entry)))));
                for (i, j) in (0..COLOURS).flat_map(|j| (0..j).map(move |i| (i, j))) {
                    let squares = colours[i].iter().zip(colours[j]).map(|(a, b)| (a - b).powi(2));
                    let distance = squares.sum::<f64>().sqrt();
                    assert!(distance > if j < 5 { 19.0 } else { 10.0 }, "{i} and {j}: {distance}");
                }
            }
        }
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_colour_can_be_read_on_its_paper() {
        let (_, light, dark) = PLAIN[3];
        for (name, on_light, on_dark) in PLAIN.iter().chain(&SERIES).filter(|e| e.0 != "grid" && e.0 != "paper") {
            assert!(contrast(on_light, light) >= 4.5, "{name} light {}", contrast(on_light, light));
            assert!(contrast(on_dark, dark) >= 4.5, "{name} dark {}", contrast(on_dark, dark));
        }
    }

    #[test]
    fn inks_are_the_same_in_every_format() {
        assert_eq!(on_white(Ink::Series(10)), ([0x00, 0x57, 0xbc], 1.0));
        assert_eq!(on_white(Ink::Soft(1)), ([0xc7, 0x2e, 0x00], WASH.0.parse().unwrap()));
        assert_eq!(on_white(Ink::WarnSoft).0, on_white(Ink::Warn).0);
    }

    #[test]
    fn every_ink_has_a_rule_on_pages_and_in_files() {
        let inks = [Ink::Text, Ink::Muted, Ink::Grid, Ink::Paper, Ink::Warn, Ink::WarnSoft];
        let series = (0..30).flat_map(|i| [Ink::Series(i), Ink::Soft(i)]);
        for name in inks.into_iter().chain(series).map(Ink::name) {
            for css in [standalone_css("serif"), page_css()] {
                assert!(css.contains(&format!(".s-{name}{{")) && css.contains(&format!(".f-{name}{{")), "{name}");
            }
        }
        assert!(!standalone_css("serif").contains("var("));
    }
}
