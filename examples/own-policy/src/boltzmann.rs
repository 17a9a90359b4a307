//! `boltzmann`: better arms more often, by a softmax that sharpens with time.

use optimist::error::check_number;
use optimist::numerics::dot;
use optimist::policy::{
    FINITE_ARMS, Family, OptionInfo, Options, Pick, Planning, PolicyInfo, PolicyMaker, RewardOrder, Round, Rule,
};
use optimist::rand::{Rng, RngExt};
use optimist::{Belief, Error, FiniteArms, Problem, Result};
use serde::{Deserialize, Serialize};

/// The line of the registry.
pub static INFO: PolicyInfo = PolicyInfo {
    name: "boltzmann",
    family: Family::Baseline,
    summary: "better arms more often, by a softmax of the estimated log-odds",
    doc: "\
Plays arm x with a probability that grows exponentially with its estimated log-odds. The factor grows with time, so
that in the end the arm that looks best is played almost always.

  P(arm k) proportional to exp(b_t x_k'theta_hat),   b_t = sharpness log(1 + t),   t the round

theta_hat is the estimate of the mixture set: the minimiser of the loss plus d/(2 S^2) ||theta||^2 in the ball of the
norm bound S.

Guarantee: none for the choices; a schedule that suits one gap between arms does not suit another (Cesa-Bianchi,
Gentile, Lugosi, Neu 2017). Intervals come from the mixture set. Arm probabilities are exact.",
    keeps_set: false,
    guarantee: "none for the choices; intervals from the mixture set",
    guaranteed: false,
    planning: Planning::ClosedForm,
    cost: "2 passes of n d^2 + K d",
    memory: "n d + d^2",
    arm_sets: FINITE_ARMS,
    reference: "folklore; Cesa-Bianchi, Gentile, Lugosi, Neu 2017 (why there is no guarantee)",
    randomised: true,
    order: RewardOrder::Irrelevant,
    constant_cost: false,
    uses_history: true,
    needs_norm_bound: false,
    unit_arms: false,
    required: &[],
    example: "{}",
    options: &[OptionInfo { name: "sharpness", help: "c of b_t = c log(1 + t); zero (any arm) or positive" }],
    maker: PolicyMaker::of::<Boltzmann>(),
};

/// Options of `boltzmann`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoltzmannOptions {
    /// c of b_t = c log(1 + t).
    pub sharpness: f64,
}

impl Default for BoltzmannOptions {
    fn default() -> Self {
        Self { sharpness: 1.0 }
    }
}

impl Options for BoltzmannOptions {
    fn validate(&self) -> Result<()> {
        check_number("sharpness", self.sharpness, self.sharpness >= 0.0, "zero or positive")
    }
}

/// Better arms more often. What is stored is what it has seen; the rest follows from that.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Boltzmann {
    belief: Belief,
    options: BoltzmannOptions,
    /// The estimate as of the last refresh.
    #[serde(skip)]
    theta: Vec<f64>,
    /// Memory for the probabilities, so that a round allocates nothing.
    #[serde(skip)]
    probabilities: Vec<f64>,
}

impl Boltzmann {
    /// The probability of each arm in round t. The largest exponent is zero, so that nothing overflows.
    fn softmax(&self, arms: &FiniteArms<'_>, round: u64, out: &mut [f64]) {
        let b = self.options.sharpness * (round as f64).ln_1p();
        out.iter_mut().zip(arms.iter()).for_each(|(p, x)| *p = b * dot(x, &self.theta));
        let largest = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        out.iter_mut().for_each(|p| *p = (*p - largest).exp());
        let sum: f64 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= sum);
    }
}

impl Rule for Boltzmann {
    type Options = BoltzmannOptions;
    const INFO: &'static PolicyInfo = &INFO;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        let belief = Belief::new(problem.dimension, problem.norm_bound, problem.delta)?;
        Ok(Self { belief, options: options.clone(), theta: Vec::new(), probabilities: Vec::new() })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.options.validate()?;
        let got = self.belief.dimension();
        if got != dimension {
            return Err(Error::Dimension { field: "belief".into(), expected: dimension, got });
        }
        Ok(())
    }

    fn pick(&mut self, arms: &FiniteArms<'_>, round: Round<'_>) -> Result<Pick> {
        self.refresh();
        let mut probabilities = std::mem::take(&mut self.probabilities);
        probabilities.resize(arms.len(), 0.0);
        self.softmax(arms, round.number, &mut probabilities);
        let arm = draw(&probabilities, round.rng);
        self.probabilities = probabilities;
        Ok(Pick::bare(arm))
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.belief.observe(x, reward).expect("the agent has checked it");
    }

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

    fn probabilities(&self, arms: &FiniteArms<'_>, round: u64, out: &mut [f64]) -> Result<bool> {
        self.softmax(arms, round, out);
        Ok(true)
    }
}

/// An index with these probabilities.
fn draw(probabilities: &[f64], rng: &mut dyn Rng) -> usize {
    let mut left = rng.random::<f64>();
    for (k, p) in probabilities.iter().enumerate() {
        left -= p;
        if left < 0.0 {
            return k;
        }
    }
    // The probabilities sum to one up to rounding.
    probabilities.len() - 1
}
