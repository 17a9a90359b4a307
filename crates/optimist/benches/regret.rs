//! Regret of policies on simulated logistic bandits, in the same worlds with the same luck.
//!
//! `cargo bench -p optimist --bench regret` prints the standard comparisons next to their aims and fails if one is
//! missed; with arguments (`-- --help` lists them) it compares what is asked for.

#[path = "support/arguments.rs"]
mod arguments;
#[path = "regret/contender.rs"]
mod contender;
#[path = "support/required.rs"]
mod required;
#[path = "../tests/common/simulation.rs"]
mod simulation;
#[path = "regret/statistics.rs"]
mod statistics;
#[path = "regret/world.rs"]
mod world;

use arguments::Arguments;
use contender::Contender;
use optimist::policy;
use statistics::{Summary, mean, ratio};
use world::{Outcome, Setting};

const USAGE: &str = "\
cargo bench -p optimist --bench regret -- [ARGUMENTS]

Without arguments: the standard comparisons. With any:

  --policies A,B,...         policies to compare, the first being the yardstick; NAME:OPTION=JSON sets an option of
                             this entry alone, so that a policy may be compared with itself (all policies)
  --dimension D, --arms K    arms uniform in the unit ball (2, 40)
  --kappa C | --norm N       length of theta*: C = 2 + e^N + e^-N (kappa 50)
  --norm-bound S             bound that policies are told (the length of theta*)
  --delta P                  probability with which confidence sets may fail (0.05)
  --rounds T, --seeds N      length and number of runs (2000, 50)
  --set POLICY.OPTION=JSON   sets an option of a policy; may be repeated
  --first N                  number of the first run, for worlds that were not seen before (0)
  --batch B                  rewards are handed over after every B rounds only (1)
  --changing                 new arms every round
  --threads N                threads, which change the times but not the regret (2)";

const NAMED: &[&str] = &[
    "policies",
    "dimension",
    "arms",
    "kappa",
    "norm",
    "norm-bound",
    "delta",
    "rounds",
    "seeds",
    "first",
    "batch",
    "set",
    "threads",
];

/// Threads, unless told otherwise.
const THREADS: usize = 2;

fn main() {
    let arguments = Arguments::read(USAGE, NAMED, &["changing"]);
    if arguments.is_empty() { standard() } else { asked(&arguments) }
}

/// What the arguments ask for.
fn asked(arguments: &Arguments) {
    let setting = setting(arguments);
    let threads = arguments.get("threads").unwrap_or(THREADS).max(1);
    let listed = arguments.all("policies").last().map(str::to_owned);
    let listed = listed.unwrap_or_else(|| policy::names().collect::<Vec<_>>().join(","));
    let mut contenders = Vec::new();
    for text in listed.split(',') {
        contenders.push(Contender::parse(text).unwrap_or_else(|what| arguments.refuse(&what)));
    }
    for text in arguments.all("set") {
        let parts = text.split_once('=').and_then(|(key, value)| key.split_once('.').map(|(p, o)| (p, o, value)));
        let Some((name, option, value)) = parts else {
            arguments.refuse(&format!("--set is \"{text}\": write POLICY.OPTION=JSON"));
        };
        if !contenders.iter().any(|c| c.info.name == name) {
            arguments.refuse(&format!("--set {text}: {name} is not among the policies"));
        }
        let named = contenders.iter_mut().filter(|c| c.info.name == name);
        named.for_each(|contender| contender.set_default(option, value));
    }
    compare("", &setting, &contenders, threads);
}

fn setting(arguments: &Arguments) -> Setting {
    if arguments.has("kappa") && arguments.has("norm") {
        arguments.refuse("give --kappa or --norm, not both");
    }
    let kappa = arguments.get("kappa").unwrap_or(50.0);
    let norm = arguments.get("norm").unwrap_or_else(|| norm_of(kappa));
    let setting = Setting {
        dimension: arguments.get("dimension").unwrap_or(2),
        arms: arguments.get("arms").unwrap_or(40),
        norm,
        norm_bound: arguments.get("norm-bound").unwrap_or(norm),
        delta: arguments.get("delta").unwrap_or(0.05),
        rounds: arguments.get("rounds").unwrap_or(2000),
        seeds: arguments.get("seeds").unwrap_or(50),
        first: arguments.get("first").unwrap_or(0),
        batch: arguments.get("batch").unwrap_or(1),
        changing: arguments.has("changing"),
    };
    if !norm.is_finite() {
        arguments.refuse("--kappa must be at least 4, --norm a finite number");
    }
    if setting.dimension == 0 || setting.arms == 0 || setting.rounds == 0 || setting.seeds == 0 {
        arguments.refuse("--dimension, --arms, --rounds and --seeds must be at least 1");
    }
    setting
}

/// The length n of theta* with kappa = 2 + e^n + e^-n.
fn norm_of(kappa: f64) -> f64 {
    (kappa / 2.0 - 1.0).acosh()
}

