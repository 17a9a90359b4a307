//! What a run reports against a recomputation from its rounds, with plain formulas.

use optimist::ArmSet;
use optimist::posterior::Row;
use optimist_lab::Result;
use optimist_lab::experiment::{Arms, Delay, Drift, Environment, Experiment, Feedback, Redraw, Shape, Truth};
use optimist_lab::simulation::Record;
use optimist_lab::simulation::{Arrival, PlayedRound, RoundLog, Setting, World, play};

use super::hybrid::hybrid;
use super::{Counter, drawn, environment, experiment};

/// A round, copied.
struct Entry {
    arm: Option<usize>,
    features: Vec<f64>,
    reward: f64,
    arrival: Arrival,
}

/// The figures of a record after a round.
#[derive(Clone, Copy, Default)]
struct Figures {
    regret: f64,
    r1: f64,
    r2_bad: f64,
    slopes: f64,
    best_slopes: f64,
    elliptical: f64,
    reward: f64,
    bad: u64,
}

/// x'A^{-1}x by elimination, for A = d I + the sum of weighted outer products.
fn square_norm(plays: &[(Vec<f64>, f64)], x: &[f64]) -> f64 {
    let d = x.len();
    let mut rows: Vec<Vec<f64>> = (0..d)
        .map(|i| {
            let ridge = |j: usize| if i == j { d as f64 } else { 0.0 };
            let entry = |j: usize| ridge(j) + plays.iter().map(|(y, w)| w * y[i] * y[j]).sum::<f64>();
            (0..d).map(entry).chain([x[i]]).collect()
        })
        .collect();
    for i in 0..d {
        let (done, rest) = rows.split_at_mut(i + 1);
        for row in rest {
            let factor = row[i] / done[i][i];
            row.iter_mut().zip(&done[i]).for_each(|(a, b)| *a -= factor * b);
        }
    }
    let mut solution = vec![0.0; d];
    for i in (0..d).rev() {
        let known: f64 = (i + 1..d).map(|j| rows[i][j] * solution[j]).sum();
        solution[i] = (rows[i][d] - known) / rows[i][i];
    }
    dot(&solution, x)
}

#[derive(Default)]
struct Rounds(Vec<Entry>);

