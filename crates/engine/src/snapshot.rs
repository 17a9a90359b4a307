//! A stored engine: a header (magic, version, length and checksum of the rest) and MessagePack.
//!
//! A snapshot is a shortcut: what the records say counts. It holds all that an engine is, and what is restored goes on to the
//! last bit. Every number of it is checked, so that a damaged or forged one is refused and nothing panics.

use optimist::policy;
use serde::{Deserialize, Serialize};

use crate::actions::Actions;
use crate::encoder::Encoder;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::events::Events;
use crate::layout::Layout;
use crate::model::Model;
use crate::settings::Settings;
use crate::stored;
use crate::tally::Tally;
use crate::warm_up::WarmUp;

const MAGIC: &[u8; 8] = b"OPTENGIN";
const HEADER: usize = MAGIC.len() + 4 + 8 + 8;

/// Raised whenever a state that was stored before could be misread.
const VERSION: u32 = 1;

/// An engine in the form in which it is stored; generic over who owns the large parts, so that writing copies nothing.
#[derive(Serialize, Deserialize)]
struct Stored<A, E, T, W> {
    /// As JSON, whose form is that of the files of users.
    settings: String,
    actions: A,
    model: Option<StoredModel>,
    declared: Option<Encoder>,
    warm_up: W,
    events: E,
    clock: Option<f64>,
    tally: T,
    records: u64,
    version: u64,
    trouble: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct StoredModel {
    context: Encoder,
    layout: Layout,
    blocks: Option<u32>,
    #[serde(with = "stored::bytes")]
    policy: Vec<u8>,
}

type Owned = Stored<Actions, Events, Tally, Option<WarmUp>>;

impl Engine {
    /// The whole state. A journal that is kept is not part of it.
    ///
    /// # Errors
    /// If the policy cannot be written, as [`Policy::save`](optimist::policy::Policy::save) says.
    pub fn snapshot(&self) -> Result<Vec<u8>> {
        let model = match &self.model {
            None => None,
            Some(model) => Some(StoredModel {
                context: model.context.clone(),
                layout: model.layout.clone(),
                blocks: model.blocks,
                policy: model.policy.save_bytes()?,
            }),
        };
        let unwritable = |e: &dyn std::fmt::Display| Error::snapshot(format!("cannot be written: {e}"));
        let state = Stored {
            settings: serde_json::to_string(&self.settings).map_err(|e| unwritable(&e))?,
            actions: &self.actions,
            model,
            declared: self.declared.clone(),
            warm_up: &self.warm_up,
            events: &self.events,
            clock: self.clock(),
            tally: &self.tally,
            records: self.records,
            version: self.version,
            trouble: self.trouble.clone(),
        };
        let body = rmp_serde::to_vec(&state).map_err(|e| unwritable(&e))?;
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&optimist::hash::bytes(&body).to_le_bytes());
        bytes.extend_from_slice(&body);
        Ok(bytes)
    }

    /// A number that differs if anything of the state does, but for one chance in 2^64: machines that follow the same records
    /// compare it.
    ///
    /// # Errors
    /// As [`Engine::snapshot`].
    pub fn digest(&self) -> Result<u64> {
        Ok(optimist::hash::bytes(&self.snapshot()?))
    }

    /// The engine that [`Engine::snapshot`] stored: it goes on exactly as the stored one would have.
    ///
    /// # Errors
    /// If the bytes are damaged, of another kind, or of another version.
    pub fn restore(bytes: &[u8]) -> Result<Self> {
        let body = body(bytes)?;
        let stored: Owned = rmp_serde::from_slice(body).map_err(|e| Error::snapshot(format!("not understood: {e}")))?;
        let damaged = |what: &str| Error::snapshot(format!("damaged: its {what} contradict themselves"));
        let settings: Settings = serde_json::from_str(&stored.settings).map_err(|_| damaged("settings"))?;
        settings.validate()?;
        let mut actions = stored.actions;
        if !actions.is_sound() {
            return Err(damaged("actions"));
        }
        actions.refresh();
        let model = stored.model.map(|model| restored(model, &settings, &actions)).transpose()?;
        let warm_up = stored.warm_up;
        let clock = stored.clock.unwrap_or(f64::NEG_INFINITY);
        if !warm_up.as_ref().is_none_or(|w| w.is_sound(actions.len())) || clock.is_nan() || clock == f64::INFINITY {
            return Err(damaged("contexts"));
        }
        if !stored.tally.is_sound(actions.len(), settings.slices.len()) {
            return Err(damaged("counts"));
        }
        if !stored::is_count(stored.records) || !stored::is_count(stored.version) {
            return Err(damaged("counts"));
        }
        let contexts = warm_up.as_ref().map(|w| w.seen.len());
        let layout = model.as_ref().map(|model| &model.layout);
        let events = stored.events.restored(actions.len(), contexts, layout).ok_or_else(|| damaged("events"))?;
        if stored.declared.as_ref().is_some_and(|declared| !declared.is_sound()) {
            return Err(damaged("columns"));
        }
        let (declared, tally, trouble) = (stored.declared, stored.tally, stored.trouble);
        let (records, version) = (stored.records, stored.version);
        let (journal, learnt) = (None, None);
        Ok(Self {
            settings,
            actions,
            model,
            declared,
            warm_up,
            events,
            clock,
            tally,
            records,
            version,
            trouble,
            journal,
            learnt,
        })
    }
}

/// The body, once the header and the checksum agree.
fn body(bytes: &[u8]) -> Result<&[u8]> {
    let header = bytes.get(..HEADER).filter(|header| header.starts_with(MAGIC));
    let header = header.ok_or_else(|| Error::snapshot("not one of an engine, or cut off"))?;
    let number = |range: std::ops::Range<usize>| {
        header[range].iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
    };
    let (version, length, checksum) = (number(8..12), number(12..20), number(20..28));
    if version != u64::from(VERSION) {
        let what = format!("of version {version}; this program reads version {VERSION}: use the program that wrote it");
        return Err(Error::snapshot(what));
    }
    let body = &bytes[HEADER..];
    if body.len() as u64 != length {
        return Err(Error::snapshot(format!("cut off or too long: {} bytes of {length} are there", body.len())));
    }
    if optimist::hash::bytes(body) != checksum {
        return Err(Error::snapshot("damaged: its checksum does not agree"));
    }
    Ok(body)
}

fn restored(stored: StoredModel, settings: &Settings, actions: &Actions) -> Result<Model> {
    let StoredModel { context, layout, blocks, policy } = stored;
    let policy = policy::restore_bytes(&policy)?;
    let dimension = match blocks {
        Some(blocks) => layout.shared() + blocks as usize * layout.own(),
        None => layout.dimension(),
    };
    let fits = policy.info().name == settings.policy && policy.problem().dimension == dimension;
    let blocks_fit = blocks.is_none_or(|blocks| blocks as usize == actions.len());
    if !(context.is_sound() && layout.is_sound(&context, &actions.encoder) && fits && blocks_fit) {
        return Err(Error::snapshot("damaged: its model contradicts itself"));
    }
    Ok(Model::restored(context, layout, policy, blocks))
}
