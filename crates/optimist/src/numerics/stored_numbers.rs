//! How long vectors of numbers are stored: readable formats have a list, the others one block of bytes.
//!
//! A format without a block would spend some nanoseconds on every number, through several layers of dispatch: a state of a
//! hundred features has a hundred thousand of them. For use as `#[serde(with = "stored_numbers")]`.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// Writes the numbers.
pub(crate) fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        return values.serialize(serializer);
    }
    let mut bytes = vec![0; 8 * values.len()];
    for (place, value) in bytes.chunks_exact_mut(8).zip(values) {
        place.copy_from_slice(&value.to_le_bytes());
    }
    serializer.serialize_bytes(&bytes)
}

/// Reads the numbers.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    if deserializer.is_human_readable() {
        Vec::deserialize(deserializer)
    } else {
        deserializer.deserialize_bytes(Block)
    }
}

struct Block;

impl Visitor<'_> for Block {
    type Value = Vec<f64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("numbers of eight bytes each")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<f64>, E> {
        match bytes.as_chunks::<8>() {
            (numbers, []) => Ok(numbers.iter().map(|number| f64::from_le_bytes(*number)).collect()),
            _ => Err(E::invalid_length(bytes.len(), &self)),
        }
    }
}
