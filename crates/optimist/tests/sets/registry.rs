//! Every registered radius.

use super::*;

/// Each radius with and, where that is possible, without a norm bound.
fn every_radius(d: usize) -> Vec<Radius> {
    let with_bound = Radius::all().into_iter().map(|info| Radius::by_name(info.name, &options(d, Some(3.0))).unwrap());
    let free = Radius::all().into_iter().filter(|info| !info.needs_norm_bound);
    let without = free.map(|info| Radius::by_name(info.name, &options(d, None)).unwrap());
    with_bound.chain(without).collect()
}

#[test]
fn every_set_contains_its_centre_and_is_convex() {
    let mut rng = rng(15);
    for d in [1, 2, 5] {
        let data = Data::random(&mut rng, d, 10, 200, 2.0);
        for radius in every_radius(d) {
            let name = radius.strategy().guarantee().name;
            let mut belief = data.belief(radius);
            let estimate = belief.estimate().to_vec();
            let set = belief.set();
            assert!(!set.is_empty() && set.contains(set.centre()), "{name} does not contain its centre");
            assert!(norm(&estimate) > set.norm_bound() || set.contains(&estimate), "{name} misses its estimate");
            let mut members = vec![set.centre().to_vec()];
            for _ in 0..400 {
                // From the centre outwards, to meet the boundary whatever the size of the set.
                let step = gaussian(&mut rng, d);
                let length = 10f64.powf(rng.random_range(-3.0..1.5));
                let theta: Vec<f64> = step.iter().zip(set.centre()).map(|(s, c)| c + length * s).collect();
                if set.contains(&theta) {
                    members.push(theta);
                }
            }
            assert!(members.len() > 20 && members.len() < 400, "{name}: {} members", members.len());
            for _ in 0..400 {
                let (a, b) = (rng.random_range(0..members.len()), rng.random_range(0..members.len()));
                let v = rng.random_range(0.0..1.0);
                let between: Vec<f64> = members[a].iter().zip(&members[b]).map(|(p, q)| p + v * (q - p)).collect();
                // A point on a chord of a sphere may be outside by its rounding.
                let shrunk: Vec<f64> = between.iter().map(|t| t * (1.0 - 1e-15)).collect();
                assert!(set.contains(&between) || set.contains(&shrunk), "{name} is not convex");
            }
        }
    }
}

#[test]
fn every_radius_says_what_it_promises() {
    for radius in every_radius(2) {
        let guarantee = radius.strategy().guarantee();
        assert!(!guarantee.assumptions.is_empty() && !guarantee.citation.is_empty());
        assert!(Radius::all().iter().any(|info| info.name == guarantee.name && !info.summary.is_empty()));
        let promised = if guarantee.name == "paper" { None } else { Some(DELTA) };
        assert_eq!(guarantee.delta, promised, "{}", guarantee.name);
    }
}

#[test]
fn errors_name_the_field() {
    let good = options(2, Some(3.0));
    for info in Radius::all() {
        for (bad, field) in [
            (Problem { dimension: 0, ..good }, "dimension"),
            (Problem { delta: 0.0, ..good }, "delta"),
            (Problem { delta: f64::NAN, ..good }, "delta"),
            (Problem { norm_bound: Some(-1.0), ..good }, "norm_bound"),
        ] {
            let text = Radius::by_name(info.name, &bad).unwrap_err().to_string();
            assert!(text.contains(field), "{}: {text}", info.name);
        }
        let without = Radius::by_name(info.name, &Problem { norm_bound: None, ..good });
        assert_eq!(without.is_err(), info.needs_norm_bound, "{}", info.name);
        if let Err(error) = without {
            let text = error.to_string();
            assert!(text.contains("norm_bound") && text.contains(info.name), "{text}");
        }
    }
    let text = Radius::by_name("no-such", &good).unwrap_err().to_string();
    assert!(text.contains("radius") && text.contains("no-such") && text.contains("sequential-mixing"), "{text}");
}

#[test]
fn arms_that_are_too_long_are_refused_where_the_proof_needs_it() {
    for radius in every_radius(2) {
        let (name, bound) = (radius.strategy().guarantee().name, radius.strategy().feature_bound());
        let mut belief = Belief::with_radius(radius).unwrap();
        let outcome = belief.observe(&[1.5, 0.0], 1.0);
        let needs_unit_ball = ["paper", "corrected", "tight", "ofulog-plus"].contains(&name);
        assert_eq!(bound == 1.0, needs_unit_ball, "{name}");
        assert_eq!(matches!(outcome, Err(Error::NormAboveBound { .. })), needs_unit_ball, "{name}");
    }
}

#[test]
fn a_restored_belief_goes_on_as_if_nothing_had_happened() {
    let mut rng = rng(16);
    let data = Data::random(&mut rng, 3, 10, 160, 2.0);
    for radius in every_radius(3) {
        let name = radius.strategy().guarantee().name;
        let mut original = Belief::with_radius(radius).unwrap();
        for (x, reward) in &data.rows[..80] {
            original.observe(x, *reward).unwrap();
            original.set();
        }
        let mut restored: Belief = serde_json::from_str(&serde_json::to_string(&original).unwrap()).unwrap();
        for (i, (x, reward)) in data.rows[80..].iter().enumerate() {
            let count = if i % 9 == 0 { 50 } else { 1 };
            original.observe_many(x, *reward, count).unwrap();
            restored.observe_many(x, *reward, count).unwrap();
            let (a, b) = (original.set().level(), restored.set().level());
            assert!((a - b).abs() <= 1e-12 * a.abs(), "{name}, {i} later: {a} became {b}");
        }
        assert_eq!(original.guarantee(), restored.guarantee());
    }
}

#[test]
fn a_damaged_snapshot_is_refused() {
    let radius = Radius::by_name("likelihood-ratio", &options(2, Some(3.0))).unwrap();
    let text = serde_json::to_string(&radius).unwrap();
    assert!(serde_json::from_str::<Radius>(&text).is_ok());
    let cut = text.replacen("\"theta\":[0.0,0.0]", "\"theta\":[0.0]", 1);
    assert_ne!(cut, text);
    assert!(serde_json::from_str::<Radius>(&cut).unwrap_err().to_string().contains("theta"));
    let text = serde_json::to_string(&Radius::by_name("tight", &options(2, Some(3.0))).unwrap()).unwrap();
    let cut = text.replacen("\"norm_bound\":3.0", "\"norm_bound\":null", 1);
    assert!(serde_json::from_str::<Radius>(&cut).unwrap_err().to_string().contains("norm_bound"));
}
