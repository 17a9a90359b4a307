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

#[test]
fn a_figure_for_a_paper_comes_in_every_format_with_lines_for_latex() {
    let home = finished();
    let formats = "svg,png,pdf,pgf,vega,csv";
    let output = home.run(&[
        "plot",
        "here",
        "--out",
        "paper",
        "--format",
        formats,
        "--width",
        "85mm",
        "--font-size",
        "8pt",
        "--no-title",
        "--styles",
        "both",
        "--legend",
        "outside",
        "--label",
        "optimist=Ours",
        "--figures",
        "regret",
        "--x-label",
        "t",
    ]);
    assert!(output.status.success(), "{output:?}");
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let svg = figure(&home, &names);
    assert!(
        svg.contains(">Ours</text>") && svg.contains("width=\"85mm\"") && !svg.contains(">optimist</text>"),
        "{svg}"
    );
    for end in ["regret.svg", ".png", ".pdf", ".pgf", ".vl.json", ".csv", ".tex"] {
        assert!(names.lines().any(|name| name.ends_with(end)), "{end}: {names}");
    }
    let snippet = String::from_utf8_lossy(&output.stderr).into_owned();
    let tex = names.lines().find(|name| name.ends_with(".tex")).expect("lines for LaTeX");
    let kept = std::fs::read_to_string(home.path(tex)).expect("text");
    assert!(snippet.contains(&kept) && kept.contains("\\includegraphics[width=85mm]{"), "{snippet} {kept}");
}

#[test]
fn options_outdo_the_style_file_which_print_style_shows() {
    let home = finished();
    let style = home.answer(&["plot", "--print-style"]);
    std::fs::write(home.path("paper.toml"), &style).expect("a file");
    let plain = figure(&home, &home.answer(&["plot", "here", "--out", "drawn"]));
    assert_eq!(figure(&home, &home.answer(&["plot", "here", "--out", "drawn", "--style", "paper.toml"])), plain);
    std::fs::write(home.path("paper.toml"), "y-label = \"loss\"\nx-label = \"days\"\nformat = \"svg\"\n")
        .expect("a file");
    let names = home.answer(&["plot", "here", "--out", "drawn", "--style", "paper.toml", "--x-label", "hours"]);
    let svg = figure(&home, &names);
    assert!(svg.contains(">loss<") && svg.contains(">hours<") && !svg.contains(">days<"), "{svg}");
    assert!(names.lines().all(|name| name.ends_with(".svg")), "{names}");
    std::fs::write(home.path("paper.toml"), "colour = 3\nfontsize = \"8pt\"\n").expect("a file");
    let message = home.refused(&["plot", "here", "--style", "paper.toml"]);
    assert!(message.contains("paper.toml: colour is not a key"), "{message}");
    let message = home.refused(&["plot", "here", "--style", "nowhere.toml"]);
    assert!(message.contains("nowhere.toml: no such file"), "{message}");
}

#[test]
fn wrong_looks_are_refused_with_the_remedy_and_nothing_is_written() {
    let home = finished();
    for (arguments, words) in [
        (&["--width", "85"][..], "--width is \"85\": give a number with a unit"),
        (&["--width", "10mm"], "width is 10mm: letters of this size need"),
        (&["--format", "eps"], "--format is \"eps\""),
        (&["--environments", "kappa=7"], "environments: \"kappa=7\" is none"),
        (&["--label", "nobody=X"], "\"nobody\" is neither a policy nor an environment"),
        (&["--font-file", "nowhere.ttf"], "--font-file is \"nowhere.ttf\""),
        (&["--figures", "sweep", "--environments", "1"], "draw \"regret\""),
    ] {
        let message = home.refused(&[&["plot", "here", "--out", "drawn"], arguments].concat());
        assert!(message.contains(words), "{arguments:?}: {message}");
    }
    assert!(!home.path("drawn").exists());
}
