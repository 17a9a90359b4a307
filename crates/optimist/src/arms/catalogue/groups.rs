//! Items sorted into a tree of groups of like ones.
//!
//! A group is halved at the median along the direction in which its items differ most, down to leaves of a few items. Of each
//! group are known its centre, a ball about it, and an ellipsoid with axes along the features: the ball is the better bound
//! where items differ in all features alike, the ellipsoid where they agree in some, as those of one category do.

use super::FiniteArms;
use crate::numerics::{add_scaled, dot, norm};

/// No more items than this are looked at one by one.
const LEAF: usize = 64;
/// Items by which the direction of a split is found.
const SAMPLE: usize = 256;
/// Steps of the power method; the direction need not be exact.
const STEPS: usize = 8;

#[derive(Debug, Clone)]
pub(super) struct Groups {
    dimension: usize,
    /// Features of all items, those of a group side by side.
    rows: Vec<f64>,
    /// The caller's number of the item at each place.
    order: Vec<u32>,
    /// The place of each item.
    places: Vec<u32>,
    /// The first is that of all items.
    nodes: Vec<Node>,
    /// Per node its centre, then the squares of the half-axes of its ellipsoid.
    shapes: Vec<f64>,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Places of its items.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The two halves; none of a leaf.
    pub(super) halves: Option<[usize; 2]>,
    /// All items are within this of the centre.
    pub(super) radius: f64,
    /// The norm of the longest item.
    pub(super) longest: f64,
}

impl Groups {
    pub(super) fn new(items: &FiniteArms<'_>) -> Self {
        let (dimension, count) = (items.dimension(), items.len());
        let mut order: Vec<u32> = (0..count as u32).collect();
        let mut splits = Vec::new();
        split(items, &mut order, 0, &mut splits);
        let mut this = Self {
            dimension,
            rows: order.iter().flat_map(|k| items.arm(*k as usize)).copied().collect(),
            places: vec![0; count],
            order,
            nodes: Vec::with_capacity(splits.len()),
            shapes: Vec::with_capacity(splits.len() * 2 * dimension),
        };
        for (place, k) in this.order.iter().enumerate() {
            this.places[*k as usize] = place as u32;
        }
        for Split { start, end, halves } in splits {
            this.describe(start, end, halves);
        }
        this
    }

    /// Adds a node.
    fn describe(&mut self, start: usize, end: usize, halves: Option<[usize; 2]>) {
        let (d, count) = (self.dimension, (end - start) as f64);
        let rows = || (start..end).map(|place| self.at(place));
        let mut centre = vec![0.0; d];
        rows().for_each(|x| add_scaled(&mut centre, 1.0 / count, x));
        let distances = |x: &[f64]| -> Vec<f64> { x.iter().zip(&centre).map(|(x, c)| x - c).collect() };
        let mut axes = vec![0.0; d];
        let (mut radius, mut longest) = (0.0_f64, 0.0_f64);
        for x in rows() {
            let from = distances(x);
            radius = radius.max(norm(&from));
            longest = longest.max(norm(x));
            axes.iter_mut().zip(&from).for_each(|(a, v)| *a += v * v / count);
        }
        // The mean squares give the ellipsoid its shape, the farthest item its size.
        let share = |v: f64, a: f64| if a > 0.0 { v * v / a } else { 0.0 };
        let size = rows().map(|x| distances(x).iter().zip(&axes).map(|(v, a)| share(*v, *a)).sum::<f64>());
        let size = size.fold(0.0, f64::max);
        // Squares of shorter or longer distances lose their digits: then there is no ellipsoid, only the ball.
        let agree = |j: usize| rows().all(|x| x[j] == centre[j]);
        let is_sound = axes.iter().enumerate().all(|(j, a)| (1e-280..1e280).contains(a) || (*a == 0.0 && agree(j)));
        self.nodes.push(Node { start, end, halves, radius, longest });
        self.shapes.extend(&centre);
        self.shapes.extend(axes.iter().map(|a| if is_sound { a * size } else { f64::INFINITY }));
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// The features of the item at a place.
    pub(super) fn at(&self, place: usize) -> &[f64] {
        &self.rows[place * self.dimension..][..self.dimension]
    }

    /// The caller's number of it.
    pub(super) fn number(&self, place: usize) -> usize {
        self.order[place] as usize
    }

    pub(super) fn item(&self, k: usize) -> &[f64] {
        self.at(self.places[k] as usize)
    }

    /// Features of all items in the caller's order.
    pub(super) fn features(&self) -> Vec<f64> {
        (0..self.len()).flat_map(|k| self.item(k)).copied().collect()
    }

    pub(super) fn node(&self, k: usize) -> &Node {
        &self.nodes[k]
    }

    /// Centre, and squared half-axes, of a node.
    pub(super) fn shape(&self, k: usize) -> (&[f64], &[f64]) {
        self.shapes[2 * k * self.dimension..][..2 * self.dimension].split_at(self.dimension)
    }

    pub(super) fn has_same_items(&self, other: &Self) -> bool {
        // How they are sorted follows from what they are.
        self.dimension == other.dimension && self.rows == other.rows && self.order == other.order
    }
}

struct Split {
    start: usize,
    end: usize,
    halves: Option<[usize; 2]>,
}

/// Sorts `order`, the items from place `start` on, and writes the nodes; returns the number of the first.
fn split(items: &FiniteArms<'_>, order: &mut [u32], start: usize, nodes: &mut Vec<Split>) -> usize {
    let own = nodes.len();
    nodes.push(Split { start, end: start + order.len(), halves: None });
    if order.len() <= LEAF {
        return own;
    }
    let direction = principal_direction(items, order);
    let key = |k: &u32| dot(items.arm(*k as usize), &direction);
    let mut keyed: Vec<(f64, u32)> = order.iter().map(|k| (key(k), *k)).collect();
    let middle = order.len() / 2;
    // Items that are alike are told apart by their numbers, so that the tree follows from the items alone.
    keyed.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    order.iter_mut().zip(keyed).for_each(|(place, (_, k))| *place = k);
    let (low, high) = order.split_at_mut(middle);
    let halves = [split(items, low, start, nodes), split(items, high, start + middle, nodes)];
    nodes[own].halves = Some(halves);
    own
}

/// About the direction in which the items differ most, by the power method on some of them.
fn principal_direction(items: &FiniteArms<'_>, order: &[u32]) -> Vec<f64> {
    let d = items.dimension();
    let step = order.len().div_ceil(SAMPLE);
    let sample: Vec<&[f64]> = order.iter().step_by(step).map(|k| items.arm(*k as usize)).collect();
    let mut centre = vec![0.0; d];
    sample.iter().for_each(|x| add_scaled(&mut centre, 1.0 / sample.len() as f64, x));
    let rest: Vec<Vec<f64>> = sample.iter().map(|x| x.iter().zip(&centre).map(|(x, c)| x - c).collect()).collect();
    // The item farthest from the centre is rarely at a right angle to the direction.
    let first = rest.iter().max_by(|a, b| norm(a).total_cmp(&norm(b)));
    let mut direction = first.cloned().unwrap_or_else(|| vec![1.0; d]);
    for _ in 0..STEPS {
        let mut next = vec![0.0; d];
        rest.iter().for_each(|x| add_scaled(&mut next, dot(x, &direction), x));
        let length = norm(&next);
        if !(length > 0.0 && length.is_finite()) {
            break;
        }
        next.iter_mut().for_each(|v| *v /= length);
        direction = next;
    }
    direction
}
