//! Public data sets, played as bandits: every row is a context, every class an arm, and the reward is one if the arm is the
//! row's class. Of a wrong choice nothing is learnt but that it was wrong.
//!
//! `cargo bench -p optimist --bench classification` fetches the data (Python 3 with pip is needed for that, once) and prints,
//! for each data set and policy, the share of wrong choices and what a round costs. Every arm has parameters of its own.
//! Policies that know such arms get them as they are; for others rows are written out with their zeros.

#[path = "support/arguments.rs"]
mod arguments;
#[path = "support/data_sets.rs"]
mod data_sets;
#[path = "support/encoding.rs"]
mod encoding;
#[path = "support/players.rs"]
mod players;
#[path = "support/table.rs"]
mod table;

use std::fmt::Write;
use std::time::{Duration, Instant};

use arguments::Arguments;
use encoding::Encoded;
use players::{Game, Player, players};
use serde_json::{Value, json};

const USAGE: &str = "\
cargo bench -p optimist --bench classification -- [ARGUMENTS]

  --set NAME       this data set only; may be repeated (magic, letter, mushroom, adult)
  --policy NAME    lines of the table with this name only; may be repeated (all)
  --rounds N       rounds of a game, or as many as the set has rows (10000)
  --orders N       random orders of the rows, or as many as there is time for (20)
  --seconds N      what all games of a policy on a data set may take together (60)
  --options JSON   options that bayes-ucb, laplace-ts and greedy get besides
  --csv FILE       the table as comma-separated text as well";

const SETS: [&str; 4] = ["magic", "letter", "mushroom", "adult"];
/// Wrong choices are counted up to here, and up to the end.
const EARLY: usize = 4500;
/// Aims: the share of wrong choices after the first of these rounds, mean of twenty orders ...
const WRONG: [(&str, &str, f64); 2] = [("magic", "bayes-ucb", 0.219), ("letter", "bayes-ucb", 0.58)];
/// ... and rounds per second.
const FAST: (&str, [&str; 6], f64) = (
    "magic",
    ["bayes-ucb", "laplace-ts", "greedy", "optimist-stream, S=3", "optimist-stream, S=10", "optimist-stream, S=30"],
    100_000.0,
);

fn main() {
    let named = ["set", "policy", "rounds", "orders", "seconds", "options", "csv"];
    let arguments = Arguments::read(USAGE, &named, &[]);
    let besides: Value = arguments.get("options").unwrap_or_else(|| json!({}));
    let only: Vec<&str> = arguments.all("policy").collect();
    let mut players = players(&besides);
    if let Some(name) = only.iter().find(|name| players.iter().all(|p| p.name != **name)) {
        let names: Vec<&str> = players.iter().map(|p| p.name.as_str()).collect();
        arguments.refuse(&format!("--policy is \"{name}\"; there are \"{}\"", names.join("\", \"")));
    }
    players.retain(|p| only.is_empty() || only.contains(&p.name.as_str()));
    let mut sets: Vec<&str> = arguments.all("set").collect();
    if sets.is_empty() {
        sets.extend(SETS);
    }
    let effort = Effort {
        rounds: arguments.get("rounds").unwrap_or(10_000).max(1),
        orders: arguments.get("orders").unwrap_or(20).max(1),
        time: Duration::from_secs_f64(arguments.get("seconds").unwrap_or(60.0)),
    };
    let mut csv = Csv::new();
    for set in sets {
        let data = match data_sets::load(set) {
            Ok(data) => data,
            // All benchmarks together must not end here for want of a network.
            Err(what) if arguments.is_empty() => return println!("{set} and what comes after it is skipped: {what}"),
            Err(what) => fail(&what),
        };
        print_heading(set, &data, effort.rounds);
        for player in &players {
            match effort.measure(set, player, &data) {
                Ok(line) => {
                    line.print();
                    csv.add(&line);
                }
                Err(what) => println!("{:22} failed: {what}", player.name),
            }
        }
        println!();
    }
    if let Some(file) = arguments.all("csv").last() {
        // Cargo runs benchmarks in the directory of their crate, which not everybody knows.
        let path = std::path::absolute(file).unwrap_or_else(|_| file.into());
        std::fs::write(&path, csv.text).unwrap_or_else(|e| fail(&format!("{}: {e}", path.display())));
        eprintln!("written to {}", path.display());
    }
}

fn fail(what: &str) -> ! {
    eprintln!("error: {what}");
    std::process::exit(1)
}

fn print_heading(set: &str, data: &Encoded, rounds: usize) {
    let Encoded { dimension, classes, scale, .. } = data;
    println!("{set}: {} rows, {classes} classes, {dimension} numbers per row, divided by {scale:.3}", data.rows());
    let [early, end] = marks(data, rounds);
    println!(
        "{:22} {:>6} {:>7} {:>20} {:>20} {:>11} {:>10}",
        "policy",
        "orders",
        "rounds",
        format!("wrong after {early}"),
        format!("wrong after {end}"),
        "us a round",
        "rounds/s"
    );
}

