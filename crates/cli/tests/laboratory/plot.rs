//! Figures drawn anew.

use std::path::PathBuf;

use super::home::{Home, SMALL};

fn finished() -> Home {
    let home = Home::with(SMALL);
    home.answer(&["run", "experiment.toml", "--out", "here"]);
    home
}

/// The text of the first figure of regret that was written; all names must be of files.
fn figure(home: &Home, names: &str) -> String {
    let paths: Vec<PathBuf> = names.lines().map(|name| home.path(name)).collect();
    assert!(!paths.is_empty() && paths.iter().all(|path| path.is_file()), "{names}");
    let is_regret = |path: &&PathBuf| path.to_string_lossy().ends_with("regret.svg");
    std::fs::read_to_string(paths.iter().find(is_regret).expect("a figure of regret")).expect("text")
}

#[test]
fn figures_go_into_the_directory_unless_told_otherwise() {
    let home = finished();
    let before = home.files("here");
    let names = home.answer(&["plot", "here", "--out", "elsewhere/deep", "--band", "none"]);
    assert!(names.lines().all(|name| name.starts_with("elsewhere/deep/")), "{names}");
    assert_eq!(names.lines().count(), home.files("elsewhere").len());
    assert_eq!(before, home.files("here"), "the results are left alone");
    let names = home.answer(&["plot", "here"]);
    assert!(names.lines().all(|name| name.starts_with("here/plots/")), "{names}");
    // The figures to which the report links stay as they are, and the same style draws the same.
    let after = home.files("here");
    assert!(before.iter().all(|file| after.contains(file)), "nothing else is changed");
    assert_eq!(after.len() - before.len(), names.lines().count());
    for name in names.lines() {
        let drawn = std::fs::read(home.path(name)).expect("a figure");
        assert_eq!(drawn, std::fs::read(home.path(&name.replace("plots", "figures"))).expect("a figure"), "{name}");
    }
}

#[test]
fn bands_and_axes_change_the_figure() {
    let home = finished();
    let draw = |arguments: &[&str]| {
        let out = ["plot", "here", "--out", "drawn"];
        figure(&home, &home.answer(&[&out, arguments].concat()))
    };
    let figures = [
        draw(&[]),
        draw(&["--band", "quantiles"]),
        draw(&["--band", "none"]),
        draw(&["--axes", "log"]),
        draw(&["--axes", "log-x"]),
        draw(&["--axes", "log-y"]),
    ];
    for (i, figure) in figures.iter().enumerate() {
        assert!(figures[..i].iter().all(|other| other != figure), "two styles draw the same");
    }
    assert_eq!(draw(&["--band", "std", "--axes", "linear"]), figures[0]);
    let output = home.run(&["plot", "here", "--band", "all"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && message.contains("quantiles"), "{message}");
}

#[test]
fn policies_are_selected() {
    let home = finished();
    let draw =
        |policies: &str| figure(&home, &home.answer(&["plot", "here", "--out", "drawn", "--policies", policies]));
    let two = draw("laplace-ts,ofulog-r");
    assert!(two.contains("laplace-ts") && two.contains("ofulog-r"));
    assert!(!two.contains("greedy") && !two.contains(">optimist<"));
    let message = home.refused(&["plot", "here", "--out", "drawn", "--policies", "laplace-ts,nobody"]);
    assert!(message.contains("\"nobody\"") && message.contains("optimist, laplace-ts, greedy"), "{message}");
}

#[test]
fn figures_that_cannot_be_written_are_named() {
    let home = finished();
    let output = home.run(&["plot", "here", "--out", "experiment.toml"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), message.lines().count()), (Some(1), 1), "{message}");
    assert!(message.contains("experiment.toml") && message.contains("cannot be written"), "{message}");
}
