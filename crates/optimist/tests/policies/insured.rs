//! `insured`: the budget is kept whatever rule picks, and prices are what a slow computation says.

use optimist::conformance::largest_share;
use optimist::numerics::dot;
use optimist::plan::Answers;
use optimist::policy::bayes_ucb::{BayesUcb, BayesUcbOptions};
use optimist::policy::insured::{INFO, Insured, InsuredOptions};
use optimist::policy::{
    self, Agent, ArmKind, Budget, Certify, Common, Curve, Direction, Insurance, Memory, Options, Pick, Policy,
    PolicyInfo, Round, Rule,
};
use optimist::{ArmSet, Belief, Error, FiniteArms, Problem, Result, link};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::simulation::Simulation;

fn problem(delta: f64) -> Problem {
    Problem { dimension: 2, delta, norm_bound: Some(4.0) }
}

/// Knows the truth, and picks the worst arm.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saboteur {
    belief: Belief,
    theta: Vec<f64>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct SaboteurOptions {
    theta: Vec<f64>,
}

impl Options for SaboteurOptions {
    fn validate(&self) -> Result<()> {
        Ok(())
    }
}

impl Rule for Saboteur {
    type Options = SaboteurOptions;
    const INFO: &'static PolicyInfo = &INFO;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let belief = Belief::new(problem.dimension, problem.norm_bound, problem.delta)?;
        Ok(Self { belief, theta: options.theta.clone() })
    }

    fn check(&self, _dimension: usize) -> Result<()> {
        Ok(())
    }

    fn pick(&mut self, arms: &FiniteArms, _round: Round<'_>) -> Result<Pick> {
        let opposite: Vec<f64> = self.theta.iter().map(|v| -v).collect();
        Ok(Pick::bare(arms.best_for(&opposite)))
    }

    fn pick_direction(&mut self, _kind: ArmKind, _round: Round<'_>) -> Result<Direction> {
        let opposite: Vec<f64> = self.theta.iter().map(|v| -v).collect();
        Ok(Direction::along(&opposite))
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.belief.observe(x, reward).unwrap();
    }

    fn estimate(&self) -> &[f64] {
        &self.theta
    }

    fn belief(&self) -> Option<&Belief> {
        Some(&self.belief)
    }

    fn belief_mut(&mut self) -> Option<&mut Belief> {
        Some(&mut self.belief)
    }
}

const KEEP_ALL: Common = Common { certify: Certify::Mixture, eliminate: false, memory: Memory::All, explore: 0.0 };

fn sabotage(problem: &Problem, theta: &[f64], budget: Budget) -> Agent<Insured<Saboteur>> {
    let options = InsuredOptions { budget: Some(budget), rule: SaboteurOptions { theta: theta.to_vec() } };
    Agent::new(problem, &options, KEEP_ALL).unwrap()
}

fn insured(budget: Option<Budget>, common: Common) -> Agent<Insured<BayesUcb>> {
    let options = InsuredOptions { budget, rule: BayesUcbOptions::default() };
    Agent::new(&problem(0.05), &options, common).unwrap()
}

fn books(policy: &dyn Policy) -> Insurance {
    policy.insurance().expect("an insured rule keeps books")
}

/// What an arm costs in truth.
fn cost(world: &Simulation, arms: &FiniteArms, x: &[f64]) -> f64 {
    let best = arms.iter().map(|y| dot(y, &world.theta)).fold(f64::NEG_INFINITY, f64::max);
    link::mean(best) - link::mean(dot(x, &world.theta))
}

/// What the departures of a run cost in truth, and whether the truth was in the set in all rounds.
struct Outcome {
    cost: f64,
    covered: bool,
    books: Insurance,
}

