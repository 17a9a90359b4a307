//! Figures for papers: sizes, letters and numbers, in every format.

use std::collections::BTreeMap;
use std::io::Read as _;

use resvg::tiny_skia::Pixmap;

use super::tests::{apart, boxes, environment_runs, experiment, outcome};
use super::*;

fn look(width: &str, font_size: &str) -> Look {
    Look {
        width: Some(width.parse().unwrap()),
        font_size: Some(font_size.parse().unwrap()),
        untitled: true,
        ..Look::default()
    }
}

fn paper(look: Look) -> Figure {
    let style = Style { look, labels: Labels::new(vec!["greedy=Greedy κ".to_owned()]), ..Style::default() };
    regret(&environment_runs(50.0, 4), &experiment(&[50.0]), &style).unwrap()
}

/// The objects of a PDF by number: what stands before the stream, and the stream as it was before it was compressed.
fn objects(pdf: &[u8]) -> BTreeMap<u32, (String, Vec<u8>)> {
    let find = |from: usize, what: &[u8]| pdf[from..].windows(what.len()).position(|w| w == what).map(|at| from + at);
    let mut objects = BTreeMap::new();
    let mut at = 0;
    while let Some(start) = find(at, b" 0 obj") {
        let digits = pdf[..start].iter().rev().take_while(|c| c.is_ascii_digit()).count();
        let number = std::str::from_utf8(&pdf[start - digits..start]).unwrap().parse().unwrap();
        let text = |from: usize, to: usize| String::from_utf8_lossy(&pdf[from..to]).into_owned();
        let (stream, end) = (find(start, b"stream\n"), find(start, b"endobj").unwrap());
        let Some(begin) = stream.filter(|&begin| begin < end) else {
            objects.insert(number, (text(start, end), Vec::new()));
            at = end;
            continue;
        };
        let head = text(start, begin);
        let length: usize = word_after(&head, "/Length ").parse().unwrap();
        let (data, mut plain) = (begin + 7, Vec::new());
        flate2::read::ZlibDecoder::new(&pdf[data..data + length]).read_to_end(&mut plain).unwrap();
        objects.insert(number, (head, plain));
        at = data + length;
    }
    objects
}

fn word_after<'a>(text: &'a str, key: &str) -> &'a str {
    let rest = &text[text.find(key).unwrap_or_else(|| panic!("{key} in {text}")) + key.len()..];
    rest.split(|c: char| c.is_whitespace() || "/>[]".contains(c)).find(|word| !word.is_empty()).unwrap()
}

/// The words of a page in the order in which they are written, read through the table that the letters bring along, and the sizes
/// of letters.
fn words(objects: &BTreeMap<u32, (String, Vec<u8>)>) -> (Vec<String>, Vec<f64>) {
    let page = &objects.values().find(|(head, _)| head.contains("/MediaBox")).unwrap().0;
    let content = String::from_utf8_lossy(&objects[&word_after(page, "/Contents ").parse().unwrap()].1).into_owned();
    let mut letters: BTreeMap<&str, BTreeMap<u16, char>> = BTreeMap::new();
    for name in ["F0", "F1"].into_iter().filter(|name| page.contains(&format!("/{name} "))) {
        let font = &objects[&word_after(page, &format!("/{name} ")).parse().unwrap()].0;
        let map = String::from_utf8(objects[&word_after(font, "/ToUnicode ").parse().unwrap()].1.clone()).unwrap();
        letters.insert(name, characters(&map));
        let cid = &objects[&word_after(font, "/DescendantFonts [").parse().unwrap()].0;
        let descriptor = &objects[&word_after(cid, "/FontDescriptor ").parse().unwrap()].0;
        let file = &objects[&word_after(descriptor, "/FontFile2 ").parse().unwrap()].1;
        assert!(file.starts_with(&[0, 1, 0, 0]), "the letters are TrueType");
    }
    let (mut words, mut sizes) = (Vec::new(), Vec::new());
    let mut font = "";
    for line in content.lines() {
        if let Some(rest) = line.strip_suffix(" Tf") {
            let (name, size) = rest.trim_start_matches('/').split_once(' ').unwrap();
            (font, _) = (name, sizes.push(size.parse().unwrap()));
        } else if let Some(codes) = line.strip_suffix(" Tj") {
            words.push(codes_of(codes).into_iter().map(|code| letters[font][&code]).collect());
        }
    }
    (words, sizes)
}

