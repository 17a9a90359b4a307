//! The report: sound HTML that needs nothing from elsewhere, and the figures it speaks of.

use std::collections::HashSet;

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use super::home::{Home, SMALL};

/// An element: its name, its attributes, the texts directly in it, and the names of its child elements.
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
    children: Vec<String>,
}

impl Element {
    fn get(&self, attribute: &str) -> Option<&str> {
        self.attributes.iter().find(|(name, _)| name == attribute).map(|(_, value)| value.as_str())
    }
}

fn name_of(node: &Handle) -> Option<String> {
    if let NodeData::Element { name, .. } = &node.data { Some(name.local.to_string()) } else { None }
}

fn walk(node: &Handle, elements: &mut Vec<Element>) {
    if let NodeData::Element { attrs, .. } = &node.data {
        let attributes = attrs.borrow().iter().map(|a| (a.name.local.to_string(), a.value.to_string())).collect();
        let children = node.children.borrow();
        let texts = children.iter().filter_map(|child| match &child.data {
            NodeData::Text { contents } => Some(contents.borrow().to_string()),
            _ => None,
        });
        let (name, text) = (name_of(node).expect("an element"), texts.collect());
        elements.push(Element { name, attributes, text, children: children.iter().filter_map(name_of).collect() });
    }
    node.children.borrow().iter().for_each(|child| walk(child, elements));
}

/// All elements of a page in which the parser of browsers finds no error.
fn elements(html: &str) -> Vec<Element> {
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(html);
    assert!(dom.errors.borrow().is_empty(), "{:?}", dom.errors.borrow());
    let mut elements = Vec::new();
    walk(&dom.document, &mut elements);
    elements
}

#[test]
fn the_parser_finds_errors() {
    let wrong = "<!DOCTYPE html><title>t</title><p><b>x</p></b></div>";
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(wrong);
    assert!(!dom.errors.borrow().is_empty());
}

fn check_page(home: &Home, directory: &str) {
    let html = home.read(&format!("{directory}/report.html"));
    let all = elements(&html);
    let ids: Vec<&str> = all.iter().filter_map(|element| element.get("id")).collect();
    let unique: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "ids are used twice: {ids:?}");
    for element in &all {
        let labels = ["aria-labelledby", "aria-describedby"].into_iter().filter_map(|name| element.get(name));
        for target in labels.flat_map(str::split_whitespace) {
            assert!(unique.contains(target), "{target} is nowhere");
        }
        assert!(element.get("src").is_none() && element.get("onload").is_none(), "{}", element.name);
        // Samples of curves, beside their names, are not figures.
        if element.name == "svg" && element.get("role").is_none() {
            continue;
        }
        if let Some(target) = element.get("href") {
            let exists = match target.strip_prefix('#') {
                Some(id) => unique.contains(id),
                None => home.path(directory).join(target).is_file(),
            };
            assert!(exists, "{target} is nowhere");
        }
        if element.name == "svg" {
            assert_eq!(element.children.first().map(String::as_str), Some("title"));
        }
    }
    let count = |name: &str| all.iter().filter(|element| element.name == name).count();
    assert_eq!((count("h1"), count("script"), count("link"), count("img")), (1, 1, 0, 0));
    assert!(count("svg") >= 1 && count("table") >= 1);
    for elsewhere in ["http:", "https:", "@import", "url(h", "url(/", "//cdn"] {
        assert!(!html.contains(elsewhere), "{elsewhere}");
    }
}

#[test]
fn reports_are_sound_html() {
    let home = Home::with(SMALL);
    home.answer(&["run", "experiment.toml", "--out", "here"]);
    check_page(&home, "here");
    let html = home.read("here/report.html");
    let all = elements(&html);
    let title = all.iter().find(|element| element.name == "h1").expect("a heading");
    assert_eq!(title.text, "Small <trial> & more");
    // Labels are text wherever they stand: in the table, in the figures, in what figures are called.
    let label = "greedy, \"as <it> is\"";
    for name in ["th", "text"] {
        assert!(all.iter().any(|element| element.name == name && element.text.contains(label)), "{name}");
    }
    assert!(all.iter().all(|element| element.name != "it" && element.name != "trial"));
    // Two environments with four tables (differences, results, parts, bounds) and four figures (regret twice, parts, bounds)
    // each, one table of who beats whom, and one figure for what was varied.
    let count = |name: &str| all.iter().filter(|element| element.name == name).count();
    let drawings = all.iter().filter(|element| element.get("class") == Some("figure") && element.get("role").is_some());
    assert_eq!((count("table"), drawings.count(), count("figure")), (9, 9, 9));
    // The page shows the mean that the summary has.
    let mean = home.json("here/summary.json")["cells"][1]["policies"][3]["regret"]["mean"].as_f64().expect("a mean");
    let row =
        html.split("<tr>").skip(1).filter(|row| row.contains(">ofulog-r<")).nth(7).expect("a row of the seventh table");
    let cell = row.split("<td>").nth(1).and_then(|cell| cell.split('<').next()).expect("a cell");
    assert!((cell.parse::<f64>().expect("a number") / mean - 1.0).abs() < 0.01, "{cell} {mean}");
}

#[test]
fn reports_of_parts_and_of_one_run_are_sound() {
    let home = Home::with(SMALL);
    home.answer(&["run", "experiment.toml", "--out", "part", "--shard", "2/3"]);
    check_page(&home, "part");
    let single = SMALL.replace("runs = 3", "runs = 1").replace("horizon = 200", "horizon = 1");
    home.write("single.toml", &single.replace("[20, 200]", "50"));
    home.answer(&["run", "single.toml", "--out", "single"]);
    check_page(&home, "single");
}

#[test]
fn figures_are_there_as_svg_and_png() {
    let home = Home::with(SMALL);
    home.answer(&["run", "experiment.toml", "--out", "here"]);
    let files = home.files("here/figures");
    assert_eq!(files.len(), 18);
    for (path, bytes) in files {
        let name = path.display();
        if path.extension().is_some_and(|end| end == "png") {
            assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n", "{name}");
            let size = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            assert!(size(16) > 400 && size(20) > 300, "{name}: {} x {}", size(16), size(20));
        } else {
            let text = std::str::from_utf8(&bytes).expect("text");
            let svg = roxmltree::Document::parse(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            let root = svg.root_element();
            assert_eq!(
                (root.tag_name().name(), root.tag_name().namespace()),
                ("svg", Some("http://www.w3.org/2000/svg"))
            );
            assert!(root.children().any(|child| child.has_tag_name("title") || child.tag_name().name() == "title"));
            assert!(svg.descendants().all(|node| node.tag_name().name() != "image"), "{name}");
        }
    }
}