/// Plays against the truth, and checks the books in every round.
fn play<R: Rule>(policy: &mut Agent<Insured<R>>, world: &mut Simulation, list: &FiniteArms, rounds: u64) -> Outcome {
    let arms = ArmSet::from(list.clone());
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut outcome = Outcome { cost: 0.0, covered: true, books: books(policy) };
    for _ in 0..rounds {
        outcome.covered &= policy.contains(&world.theta.clone()).unwrap();
        let x = policy.choose(&arms, &mut rng).unwrap().features.into_owned();
        let now = books(policy);
        assert!(now.spent <= now.budget, "{now:?}");
        if now.departures > outcome.books.departures {
            let (booked, true_cost) = (now.spent - outcome.books.spent, cost(world, list, &x));
            assert!(!outcome.covered || true_cost <= booked + 1e-12, "booked {booked}, cost {true_cost}");
            outcome.cost += true_cost;
        } else {
            assert_eq!(now.spent, outcome.books.spent);
        }
        outcome.books = now;
        policy.observe(&x, world.reward(&x)).unwrap();
    }
    outcome
}

/// A thousand runs against a rule that does its worst, for two deltas. Never dearer than the budget as long as the truth is
/// in the set, and dearer in a share of delta at most.
#[test]
fn a_saboteur_costs_no_more_than_the_budget() {
    const RUNS: u64 = 1000;
    for delta in [0.5, 0.05] {
        let budget = 6.0;
        let (mut dearer, mut used, mut unlimited) = (0, 0.0, 0.0);
        for run in 0..RUNS {
            let mut world = Simulation::new(2, 3.0, 900 + run);
            let list = world.ball_arms(6);
            let mut policy = sabotage(&problem(delta), &world.theta, Budget::Fixed(budget));
            let outcome = play(&mut policy, &mut world, &list, 40);
            assert!(!outcome.covered || outcome.cost <= budget + 1e-9, "run {run}: {}", outcome.cost);
            dearer += usize::from(outcome.cost > budget);
            used += outcome.books.spent / budget;
            unlimited += 40.0 * list.iter().map(|x| cost(&world, &list, x)).fold(0.0, f64::max);
        }
        let share = dearer as f64 / RUNS as f64;
        assert!(share <= largest_share(delta, RUNS as usize), "delta {delta}: dearer in a share of {share}");
        // The test can fail: uninsured it would have cost several times as much, and the budget is used up.
        let (used, unlimited) = (used / RUNS as f64, unlimited / RUNS as f64);
        assert!(unlimited > 3.0 * budget && used > 0.8, "{used} of the budget used, {unlimited} without it");
    }
}

/// The same with a budget that grows.
#[test]
fn a_curve_is_kept_in_every_round() {
    for (seed, power) in [(1, 0.0), (2, 0.5), (3, 1.0)] {
        let mut world = Simulation::new(2, 3.0, seed);
        let list = world.ball_arms(6);
        let curve = Curve { scale: 0.4, power };
        let mut policy = sabotage(&problem(1e-4), &world.theta, Budget::Growing(curve));
        let outcome = play(&mut policy, &mut world, &list, 300);
        let end = 0.4 * 300f64.powf(power);
        assert!((outcome.books.budget - end).abs() < 1e-9, "{:?}", outcome.books);
        assert!(
            outcome.cost <= end && outcome.books.spent <= end && outcome.books.overruled > 0,
            "{:?}",
            outcome.books
        );
        // Without power it is too small for a single departure that costs something; with it, it is used.
        assert_eq!(outcome.books.departures > 0, power > 0.0, "{:?}", outcome.books);
    }
}

#[test]
fn the_ball_and_the_sphere_are_insured() {
    for arms in [ArmSet::Ball { dimension: 2 }, ArmSet::Sphere { dimension: 2 }] {
        let mut world = Simulation::new(2, 3.0, 5);
        let mut policy = sabotage(&problem(1e-4), &world.theta, Budget::Fixed(4.5));
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let (mut spent, mut before) = (0.0, books(&policy));
        for _ in 0..25 {
            let x = policy.choose(&arms, &mut rng).unwrap().features.into_owned();
            let now = books(&policy);
            if now.departures > before.departures {
                let cost = link::mean(3.0) - link::mean(dot(&x, &world.theta));
                assert!(cost <= now.spent - before.spent + 1e-12, "{cost} {now:?}");
                spent += cost;
            }
            before = now;
            policy.observe(&x, world.reward(&x)).unwrap();
        }
        assert!(spent > 2.0 && spent <= 4.5 && before.overruled > 10, "{spent} {before:?}");
    }
}

