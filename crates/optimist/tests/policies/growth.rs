//! Features that are added to a policy, against the same policy whose rows had zeros in their places from the start.

use optimist::policy::{self, Certificate, Policy};
use optimist::posterior::Row;
use optimist::{ArmSet, Error, FiniteArms, Generator, HybridArms, Problem, generator, link};
use rand::RngExt;
use serde_json::{Value, json};

const GROWING: [&str; 4] = ["bayes-ucb", "laplace-ts", "greedy", "uniform"];

/// How many features are shared, and how many are an arm's own.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Shape {
    shared: usize,
    own: usize,
}

impl Shape {
    fn dimension(self) -> usize {
        self.shared + self.own
    }

    /// A row of this shape with zeros where `to` has more.
    fn pad(self, x: &[f64], to: Shape) -> Vec<f64> {
        let (s, u) = x.split_at(self.shared);
        let zeros = |count: usize| std::iter::repeat_n(0.0, count);
        let shared = s.iter().copied().chain(zeros(to.shared - self.shared));
        shared.chain(u.iter().copied()).chain(zeros(to.own - self.own)).collect()
    }
}

const SHARED: (Shape, Shape) = (Shape { shared: 3, own: 0 }, Shape { shared: 5, own: 0 });
const DISJOINT: (Shape, Shape) = (Shape { shared: 0, own: 2 }, Shape { shared: 0, own: 4 });
const HYBRID: (Shape, Shape) = (Shape { shared: 2, own: 1 }, Shape { shared: 4, own: 2 });

fn build(name: &str, shape: Shape, norm_bound: Option<f64>, options: &Value) -> Box<dyn Policy> {
    let problem = Problem { dimension: shape.dimension(), delta: 0.05, norm_bound };
    let mut options = options.clone();
    if shape.own > 0 {
        options["own"] = json!(shape.own);
    }
    if name == "uniform" {
        options.as_object_mut().unwrap().retain(|option, _| ["own", "certify", "memory"].contains(&option.as_str()));
    }
    policy::build_with(name, &problem, options).unwrap()
}

/// The features of five arms, in a world with a parameter per place that is the same for all shapes.
fn list(rng: &mut Generator, shape: Shape) -> Vec<Vec<f64>> {
    (0..5).map(|_| (0..shape.dimension()).map(|_| rng.random_range(-1.0..1.0)).collect()).collect()
}

fn arms(shape: Shape, rows: &[Vec<f64>]) -> ArmSet<'static> {
    if shape.own == 0 {
        return ArmSet::from(FiniteArms::new(shape.dimension(), rows.concat()).unwrap());
    }
    let owners: Vec<u64> = (0..rows.len() as u64).map(|k| 10 + k).collect();
    ArmSet::from(HybridArms::new(owners, shape.dimension(), rows.concat()).unwrap())
}

fn row(shape: Shape, k: usize, x: &[f64]) -> Row<'_> {
    if shape.own == 0 { Row::Dense(x) } else { Row::Own { owner: 10 + k as u64, features: x } }
}

fn reward(rng: &mut Generator, x: &[f64]) -> f64 {
    let z: f64 = x.iter().enumerate().map(|(j, v)| v * [1.5, -1.0, 0.7, 2.0, -0.5, 0.3][j]).sum();
    f64::from(u8::from(rng.random::<f64>() < link::mean(z)))
}

fn log_odds(policy: &dyn Policy, row: &Row<'_>) -> f64 {
    policy.snapshot().log_odds_of(row).unwrap()
}

