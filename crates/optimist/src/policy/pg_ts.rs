//! `pg-ts`: Thompson sampling from the posterior itself, by Gibbs sampling.

use serde::{Deserialize, Serialize};

use super::info::{ALL_ARMS, ArmKind, Family, OptionInfo, Planning, PolicyInfo, PolicyMaker, RewardOrder};
use super::model::Posterior;
use super::rule::{Direction, Options, Pick, Round, Rule};
use crate::arms::FiniteArms;
use crate::belief::Belief;
use crate::error::{Result, check_number, check_vector};
use crate::numerics::{Cholesky, PolyaGamma, add_outer, add_scaled, dot, perturb};
use crate::problem::Problem;

policy_info! {
    /// Draws a parameter from the posterior itself instead of a normal approximation, by steps of a Markov chain that has
    /// the posterior as its law, and plays the arm that is best for it.
    ///
    /// ```text
    ///   prior N(0, I/ridge); for each distinct arm x_k, played n_k times with rewards s_k in all:
    ///   omega_k ~ PG(n_k, x_k'theta)
    ///   A = ridge I + sum omega_k x_k x_k',   theta ~ N(A^{-1} sum (s_k - n_k/2) x_k, A^{-1})
    ///   `sweeps` times per round, going on from the theta of the round before;   x_t = argmax x'theta
    /// ```
    ///
    /// Given omega the likelihood is normal in theta, and given theta omega has a Polya-Gamma law (Polson, Scott, Windle
    /// 2013): both steps are exact. So is the sampler of PG(n, z), a sum of n draws by Devroye's method, as long as n <
    /// `threshold`. From there on it is a normal number of the same mean and variance: an approximation, whose skewness, of
    /// order 1/sqrt(n), is lost. The chain reaches the posterior only in the limit; it is warm, as one more reward moves
    /// the posterior little. In the direction of an arm with log-odds z a step renews the share 2 z mu'(z)/tanh(z/2) of the
    /// variance: all of it at 0, 0.3 at 3, 0.03 at 6. So more sweeps are worth their time where probabilities are extreme.
    /// The default of five is between the paper's 100 a round (PG-TS) and its one (PG-TS-stream).
    ///
    /// Guarantee: none for the choices. For rewards between 0 and 1 the same formulas sample the density proportional to
    /// exp(-L(theta) - ridge/2 ||theta||^2), which is a posterior only for rewards 0 and 1. The estimate that is reported
    /// is its mode. Intervals come from the mixture set. Arm probabilities are those of the next steps of the chain, found
    /// by simulation.
    INFO {
        name: "pg-ts",
        family: Family::Sampling,
        summary: "Thompson sampling by Polya-Gamma Gibbs steps",
        keeps_set: false,
        guarantee: "none for the choices; intervals from the mixture set",
        guaranteed: false,
        planning: Planning::ClosedForm,
        cost: "sweeps (n d^2 + Polya-Gamma draws) + K d",
        memory: "n d + d^2",
        arm_sets: ALL_ARMS,
        reference: "Dumitrascu, Feng, Engelhardt 2018",
        randomised: true,
        order: RewardOrder::Draws,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[
            OptionInfo {
                name: "sweeps",
                help: "steps of the chain a round, at least 1; 100 in the paper, 1 in its stream form",
            },
            OptionInfo {
                name: "threshold",
                help: "from this many rewards of an arm on PG(n, z) is taken as normal; at least 10",
            },
            OptionInfo { name: "ridge", help: "precision of the prior; null: d/S^2, or 1 without a norm bound" },
        ],
        maker: PolicyMaker::of::<PgTs>(),
    }
}

/// Options of `pg-ts`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PgTsOptions {
    /// Steps of the chain a round.
    pub sweeps: u64,
    /// From this many rewards of an arm on PG(n, z) is taken as normal.
    pub threshold: u64,
    /// Precision of the prior.
    pub ridge: Option<f64>,
}

