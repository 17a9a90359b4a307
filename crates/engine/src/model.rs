//! The model: the encoder of contexts, the layout of rows, and the policy that chooses and learns.

use optimist::policy::{self, ArmKind, Certified, Policy};
use optimist::rand::Rng;
use optimist::{ArmSet, FiniteArms, HybridArms, Problem, Row, link};
use serde_json::{Value as Json, json};

use crate::actions::Actions;
use crate::decision::Interval;
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::events::WrittenRow;
use crate::layout::Layout;
use crate::settings::Settings;
use crate::value::Features;

/// A model with frozen rules.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) context: Encoder,
    pub(crate) layout: Layout,
    pub(crate) policy: Box<dyn Policy>,
    /// How many actions have a block of their own in rows that are written out, for a policy that knows no such parameters.
    pub(crate) blocks: Option<u32>,
    scratch: Scratch,
}

#[derive(Debug, Clone, Default)]
struct Scratch {
    context: Vec<f64>,
    rows: Vec<f64>,
    owners: Vec<u64>,
    /// Whether each row is not what it should be.
    bent: Vec<bool>,
    long: Vec<f64>,
}

/// What a policy picked.
#[derive(Debug)]
pub(crate) struct Pick {
    /// The place in the list of actions that were offered.
    pub(crate) place: usize,
    /// The probability of each, where the policy is random.
    pub(crate) probabilities: Option<Vec<f64>>,
    pub(crate) play: Option<u64>,
}

impl Model {
    /// Rules from what was seen, and a policy that has learnt nothing.
    pub(crate) fn new(settings: &Settings, context: Encoder, actions: &Actions, seen: &[Features]) -> Result<Self> {
        let mut layout = Layout::new(settings, &context, &actions.encoder)?;
        let largest = largest_norm(&layout, &context, actions, seen);
        layout.scale(largest);
        let (policy, blocks) = build(settings, &layout, actions)?;
        Ok(Self { context, layout, policy, blocks, scratch: Scratch::default() })
    }

    pub(crate) fn restored(context: Encoder, layout: Layout, policy: Box<dyn Policy>, blocks: Option<u32>) -> Self {
        Self { context, layout, policy, blocks, scratch: Scratch::default() }
    }

    /// Makes room for what a context or an action needs. A policy that cannot grow leaves things as they are: what has no
    /// place is written as zeros.
    pub(crate) fn grow(&mut self, context: Encoder, actions: &Encoder) -> bool {
        let mut layout = self.layout.clone();
        layout.complete(&context, actions);
        let fits = self.blocks.is_none() && self.policy.grow(layout.dimension(), layout.own()).is_ok();
        if fits {
            (self.context, self.layout) = (context, layout);
        }
        fits
    }

    /// Writes the rows of some actions in a context.
    pub(crate) fn write_rows(&mut self, context: &Features, actions: &Actions, ids: &[u32]) {
        let Scratch { context: encoded, rows, owners, bent, .. } = &mut self.scratch;
        self.context.encode(context, encoded);
        let d = self.layout.dimension();
        let count = if self.layout.varies() { ids.len() } else { 1 };
        rows.resize(count * d, 0.0);
        owners.clear();
        owners.extend(ids.iter().map(|id| u64::from(*id)));
        let (first, others) = rows.split_at_mut(d);
        self.layout.fill(encoded, actions.encoded(ids[0]), None, first);
        for (row, id) in others.chunks_exact_mut(d).zip(&ids[1..]) {
            self.layout.fill(encoded, actions.encoded(*id), Some(first), row);
        }
        let (is_cut, varies) = (self.context.is_cut(encoded), self.layout.varies());
        bent.clear();
        let each = rows.chunks_exact_mut(d).zip(ids);
        bent.extend(each.map(|(row, id)| Layout::shorten(row) || is_cut || varies && actions.is_cut(*id)));
    }

    /// The row of one action in a context.
    pub(crate) fn row_of(&self, context: &Features, actions: &Actions, id: u32) -> WrittenRow {
        let (mut encoded, mut row) = (Vec::new(), vec![0.0; self.layout.dimension()]);
        self.context.encode(context, &mut encoded);
        self.layout.fill(&encoded, actions.encoded(id), None, &mut row);
        let is_cut = self.context.is_cut(&encoded) || self.layout.varies() && actions.is_cut(id);
        let bent = Layout::shorten(&mut row) || is_cut;
        WrittenRow::new(&self.layout, &row, bent)
    }

    /// The row of the action at a place of the list for which rows were written last.
    pub(crate) fn row(&self, place: usize) -> WrittenRow {
        let d = self.layout.dimension();
        let place = if self.layout.varies() { place } else { 0 };
        WrittenRow::new(&self.layout, &self.scratch.rows[place * d..][..d], self.scratch.bent[place])
    }

