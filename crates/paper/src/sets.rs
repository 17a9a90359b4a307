//! Four confidence sets after one trajectory on the unit ball: the paper's C_t, its convex relaxation E_t, and the two
//! level sets that replace them here.
//!
//! The paper shows C_t and E_t for T = 1,000 rounds, the unit ball and kappa_X = 22, and does not say which rule chose
//! the arms, nor delta, nor the seed. Its picture reaches from -20 to 20 on an axis on which ||theta|| <= S would end at
//! 3, so it shows the sets without the bound on the norm. Both are computed here: with and without.
//!
//! The arms are chosen by `optimist`, whose data tell the sets apart. The paper's own rule with its printed constants
//! would not do: its set is the whole disc for all of the rounds, and it plays one arm a thousand times.

mod drawing;

pub use drawing::draw;

use optimist::Problem;
use optimist::set::{DecrementSet, LevelSet, Radius};
use optimist::{ArmSet, Belief, Estimator, History, Penalty, link, policy};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::boundary::{Outline, Point, Window, trace_closely};
use optimist_lab::experiment::norm_of;
use optimist_lab::{Error, Result};

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    /// The policy that chooses the arms.
    pub policy: &'static str,
    /// Its options.
    pub options: serde_json::Value,
    /// The number of rounds.
    pub rounds: usize,
    /// kappa_X, which fixes ||theta*||.
    pub kappa: f64,
    /// The direction of theta*, in degrees.
    pub angle: f64,
    /// The probability with which each set may miss theta*.
    pub delta: f64,
    /// The seed of rewards and choices.
    pub seed: u64,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            policy: "optimist",
            options: serde_json::json!({}),
            rounds: 1000,
            kappa: 22.0,
            angle: 45.0,
            delta: 0.05,
            seed: 1,
        }
    }
}

/// What was played in one run, and how it ended.
#[derive(Debug, Clone)]
pub struct Trajectory {
    /// theta*.
    pub theta: Point,
    /// The bound S that policy and sets are told: ||theta*|| itself.
    pub norm_bound: f64,
    /// The probability with which each set may miss theta*.
    pub delta: f64,
    /// The arms in the order in which they were played, with their rewards.
    pub plays: Vec<(Point, f64)>,
    /// The same, as the core keeps it.
    pub history: History,
}

/// Plays the rounds of a setup on the unit disc.
///
/// # Errors
/// If the policy is unknown, if its options are wrong, or if kappa is below 4.
pub fn play(setup: &Setup) -> Result<Trajectory> {
    let norm_bound = norm_of(setup.kappa);
    if !(norm_bound > 0.0) {
        return Err(Error::input(format!("kappa = {} must be above 4, which is the kappa of theta* = 0", setup.kappa)));
    }
    let (sine, cosine) = setup.angle.to_radians().sin_cos();
    let theta = [norm_bound * cosine, norm_bound * sine];
    let problem = Problem { dimension: 2, delta: setup.delta, norm_bound: Some(norm_bound) };
    let mut policy = policy::build_with(setup.policy, &problem, &setup.options).map_err(refused)?;
    let mut history = History::new(2).map_err(refused)?;
    let mut plays = Vec::new();
    let mut rng = ChaCha8Rng::seed_from_u64(setup.seed);
    for _ in 0..setup.rounds {
        let x = policy.choose(&ArmSet::Ball { dimension: 2 }, &mut rng).map_err(refused)?.features.into_owned();
        let mean = link::mean(x[0] * theta[0] + x[1] * theta[1]);
        let reward = f64::from(u8::from(rng.random::<f64>() < mean));
        policy.observe(&x, reward).map_err(refused)?;
        history.observe(&x, reward).map_err(refused)?;
        plays.push(([x[0], x[1]], reward));
    }
    Ok(Trajectory { theta, norm_bound, delta: setup.delta, plays, history })
}

/// Which set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// C_t with the printed gamma: not convex.
    Decrement,
    /// E_t with the printed beta: the level set that the paper plans over.
    Relaxed,
    /// The level set of the same family with constants that are as small as its proof allows.
    Tight,
    /// The level set of the default policy.
    Mixture,
}

impl Kind {
    /// All of them, from the largest to the smallest.
    pub const ALL: [Kind; 4] = [Kind::Relaxed, Kind::Decrement, Kind::Tight, Kind::Mixture];

    /// The radius in the core's registry whose level it has; C_t has that of its relaxation.
    fn radius(self) -> &'static str {
        match self {
            Kind::Decrement | Kind::Relaxed => "paper",
            Kind::Tight => "tight",
            Kind::Mixture => "mixture",
        }
    }
}

/// One set, with and without the bound on the norm.
#[derive(Debug, Clone)]
pub struct Shape {
    /// Which set.
    pub kind: Kind,
    /// Its outline if theta may be of any norm.
    pub free: Outline,
    /// Its outline within ||theta|| <= S.
    pub bounded: Outline,
    /// The area of `free`.
    pub free_area: f64,
    /// The area of `bounded`.
    pub bounded_area: f64,
    /// The area of the convex hull of `free`.
    pub hull_area: f64,
    /// Whether theta* belongs to it.
    pub holds_truth: bool,
    /// How large the inequality that defines it lets its left-hand side become: gamma_t for C_t, the excess of the loss
    /// over its minimum for the others.
    pub allowance: f64,
}