impl Default for PgTsOptions {
    fn default() -> Self {
        Self { sweeps: 5, threshold: 50, ridge: None }
    }
}

impl Options for PgTsOptions {
    fn validate(&self) -> Result<()> {
        check_number("sweeps", self.sweeps as f64, (1..=1_000_000).contains(&self.sweeps), "between 1 and 1000000")?;
        check_number("threshold", self.threshold as f64, self.threshold >= 10, "at least 10")?;
        self.ridge.map_or(Ok(()), |ridge| check_number("ridge", ridge, ridge > 0.0, "positive"))
    }
}

/// Thompson sampling by Gibbs steps.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PgTs {
    posterior: Posterior,
    options: PgTsOptions,
    /// Where the chain is.
    theta: Vec<f64>,
    #[serde(skip)]
    work: Option<Box<Work>>,
}

/// Memory of a sweep.
#[derive(Debug, Clone)]
struct Work {
    x: Vec<f64>,
    matrix: Vec<f64>,
    centre: Vec<f64>,
    cholesky: Cholesky,
}

impl Work {
    fn new(d: usize) -> Self {
        Self { x: vec![0.0; d], matrix: vec![0.0; d * d], centre: vec![0.0; d], cholesky: Cholesky::new(d) }
    }
}

impl PgTs {
    /// Where the chain is: the last parameter drawn.
    pub fn chain(&self) -> &[f64] {
        &self.theta
    }

    /// Moves the chain on.
    fn sample(&mut self, round: Round<'_>) {
        for _ in 0..self.options.sweeps {
            self.sweep(round.rng);
        }
    }

    /// One step: omega given theta, theta given omega.
    fn sweep(&mut self, rng: &mut dyn rand::Rng) {
        let d = self.theta.len();
        let Work { x, matrix, centre, cholesky } = &mut **self.work.get_or_insert_with(|| Box::new(Work::new(d)));
        matrix.fill(0.0);
        centre.fill(0.0);
        let history = self.posterior.belief().history();
        for row in 0..history.rows() {
            history.features(row, x);
            let (count, rewards) = history.outcomes(row);
            let law = PolyaGamma::new(dot(x, &self.theta));
            let omega = law.sum(count, self.options.threshold as f64, rng);
            add_scaled(centre, rewards - 0.5 * count, x);
            add_outer(matrix, omega, x);
        }
        // With a positive ridge the matrix is singular only where the data swamp it: then the ridge is raised.
        cholesky.factor_raised(matrix, self.posterior.ridge(), 4.0);
        cholesky.solve(centre);
        perturb(centre, 1.0, cholesky, rng, &mut self.theta);
    }
}

impl Rule for PgTs {
    type Options = PgTsOptions;
    const INFO: &'static PolicyInfo = &INFO;
    const IS_CHAIN: bool = true;

    fn new(problem: &Problem, options: &Self::Options) -> Result<Self> {
        Ok(Self {
            posterior: Posterior::new(problem, options.ridge)?,
            options: options.clone(),
            theta: vec![0.0; problem.dimension],
            work: None,
        })
    }

    fn check(&self, dimension: usize) -> Result<()> {
        self.options.validate()?;
        check_vector("theta", &self.theta, dimension)?;
        self.posterior.check(dimension)
    }

    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick> {
        self.sample(round);
        Ok(Pick::bare(arms.best_for(&self.theta)))
    }

    fn pick_direction(&mut self, _kind: ArmKind, round: Round<'_>) -> Result<Direction> {
        self.sample(round);
        Ok(Direction::along(&self.theta))
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.posterior.learn(x, reward);
    }

    fn refresh(&mut self) {
        self.posterior.refresh();
    }

    fn estimate(&self) -> &[f64] {
        self.posterior.current_theta()
    }

    fn belief(&self) -> Option<&Belief> {
        Some(self.posterior.belief())
    }

    fn belief_mut(&mut self) -> Option<&mut Belief> {
        Some(self.posterior.belief_mut())
    }
}
