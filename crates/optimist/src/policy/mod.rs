//! Policies: rules that choose arms and learn from rewards, behind one trait and one registry.
//!
//! ```
//! use optimist::{ArmSet, FiniteArms, Problem, policy};
//! use rand::SeedableRng;
//!
//! let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) };
//! let arms = ArmSet::from(FiniteArms::from_rows(&[[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])?);
//! let mut policy = policy::build("bayes-ucb", &problem)?;
//! let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
//! for reward in [1.0, 0.0, 1.0] {
//!     let choice = policy.choose(&arms, &mut rng)?;
//!     policy.observe(&choice.features, reward)?; // late, batched and out of order are fine
//! }
//! let sure = policy.interval(&[0.6, 0.8])?; // holds at all times, whatever the rule that chose
//! assert!(sure.interval.lower < sure.interval.upper);
//! let restored = policy::restore(&policy.save()?)?;
//! assert_eq!(restored.info().name, "bayes-ucb");
//! # Ok::<(), optimist::Error>(())
//! ```
//!
//! [`Policy`] is what callers see. A policy's own file holds a [`Rule`]: its options, what it remembers, how it picks and
//! how it learns. [`Agent`] turns any rule into a policy: it checks what callers hand over, counts rounds, certifies,
//! eliminates, and stores. [`registry`] lists all of them.

