//! A policy of the registry with options.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use optimist::Problem;
use optimist::policy::{self, PolicyInfo};
use serde_json::{Map, Value};

use crate::required::add_required;
use crate::world::{Outcome, Setting, play};

/// A policy with options.
#[derive(Clone)]
pub(crate) struct Contender {
    pub(crate) info: &'static PolicyInfo,
    options: Map<String, Value>,
}

impl Contender {
    /// Reads `NAME` or `NAME:OPTION=JSON:...`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let info = policy::info(name).map_err(|e| e.to_string())?;
        let mut contender = Self { info, options: Map::new() };
        for part in parts {
            let (option, value) = part.split_once('=').ok_or_else(|| format!("{part}: write OPTION=JSON"))?;
            contender.set(option, value);
        }
        Ok(contender)
    }

    /// Sets an option to a value in JSON; what is not JSON is a text.
    pub(crate) fn set(&mut self, option: &str, value: &str) {
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        self.options.insert(option.to_owned(), value);
    }

    /// Sets an option that has not been set.
    pub(crate) fn set_default(&mut self, option: &str, value: &str) {
        if !self.options.contains_key(option) {
            self.set(option, value);
        }
    }

    /// Name and options.
    pub(crate) fn label(&self) -> String {
        let options = self.options.iter().map(|(name, value)| match value {
            Value::String(text) => format!(" {name}={text}"),
            other => format!(" {name}={other}"),
        });
        self.info.name.to_owned() + &options.collect::<String>()
    }

    /// Plays all runs on some threads. Each run has randomness of its own, so the threads do not matter.
    pub(crate) fn play(&self, setting: &Setting, threads: usize) -> Result<Vec<Outcome>, String> {
        let mut options = self.options.clone();
        add_required(self.info, setting.rounds, &mut options)?;
        let options = Value::Object(options);
        let Setting { dimension, delta, norm_bound, .. } = *setting;
        let problem = Problem { dimension, delta, norm_bound: Some(norm_bound) };
        let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(setting.seeds)));
        let work = || loop {
            let run = next.fetch_add(1, Ordering::Relaxed);
            if run >= setting.seeds {
                break;
            }
            let outcome = policy::build_with(self.info.name, &problem, &options)
                .and_then(|mut policy| play(policy.as_mut(), setting, run))
                .map_err(|e| format!("{}, run {run}: {e}", self.label()));
            outcomes.lock().expect("no thread has panicked").push((run, outcome));
        };
        std::thread::scope(|scope| {
            (0..threads).for_each(|_| {
                scope.spawn(work);
            });
        });
        let mut outcomes = outcomes.into_inner().expect("no thread has panicked");
        outcomes.sort_by_key(|(run, _)| *run);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }
}