/// The sets of a trajectory.
#[derive(Debug, Clone)]
pub struct ConfidenceSets {
    /// What they are computed from.
    pub trajectory: Trajectory,
    /// The paper's estimate: least ridge loss, of any norm.
    pub estimate: Point,
    /// The area of the disc ||theta|| <= S.
    pub disc_area: f64,
    /// In the order of [`Kind::ALL`].
    pub shapes: Vec<Shape>,
}

impl ConfidenceSets {
    /// One of the sets.
    pub fn shape(&self, kind: Kind) -> &Shape {
        let place = Kind::ALL.iter().position(|&other| other == kind).unwrap_or_default();
        &self.shapes[place]
    }

    /// Whether C_t, which need not be convex, is so after this trajectory, to the accuracy of its outline.
    pub fn decrement_set_is_convex(&self) -> bool {
        let shape = self.shape(Kind::Decrement);
        shape.hull_area <= 1.0001 * shape.free_area
    }
}

/// Cells to a side of the grid from which outlines are traced.
const CELLS: usize = 96;
/// Rays by which a level set is surveyed, and how far they go.
const RAYS: (usize, f64) = (360, 1e4);

/// Computes all sets of a trajectory.
///
/// # Errors
/// If a set refuses the trajectory's delta or norm bound, or an estimate does not converge.
pub fn confidence_sets(trajectory: Trajectory) -> Result<ConfidenceSets> {
    let mut shapes = Vec::new();
    let mut estimate = [0.0; 2];
    for kind in Kind::ALL {
        let level = Level::new(&trajectory, kind)?;
        if kind == Kind::Relaxed {
            estimate = [level.estimator.theta()[0], level.estimator.theta()[1]];
        }
        shapes.push(shape(&trajectory, kind, &level)?);
    }
    let disc_area = std::f64::consts::PI * trajectory.norm_bound.powi(2);
    Ok(ConfidenceSets { trajectory, estimate, disc_area, shapes })
}

fn shape(trajectory: &Trajectory, kind: Kind, level: &Level) -> Result<Shape> {
    let Trajectory { theta, norm_bound, delta, ref history, .. } = *trajectory;
    let level_set = level.set(history);
    // Where to look; also for C_t, which is a part of E_t (Lemma 1 of the paper, which needs no bound on the norm).
    let window = Window::around(&level_set.boundary(RAYS.0, RAYS.1), 0.02);
    let disc = Window::square([0.0; 2], 1.02 * norm_bound);
    let build = |inside: &dyn Fn(Point) -> bool, allowance: f64| {
        let free = trace_closely(inside, window, CELLS);
        let bounded = trace_closely(|p| p[0].hypot(p[1]) <= norm_bound && inside(p), disc, CELLS);
        let (free_area, bounded_area, hull_area) = (free.area(), bounded.area(), free.hull_area());
        Shape { kind, free, bounded, free_area, bounded_area, hull_area, holds_truth: inside(theta), allowance }
    };
    if kind == Kind::Decrement {
        let set = DecrementSet::printed(history, delta, norm_bound).map_err(refused)?;
        return Ok(build(&|p| set.decrement(&p) <= set.gamma(), set.gamma()));
    }
    Ok(build(&|p| level_set.contains(&p), level_set.level() - level_set.centre_loss()))
}

/// The level of a level set, and the point of least loss around which it lies.
struct Level {
    level: f64,
    ridge: f64,
    estimator: Estimator,
}

impl Level {
    fn new(trajectory: &Trajectory, kind: Kind) -> Result<Self> {
        let options = Problem { dimension: 2, delta: trajectory.delta, norm_bound: Some(trajectory.norm_bound) };
        let radius = Radius::by_name(kind.radius(), &options).map_err(refused)?;
        let mut belief = Belief::with_radius(radius).map_err(refused)?;
        for (x, reward) in &trajectory.plays {
            belief.observe(x, *reward).map_err(refused)?;
        }
        let set = belief.set();
        let (level, ridge) = (set.level(), set.ridge());
        let mut estimator = Estimator::new(2);
        let status = estimator.fit(&trajectory.history, Penalty::ridge(ridge)).map_err(refused)?;
        if !status.is_converged() {
            return Err(Error::input(format!("the estimate of the set \"{}\" ended {status:?}", kind.radius())));
        }
        Ok(Self { level, ridge, estimator })
    }

    /// The set without a bound on the norm.
    fn set<'a>(&'a self, history: &'a History) -> LevelSet<'a> {
        let Self { level, ridge, estimator } = self;
        LevelSet::new(history, *ridge, *level, f64::INFINITY, estimator.theta(), estimator.evaluation())
    }
}

/// What the core refuses, in its words.
#[allow(clippy::needless_pass_by_value)]
fn refused(error: optimist::Error) -> Error {
    Error::input(error.to_string())
}
