//! How bytes and long vectors are stored: as one block, not number by number.

/// Whether somebody can have counted to this: one more does not overflow.
pub(crate) fn is_count(count: u64) -> bool {
    count <= 1 << 53
}

pub(crate) mod bytes {
    //! A block of bytes.

    use std::fmt;

    use serde::de::{Deserializer, Error, Visitor};
    use serde::ser::Serializer;

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_bytes(Block)
    }

    struct Block;

    impl Visitor<'_> for Block {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a block of bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }
}

pub(crate) mod numbers {
    //! Numbers of eight bytes each.

    use serde::de::{Deserializer, Error};
    use serde::ser::Serializer;

    pub(crate) fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        serializer.serialize_bytes(&bytes)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        let bytes = super::bytes::deserialize(deserializer)?;
        match bytes.as_chunks::<8>() {
            (numbers, []) => Ok(numbers.iter().map(|number| f64::from_le_bytes(*number)).collect()),
            _ => Err(D::Error::invalid_length(bytes.len(), &"numbers of eight bytes each")),
        }
    }
}
