//! How fast every policy is: rounds per second for a few arms in two dimensions, and what a round of a one-pass policy costs
//! in fifty, in units of the quadratic forms that it cannot do without.
//!
//! `cargo bench -p optimist --bench policies` prints a line for each policy of the registry and says which aims are missed.
//! A round is a choice and an observation; rewards are made beforehand. Speeds depend on the machine; the ratios are taken
//! within one run, the two sides by turns, so that a busy machine disturbs both.

#[path = "support/arguments.rs"]
mod arguments;
#[path = "support/median.rs"]
mod median;
#[path = "support/required.rs"]
mod required;
#[path = "../tests/common/simulation.rs"]
mod simulation;

use std::hint::black_box;
use std::time::{Duration, Instant};

use arguments::Arguments;
use median::median;
use optimist::Problem;
use optimist::numerics::dot;
use optimist::policy::{self, Family, Policy, PolicyInfo};
use optimist::{ArmSet, link};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use required::add_required;
use serde_json::{Map, Value};
use simulation::Simulation;

const USAGE: &str = "\
cargo bench -p optimist --bench policies -- [ARGUMENTS]

  --only NAME   this policy only; may be repeated (all)
  --rounds N    rounds of a repetition, fewer if they take long (20000)";

/// Rounds of a repetition in two dimensions, and in fifty.
const ROUNDS: usize = 20_000;
const WIDE_ROUNDS: usize = 2000;
/// What a repetition may take, and all repetitions of a policy in a world.
const REPETITION: Duration = Duration::from_millis(200);
const BUDGET: Duration = Duration::from_millis(1000);
/// Lists of arms that come in turn, where arms change.
const LISTS: usize = 16;
/// Aims: rounds per second of optimistic policies that remember everything, and of one-pass policies; cost of a round of a
/// one-pass policy as a multiple of one quadratic form for each arm.
const HISTORY_SPEED: f64 = 50_000.0;
const ONE_PASS_SPEED: f64 = 500_000.0;
const ONE_PASS_FORMS: f64 = 2.0;

fn main() {
    let arguments = Arguments::read(USAGE, &["only", "rounds"], &[]);
    let only: Vec<&str> = arguments.all("only").collect();
    for name in &only {
        policy::info(name).unwrap_or_else(|e| arguments.refuse(&e.to_string()));
    }
    let rounds = arguments.get("rounds").unwrap_or(ROUNDS).max(1);
    let infos = policy::registry().into_iter().filter(|info| only.is_empty() || only.contains(&info.name));
    let small = World::new(2, 40, 1, rounds);
    let wide = [World::new(50, 100, 1, WIDE_ROUNDS), World::new(50, 100, LISTS, WIDE_ROUNDS)];
    println!("d=2, K=40: rounds per second, time as a multiple of greedy's, rounds of a repetition");
    println!(
        "d=50, K=100, one-pass policies: time per round as a multiple of K quadratic forms, the same arms or others"
    );
    println!(
        "{:18} {:9} {:>10} {:>8} {:>7} {:>8} {:>8}",
        "policy", "family", "rounds/s", "greedy", "rounds", "same", "others"
    );
    let mut missed = 0;
    for info in infos {
        match measure(info, &small, &wide) {
            Ok(line) => missed += line.print(info),
            Err(what) => println!("{:18} failed: {what}", info.name),
        }
    }
    println!("{missed} aims missed");
}

/// The figures of a policy.
struct Line {
    speed: f64,
    by_greedy: f64,
    rounds: usize,
    /// Multiples of K quadratic forms: the same arms every round, and others.
    forms: Option<[f64; 2]>,
}

impl Line {
    /// Prints the line with its verdict, and returns the number of aims missed.
    fn print(&self, info: &PolicyInfo) -> usize {
        let forms = self.forms.map_or_else(|| ["-".into(), "-".into()], |f| f.map(|v| format!("{v:.2}")));
        let missed = self.missed(info);
        let verdict = if missed.is_empty() { "ok".to_owned() } else { format!("MISSED: {}", missed.join(", ")) };
        let Line { speed, by_greedy, rounds, .. } = self;
        println!(
            "{:18} {:9} {speed:>10.0} {by_greedy:>8.2} {rounds:>7} {:>8} {:>8}  {verdict}",
            info.name,
            info.family.name(),
            forms[0],
            forms[1]
        );
        missed.len()
    }

    fn missed(&self, info: &PolicyInfo) -> Vec<String> {
        let optimistic = matches!(info.family, Family::Optimism | Family::Index);
        let aim = match (info.uses_history, optimistic) {
            (false, _) => ONE_PASS_SPEED,
            (true, true) => HISTORY_SPEED,
            (true, false) => 0.0,
        };
        let slow = (self.speed < aim).then(|| format!("at least {aim} rounds/s"));
        let dear = self.forms.is_some_and(|forms| forms.iter().any(|ratio| *ratio > ONE_PASS_FORMS));
        slow.into_iter().chain(dear.then(|| format!("at most {ONE_PASS_FORMS} times K forms"))).collect()
    }
}

