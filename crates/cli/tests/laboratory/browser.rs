//! Reports in a browser: what a telephone shows of them, and figures saved from the one file. Without Chromium these
//! tests say that they were left out; `OPTIMIST_FULL=1` wants one.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::home::{Home, SMALL};
use crate::command::stderr;

/// The browser, if there is one.
fn chromium() -> Option<&'static str> {
    let is_there =
        |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(is_there);
    assert!(found.is_some() || !is_full(), "no Chromium is installed");
    if found.is_none() {
        eprintln!("left out: no Chromium is installed");
    }
    found
}

fn is_full() -> bool {
    env::var("OPTIMIST_FULL").is_ok_and(|value| value == "1")
}

/// Every page, and the answers of its script.
const ANSWER: &str = "
  const show = (text) => {
    const place = document.createElement('pre');
    place.id = 'answer';
    place.textContent = btoa(unescape(encodeURIComponent(text)));
    document.body.append(place);
  };
  const answer = (value) =>
    parent === window ? show(JSON.stringify(value)) : parent.postMessage(JSON.stringify([NUMBER, value]), '*');
";

/// Writes a page in which a script runs when it has been loaded; the script calls `answer(value)`.
fn prepare(home: &Home, number: usize, page: &str, script: &str) -> String {
    let answer = ANSWER.replace("NUMBER", &number.to_string());
    let run = format!("<script>{answer}addEventListener('load', async () => {{ {script} }});</script></body>");
    let name = format!("page-{number}.html");
    home.write(&name, &page.replace("</body>", &run));
    name
}

/// The answer of a page in a window.
fn ask(browser: &str, home: &Home, page: &str, script: &str) -> Value {
    shown(browser, home, &prepare(home, 0, page, script))
}

/// The answers of pages in frames of some widths, since no window is as narrow as a telephone.
fn ask_frames(browser: &str, home: &Home, pages: &[(&str, u32)], script: &str) -> Vec<Value> {
    let frames: String = (pages.iter().enumerate())
        .map(|(i, (page, width))| {
            let name = prepare(home, i, page, script);
            format!("<iframe src=\"{name}\" width=\"{width}\" height=\"800\" style=\"border: 0\"></iframe>\n")
        })
        .collect();
    let listen = format!(
        "const all = {{}}; addEventListener('message', (event) => {{ const [i, value] = JSON.parse(event.data); \
         all[i] = value; if (Object.keys(all).length === {}) show(JSON.stringify(all)); }});",
        pages.len()
    );
    home.write("frames.html", &format!("<!DOCTYPE html><body><script>{ANSWER}{listen}</script>\n{frames}</body>"));
    let mut all = shown(browser, home, "frames.html");
    (0..pages.len()).map(|i| all[i.to_string()].take()).collect()
}

/// What a page answers. The browser's clock jumps, and on a busy machine it may end before the page has been read: then it is
/// asked again.
fn shown(browser: &str, home: &Home, name: &str) -> Value {
    let url = format!("file://{}", home.path(name).display());
    let answers = (0..10).map(|_| {
        let profile = tempfile::tempdir().expect("a place");
        let output = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"])
            .args(["--virtual-time-budget=20000", "--window-size=1200,1000", "--dump-dom", &url])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .output()
            .expect("the browser starts");
        let dom = String::from_utf8(output.stdout).expect("text");
        let said = dom.split("<pre id=\"answer\">").nth(1).and_then(|rest| rest.split('<').next());
        said.unwrap_or_default().to_owned()
    });
    let said = answers.into_iter().find(|said| !said.is_empty()).expect("an answer");
    serde_json::from_slice(&from_base64(&said)).expect("JSON")
}

fn from_base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<u32> =
        text.bytes().filter_map(|b| DIGITS.iter().position(|d| *d == b).map(|at| at as u32)).collect();
    let mut bytes = Vec::new();
    for four in digits.chunks(4) {
        let bits = four.iter().enumerate().fold(0, |bits, (i, digit)| bits | digit << (18 - 6 * i));
        bytes.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}

/// What leaves the screen of a telephone: elements that are wider than it and cannot be moved by themselves.
const MEASURE: &str = r"
  const seen = (element) => { const r = element.getBoundingClientRect(); return [r.left, r.right, r.height]; };
  document.querySelectorAll('.scroll').forEach((table) => { table.scrollLeft = 100000; });
  answer({
    page: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
    tables: [...document.querySelectorAll('.scroll')].map(seen),
    captions: [...document.querySelectorAll('caption span, figcaption, h1, h2, p')].map(seen),
    names: [...document.querySelectorAll('figure')].map((figure) => [...figure.querySelectorAll('.names li')].map(seen)),
  });
";