/// A policy with some data about six arms, and the arms.
fn taught(seed: u64, plays: usize) -> (Simulation, FiniteArms<'static>, Agent<Insured<BayesUcb>>) {
    let mut world = Simulation::new(2, 3.0, seed);
    let list = world.ball_arms(6);
    let mut policy = insured(Some(Budget::Fixed(1.0)), KEEP_ALL);
    for k in 0..plays {
        let x = list.arm((k * k + k / 7) % list.len());
        policy.observe(x, world.reward(x)).unwrap();
    }
    (world, list, policy)
}

/// Every parameter of the set is asked what an arm may cost: on a grid of the ball, those that the set holds.
#[test]
fn prices_are_what_a_grid_says() {
    const GRID: i32 = 400;
    let mut compared = 0;
    for (seed, plays) in [(1, 0), (2, 12), (3, 60), (4, 300), (5, 1500)] {
        let (_, list, policy) = taught(seed, plays);
        let mut rule = policy.rule().clone();
        let grid = (-GRID..=GRID).flat_map(|i| (-GRID..=GRID).map(move |j| [i, j].map(|v| 4.0 * f64::from(v) / 400.0)));
        let members: Vec<[f64; 2]> = {
            let set = rule.belief_mut().unwrap().set();
            grid.filter(|theta| set.contains(theta)).collect()
        };
        // A small set holds few points of the grid, and says little then.
        if members.len() < 400 {
            continue;
        }
        for b in 0..list.len() {
            let (mut upper, mut lower, mut gap, mut worst) = (f64::NEG_INFINITY, f64::INFINITY, 0.0_f64, 0.0_f64);
            for theta in &members {
                let own = dot(list.arm(b), theta);
                let best = list.iter().map(|y| dot(y, theta)).fold(f64::NEG_INFINITY, f64::max);
                (upper, lower, gap) = (upper.max(best), lower.min(own), gap.max(best - own));
                worst = worst.max(link::mean(best) - link::mean(own));
            }
            let slope = link::variance(0f64.clamp(lower, upper));
            let formula = (link::mean(upper) - link::mean(lower)).min(slope * gap);
            let price = rule.price(&list, b).unwrap();
            assert!(
                worst <= price + 1e-12,
                "{plays} plays, arm {b}: a parameter of the set costs {worst}, not {price}"
            );
            // The grid misses the boundary by up to the diagonal of a cell, 0.014, which is 0.014 in the log-odds of a unit
            // arm and 0.028 in a difference of two; a quarter of that is 0.007, and corners of the set take some more.
            assert!((-1e-9..0.012).contains(&(price - formula)), "{plays} plays, arm {b}: {formula} and {price}");
            compared += 1;
        }
    }
    assert!(compared >= 20, "{compared} prices compared");
}

/// Zero if and only if nothing can be better.
#[test]
fn a_certified_best_arm_is_free() {
    let mut free = 0;
    for seed in 1..=10 {
        let (_, list, policy) = taught(seed, 3000);
        let mut answers = Answers::new(2, 1e-9).unwrap();
        let mut rule = policy.rule().clone();
        let best = answers.best_arm(&rule.belief_mut().unwrap().set(), &list, 0.0).unwrap();
        let price = rule.price(&list, best.arm).unwrap();
        assert_eq!(price == 0.0, best.found, "{price} {best:?}");
        free += usize::from(best.found);
        let others = (0..list.len()).filter(|k| *k != best.arm);
        others.for_each(|k| assert!(rule.price(&list, k).unwrap() > 0.0));
    }
    assert!((3..10).contains(&free), "{free} of ten are certified: the test wants some of both");
}

/// Prices bound the truth for every arm, as long as the truth is in the set.
#[test]
fn a_price_is_never_below_the_true_cost() {
    for seed in 0..40 {
        let (world, list, mut policy) = taught(100 + seed, 20 * seed as usize);
        if !policy.contains(&world.theta).unwrap() {
            continue;
        }
        for (k, x) in list.iter().enumerate() {
            let (price, cost) = (policy.rule().clone().price(&list, k).unwrap(), cost(&world, &list, x));
            assert!(cost <= price + 1e-12, "seed {seed}, arm {k}: {cost} and {price}");
        }
    }
}

