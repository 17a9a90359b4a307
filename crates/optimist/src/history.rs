//! What has been observed, merged by distinct arm.
//!
//! The log-loss depends on the data only through, per distinct feature vector, how often it was played and the sum of
//! its rewards. So a fixed list of K arms costs K rows however long one plays, and ever-new arms cost a row each.
//! Nothing depends on the order in which observations come.
//!
//! Rows are stored in tiles of `TILE` arms, within a tile one feature after the other, so that every sum over the
//! data runs over contiguous memory in vector registers (see [`crate::loss`]) and a new row never moves an old one.

use std::sync::atomic::{AtomicU64, Ordering};

use hashbrown::HashTable;
use serde::{Deserialize, Serialize, Serializer};

use crate::consolidation::Summary;
use crate::error::{Error, Result, check_dimension_size, check_number, check_vector};
use crate::hash;
use crate::numerics::{norm, stored_numbers};

/// Rows per tile.
pub(crate) const TILE: usize = 64;

/// Observations merged by distinct arm: features, count, sum of rewards.
///
/// ```
/// use optimist::History;
/// let mut history = History::new(2)?;
/// history.observe(&[1.0, 0.0], 1.0)?;
/// history.observe(&[0.0, 1.0], 0.0)?;
/// history.observe(&[1.0, 0.0], 0.0)?; // the first row again
/// assert_eq!((history.rows(), history.observations()), (2, 3.0));
/// # Ok::<(), optimist::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "RawHistory")]
pub struct History {
    dimension: usize,
    rows: usize,
    /// Tiles of `dimension * TILE` numbers; absent rows are zero.
    tiles: Vec<f64>,
    /// Per row, how often it was observed (or its total weight); absent rows are zero, so they add nothing to a sum.
    counts: Vec<f64>,
    /// Per row, the sum of its rewards.
    rewards: Vec<f64>,
    /// Rows with the hash of their features.
    index: HashTable<(u64, u32)>,
    observations: f64,
    max_norm: f64,
    /// Sum over observations of reward times features.
    reward_sum: Vec<f64>,
    /// Sum over observations of the norm of the features.
    total_norm: f64,
    identity: Identity,
    /// What is kept of rows that are gone.
    summary: Option<Box<Summary>>,
}

/// Tells one history from another. A copy is another history: from then on the two may differ.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identity(u64);

