//! `my-policy`: the arm that looks best, and ever more rarely any.
//!
//! This works as it is. To make it a policy of your own, change the five places that are marked CHANGE, in this order,
//! and run `cargo test` after each. docs/own-policy.md of Optimist goes through every part.

use optimist::error::check_number;
use optimist::policy::{
    FINITE_ARMS, Family, OptionInfo, Options, Pick, Planning, PolicyInfo, PolicyMaker, RewardOrder, Round, Rule,
};
use optimist::rand::RngExt;
use optimist::{Belief, Error, FiniteArms, Problem, Result};
use serde::{Deserialize, Serialize};

// CHANGE 1: what it plays. `share` and `favourite` are all of the rule; `pick`, below, puts them together, and
// `probabilities` has to say the same as `pick` does.
impl MyPolicy {
    /// The share of rounds in which any arm is played, in round t = 1, 2, ...
    fn share(&self, round: u64) -> f64 {
        (self.options.curiosity / (round.max(1) as f64).sqrt()).min(1.0)
    }

    /// The arm that looks best: the one with the largest x'theta_hat, the first among equals.
    fn favourite(&self, arms: &FiniteArms<'_>) -> usize {
        arms.best_for(&self.theta)
    }
}

// CHANGE 2: what can be set. Every option has a default here, a range in `validate`, and a line of help in
// `INFO.options`.
/// Options of `my-policy`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MyOptions {
    /// c of the share c/sqrt(t) of rounds in which any arm is played.
    pub curiosity: f64,
}

impl Default for MyOptions {
    fn default() -> Self {
        Self { curiosity: 0.5 }
    }
}

impl Options for MyOptions {
    fn validate(&self) -> Result<()> {
        check_number("curiosity", self.curiosity, self.curiosity >= 0.0, "zero or positive")
    }
}

// CHANGE 3: what it remembers. A `Belief` holds all observations, an estimate of theta, and the set from which
// intervals come. A policy that needs no history keeps what it likes: then `uses_history` is false below, the rule has
// the line `const CERTIFY: Certify = Certify::Own;`, and there are no `belief` and `belief_mut`.
/// What is stored is what it has seen; the rest follows from that.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MyPolicy {
    belief: Belief,
    options: MyOptions,
    /// The estimate as of the last refresh.
    #[serde(skip)]
    theta: Vec<f64>,
}

// CHANGE 4: how it learns, if it remembers something else than a `Belief`.
impl Rule for MyPolicy {
    type Options = MyOptions;
    const INFO: &'static PolicyInfo = &INFO;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let belief = Belief::new(problem.dimension, problem.norm_bound, problem.delta)?;
        Ok(Self { belief, options: options.clone(), theta: Vec::new() })
    }

    /// Looks at a state that was just read from a file: what was edited by hand may be refused, but must not panic.
    fn check(&self, dimension: usize) -> Result<()> {
        self.options.validate()?;
        let got = self.belief.dimension();
        if got != dimension {
            return Err(Error::Dimension { field: "belief".into(), expected: dimension, got });
        }
        Ok(())
    }

    /// All randomness comes from `round.rng`; a policy that is not random must not touch it.
    fn pick(&mut self, arms: &FiniteArms<'_>, round: Round<'_>) -> Result<Pick> {
        self.refresh();
        let explores = round.rng.random::<f64>() < self.share(round.number);
        let arm = if explores { round.rng.random_range(0..arms.len()) } else { self.favourite(arms) };
        Ok(Pick::bare(arm))
    }

    /// The reward of an arm with features x: maybe late, in any order, or never.
    fn learn(&mut self, x: &[f64], reward: f64) {
        self.belief.observe(x, reward).expect("it was checked before it came here");
    }

    /// The work that is due after rewards. What takes `&self` (estimate, probabilities) is asked after this only.
    fn refresh(&mut self) {
        self.theta.clear();
        self.theta.extend_from_slice(self.belief.estimate());
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

    /// The probability with which `pick` plays each arm. Without a formula leave this out: then they are found by
    /// simulation.
    fn probabilities(&self, arms: &FiniteArms<'_>, round: u64, out: &mut [f64]) -> Result<bool> {
        let share = self.share(round);
        out.fill(share / arms.len() as f64);
        out[self.favourite(arms)] += 1.0 - share;
        Ok(true)
    }
}

// CHANGE 5: what help texts, tables and checks say of it. The tests hold these facts against what the policy does.
/// The line of the registry.
pub static INFO: PolicyInfo = PolicyInfo {
    name: "my-policy",
    family: Family::Baseline,
    summary: "the arm that looks best, and ever more rarely any",
    doc: "\
Plays the arm with the largest estimated log-odds, and in a share of rounds that shrinks with time any arm.

  P(arm k) = s_t/K + (1 - s_t) [x_k'theta_hat is the largest],   s_t = min(1, curiosity/sqrt(t)),   K arms

theta_hat is the estimate of the mixture set.

Guarantee: none for the choices. Intervals come from the mixture set. Arm probabilities are exact.",
    keeps_set: false,
    guarantee: "none for the choices; intervals from the mixture set",
    guaranteed: false,
    planning: Planning::ClosedForm,
    cost: "2 passes of n d^2 + K d",
    memory: "n d + d^2",
    arm_sets: FINITE_ARMS,
    reference: "nobody yet",
    randomised: true,
    order: RewardOrder::Irrelevant,
    constant_cost: false,
    uses_history: true,
    needs_norm_bound: false,
    unit_arms: false,
    required: &[],
    example: "{}",
    options: &[OptionInfo { name: "curiosity", help: "c of the share c/sqrt(t) of random arms; zero or positive" }],
    maker: PolicyMaker::of::<MyPolicy>(),
};
