//! Branch and bound over boxes for a linear objective on the set of small Newton decrements.
//!
//! In a box with centre c every point theta = c + v of the set satisfies three linear inequalities:
//! - the minorant of the squared decrement: grad f'v <= gamma^2 - f(c) + max v'Qv ([`crate::set::Minorant`]),
//! - the ball: c'v <= ||c|| (norm_bound - ||c||),
//! - the convex relaxation: grad L'v <= level - L(c).
//!
//! Linear programming over them and the box ([`super::cut_box`]) bounds the objective with an error of second order in the
//! box's size, so that the boxes around the maximiser need only be of the size of the root of the tolerance. The same
//! inequalities, and the one that asks for more than the value already attained, shrink a box from its sides before it is
//! split, which leaves a third of the boxes. The box with the largest bound is split first. Boxes are boxes in the
//! coordinates of a [`Frame`], and the first is one around the ball.

use std::collections::BinaryHeap;

use super::ascent::Ascent;
use super::cut_box::{self, HalfSpace, MAX};
use super::frame::Frame;
use super::{BranchPlan, BranchStatus};
use crate::numerics::{dot, norm};
use crate::plan::ranked::Ranked;
use crate::set::{DecrementSet, Minorant};

/// What is to be maximised, where, and how well.
pub(super) struct SearchInput<'a> {
    pub(super) set: &'a DecrementSet<'a>,
    pub(super) x: &'a [f64],
    /// x in the frame: x'theta = x'origin + turned'y.
    pub(super) turned: &'a [f64],
    /// The coordinates y of the boxes.
    pub(super) frame: &'a Frame,
    /// The relaxation's level.
    pub(super) level: f64,
    /// Lower and upper ends, in y, of a box that contains the set.
    pub(super) root: &'a [[f64; 2]],
    pub(super) tolerance: f64,
    pub(super) node_limit: usize,
    /// Where to climb from.
    pub(super) start: &'a [f64],
    /// What cannot exceed this is of no interest.
    pub(super) cutoff: f64,
}

/// A box and the coordinate along which to split it.
#[derive(Debug, Clone, Copy)]
struct Region {
    centre: [f64; MAX],
    half_widths: [f64; MAX],
    split: usize,
}

/// A box this many times longer than wide is split along its length whatever the bound suggests.
const MAX_ASPECT: f64 = 16.0;

/// Working memory of the search.
#[derive(Debug, Clone)]
pub(super) struct Search {
    minorant: Minorant,
    theta: Vec<f64>,
    queue: BinaryHeap<Ranked<Region>>,
    /// The largest bound of a box that was put aside.
    closed: f64,
    /// Multiplier of the squared decrement at the incumbent, to weigh remainders with.
    multiplier: f64,
}

impl Search {
    pub(super) fn new(dimension: usize) -> Self {
        Self {
            minorant: Minorant::new(dimension),
            theta: vec![0.0; dimension],
            queue: BinaryHeap::new(),
            closed: f64::NEG_INFINITY,
            multiplier: 0.0,
        }
    }

    /// Improves `plan` until value and bound meet. `inner` is a point of the set; one is put there when it is found.
    pub(super) fn run(
        &mut self,
        problem: &SearchInput<'_>,
        ascent: &mut Ascent,
        inner: &mut Option<Vec<f64>>,
        plan: &mut BranchPlan,
    ) {
        self.queue.clear();
        self.closed = f64::NEG_INFINITY;
        self.multiplier = 0.0;
        if plan.value > f64::NEG_INFINITY {
            self.weigh(problem, plan);
        }
        let relaxed = plan.upper_bound;
        self.consider(problem, ascent, inner, plan, Ranked { bound: relaxed, part: root_region(problem) });
        if let Some(inner) = inner.as_ref().filter(|_| plan.value == f64::NEG_INFINITY && !self.queue.is_empty()) {
            self.climb(problem, ascent, inner, problem.start, plan);
        }
        plan.status = BranchStatus::Certified;
        while let Some(Ranked { bound, part }) = self.queue.pop() {
            let done = bound <= problem.threshold(plan);
            if done || plan.nodes >= problem.node_limit {
                self.closed = self.closed.max(bound);
                plan.status = if done { BranchStatus::Certified } else { BranchStatus::NodeLimit };
                break;
            }
            for half in halves(&part) {
                self.consider(problem, ascent, inner, plan, Ranked { bound, part: half });
            }
        }
        let nothing = plan.value == f64::NEG_INFINITY && self.closed == f64::NEG_INFINITY;
        if nothing && problem.cutoff == f64::NEG_INFINITY {
            plan.status = BranchStatus::Empty;
        }
        plan.upper_bound = self.closed.max(plan.value).min(relaxed.max(plan.value));
    }

