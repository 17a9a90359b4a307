//! Every key of a style file, which is every option of `optimist plot` that says what figures look like. Options, help, style
//! files and Python take them from here.

use std::fs;
use std::str::FromStr;

use super::order::{Kind, PlotOrder};
use crate::figure::{Band, Family, Format, Labels, Legend, Scale, Styles};

/// A key.
#[derive(Debug)]
pub struct PlotKey {
    /// Its name, which is that of the option.
    pub name: &'static str,
    /// What stands for its value in help; empty if it is on or off.
    pub value: &'static str,
    /// What it says.
    pub help: &'static str,
    /// The values that are allowed, with what they mean; none if they are not words.
    pub choices: &'static [(&'static str, &'static str)],
    /// Whether it may have several values.
    pub many: bool,
    /// Whether commas separate its values on the command line; if not, the option is repeated.
    pub commas: bool,
    /// Its value in a style file, as TOML; what holds without it, or an example where nothing does.
    pub example: &'static str,
    /// Whether the example is what holds without it.
    pub is_default: bool,
    pub(super) set: fn(&mut PlotOrder, &[String]) -> Result<(), String>,
}

impl PlotKey {
    /// Whether it is on or off.
    pub fn is_switch(&self) -> bool {
        self.value.is_empty()
    }
}

const NOTHING: PlotKey = PlotKey {
    name: "",
    value: "",
    help: "",
    choices: &[],
    many: false,
    commas: false,
    example: "",
    is_default: false,
    set: |_, _| Ok(()),
};

