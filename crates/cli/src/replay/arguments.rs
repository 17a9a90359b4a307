//! What `optimist replay` is given.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use optimist_engine::{Scale, Structure};
use optimist_lab::replay::{ReplayOptions, read_model, read_scale};
use optimist_tables::{Format, Options};

use crate::laboratory::at_least_one;

/// What `optimist replay` is given.
#[derive(Args)]
pub(crate) struct ReplayArgs {
    /// The table or the log: CSV, JSON lines, dsjson (each also as gzip) or Parquet; - reads standard input
    pub(super) data: PathBuf,
    /// A table with classes: the column that holds them
    #[arg(long, value_name = "COL", conflicts_with_all = ["arm", "reward", "propensity"])]
    pub(super) label: Option<String>,
    /// A log: the column of the action that was taken
    #[arg(long, value_name = "COL", requires = "reward")]
    pub(super) arm: Option<String>,
    /// A log: the column of what came of it
    #[arg(long, value_name = "COL", requires = "arm")]
    pub(super) reward: Option<String>,
    /// A log: the column of the probability with which the action was taken
    #[arg(long, value_name = "COL", requires = "arm")]
    pub(super) propensity: Option<String>,
    /// How values of the reward become numbers from 0 to 1: unit (as they are), range:LOW:HIGH, or cap:X for counts and
    /// revenue [default: unit; of dsjson range:0:1, of minus the cost]
    #[arg(long, value_name = "SCALE", value_parser = read_scale)]
    pub(super) reward_scale: Option<Scale>,
    /// Policies, with commas between them [default: bayes-ucb,laplace-ts,greedy,uniform]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) policy: Vec<String>,
    /// Options of the policy as JSON; of several policies by name, {"laplace-ts": {...}}
    #[arg(long, value_name = "JSON")]
    pub(super) options: Option<String>,
    /// Models, with commas between them: disjoint, hybrid, shared [default: disjoint; hybrid where actions have features]
    #[arg(long, value_name = "MODEL", value_delimiter = ',', value_parser = read_model)]
    pub(super) model: Vec<Structure>,
    /// Random orders of the rows [default: 1 to 10, so that there are about 200,000 rounds]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(super) orders: Option<NonZero<usize>>,
    /// Rounds per order, or rows of a log [default: all rows]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(super) rounds: Option<NonZero<usize>>,
    /// What orders and random choices are drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Candidates at a time; one per core if absent. Results do not depend on it
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least_one)]
    pub(super) jobs: Option<NonZero<usize>>,
    /// The share of decisions drawn at random, beside what the policy does
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub(super) explore: f64,
    /// Let policies keep the sets from which they could certify: slower, the choices are the same or nearly
    #[arg(long)]
    pub(super) certify: bool,
    /// A bound on the norm of the parameters, for policies that need one
    #[arg(long, value_name = "S")]
    pub(super) norm_bound: Option<f64>,
    /// A log: the probability with which an interval may be wrong
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    pub(super) delta: f64,
    /// A log: the largest possible ratio of a candidate's probability to the logged one, if you know it, such as K/0.1 where a
    /// tenth was drawn uniformly from K actions. It narrows the always-valid intervals
    #[arg(long, value_name = "W")]
    pub(super) weight_limit: Option<f64>,
    /// Columns that are left out, with commas between them
    #[arg(long, value_name = "COL", value_delimiter = ',')]
    pub(super) ignore: Vec<String>,
    /// Columns that are numbers
    #[arg(long, value_name = "COL", value_delimiter = ',')]
    pub(super) number: Vec<String>,
    /// Columns that are one of several
    #[arg(long, value_name = "COL", value_delimiter = ',')]
    pub(super) category: Vec<String>,
    /// Columns that are words in any order
    #[arg(long, value_name = "COL", value_delimiter = ',')]
    pub(super) text: Vec<String>,
    /// Columns that are points in time
    #[arg(long, value_name = "COL", value_delimiter = ',')]
    pub(super) time: Vec<String>,
    /// Columns that are one of very many, which share 64 places by a hash
    #[arg(long, value_name = "COL", value_delimiter = ',')]
    pub(super) hashed: Vec<String>,
    /// The format, if the first bytes do not tell: csv, json-lines, dsjson, parquet
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub(super) format: Option<Format>,
    /// What separates the fields of CSV, one character or tab [default: found out]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub(super) delimiter: Option<char>,
    /// The first line of CSV is data: columns are called c1, c2 and so on
    #[arg(long)]
    pub(super) no_header: bool,
    /// CSV writes one and a half as 1,5
    #[arg(long)]
    pub(super) decimal_comma: bool,
    /// The first row that cannot be read is an error; otherwise such rows are left out and counted
    #[arg(long)]
    pub(super) strict: bool,
    /// Directory for results.csv, results.json, report.html and figures/
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl ReplayArgs {
    /// The same for the laboratory.
    pub(super) fn options(&self) -> ReplayOptions {
        ReplayOptions {
            data: self.data.clone(),
            label: self.label.clone(),
            arm: self.arm.clone(),
            reward: self.reward.clone(),
            propensity: self.propensity.clone(),
            reward_scale: self.reward_scale,
            policy: self.policy.clone(),
            options: self.options.clone(),
            model: self.model.clone(),
            orders: self.orders,
            rounds: self.rounds,
            seed: self.seed,
            jobs: self.jobs,
            explore: self.explore,
            certify: self.certify,
            norm_bound: self.norm_bound,
            delta: self.delta,
            weight_limit: self.weight_limit,
            number: self.number.clone(),
            category: self.category.clone(),
            text: self.text.clone(),
            time: self.time.clone(),
            hashed: self.hashed.clone(),
            tables: self.tables(),
        }
    }

    /// How the data are read.
    fn tables(&self) -> Options {
        Options {
            format: self.format,
            delimiter: self.delimiter,
            header: !self.no_header,
            decimal_comma: self.decimal_comma,
            strict: self.strict,
            ignore: self.ignore.clone(),
            ..Options::default()
        }
    }
}

fn format(text: &str) -> std::result::Result<Format, String> {
    match text {
        "csv" => Ok(Format::Csv),
        "json-lines" => Ok(Format::JsonLines),
        "dsjson" => Ok(Format::Dsjson),
        "parquet" => Ok(Format::Parquet),
        _ => Err("use one of csv, json-lines, dsjson, parquet".to_owned()),
    }
}

fn delimiter(text: &str) -> std::result::Result<char, String> {
    let mut characters = text.chars();
    match (text, characters.next(), characters.next()) {
        ("tab" | "\\t", ..) => Ok('\t'),
        (_, Some(one), None) => Ok(one),
        _ => Err("give one character, or tab".to_owned()),
    }
}
