//! Whole figures, read back by programs that did not write them.

use std::collections::HashSet;

use resvg::tiny_skia::Pixmap;
use resvg::usvg::{Options, Tree};

use super::*;
use crate::experiment::{Arms, Coverage, Drift, Environment, Experiment, PolicySpec, Rewards};
use crate::experiment::{Feedback, NormBound, Redraw, Shape, Truth, log_spaced};
use crate::simulation::Record;
use crate::store::{EnvironmentRuns, Outcome, PolicyRuns};

/// An experiment with three policies.
pub(super) fn experiment(kappas: &[f64]) -> Experiment {
    let environment = |&kappa: &f64| Environment {
        label: None,
        dimension: 2,
        arms: Arms::Drawn { shape: Shape::Ball, count: 40, redraw: Redraw::Run },
        truth: Truth::Kappa(kappa),
        norm_bound: NormBound::Exact,
        feedback: Feedback::default(),
        drift: Drift::None,
        rewards: Rewards::default(),
    };
    Experiment {
        name: "small".to_owned(),
        seed: 1,
        runs: 4,
        horizon: 1000,
        delta: 0.05,
        checkpoints: vec![100, 1000],
        coverage: Coverage::Rounds,
        environments: kappas.iter().map(environment).collect(),
        policies: vec![
            PolicySpec::plain("ofulog-r"),
            PolicySpec::plain("greedy"),
            PolicySpec::plain("glm-ucb").labelled("tuned"),
        ],
    }
}

/// Runs whose regret grows like a root, faster for later policies and runs and for larger kappa.
pub(super) fn outcome(kappas: &[f64], runs: usize) -> Outcome {
    let experiment = experiment(kappas);
    let t = log_spaced(experiment.horizon, 30);
    let record = |rate: f64| Record {
        regret: t.iter().map(|&t| rate * (t as f64).sqrt()).collect(),
        t: t.clone(),
        ..Record::default()
    };
    let runs = |rate: f64| (0..runs).map(|i| (i, record(rate * (1.0 + 0.3 * (i * i) as f64)))).collect();
    let policies = |kappa: f64| {
        let policies = experiment.policies.iter().enumerate();
        policies.map(|(p, c)| PolicyRuns { spec: c.clone(), runs: runs(kappa.ln() * (p + 1) as f64) }).collect()
    };
    let environments = experiment
        .environments
        .iter()
        .zip(kappas)
        .map(|(environment, &kappa)| EnvironmentRuns { environment: environment.clone(), policies: policies(kappa) });
    Outcome { environments: environments.collect(), experiment }
}

/// The runs in one environment.
pub(super) fn environment_runs(kappa: f64, runs: usize) -> EnvironmentRuns {
    outcome(&[kappa], runs).environments.remove(0)
}

/// One of everything, with words that would break careless markup.
pub(super) fn everything() -> Figure {
    let mut canvas = Canvas::new(120.0, 80.0);
    canvas.rect(Rect::new(5.0, 5.0, 50.0, 30.0), Paint::hatch(Ink::Series(2)).edge(Stroke::series(2)));
    canvas.rect(Rect::new(60.0, 5.0, 50.0, 30.0), Paint::hatch(Ink::Series(12)));
    canvas.clipped(Rect::new(0.0, 40.0, 60.0, 40.0), |canvas| {
        canvas.polyline(&[(0.0, 40.0), (f64::NAN, 3.0), (120.0, 80.0)], Stroke::series(11));
        canvas.moved((1.0, 1.0), |canvas| canvas.circle((30.0, 60.0), 9.0, Paint::fill(Ink::Soft(1))));
    });
    canvas.polygon(&[(70.0, 40.0), (90.0, 70.0), (100.0, 45.0)], Paint::fill(Ink::WarnSoft));
    canvas.arrow((10.0, 70.0), (40.0, 50.0), Stroke::new(Ink::Text, 1.0));
    canvas.line((0.0, f64::INFINITY), (1.0, 1.0), Stroke::new(Ink::Text, 1.0));
    canvas.text((5.0, 50.0), &Text::new("<κ> & \"θ\"\u{1}").sub("*").bold().halo().turned(-10.0));
    canvas.finish("a < b & c", "it's \"described\"\u{2}")
}

