//! Where the labels of points go: each at one of several places, so that together they cover little and nothing twice.

use super::{Point, Rect};

/// A place that a label might take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    /// The room that the label takes.
    pub(super) rect: Rect,
    /// What is wrong with it by itself, in pixels that it might be farther away instead.
    pub(super) cost: f64,
    /// The line that joins it to what it names, if it is not beside it.
    pub(super) leader: Option<(Point, Point)>,
}

/// Something that should be seen, and what it costs to cover it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Obstacle {
    pub(super) rect: Rect,
    pub(super) weight: f64,
    /// The number of the point that it is a part of, if it is.
    pub(super) point: Option<usize>,
}

/// What it costs if two labels overlap, if a leader runs through a label, and if two leaders cross.
const OVERLAP: f64 = 1e6;
const STRUCK: f64 = 1e4;
const CROSSING: f64 = 300.0;

/// Distance between labels.
const GAP: f64 = 3.0;

/// Improvements of one label after the other stop by themselves; this is only for safety.
const SWEEPS: usize = 50;

/// Pushing takes long, so only so many beginnings are tried.
const BEGINNINGS: usize = 3;

/// The number of the candidate for every label. Labels that no place is left for have none.
///
/// One label after the other takes the place that is best for it among the others, until none moves. What comes of that
/// depends on who is first, so everybody is once; in the best of these, labels may still push others out of the way.
pub(super) fn arrange(labels: &[Vec<Candidate>]) -> Vec<Option<usize>> {
    let by_cost = |a: &Vec<Option<usize>>, b: &Vec<Option<usize>>| total(labels, a).total_cmp(&total(labels, b));
    let mut beginnings: Vec<Vec<Option<usize>>> = (0..labels.len()).map(|first| settled(labels, first)).collect();
    beginnings.sort_by(by_cost);
    beginnings.dedup();
    let ends = beginnings.into_iter().take(BEGINNINGS).map(|taken| pushed(labels, taken));
    without_overlaps(labels, ends.min_by(by_cost).unwrap_or_default())
}

/// Places from which no label can push others to the advantage of all.
fn pushed(labels: &[Vec<Candidate>], mut taken: Vec<Option<usize>>) -> Vec<Option<usize>> {
    for _ in 0..SWEEPS {
        if (0..labels.len()).filter(|i| push(labels, &mut taken, *i)).count() == 0 {
            break;
        }
    }
    taken
}

/// Places from which no single label wants to move.
fn settled(labels: &[Vec<Candidate>], first: usize) -> Vec<Option<usize>> {
    let mut taken: Vec<Option<usize>> = vec![None; labels.len()];
    for _ in 0..SWEEPS {
        let before = taken.clone();
        for turn in 0..labels.len() {
            let i = (first + turn) % labels.len();
            taken[i] = response(labels, &taken, i);
        }
        if taken == before {
            break;
        }
    }
    taken
}

/// The best place for label `i` among the places that the others have taken.
fn response(labels: &[Vec<Candidate>], taken: &[Option<usize>], i: usize) -> Option<usize> {
    let costs = labels[i].iter().map(|c| c.cost + among(labels, taken, i, c));
    costs.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(c, _)| c)
}

/// Gives label `i` a place that is better for it, and new ones to all that are in its way, if that is better for all
/// together. Says whether it was.
fn push(labels: &[Vec<Candidate>], taken: &mut [Option<usize>], i: usize) -> bool {
    let Some(current) = taken[i] else { return false };
    let (before, now) = (total(labels, taken), &labels[i][current]);
    let now = now.cost + among(labels, taken, i, now);
    for (c, candidate) in labels[i].iter().enumerate().filter(|(_, candidate)| candidate.cost < now) {
        let mut moved = taken.to_vec();
        moved[i] = Some(c);
        let in_the_way = |j: usize| j != i && taken[j].is_some_and(|c| conflict(candidate, &labels[j][c]) > 0.0);
        let others: Vec<usize> = (0..labels.len()).filter(|j| in_the_way(*j)).collect();
        others.iter().for_each(|j| moved[*j] = None);
        for j in others {
            moved[j] = response(labels, &moved, j);
        }
        if total(labels, &moved) < before - 1e-6 {
            taken.copy_from_slice(&moved);
            return true;
        }
    }
    false
}