fn marks(data: &Encoded, rounds: usize) -> [usize; 2] {
    let end = data.rows().min(rounds);
    [end.min(EARLY), end]
}

/// How much is played.
struct Effort {
    rounds: usize,
    orders: u64,
    /// For all orders of a player on a set.
    time: Duration,
}

impl Effort {
    fn measure<'a>(&self, set: &'a str, player: &'a Player, data: &Encoded) -> Result<Line<'a>, String> {
        let marks = marks(data, self.rounds);
        let end = Instant::now() + self.time;
        let mut progress = Progress::new();
        let mut games: Vec<Game> = Vec::new();
        for order in 0..self.orders {
            let game = player.play(data, order, &marks, end)?;
            let whole = game.rounds == marks[1];
            // A game that was cut says something only if there is no whole one.
            if whole || games.is_empty() {
                games.push(game);
            }
            if !whole || Instant::now() > end {
                break;
            }
            progress.tell(&format!("{set}, {}: {} of {} orders", player.name, order + 1, self.orders));
        }
        Ok(Line::of(set, &player.name, marks, &games))
    }
}

/// Says on the error stream how far it is, once in a while.
struct Progress {
    last: Instant,
}

impl Progress {
    fn new() -> Self {
        Self { last: Instant::now() }
    }

    fn tell(&mut self, what: &str) {
        if self.last.elapsed() > Duration::from_secs(10) {
            eprintln!("{what}");
            self.last = Instant::now();
        }
    }
}

/// The figures of a player on a set.
struct Line<'a> {
    set: &'a str,
    name: &'a str,
    orders: usize,
    /// Rounds of a game, and whether these are fewer than there should be.
    rounds: usize,
    cut: bool,
    /// Mean share of wrong choices up to each mark that was reached, and its standard error where there are several games.
    wrong: [Option<(f64, Option<f64>)>; 2],
    /// Median over games.
    microseconds: f64,
}

impl<'a> Line<'a> {
    fn of(set: &'a str, name: &'a str, marks: [usize; 2], games: &[Game]) -> Self {
        let rounds = games[0].rounds;
        let share = |mark: usize| {
            let upto = marks[mark].min(rounds);
            // A game that was cut is told up to where it came.
            let reached = rounds >= marks[mark] || mark == 1;
            reached.then(|| mean(&games.iter().map(|g| g.wrong[mark] as f64 / upto as f64).collect::<Vec<_>>()))
        };
        let each = games.iter().map(|g| 1e6 * g.seconds / g.rounds as f64).collect();
        let (wrong, cut) = ([share(0), share(1)], rounds < marks[1]);
        Self { set, name, orders: games.len(), rounds, cut, wrong, microseconds: median(each) }
    }

    fn print(&self) {
        let wrong = self.wrong.map(|share| match share {
            Some((mean, Some(error))) => format!("{mean:.4} +- {error:.4}"),
            Some((mean, None)) => format!("{mean:.4}          "),
            None => "-".into(),
        });
        let (speed, cut) = (1e6 / self.microseconds, if self.cut { "  cut" } else { "" });
        let Self { name, orders, rounds, microseconds, .. } = self;
        println!(
            "{name:22} {orders:>6} {rounds:>7} {:>20} {:>20} {microseconds:>11.2} {speed:>10.0}{cut}{}",
            wrong[0],
            wrong[1],
            self.verdict()
        );
    }

    /// What the aims say, if there are any.
    fn verdict(&self) -> String {
        let mut text = String::new();
        let mut judge = |what: String, met: bool| {
            let _ = write!(text, "  {what}: {}", if met { "ok" } else { "MISSED" });
        };
        for (_, _, aim) in WRONG.iter().filter(|(set, name, _)| (*set, *name) == (self.set, self.name)) {
            judge(format!("at most {aim}"), self.wrong[0].is_some_and(|(mean, _)| mean <= *aim));
        }
        let (set, names, aim) = FAST;
        if set == self.set && names.contains(&self.name) {
            judge(format!("at least {aim} rounds/s"), 1e6 / self.microseconds >= aim);
        }
        text
    }
}

/// The mean, and its standard error if there are several values.
fn mean(values: &[f64]) -> (f64, Option<f64>) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, (count > 1.0).then(|| (squares / (count - 1.0) / count).sqrt()))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The table as comma-separated text.
struct Csv {
    text: String,
}

impl Csv {
    fn new() -> Self {
        let head = "set,policy,orders,rounds,cut,wrong_early,wrong_early_error,wrong,wrong_error,microseconds\n";
        Self { text: head.into() }
    }

    fn add(&mut self, line: &Line<'_>) {
        let number = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:.6}"));
        let [early, late] = line.wrong.map(|share| {
            let (mean, error) = share.unzip();
            format!("{},{}", number(mean), number(error.flatten()))
        });
        let Line { set, name, orders, rounds, cut, microseconds, .. } = line;
        // Names of players have commas.
        let _ = writeln!(self.text, "{set},\"{name}\",{orders},{rounds},{cut},{early},{late},{microseconds:.3}");
    }
}