fn ids(svg: &str) -> Vec<&str> {
    svg.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn files_are_well_formed_and_bitmaps_have_the_size() {
    let figure = everything();
    let tree = Tree::from_str(&figure.standalone(), &Options::default()).unwrap();
    assert_eq!((tree.size().width(), tree.size().height()), (120.0, 80.0));
    let pixmap = Pixmap::decode_png(&figure.png(2.5).unwrap()).unwrap();
    assert_eq!((pixmap.width(), pixmap.height()), (300, 200));
}

const SHEET: Rect = Rect { x: 0.0, y: 0.0, width: 100.0, height: 100.0 };

#[test]
fn bitmaps_show_letters_colours_and_hatches() {
    let share = |draw: fn(&mut Canvas)| {
        let mut canvas = Canvas::new(100.0, 100.0);
        draw(&mut canvas);
        let pixmap = Pixmap::decode_png(&canvas.finish("", "").png(1.0).unwrap()).unwrap();
        let inked = pixmap.pixels().iter().filter(|p| p.red() < 160).count();
        inked as f64 / 1e4
    };
    assert_eq!(share(|_| {}), 0.0);
    assert!(share(|canvas| canvas.text((5.0, 80.0), &Text::new("M").size(100.0))) > 0.1);
    assert_eq!(share(|canvas| canvas.rect(SHEET, Paint::fill(Ink::Series(0)))), 1.0);
    let hatched = share(|canvas| canvas.rect(SHEET, Paint::hatch(Ink::Text)));
    assert!((0.05..0.5).contains(&hatched), "{hatched}");
    let clipped = share(|canvas| {
        canvas.clipped(Rect::new(0.0, 0.0, 50.0, 100.0), |canvas| {
            canvas.rect(SHEET, Paint::fill(Ink::Text));
        });
    });
    assert_eq!(clipped, 0.5);
}

#[test]
fn figures_share_a_page() {
    let figure = everything();
    let page = figure.inline("a 1") + &figure.inline("b");
    let (all, different) = (ids(&page).len(), ids(&page).into_iter().collect::<HashSet<_>>().len());
    assert_eq!((all, different), (8, 8), "title, description, one hatch and one clip each");
    for reference in page.split("url(#").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(ids(&page).contains(&reference), "{reference}");
    }
    assert!(
        !page.contains(format::PREFIX) && !page.contains("<?xml") && !page.contains("NaN") && !page.contains("inf")
    );
}

#[test]
fn bodies_have_no_literal_colours() {
    let svg = everything().inline("x").replace("url(#", "");
    assert!(!svg.contains("=\"#") && !svg.contains("rgb"), "{svg}");
}

#[test]
fn sizes_without_a_bitmap_are_refused() {
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e6] {
        let error = everything().png(scale).unwrap_err().to_string();
        assert!(error.starts_with("scale = ") && !error.contains('\n'), "{error}");
    }
}

fn series(label: &str, ink: usize, points: &[Point]) -> Series {
    Series { label: label.to_owned(), ink, points: points.to_vec(), ..Series::default() }
}

fn chart(series: Vec<Series>) -> Chart {
    Chart {
        title: "A small chart".to_owned(),
        subtitle: "with two curves".to_owned(),
        x: Axis { label: "round".to_owned(), scale: Scale::Log, range: None },
        y: Axis { label: "regret".to_owned(), scale: Scale::Linear, range: None },
        series,
        guides: vec![Guide::Horizontal { at: 4.0, label: "limit".to_owned() }],
    }
}

