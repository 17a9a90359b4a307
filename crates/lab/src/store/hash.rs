//! The one hash of this crate: for checksums and fingerprints, not against people who mean harm.

/// FNV-1a, in hexadecimal.
pub(crate) fn checksum(bytes: &[u8]) -> String {
    let step = |h: u64, byte: &u8| (h ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}