/// Codes of two bytes, written in hexadecimal or as a text with escapes.
fn codes_of(text: &str) -> Vec<u16> {
    let bytes: Vec<u8> = match text.strip_prefix('<') {
        Some(hex) => {
            let hex = hex.trim_end_matches('>');
            (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
        }
        None => unescaped(text.strip_prefix('(').unwrap().strip_suffix(')').unwrap()),
    };
    bytes.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
}

fn unescaped(text: &str) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let taken = if rest[0].is_ascii_digit() { 3 } else { 1 };
        out.push(match rest[0] {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 8,
            b'f' => 12,
            digit if digit.is_ascii_digit() => u8::from_str_radix(std::str::from_utf8(&rest[..3]).unwrap(), 8).unwrap(),
            other => other,
        });
        rest = &rest[taken..];
    }
    out
}

/// The entries `<code> <character>` of a table, and its ranges `<first> <last> <character>`.
fn characters(map: &str) -> BTreeMap<u16, char> {
    let mut out = BTreeMap::new();
    for line in map.lines().filter(|line| line.starts_with('<')) {
        let numbers: Vec<u32> = line
            .split(['<', '>', ' '])
            .filter(|word| !word.is_empty())
            .filter_map(|word| u32::from_str_radix(word, 16).ok())
            .collect();
        let (first, last, start) = match numbers[..] {
            [code, character] => (code, code, character),
            [first, last, character] => (first, last, character),
            _ => continue,
        };
        for code in first..=last {
            out.insert(u16::try_from(code).unwrap(), char::from_u32(start + code - first).unwrap());
        }
    }
    out
}

#[test]
fn a_pdf_has_its_size_its_letters_and_words_as_text() {
    let figure = paper(look("85mm", "8pt"));
    let pdf = figure.pdf().unwrap();
    assert_eq!(pdf, paper(look("85mm", "8pt")).pdf().unwrap(), "the same bytes every time");
    let objects = objects(&pdf);
    let page = &objects.values().find(|(head, _)| head.contains("/MediaBox")).unwrap().0;
    let sides = page.split_once("/MediaBox [").unwrap().1.split_once(']').unwrap().0;
    let sides: Vec<f64> = sides.split_whitespace().map(|side| side.parse().unwrap()).collect();
    assert!((sides[2] - 240.9449).abs() < 1e-3 && (sides[3] - 0.75 * figure.height()).abs() < 1e-3, "{sides:?}");
    let (words, sizes) = words(&objects);
    for word in ["ofulog-r", "Greedy κ", "tuned", "regret", "round", "1,000"] {
        assert!(words.iter().any(|other| other == word), "{word} in {words:?}");
    }
    assert!(sizes.iter().all(|size| (size - 8.0).abs() < 1e-3), "{sizes:?}");
}

#[test]
fn the_letters_of_a_pdf_are_those_that_were_asked_for() {
    let name = |font: Font| {
        let objects = objects(&paper(Look { font, ..look("85mm", "8pt") }).pdf().unwrap());
        let font = &objects.values().find(|(head, _)| head.contains("/Type0")).unwrap().0;
        word_after(font, "/BaseFont /").split_once('+').unwrap().1.to_owned()
    };
    assert_eq!(name(Font::default()), "DejaVuSans");
    let in_family = |mut font: Font, family| {
        font.family = family;
        font
    };
    assert_eq!(name(in_family(Font::default(), Family::Serif)), "DejaVuSerif");
    assert_eq!(name(Font::default().with_file(dejavu::sans_mono::regular().to_vec()).unwrap()), "DejaVuSansMono");
}

#[test]
fn everything_that_a_canvas_can_draw_is_in_every_format() {
    let figure = super::tests::everything();
    let content = objects(&figure.pdf().unwrap());
    let (words, _) = words(&content);
    assert_eq!(words, ["<κ> & \"θ\"", "*"]);
    let pgf = figure.pgf();
    assert!(
        pgf.contains("\\textless{}\\ensuremath{\\kappa}\\textgreater{} \\& ") && pgf.contains("\\textsubscript{*}"),
        "{pgf}"
    );
    assert!(!pgf.contains("NaN") && !pgf.contains("inf"), "{pgf}");
    for (open, close) in [("\\begin{pgfscope}", "\\end{pgfscope}"), ("{", "}"), ("\\begingroup", "\\endgroup")] {
        assert_eq!(
            pgf.replace("\\{", "").replace("\\}", "").matches(open).count(),
            pgf.matches(close).count(),
            "{open}"
        );
    }
}