/// All keys, in the order of the help.
pub const PLOT_KEYS: &[PlotKey] = &[
    PlotKey {
        name: "band",
        value: "BAND",
        help: "What is shaded",
        choices: &[
            ("std", "One standard deviation around the mean, as the paper has it"),
            ("stderr", "One standard error around the mean"),
            ("bootstrap", "95% interval of the mean, by the bootstrap over runs with a fixed seed"),
            ("quantiles", "From the 10% to the 90% quantile, around the median"),
            ("none", "Nothing: the mean alone"),
        ],
        example: "\"std\"",
        is_default: true,
        set: |order, values| {
            order.style.band = match values[0].as_str() {
                "std" => Band::Std,
                "stderr" => Band::StdErr,
                "bootstrap" => Band::Bootstrap,
                "quantiles" => Band::Quantiles,
                _ => Band::None,
            };
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "axes",
        value: "AXES",
        help: "Axes",
        choices: &[
            ("linear", "Rounds and regret as they are"),
            ("log-x", "Logarithmic rounds"),
            ("log-y", "Logarithmic regret"),
            ("log", "Both logarithmic"),
        ],
        example: "\"linear\"",
        is_default: true,
        set: |order, values| {
            let axis = |logarithmic| if logarithmic { Scale::Log } else { Scale::Linear };
            order.style.x = axis(matches!(values[0].as_str(), "log-x" | "log"));
            order.style.y = axis(matches!(values[0].as_str(), "log-y" | "log"));
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "policies",
        value: "LABEL,...",
        help: "Policies to draw, by label or name, separated by commas; all if absent",
        many: true,
        commas: true,
        example: "[\"optimist\", \"laplace-ts\"]",
        set: |order, values| {
            order.style.policies = Some(values.to_vec());
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "environments",
        value: "WORD,...",
        help: "Environments to draw: numbers from 1, or words of their names such as kappa=50; all if absent",
        many: true,
        commas: true,
        example: "[\"kappa=10\", \"kappa=50\"]",
        set: |order, values| {
            order.style.environments = Some(values.to_vec());
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "figures",
        value: "KIND,...",
        help: "Kinds of figures; both if absent",
        choices: &[
            ("sweep", "Final regret against the number that differs between environments, if there is one"),
            ("regret", "Regret against rounds, one figure an environment"),
        ],
        many: true,
        commas: true,
        example: "[\"sweep\", \"regret\"]",
        is_default: true,
        set: |order, values| {
            let kind = |value: &String| if value == "sweep" { Kind::Sweep } else { Kind::Regret };
            order.kinds = values.iter().map(kind).collect();
            Ok(())
        },
    },
    PlotKey {
        name: "panels",
        help: "Regret in all environments as one figure: a panel each, in a grid with shared axes",
        example: "false",
        is_default: true,
        set: |order, values| switch(&values[0], |on| order.panels = on),
        ..NOTHING
    },
    PlotKey {
        name: "columns",
        value: "N",
        help: "Panels side by side; as many as fit if absent",
        example: "3",
        set: |order, values| {
            let columns = values[0].parse().ok().filter(|&n| n > 0).ok_or("give a whole number, 1 or more")?;
            order.style.look.columns = Some(columns);
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "format",
        value: "FORMAT,...",
        help: "Formats of the files, separated by commas; svg and png if absent",
        choices: &[
            ("svg", "Vectors for pages"),
            ("png", "A bitmap"),
            ("pdf", "Vectors for print, with their letters; with a .tex that includes it"),
            (
                "pgf",
                "For \\input in LaTeX, with the letters of the document (needs the package pgf); with a .tex likewise",
            ),
            ("vega", "Vega-Lite 5 as .vl.json: the numbers that are drawn, and how to draw them"),
            ("csv", "The numbers that are drawn: panel, curve, x, y, low, high"),
        ],
        many: true,
        commas: true,
        example: "[\"svg\", \"png\"]",
        is_default: true,
        set: |order, values| {
            order.formats.clear();
            for value in values {
                let format = match value.as_str() {
                    "svg" => Format::Svg,
                    "png" => Format::Png,
                    "pdf" => Format::Pdf,
                    "pgf" => Format::Pgf,
                    "vega" => Format::Vega,
                    _ => Format::Csv,
                };
                if !order.formats.contains(&format) {
                    order.formats.push(format);
                }
            }
            Ok(())
        },
    },
    PlotKey {
        name: "width",
        value: "LENGTH",
        help: "Width of the figure with its unit: 85mm, 8.5cm, 3.3in, 240pt (72 an inch) or 640px (96 an inch)",
        example: "\"85mm\"",
        set: |order, values| {
            order.style.look.width = Some(parsed(&values[0])?);
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "height",
        value: "LENGTH",
        help: "Height of the figure with its unit; what its parts need if absent",
        example: "\"55mm\"",
        set: |order, values| {
            order.style.look.height = Some(parsed(&values[0])?);
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "dpi",
        value: "N",
        help: "Pixels an inch of PNG; if absent 300 with --width or --height, otherwise 192",
        example: "600",
        set: |order, values| {
            let dpi = values[0].parse().ok().filter(|dpi| (1.0..=10_000.0).contains(dpi));
            order.dpi = Some(dpi.ok_or("give a number from 1 to 10000")?);
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "font-size",
        value: "LENGTH",
        help: "Size of all letters, such as 8pt; lines and markers grow with it",
        example: "\"8pt\"",
        set: |order, values| {
            order.style.look.font_size = Some(parsed(&values[0])?);
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "font",
        value: "FAMILY",
        help: "sans, serif, or a name for SVG and PGF; PDF and PNG bring DejaVu Sans or Serif along",
        example: "\"sans\"",
        set: |order, values| {
            if values[0].trim().is_empty() {
                return Err("give sans, serif or a name".to_owned());
            }
            order.style.look.font.family = Family::called(values[0].trim());
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "font-file",
        value: "FILE",
        help: "A TrueType file whose letters PDF and PNG have",
        example: "\"letters.ttf\"",
        set: |order, values| {
            let data = fs::read(&values[0]).map_err(|e| format!("it cannot be read: {e}"))?;
            order.style.look.font = order.style.look.font.clone().with_file(data).map_err(|e| e.to_string())?;
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "legend",
        value: "PLACE",
        help: "Where curves are named; at their ends if absent, or below if there is no room",
        choices: &[
            ("direct", "At the ends of the curves"),
            ("inside", "Inside the axes, where least is covered"),
            ("outside", "Below the axes"),
            ("none", "Nowhere"),
        ],
        example: "\"outside\"",
        set: |order, values| {
            order.style.look.legend = Some(match values[0].as_str() {
                "direct" => Legend::Direct,
                "inside" => Legend::Inside,
                "outside" => Legend::Outside,
                _ => Legend::None,
            });
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "styles",
        value: "STYLES",
        help: "What tells curves apart",
        choices: &[
            ("colour", "Colours, which colour-blind readers can tell apart"),
            ("lines", "Colours and dashes"),
            ("markers", "Colours and markers"),
            ("both", "Colours, dashes and markers: also good in grey"),
        ],
        example: "\"colour\"",
        is_default: true,
        set: |order, values| {
            order.style.look.styles = match values[0].as_str() {
                "lines" => Styles::Lines,
                "markers" => Styles::Markers,
                "both" => Styles::Both,
                _ => Styles::Colour,
            };
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "title",
        value: "TEXT",
        help: "Title in the place of the one that figures have",
        example: "\"Regret in the unit disc\"",
        set: |order, values| {
            order.style.title = Some(values[0].clone());
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "no-title",
        help: "No title, and no line below it: papers have captions",
        example: "false",
        is_default: true,
        set: |order, values| switch(&values[0], |on| order.style.look.untitled = on),
        ..NOTHING
    },
    PlotKey {
        name: "x-label",
        value: "TEXT",
        help: "Name of the horizontal axis",
        example: "\"rounds\"",
        set: |order, values| {
            order.style.x_label = Some(values[0].clone());
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "y-label",
        value: "TEXT",
        help: "Name of the vertical axis",
        example: "\"cumulative regret\"",
        set: |order, values| {
            order.style.y_label = Some(values[0].clone());
            Ok(())
        },
        ..NOTHING
    },
    PlotKey {
        name: "label",
        value: "NAME=LABEL",
        help: "What to call a policy or an environment, such as \"optimist=Ours\"; may be repeated",
        many: true,
        example: "{ optimist = \"Ours\" }",
        set: |order, values| {
            if let Some(wrong) = values.iter().find(|value| !value.contains('=')) {
                return Err(format!("{wrong:?} has no =; give NAME=LABEL"));
            }
            order.style.labels = Labels::new(values.to_vec());
            Ok(())
        },
        ..NOTHING
    },
];

fn parsed<T: FromStr>(value: &str) -> Result<T, String>
where
    T::Err: ToString,
{
    value.parse().map_err(|why: T::Err| why.to_string())
}

fn switch(value: &str, set: impl FnOnce(bool)) -> Result<(), String> {
    set(value.parse().map_err(|_| "give true or false".to_owned())?);
    Ok(())
}