/// The comparisons for which the project has aims.
fn standard() {
    let mut aims = Aims::default();
    let norm = norm_of(50.0);
    let small = Setting {
        dimension: 2,
        arms: 40,
        norm,
        norm_bound: norm,
        delta: 0.05,
        rounds: 2000,
        seeds: 50,
        first: 0,
        batch: 1,
        changing: false,
    };
    let table = compare_known("(a) ", &small, &["optimist", "ofuglb", "laplace-ts", "ofulog-r:radius=paper"]);
    aims.at_most(&table, "optimist", "ofuglb", 0.75);
    aims.at_most(&table, "optimist", "laplace-ts", 1.8);
    aims.linear(&table, "ofulog-r radius=paper");
    println!();
    let wide = Setting { dimension: 10, arms: 100, norm: 4.0, norm_bound: 5.0, rounds: 4000, seeds: 20, ..small };
    let table = compare_known("(b) ", &wide, &["bayes-ucb", "laplace-ts"]);
    aims.at_most(&table, "bayes-ucb", "laplace-ts", 0.75);
    println!();
    let long = Setting { rounds: 16_000, seeds: 100, ..small };
    let table = compare_known("(c) ", &long, &["bayes-ucb", "laplace-ts"]);
    aims.at_most(&table, "bayes-ucb", "laplace-ts", 1.0);
    println!();
    aims.finish();
}

/// Compares those of the given policies that the registry has.
fn compare_known(title: &str, setting: &Setting, texts: &[&str]) -> Vec<Row> {
    let mut contenders = Vec::new();
    for text in texts {
        match Contender::parse(text) {
            Ok(contender) => contenders.push(contender),
            Err(_) => println!("{title}{text} is skipped: the registry does not have it"),
        }
    }
    compare(title, setting, &contenders, THREADS)
}

/// The runs of a policy.
struct Row {
    label: String,
    half: Vec<f64>,
    full: Vec<f64>,
}

/// Plays all policies and prints a line for each.
fn compare(title: &str, setting: &Setting, contenders: &[Contender], threads: usize) -> Vec<Row> {
    println!("{title}{setting}");
    let width = contenders.iter().map(|c| c.label().len()).max().unwrap_or(0).max("policy".len());
    println!(
        "{:width$} {:>9} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9} {:>10}  ratio of means to the first",
        "policy", "regret", "s.e.", "std", "median", "90%", "max", "T by T/2", "rounds/s"
    );
    let mut rows: Vec<Row> = Vec::new();
    for contender in contenders {
        let label = contender.label();
        match contender.play(setting, threads) {
            Ok(outcomes) => {
                let half = outcomes.iter().map(|o| o.half).collect();
                let full = outcomes.iter().map(|o| o.full).collect();
                let row = Row { label, half, full };
                print_row(width, &row, rows.first().unwrap_or(&row), speed(setting, &outcomes));
                rows.push(row);
            }
            Err(what) => {
                println!("{label:width$} failed: {what}");
                std::process::exit(1);
            }
        }
    }
    rows
}

/// Rounds a second of one thread, by the time spent in the policy.
fn speed(setting: &Setting, outcomes: &[Outcome]) -> f64 {
    let seconds: f64 = outcomes.iter().map(|o| o.time.as_secs_f64()).sum();
    (setting.rounds * outcomes.len()) as f64 / seconds
}

fn print_row(width: usize, row: &Row, first: &Row, speed: f64) {
    let Summary { mean, standard_error, deviation, median, upper, max } = Summary::of(&row.full);
    let (ratio, error) = ratio(&row.full, &first.full);
    println!(
        "{:width$} {mean:>9.2} {standard_error:>8.2} {deviation:>8.2} {median:>9.2} {upper:>9.2} {max:>9.2} \
         {:>9.2} {speed:>10.0}  {ratio:.3} +- {error:.3}",
        row.label,
        growth(row),
    );
}

/// How much the regret grows from half of the rounds to all: 2 if it is linear, towards 1 if it is logarithmic.
fn growth(row: &Row) -> f64 {
    mean(&row.full) / mean(&row.half)
}

/// Figures next to their aims.
#[derive(Default)]
struct Aims {
    missed: usize,
    skipped: usize,
}

impl Aims {
    fn at_most(&mut self, rows: &[Row], a: &str, b: &str, limit: f64) {
        let find = |label: &str| rows.iter().find(|row| row.label == label);
        let (Some(x), Some(y)) = (find(a), find(b)) else {
            self.skip(&format!("{a} against {b}"));
            return;
        };
        let (figure, error) = ratio(&x.full, &y.full);
        self.verdict(&format!("{a} by {b}: {figure:.3} +- {error:.3} (at most {limit})"), figure <= limit);
    }

    fn linear(&mut self, rows: &[Row], label: &str) {
        let Some(row) = rows.iter().find(|row| row.label == label) else {
            self.skip(&format!("growth of {label}"));
            return;
        };
        let figure = growth(row);
        self.verdict(
            &format!("{label}, regret at T by regret at T/2: {figure:.3} (linear, at least 1.9)"),
            figure >= 1.9,
        );
    }

    fn verdict(&mut self, text: &str, met: bool) {
        self.missed += usize::from(!met);
        println!("  {text} {}", if met { "ok" } else { "MISSED" });
    }

    fn skip(&mut self, what: &str) {
        self.skipped += 1;
        println!("  {what}: skipped");
    }

    fn finish(&self) {
        println!("{} aims missed, {} skipped", self.missed, self.skipped);
        if self.missed > 0 {
            std::process::exit(1);
        }
    }
}