/// What the places cost together.
fn total(labels: &[Vec<Candidate>], taken: &[Option<usize>]) -> f64 {
    // Every pair is counted from both sides.
    let cost = |i: usize, c: &Candidate| c.cost + 0.5 * among(labels, taken, i, c);
    taken.iter().enumerate().filter_map(|(i, c)| Some(cost(i, &labels[i][(*c)?]))).sum()
}

/// What a place for label `i` costs among the places that the others have taken.
fn among(labels: &[Vec<Candidate>], taken: &[Option<usize>], i: usize, candidate: &Candidate) -> f64 {
    let others = taken.iter().enumerate().filter(|(j, _)| *j != i);
    others.filter_map(|(j, c)| Some(conflict(candidate, &labels[j][(*c)?]))).sum()
}

fn conflict(a: &Candidate, b: &Candidate) -> f64 {
    let struck = |c: &Candidate, rect: &Rect| c.leader.is_some_and(|(from, to)| meets(grown(rect, 1.0), from, to));
    let mut cost = 0.0;
    if overlap(&grown(&a.rect, GAP), &b.rect) {
        cost += OVERLAP;
    }
    if struck(a, &b.rect) || struck(b, &a.rect) {
        cost += STRUCK;
    }
    if let (Some(a), Some(b)) = (a.leader, b.leader)
        && cross(a, b)
    {
        cost += CROSSING;
    }
    cost
}

/// What a label of a point covers, and half as much for what its leader runs through. A leader starts at its own point, and
/// so nothing of that is in its way.
pub(super) fn covered(candidate: &Candidate, point: Option<usize>, obstacles: &[Obstacle]) -> f64 {
    let part = |obstacle: &Obstacle| {
        let is_own = point.is_some() && obstacle.point == point;
        let is_struck = |(from, to)| meets(obstacle.rect, from, to);
        match candidate.leader {
            _ if overlap(&candidate.rect, &obstacle.rect) => 1.0,
            Some(leader) if !is_own && is_struck(leader) => 0.5,
            _ => 0.0,
        }
    };
    obstacles.iter().map(|obstacle| part(obstacle) * obstacle.weight).sum()
}

/// The same places without those that overlap an earlier one.
fn without_overlaps(labels: &[Vec<Candidate>], taken: Vec<Option<usize>>) -> Vec<Option<usize>> {
    let mut kept: Vec<Rect> = Vec::new();
    let keep = |(label, choice): (&Vec<Candidate>, Option<usize>)| {
        let rect = label[choice?].rect;
        let free = kept.iter().all(|other| !overlap(&rect, other));
        free.then(|| kept.push(rect)).and(choice)
    };
    labels.iter().zip(taken).map(keep).collect()
}

fn grown(rect: &Rect, by: f64) -> Rect {
    Rect::new(rect.x - by, rect.y - by, rect.width + 2.0 * by, rect.height + 2.0 * by)
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom()
}

/// Whether a line from point to point touches a rectangle.
fn meets(rect: Rect, from: Point, to: Point) -> bool {
    // The part of the line within the two strips whose meeting is the rectangle.
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for (start, end, low, high) in [(from.0, to.0, rect.x, rect.right()), (from.1, to.1, rect.y, rect.bottom())] {
        let step = end - start;
        if step == 0.0 {
            if start < low || start > high {
                return false;
            }
            continue;
        }
        let (a, b) = ((low - start) / step, (high - start) / step);
        (enters, leaves) = (enters.max(a.min(b)), leaves.min(a.max(b)));
    }
    enters <= leaves
}