    /// Chooses among the actions whose rows were written last.
    pub(crate) fn choose(&mut self, draws: usize, rng: &mut dyn Rng) -> optimist::Result<Pick> {
        let (d, own) = (self.layout.dimension(), self.layout.own());
        let Scratch { rows, owners, long, .. } = &mut self.scratch;
        let arms = match self.blocks {
            Some(blocks) => {
                let shared = d - own;
                let width = shared + blocks as usize * own;
                long.clear();
                long.resize(owners.len() * width, 0.0);
                for (k, out) in long.chunks_exact_mut(width).enumerate() {
                    let row = &rows[if rows.len() == d { 0 } else { k * d }..][..d];
                    write_out(row, shared, owners[k], out);
                }
                ArmSet::from(FiniteArms::new(width, &long[..])?)
            }
            None if own == 0 => ArmSet::from(FiniteArms::new(d, &rows[..])?),
            None if rows.len() == d => ArmSet::from(HybridArms::same(&owners[..], &rows[..])?),
            None => ArmSet::from(HybridArms::new(&owners[..], d, &rows[..])?),
        };
        let choice = self.policy.choose(&arms, rng)?;
        let (place, play) = (choice.index.unwrap_or(0), choice.play);
        drop(choice);
        let probabilities = match self.policy.info().randomised {
            true => Some(self.policy.probabilities(&arms, draws, rng)?.values),
            false => None,
        };
        Ok(Pick { place, probabilities, play })
    }

