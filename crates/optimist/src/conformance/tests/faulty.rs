//! A small rule that can have one of several faults.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::policy::{self, Certify, FINITE_ARMS, Family, OptionInfo, Options, Pick, Planning, PolicyInfo, PolicyMaker};
use crate::policy::{RewardOrder, Round, Rule};
use crate::{FiniteArms, Problem, Result};

const NONE: usize = 0;
/// The probabilities are said to be those of a greedy rule.
const WRONG_PROBABILITIES: usize = 1;
/// What decides about the next choice is not stored.
const FORGETS: usize = 2;
/// A stored state is believed whatever it is.
const UNCHECKED: usize = 3;
/// All policies of this kind share a counter.
const SHARES: usize = 4;
/// The estimate becomes NaN in time.
const NOT_FINITE: usize = 5;
/// Options are not checked.
const ANY_OPTION: usize = 6;

const BASE: PolicyInfo = PolicyInfo {
    name: "faulty",
    family: Family::Baseline,
    summary: "for tests",
    doc: "For tests.",
    keeps_set: false,
    guarantee: "none",
    guaranteed: false,
    planning: Planning::ClosedForm,
    cost: "K",
    memory: "d",
    arm_sets: FINITE_ARMS,
    reference: "none",
    randomised: true,
    order: RewardOrder::Irrelevant,
    constant_cost: true,
    uses_history: false,
    needs_norm_bound: false,
    unit_arms: false,
    required: &[],
    example: "{}",
    options: &[OptionInfo { name: "weight", help: "zero or positive" }],
    maker: PolicyMaker::of::<Faulty<NONE>>(),
};

static INFOS: [PolicyInfo; 7] = [
    PolicyInfo { name: "faulty-none", ..BASE },
    PolicyInfo { name: "faulty-1", maker: PolicyMaker::of::<Faulty<WRONG_PROBABILITIES>>(), ..BASE },
    PolicyInfo { name: "faulty-2", maker: PolicyMaker::of::<Faulty<FORGETS>>(), ..BASE },
    PolicyInfo { name: "faulty-3", maker: PolicyMaker::of::<Faulty<UNCHECKED>>(), ..BASE },
    PolicyInfo { name: "faulty-4", maker: PolicyMaker::of::<Faulty<SHARES>>(), ..BASE },
    PolicyInfo { name: "faulty-5", maker: PolicyMaker::of::<Faulty<NOT_FINITE>>(), ..BASE },
    PolicyInfo { name: "faulty-6", maker: PolicyMaker::of::<Faulty<ANY_OPTION>>(), ..BASE },
];

/// Without a fault.
pub(super) static SOUND: &PolicyInfo = &INFOS[NONE];

/// The others, with the checks that must find them out.
pub(super) static FAULTS: &[(&PolicyInfo, &[&str])] = &[
    (&INFOS[WRONG_PROBABILITIES], &["probabilities_match_frequencies"]),
    (&INFOS[FORGETS], &["a_restored_policy_goes_on_alike", "storing_between_choice_and_reward_is_fine"]),
    (&INFOS[UNCHECKED], &["another_dimension_is_refused", "an_edited_state_does_not_panic"]),
    (&INFOS[SHARES], &["the_same_seed_gives_the_same_choices", "ties_are_broken_alike_after_a_restore"]),
    (&INFOS[NOT_FINITE], &["ten_thousand_rounds", "one_sided_rewards"]),
    (&INFOS[ANY_OPTION], &["unknown_and_unsound_options_are_refused"]),
];

pub(super) fn register() {
    INFOS.iter().for_each(|info| policy::register(info).unwrap());
}

static SHARED: AtomicUsize = AtomicUsize::new(0);

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FaultyOptions<const FAULT: usize> {
    #[serde(default = "one")]
    weight: f64,
}

fn one() -> f64 {
    1.0
}

impl<const FAULT: usize> Default for FaultyOptions<FAULT> {
    fn default() -> Self {
        Self { weight: one() }
    }
}

impl<const FAULT: usize> Options for FaultyOptions<FAULT> {
    fn validate(&self) -> Result<()> {
        let ok = FAULT == ANY_OPTION || self.weight >= 0.0;
        crate::error::check_number("weight", self.weight, ok, "zero or positive")
    }
}

/// Any arm; learns the mean of all x, signed by their rewards.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Faulty<const FAULT: usize> {
    theta: Vec<f64>,
    seen: f64,
    #[serde(skip)]
    forgotten: usize,
}

impl<const FAULT: usize> Rule for Faulty<FAULT> {
    type Options = FaultyOptions<FAULT>;
    const INFO: &'static PolicyInfo = &INFOS[FAULT];
    const CERTIFY: Certify = Certify::Own;

    fn new(problem: &Problem, _options: &Self::Options) -> Result<Self> {
        Ok(Self { theta: vec![0.0; problem.dimension], seen: 0.0, forgotten: 0 })
    }

    fn check(&self, expected: usize) -> Result<()> {
        let got = self.theta.len();
        if FAULT == UNCHECKED || got == expected {
            return Ok(());
        }
        Err(crate::Error::Dimension { field: "theta".into(), expected, got })
    }

    fn pick(&mut self, arms: &FiniteArms, round: Round<'_>) -> Result<Pick> {
        self.forgotten += 1;
        let shift = match FAULT {
            FORGETS => self.forgotten,
            SHARES => {
                // Not a multiple of the number of arms later by a multiple of the number of rounds.
                let shared = SHARED.fetch_add(1, Ordering::Relaxed);
                shared + shared / 64
            }
            _ => 0,
        };
        Ok(Pick::bare((round.rng.random_range(0..arms.len()) + shift) % arms.len()))
    }

    fn learn(&mut self, x: &[f64], reward: f64) {
        self.seen += 1.0;
        for (i, v) in x.iter().enumerate() {
            self.theta[i] += v * (2.0 * reward - 1.0) / 1e4;
        }
        if FAULT == NOT_FINITE && self.seen > 300.0 {
            self.theta[0] = f64::NAN;
        }
    }

    fn estimate(&self) -> &[f64] {
        &self.theta
    }

    fn probabilities(&self, arms: &FiniteArms, _round: u64, out: &mut [f64]) -> Result<bool> {
        out.fill(1.0 / arms.len() as f64);
        if FAULT == WRONG_PROBABILITIES {
            out.fill(0.0);
            out[arms.best_for(&self.theta)] = 1.0;
        }
        Ok(true)
    }
}
