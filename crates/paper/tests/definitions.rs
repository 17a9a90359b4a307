//! The two illustrated arm sets against their definitions.

use optimist_paper::definitions::{Arms, draw_detrimental, draw_kappas, examples};

/// mu'(z).
fn slope(z: f64) -> f64 {
    1.0 / (2.0 + z.exp() + (-z).exp())
}

#[test]
fn constants_and_shares_are_those_of_a_fine_grid_of_arms() {
    let examples = examples(22.0).unwrap();
    for example in &examples {
        let length = 10_f64.acosh();
        let arms = (0..1000).flat_map(|i| (0..1000).map(move |j| [i, j].map(|v| (f64::from(v) - 499.5) / 500.0)));
        let odds: Vec<f64> = arms
            .filter(|x| x[0].hypot(x[1]) <= 1.0 && (example.arms == Arms::Ball || x[0] <= 0.0))
            .map(|x| length * x[0])
            .collect();
        let best = odds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let worst = odds.iter().copied().fold(f64::INFINITY, f64::min);
        // The grid's arms nearest to the edge are a thousandth away from it.
        assert!((example.worst - worst).abs() < 0.01 && (example.instance.best() - best).abs() < 0.01);
        let flattest = odds.iter().map(|&z| 1.0 / slope(z)).fold(0.0, f64::max);
        assert!((example.instance.kappa_x() - flattest).abs() < 0.1, "{flattest}");
        assert!((1.0 / slope(example.worst) - example.instance.kappa_x()).abs() < 1e-9);
        assert!((1.0 / slope(best) - example.instance.kappa_star()).abs() < 0.1);
        let rule = |z: f64| if example.arms == Arms::Ball { z <= -1.0 } else { slope(z) <= 1.0 / 8.0 };
        let share = odds.iter().filter(|&&z| rule(z)).count() as f64 / odds.len() as f64;
        assert!((example.detrimental_share - share).abs() < 3e-3, "{share} {}", example.detrimental_share);
    }
    assert!((examples[0].instance.kappa_star() - 4.0).abs() < 1e-12);
}

#[test]
fn figures_print_what_was_computed() {
    let examples = examples(22.0).unwrap();
    let (kappas, detrimental) = (draw_kappas(&examples), draw_detrimental(&examples));
    for figure in [&kappas, &detrimental] {
        let svg = figure.standalone();
        assert!(svg.contains("−2.99") && !svg.contains("NaN") && !svg.contains("inf"));
    }
    assert!(kappas.standalone().contains(" = 1/4") && kappas.standalone().contains(" = 1/22"));
    assert!(detrimental.standalone().contains(" ≤ −1.76") && detrimental.standalone().contains("= 1/8"));
    assert!(detrimental.description.contains("-1.76"));
}

#[test]
fn a_parameter_without_direction_is_refused() {
    for kappa in [4.0, 0.0, f64::NAN, f64::INFINITY] {
        assert!(examples(kappa).unwrap_err().to_string().contains(&format!("kappa = {kappa}")));
    }
}
