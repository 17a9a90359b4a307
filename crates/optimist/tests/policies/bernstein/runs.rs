//! Whole runs: errors, coverage, allocations, intervals that bind, and stored states.

use optimist::policy::Bonus;
use optimist::policy::log_ucb_2::{LogUcb2, LogUcb2Options};

use super::*;

#[test]
fn missing_horizons_are_named() {
    let none = serde_json::json!({});
    let error = |name: &str, options: &serde_json::Value| {
        optimist::policy::build_with(name, &problem(2.0), options).unwrap_err().to_string()
    };
    assert!(error("rs-glincb", &none).contains("horizon is missing"));
    assert!(error("glm-ucb", &serde_json::json!({ "constants": "published" })).contains("horizon is missing"));
    let long = Problem { dimension: 2, delta: DELTA, norm_bound: Some(1000.0) };
    for name in ["glm-ucb", "log-ucb-1", "log-ucb-2", "rs-glincb"] {
        let error = optimist::policy::build_with(name, &long, serde_json::json!({ "horizon": 10 }));
        let error = error.or_else(|_| optimist::policy::build_with(name, &long, &none));
        assert!(error.is_err(), "{name}");
    }
}

/// Sets and intervals of both bonuses hold, in adaptive runs at delta = 0.05; 200 of them with `OPTIMIST_FULL=1`.
#[test]
fn claims_hold() {
    let runs = if std::env::var_os("OPTIMIST_FULL").is_some() { 200 } else { 20 };
    let allowed = DELTA * runs as f64 + 3.0 * (DELTA * (1.0 - DELTA) * runs as f64).sqrt();
    for name in ["glm-ucb", "log-ucb-1", "log-ucb-2"] {
        for bonus in ["refined", "paper"] {
            let options = if name == "glm-ucb" { serde_json::json!({}) } else { serde_json::json!({ "bonus": bonus }) };
            let (mut missed, mut outside) = (0, 0);
            for seed in 0..runs {
                let mut simulation = Simulation::new(2, 3.0, 1000 + seed);
                let arms = simulation.ball_arms(20);
                let theta = vector(&simulation.theta);
                let mut policy = optimist::policy::build_with(name, &problem(4.0), &options).unwrap();
                let mut own = serde_json::json!({ "certify": "own" });
                own.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
                let mut twin = optimist::policy::build_with(name, &problem(4.0), &own).unwrap();
                let (mut all, mut every) = (true, true);
                let set = ArmSet::from(arms.clone());
                for _ in 0..300 {
                    let choice = policy.choose(&set, &mut ChaCha8Rng::seed_from_u64(0)).unwrap();
                    let x = vector(&choice.features);
                    all &= policy.contains(&theta).unwrap();
                    let at = twin.interval(&x).unwrap().interval;
                    every &= (at.log_odds_lower..=at.log_odds_upper).contains(&dot(x, theta));
                    let reward = simulation.reward(&x);
                    policy.observe(&x, reward).unwrap();
                    twin.observe(&x, reward).unwrap();
                }
                missed += usize::from(!all);
                outside += usize::from(!every);
            }
            assert!(missed.max(outside) as f64 <= allowed, "{name} {bonus}: {missed} and {outside} of {runs}");
        }
    }
}

/// Rewards of one world until the recorded intervals cut the ball, then of the opposite one, which drives the estimate
/// out of them.
#[test]
fn log_ucb_2_stays_in_its_intervals() {
    let s = 0.5;
    let arms = [[1.0, 0.0], [0.6, 0.8], [-0.6, 0.8]];
    for bonus in [Bonus::Refined, Bonus::Paper] {
        let options = LogUcb2Options { bonus };
        let mut agent = Agent::<LogUcb2>::new(&problem(s), &options, Common::of::<LogUcb2>()).unwrap();
        let mut simulation = Simulation::new(2, 0.45, 7);
        let truth = vector(&simulation.theta);
        for t in 0..12_000 {
            // Intervals are recorded for arms that are chosen.
            let x = arms[t % 3];
            let only = ArmSet::from(FiniteArms::from_rows(&[x]).unwrap());
            agent.choose(&only, &mut simulation.rng).unwrap();
            agent.observe(&x, simulation.reward(&x)).unwrap();
        }
        assert!(agent.contains(&truth).unwrap());
        let cut = arms.iter().filter(|x| {
            let (lower, upper) = agent.rule().recorded(&x[..]).unwrap();
            upper - lower < 1.8 * s
        });
        assert!(cut.count() >= 2, "the intervals cut nothing");
        simulation.theta.iter_mut().for_each(|v| *v *= -5.0);
        let mut projections = 0;
        for t in 0..6000 {
            let x = arms[t % 3];
            agent.observe(&x, simulation.reward(&x)).unwrap();
            let (centre, status) = (vector(agent.estimate()), agent.rule().projected());
            assert!(status == ProjectionStatus::Skipped || status == ProjectionStatus::Converged, "{status:?} at {t}");
            projections += usize::from(status == ProjectionStatus::Converged);
            assert!(norm(centre) <= s * (1.0 + 1e-12));
            for x in arms {
                let (lower, upper) = agent.rule().recorded(&x).unwrap();
                assert!((lower - 1e-9..=upper + 1e-9).contains(&dot(x, centre)), "{t}");
            }
        }
        assert!(projections > 100, "{projections}");
    }
}

