//! Runs against the bounds, and which policies have one.

use optimist_lab::Result;
use optimist_lab::experiment::{
    Arms, Coverage, Delay, Drift, Environment, Experiment, Feedback, NormBound, PolicySpec, Redraw, Rewards, Shape,
    Truth,
};
use optimist_lab::simulation::Record;
use optimist_lab::simulation::{PlayedRound, Progress, RoundLog, Setting, World, play};
use optimist_lab::theory::upper::{ConfidenceSet, Decrement, Seen, UpperBounds};

struct Silent;

impl Progress for Silent {
    fn played(&self, _rounds: usize) {}

    fn is_stopped(&self) -> bool {
        false
    }
}

/// How often each arm was played.
#[derive(Default)]
struct Books {
    plays: Vec<u64>,
}

impl RoundLog for Books {
    fn round(&mut self, round: &PlayedRound<'_>) -> Result<()> {
        if let Some(k) = round.arm {
            self.plays.resize(self.plays.len().max(k + 1), 0);
            self.plays[k] += 1;
        }
        Ok(())
    }
}

fn drawn(shape: Shape, count: usize) -> Arms {
    Arms::Drawn { shape, count, redraw: Redraw::Run }
}

fn environment(dimension: usize, arms: Arms, norm: f64) -> Environment {
    Environment {
        label: None,
        dimension,
        arms,
        truth: Truth::ThetaNorm(norm),
        norm_bound: NormBound::PlusOne,
        feedback: Feedback::default(),
        drift: Drift::None,
        rewards: Rewards::default(),
    }
}

fn run(environment: &Environment, spec: &PolicySpec, horizon: usize, run: usize) -> (Record, Books, World) {
    let experiment = Experiment {
        name: "bounds".into(),
        seed: 11,
        runs: 1,
        horizon,
        delta: 0.05,
        checkpoints: vec![horizon],
        coverage: Coverage::Rounds,
        environments: vec![environment.clone()],
        policies: vec![spec.clone()],
    };
    let setting = Setting::new(&experiment, environment, spec);
    let mut books = Books::default();
    let record = play(&setting, run, &Silent, Some(&mut books)).unwrap().unwrap();
    (record, books, setting.world(run).unwrap())
}

#[test]
fn runs_stay_below_their_bounds() {
    let environments = [
        (environment(2, drawn(Shape::Ball, 6), 2.0), 600),
        (environment(3, drawn(Shape::HalfBall, 9), 3.0), 400),
        (environment(2, Arms::Ball, 1.5), 60),
    ];
    let specs = [
        PolicySpec::plain("ofulog-r"),
        PolicySpec::plain("ofulog-r").with("radius", "corrected"),
        PolicySpec::plain("optimist"),
        PolicySpec::plain("ofuglb"),
        PolicySpec::plain("ofulog-plus"),
    ];
    let mut covered = 0;
    for (environment, horizon) in &environments {
        let bound_told = environment.truth.norm() + 1.0;
        for (i, spec) in specs.iter().enumerate() {
            let (record, books, world) = run(environment, spec, *horizon, i);
            if record.left_set != Some(0) {
                continue;
            }
            covered += 1;
            let (instance, t) = (world.instance(), *horizon as u64);
            let set = ConfidenceSet::of(spec, environment).unwrap();
            let bounds = UpperBounds::new(instance, bound_told, 0.05, set, t).unwrap();
            let blind = bounds.after(t, &Seen::default()).unwrap();
            let (sum, bad) = (*record.elliptical.last().unwrap(), *record.bad_plays.last().unwrap());
            let slopes = *record.slopes.last().unwrap();
            let seen = Seen { elliptical: Some(sum), detrimental_plays: Some(bad) };
            let seen = bounds.after(t, &seen).unwrap();
            let (regret, r1, r2) = (record.final_regret(), record.r1.last().unwrap(), record.r2.last().unwrap());
            assert!(sum <= blind.elliptical && bad as f64 <= blind.detrimental_plays.unwrap());
            assert!(regret <= blind.value && regret <= seen.value && regret <= seen.general, "{set:?}");
            assert!(seen.general <= blind.general && seen.value <= blind.value);
            let share = (2.0 * instance.best_mean() - 1.0).max(0.0);
            assert!(slopes <= t as f64 / instance.kappa_star() + share * regret + 1e-9);
            assert!(*r1 <= seen.rho * (sum * slopes).sqrt() && *r2 <= seen.second_order.least());
            for (k, &plays) in books.plays.iter().enumerate() {
                let (gap, delta) =
                    (instance.best_mean() - instance.means()[k], instance.best() - instance.log_odds()[k]);
                assert!(delta == 0.0 || plays as f64 <= blind.rho_averaged.powi(2) / (gap * delta));
            }
        }
    }
    assert!(covered >= 12, "only {covered} runs were on the good event");
}

