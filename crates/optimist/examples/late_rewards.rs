//! Rewards that come late, out of order, or never: `cargo run --example late_rewards`.
//!
//! `observe` takes the features that were played, not a round, so that nothing need be kept but what is outstanding.
//! Choices are worse for what is not known yet; certified intervals stay right as long as delay and loss do not depend on
//! the outcome. The last three tables show a case in which they do, half a remedy, and the remedy.

use std::collections::BTreeMap;

use optimist::Problem;
use optimist::policy::{self, Policy};
use optimist::rand::{RngExt, SeedableRng};
use optimist::{ArmSet, FiniteArms, Result, link};
use rand_chacha::ChaCha8Rng;

const OFFERS: [[f64; 2]; 3] = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]];
const THETA: [f64; 2] = [-0.5, 1.0];
const LOOKS: [usize; 4] = [30, 300, 1000, 3000];
/// The longest that anybody waits for an outcome.
const PATIENCE: usize = 200;

/// How outcomes come back.
#[derive(Clone, Copy, PartialEq)]
enum Feedback {
    /// Before the next choice.
    AtOnce,
    /// Up to [`PATIENCE`] rounds late, so that later ones overtake earlier ones; every fifth or so never.
    LateOrNever,
    /// The same, but failures are silent: nobody reports that nothing happened.
    SilentFailures,
    /// Failures are silent, and what was not heard of for [`PATIENCE`] rounds is reported as a failure. Among the rewards
    /// known at any time there are too many successes, which come earlier.
    FailuresLast,
    /// The same, but successes are held back as well until [`PATIENCE`] rounds have passed.
    AllAfterWaiting,
}

fn main() -> Result<()> {
    for (feedback, words) in [
        (Feedback::AtOnce, "At once"),
        (Feedback::LateOrNever, "Late, out of order, some never: the intervals hold"),
        (Feedback::SilentFailures, "Only successes are reported: the intervals are void"),
        (Feedback::FailuresLast, "Failures are reported when the waiting time is over: void until they have caught up"),
        (Feedback::AllAfterWaiting, "Both are reported when the waiting time is over: the intervals hold"),
    ] {
        println!("{words}");
        println!("  round  rewards known  on the way  lost  third offer, certified  all three right");
        play(feedback)?;
        println!();
    }
    Ok(())
}

fn probability(x: &[f64]) -> f64 {
    link::mean(x[0] * THETA[0] + x[1] * THETA[1])
}

fn play(feedback: Feedback) -> Result<()> {
    let arms = ArmSet::from(FiniteArms::from_rows(&OFFERS)?);
    let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) };
    let mut policy = policy::build("laplace-ts", &problem)?;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    // What is on the way: features and reward by the round after which it arrives.
    let mut outstanding: BTreeMap<usize, Vec<(Vec<f64>, f64)>> = BTreeMap::new();
    let mut lost = 0;
    for round in 1..=LOOKS[LOOKS.len() - 1] {
        let x = policy.choose(&arms, &mut rng)?.features.into_owned();
        let reward = f64::from(rng.random_bool(probability(&x)));
        match delay(feedback, reward, &mut rng) {
            Some(delay) => outstanding.entry(round + delay).or_default().push((x, reward)),
            None => lost += 1,
        }
        for (x, reward) in outstanding.remove(&round).unwrap_or_default() {
            policy.observe(&x, reward)?;
        }
        if LOOKS.contains(&round) {
            print_row(&mut *policy, round, outstanding.values().map(Vec::len).sum(), lost)?;
        }
    }
    Ok(())
}

/// After how many rounds an outcome is known, if ever.
fn delay(feedback: Feedback, reward: f64, rng: &mut ChaCha8Rng) -> Option<usize> {
    let (late, is_lost) = (rng.random_range(0..PATIENCE), rng.random_bool(0.2));
    match feedback {
        Feedback::AtOnce => Some(0),
        Feedback::LateOrNever => (!is_lost).then_some(late),
        Feedback::SilentFailures => (reward == 1.0).then_some(late),
        Feedback::FailuresLast => Some(if reward == 1.0 { late } else { PATIENCE }),
        Feedback::AllAfterWaiting => Some(PATIENCE),
    }
}

fn print_row(policy: &mut dyn Policy, round: usize, waiting: usize, lost: usize) -> Result<()> {
    let known = policy.counts().rewards;
    let mut right = true;
    for x in &OFFERS {
        let sure = policy.interval(x)?.interval;
        right &= (sure.lower..=sure.upper).contains(&probability(x));
    }
    let sure = policy.interval(&OFFERS[2])?.interval;
    let (lower, upper, right) = (sure.lower, sure.upper, if right { "yes" } else { "no" });
    println!("  {round:5}  {known:13}  {waiting:10}  {lost:4}  {lower:13.3} to {upper:.3}  {right:>15}");
    Ok(())
}
