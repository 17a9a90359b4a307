#![allow(unreachable_pub)]
//! Who plays the data sets, and one game.

use std::time::Instant;

use optimist::policy::{self, Policy};
use optimist::{ArmSet, FiniteArms, Generator, HybridArms, Problem, generator};
use rand::seq::SliceRandom;
use serde_json::{Value, json};

use super::encoding::Encoded;

/// A policy with its options.
pub struct Player {
    /// What the table calls it.
    pub name: String,
    policy: &'static str,
    form: Form,
    norm_bound: Option<f64>,
    options: Value,
}

/// How a policy is told of arms with parameters of their own.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// As such.
    Own,
    /// By rows that hold the context at the place of the arm and zeros elsewhere.
    WrittenOut,
}

/// All players; `besides` are options that those with a posterior get on top of their own.
pub fn players(besides: &Value) -> Vec<Player> {
    let posterior = |policy: &'static str, certified: bool| {
        let mut options = besides.clone();
        if !certified {
            options["certify"] = "off".into();
        }
        let name = format!("{policy}{}", if certified { ", certified" } else { "" });
        Player { name, policy, form: Form::Own, norm_bound: None, options }
    };
    let dense = |policy: &'static str, norm_bound: Option<f64>| {
        let name = norm_bound.map_or(policy.to_owned(), |bound| format!("{policy}, S={bound}"));
        // From the ball whatever its size, so that what a stream owes to a good norm bound is seen.
        let options = if policy == "optimist-stream" { json!({"start": "ball"}) } else { json!({}) };
        Player { name, policy, form: Form::WrittenOut, norm_bound, options }
    };
    vec![
        posterior("bayes-ucb", false),
        posterior("laplace-ts", false),
        posterior("greedy", false),
        posterior("bayes-ucb", true),
        dense("lin-ts", None),
        dense("epsilon-greedy", None),
        dense("optimist-stream", Some(3.0)),
        dense("optimist-stream", Some(10.0)),
        dense("optimist-stream", Some(30.0)),
        dense("optimist", Some(10.0)),
    ]
}

/// What came of a game.
pub struct Game {
    /// The rounds played, fewer than asked for if time was up.
    pub rounds: usize,
    /// Wrong choices up to each of the marks, or up to the end if that came before.
    pub wrong: Vec<usize>,
    /// Seconds that this thread ran.
    pub seconds: f64,
}

impl Player {
    /// Plays the rows in the order of this number, which is the same for all players.
    pub fn play(&self, data: &Encoded, order: u64, marks: &[usize], end: Instant) -> Result<Game, String> {
        let mut rng = generator(13);
        rng.set_stream(order);
        let mut rows: Vec<usize> = (0..data.rows()).collect();
        rows.shuffle(&mut rng);
        rows.truncate(marks.iter().copied().max().unwrap_or(0));
        let (mut policy, mut lists) = (self.build(data)?, Lists::new(self.form, data));
        let mut game = Game { rounds: 0, wrong: vec![0; marks.len()], seconds: 0.0 };
        let start = thread_seconds();
        for row in rows {
            let missed = round(&mut *policy, lists.offer(data.row(row))?, data.class_of[row], &mut rng)?;
            for (mark, wrong) in marks.iter().zip(&mut game.wrong) {
                *wrong += usize::from(missed && game.rounds < *mark);
            }
            game.rounds += 1;
            if Instant::now() > end {
                break;
            }
        }
        game.seconds = thread_seconds() - start;
        Ok(game)
    }

    fn build(&self, data: &Encoded) -> Result<Box<dyn Policy>, String> {
        let mut options = self.options.clone();
        let dimension = match self.form {
            Form::Own => data.dimension,
            Form::WrittenOut => data.dimension * data.classes,
        };
        if self.form == Form::Own {
            options["own"] = dimension.into();
        }
        let problem = Problem { dimension, delta: 0.05, norm_bound: self.norm_bound };
        policy::build_with(self.policy, &problem, options).map_err(|e| e.to_string())
    }
}

/// Whether the choice was wrong.
fn round(policy: &mut dyn Policy, arms: ArmSet<'_>, class: usize, rng: &mut Generator) -> Result<bool, String> {
    let choice = policy.choose(&arms, rng).map_err(|e| e.to_string())?;
    let right = choice.index == Some(class);
    policy.observe_row(&choice.row(), f64::from(u8::from(right))).map_err(|e| e.to_string())?;
    Ok(!right)
}

/// The memory of the lists that are offered, one per context.
struct Lists {
    form: Form,
    owners: Vec<u64>,
    /// All rows written out; empty where they are not.
    features: Vec<f64>,
}

impl Lists {
    fn new(form: Form, data: &Encoded) -> Self {
        let numbers = if form == Form::WrittenOut { data.classes * data.classes * data.dimension } else { 0 };
        Self { form, owners: (0..data.classes as u64).collect(), features: vec![0.0; numbers] }
    }

    fn offer<'a>(&'a mut self, context: &'a [f64]) -> Result<ArmSet<'a>, String> {
        let (arms, q) = (self.owners.len(), context.len());
        if self.form == Form::Own {
            return Ok(HybridArms::same(&self.owners[..], context).map_err(|e| e.to_string())?.into());
        }
        for arm in 0..arms {
            self.features[arm * (arms + 1) * q..][..q].copy_from_slice(context);
        }
        Ok(FiniteArms::new(arms * q, &self.features[..]).map_err(|e| e.to_string())?.into())
    }
}

/// Seconds that this thread has run: other work of the machine does not count.
fn thread_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}