#[test]
fn a_small_chart() {
    let mut first = series("first <1>", 0, &[(1.0, 0.5), (10.0, 2.0), (100.0, 6.0)]);
    first.band = Some(vec![(0.2, 0.8), (1.0, 3.0), (4.0, 8.0)]);
    let mut second = series("second", 1, &[(1.0, 1.0), (100.0, 5.9)]);
    second.mark = Mark::LineAndDots;
    second.bars = Some(vec![(0.5, 1.5), (5.0, 6.5)]);
    insta::assert_snapshot!(chart(vec![first, second]).draw().inline("small"));
}

#[test]
fn strange_data_make_figures_all_the_same() {
    let points: [&[Point]; 6] = [
        &[],
        &[(f64::NAN, 1.0), (1.0, f64::INFINITY)],
        &[(0.0, 0.0), (-1.0, -1.0)],
        &[(5.0, 5.0)],
        &[(1e-300, 1e299), (1e299, -1e299)],
        &[(3.0, 2.0), (3.0, 2.0)],
    ];
    let long = "a label that is far too long for any figure, and then some more of it, & <markup> ".repeat(3);
    for (x, y) in [(Scale::Linear, Scale::Linear), (Scale::Log, Scale::Log), (Scale::Log, Scale::Linear)] {
        for points in points {
            let mut one = series(&long, 3, points);
            one.band = Some(points.iter().map(|p| (p.1 - 1.0, p.1 + 1.0)).collect());
            one.bars = one.band.clone();
            one.mark = Mark::LineAndDots;
            let mut chart = chart(vec![one, series("", 40, points)]);
            (chart.title, chart.subtitle, chart.x.label) = (long.clone(), long.clone(), long.clone());
            (chart.x.scale, chart.y.scale) = (x, y);
            chart.x.range = Some((f64::NAN, 1.0));
            chart.guides.push(Guide::Slope { through: (1.0, 0.0), slope: 0.5, label: long.clone() });
            chart.guides.push(Guide::Vertical { at: -1.0, label: long.clone() });
            let svg = chart.draw().standalone();
            assert!(Tree::from_str(&svg, &Options::default()).is_ok());
            assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
        }
    }
}

fn spot(name: &str, at: Point, ink: usize, emphasis: Emphasis) -> Spot {
    Spot { at, error: 0.02, ink, emphasis, hollow: ink % 2 == 1, name: name.to_owned(), detail: "a setting".to_owned() }
}

fn scatter(spots: Vec<Spot>) -> Scatter {
    let entry = |emphasis, text: &str| KeyEntry { emphasis, hollow: false, text: text.to_owned() };
    Scatter {
        title: "A small scatter".to_owned(),
        subtitle: "with a level".to_owned(),
        x: Axis { label: "time".to_owned(), scale: Scale::Log, range: None },
        y: Axis { label: "mistakes".to_owned(), ..Axis::default() },
        spots,
        levels: vec![Level { at: 0.1, label: "limit".to_owned() }],
        key: vec![entry(Emphasis::Plain, "named"), entry(Emphasis::Faint, "others")],
    }
}

#[test]
fn a_small_scatter() {
    let spots = vec![
        spot("first <1>", (5.0, 0.2), 1, Emphasis::Strong),
        spot("second", (60.0, 0.25), 0, Emphasis::Plain),
        spot("third", (80.0, 0.5), 2, Emphasis::Faint),
    ];
    insta::assert_snapshot!(scatter(spots).draw().inline("small"));
}

