//! Stored policies: JSON with a format name, a version, and a checksum of the state.

use serde::Serialize;
use serde_json::Value;

use crate::error::{Error, Result};

const FORMAT: &str = "optimist-policy";

/// Raised whenever a state that was stored before could be misread.
const VERSION: u64 = 1;

/// What a document holds.
pub(super) struct Document {
    pub(super) policy: String,
    pub(super) state: Value,
}

/// Writes a document.
pub(super) fn write(policy: &str, state: &impl Serialize) -> Result<String> {
    let failed = |e: serde_json::Error| Error::Document { what: format!("cannot be written: {e}") };
    let state = serde_json::to_value(state).map_err(failed)?;
    let document = serde_json::json!({
        "format": FORMAT,
        "version": VERSION,
        "policy": policy,
        "checksum": checksum(policy, &state),
        "state": state,
    });
    serde_json::to_string(&document).map_err(failed)
}

/// Reads a document and checks that it is whole.
pub(super) fn read(text: &str) -> Result<Document> {
    let failed = |what: String| Error::Document { what };
    let mut document: Value = serde_json::from_str(text)
        .map_err(|e| failed(format!("is not complete JSON ({e}): it was cut or damaged, take an earlier copy")))?;
    if document["format"] != FORMAT {
        return Err(failed(format!("is not a stored policy: \"format\" must be \"{FORMAT}\"")));
    }
    match document["version"].as_u64() {
        Some(VERSION) => {}
        Some(version) if version > VERSION => {
            let what = format!("has version {version}, this program reads up to {VERSION}: use a newer one");
            return Err(failed(what));
        }
        _ => return Err(failed(format!("has no version that this program knows; it reads version {VERSION}"))),
    }
    let Some(policy) = document["policy"].as_str().map(str::to_owned) else {
        return Err(failed("does not name its policy: it is damaged, take an earlier copy".into()));
    };
    let state = document["state"].take();
    if document["checksum"].as_str() != Some(checksum(&policy, &state).as_str()) {
        return Err(failed("does not match its checksum: it is damaged, take an earlier copy".into()));
    }
    Ok(Document { policy, state })
}

/// FNV-1a of the policy's name and the state in compact form, whose keys are sorted: a document may be reformatted.
fn checksum(policy: &str, state: &Value) -> String {
    let text = format!("{policy}\n{state}");
    let hash =
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |h: u64, byte| (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}