fn measure(info: &'static PolicyInfo, small: &World, wide: &[World; 2]) -> Result<Line, String> {
    let greedy = policy::info("greedy").map_err(|e| e.to_string())?;
    let (rounds, [own, yardstick]) = small.by_turns(info, |rounds| small.play(greedy, rounds).map(|(_, each)| each))?;
    let forms = match info.uses_history {
        true => None,
        false => Some([wide[0].multiple_of_forms(info)?, wide[1].multiple_of_forms(info)?]),
    };
    Ok(Line { speed: 1.0 / own, by_greedy: own / yardstick, rounds, forms })
}

/// Lists of arms with their mean rewards, and the luck of every round.
struct World {
    d: usize,
    lists: Vec<(ArmSet<'static>, Vec<f64>)>,
    luck: Vec<f64>,
}

impl World {
    /// Arms uniform in the unit ball; `lists` of them take turns.
    fn new(d: usize, k: usize, lists: usize, rounds: usize) -> Self {
        let mut simulation = Simulation::new(d, 3.87, 1);
        let mut list = |_| {
            let arms = simulation.ball_arms(k);
            let means = arms.iter().map(|x| link::mean(dot(x, &simulation.theta))).collect();
            (ArmSet::from(arms), means)
        };
        let lists = (0..lists).map(&mut list).collect();
        let luck = (0..rounds).map(|_| simulation.rng.random()).collect();
        Self { d, lists, luck }
    }

    fn build(&self, info: &PolicyInfo, rounds: usize) -> Result<Box<dyn Policy>, String> {
        let mut options = Map::new();
        add_required(info, rounds, &mut options)?;
        let problem = Problem { dimension: self.d, delta: 0.05, norm_bound: Some(4.0) };
        policy::build_with(info.name, &problem, Value::Object(options)).map_err(|e| e.to_string())
    }

    /// Plays from the beginning, at most `rounds` rounds and not much longer than a repetition may take:
    /// how many rounds, and the seconds of each.
    fn play(&self, info: &PolicyInfo, rounds: usize) -> Result<(usize, f64), String> {
        let mut policy = self.build(info, rounds)?;
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let start = Instant::now();
        for (round, luck) in self.luck[..rounds].iter().enumerate() {
            let (arms, means) = &self.lists[round % self.lists.len()];
            let choice = policy.choose(arms, &mut rng).map_err(|e| e.to_string())?;
            let mean = means[choice.index.expect("arms are a list")];
            let reward = f64::from(u8::from(*luck < mean));
            policy.observe(&choice.features, reward).map_err(|e| e.to_string())?;
            // The clock is read seldom, for it costs as much as a fast round.
            if round % 64 == 63 && start.elapsed() > 4 * REPETITION {
                return Ok((round + 1, start.elapsed().as_secs_f64() / (round + 1) as f64));
            }
        }
        Ok((rounds, start.elapsed().as_secs_f64() / rounds as f64))
    }

    /// The rounds of a repetition, and the median seconds of a round of the policy and of `other`, by turns.
    fn by_turns(
        &self,
        info: &PolicyInfo,
        mut other: impl FnMut(usize) -> Result<f64, String>,
    ) -> Result<(usize, [f64; 2]), String> {
        let (played, each) = self.play(info, self.luck.len())?;
        let rounds = played.min((REPETITION.as_secs_f64() / each).ceil() as usize);
        let repetitions = (BUDGET.as_secs_f64() / (each * rounds as f64)).clamp(5.0, 25.0) as usize;
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for _ in 0..repetitions {
            own.push(self.play(info, rounds)?.1);
            others.push(other(rounds)?);
        }
        Ok((rounds, [median(own), median(others)]))
    }

    /// Time per round by the time of one quadratic form for each arm.
    fn multiple_of_forms(&self, info: &PolicyInfo) -> Result<f64, String> {
        let matrix: Vec<f64> = (0..self.d * self.d).map(|i| 1.0 / (1 + i / self.d + i % self.d) as f64).collect();
        let forms = |rounds: usize| {
            let start = Instant::now();
            for round in 0..rounds {
                let (arms, _) = &self.lists[round % self.lists.len()];
                let ArmSet::Finite(list) = arms else { return Err("arms are a list".to_owned()) };
                black_box(list.iter().map(|x| quadratic(black_box(&matrix), x)).sum::<f64>());
            }
            Ok(start.elapsed().as_secs_f64() / rounds as f64)
        };
        let (_, [own, forms]) = self.by_turns(info, forms)?;
        Ok(own / forms)
    }
}

/// x'Mx, a row of the lower triangle at a time: half the work of all of M.
fn quadratic(matrix: &[f64], x: &[f64]) -> f64 {
    let row = |i: usize| &matrix[i * x.len()..][..=i];
    (0..x.len()).map(|i| x[i] * (row(i)[i] * x[i] + 2.0 * dot(&row(i)[..i], &x[..i]))).sum()
}
