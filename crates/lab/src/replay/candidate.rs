//! What is tried: a policy with a model, in an engine that is told the same of the data as all others.

use optimist_engine::{Action, Column, Engine, Settings, Structure};
use serde_json::{Map, Value as Json, json};

use crate::error::{Error, Result};

/// A policy with a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The policy's name in the registry.
    pub policy: String,
    /// How parameters belong to actions.
    pub model: Structure,
    /// Options of the policy.
    pub options: Map<String, Json>,
}

impl Candidate {
    /// The model, in the word that files have for it.
    pub fn model_name(&self) -> &'static str {
        match self.model {
            Structure::Shared => "shared",
            Structure::Disjoint => "disjoint",
            Structure::Hybrid => "hybrid",
        }
    }

    /// Policy and model.
    pub fn label(&self) -> String {
        format!("{}, {}", self.policy, self.model_name())
    }
}

/// What all engines of a replay are told.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The columns of contexts.
    pub columns: Vec<Column>,
    /// The actions.
    pub actions: Vec<Action>,
    /// The share of decisions that is drawn at random.
    pub explore: f64,
    /// Whether policies keep the set from which they could certify; it costs time, and a replay does not ask for it.
    pub certify: bool,
    /// A bound on the norm of the parameters, for policies that need one.
    pub norm_bound: Option<f64>,
    /// What randomness is drawn from.
    pub seed: u64,
    /// Runs at a time; none for one per core.
    pub jobs: Option<std::num::NonZero<usize>>,
}

impl Setup {
    /// The engine of a candidate, in one of several orders. A randomised policy draws `draws` times per decision.
    pub(super) fn engine(&self, candidate: &Candidate, order: usize, draws: usize) -> Result<Engine> {
        let settings = self.settings(candidate, order, draws)?;
        Engine::new(settings).map_err(|e| Error::input(format!("{}: {e}", candidate.label())))
    }

    /// What that engine is told.
    pub(super) fn settings(&self, candidate: &Candidate, order: usize, draws: usize) -> Result<Settings> {
        let mut options = candidate.options.clone();
        let info = optimist::policy::info(&candidate.policy).map_err(|e| Error::input(e.to_string()))?;
        if !self.certify && info.all_options().any(|option| option.name == "certify") {
            options.entry("certify").or_insert_with(|| json!("off"));
        }
        Ok(Settings {
            actions: self.actions.clone(),
            context: Some(self.columns.clone()),
            model: Some(candidate.model),
            policy: candidate.policy.clone(),
            options,
            norm_bound: self.norm_bound,
            explore: self.explore,
            draws,
            // Nobody asks for a decision again.
            retention: 0.0,
            most_settled: 0,
            most_open: 1,
            seed: self.seed.wrapping_add(order as u64),
            ..Settings::default()
        })
    }

    /// Checks that the engine of a candidate can be made, so that nothing is begun that cannot be ended.
    ///
    /// # Errors
    /// If it cannot, in the engine's words.
    pub fn check(&self, candidate: &Candidate) -> Result<()> {
        self.engine(candidate, 0, 1).map(drop)
    }
}
