//! Outlines of regions of the plane that are known by a test of membership alone: no convexity, any number of pieces.
//!
//! Marching squares: a grid is laid over a window, every edge of the grid that has one end inside and one outside is
//! crossed at a point that bisection finds, and the crossings are linked cell by cell. Segments that are not straight
//! enough are then split. What is smaller than a cell of the grid can be missed.

/// A point of the plane.
pub type Point = [f64; 2];

/// The rectangle in which a region is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// Its lower left corner.
    pub low: Point,
    /// Its upper right corner.
    pub high: Point,
}

impl Window {
    /// The square around a point, `half` to every side.
    pub fn square(centre: Point, half: f64) -> Self {
        Self { low: centre.map(|v| v - half), high: centre.map(|v| v + half) }
    }

    fn contains(&self, p: Point) -> bool {
        (0..2).all(|axis| self.low[axis] <= p[axis] && p[axis] <= self.high[axis])
    }

    /// The least window that holds all points, wider by a fraction of its size on every side.
    pub fn around(points: &[Point], margin: f64) -> Self {
        let least = |axis: usize| points.iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min);
        let largest = |axis: usize| points.iter().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max);
        let mut window = Self { low: [least(0), least(1)], high: [largest(0), largest(1)] };
        for (low, high) in window.low.iter_mut().zip(&mut window.high) {
            let more = margin * (*high - *low);
            *low -= more;
            *high += more;
        }
        window
    }
}

/// The outline of a region: closed loops with the region on their left, so that holes run clockwise.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outline {
    /// The corners of every loop, in order.
    pub loops: Vec<Vec<Point>>,
}

impl Outline {
    /// The area, holes taken off.
    pub fn area(&self) -> f64 {
        self.loops.iter().map(|corners| signed_area(corners)).sum()
    }

    /// The area of the convex hull: how much larger it is than the region's says how far that is from convex.
    pub fn hull_area(&self) -> f64 {
        let mut points = self.loops.concat();
        points.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
        let lower = chain(points.iter().copied());
        let upper = chain(points.iter().rev().copied());
        signed_area(&[lower, upper].concat())
    }

    /// Whether a point is inside: a ray from it crosses the loops an odd number of times.
    pub fn contains(&self, point: Point) -> bool {
        let crossings = self.segments().filter(|(p, q)| {
            let between = (p[1] > point[1]) != (q[1] > point[1]);
            between && point[0] < p[0] + (point[1] - p[1]) / (q[1] - p[1]) * (q[0] - p[0])
        });
        crossings.count() % 2 == 1
    }

    /// How far a point is from the nearest loop; infinite if there is none.
    pub fn distance(&self, point: Point) -> f64 {
        let to_segment = |(p, q): (Point, Point)| {
            let along = [q[0] - p[0], q[1] - p[1]];
            let offset = [point[0] - p[0], point[1] - p[1]];
            let square = along[0] * along[0] + along[1] * along[1];
            let share = (offset[0] * along[0] + offset[1] * along[1]) / square.max(f64::MIN_POSITIVE);
            let share = share.clamp(0.0, 1.0);
            (offset[0] - share * along[0]).hypot(offset[1] - share * along[1])
        };
        self.segments().map(to_segment).fold(f64::INFINITY, f64::min)
    }

    fn segments(&self) -> impl Iterator<Item = (Point, Point)> {
        self.loops.iter().flat_map(|corners| {
            let next = corners.iter().cycle().skip(1);
            corners.iter().copied().zip(next.copied())
        })
    }
}

/// The corners of a convex hull that turn left, on the way from the first to the last of sorted points (A. M. Andrew
/// 1979).
fn chain(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut hull: Vec<Point> = Vec::new();
    for p in points {
        while let [.., a, b] = hull[..] {
            if (b[0] - a[0]) * (p[1] - a[1]) > (b[1] - a[1]) * (p[0] - a[0]) {
                break;
            }
            hull.pop();
        }
        hull.push(p);
    }
    hull
}

/// Positive if the corners run counterclockwise.
fn signed_area(corners: &[Point]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    0.5 * corners.iter().zip(next).map(|(p, q)| p[0] * q[1] - q[0] * p[1]).sum::<f64>()
}

/// Halvings of an edge of the grid: then a crossing is known to a part in sixteen million of a cell.
const HALVINGS: usize = 24;
/// How often a segment may be split.
const SPLITS: usize = 6;
/// How far a segment may be from the curve it stands for, relative to the window.
const STRAIGHT: f64 = 1e-4;

/// The outline of the part in the window of the region where `inside` holds, from a grid of `cells` times `cells`.
pub fn trace(inside: impl Fn(Point) -> bool, window: Window, cells: usize) -> Outline {
    let inside = |p: Point| window.contains(p) && inside(p);
    let grid = Grid::new(&inside, window, cells.max(1));
    let size = (window.high[0] - window.low[0]).max(window.high[1] - window.low[1]);
    let smooth = |corners: Vec<Point>| {
        let mut out = Vec::with_capacity(2 * corners.len());
        let next = corners.iter().cycle().skip(1);
        for (&p, &q) in corners.iter().zip(next) {
            out.push(p);
            split(&inside, p, q, STRAIGHT * size, SPLITS, &mut out);
        }
        out
    };
    Outline { loops: grid.loops().into_iter().map(smooth).collect() }
}

/// As [`trace`], then once more in a window that fits what was found: for regions much smaller than the first window.
pub fn trace_closely(inside: impl Fn(Point) -> bool, window: Window, cells: usize) -> Outline {
    let survey = trace(&inside, window, cells).loops.concat();
    if survey.is_empty() {
        return Outline::default();
    }
    let closer = Window::around(&survey, 0.05);
    // Not beyond the first window, at whose edge the region may have been cut.
    let low = [0, 1].map(|axis| closer.low[axis].max(window.low[axis]));
    let high = [0, 1].map(|axis| closer.high[axis].min(window.high[axis]));
    trace(inside, Window { low, high }, cells)
}

