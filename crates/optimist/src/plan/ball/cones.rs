//! Branch and bound over cones of directions for the largest norm of a convex set.
//!
//! The support function h is sublinear: at x = sum_i a_i x_i with a >= 0 it is at most sum_i a_i h(x_i). So if w
//! solves x_i'w = u_i with upper bounds u_i >= h(x_i), then h(x) <= w'x in the whole cone of the x_i, and over its
//! unit vectors this is at most ||w|| if w lies in the cone; if not, the maximum is on a face, where the same holds.
//! (w is the vertex of the polyhedron that the supporting planes cut out.) The gap falls with the square of the cone's
//! angle, and a cone around a corner of the set has none.
//!
//! The start is the orthants; the cone with the largest bound is split at the middle of its longest edge.

use std::collections::{BinaryHeap, HashMap};

use super::{BallPlanner, Probe, normalise};
use crate::numerics::{add_scaled, dot, norm};
use crate::plan::ranked::Ranked;
use crate::set::LevelSet;

/// A simplicial cone: the indices of its generators among the probes.
type Cone = Vec<usize>;

/// Cones that may still hold something better than what is known.
pub(super) struct Cones {
    probes: Vec<Probe>,
    /// The probe at the middle of an edge: most edges belong to several cones.
    middles: HashMap<(usize, usize), usize>,
    queue: BinaryHeap<Ranked<Cone>>,
    /// The largest bound of a cone that was put aside.
    closed: f64,
}

impl Cones {
    /// The orthants; `probes` are e_1, -e_1, e_2, -e_2, ...
    pub(super) fn new(probes: Vec<Probe>) -> Self {
        Self { probes, middles: HashMap::new(), queue: BinaryHeap::new(), closed: f64::NEG_INFINITY }
    }

    /// Splits cones until none can hold a point of larger norm than the planner's best, up to its tolerance, or the
    /// planner's solves are used up. Returns an upper bound on the norm of all points of the set.
    pub(super) fn search(mut self, planner: &mut BallPlanner, set: &LevelSet<'_>) -> f64 {
        let d = self.probes.len() / 2;
        for signs in 0..1_usize << d {
            let part = (0..d).map(|j| 2 * j + (signs >> j & 1)).collect();
            self.consider(planner, Ranked { bound: set.reach(), part });
        }
        while let Some(Ranked { bound, part }) = self.queue.pop() {
            if bound <= planner.threshold() || planner.exhausted() || d == 1 {
                return self.closed.max(bound);
            }
            let (i, j) = self.longest_edge(&part);
            let middle = self.middle(planner, set, part[i], part[j]);
            for end in [i, j] {
                let mut half = part.clone();
                half[end] = middle;
                self.consider(planner, Ranked { bound, part: half });
            }
        }
        self.closed
    }

    /// Bounds a cone and queues it, or puts it aside if it cannot matter.
    fn consider(&mut self, planner: &BallPlanner, mut cone: Ranked<Cone>) {
        cone.bound = cone.bound.min(self.bound(&cone.part));
        if cone.bound > planner.threshold() {
            self.queue.push(cone);
        } else {
            self.closed = self.closed.max(cone.bound);
        }
    }

    /// Positions of the two generators that are farthest apart.
    fn longest_edge(&self, cone: &[usize]) -> (usize, usize) {
        let mut longest = (0, 1);
        let mut least = f64::INFINITY;
        for j in 1..cone.len() {
            for i in 0..j {
                let [a, b] = [i, j].map(|k| &self.probes[cone[k]].direction);
                let cosine = dot(a, b);
                if cosine < least {
                    (least, longest) = (cosine, (i, j));
                }
            }
        }
        longest
    }

    /// The probe half-way between two others, solved if it is not known yet.
    fn middle(&mut self, planner: &mut BallPlanner, set: &LevelSet<'_>, i: usize, j: usize) -> usize {
        let key = (i.min(j), i.max(j));
        if let Some(&known) = self.middles.get(&key) {
            return known;
        }
        let (a, b) = (&self.probes[i], &self.probes[j]);
        let mut direction = a.direction.clone();
        add_scaled(&mut direction, 1.0, &b.direction);
        normalise(&mut direction);
        let probe = planner.probe_and_climb(set, direction, if a.upper > b.upper { a } else { b });
        self.probes.push(probe);
        self.middles.insert(key, self.probes.len() - 1);
        self.probes.len() - 1
    }

    /// The bound of a cone, by its interior or else by its faces.
    fn bound(&self, generators: &[usize]) -> f64 {
        if let [only] = generators {
            return self.probes[*only].upper;
        }
        if let Some(length) = self.vertex_norm(generators) {
            return length;
        }
        let face = |k: usize| {
            let rest: Vec<usize> = generators.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, g)| *g).collect();
            self.bound(&rest)
        };
        (0..generators.len()).map(face).fold(f64::NEG_INFINITY, f64::max)
    }

    /// ||w|| if w is in the cone, by orthogonalisation of the generators: with Q R = (x_1 x_2 ...) and w = Q c,
    /// R'c = u gives ||w|| = ||c||, and w = sum_i a_i x_i with R a = c.
    fn vertex_norm(&self, generators: &[usize]) -> Option<f64> {
        let mut basis: Vec<Vec<f64>> = Vec::with_capacity(generators.len());
        let mut triangle: Vec<Vec<f64>> = Vec::with_capacity(generators.len());
        let mut coordinates: Vec<f64> = Vec::with_capacity(generators.len());
        for &g in generators {
            let probe = &self.probes[g];
            let mut left = probe.direction.clone();
            let mut column = Vec::with_capacity(basis.len() + 1);
            for q in &basis {
                let along = dot(q, &left);
                add_scaled(&mut left, -along, q);
                column.push(along);
            }
            let height = norm(&left);
            let known = dot(&column, &coordinates);
            coordinates.push((probe.upper - known) / height);
            normalise(&mut left);
            column.push(height);
            basis.push(left);
            triangle.push(column);
        }
        // Rounding in a coordinate is magnified by the reciprocal of the cone's angle, but next to the first the
        // coordinates are of the size of the angle themselves: the norm keeps its digits.
        in_cone(&triangle, &coordinates).then(|| norm(&coordinates) * (1.0 + 1e-12))
    }
}

/// Whether R a = c has a solution without negative entries; `columns[k]` is column k of R down to the diagonal.
fn in_cone(columns: &[Vec<f64>], c: &[f64]) -> bool {
    let mut left = c.to_vec();
    for k in (0..c.len()).rev() {
        let weight = left[k] / columns[k][k];
        if weight < 0.0 {
            return false;
        }
        add_scaled(&mut left[..k], -weight, &columns[k][..k]);
    }
    true
}