/// Lets a policy see rounds, grow, and go on, beside one that was large from the start; returns how far their log-odds are
/// apart in the second half at most. Choices must be equal there.
fn play_twins(name: &str, (from, to): (Shape, Shape), options: &Value, rounds: [usize; 2]) -> f64 {
    let mut grown = build(name, from, None, options);
    let mut twin = build(name, to, None, options);
    let mut rng = generator(3);
    for _ in 0..rounds[0] {
        let rows = list(&mut rng, from);
        let k = rng.random_range(0..rows.len());
        let reward = reward(&mut rng, &rows[k]);
        grown.observe_row(&row(from, k, &rows[k]), reward).unwrap();
        twin.observe_row(&row(to, k, &from.pad(&rows[k], to)), reward).unwrap();
    }
    grown.grow(to.dimension(), to.own).unwrap();
    assert_eq!(grown.problem().dimension, to.dimension());
    let mut apart = 0.0_f64;
    let (mut a, mut b) = (generator(4), generator(4));
    for round in 0..rounds[1] {
        let rows = list(&mut rng, to);
        let arms = arms(to, &rows);
        let (one, other) = (grown.choose(&arms, &mut a).unwrap(), twin.choose(&arms, &mut b).unwrap());
        assert_eq!(one.index, other.index, "{name} {from:?} {options} round {round}");
        let k = one.index.unwrap();
        apart = apart.max((one.log_odds - other.log_odds).abs());
        let reward = reward(&mut rng, &rows[k]);
        for policy in [&mut grown, &mut twin] {
            policy.observe_row(&row(to, k, &rows[k]), reward).unwrap();
        }
    }
    for x in list(&mut rng, to) {
        apart = apart.max((log_odds(&*grown, &row(to, 1, &x)) - log_odds(&*twin, &row(to, 1, &x))).abs());
    }
    apart
}

#[test]
fn a_grown_policy_is_the_one_that_had_zeros_from_the_start() {
    for name in GROWING {
        let exact = json!({"posterior": "exact", "certify": "off"});
        let apart = play_twins(name, SHARED, &exact, [60, 60]);
        // The fit ends where the gradient is 1e-10 of its terms.
        assert!(apart < 1e-8, "{name} exact: {apart:e}");
        // Exact at first and one pass beyond 32 arms, which begins before or after the features come.
        for rounds in [[20, 60], [60, 60]] {
            let apart = play_twins(name, SHARED, &json!({"certify": "off"}), rounds);
            assert!(apart < 1e-8, "{name} auto: {apart:e}");
        }
        let one_pass = json!({"posterior": "one-pass", "certify": "off"});
        for shape in [SHARED, DISJOINT, HYBRID] {
            let apart = play_twins(name, shape, &one_pass, [200, 200]);
            assert!(apart < 1e-11, "{name} {shape:?}: {apart:e}");
        }
    }
}

#[test]
fn a_policy_grows_before_it_has_seen_anything_and_more_than_once() {
    for name in GROWING {
        for (from, to) in [SHARED, DISJOINT, HYBRID] {
            let options = json!({"certify": "off"});
            assert!(play_twins(name, (from, to), &options, [0, 50]) < 1e-8, "{name} {from:?}");
            let mut policy = build(name, from, None, &options);
            let between = Shape { shared: to.shared, own: from.own };
            policy.grow(between.dimension(), between.own).unwrap();
            policy.grow(to.dimension(), to.own).unwrap();
            let mut twin = build(name, from, None, &options);
            twin.grow(to.dimension(), to.own).unwrap();
            assert_eq!(policy.save_bytes().unwrap(), twin.save_bytes().unwrap(), "{name} {from:?}");
        }
    }
}

/// The prior is given back in one direction at a time, so that the two agree at the moment of growth and on average later.
#[test]
fn what_fades_goes_on_fading() {
    for (from, to) in [SHARED, DISJOINT, HYBRID] {
        let options = json!({"half_life": 50.0});
        let mut rng = generator(8);
        let mut policy = build("bayes-ucb", from, None, &options);
        for _ in 0..150 {
            let rows = list(&mut rng, from);
            let reward = reward(&mut rng, &rows[2]);
            policy.observe_row(&row(from, 2, &rows[2]), reward).unwrap();
        }
        let asked = list(&mut rng, from);
        let before: Vec<f64> = asked.iter().map(|x| log_odds(&*policy, &row(from, 2, x))).collect();
        policy.grow(to.dimension(), to.own).unwrap();
        for (x, before) in asked.iter().zip(before) {
            let after = log_odds(&*policy, &row(to, 2, &from.pad(x, to)));
            assert!((after - before).abs() < 1e-12, "{from:?}: {before} {after}");
        }
        let apart = play_twins("bayes-ucb", (from, to), &json!({"half_life": 50.0, "quantile": 0.0}), [100, 0]);
        assert!(apart < 0.1, "{from:?}: {apart}");
    }
}