/// Appends what lies on the curve between `p` and `q`, which are on it, until segments are within `tolerance` of it.
fn split(inside: &impl Fn(Point) -> bool, p: Point, q: Point, tolerance: f64, splits: usize, out: &mut Vec<Point>) {
    let length = (q[0] - p[0]).hypot(q[1] - p[1]);
    if splits == 0 || length <= tolerance {
        return;
    }
    // To the left, which is where the region is.
    let normal = [(p[1] - q[1]) / length, (q[0] - p[0]) / length];
    let at = |r: f64| [0.5 * (p[0] + q[0]) + r * normal[0], 0.5 * (p[1] + q[1]) + r * normal[1]];
    if inside(at(tolerance)) && !inside(at(-tolerance)) {
        return;
    }
    // A right angle would lie half a length away, sharper corners farther.
    let search = |side: f64, goal: bool| {
        [0.75, 1.5, 3.0, 6.0].iter().map(|far| at(side * far * length)).find(|p| inside(*p) == goal)
    };
    if let (Some(deep), Some(out_there)) = (search(1.0, true), search(-1.0, false)) {
        let middle = crossing(inside, deep, out_there);
        split(inside, p, middle, tolerance, splits - 1, out);
        out.push(middle);
        split(inside, middle, q, tolerance, splits - 1, out);
    }
}

/// Where the way from `within`, which is inside, to `without`, which is not, leaves the region.
fn crossing(inside: &impl Fn(Point) -> bool, mut within: Point, mut without: Point) -> Point {
    for _ in 0..HALVINGS {
        let middle = [0.5 * (within[0] + without[0]), 0.5 * (within[1] + without[1])];
        if inside(middle) { within = middle } else { without = middle }
    }
    within
}

/// The nodes of the grid. Those on the rim count as outside, so that every loop closes within the window.
struct Grid<'a, F> {
    inside: &'a F,
    window: Window,
    cells: usize,
    nodes: Vec<bool>,
}

/// An edge of the grid: from node (i, j) to the right, or upwards.
type Edge = usize;

impl<'a, F: Fn(Point) -> bool> Grid<'a, F> {
    fn new(inside: &'a F, window: Window, cells: usize) -> Self {
        let mut grid = Self { inside, window, cells, nodes: Vec::new() };
        let rim = |i: usize| i == 0 || i == cells;
        grid.nodes = (0..(cells + 1).pow(2))
            .map(|node| (node % (cells + 1), node / (cells + 1)))
            .map(|(i, j)| !rim(i) && !rim(j) && inside(grid.place(i as f64, j as f64)))
            .collect();
        grid
    }

    /// The point with these coordinates, in cells.
    fn place(&self, i: f64, j: f64) -> Point {
        let Window { low, high } = self.window;
        let n = self.cells as f64;
        [low[0] + (high[0] - low[0]) * i / n, low[1] + (high[1] - low[1]) * j / n]
    }

    fn node(&self, (i, j): (usize, usize)) -> usize {
        j * (self.cells + 1) + i
    }

    fn edge(&self, node: (usize, usize), upwards: bool) -> Edge {
        2 * self.node(node) + usize::from(upwards)
    }

    /// The loops through the crossings.
    fn loops(&self) -> Vec<Vec<Point>> {
        let mut next: Vec<Option<Edge>> = vec![None; 2 * self.nodes.len()];
        for j in 0..self.cells {
            for i in 0..self.cells {
                self.link(i, j, &mut next);
            }
        }
        let mut loops = Vec::new();
        for start in 0..next.len() {
            let mut corners = Vec::new();
            let mut edge = start;
            while let Some(following) = next[edge].take() {
                corners.push(self.cross(edge));
                edge = following;
            }
            if corners.len() > 2 {
                loops.push(corners);
            }
        }
        loops
    }

    /// Says which crossing follows which in the cell whose lower left node is (i, j), the region on the left.
    fn link(&self, i: usize, j: usize, next: &mut [Option<Edge>]) {
        // Around the cell counterclockwise: the nodes, and the edge from each to the one after it.
        let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
        let signs = corners.map(|corner| self.nodes[self.node(corner)]);
        let edges = [
            self.edge((i, j), false),
            self.edge((i + 1, j), true),
            self.edge((i, j + 1), false),
            self.edge((i, j), true),
        ];
        let changes = |k: &usize| signs[*k] != signs[(k + 1) % 4];
        let crossed: Vec<usize> = (0..4).filter(changes).collect();
        // Two pieces that touch in the middle of the cell are one; otherwise the curve goes back to where the walk
        // around the cell came in last.
        let saddle = crossed.len() == 4;
        let joined = saddle && (self.inside)(self.place(i as f64 + 0.5, j as f64 + 0.5));
        for (at, &k) in crossed.iter().enumerate() {
            if signs[k] {
                let step = if joined { 1 } else { crossed.len() - 1 };
                next[edges[k]] = Some(edges[crossed[(at + step) % crossed.len()]]);
            }
        }
    }

    /// The crossing on an edge.
    fn cross(&self, edge: Edge) -> Point {
        let (node, upwards) = (edge / 2, edge % 2 == 1);
        let (i, j) = (node % (self.cells + 1), node / (self.cells + 1));
        let other = if upwards { (i, j + 1) } else { (i + 1, j) };
        let [p, q] = [(i, j), other].map(|(i, j)| self.place(i as f64, j as f64));
        if self.nodes[node] { crossing(self.inside, p, q) } else { crossing(self.inside, q, p) }
    }
}