impl Identity {
    fn new() -> Self {
        // From one: zero is what a restored planner holds until it is told which history it is about.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl History {
    /// An empty history of arms with `dimension` features.
    ///
    /// # Errors
    /// If `dimension` is zero or above 10,000.
    pub fn new(dimension: usize) -> Result<Self> {
        check_dimension_size("dimension", dimension)?;
        Ok(Self {
            dimension,
            rows: 0,
            tiles: Vec::new(),
            counts: Vec::new(),
            rewards: Vec::new(),
            index: HashTable::new(),
            observations: 0.0,
            max_norm: 0.0,
            reward_sum: vec![0.0; dimension],
            total_norm: 0.0,
            identity: Identity::new(),
            summary: None,
        })
    }

    /// Records that playing `x` gave `reward`, and returns the row it was merged into.
    ///
    /// # Errors
    /// If `x` has the wrong length or holds a number that is not finite, or if the reward is outside [0, 1]. The
    /// history is then unchanged.
    pub fn observe(&mut self, x: &[f64], reward: f64) -> Result<usize> {
        self.observe_many(x, reward, 1)
    }

    /// Records `count` observations of `x`, each with outcome `reward`.
    ///
    /// # Errors
    /// As [`History::observe`]; also if `count` is zero.
    pub fn observe_many(&mut self, x: &[f64], reward: f64, count: u64) -> Result<usize> {
        check_observation(x, reward, self.dimension)?;
        check_number("count", count as f64, count > 0, "at least 1")?;
        Ok(self.record(x, reward, count as f64))
    }

    /// As [`History::observe_many`] for an observation that has been checked, with a weight in place of the count, for losses
    /// that discount observations.
    pub(crate) fn record(&mut self, x: &[f64], reward: f64, weight: f64) -> usize {
        let row = self.row_of(x);
        self.add(row, x, reward, weight);
        row
    }

    fn add(&mut self, row: usize, x: &[f64], reward: f64, weight: f64) {
        self.counts[row] += weight;
        self.rewards[row] += weight * reward;
        self.observations += weight;
        self.total_norm += weight * norm(x);
        for (sum, xi) in self.reward_sum.iter_mut().zip(x) {
            *sum += weight * reward * xi;
        }
    }

    /// The row that holds `x`, if it was observed before.
    pub fn find(&self, x: &[f64]) -> Option<usize> {
        self.find_hashed(x, hash::numbers(x))
    }

    fn find_hashed(&self, x: &[f64], hash: u64) -> Option<usize> {
        self.index.find(hash, |&(_, row)| self.equals(row as usize, x)).map(|&(_, row)| row as usize)
    }

    fn row_of(&mut self, x: &[f64]) -> usize {
        let hash = hash::numbers(x);
        if let Some(row) = self.find_hashed(x, hash) {
            return row;
        }
        let row = self.rows;
        if row.is_multiple_of(TILE) {
            self.tiles.resize(self.tiles.len() + TILE * self.dimension, 0.0);
            self.counts.resize(row + TILE, 0.0);
            self.rewards.resize(row + TILE, 0.0);
        }
        self.write(row, x);
        self.rows += 1;
        self.max_norm = self.max_norm.max(norm(x));
        self.index.insert_unique(hash, (hash, row as u32), |&(hash, _)| hash);
        row
    }

    fn write(&mut self, row: usize, x: &[f64]) {
        for (j, xj) in x.iter().enumerate() {
            // Adding zero turns -0.0 into 0.0: equal arms have equal bits.
            self.tiles[tile_offset(row, j, self.dimension)] = xj + 0.0;
        }
    }

    fn equals(&self, row: usize, x: &[f64]) -> bool {
        x.len() == self.dimension
            && x.iter().enumerate().all(|(j, xj)| self.tiles[tile_offset(row, j, self.dimension)] == *xj)
    }

    /// The number of features.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The number of distinct arms observed, without those that were [consolidated](crate::Belief::with_memory).
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of observations, n (the sum of weights, if observations were weighted).
    pub fn observations(&self) -> f64 {
        self.observations
    }

    /// The largest norm of an observed arm.
    pub fn max_norm(&self) -> f64 {
        self.max_norm
    }

    /// How often rows were replaced by quadratics: see [`Belief::with_memory`](crate::Belief::with_memory).
    pub fn consolidations(&self) -> u64 {
        self.summary.as_ref().map_or(0, |summary| summary.consolidations())
    }

    /// The quadratic that stands for rows that were [consolidated](crate::Belief::with_memory) in the loss of the set; none if
    /// there are none.
    pub fn consolidated(&self) -> Option<Consolidated<'_>> {
        self.summary().map(|summary| Consolidated {
            origin: summary.origin(),
            constant: summary.lower().constant(),
            slope: summary.lower().slope(),
            matrix: summary.lower().matrix(),
        })
    }

    /// What is kept of rows that are gone.
    pub(crate) fn summary(&self) -> Option<&Summary> {
        self.summary.as_deref()
    }

    /// Drops all rows but those `kept`, in order, of which `summary` tells henceforth. What was counted stays counted.
    pub(crate) fn consolidate(&mut self, kept: &[usize], summary: Summary) {
        let d = self.dimension;
        self.index.clear();
        let mut x = vec![0.0; d];
        for (row, &old) in kept.iter().enumerate() {
            self.features(old, &mut x);
            self.write(row, &x);
            (self.counts[row], self.rewards[row]) = (self.counts[old], self.rewards[old]);
            let hash = hash::numbers(&x);
            self.index.insert_unique(hash, (hash, row as u32), |&(hash, _)| hash);
        }
        self.rows = kept.len();
        let padded = self.rows.next_multiple_of(TILE);
        self.tiles.truncate(padded * d);
        self.counts.truncate(padded);
        self.rewards.truncate(padded);
        for absent in self.rows..padded {
            (0..d).for_each(|j| self.tiles[tile_offset(absent, j, d)] = 0.0);
            (self.counts[absent], self.rewards[absent]) = (0.0, 0.0);
        }
        self.summary = Some(Box::new(summary));
    }