    /// Bounds a box and queues it, or puts it aside if it cannot matter.
    fn consider(
        &mut self,
        problem: &SearchInput<'_>,
        ascent: &mut Ascent,
        inner: &mut Option<Vec<f64>>,
        plan: &mut BranchPlan,
        mut region: Ranked<Region>,
    ) {
        plan.nodes += 1;
        let d = problem.x.len();
        let (centre, half_widths) = (&region.part.centre[..d], &region.part.half_widths[..d]);
        problem.frame.place(centre, &mut self.theta);
        let spread: f64 = problem.turned.iter().zip(half_widths).map(|(x, h)| x.abs() * h).sum();
        region.bound = region.bound.min(dot(problem.x, &self.theta) + spread);
        let ball = problem.ball(&self.theta);
        if ball.misses(half_widths) {
            return;
        }
        if region.bound > problem.threshold(plan) {
            let decrement = self.minorant.squared_decrement(problem.set, &self.theta).sqrt();
            if decrement <= problem.set.gamma && norm(&self.theta) <= problem.set.norm_bound {
                self.found(problem, ascent, inner, plan);
            }
            let floor = plan.value.max(problem.cutoff);
            match self.bound(problem, ball, &region.part, floor) {
                Some(Ranked { bound, part }) => region = Ranked { bound: region.bound.min(bound), part },
                None => return,
            }
        }
        if region.bound > problem.threshold(plan) {
            self.queue.push(region);
        } else {
            self.closed = self.closed.max(region.bound);
        }
    }

    /// The bound by linear programming, at the point where the decrement was last computed, and the part of the box that may
    /// hold points of the set with more than `floor`, to be split along the coordinate that contributes most to the bound;
    /// none if there is no such part.
    fn bound(
        &mut self,
        problem: &SearchInput<'_>,
        ball: HalfSpace,
        region: &Region,
        floor: f64,
    ) -> Option<Ranked<Region>> {
        let (set, minorant, d) = (problem.set, &mut self.minorant, problem.x.len());
        let half_widths = &region.half_widths[..d];
        minorant.expand(set, &self.theta, half_widths, Some(problem.frame.cholesky()));
        let limit = set.gamma * set.gamma;
        // Margins for rounding.
        let small = minorant.largest_remainder(half_widths) + 1e-11 * (limit + minorant.squared);
        let level = problem.level + 1e-12 * minorant.loss.abs();
        let cuts = [
            problem.half_space(&minorant.slope, limit - minorant.squared + small),
            problem.half_space(&minorant.gradient, level - minorant.loss),
            ball,
        ];
        let (gain, multipliers) = cut_box::bound(problem.turned, half_widths, &cuts)?;
        let value = dot(problem.x, &self.theta);
        if floor == problem.cutoff {
            // What is cut off may be worth as much; a floor that is a value attained says nothing new.
            self.closed = self.closed.max(floor.min(value + gain));
        }
        let mut part = *region;
        let better = HalfSpace::above(problem.turned, value, floor);
        cut_box::shrink(&mut part.centre, &mut part.half_widths, d, &[better, cuts[0], cuts[1], cuts[2]])?;
        let weight = multipliers[0].max(self.multiplier);
        let score = |j: usize| {
            let h = part.half_widths[j];
            let first = cut_box::reduced(problem.turned, &cuts, &multipliers, j).abs() * h;
            first + weight * minorant.remainder[j * d + j] * h * h
        };
        part.split = split_coordinate(&part.half_widths[..d], score);
        Some(Ranked { bound: value + gain, part })
    }