/// The arms that two policies play, each seeing the same luck.
fn picks(policy: &mut dyn Policy, seed: u64, rounds: usize, changing: bool, batch: usize) -> Vec<usize> {
    let mut world = Simulation::new(2, 3.0, seed);
    let mut luck = Simulation::new(2, 3.0, seed + 1000);
    let mut arms = ArmSet::from(world.ball_arms(12));
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut waiting = Vec::new();
    (0..rounds)
        .map(|t| {
            if changing {
                arms = world.ball_arms(12).into();
            }
            let choice = policy.choose(&arms, &mut rng).unwrap();
            let (arm, x) = (choice.index.unwrap(), choice.features.into_owned());
            luck.theta.clone_from(&world.theta);
            let reward = luck.reward(&x);
            waiting.push((x, reward));
            if (t + 1) % batch == 0 {
                waiting.drain(..).for_each(|(x, reward)| policy.observe(&x, reward).unwrap());
            }
            arm
        })
        .collect()
}

#[test]
fn a_budget_that_cannot_bind_leaves_bayes_ucbs_picks() {
    let problem = problem(0.05);
    for (seed, changing, batch) in [(1, false, 1), (2, false, 7), (3, true, 1), (4, false, 1)] {
        let expected = picks(&mut *policy::build("bayes-ucb", &problem).unwrap(), seed, 600, changing, batch);
        for budget in [Value::Null, json!(1e6), json!({"scale": 1, "power": 1})] {
            let mut policy = policy::build_with("insured", &problem, json!({ "budget": budget })).unwrap();
            assert_eq!(picks(&mut *policy, seed, 600, changing, batch), expected, "seed {seed}, {budget}");
            let books = books(&*policy);
            assert_eq!(books.overruled, 0);
            // The default is not priced, what is named is: a dozen arms are soon told apart.
            assert_eq!(books.spent == 600.0, budget.is_null(), "{books:?}");
        }
    }
}

#[test]
fn without_a_budget_the_picks_are_optimists() {
    let problem = problem(0.05);
    for (seed, changing, batch) in [(1, false, 1), (2, false, 7), (3, true, 1)] {
        let expected = picks(&mut *policy::build("optimist", &problem).unwrap(), seed, 400, changing, batch);
        for budget in [0.0, 1e-9] {
            let options = json!({ "budget": budget, "eliminate": false, "optimism": null });
            let mut policy = policy::build_with("insured", &problem, options).unwrap();
            assert_eq!(picks(&mut *policy, seed, 400, changing, batch), expected, "seed {seed}");
            let books = books(&*policy);
            assert!(books.spent <= budget && books.overruled > 0, "{books:?}");
        }
    }
}

/// What is priced costs solves, what is not does not: the default takes those of bayes-ucb, an exhausted budget those of
/// optimist, and a budget that is watched a few more for each departure.
#[test]
fn solves_are_spent_where_they_decide() {
    let problem = problem(0.05);
    let solves = |name: &str, options: Value| {
        let mut policy = policy::build_with(name, &problem, options).unwrap();
        picks(&mut *policy, 1, 1000, false, 1);
        (policy.solves().unwrap(), policy.insurance())
    };
    // A quantile that stays departs from optimism often.
    let alone = |budget: Value| json!({ "budget": budget, "optimism": null, "eliminate": false, "quantile": 2.0 });
    assert_eq!(solves("insured", json!({})).0, solves("bayes-ucb", json!({})).0);
    assert_eq!(solves("insured", alone(json!(0))).0, solves("optimist", json!({})).0);
    let (watched, books) = solves("insured", alone(json!(1e6)));
    let books = books.unwrap();
    let base = solves("optimist", json!({})).0;
    assert!(books.departures > 50, "{books:?}");
    assert!(watched <= 2 * base + 6 * books.departures, "{watched} solves, optimist has {base}, {books:?}");
}