/// Rewards that come after the growth belong to plays that were made before it.
#[test]
fn open_plays_stay_open() {
    for (posterior, (from, to)) in [("exact", SHARED), ("one-pass", SHARED), ("auto", DISJOINT), ("auto", HYBRID)] {
        // A fixed quantile: the other one counts observations per parameter, of which the twin has more from the start.
        let mut options = json!({"posterior": posterior, "certify": "off", "delayed": 100, "optimism": null});
        options["quantile"] = json!(1.0);
        let mut grown = build("bayes-ucb", from, None, &options);
        let mut twin = build("bayes-ucb", to, None, &options);
        let mut rng = generator(5);
        let mut plays = Vec::new();
        for _ in 0..20 {
            let rows = list(&mut rng, from);
            let padded: Vec<Vec<f64>> = rows.iter().map(|x| from.pad(x, to)).collect();
            let one = grown.choose(&arms(from, &rows), &mut rng).unwrap().into_owned();
            let other = twin.choose(&arms(to, &padded), &mut rng).unwrap().into_owned();
            assert_eq!((one.index, one.play), (other.index, other.play), "{posterior} {from:?}");
            plays.push((one.play.unwrap(), reward(&mut rng, &rows[one.index.unwrap()])));
        }
        grown.grow(to.dimension(), to.own).unwrap();
        assert_eq!(grown.open_plays(), 20);
        for (play, reward) in plays {
            let rows = list(&mut rng, to);
            let (mut a, mut b) = (generator(1), generator(1));
            let (one, other) = (
                grown.choose(&arms(to, &rows), &mut a).unwrap().into_owned(),
                twin.choose(&arms(to, &rows), &mut b).unwrap().into_owned(),
            );
            assert_eq!(one.index, other.index, "{posterior} {from:?}");
            assert!((one.log_odds - other.log_odds).abs() < 1e-8, "{posterior} {from:?}");
            grown.settle(play, reward).unwrap();
            twin.settle(play, reward).unwrap();
        }
    }
}

/// A default ridge is d/S^2; that of new features is that of the others.
#[test]
fn the_prior_stays_what_it_was() {
    for name in ["bayes-ucb", "laplace-ts", "greedy"] {
        let (from, to) = SHARED;
        let mut rng = generator(6);
        let mut policy = build(name, from, Some(4.0), &json!({}));
        let rows: Vec<Vec<f64>> = list(&mut rng, from);
        for x in &rows {
            let reward = reward(&mut rng, x);
            policy.observe(x, reward).unwrap();
        }
        let before: Vec<f64> = rows.iter().map(|x| log_odds(&*policy, &Row::Dense(x))).collect();
        policy.grow(to.dimension(), 0).unwrap();
        assert_eq!(policy.options().unwrap()["ridge"], json!(3.0 / 16.0), "{name}");
        for (x, before) in rows.iter().zip(before) {
            let after = log_odds(&*policy, &Row::Dense(&from.pad(x, to)));
            assert!((after - before).abs() < 1e-8, "{name}: {before} {after}");
        }
        // One pass, which takes over from the 33rd arm on, has the same prior.
        for _ in 0..40 {
            let x = &list(&mut rng, to)[0];
            policy.observe(x, 1.0).unwrap();
            policy.estimate();
        }
        let restored = policy::restore(&policy.save().unwrap()).unwrap();
        assert_eq!(restored.options().unwrap()["ridge"], json!(3.0 / 16.0), "{name}");
    }
}

#[test]
fn a_grown_policy_is_stored_to_the_last_bit() {
    for name in GROWING {
        for (from, to) in [SHARED, DISJOINT, HYBRID] {
            for posterior in ["auto", "one-pass"] {
                let mut rng = generator(7);
                let mut policy = build(name, from, Some(4.0), &json!({"posterior": posterior}));
                for _ in 0..40 {
                    let rows = list(&mut rng, from);
                    let k = policy.choose(&arms(from, &rows), &mut rng).unwrap().index.unwrap();
                    let reward = reward(&mut rng, &rows[k]);
                    policy.observe_row(&row(from, k, &rows[k]), reward).unwrap();
                }
                policy.grow(to.dimension(), to.own).unwrap();
                let mut binary = policy::restore_bytes(&policy.save_bytes().unwrap()).unwrap();
                let mut text = policy::restore(&policy.save().unwrap()).unwrap();
                assert_eq!(binary.save_bytes().unwrap(), policy.save_bytes().unwrap());
                let mut generators = [generator(9), generator(9), generator(9)];
                for _ in 0..40 {
                    let rows = list(&mut rng, to);
                    let mut said = Vec::new();
                    for (one, rng) in [&mut policy, &mut binary, &mut text].into_iter().zip(&mut generators) {
                        said.push(one.choose(&arms(to, &rows), rng).unwrap().into_owned());
                    }
                    assert!(said[0] == said[1] && said[0] == said[2], "{name} {from:?} {posterior}");
                    let k = said[0].index.unwrap();
                    let reward = reward(&mut rng, &rows[k]);
                    for one in [&mut policy, &mut binary, &mut text] {
                        one.observe_row(&row(to, k, &rows[k]), reward).unwrap();
                    }
                }
                assert_eq!(binary.save_bytes().unwrap(), policy.save_bytes().unwrap(), "{name} {from:?} {posterior}");
                assert_eq!(text.save_bytes().unwrap(), policy.save_bytes().unwrap(), "{name} {from:?} {posterior}");
            }
        }
    }
}