/// A restored policy goes on as the stored one, while centres are projections, too.
#[test]
fn restored_policies_go_on() {
    for (name, s) in [("glm-ucb", 1.0), ("log-ucb-1", 0.5), ("log-ucb-2", 0.5), ("rs-glincb", 3.0)] {
        let options = if name == "rs-glincb" { serde_json::json!({ "horizon": 300 }) } else { serde_json::json!({}) };
        let mut simulation = Simulation::new(2, 4.0, 9);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut policy = optimist::policy::build_with(name, &problem(s), &options).unwrap();
        let mut twin = optimist::policy::restore(&policy.save().unwrap()).unwrap();
        for t in 0..300 {
            let arms = ArmSet::from(simulation.ball_arms(8));
            let choice = policy.choose(&arms, &mut rng).unwrap();
            assert_eq!(choice, twin.choose(&arms, &mut rng).unwrap(), "{name} {t}");
            let reward = simulation.reward(&choice.features);
            policy.observe(&choice.features, reward).unwrap();
            twin.observe(&choice.features, reward).unwrap();
            assert_eq!(policy.estimate(), twin.estimate(), "{name} {t}");
            if t % 7 == 3 {
                twin = optimist::policy::restore(&policy.save().unwrap()).unwrap();
            }
        }
        assert_eq!(policy.save().unwrap(), twin.save().unwrap(), "{name}");
    }
}

/// Tiny and enormous balls, one and three dimensions, arms of length zero, rewards between zero and one, late rewards.
#[test]
fn extremes_are_survived() {
    for name in ["glm-ucb", "log-ucb-1", "log-ucb-2", "rs-glincb"] {
        for (d, s) in [(1, 1e-3), (1, 500.0), (3, 1e-3), (3, 50.0), (3, 500.0)] {
            let options =
                if name == "rs-glincb" { serde_json::json!({ "horizon": 300 }) } else { serde_json::json!({}) };
            let mut own = options.clone();
            if name != "rs-glincb" {
                own["certify"] = "own".into();
            }
            let problem = Problem { dimension: d, delta: DELTA, norm_bound: Some(s) };
            let mut policy = optimist::policy::build_with(name, &problem, &own).unwrap();
            let mut simulation = Simulation::new(d, 4.0, 11);
            let mut rng = ChaCha8Rng::seed_from_u64(2);
            let mut late: Vec<Vec<f64>> = Vec::new();
            for t in 0..150 {
                let mut features = simulation.ball_arms(5).features().to_vec();
                features.extend(std::iter::repeat_n(0.0, d));
                let arms = ArmSet::from(FiniteArms::new(d, features).unwrap());
                late.push(policy.choose(&arms, &mut rng).unwrap().features.to_vec());
                let at = policy.interval(&late[0]).unwrap().interval;
                assert!(at.log_odds_lower <= at.log_odds_upper && at.log_odds_upper.is_finite(), "{name} {d} {s}");
                if t % 10 == 9 {
                    for x in late.drain(..).rev() {
                        // All successes on one side: the free estimate runs away.
                        let reward = if t < 60 { f64::from(u8::from(x[0] > 0.0)) } else { 0.5 };
                        policy.observe(&x, reward).unwrap();
                    }
                    let stored = policy.save().unwrap();
                    policy = optimist::policy::restore(&stored).unwrap();
                }
                assert!(policy.estimate().iter().all(|v| v.is_finite()), "{name} {d} {s}");
            }
        }
    }
}