#[test]
fn a_restored_policy_goes_on_with_its_books() {
    let problem = problem(0.05);
    let mut world = Simulation::new(2, 3.0, 8);
    let arms = ArmSet::from(world.ball_arms(10));
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    for options in [json!({"budget": 25}), json!({"budget": {"scale": 2.0, "power": 0.5}}), json!({})] {
        let mut policy = policy::build_with("insured", &problem, &options).unwrap();
        let mut step = |policy: &mut dyn Policy, copies: &mut [Box<dyn Policy>]| {
            let x = policy.choose(&arms, &mut rng).unwrap().into_owned();
            for copy in &mut *copies {
                assert_eq!(copy.choose(&arms, &mut rng).unwrap(), x);
            }
            let reward = world.reward(&x.features);
            policy.observe(&x.features, reward).unwrap();
            copies.iter_mut().for_each(|copy| copy.observe(&x.features, reward).unwrap());
        };
        (0..120).for_each(|_| step(&mut *policy, &mut []));
        let text = policy::restore(&policy.save().unwrap()).unwrap();
        let bytes = policy::restore_bytes(&policy.save_bytes().unwrap()).unwrap();
        let mut copies = [text, bytes, policy.boxed_clone()];
        for _ in 0..120 {
            step(&mut *policy, &mut copies);
            for copy in &copies {
                assert_eq!(copy.insurance(), policy.insurance());
            }
        }
        assert_eq!(copies[0].save().unwrap(), policy.save().unwrap());
        let books = books(&*policy);
        assert!(books.departures > 20 && (books.overruled > 0) != (options == json!({})), "{books:?}");
    }
}

/// Books that could not have been kept are refused.
#[test]
fn cooked_books_are_refused() {
    let mut world = Simulation::new(2, 3.0, 8);
    let list = world.ball_arms(10);
    let mut policy = insured(Some(Budget::Fixed(25.0)), KEEP_ALL);
    play(&mut policy, &mut world, &list, 100);
    let state = serde_json::to_value(policy.rule()).unwrap();
    let edited = |field: &str, value: Value| {
        let mut state = state.clone();
        let slot = state.pointer_mut(field).unwrap_or_else(|| panic!("{field} is not stored"));
        *slot = value;
        serde_json::from_value::<Insured<BayesUcb>>(state).map(|rule| rule.check(2).map_err(|e| e.to_string()))
    };
    assert!(edited("/ledger/round", json!(100)).unwrap().is_ok());
    for (field, value, said) in [
        ("/ledger/spent", json!(-1.0), "ledger.spent"),
        ("/ledger/spent", json!(26.0), "ledger.spent"),
        ("/ledger/departures", json!(1), "ledger.spent"),
        ("/ledger/overruled", json!(1000), "ledger.departures"),
        ("/ledger/round", json!(1u64 << 60), "ledger.round"),
        ("/ledger/longest", json!(-1.0), "ledger.longest"),
        ("/budget", json!(3.0), "ledger.spent"),
        ("/budget", json!(-3.0), "budget"),
        ("/problem/dimension", json!(3), "problem"),
    ] {
        let error = edited(field, value.clone()).unwrap().unwrap_err();
        assert!(error.contains(said), "{field} = {value}: {error}");
    }
}