/// Whether two lines from point to point cross.
fn cross(a: (Point, Point), b: (Point, Point)) -> bool {
    let side = |(p, q): (Point, Point), r: Point| (q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0);
    side(a, b.0) * side(a, b.1) < 0.0 && side(b, a.0) * side(b, a.1) < 0.0
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn at(x: f64, y: f64, cost: f64) -> Candidate {
        Candidate { rect: Rect::new(x, y, 40.0, 10.0), cost, leader: None }
    }

    #[test]
    fn the_best_places_are_taken() {
        let labels = |second: f64| {
            [vec![at(0.0, 0.0, 0.0), at(0.0, 50.0, 5.0)], vec![at(10.0, 0.0, 0.0), at(100.0, 0.0, second)]]
        };
        assert_eq!(arrange(&labels(1.0)), [Some(0), Some(1)]);
        assert_eq!(arrange(&labels(10.0)), [Some(1), Some(0)]);
    }

    /// Whoever is first, in one of the pairs the label that could go elsewhere cheaply has come first, and stays.
    #[test]
    fn a_label_pushes_another_out_of_its_way() {
        let pair = |y| [vec![at(10.0, y, 0.0), at(100.0, y, 40.0)], vec![at(0.0, y, 0.0), at(200.0, y, 1500.0)]];
        let labels = [pair(0.0), pair(50.0)].concat();
        assert!((0..4).all(|first| settled(&labels, first) != [Some(1), Some(0), Some(1), Some(0)]));
        assert_eq!(arrange(&labels), [Some(1), Some(0), Some(1), Some(0)]);
    }

    #[test]
    fn what_is_covered_or_struck_counts_unless_a_leader_starts_there() {
        let label = Candidate { leader: Some(((100.0, 5.0), (40.0, 5.0))), ..at(0.0, 0.0, 0.0) };
        let obstacle = |x: f64, point| Obstacle { rect: Rect::new(x, 4.0, 2.0, 2.0), weight: 8.0, point };
        let cost = |x: f64, point| covered(&label, Some(1), &[obstacle(x, point)]);
        assert_eq!((cost(20.0, None), cost(20.0, Some(1))), (8.0, 8.0));
        assert_eq!((cost(99.0, None), cost(99.0, Some(0)), cost(99.0, Some(1))), (4.0, 4.0, 0.0));
        assert_eq!(cost(120.0, None), 0.0);
    }

    #[test]
    fn who_has_no_place_is_left_out() {
        let labels = [vec![at(0.0, 0.0, 0.0)], vec![at(5.0, 5.0, 0.0)], Vec::new(), vec![at(90.0, 0.0, 0.0)]];
        assert_eq!(arrange(&labels), [Some(0), None, None, Some(0)]);
        assert!(arrange(&[]).is_empty());
    }

    #[test]
    fn labels_never_overlap() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..200 {
            let mut place = || at(f64::from(rng.random_range(0..200)), f64::from(rng.random_range(0..60)), 0.0);
            let labels: Vec<Vec<Candidate>> = (0..10).map(|_| (0..12).map(|_| place()).collect()).collect();
            let taken = arrange(&labels);
            let rects: Vec<Rect> = labels.iter().zip(taken).filter_map(|(l, c)| Some(l[c?].rect)).collect();
            for (i, a) in rects.iter().enumerate() {
                assert!(rects[..i].iter().all(|b| !overlap(a, b)), "{rects:?}");
            }
        }
    }

    #[test]
    fn lines_that_meet_are_found() {
        let rect = Rect::new(10.0, 10.0, 20.0, 10.0);
        assert!(meets(rect, (0.0, 0.0), (40.0, 30.0)) && meets(rect, (15.0, 12.0), (16.0, 13.0)));
        assert!(meets(rect, (20.0, 0.0), (20.0, 40.0)) && !meets(rect, (5.0, 0.0), (5.0, 40.0)));
        assert!(!meets(rect, (0.0, 0.0), (5.0, 5.0)) && !meets(rect, (0.0, 25.0), (10.0, 40.0)));
        assert!(cross(((0.0, 0.0), (2.0, 2.0)), ((0.0, 2.0), (2.0, 0.0))));
        assert!(!cross(((0.0, 0.0), (2.0, 2.0)), ((0.0, 2.0), (0.5, 1.5))));
    }
}
