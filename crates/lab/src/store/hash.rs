//! Checksums and fingerprints as they are written.

/// The hash of the core, in hexadecimal.
pub(crate) fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", optimist::hash::bytes(bytes))
}
