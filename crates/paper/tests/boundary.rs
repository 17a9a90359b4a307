//! Outlines against regions whose area is known.

use std::f64::consts::PI;

use optimist_paper::boundary::{Outline, Point, Window, trace, trace_closely};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn disc(centre: Point, radius: f64) -> impl Fn(Point) -> bool {
    move |p| (p[0] - centre[0]).hypot(p[1] - centre[1]) <= radius
}

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-3 * expected, "{value} is not {expected}");
}

/// Points at random: the outline and the region agree but for the width of a pencil.
fn agree(outline: &Outline, inside: impl Fn(Point) -> bool, window: Window) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let size = window.high[0] - window.low[0];
    let mut seen = [0; 2];
    for _ in 0..4000 {
        let p = [0, 1].map(|axis| rng.random_range(window.low[axis]..window.high[axis]));
        if outline.distance(p) > 3e-4 * size {
            assert_eq!(outline.contains(p), inside(p), "{p:?}");
            seen[usize::from(inside(p))] += 1;
        }
    }
    assert!(seen[0] > 100 && seen[1] > 100, "{seen:?}");
}

#[test]
fn a_disc_is_one_loop_whose_corners_lie_on_the_circle() {
    let window = Window::square([0.0; 2], 2.0);
    let inside = disc([0.3, -0.2], 1.25);
    for cells in [7, 20, 64] {
        let outline = trace(&inside, window, cells);
        assert_eq!(outline.loops.len(), 1);
        near(outline.area(), PI * 1.25 * 1.25);
        near(outline.hull_area(), outline.area());
        for p in &outline.loops[0] {
            assert!(((p[0] - 0.3).hypot(p[1] + 0.2) - 1.25).abs() < 1e-6, "{p:?}");
        }
        agree(&outline, &inside, window);
    }
}

#[test]
fn holes_run_clockwise_and_pieces_are_apart() {
    let window = Window::square([0.0; 2], 2.0);
    let (outer, hole, island) = (disc([0.0; 2], 1.8), disc([0.1, 0.0], 1.0), disc([0.2, 0.1], 0.5));
    let inside = |p: Point| outer(p) && !hole(p) || island(p);
    let outline = trace(inside, window, 50);
    assert_eq!(outline.loops.len(), 3);
    near(outline.area(), PI * (1.8 * 1.8 - 1.0 + 0.25));
    near(outline.hull_area(), PI * 1.8 * 1.8);
    agree(&outline, inside, window);
}

#[test]
fn regions_that_are_not_convex_keep_their_shape() {
    let window = Window::square([0.0; 2], 1.2);
    let (moon, bite) = (disc([0.0; 2], 1.0), disc([0.6, 0.0], 0.8));
    let inside = |p: Point| moon(p) && !bite(p);
    let outline = trace(inside, window, 60);
    assert!(outline.hull_area() > 1.2 * outline.area());
    agree(&outline, inside, window);
}

#[test]
fn what_leaves_the_window_is_cut_at_its_edge() {
    let window = Window::square([0.0; 2], 1.0);
    let outline = trace(|p| p[0] + p[1] <= 0.0, window, 33);
    near(outline.area(), 2.0);
    assert!(trace(|_| false, window, 10).loops.is_empty());
    near(trace(|_| true, window, 10).area(), 4.0);
}

/// Two quadrants meet in a cell's middle, or in a node: whether they are joined is a matter of taste, the area is not.
#[test]
fn saddles_are_linked() {
    for cells in [20_u8, 21] {
        let trace = |least: f64| trace(|p| p[0] * p[1] > least, Window::square([0.0; 2], 1.0), usize::from(cells));
        let outline = trace(0.0);
        // Where the quadrants meet, up to two halves of a cell are lost or won.
        assert!((outline.area() - 2.0).abs() < 1.1 * (2.0 / f64::from(cells)).powi(2), "{}", outline.area());
        let joined = trace(-1e-2);
        let apart = trace(1e-2);
        assert!(apart.area() < outline.area() && outline.area() < joined.area());
        assert_eq!(apart.loops.len(), 2);
    }
}

#[test]
fn a_closer_look_finds_the_same_region_more_exactly() {
    let window = Window::square([0.0; 2], 100.0);
    let inside = |p: Point| disc([30.0, -20.0], 4.0)(p) && !disc([33.0, -20.0], 2.0)(p);
    let outline = trace_closely(inside, window, 60);
    agree(&outline, inside, Window::square([30.0, -20.0], 4.5));
    assert!(trace_closely(|_| false, window, 10).loops.is_empty());
    near(trace_closely(|p| p[0] >= 0.0, window, 10).area(), 20_000.0);
}