/// The same event before and after: of rows with zeros the set says what it said, and of a new feature nothing but the ball.
#[test]
fn certificates_go_on_to_hold() {
    for name in GROWING {
        for norm_bound in [Some(4.0), None] {
            for (posterior, (from, to)) in [("exact", SHARED), ("one-pass", SHARED), ("auto", DISJOINT)] {
                if name == "uniform" && posterior == "one-pass" {
                    continue;
                }
                let mut rng = generator(11);
                let mut policy = build(name, from, norm_bound, &json!({"posterior": posterior}));
                for i in 0..120 {
                    let x = &list(&mut rng, from)[0];
                    let reward = reward(&mut rng, x);
                    policy.observe_row(&row(from, i % 2, x), reward).unwrap();
                }
                let asked = list(&mut rng, from);
                let before: Vec<_> = asked.iter().map(|x| policy.interval_of_row(&row(from, 1, x)).unwrap()).collect();
                policy.grow(to.dimension(), to.own).unwrap();
                for (x, before) in asked.iter().zip(before) {
                    let after = policy.interval_of_row(&row(to, 1, &from.pad(x, to))).unwrap();
                    assert_eq!(after.guarantee, before.guarantee);
                    let (a, b) = (after.interval, before.interval);
                    let apart =
                        (a.log_odds_lower - b.log_odds_lower).abs().max((a.log_odds_upper - b.log_odds_upper).abs());
                    assert!(apart < 1e-6, "{name} {posterior} {from:?}: {a:?} {b:?}");
                }
                let mut new = vec![0.0; to.dimension()];
                new[to.dimension() - 1] = 1.0;
                let unknown = policy.interval_of_row(&row(to, 1, &new)).unwrap().interval;
                let reach = norm_bound.unwrap_or(f64::INFINITY);
                // The ball less what the other parameters take of it.
                assert!(unknown.log_odds_lower <= -0.3 * reach && unknown.log_odds_upper >= 0.3 * reach, "{unknown:?}");
                // Theta* is (1.5, -1, 0.7, 2, -0.5), of norm 2.9: no interval misses it later.
                for i in 0..150 {
                    let x = &list(&mut rng, to)[0];
                    let reward = reward(&mut rng, x);
                    policy.observe_row(&row(to, i % 2, x), reward).unwrap();
                    if i % 30 == 29 {
                        let said = policy.interval_of_row(&row(to, 1, x)).unwrap().interval;
                        let z: f64 = x.iter().zip([1.5, -1.0, 0.7, 2.0, -0.5]).map(|(v, t)| v * t).sum();
                        assert!(
                            said.log_odds_lower <= z && z <= said.log_odds_upper,
                            "{name} {posterior}: {z} {said:?}"
                        );
                    }
                }
            }
        }
    }
}

