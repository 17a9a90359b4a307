//! Stored policies: a format name, a version, a checksum, the state, and the generator if it is stored along.
//!
//! As text a document is JSON, whose checksum is that of everything but white space, so that it may be reformatted. In
//! binary form it is a header of 28 bytes (magic, version, length and checksum of the rest) and MessagePack.

use erased_serde::Serialize as State;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Policy, PolicyInfo, registry};
use crate::error::{Error, Result};
use crate::hash;
use crate::random::{Generator, Position};

const FORMAT: &str = "optimist-policy";
const MAGIC: &[u8; 8] = b"OPTIMIST";
const HEADER: usize = MAGIC.len() + 4 + 8 + 8;

/// Raised whenever a state that was stored before could be misread.
const VERSION: u32 = 3;

/// A policy that was read, and its generator if that was stored along.
pub(super) type Restored = (Box<dyn Policy>, Option<Generator>);

/// The policy that [`Policy::save`] stored: it goes on exactly as the stored one would have.
///
/// # Errors
/// If the document is damaged, of another kind, or of another version.
pub fn restore(text: &str) -> Result<Box<dyn Policy>> {
    read(text).map(|(policy, _)| policy)
}

/// The policy that [`Policy::save_bytes`] stored: it goes on exactly as the stored one would have.
///
/// # Errors
/// As [`restore`].
pub fn restore_bytes(bytes: &[u8]) -> Result<Box<dyn Policy>> {
    read_bytes(bytes).map(|(policy, _)| policy)
}

fn failed(what: impl Into<String>) -> Error {
    Error::Document { what: what.into() }
}

fn unwritable(error: impl std::fmt::Display) -> Error {
    failed(format!("cannot be written: {error}"))
}

/// The name to write: that by which the policy will be restored.
fn own_name(info: &PolicyInfo) -> Result<&'static str> {
    match registry::get(info.name) {
        // A policy can be made of any rule, registered or not.
        Some(known) if known.maker != info.maker => Err(failed(format!(
            "cannot be written: the policy \"{}\" has the registered name of another one, as which it would be restored: \
             choose another name",
            info.name
        ))),
        _ => Ok(info.name),
    }
}

/// Writes a document.
pub(super) fn write(info: &PolicyInfo, state: &dyn State, rng: Option<&Generator>) -> Result<String> {
    let policy = own_name(info)?;
    let state = serde_json::to_string(state).map_err(unwritable)?;
    let rng = serde_json::to_string(&rng.map(Position::of)).map_err(unwritable)?;
    let checksum = checksum(policy, &state, &rng);
    // A name that was never registered may hold anything.
    let policy = Value::from(policy);
    Ok(format!(
        "{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\"policy\":{policy},\"checksum\":\"{checksum}\",\"rng\":{rng},\
         \"state\":{state}}}"
    ))
}

/// What a document holds, before anything of it is believed.
#[derive(Deserialize)]
#[serde(default)]
struct Envelope<'a> {
    format: Value,
    version: Value,
    policy: Value,
    checksum: Value,
    #[serde(borrow)]
    rng: Option<&'a RawValue>,
    #[serde(borrow)]
    state: Option<&'a RawValue>,
}

impl Default for Envelope<'_> {
    fn default() -> Self {
        let [format, version, policy, checksum] = [const { Value::Null }; 4];
        Self { format, version, policy, checksum, rng: None, state: None }
    }
}

