//! Bounds of all kinds, fresh and stale, against values that are computed without them.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::belief::Belief;
use crate::plan::leverage;
use crate::problem::Problem;
use crate::set::{Excess, Radius};

const TOLERANCE: f64 = 1e-9;

/// A world whose arms may be long, whose norm bound may be absent or wrong, and whose level may jump.
struct World {
    arms: FiniteArms<'static>,
    theta: Vec<f64>,
    belief: Belief,
    generator: ChaCha8Rng,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let d = generator.random_range(1..=5);
        let k = generator.random_range(2..=25);
        let length = [1.0, 1.0, 5.0, 0.1][seed as usize % 4];
        let mut vector =
            |scale: f64| (0..d).map(|_| scale * (2.0 * generator.random::<f64>() - 1.0)).collect::<Vec<_>>();
        let theta = vector(2.0 / length);
        let rows: Vec<Vec<f64>> = (0..k).map(|_| vector(length)).collect();
        let arms = FiniteArms::from_rows(&rows).unwrap();
        let size = norm(&theta);
        // Right, none, far too small (the data refute it), and far too large.
        let norm_bound = [Some(1.2 * size), None, Some(0.3 * size), Some(50.0 * size)][seed as usize / 4 % 4];
        let problem = Problem { dimension: d, delta: 0.05, norm_bound };
        let radius = match seed % 3 {
            // The ridge holds the set, and its reach grows with the level.
            0 if norm_bound.is_some() => Radius::from(Excess::new(0.5, 0.2, &problem).unwrap()),
            _ => Radius::by_name("mixture", &problem).unwrap(),
        };
        Self { arms, theta, belief: Belief::with_radius(radius).unwrap(), generator }
    }

    /// One to a few hundred observations of an arm, now and then against all expectation.
    fn observe(&mut self, arm: usize) {
        let x = self.arms.arm(arm).to_vec();
        let count = if self.generator.random_bool(0.1) { self.generator.random_range(2..200) } else { 1 };
        let likely = crate::link::mean(dot(&x, &self.theta));
        let odd = self.generator.random_bool(0.05);
        let success = self.generator.random_bool(if odd { 1.0 - likely } else { likely });
        self.belief.observe_many(&x, f64::from(u8::from(success)), count).unwrap();
    }
}

/// A level that rises and falls: the belief's own, with a share of the room above the centre's loss taken away or added.
fn at_other_level<'a>(set: &LevelSet<'a>, share: f64) -> LevelSet<'a> {
    LevelSet { level: set.level + share * set.room(), ..*set }
}

#[test]
fn no_bound_is_below_the_value_that_it_bounds() {
    let (mut looked, mut stale) = (0, 0);
    for seed in 0..96 {
        let mut world = World::new(seed);
        let mut planner = Planner::new(&world.arms, TOLERANCE).unwrap();
        let mut solver = SupportSolver::new(world.arms.dimension());
        for round in 0..120 {
            let share = if world.generator.random_bool(0.2) { world.generator.random::<f64>() - 0.5 } else { 0.0 };
            let set = at_other_level(&world.belief.set(), share);
            let plan = planner.choose(&set, &world.arms).unwrap();
            looked += plan.looks;
            if !set.is_empty() && round % 4 == 0 {
                for (k, x) in world.arms.iter().enumerate() {
                    let exact = solver.solve(&set, x, Target::exact(TOLERANCE)).unwrap();
                    let margin = 1e-8 * exact.value.abs().max(norm(x)) + 1e-9 * set.level * exact.level_multiplier;
                    let bound = planner.bounds[k];
                    // Infinite values have no margin.
                    let holds = bound == exact.value || bound >= exact.value - margin;
                    assert!(holds, "seed {seed} round {round} arm {k}: {bound} {exact:?}");
                    stale += u32::from(planner.stages[k] == Stage::Untouched);
                }
            }
            let random = world.generator.random_bool(0.3);
            let arm = if random { world.generator.random_range(0..world.arms.len()) } else { plan.arm };
            world.observe(arm);
        }
    }
    assert!(looked > 1000 && stale > 1000, "{looked} looks, {stale} stale bounds");
}

/// A look is right from any point with any multipliers, not only from a maximiser.
#[test]
fn a_look_from_anywhere_bounds_the_value() {
    let mut found = 0;
    for seed in 0..200 {
        let mut world = World::new(seed);
        for _ in 0..60 {
            let arm = world.generator.random_range(0..world.arms.len());
            world.observe(arm);
        }
        let (arms, mut generator) = (world.arms.clone(), world.generator.clone());
        let set = world.belief.set();
        let (mut solver, mut glance) = (SupportSolver::new(arms.dimension()), Glance::new(arms.dimension()));
        for x in arms.iter().take(4).filter(|_| !set.is_empty()) {
            let exact = solver.solve(&set, x, Target::exact(TOLERANCE)).unwrap();
            for far in [0.0, 0.1, 1.0] {
                let shift = |v: &f64| v + far * (generator.random::<f64>() - 0.5);
                let theta: Vec<f64> = solver.maximiser().iter().map(shift).collect();
                let warm = WarmStart {
                    theta: &theta,
                    level_multiplier: exact.level_multiplier.max(1e-6),
                    norm_multiplier: exact.norm_multiplier * [0.0, 1.0, 2.0][seed as usize % 3],
                };
                let cutoff = exact.value + [1e-6, 0.1, 10.0][seed as usize / 3 % 3] * exact.value.abs().max(norm(x));
                let Some(look) = glance.look(&set, x, warm, cutoff) else { continue };
                found += 1;
                let margin = 1e-8 * exact.value.abs().max(norm(x)) + 1e-9 * set.level * exact.level_multiplier;
                assert!(look.upper_bound >= exact.value - margin, "seed {seed}: {look:?} {exact:?}");
                // It is below no value, so that no cutoff can be passed that is.
                assert!(glance.look(&set, x, warm, exact.value - 2.0 * margin).is_none(), "seed {seed}");
            }
        }
    }
    assert!(found > 200, "{found} looks that found a bound");
}

#[test]
fn leverages_are_quadratic_forms_of_the_inverse() {
    let mut world = World::new(5);
    (0..200).for_each(|i| world.observe(i % world.arms.len()));
    let set = world.belief.set();
    let d = set.centre.len();
    let mut cholesky = crate::numerics::Cholesky::new(d);
    assert!(cholesky.factor(&set.at_centre.hessian, 0.1));
    let mut tile = vec![0.0; leverage::scratch_size(d)];
    let form = |row: usize| {
        let mut x = vec![0.0; d];
        set.history.features(row, &mut x);
        cholesky.solve_lower(&mut x);
        dot(&x, &x)
    };
    let expected = (0..set.history.rows()).map(form).fold(0.0, f64::max);
    let largest = leverage::largest(set.history, &cholesky, &mut tile);
    assert!((largest / expected - 1.0).abs() < 1e-12, "{largest} {expected}");
}