impl RoundLog for Rounds {
    fn round(&mut self, round: &PlayedRound<'_>) -> Result<()> {
        assert_eq!(round.t, self.0.len() + 1);
        let PlayedRound { arm, features, reward, arrival, .. } = *round;
        self.0.push(Entry { arm, features: features.to_vec(), reward, arrival });
        Ok(())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn mu(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

fn slope(z: f64) -> f64 {
    mu(z) * mu(-z)
}

/// A row with a number for every parameter, of which the last ones belong to `count` arms, equally many to each.
fn written_out(row: &Row<'_>, count: usize, parameters: usize) -> Vec<f64> {
    let Row::Own { owner, features } = row else { return row.values().to_vec() };
    let own = (parameters - features.len()) / (count - 1);
    let shared = features.len() - own;
    let mut all = vec![0.0; parameters];
    all[..shared].copy_from_slice(&features[..shared]);
    all[shared + *owner as usize * own..][..own].copy_from_slice(&features[shared..]);
    all
}

/// The largest log-odds, and the list of them if there is one.
fn odds(arms: &ArmSet, theta: &[f64]) -> (f64, Option<Vec<f64>>) {
    match arms {
        ArmSet::Ball { .. } | ArmSet::Sphere { .. } => (dot(theta, theta).sqrt(), None),
        list => {
            let count = list.len().unwrap();
            let all: Vec<f64> =
                (0..count).map(|k| dot(&written_out(&list.row(k).unwrap(), count, theta.len()), theta)).collect();
            (all.iter().copied().fold(f64::NEG_INFINITY, f64::max), Some(all))
        }
    }
}

/// The arms X_- by their definition: log-odds at most -1 if the best are positive, else mu' at most half of the best's.
fn is_bad(z: f64, best: f64) -> bool {
    if best > 0.0 { z <= -1.0 } else { slope(z) <= 0.5 * slope(best) }
}

/// Figures after every round.
fn recompute(world: &mut World, rounds: &[Entry]) -> Vec<Figures> {
    let mut sums = Figures::default();
    let mut plays = Vec::new();
    let mut figures = Vec::new();
    for (i, entry) in rounds.iter().enumerate() {
        if i > 0 {
            world.next_round().unwrap();
        }
        let theta = world.theta().to_vec();
        let (best, all) = odds(world.arms(), &theta);
        let x = match entry.arm.and_then(|k| world.arms().row(k)) {
            Some(row) => {
                assert_eq!(row.values(), entry.features);
                written_out(&row, world.arms().len().unwrap(), theta.len())
            }
            None => entry.features.clone(),
        };
        let z = dot(&x, &theta);
        if let Some(all) = all {
            assert!((all[entry.arm.expect("the arm of a list has a number")] - z).abs() < 1e-12);
        } else {
            assert!(entry.arm.is_none() && dot(&entry.features, &entry.features) <= 1.0 + 1e-9);
        }
        let luck = world.next_luck();
        assert_eq!(entry.reward, f64::from(u8::from(luck < mu(z))), "round {}", i + 1);
        let (gap, first) = (mu(best) - mu(z), slope(z) * (best - z));
        sums.regret += gap;
        sums.r1 += first;
        sums.r2_bad += if is_bad(z, best) { gap - first } else { 0.0 };
        sums.slopes += slope(z);
        sums.best_slopes += slope(best);
        sums.elliptical += slope(z) * square_norm(&plays, &x);
        sums.reward += entry.reward;
        sums.bad += u64::from(is_bad(z, best));
        plays.push((x, slope(z)));
        figures.push(sums);
    }
    figures
}

/// Rewards that a policy can have seen when the last round is over: those due before the choice that would come next.
fn due(rounds: &[Entry]) -> u64 {
    let is_due = |(i, entry): (usize, &Entry)| match entry.arrival {
        Arrival::Late(late) => i + 1 + late <= rounds.len(),
        Arrival::Lost => false,
    };
    rounds.iter().enumerate().map(|entry| u64::from(is_due(entry))).sum()
}

fn check(experiment: &Experiment, run: usize) -> (Record, Vec<Entry>) {
    let (environment, spec) = (&experiment.environments[0], &experiment.policies[0]);
    let setting = Setting::new(experiment, environment, spec);
    let mut log = Rounds::default();
    let record = play(&setting, run, &Counter::new(usize::MAX), Some(&mut log)).unwrap().expect("nobody stopped it");
    let rounds = log.0;
    let figures = recompute(&mut setting.world(run).unwrap(), &rounds);
    assert_eq!(rounds.len(), experiment.horizon);
    assert_eq!(record.t, experiment.marks());
    for (mark, t) in record.t.iter().enumerate() {
        let expected = figures[t - 1];
        let context = format!("{environment}, {}, run {run}, t {t}", spec.label);
        let same = |name: &str, found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-9, "{context}: {name} {found} {expected}");
        };
        same("regret", record.regret[mark], expected.regret);
        same("R1", record.r1[mark], expected.r1);
        same("R1 + R2", record.r1[mark] + record.r2[mark], record.regret[mark]);
        same("R2 of bad arms", record.r2_bad[mark], expected.r2_bad);
        same("slopes", record.slopes[mark], expected.slopes);
        same("best slopes", record.best_slopes[mark], expected.best_slopes);
        same("elliptical sum", record.elliptical[mark], expected.elliptical);
        assert!(record.slopes[mark] <= record.best_slopes[mark] + record.regret[mark] + 1e-9, "{context}");
        assert_eq!((record.reward[mark], record.bad_plays[mark]), (expected.reward, expected.bad), "{context}");
        if let (Some(column), Some(true)) = (&record.r1_optimistic, record.in_set(*t)) {
            assert!(column[mark] >= record.r1[mark] - 1e-9, "{context}: optimism pays at least R1 while it is right");
        }
    }
    assert_eq!(record.rewards_seen, due(&rounds), "{environment}");
    (record, rounds)
}

fn all_kinds() -> Vec<Environment> {
    let truth = || Truth::Kappa(60.0);
    let mut kinds = vec![
        environment(3, Arms::Ball, truth()),
        environment(3, Arms::Sphere, truth()),
        environment(2, Arms::Ball, Truth::ThetaNorm(0.5)),
    ];
    for shape in [Shape::Ball, Shape::Sphere, Shape::HalfBall] {
        for redraw in [Redraw::Run, Redraw::Round] {
            kinds.push(environment(3, drawn(shape, 9, redraw), truth()));
        }
    }
    kinds
}

#[test]
fn regret_is_what_the_rounds_say() {
    let mut bad = 0;
    for environment in all_kinds() {
        for policy in ["optimist", "uniform"] {
            let experiment = experiment(2, 150, vec![environment.clone()], &[policy]);
            for run in 0..2 {
                let (record, _) = check(&experiment, run);
                assert!(record.final_regret() > 0.0);
                assert_eq!(record.r1_optimistic.is_some(), policy == "optimist");
                bad += record.bad_plays.last().unwrap();
            }
        }
    }
    assert!(bad > 100, "the count of bad plays is not tested: {bad}");
}

/// Against the best arm of each round's own theta*.
#[test]
fn regret_is_dynamic_where_theta_drifts() {
    for drift in [Drift::Steps { every: 40 }, Drift::Walk { rate: 0.1 }, Drift::Seasons { period: 60 }] {
        for place in all_kinds() {
            let place = Environment { drift, ..place };
            check(&experiment(1, 150, vec![place], &["laplace-ts"]), 0);
        }
    }
}

#[test]
fn regret_is_what_the_rounds_say_where_arms_have_parameters_of_their_own() {
    for (arms, dimension) in [(hybrid(4, 2, 3), 5), (hybrid(5, 0, 2), 2), (hybrid(3, 1, 1), 2)] {
        for policy in ["bayes-ucb", "laplace-ts"] {
            let mut place = environment(dimension, arms.clone(), Truth::Kappa(60.0));
            check(&experiment(1, 150, vec![place.clone()], &[policy]), 0);
            place.drift = Drift::Steps { every: 50 };
            place.feedback = Feedback { delay: Delay::Geometric { mean: 5.0 }, missing: 0.1 };
            check(&experiment(1, 150, vec![place], &[policy]), 0);
        }
    }
}

#[test]
fn regret_is_what_the_rounds_say_when_rewards_are_late_or_lost() {
    let delays = [Delay::None, Delay::Fixed { mean: 7 }, Delay::Geometric { mean: 12.0 }, Delay::Batch { size: 30 }];
    for delay in delays {
        for missing in [0.0, 0.3] {
            let mut environment = environment(2, drawn(Shape::Ball, 5, Redraw::Round), Truth::Kappa(30.0));
            environment.feedback = Feedback { delay, missing };
            let (record, rounds) = check(&experiment(1, 200, vec![environment], &["laplace-ts"]), 0);
            let lost = rounds.iter().filter(|entry| entry.arrival == Arrival::Lost).count();
            assert_eq!(lost > 0, missing > 0.0);
            match delay {
                Delay::None => assert_eq!(record.rewards_seen, 200 - lost as u64),
                Delay::Fixed { mean } => {
                    assert!(rounds.iter().all(|e| e.arrival == Arrival::Lost || e.arrival == Arrival::Late(mean)));
                    assert!(record.rewards_seen < 200 - lost as u64);
                }
                Delay::Geometric { .. } => assert!(record.rewards_seen < 200 - lost as u64),
                Delay::Batch { size } => {
                    let complete = rounds[..200 / size * size].iter();
                    let seen = complete.filter(|entry| entry.arrival != Arrival::Lost).count();
                    assert_eq!(record.rewards_seen, seen as u64, "the last batch is not full");
                }
            }
        }
    }
}

/// What is eight rounds late is not known before the tenth choice.
#[test]
fn late_rewards_are_not_known_early() {
    let arms = drawn(Shape::Ball, 5, Redraw::Run);
    let late = |mean, run| {
        let mut environment = environment(2, arms.clone(), Truth::Kappa(30.0));
        environment.feedback.delay = Delay::Fixed { mean };
        let rounds = check(&experiment(1, 40, vec![environment], &["greedy"]), run).1;
        rounds.iter().map(|entry| entry.arm).collect::<Vec<_>>()
    };
    let mut differing = 0;
    for run in 0..6 {
        let (never, eight) = (late(40, run), late(8, run));
        assert!(never.iter().all(|arm| *arm == never[0]), "a policy that learns nothing does not change its mind");
        assert_eq!(never[..9], eight[..9], "run {run}");
        differing += usize::from(never != eight);
    }
    assert!(differing > 0, "later on the rewards must matter");
}