/// As many names as a crowd of libraries has, many of them for nearly the same point.
#[test]
fn names_of_a_crowd_neither_overlap_nor_leave_the_figure() {
    let emphasis = |i: usize| [Emphasis::Plain, Emphasis::Faint, Emphasis::Faint, Emphasis::Strong][i % 4];
    for (count, spread) in [(1, 0.0), (8, 0.0), (30, 0.1), (30, 1.0), (44, 1.0)] {
        let place = |i: usize| {
            let part = |step: usize| ((i * step) % 61) as f64 / 61.0 * spread;
            (10f64.powf(4.0 * part(17)), 0.2 + 0.3 * part(23))
        };
        let name = |i: usize| format!("library {i}{}", " with a name".repeat(i % 3));
        let spots = (0..count).map(|i| spot(&name(i), place(i), i, emphasis(i))).collect();
        let figure = scatter(spots).draw();
        let boxes = boxes(&figure);
        let named = (0..count).filter(|i| emphasis(*i) != Emphasis::Faint).count();
        let names = boxes.iter().filter(|(text, _)| text.starts_with("library")).count();
        assert_eq!(names, named, "{count} points, spread over {spread}");
        apart(&figure, &boxes);
    }
}

#[test]
fn strange_points_make_scatters_all_the_same() {
    let strange = [(f64::NAN, 1.0), (0.0, 0.5), (-1.0, f64::INFINITY), (1e299, 1e-300), (3.0, 2.0), (3.0, 2.0)];
    for count in 0..=strange.len() {
        let mut all: Vec<Spot> = strange[..count].iter().map(|at| spot("", *at, 3, Emphasis::Plain)).collect();
        all.extend(strange[..count].iter().map(|at| spot(&"far too long ".repeat(30), *at, 40, Emphasis::Strong)));
        all.iter_mut().skip(1).for_each(|spot| spot.error = f64::NAN);
        let mut scatter = scatter(all);
        scatter.levels.push(Level { at: f64::NAN, label: "nowhere".to_owned() });
        scatter.key[0].text = "far too long ".repeat(30);
        let svg = scatter.draw().standalone();
        assert!(Tree::from_str(&svg, &Options::default()).is_ok());
        let (_, body) = svg.split_once("</desc>").unwrap();
        assert!(!body.contains("NaN") && !body.contains("inf\""), "{body}");
    }
}

/// Where texts are, by the renderer's own measure.
pub(super) fn boxes(figure: &Figure) -> Vec<(String, [f32; 4])> {
    fn collect(group: &resvg::usvg::Group, out: &mut Vec<(String, [f32; 4])>) {
        for node in group.children() {
            match node {
                resvg::usvg::Node::Group(inner) => collect(inner, out),
                resvg::usvg::Node::Text(text) => {
                    let b = text.abs_bounding_box();
                    let words = text.chunks().iter().map(|chunk| chunk.text()).collect();
                    out.push((words, [b.left(), b.top(), b.right(), b.bottom()]));
                }
                _ => {}
            }
        }
    }
    let mut out = Vec::new();
    collect(figure.tree().unwrap().root(), &mut out);
    out
}

#[test]
fn texts_neither_overlap_nor_leave_the_figure() {
    for count in [1, 2, 5, 14, 15, 26] {
        let name = |i: usize| format!("{}policy-{i}", "long-".repeat(i % 7));
        let all = (0..count).map(|i| series(&name(i), i, &[(1.0, 0.0), (10_000.0, (i / 3) as f64)])).collect();
        let mut chart = chart(all);
        chart.title = "A title that is long enough to need a second line, because it tells the whole story".to_owned();
        let figure = chart.draw();
        let boxes = boxes(&figure);
        assert!(boxes.len() > count + 8, "{count} series, {} texts", boxes.len());
        apart(&figure, &boxes);
    }
}

pub(super) fn apart(figure: &Figure, boxes: &[(String, [f32; 4])]) {
    for (i, (text, a)) in boxes.iter().enumerate() {
        assert!(a[0] >= 0.0 && a[1] >= 0.0, "{text} {a:?}");
        assert!(a[2] <= figure.width() as f32 && a[3] <= figure.height() as f32, "{text} {a:?}");
        for (other, b) in &boxes[..i] {
            let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] + 4.0 || b[3] <= a[1] + 4.0;
            assert!(apart, "{text} {a:?} overlaps {other} {b:?}");
        }
    }
}