    /// Takes in features that were zero in all observations so far.
    pub(crate) fn grow(&mut self, dimension: usize) {
        let from = self.dimension;
        let padded = self.counts.len();
        let mut tiles = vec![0.0; padded * dimension];
        for (new, old) in tiles.chunks_exact_mut(TILE * dimension).zip(self.tiles.chunks_exact(TILE * from)) {
            // Within a tile one feature comes after the other, so that the new ones are its end.
            new[..TILE * from].copy_from_slice(old);
        }
        self.tiles = tiles;
        self.dimension = dimension;
        self.reward_sum.resize(dimension, 0.0);
        self.index.clear();
        let mut x = vec![0.0; dimension];
        for row in 0..self.rows {
            self.features(row, &mut x);
            let hash = hash::numbers(&x);
            self.index.insert_unique(hash, (hash, row as u32), |&(hash, _)| hash);
        }
        self.identity = Identity::new();
    }

    /// [`History::grow`] for what is kept of rows that are gone: see [`Summary::grow`].
    pub(crate) fn grow_summary(&mut self, dimension: usize, curvature: f64) {
        if let Some(summary) = &mut self.summary {
            summary.grow(dimension, curvature);
        }
    }

    /// The features of a row, written to `x`.
    pub fn features(&self, row: usize, x: &mut [f64]) {
        for (j, xj) in x.iter_mut().enumerate() {
            *xj = self.tiles[tile_offset(row, j, self.dimension)];
        }
    }

    /// x'theta for the arm x of a row.
    pub(crate) fn log_odds(&self, row: usize, theta: &[f64]) -> f64 {
        theta.iter().enumerate().map(|(j, t)| self.tiles[tile_offset(row, j, self.dimension)] * t).sum()
    }

    /// How often a row was observed, and the sum of its rewards.
    pub fn outcomes(&self, row: usize) -> (f64, f64) {
        (self.counts[row], self.rewards[row])
    }

    /// The counts of all rows, and zeros for the absent rows of the last tile.
    pub(crate) fn padded_counts(&self) -> &[f64] {
        &self.counts
    }

    /// Sum over all observations of reward times features: the data side of the score equation.
    pub fn reward_sum(&self) -> &[f64] {
        &self.reward_sum
    }

    /// Whether all arms of another history were observed here too.
    pub(crate) fn has_arms_of(&self, other: &Self) -> bool {
        let mut x = vec![0.0; other.dimension];
        (0..other.rows).all(|row| {
            other.features(row, &mut x);
            self.find(&x).is_some()
        })
    }

    /// A number that no other history of this process has.
    pub(crate) fn identity(&self) -> u64 {
        self.identity.0
    }

    /// Sum over all observations of the norm of their features.
    pub fn total_norm(&self) -> f64 {
        self.total_norm
    }

    /// Tiles with their counts and reward sums. Absent rows of the last tile are zero.
    pub(crate) fn tiles(&self) -> impl Iterator<Item = Tile<'_>> {
        let tiles = self.tiles.chunks_exact(TILE * self.dimension);
        let counts = self.counts.chunks_exact(TILE).zip(self.rewards.chunks_exact(TILE));
        tiles.zip(counts).enumerate().map(|(i, (features, (counts, rewards)))| Tile {
            features,
            counts,
            rewards,
            used: (self.rows - i * TILE).min(TILE),
        })
    }
}

/// constant + slope'y + y'(matrix)y/2 with y = theta - origin: what the loss of the set has in place of rows that are gone. It is
/// below their loss at the true parameter, on the event of the set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Consolidated<'a> {
    /// Where it is written around.
    pub origin: &'a [f64],
    /// Its value there.
    pub constant: f64,
    /// Its gradient there.
    pub slope: &'a [f64],
    /// Lower triangle of its Hessian, row-major in a d by d array.
    pub matrix: &'a [f64],
}

/// Features beyond this are a mistake of scale: their squares, times counts, would drown everything else.
const LARGEST_FEATURE: f64 = 1e6;

/// Checks an observation: the right length, finite and sane features, a reward in [0, 1].
pub(crate) fn check_observation(x: &[f64], reward: f64, dimension: usize) -> Result<()> {
    check_vector("x", x, dimension)?;
    if let Some(i) = x.iter().position(|v| v.abs() > LARGEST_FEATURE) {
        let allowed = "between -1e6 and 1e6: rescale the features";
        return Err(Error::OutOfRange { field: format!("x[{i}]"), value: x[i], allowed });
    }
    check_number("reward", reward, (0.0..=1.0).contains(&reward), "between 0 and 1")
}

/// Up to [`TILE`] rows; feature `j` of row `i` stands at `j * TILE + i`.
pub(crate) struct Tile<'a> {
    pub(crate) features: &'a [f64],
    pub(crate) counts: &'a [f64],
    pub(crate) rewards: &'a [f64],
    pub(crate) used: usize,
}