    /// Asks about a row in the form that the policy knows.
    fn with_row<T>(&mut self, owner: u32, row: &[f64], ask: impl FnOnce(&mut dyn Policy, &Row<'_>) -> T) -> T {
        let own = self.layout.own();
        if let Some(blocks) = self.blocks {
            let shared = row.len() - own;
            let long = &mut self.scratch.long;
            long.clear();
            long.resize(shared + blocks as usize * own, 0.0);
            write_out(row, shared, u64::from(owner), long);
            let long = std::mem::take(long);
            let answer = ask(&mut *self.policy, &Row::Dense(&long));
            self.scratch.long = long;
            return answer;
        }
        let row = if own == 0 { Row::Dense(row) } else { Row::Own { owner: u64::from(owner), features: row } };
        ask(&mut *self.policy, &row)
    }

    /// Estimated mean rewards of the actions whose rows were written last, right after the choice.
    pub(crate) fn estimates(&mut self, ids: &[u32], out: &mut Vec<f64>) {
        let rows = std::mem::take(&mut self.scratch.rows);
        let d = self.layout.dimension();
        for (k, id) in ids.iter().enumerate() {
            let row = &rows[if rows.len() == d { 0 } else { k * d }..][..d];
            let log_odds = self.with_row(*id, row, |policy, row| policy.log_odds_of_row(row));
            out.push(log_odds.map_or(0.5, link::mean));
        }
        self.scratch.rows = rows;
    }

    /// Learns a reward of the warm-up, which certified sets must not know: their rules were found from its contexts. A policy that
    /// cannot learn without its set starts afresh.
    pub(crate) fn prime(&mut self, owner: u32, row: &[f64], reward: f64) -> optimist::Result<()> {
        self.with_row(owner, row, |policy, row| policy.prime(row, reward)).map(drop)
    }

    /// Learns a reward of a row that is not what it should be, which certified sets must not know. Says whether they do all the
    /// same, because the policy cannot learn without its set.
    pub(crate) fn learn_bent(
        &mut self,
        owner: u32,
        row: &[f64],
        reward: f64,
        play: Option<u64>,
    ) -> optimist::Result<bool> {
        if self.with_row(owner, row, |policy, row| policy.prime(row, reward))? {
            self.give_up(play);
            return Ok(false);
        }
        self.learn(owner, row, reward, play).map(|()| true)
    }

    /// Learns a reward. A row that was written before the model grew is as long as it was then.
    pub(crate) fn learn(&mut self, owner: u32, row: &[f64], reward: f64, play: Option<u64>) -> optimist::Result<()> {
        let learnt = play.map(|play| self.policy.settle(play, reward));
        match learnt {
            Some(Ok(())) => Ok(()),
            // It has expired, or the policy counts no open plays.
            _ => self.with_row(owner, row, |policy, row| policy.observe_row(row, reward)),
        }
    }

    /// The reward of a play will never come.
    pub(crate) fn give_up(&mut self, play: Option<u64>) {
        if let Some(play) = play {
            // Plays that have expired are closed already.
            let _ = self.policy.give_up(play);
        }
    }

    /// Bounds on the mean reward of an action in a row, or why there are none, in the words of the engine's settings.
    pub(crate) fn bounds(&self, owner: u32, row: &WrittenRow) -> Interval {
        if row.bent {
            return Interval::none(
                "a number of the context or of the action is beyond its cut, or the row is longer than those of the warm-up, so that \
                 it is not written as it is: declare the column with a larger deviation or cut",
            );
        }
        let is_hybrid = self.layout.own() > 0 && self.layout.shared() > 0;
        if is_hybrid && self.blocks.is_none() {
            let policy = self.policy.info().name;
            return Interval::none(format!(
                "the policy \"{policy}\" keeps no set for the model \"hybrid\": use \"disjoint\" or \"shared\", or the policy \
                 \"optimist\""
            ));
        }
        Interval::of(self.interval(owner, &row.fitted(&self.layout)))
    }

    /// An interval from a snapshot: nothing is changed by the question, not even the last bit of a later answer.
    fn interval(&self, owner: u32, row: &[f64]) -> optimist::Result<Certified> {
        let snapshot = self.policy.snapshot();
        self.in_form(owner, row, |row| snapshot.interval_of_row(row))
    }

    /// Log-odds from a snapshot.
    pub(crate) fn log_odds_now(&self, owner: u32, row: &[f64]) -> optimist::Result<f64> {
        let snapshot = self.policy.snapshot();
        self.in_form(owner, row, |row| snapshot.log_odds_of(row))
    }

    fn in_form<T>(&self, owner: u32, row: &[f64], ask: impl FnOnce(&Row<'_>) -> T) -> T {
        let own = self.layout.own();
        match self.blocks {
            Some(blocks) => {
                let shared = row.len() - own;
                let mut long = vec![0.0; shared + blocks as usize * own];
                write_out(row, shared, u64::from(owner), &mut long);
                ask(&Row::Dense(&long))
            }
            None if own == 0 => ask(&Row::Dense(row)),
            None => ask(&Row::Own { owner: u64::from(owner), features: row }),
        }
    }
}

/// The shared part, and the own part in the block of its owner.
fn write_out(row: &[f64], shared: usize, owner: u64, out: &mut [f64]) {
    let own = row.len() - shared;
    out[..shared].copy_from_slice(&row[..shared]);
    let start = shared + owner as usize * own;
    out[start..start + own].copy_from_slice(&row[shared..]);
}

/// The largest norm that rows have without their constants: of what was seen, or what is to be expected where nothing was.
fn largest_norm(layout: &Layout, context: &Encoder, actions: &Actions, seen: &[Features]) -> f64 {
    if seen.is_empty() {
        // Contexts that meet shared and own parameters are written twice.
        let times = (1 + usize::from(layout.shared() > 0 && layout.own() > 0)) as f64;
        let usual = times * context.usual_square_norm() + actions.encoder.usual_square_norm();
        let largest = times * context.largest_square_norm() + actions.encoder.largest_square_norm();
        // The norm of many standard normal numbers exceeds its root mean square by three hardly ever.
        return largest.sqrt().min(usual.sqrt() + 3.0);
    }
    let mut encoded = Vec::new();
    let mut row = vec![0.0; layout.dimension()];
    let mut largest: f64 = 0.0;
    // Every action in every context would be many; the longest few show in a sample that depends on nothing but the lists.
    let step = (seen.len() * actions.len() / 20_000).max(1);
    for (i, features) in seen.iter().enumerate() {
        context.encode(features, &mut encoded);
        let of_each = (0..actions.len() as u32).filter(|id| (i + *id as usize).is_multiple_of(step));
        let ids: Vec<u32> =
            if layout.varies() { of_each.collect() } else { (0..actions.len().min(1) as u32).collect() };
        for id in ids {
            layout.fill(&encoded, actions.encoded(id), None, &mut row);
            largest = largest.max(layout.rest_norm(&row));
        }
    }
    largest
}

/// A new policy of the settings' kind, and how many actions have blocks of their own in rows that are written out.
fn build(settings: &Settings, layout: &Layout, actions: &Actions) -> Result<(Box<dyn Policy>, Option<u32>)> {
    let info = policy::info(&settings.policy)?;
    let own = layout.own();
    let mut options = Json::Object(settings.options.clone());
    let knows_owners = info.arm_sets.contains(&ArmKind::Hybrid);
    if own > 0 && knows_owners {
        options["own"] = json!(own);
    }
    let blocks = (own > 0 && !knows_owners).then_some(actions.len() as u32);
    if !info.arm_sets.contains(&ArmKind::Finite) {
        let what = format!("is \"{}\", which does not choose from lists", info.name);
        return Err(Error::setting("policy", what));
    }
    let dimension = match blocks {
        Some(0) => {
            let what = format!("is \"{}\", which needs to know all actions from the start: declare them", info.name);
            return Err(Error::setting("policy", what));
        }
        Some(blocks) => layout.shared() + blocks as usize * own,
        None => layout.dimension(),
    };
    let problem = Problem { dimension, delta: settings.delta, norm_bound: settings.norm_bound };
    Ok((policy::build_with(info.name, &problem, options)?, blocks))
}