#[test]
fn ofulog_stays_below_its_bound() {
    let place = environment(2, drawn(Shape::Ball, 4), 1.0);
    let spec = PolicySpec::plain("ofulog");
    let (record, _, world) = run(&place, &spec, 120, 0);
    let set = ConfidenceSet::of(&spec, &place).unwrap();
    assert_eq!(set, ConfidenceSet::NewtonDecrement { gamma: Decrement::Corrected });
    let it = UpperBounds::new(world.instance(), 2.0, 0.05, set, 120).unwrap().after(120, &Seen::default()).unwrap();
    assert!(record.left_set == Some(0) && record.final_regret() <= it.value && it.value <= it.trivial);
}

#[test]
fn policies_have_the_sets_they_are_optimistic_over() {
    let place = environment(3, drawn(Shape::Ball, 5), 2.0);
    let plain = PolicySpec::plain;
    for (spec, set) in [
        (plain("ofulog-r"), ConfidenceSet::Tight),
        (plain("ofulog-r").with("radius", "tight"), ConfidenceSet::Tight),
        (plain("ofulog-r").with("radius", "corrected"), ConfidenceSet::Corrected),
        (plain("optimist"), ConfidenceSet::Mixture),
        (plain("optimist").with("eliminate", true), ConfidenceSet::Mixture),
        (plain("ofuglb"), ConfidenceSet::Ofuglb { published: false }),
        (plain("ofuglb").with("constants", "published"), ConfidenceSet::Ofuglb { published: true }),
        (plain("ofulog-plus"), ConfidenceSet::OfulogPlus { published: false }),
        (plain("ofulog-plus").with("constants", "published"), ConfidenceSet::OfulogPlus { published: true }),
    ] {
        assert_eq!(ConfidenceSet::of(&spec, &place), Ok(set), "{spec:?}");
    }
    for (spec, why) in [
        (plain("ofulog-r").with("radius", "paper"), "as printed"),
        (plain("ofulog").with("gamma", "printed"), "as printed"),
        (plain("ofulog-r").with("certify", "mixture").with("eliminate", true), "drops arms"),
        (plain("emk"), "level of its set"),
        (plain("laplace-ts"), "not optimism over a level set"),
    ] {
        let text = ConfidenceSet::of(&spec, &place).unwrap_err();
        assert!(text.contains(why), "{text}");
    }
}

#[test]
fn environments_that_the_proof_does_not_cover_are_named() {
    let place = environment(3, drawn(Shape::Ball, 5), 2.0);
    let refusal = |policy: &str, change: fn(&mut Environment)| {
        let mut other = place.clone();
        change(&mut other);
        ConfidenceSet::of(&PolicySpec::plain(policy), &other).unwrap_err()
    };
    assert!(refusal("optimist", |e| e.norm_bound = NormBound::None).contains("no norm bound"));
    assert!(
        refusal("ofulog-r", |e| e.arms = Arms::Drawn { shape: Shape::Ball, count: 5, redraw: Redraw::Round })
            .contains("change from round to round")
    );
    assert!(refusal("ofulog-r", |e| e.feedback.missing = 0.1).contains("late or never"));
    assert!(refusal("ofulog-r", |e| e.feedback.delay = Delay::Fixed { mean: 1 }).contains("late or never"));
    assert!(refusal("optimist", |e| e.drift = Drift::Walk { rate: 0.01 }).contains("theta* drifts"));
    assert!(refusal("ofulog", |e| e.dimension = 5).contains("up to 4 dimensions"));
    assert!(refusal("optimist", |e| (e.dimension, e.arms) = (5, Arms::Ball)).contains("up to 4 dimensions"));
    let mut large = place.clone();
    large.dimension = 5;
    assert!(ConfidenceSet::of(&PolicySpec::plain("optimist"), &large).is_ok());
}