#[test]
fn sizes_are_physical_in_every_format() {
    let figure = paper(Look { height: Some("50mm".parse().unwrap()), ..look("85mm", "8pt") });
    assert!(figure.standalone().contains(r#"width="85mm" height="50mm""#));
    assert!((figure.height() - 50.0 * 96.0 / 25.4).abs() < 1e-9);
    let png = figure.png_for_print(600.0).unwrap();
    let pixmap = Pixmap::decode_png(&png).unwrap();
    assert_eq!((pixmap.width(), pixmap.height()), (2008, 1181));
    assert!(png.windows(4).any(|name| name == b"pHYs"));
    assert!(figure.pgf().contains("\\pgfpoint{240.94bp}{141.73bp}") && figure.pgf().contains("\\fontsize{8}{9.6}"));
    let snippet = figure.latex_snippet("regret.pdf", Format::Pdf);
    assert!(snippet.contains("\\includegraphics[width=85mm]{regret.pdf}"), "{snippet}");
    assert!(snippet.contains("\\caption{Regret: small. ") && snippet.contains("\\label{fig:regret}"), "{snippet}");
    assert!(figure.latex_snippet("regret.pgf", Format::Pgf).contains("\\input{regret.pgf}"));
}

#[test]
fn words_neither_overlap_nor_leave_small_figures() {
    for legend in [None, Some(Legend::Direct), Some(Legend::Inside), Some(Legend::Outside), Some(Legend::None)] {
        for (width, size) in [("85mm", "8pt"), ("3.3in", "7pt"), ("170mm", "9pt"), ("60mm", "8pt")] {
            for untitled in [true, false] {
                let figure = paper(Look { legend, untitled, styles: Styles::Both, ..look(width, size) });
                let boxes = boxes(&figure);
                apart(&figure, &boxes);
                let named = boxes.iter().filter(|(text, _)| text == "tuned").count();
                assert_eq!(named, usize::from(legend != Some(Legend::None)), "{legend:?} {width}");
            }
        }
    }
}

#[test]
fn panels_share_their_axes() {
    let outcome = outcome(&[5.0, 50.0, 500.0, 5000.0, 100.0], 3);
    for (columns, legend) in [(None, None), (Some(3), Some(Legend::Direct)), (Some(2), Some(Legend::Inside))] {
        let look = Look { columns, legend, untitled: false, ..look("178mm", "8pt") };
        let style = Style { look, labels: Labels::new(vec!["κ = 50=fifty".to_owned()]), ..Style::default() };
        let figure = panels(&outcome, &style).unwrap();
        let boxes = boxes(&figure);
        apart(&figure, &boxes);
        for name in ["κ = 5", "fifty", "κ = 500", "κ = 5,000", "κ = 100"] {
            let name = name.replace(',', "");
            assert_eq!(boxes.iter().filter(|(text, _)| *text == name).count(), 1, "{name} {boxes:?}");
        }
        assert_eq!(figure.charts().len(), 5);
    }
    let chosen = Style { environments: Some(vec!["2".to_owned(), "kappa=5".to_owned()]), ..Style::default() };
    let names: Vec<String> = panels(&outcome, &chosen).unwrap().charts().iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(names, ["κ = 5", "κ = 50"]);
    let mut labelled = outcome;
    labelled.environments[1].environment.label = Some("the usual".to_owned());
    let figure = panels(&labelled, &Style::default()).unwrap();
    assert_eq!((&*figure.charts()[0].0, &*figure.charts()[1].0), ("κ = 5", "the usual"));
}

#[test]
fn sheets_that_are_too_small_are_refused() {
    let error = |look: Look| {
        let style = Style { look, ..Style::default() };
        regret(&environment_runs(50.0, 4), &experiment(&[50.0]), &style).unwrap_err().to_string()
    };
    let narrow = error(look("20mm", "8pt"));
    assert!(narrow.starts_with("width is 20mm") && narrow.contains("font-size"), "{narrow}");
    let low = error(Look { height: Some("10mm".parse().unwrap()), ..look("85mm", "8pt") });
    assert!(low.starts_with("height is 10mm: this figure needs "), "{low}");
    let needed = low.split("needs ").nth(1).unwrap().split(' ').next().unwrap();
    paper(Look { height: Some(needed.parse().unwrap()), ..look("85mm", "8pt") });
}

#[test]
fn numbers_are_those_of_the_curves() {
    for band in [Band::Std, Band::StdErr, Band::Bootstrap, Band::Quantiles, Band::None] {
        let style = Style { band, y: Scale::Log, ..Style::default() };
        let figure = panels(&outcome(&[5.0, 50.0], 4), &style).unwrap();
        let vega: serde_json::Value = serde_json::from_str(&figure.vega().unwrap()).unwrap();
        let rows = vega["data"]["values"].as_array().unwrap();
        let table = figure.csv();
        let mut lines = csv::Reader::from_reader(table.as_bytes());
        let mut records = lines.records().map(Result::unwrap);
        let mut row = rows.iter();
        for (panel, chart) in figure.charts() {
            for series in &chart.series {
                for (i, &(x, y)) in series.points.iter().enumerate() {
                    let (row, record) = (row.next().unwrap(), records.next().unwrap());
                    assert_eq!((row["panel"].as_str(), row["curve"].as_str()), (Some(&**panel), Some(&*series.label)));
                    assert_eq!((row["x"].as_f64(), row["y"].as_f64()), (Some(x), Some(y)));
                    assert_eq!((&record[0], &record[1]), (panel.as_str(), series.label.as_str()));
                    assert_eq!((record[2].parse(), record[3].parse()), (Ok(x), Ok(y)));
                    let edges = series.band.as_ref().map(|band| band[i]).filter(|(low, _)| *low > 0.0);
                    assert_eq!((row["low"].as_f64(), row["high"].as_f64()), edges.unzip());
                    assert_eq!((record[4].parse().ok(), record[5].parse().ok()), edges.unzip());
                }
            }
        }
        assert!(row.next().is_none() && records.next().is_none());
    }
}

#[test]
fn bands_are_what_they_are_called() {
    let width = |band| {
        let figure = paper_band(band);
        let (_, chart) = &figure.charts()[0];
        let (low, high) = *chart.series[1].band.as_ref().unwrap().last().unwrap();
        high - low
    };
    assert!((width(Band::Std) / width(Band::StdErr) - 2.0).abs() < 1e-9, "four runs");
    assert!(width(Band::Bootstrap) > width(Band::StdErr) && width(Band::Bootstrap) < 2.0 * width(Band::Std));
}

fn paper_band(band: Band) -> Figure {
    regret(&environment_runs(50.0, 4), &experiment(&[50.0]), &Style { band, ..Style::default() }).unwrap()
}

#[test]
fn markers_and_dashes_tell_curves_apart_without_colour() {
    let shapes = |styles| {
        let svg = paper(Look { styles, legend: Some(Legend::None), ..look("85mm", "8pt") }).standalone();
        (svg.matches("stroke-dasharray").count(), svg.matches("<circle").count())
    };
    let [colour, lines, markers, both] = [Styles::Colour, Styles::Lines, Styles::Markers, Styles::Both].map(shapes);
    assert_eq!(colour, (0, 0));
    assert_eq!((lines, markers, both), ((2, 0), (0, markers.1), (2, markers.1)));
    assert!(markers.1 >= 4, "{markers:?}");
}

/// Compiles a picture if LaTeX is on the machine. Its structure is checked elsewhere.
#[test]
fn latex_reads_a_picture() {
    use std::process::Command;
    if Command::new("pdflatex").arg("--version").output().is_err() {
        println!("skipped: there is no pdflatex on this machine");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
    let figure = paper(look("85mm", "8pt"));
    write("figure.pgf", &figure.pgf());
    write("all.pgf", &super::tests::everything().pgf());
    write("figure.tex", &figure.latex_snippet("figure.pgf", Format::Pgf));
    let body = "\\input{figure.tex}\n\\input{all.pgf}";
    write(
        "paper.tex",
        &format!("\\documentclass{{article}}\\usepackage{{pgf}}\\begin{{document}}{body}\\end{{document}}"),
    );
    let output = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error", "paper.tex"])
        .current_dir(directory.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