/// A line of the registry whose documentation is also its `doc`: rustdoc and `optimist policies NAME` have one source.
macro_rules! policy_info {
    ($(#[doc = $line:literal])+ INFO { $($field:ident: $value:expr),+ $(,)? }) => {
        $(#[doc = $line])+
        pub static INFO: PolicyInfo = PolicyInfo { doc: concat!($($line, "\n"),+), $($field: $value),+ };
    };
}

/// What a rule with a field `posterior` of type [`Laplace`](model::Laplace) does through it, all but to pick.
macro_rules! learn_by_posterior {
    () => {
        learn_by_posterior!(all but the estimate);

        fn refresh(&mut self) {
            self.posterior.refresh();
        }

        fn log_odds_of(&self, row: &Row<'_>) -> f64 {
            self.posterior.log_odds(row)
        }

        fn estimate(&self) -> &[f64] {
            self.posterior.current_theta()
        }
    };
    (all but the estimate) => {
        fn forgo_certificates(&mut self) {
            self.posterior.forgo_certificates();
        }

        fn check_row(&self, row: &Row<'_>) -> Result<()> {
            self.posterior.check_row(row, Self::INFO)
        }

        fn own_features(&self) -> usize {
            self.posterior.own()
        }

        fn learn(&mut self, x: &[f64], reward: f64) {
            self.posterior.learn(&Row::Dense(x), reward);
        }

        fn learn_row(&mut self, row: &Row<'_>, reward: f64) {
            self.posterior.learn(row, reward);
        }

        fn prime(&mut self, row: &Row<'_>, reward: f64) -> bool {
            self.posterior.prime(row, reward)
        }

        fn belief(&self) -> Option<&Belief> {
            self.posterior.belief()
        }

        fn belief_mut(&mut self) -> Option<&mut Belief> {
            self.posterior.belief_mut()
        }

        fn sets_per_arm(&self) -> Option<&SetsPerArm> {
            self.posterior.sets_per_arm()
        }

        fn sets_per_arm_mut(&mut self) -> Option<&mut SetsPerArm> {
            self.posterior.sets_per_arm_mut()
        }
    };
}

mod agent;
mod budget;
mod certain;
mod choice;
mod common;
mod constants;
mod document;
mod info;
mod level_set_rule;
mod memory;
mod model;
mod norm_bound;
mod options;
mod plays;
mod registry;
mod rule;
mod schedule;
mod session;
mod sets_per_arm;
mod shortlist;
mod snapshot;

pub use agent::Agent;
pub use budget::{Budget, Curve};
pub use certain::{CertifiedBest, CertifiedComparison};
pub use choice::{Certificate, Certified, CertifiedList, Choice, Claim, Insurance, Place, Probabilities};
pub use common::{Certify, Common};
pub use constants::{Constants, ConstantsOptions};
pub use document::{restore, restore_bytes};
pub use info::{
    ALL_ARMS, ArmKind, COMMON_OPTIONS, EVERY_KIND, EVERY_OPTION, FINITE_ARMS, Family, HORIZON, OptionInfo, Planning,
    PolicyEntry, PolicyInfo, PolicyMaker, RewardOrder,
};
pub use level_set_rule::{LevelSetRule, SetPolicy};
pub use memory::Memory;
pub use model::{Bonus, PosteriorKind, PosteriorOptions, ProjectionStatus, Ridge};
pub use registry::{build, build_with, info, names, register, registry};
pub use rule::{Direction, NoOptions, Options, Pick, Round, Rule};
pub use session::Session;
pub use sets_per_arm::SetsPerArm;
pub use snapshot::{Counts, Snapshot};

pub mod bayes_ucb;
pub mod ecolog;
pub mod emk;
pub mod epsilon_greedy;
pub mod evill;
pub mod glb_omd;
pub mod glm_ucb;
pub mod gloc;
pub mod greedy;
pub mod insured;
pub mod laplace_ts;
pub mod lin_ts;
pub mod log_ucb_1;
pub mod log_ucb_2;
pub mod ofuglb;
pub mod ofuglb_e;
pub mod oful;
pub mod ofulog;
pub mod ofulog_plus;
pub mod ofulog_r;
pub mod ol2m;
pub mod optimist;
pub mod optimist_stream;
pub mod pg_ts;
pub mod rs_glincb;
pub mod ts_ecolog;
pub mod uniform;

use std::sync::Arc;

use rand::Rng;

use crate::arms::{ArmSet, FiniteArms};
use crate::error::Result;
use crate::posterior::Row;
use crate::problem::Problem;

/// A rule that chooses arms and learns from rewards.
///
/// Nothing assumes that calls alternate: rewards may come late, in batches, in another order, or never. What is promised
/// holds if that does not depend on the rewards: where only successes are seen, failures must be reported when the waiting
/// time is over, and successes be held back as long.
///
/// [`Policy::estimate`], [`Policy::log_odds_of_row`], [`Policy::interval`], [`Policy::intervals`] and [`Policy::contains`] bring the estimate and the sets up
/// to date, as the next choice would. Asked between two observations they make the next fit start elsewhere: later estimates
/// agree to its tolerance (1e-9 or so), not to the last bit, and a near-tie may fall otherwise. Ask a
/// [snapshot](Policy::snapshot) where that matters.
pub trait Policy: std::fmt::Debug + Send + Sync {
    /// The policy's line of the registry.
    fn info(&self) -> &'static PolicyInfo;

    /// Dimension, delta and norm bound.
    fn problem(&self) -> &Problem;

    /// The options in force, defaults filled in.
    fn options(&self) -> Result<serde_json::Value>;

    /// Chooses an arm. Deterministic policies do not touch `rng`.
    ///
    /// # Errors
    /// If the arms have another dimension, are longer than the policy's theory allows, or are of a kind for which the
    /// policy is not defined.
    fn choose<'a>(&mut self, arms: &'a ArmSet<'_>, rng: &mut dyn Rng) -> Result<Choice<'a>>;

    /// Learns that playing `x` gave `reward`.
    ///
    /// All promises rest on one assumption: given everything handed over before it, the reward has mean mu(x'theta*). So each
    /// outcome is handed over once, and whether and when it arrives does not depend on its value. Outcomes of one moment that are
    /// handed over one by one, with a question in between, must come in an order that does not depend on them: a question after
    /// the successes and before the failures of a batch is not covered by any promise; [`Policy::observe_many`],
    /// [`Policy::observe_rows`] and [`Policy::settle_many`] exclude it.
    ///
    /// # Errors
    /// If `x` has the wrong length, a number that is not finite or a norm above what the policy's theory allows, or if
    /// the reward is outside [0, 1]. Nothing is changed then.
    fn observe(&mut self, x: &[f64], reward: f64) -> Result<()> {
        self.observe_row(&Row::Dense(x), reward)
    }

    /// As [`Policy::observe`] for a row of any form; [`Choice::row`] is that of a choice.
    ///
    /// # Errors
    /// As there; also if the row is of another form than the policy was built for, or an index is out of range.
    fn observe_row(&mut self, row: &Row<'_>, reward: f64) -> Result<()>;

    /// Learns the reward of a choice that was made while rewards are late ([`Choice::play`]).
    ///
    /// # Errors
    /// If the play is not open (it was settled, given up, or has expired), or the reward is outside [0, 1].
    fn settle(&mut self, play: u64, reward: f64) -> Result<()>;

    /// Learns the rewards of several plays, of which none may be there twice. What is handed over together is one moment, as for
    /// [`Policy::observe_many`].
    ///
    /// # Errors
    /// As [`Policy::settle`]. All are settled, or none.
    fn settle_many(&mut self, outcomes: &[(u64, f64)]) -> Result<()>;

    /// The reward of a play will never come: it no longer counts as if it would.
    ///
    /// # Errors
    /// If the play is not open.
    fn give_up(&mut self, play: u64) -> Result<()>;

    /// The number of plays whose reward is out.
    fn open_plays(&self) -> usize;

    /// Chooses `count` times before any reward comes. A policy that was told that rewards come late (option `delayed`)
    /// spreads such a batch over arms that would teach it something.
    ///
    /// # Errors
    /// As [`Policy::choose`].
    fn choose_many<'a>(&mut self, arms: &'a ArmSet<'_>, count: usize, rng: &mut dyn Rng) -> Result<Vec<Choice<'a>>> {
        (0..count).map(|_| self.choose(arms, rng)).collect()
    }

    /// Learns several outcomes: `rows` holds the features of one after the other, `rewards` one number each.
    ///
    /// What is handed over together is one moment: nobody can look in between, and sets that do not depend on order
    /// ([`Theorem::order_free`](crate::set::Theorem)) hold in whichever order the rows stand. For the others the order must
    /// not depend on the rewards. Rows of one moment must have independent outcomes given the past: twelve rows of one user
    /// who decides once are one outcome.
    ///
    /// # Errors
    /// As [`Policy::observe`], and if there are not as many rows as rewards. All are learnt, or none.
    fn observe_many(&mut self, rows: &[f64], rewards: &[f64]) -> Result<()>;

    /// As [`Policy::observe_many`] for rows of any form, each with its reward.
    ///
    /// # Errors
    /// As [`Policy::observe_row`]. All are learnt, or none.
    fn observe_rows(&mut self, outcomes: &[(Row<'_>, f64)]) -> Result<()>;

    /// Takes in new features, and keeps all that was learnt: rows have `dimension` numbers from now on, of which the last
    /// `own` meet parameters of one arm alone (option own; 0 if there are none). New features stand at the end of the shared
    /// ones and at the end of the own ones: (s, u) becomes (s, new, u, new).
    ///
    /// The policy is then in the state in which it would be, had all rows so far had zeros in the new places. Its prior stays
    /// what it was when it was built, also where that is d/S^2 by default, and new parameters have the same: no prediction
    /// and no interval of a row with zeros there changes, and what the sets promise holds at all times, before and after
    /// together. If there is a norm bound, it is one of all parameters, the new ones included. What is counted per parameter
    /// (the index of bayes-ucb, memory "auto") counts the new ones from now on. Open plays stay open, with zeros.
    ///
    /// Three things are as they will be, and not as they would have been: a list is a new one once (arms that were dropped come
    /// back, and optimistic plays wait a round); with a half_life, which direction is next to get back what was taken from its
    /// prior; and of arms that share nothing and have eight features or more, when young ones are fitted.
    ///
    /// # Errors
    /// If the policy cannot (bayes-ucb, laplace-ts, greedy and uniform can); if there would be fewer features of a kind, or
    /// more than 10,000; if the structure would be another (own features for a policy that was built without, shared ones for
    /// one model per arm); and if old observations were consolidated (option memory) and there is no norm bound. Nothing is
    /// changed then.
    fn grow(&mut self, _dimension: usize, _own: usize) -> Result<()> {
        Err(rule::cannot_grow(self.info()))
    }

    /// Learns an outcome that certified sets shall not count, such as one whose features were chosen with later data in view:
    /// estimates know it, intervals do not. Says whether it was learnt: a policy whose choices come from its set cannot.
    ///
    /// # Errors
    /// As [`Policy::observe_row`].
    fn prime(&mut self, _row: &Row<'_>, _reward: f64) -> Result<bool> {
        Ok(false)
    }

    /// The estimate of theta; where arms have parameters of their own (option own), that of the shared ones alone, which is
    /// empty if none are shared. [`Snapshot::log_odds_of`] says what all of them make of a row.
    fn estimate(&mut self) -> &[f64];

    /// Estimated log-odds of a row. Right after a choice nothing is changed by this.
    ///
    /// # Errors
    /// If the row does not fit the policy.
    fn log_odds_of_row(&mut self, row: &Row<'_>) -> Result<f64> {
        self.snapshot().log_odds_of(row)
    }

    /// What the policy's own confidence set promises.
    fn claim(&self) -> Claim;

    /// Bounds on the log-odds and the success probability of `x` that hold at all times together, whatever rule chose
    /// the arms: from the mixture set, if certification is on, or from the policy's own set.
    ///
    /// # Errors
    /// If `x` has the wrong length or is not finite, if neither set promises anything, or if the set is empty.
    fn interval(&mut self, x: &[f64]) -> Result<Certified> {
        self.interval_of_row(&Row::Dense(x))
    }

    /// As [`Policy::interval`] for a row of any form.
    ///
    /// # Errors
    /// As there; also if the row is of another form than the policy was built for.
    fn interval_of_row(&mut self, row: &Row<'_>) -> Result<Certified>;

    /// The interval of every arm of a list.
    ///
    /// # Errors
    /// As [`Policy::interval`].
    fn intervals(&mut self, arms: &FiniteArms<'_>) -> Result<CertifiedList>;

    /// Whether the policy's own confidence set contains `theta`: for experiments, where the truth is known.
    ///
    /// # Errors
    /// If `theta` has the wrong length or is not finite, or the policy keeps no set.
    fn contains(&mut self, theta: &[f64]) -> Result<bool>;

    /// The probability with which each arm would be chosen now: exact where that is cheap, otherwise from `draws`
    /// simulated choices, with standard errors. Nothing is changed by this.
    ///
    /// # Errors
    /// As [`Policy::choose`]; also if the arms are not a list, or `draws` is zero and the policy needs them.
    fn probabilities(&mut self, arms: &ArmSet<'_>, draws: usize, rng: &mut dyn Rng) -> Result<Probabilities>;

    /// A copy of the policy as it is now that many threads can ask while this one learns. Nothing is changed by this, not
    /// even the last bit of a later answer.
    ///
    /// Costs a copy of the state, and a fit if something was learnt since the last choice or question; the policy itself
    /// will make that fit again when it is its turn. Until something is learnt or chosen, another snapshot is the same one and
    /// costs nothing. The policy holds on to it until then.
    fn snapshot(&self) -> Arc<dyn Snapshot>;

    /// The rounds played and the rewards seen.
    fn counts(&self) -> Counts;

    /// How many optimisation problems choices have taken since the policy was built, a restored policy's earlier life
    /// included: support functions for lists, the ball and the sphere; boxes bounded where branch and bound plans,
    /// which are none as long as a convex relaxation settles the choice. Estimates, intervals and elimination are not counted. None if the policy plans in closed form.
    fn solves(&self) -> Option<u64>;

    /// What the policy's picks are certified to have cost, if it keeps books of that (`insured` does).
    fn insurance(&self) -> Option<Insurance> {
        None
    }

    /// The whole state, to be written by [`Policy::save`] and [`Policy::save_bytes`].
    fn state(&self) -> &dyn erased_serde::Serialize;

    /// The whole state as a versioned document (JSON) with a checksum, which [`restore`] reads.
    ///
    /// # Errors
    /// If the policy, or its radius, was never registered and has a name that belongs to another one, as which it would be
    /// restored; or if the state holds a number that cannot be written, which would be a bug.
    fn save(&self) -> Result<String> {
        document::write(self.info(), self.state(), None)
    }

    /// The same in binary form, a fraction of the size and of the time; [`restore_bytes`] reads it.
    ///
    /// # Errors
    /// As [`Policy::save`].
    fn save_bytes(&self) -> Result<Vec<u8>> {
        document::write_bytes(self.info(), self.state(), None)
    }

    /// A copy of the policy with all it has learnt.
    fn boxed_clone(&self) -> Box<dyn Policy>;
}

impl Clone for Box<dyn Policy> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