/// Reads a document and checks that it is whole.
pub(super) fn read(text: &str) -> Result<Restored> {
    if text.as_bytes().starts_with(MAGIC) {
        return Err(failed("is a stored policy in binary form, not JSON: restore it with restore_bytes"));
    }
    let document: Envelope<'_> = serde_json::from_str(text)
        .map_err(|e| failed(format!("is not complete JSON ({e}): it was cut or damaged, take an earlier copy")))?;
    if document.format != FORMAT {
        return Err(failed(format!("is not a stored policy: \"format\" must be \"{FORMAT}\"")));
    }
    check_version(document.version.as_u64())?;
    let Some(policy) = document.policy.as_str() else {
        return Err(failed("does not name its policy: it is damaged, take an earlier copy"));
    };
    let state = document.state.map_or("null", RawValue::get);
    let rng = document.rng.map_or("null", RawValue::get);
    if document.checksum.as_str() != Some(checksum(policy, state, rng).as_str()) {
        return Err(failed("does not match its checksum: it is damaged, take an earlier copy"));
    }
    let info = registry::info(policy)?;
    let rng: Option<Position> =
        serde_json::from_str(rng).map_err(|e| failed(format!("has no sound generator: {e}")))?;
    let mut reader = serde_json::Deserializer::from_str(state);
    let policy = info.restore(&mut <dyn erased_serde::Deserializer<'_>>::erase(&mut reader))?;
    Ok((policy, rng.map(Position::generator)))
}

fn check_version(version: Option<u64>) -> Result<()> {
    match version {
        Some(version) if version == u64::from(VERSION) => Ok(()),
        Some(version) if version > u64::from(VERSION) => {
            Err(failed(format!("has version {version}, this program reads version {VERSION}: use a newer one")))
        }
        Some(version) if (1..u64::from(VERSION)).contains(&version) => Err(failed(format!(
            "has version {version}, of an earlier Optimist, this program reads version {VERSION}: build the policy anew and let it \
             observe its data again, or go on with the earlier one"
        ))),
        _ => Err(failed(format!("has no version that this program knows; it reads version {VERSION}"))),
    }
}

/// The hash of all that decides what is restored, without white space, so that a document may be reformatted.
fn checksum(policy: &str, state: &str, rng: &str) -> String {
    let mut text = Vec::with_capacity(policy.len() + state.len() + rng.len() + 2);
    for part in [policy, state, rng] {
        push_dense(&mut text, part);
        text.push(b'\n');
    }
    format!("{:016x}", hash::bytes(&text))
}

/// Appends JSON without the white space between its tokens. Strings are kept as they are.
fn push_dense(out: &mut Vec<u8>, json: &str) {
    if !json.bytes().any(|byte| byte.is_ascii_whitespace()) {
        return out.extend_from_slice(json.as_bytes());
    }
    let (mut is_string, mut is_escaped) = (false, false);
    for byte in json.bytes() {
        if is_string || !byte.is_ascii_whitespace() {
            out.push(byte);
        }
        is_string ^= byte == b'"' && !is_escaped;
        is_escaped = is_string && byte == b'\\' && !is_escaped;
    }
}

/// The body of a binary document.
struct Body<'a> {
    policy: &'a str,
    rng: Option<Position>,
    state: &'a dyn State,
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        (self.policy, &self.rng, self.state).serialize(serializer)
    }
}

/// Writes a document in binary form.
pub(super) fn write_bytes(info: &PolicyInfo, state: &dyn State, rng: Option<&Generator>) -> Result<Vec<u8>> {
    let mut bytes = vec![0; HEADER];
    let body = Body { policy: own_name(info)?, rng: rng.map(Position::of), state };
    body.serialize(&mut rmp_serde::Serializer::new(&mut bytes)).map_err(unwritable)?;
    let (length, checksum) = ((bytes.len() - HEADER) as u64, hash::bytes(&bytes[HEADER..]));
    let header = [&MAGIC[..], &VERSION.to_le_bytes(), &length.to_le_bytes(), &checksum.to_le_bytes()].concat();
    bytes[..HEADER].copy_from_slice(&header);
    Ok(bytes)
}

/// Reads a document in binary form and checks that it is whole.
pub(super) fn read_bytes(bytes: &[u8]) -> Result<Restored> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        let what = if bytes.trim_ascii_start().starts_with(b"{") {
            "is JSON text, not a stored policy in binary form: restore it with restore"
        } else {
            "is not a stored policy in binary form: it does not begin as one"
        };
        return Err(failed(what));
    };
    let cut = || failed("is cut short: take an earlier copy");
    let (version, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
    check_version(Some(u32::from_le_bytes(*version).into()))?;
    let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(cut)?;
    let (checksum, body) = rest.split_first_chunk::<8>().ok_or_else(cut)?;
    if u64::from_le_bytes(*length) != body.len() as u64 {
        return Err(cut());
    }
    if u64::from_le_bytes(*checksum) != hash::bytes(body) {
        return Err(failed("does not match its checksum: it is damaged, take an earlier copy"));
    }
    let mut reader = rmp_serde::Deserializer::from_read_ref(body);
    let restored = reader.deserialize_tuple(3, BodyVisitor).map_err(|e| failed(format!("cannot be read: {e}")))?;
    restored.map(|(policy, rng)| (policy, rng.map(Position::generator)))
}

/// Reads the body of a binary document: what is wrong with the state is told apart from what is wrong with the form.
struct BodyVisitor;

impl<'de> Visitor<'de> for BodyVisitor {
    type Value = Result<(Box<dyn Policy>, Option<Position>)>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a policy's name, its generator and its state")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut body: A) -> std::result::Result<Self::Value, A::Error> {
        let missing = || A::Error::custom("a part is missing");
        let policy: String = body.next_element()?.ok_or_else(missing)?;
        let rng: Option<Position> = body.next_element()?.ok_or_else(missing)?;
        let info = match registry::info(&policy) {
            Ok(info) => info,
            Err(unknown) => {
                // What is left unread would be an error of the form, and hide this one.
                body.next_element::<IgnoredAny>()?;
                return Ok(Err(unknown));
            }
        };
        let policy = body.next_element_seed(StateSeed(info))?.ok_or_else(missing)?;
        Ok(policy.map(|policy| (policy, rng)))
    }
}

struct StateSeed(&'static PolicyInfo);

impl<'de> DeserializeSeed<'de> for StateSeed {
    type Value = Result<Box<dyn Policy>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Self::Value, D::Error> {
        Ok(self.0.restore(&mut <dyn erased_serde::Deserializer<'_>>::erase(deserializer)))
    }
}
