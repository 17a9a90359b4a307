//! What a confidence set is: left, the sets of several radii for the same data, in the plane of parameters; right, what the
//! default set says about the probability of success of every arm, early and late.

mod drawing;

use std::f64::consts::TAU;
use std::num::NonZero;

use optimist::plan::{Answers, Interval, Planner};
use optimist::set::Radius;
use optimist::{ArmSet, Belief, FiniteArms, Problem};
use optimist_lab::experiment::{Arms, Drift, Environment, Feedback, List, NormBound, Rewards, Truth};
use optimist_lab::figure::Figure;
use optimist_lab::simulation::{Progress, World};
use optimist_lab::{Error, Result};

use crate::boundary::Point;

const NORM_BOUND: f64 = 4.0;
const DELTA: f64 = 0.05;
const THETA: Point = [2.4, 2.0];
const ARMS: u32 = 10;
const ROUNDS: usize = 2000;
const EARLY: usize = 50;
const SEED: u64 = 1;
/// The accuracy of planning.
const TOLERANCE: f64 = 1e-9;
/// The radii whose sets are drawn, the largest first.
const RADII: [&str; 5] = ["paper", "tight", "ofuglb", DEFAULT, OUTLINED];
/// The one that chooses the arms and gives the intervals.
const DEFAULT: &str = "mixture";
/// Nearly the same as the one before it.
const OUTLINED: &str = "sequential-mixing";

/// What is drawn.
struct Story {
    /// The boundary of the set of every radius after all rounds.
    boundaries: Vec<Vec<Point>>,
    /// The arms, the best one first.
    arms: Vec<ArmStory>,
}

/// What was known of an arm, and what is true.
struct ArmStory {
    probability: f64,
    early: Interval,
    late: Interval,
}

/// Plays and draws.
///
/// # Errors
/// If the library refuses something, which would be a bug.
pub(super) fn draw(_: Option<NonZero<usize>>, _: &dyn Progress) -> Result<Figure> {
    Ok(drawing::draw(&tell()?))
}

/// Ten arms spread over the disc.
fn environment() -> Environment {
    let arm = |k: u32| {
        let (angle, radius) = (TAU * f64::from(k) * 0.382, 0.35 + 0.065 * f64::from(k));
        vec![radius * angle.cos(), radius * angle.sin()]
    };
    Environment {
        label: None,
        dimension: 2,
        arms: Arms::List(List::new(None, (0..ARMS).map(arm).collect())),
        truth: Truth::Theta(THETA.to_vec()),
        norm_bound: NormBound::Value(NORM_BOUND),
        feedback: Feedback::default(),
        drift: Drift::None,
        rewards: Rewards::default(),
    }
}

/// Plays all rounds. The default set chooses; all learn from the same outcomes.
fn tell() -> Result<Story> {
    let mut world = World::new(&environment(), SEED, 0)?;
    let ArmSet::Finite(arms) = world.arms().clone() else { return Err(Error::input("the arms are not a list")) };
    let mut beliefs = RADII.iter().map(|name| belief(name)).collect::<Result<Vec<_>>>()?;
    let chooser = RADII.iter().position(|name| *name == DEFAULT).unwrap_or(0);
    let mut planner = Planner::new(&arms, TOLERANCE).map_err(refused)?;
    let mut early = Vec::new();
    for round in 0..ROUNDS {
        if round == EARLY {
            early = intervals(&mut beliefs[chooser], &arms)?;
        }
        let arm = planner.choose(&beliefs[chooser].set(), &arms).map_err(refused)?.arm;
        let x = arms.arm(arm);
        let reward = if world.next_luck() < world.look(Some(arm), x).mean { 1.0 } else { 0.0 };
        for belief in &mut beliefs {
            belief.observe(x, reward).map_err(refused)?;
        }
    }
    let late = intervals(&mut beliefs[chooser], &arms)?;
    let boundaries = beliefs.iter_mut().map(|belief| belief.set().boundary(360, 2.0 * NORM_BOUND)).collect();
    let stories = world.instance().means().iter().zip(early).zip(late);
    let mut arms: Vec<ArmStory> =
        stories.map(|((probability, early), late)| ArmStory { probability: *probability, early, late }).collect();
    arms.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    Ok(Story { boundaries, arms })
}

fn belief(radius: &str) -> Result<Belief> {
    let problem = Problem { dimension: 2, delta: DELTA, norm_bound: Some(NORM_BOUND) };
    Belief::with_radius(Radius::by_name(radius, &problem).map_err(refused)?).map_err(refused)
}

fn intervals(belief: &mut Belief, arms: &FiniteArms<'_>) -> Result<Vec<Interval>> {
    let mut answers = Answers::new(2, TOLERANCE).map_err(refused)?;
    let set = belief.set();
    arms.iter().map(|x| answers.interval(&set, x).map_err(refused)).collect()
}

fn refused(error: optimist::Error) -> Error {
    Error::input(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_the_truth_and_shrink() {
        let story = tell().unwrap();
        assert_eq!((story.boundaries.len(), story.arms.len()), (RADII.len(), ARMS as usize));
        let width = |interval: &Interval| interval.upper - interval.lower;
        for ArmStory { probability, early, late } in &story.arms {
            for interval in [early, late] {
                assert!(interval.lower <= *probability && *probability <= interval.upper);
            }
            assert!(width(late) < width(early));
        }
    }
}