/// The pages of the three commands that write one, on two telephones and on a desk.
#[test]
fn a_telephone_shows_names_and_captions() {
    let Some(browser) = chromium() else { return };
    let home = Home::with(SMALL);
    home.answer(&["run", "experiment.toml", "--out", "run"]);
    home.answer(&["paper", "--out", "paper", "--only", "transitory", "--runs", "2", "--horizon", "50"]);
    // A long name without a place to break it.
    let (seeds, table) =
        (concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/seeds.csv"), "seeds-".repeat(12) + ".csv");
    fs::copy(seeds, home.path(&table)).expect("a copy");
    let replay =
        home.run(&["replay", &table, "--label", "kind", "--orders", "1", "--policy", "greedy", "--out", "replay"]);
    assert_eq!(replay.status.code(), Some(0), "{}", stderr(&replay));
    for name in ["run", "paper", "replay"] {
        let page = home.read(&format!("{name}/report.html"));
        let widths = [360, 400, 1000];
        let pages = widths.map(|width| (page.as_str(), width));
        let found = ask_frames(browser, &home, &pages, MEASURE);
        for (found, width) in found.iter().zip(widths) {
            assert_eq!(found["page"], found["window"], "{name} can be moved sideways at {width}");
            check_places(found, width, name);
        }
    }
}

/// Whether everything that must be seen is within the screen, and the names of curves below them where these are cut.
fn check_places(found: &Value, width: u32, name: &str) {
    let at = |place: &Value, i: usize| place[i].as_f64().expect("a number");
    let inside = |place: &Value| at(place, 0) >= 0.0 && at(place, 1) <= f64::from(width) && at(place, 2) > 0.0;
    for what in ["tables", "captions"] {
        let places = found[what].as_array().expect("a list");
        assert!(!places.is_empty() && places.iter().all(inside), "{name}, {what} at {width}: {places:?}");
    }
    let names: Vec<&Value> =
        found["names"].as_array().expect("a list").iter().flat_map(Value::as_array).flatten().collect();
    assert!(!names.is_empty(), "{name}: no names");
    let is_narrow = width < 500;
    assert!(
        names.iter().all(|place| if is_narrow { inside(place) } else { at(place, 2) == 0.0 }),
        "{name} at {width}: {names:?}"
    );
}

/// Clicks the links of all figures to SVG, and reads what would be saved. (A bitmap is drawn while the clock of this
/// browser, which jumps, does not wait for it.)
const SAVE: &str = r"
  const saved = [];
  const names = [];
  URL.createObjectURL = (blob) => { saved.push(blob); return 'blob:'; };
  HTMLAnchorElement.prototype.click = function () { names.push(this.download); };
  document.querySelectorAll('.files a[download$=svg]').forEach((link) =>
    link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })));
  await new Promise((done) => setTimeout(done, 10));
  const files = {};
  for (const [i, name] of names.entries()) files[name] = await saved[i].text();
  answer(files);
";

/// Elements with their attributes and texts, in order, without the prefix of ids that a figure has on a page.
fn content(svg: &str) -> Vec<String> {
    let text = svg.to_owned();
    let document = roxmltree::Document::parse(&text).expect("SVG");
    let labels = document.root_element().attribute("aria-labelledby").expect("a label");
    let prefix = labels.split_whitespace().next().and_then(|id| id.strip_suffix("title")).expect("an id").to_owned();
    let plain = |text: &str| if prefix.is_empty() { text.to_owned() } else { text.replace(&prefix, "") };
    let elements = document.descendants().filter(roxmltree::Node::is_element);
    elements
        .map(|node| {
            let attributes: BTreeMap<&str, String> = node.attributes().map(|a| (a.name(), plain(a.value()))).collect();
            format!("{} {attributes:?} {:?}", node.tag_name().name(), node.text().map(str::trim))
        })
        .collect()
}

/// One of the long tests: beside others the browser may give up on the page several times before it has been read.
#[test]
fn every_drawing_can_be_saved_from_the_one_file() {
    let Some(browser) = chromium().filter(|_| is_full()) else { return };
    let home = Home::with(SMALL);
    home.answer(&["run", "experiment.toml", "--out", "here"]);
    // Nothing but the page is there.
    let page = home.read("here/report.html");
    let alone = Home::with(SMALL);
    let saved = ask(browser, &alone, &page, SAVE);
    let saved = saved.as_object().expect("files");
    let files = home.files("here/figures");
    let drawings = files.iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "svg"));
    let mut count = 0;
    for (path, bytes) in drawings {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let text = saved[name].as_str().expect("text");
        assert_eq!(content(text), content(std::str::from_utf8(bytes).expect("text")), "{name}");
        count += 1;
    }
    assert_eq!((count, saved.len(), page.matches(".png\" download=").count()), (9, 9, 9));
}