#[test]
fn budgets_that_are_not_sound_are_refused() {
    let error = |budget: Value| {
        policy::build_with("insured", &problem(0.05), json!({ "budget": budget })).map(drop).unwrap_err().to_string()
    };
    insta::assert_snapshot!(error(json!(-1)), @"budget is -1: it must be zero (optimism alone) or positive");
    insta::assert_snapshot!(error(json!({"scale": -2, "power": 0.5})), @"budget.scale is -2: it must be zero (optimism alone) or positive");
    insta::assert_snapshot!(error(json!({"scale": 2, "power": 1.5})), @"budget.power is 1.5: it must be between 0 (the same in all rounds) and 1 (a share of the rounds)");
    for budget in [json!("lots"), json!({"scale": 2}), json!({"scale": 2, "power": 0.5, "at": 1}), json!([1])] {
        let error = error(budget.clone());
        let named = error.contains("budget is") && error.contains(r#"{"scale": a, "power": p}"#);
        assert!(named, "{budget}: {error}");
    }
    let error = policy::build_with("insured", &problem(0.05), json!({ "optimism": 1.0 })).map(drop).unwrap_err();
    assert!(matches!(&error, Error::OutOfRange { field, .. } if field == "optimism"), "{error}");
}

/// The default budget, written again from the theorem.
#[test]
fn the_default_budget_is_the_bound_of_optimism() {
    let bound = |d: f64, s: f64, delta: f64, t: f64| {
        let mu = |z: f64| 1.0 / (1.0 + (-z).exp());
        let kappa = 1.0 / (mu(s) * (1.0 - mu(s)));
        let u = s * s / d;
        let b = 0.5 * d + (1.25 / delta).ln() + 0.5 * d * (1.0 + t * u / (4.0 * d)).ln();
        let rho_squared = 2.0 * b * (2.0 * s / (1.0 - (-s).exp())).powi(2) + 4.0 * d;
        let e = |w: f64| w * u / (1.0 + w * u).ln() * d * (1.0 + t * w * u / d).ln();
        0.5 * (rho_squared * e(0.25) * t).sqrt() + kappa * rho_squared * e(1.0 / kappa) / (12.0 * 3f64.sqrt())
    };
    let list = FiniteArms::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
    let arms = ArmSet::from(list);
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut policy = policy::build("insured", &problem(0.05)).unwrap();
    for t in 1..=20 {
        policy.choose(&arms, &mut rng).unwrap();
        let (budget, expected) = (books(&*policy).budget, bound(2.0, 4.0, 0.05, f64::from(t)));
        assert!((budget / expected - 1.0).abs() < 1e-12, "round {t}: {budget} and {expected}");
    }
    // From when on it says anything, as docs/theory.md has it: the first round in which it is below the number of rounds.
    for (d, s, t) in
        [(2.0, 1.0, 943.0), (2.0, 2.0, 7_795.0), (2.0, 24f64.acosh(), 155_253.0), (10.0, 5.0, 14_706_355.0)]
    {
        assert!(bound(d, s, 0.05, 0.999 * t) > 0.999 * t && bound(d, s, 0.05, 1.001 * t) < 1.001 * t, "{d} {s}");
    }
    // Without a norm bound there is none.
    let free = Problem { norm_bound: None, ..problem(0.05) };
    let mut policy = policy::build("insured", &free).unwrap();
    (0..9).for_each(|_| drop(policy.choose(&arms, &mut rng).unwrap()));
    assert_eq!(books(&*policy).budget, 6.0);
}

/// Where the data contradict the norm bound nothing is certain, and a pick is booked as the most that it can cost.
#[test]
fn an_empty_set_prices_everything_as_one() {
    let problem = Problem { norm_bound: Some(0.1), ..problem(0.05) };
    let options = InsuredOptions { budget: Some(Budget::Fixed(10.0)), rule: BayesUcbOptions::default() };
    let mut policy = Agent::<Insured<BayesUcb>>::new(&problem, &options, KEEP_ALL).unwrap();
    for _ in 0..300 {
        policy.observe(&[1.0, 0.0], 1.0).unwrap();
    }
    let list = FiniteArms::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap();
    let mut rule = policy.rule().clone();
    assert!(rule.belief_mut().unwrap().set().is_empty());
    assert_eq!(rule.price(&list, 1).unwrap(), 1.0);
    // What it decides then is still within the budget.
    let arms = ArmSet::from(list);
    for _ in 0..30 {
        policy.choose(&arms, &mut ChaCha8Rng::seed_from_u64(0)).unwrap();
    }
    assert!(books(&policy).spent <= 10.0);
}

/// A rule without the mixture set cannot be insured.
#[test]
fn who_keeps_no_set_is_not_insured() {
    let options = InsuredOptions::default();
    let made = Agent::<Insured<policy::oful::Oful>>::new(
        &problem(0.05),
        &options,
        Common { certify: Certify::Own, eliminate: false, memory: Memory::All, explore: 0.0 },
    );
    assert!(matches!(made.map(drop).unwrap_err(), Error::NoSet { policy: "oful" }));
}