fn tile_offset(row: usize, feature: usize, dimension: usize) -> usize {
    (row / TILE) * TILE * dimension + feature * TILE + row % TILE
}

/// The serialised form, checked on the way in.
#[derive(Deserialize)]
struct RawHistory {
    dimension: usize,
    #[serde(deserialize_with = "crate::numerics::stored_numbers::deserialize")]
    features: Vec<f64>,
    #[serde(deserialize_with = "crate::numerics::stored_numbers::deserialize")]
    counts: Vec<f64>,
    #[serde(deserialize_with = "crate::numerics::stored_numbers::deserialize")]
    rewards: Vec<f64>,
    /// Running sums, whose last digits depend on the order in which the observations came.
    #[serde(default)]
    sums: Option<Sums>,
    #[serde(default)]
    summary: Option<Box<Summary>>,
}

#[derive(Deserialize)]
struct Sums {
    observations: f64,
    total_norm: f64,
    reward_sum: Vec<f64>,
}

impl TryFrom<RawHistory> for History {
    type Error = Error;

    fn try_from(raw: RawHistory) -> Result<Self> {
        let mut history = Self::new(raw.dimension)?;
        let rows = raw.counts.len();
        for (field, got, expected) in
            [("features", raw.features.len(), rows * raw.dimension), ("rewards", raw.rewards.len(), rows)]
        {
            if got != expected {
                return Err(Error::Dimension { field: field.into(), expected, got });
            }
        }
        for (k, x) in raw.features.chunks_exact(raw.dimension).enumerate() {
            let (count, reward) = (raw.counts[k], raw.rewards[k]);
            check_observation(x, 0.0, raw.dimension).map_err(|e| e.at_row(k))?;
            check_number(&format!("counts[{k}]"), count, count > 0.0, "positive")?;
            check_number(&format!("rewards[{k}]"), reward, (0.0..=count).contains(&reward), "between 0 and its count")?;
            let row = history.row_of(x);
            history.add(row, x, 0.0, count);
            // The sum itself is restored, not count times mean, so that a round trip changes no bit.
            history.rewards[row] += reward;
            for (sum, xi) in history.reward_sum.iter_mut().zip(x) {
                *sum += reward * xi;
            }
        }
        check_number("observations", history.observations, true, "a number")?;
        if let Some(sums) = raw.sums {
            check_number("sums.observations", sums.observations, sums.observations >= 0.0, "zero or positive")?;
            check_number("sums.total_norm", sums.total_norm, sums.total_norm >= 0.0, "zero or positive")?;
            check_vector("sums.reward_sum", &sums.reward_sum, raw.dimension)?;
            (history.observations, history.total_norm) = (sums.observations, sums.total_norm);
            history.reward_sum = sums.reward_sum;
        }
        if let Some(summary) = raw.summary {
            check_vector("summary.origin", summary.origin(), raw.dimension)?;
            history.max_norm = history.max_norm.max(summary.longest());
            history.summary = Some(summary);
        }
        Ok(history)
    }
}

impl Serialize for History {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form<'a> {
            dimension: usize,
            features: Rows<'a>,
            #[serde(serialize_with = "crate::numerics::stored_numbers::serialize")]
            counts: &'a [f64],
            #[serde(serialize_with = "crate::numerics::stored_numbers::serialize")]
            rewards: &'a [f64],
            sums: SumsForm<'a>,
            summary: Option<&'a Summary>,
        }
        #[derive(Serialize)]
        struct SumsForm<'a> {
            observations: f64,
            total_norm: f64,
            reward_sum: &'a [f64],
        }
        let Self { observations, total_norm, reward_sum, .. } = self;
        Form {
            dimension: self.dimension,
            features: Rows(self),
            counts: &self.counts[..self.rows],
            rewards: &self.rewards[..self.rows],
            sums: SumsForm { observations: *observations, total_norm: *total_norm, reward_sum },
            summary: self.summary(),
        }
        .serialize(serializer)
    }
}

/// The features row by row.
struct Rows<'a>(&'a History);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let History { dimension: d, rows, tiles, .. } = self.0;
        let mut features = Vec::with_capacity(rows * d);
        for row in 0..*rows {
            features.extend((0..*d).map(|j| tiles[tile_offset(row, j, *d)]));
        }
        stored_numbers::serialize(&features, serializer)
    }
}