    /// A box's centre belongs to the set: climb from it if it is better than what is known.
    fn found(
        &mut self,
        problem: &SearchInput<'_>,
        ascent: &mut Ascent,
        inner: &mut Option<Vec<f64>>,
        plan: &mut BranchPlan,
    ) {
        let anchor = inner.get_or_insert_with(|| self.theta.clone());
        if dot(problem.x, &self.theta) > plan.value.max(problem.cutoff) {
            let start = self.theta.clone();
            self.climb(problem, ascent, anchor, &start, plan);
            // The decrement was computed elsewhere meanwhile.
            self.minorant.squared_decrement(problem.set, &self.theta);
        }
    }

    /// Takes over the local maximum that is reached from `start`.
    fn climb(
        &mut self,
        problem: &SearchInput<'_>,
        ascent: &mut Ascent,
        inner: &[f64],
        start: &[f64],
        plan: &mut BranchPlan,
    ) {
        plan.value = ascent.climb(problem.set, problem.x, inner, start);
        plan.theta.copy_from_slice(ascent.theta());
        self.weigh(problem, plan);
    }

    /// The multiplier of f at the incumbent, by least squares.
    fn weigh(&mut self, problem: &SearchInput<'_>, plan: &BranchPlan) {
        self.minorant.squared_decrement(problem.set, &plan.theta);
        let nothing = [0.0; MAX];
        self.minorant.expand(problem.set, &plan.theta, &nothing[..problem.x.len()], None);
        let slope = &mut self.minorant.slope;
        problem.frame.turn(slope);
        self.multiplier = (dot(problem.turned, slope) / dot(slope, slope).max(f64::MIN_POSITIVE)).max(0.0);
    }
}

impl SearchInput<'_> {
    /// `normal'v <= room` in the frame.
    fn half_space(&self, normal: &[f64], room: f64) -> HalfSpace {
        let mut half_space = HalfSpace::new(normal, room);
        self.frame.turn(&mut half_space.normal[..normal.len()]);
        half_space
    }

    /// The half-space of the ball at `theta`, with a margin for rounding.
    fn ball(&self, theta: &[f64]) -> HalfSpace {
        let (length, bound) = (norm(theta), self.set.norm_bound);
        let mut half_space = self.half_space(theta, (1.0 + 1e-13) * bound - length);
        half_space.normal.iter_mut().for_each(|v| *v /= length.max(f64::MIN_POSITIVE));
        half_space
    }

    /// A box whose bound is no larger is of no interest.
    fn threshold(&self, plan: &BranchPlan) -> f64 {
        let scale = norm(self.x) * norm(&plan.theta).min(1.0);
        threshold(plan.value, self.tolerance, scale).max(self.cutoff)
    }
}

/// Value plus allowed gap, relative to the value or to `scale`.
pub(super) fn threshold(value: f64, tolerance: f64, scale: f64) -> f64 {
    if value == f64::NEG_INFINITY { value } else { value + tolerance * value.abs().max(scale) }
}

fn root_region(problem: &SearchInput<'_>) -> Region {
    let mut region = Region { centre: [0.0; MAX], half_widths: [0.0; MAX], split: 0 };
    for (j, [low, high]) in problem.root.iter().enumerate() {
        region.centre[j] = 0.5 * (low + high);
        // The centre is rounded: the box must still reach both ends.
        region.half_widths[j] = (0.5 * (high - low)).max(0.0) + 4.0 * f64::EPSILON * (low.abs() + high.abs());
    }
    region
}

/// The two halves of a box.
fn halves(region: &Region) -> [Region; 2] {
    let quarter = 0.5 * region.half_widths[region.split];
    [-quarter, quarter].map(|shift| {
        let mut half = *region;
        half.centre[region.split] += shift;
        // Adjacent boxes overlap by the rounding of their centres.
        half.half_widths[region.split] = quarter + 2.0 * f64::EPSILON * half.centre[region.split].abs();
        half
    })
}

/// The coordinate of the largest score, or the longest if the box is long and thin.
fn split_coordinate(half_widths: &[f64], score: impl Fn(usize) -> f64) -> usize {
    let largest = |key: &dyn Fn(usize) -> f64| {
        (0..half_widths.len()).max_by(|&i, &j| key(i).total_cmp(&key(j))).expect("the dimension is at least one")
    };
    let by_score = largest(&score);
    let longest = largest(&|j| half_widths[j]);
    if half_widths[longest] > MAX_ASPECT * half_widths[by_score] { longest } else { by_score }
}
