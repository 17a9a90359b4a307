//! Whole figures, read back by programs that did not write them.

use std::collections::HashSet;

use resvg::tiny_skia::Pixmap;
use resvg::usvg::{Options, Tree};

use super::*;

/// One of everything, with words that would break careless markup.
fn everything() -> Figure {
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
        !page.contains(picture::PREFIX) && !page.contains("<?xml") && !page.contains("NaN") && !page.contains("inf")
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

#[test]
fn numbers_have_two_decimals_at_most() {
    let written: Vec<String> = [0.0, -0.001, 1.0, 100.0, 2.345_67, -3.5].map(canvas::number).to_vec();
    assert_eq!(written, ["0", "0", "1", "100", "2.35", "-3.5"]);
}