/// Quadratics that stand for old rows grow as rows do; without a norm bound they would leave the set without an end.
#[test]
fn consolidated_rows_grow_where_the_ball_holds_the_set() {
    let (from, to) = SHARED;
    for name in GROWING {
        for norm_bound in [Some(4.0), None] {
            let mut rng = generator(12);
            let mut policy = build(name, from, norm_bound, &json!({"posterior": "exact", "memory": 20}));
            for _ in 0..400 {
                let x = &list(&mut rng, from)[0];
                let reward = reward(&mut rng, x);
                policy.interval(x).unwrap();
                policy.observe(x, reward).unwrap();
            }
            let asked = list(&mut rng, from);
            let before: Vec<_> = asked.iter().map(|x| policy.interval(x).unwrap().interval).collect();
            let state = policy.save_bytes().unwrap();
            if norm_bound.is_none() {
                let refused = policy.grow(to.dimension(), 0).unwrap_err().to_string();
                assert!(refused.contains("memory null") && refused.contains("certify \"off\""), "{refused}");
                assert_eq!(policy.save_bytes().unwrap(), state, "a refusal changes nothing");
                continue;
            }
            policy.grow(to.dimension(), 0).unwrap();
            for (x, before) in asked.iter().zip(before) {
                let after = policy.interval(&from.pad(x, to)).unwrap().interval;
                let width = before.log_odds_upper - before.log_odds_lower;
                // The region has lost a little of the mass that was in it, and may not have gained any.
                let wider = after.log_odds_upper - after.log_odds_lower - width;
                assert!(wider > -1e-6 && wider < 0.02 * width, "{name}: {before:?} {after:?}");
            }
            let mut restored = policy::restore_bytes(&policy.save_bytes().unwrap()).unwrap();
            for _ in 0..400 {
                let x = &list(&mut rng, to)[0];
                let reward = reward(&mut rng, x);
                let z: f64 = x.iter().zip([1.5, -1.0, 0.7, 2.0, -0.5]).map(|(v, t)| v * t).sum();
                let said = policy.interval(x).unwrap();
                assert_eq!(said, restored.interval(x).unwrap());
                assert!(said.interval.log_odds_lower <= z && z <= said.interval.log_odds_upper, "{name}: {z} {said:?}");
                policy.observe(x, reward).unwrap();
                restored.observe(x, reward).unwrap();
            }
        }
    }
}

#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    let hostile = [
        (SHARED.0, vec![(0, 0), (2, 0), (10_001, 0), (usize::MAX, 0), (4, 1), (3, 4), (usize::MAX, usize::MAX)]),
        (DISJOINT.0, vec![(2, 1), (3, 2), (1, 1), (2, 3), (20_000, 20_000)]),
        (HYBRID.0, vec![(3, 0), (3, 2), (2, 1), (4, 5), (usize::MAX, 1)]),
    ];
    for name in GROWING {
        for (shape, sizes) in &hostile {
            let mut policy = build(name, *shape, Some(4.0), &json!({}));
            policy.observe_row(&row(*shape, 0, &vec![0.5; shape.dimension()]), 1.0).unwrap();
            let state = policy.save_bytes().unwrap();
            for (dimension, own) in sizes {
                let refused = policy.grow(*dimension, *own).unwrap_err();
                let said = refused.to_string();
                assert!(said.contains("dimension") || said.contains("own"), "{name} {dimension} {own}: {said}");
                assert_eq!(policy.save_bytes().unwrap(), state, "{name} {dimension} {own}");
            }
            // The same size is no growth.
            policy.grow(shape.dimension(), shape.own).unwrap();
        }
    }
}

#[test]
fn policies_that_cannot_grow_say_so() {
    for info in policy::registry() {
        if GROWING.contains(&info.name) || info.name.contains("test") {
            continue;
        }
        let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(2.0) };
        let options: Value = serde_json::from_str(info.example).unwrap();
        let mut policy = policy::build_with(info.name, &problem, options).unwrap();
        let state = policy.save_bytes().unwrap();
        let refused = policy.grow(3, 0).unwrap_err();
        assert!(matches!(refused, Error::CannotGrow { policy, .. } if policy == info.name), "{}: {refused}", info.name);
        assert_eq!(policy.save_bytes().unwrap(), state);
    }
}

/// What a choice says after growth is what an interval says: of a set that is kept, or nothing and why.
#[test]
fn choices_certify_after_growth_as_before() {
    let (from, to) = HYBRID;
    let mut policy = build("bayes-ucb", from, None, &json!({}));
    policy.grow(to.dimension(), to.own).unwrap();
    let choice = policy.choose(&arms(to, &list(&mut generator(1), to)), &mut generator(1)).unwrap().into_owned();
    assert!(matches!(choice.certificate, Certificate::None { why } if why.contains("own")));
    let (from, to) = SHARED;
    let mut policy = build("bayes-ucb", from, None, &json!({}));
    policy.grow(to.dimension(), to.own).unwrap();
    let choice = policy.choose(&arms(to, &list(&mut generator(1), to)), &mut generator(1)).unwrap().into_owned();
    assert!(matches!(choice.certificate, Certificate::OnRequest(guarantee) if guarantee.delta == Some(0.05)));
}
