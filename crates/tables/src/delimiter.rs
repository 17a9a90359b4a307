//! Which character separates the fields of CSV.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Rows that are looked at.
const ROWS: usize = 50;

/// The candidate with which most of the first rows have as many fields as the header; of several, the one with most
/// fields; of these the first of `,` `;` tab `|`. If the header has one field with each of them, it is a single column, and
/// the answer is `,`.
pub(crate) fn sniff(head: &[u8], is_all: bool) -> u8 {
    let mut best = (0.0, 1, b',');
    for candidate in CANDIDATES {
        let counts = count_fields(head, is_all, candidate);
        let Some(&header) = counts.first() else { continue };
        let agreeing = counts.iter().filter(|&&count| count == header).count() as f64 / counts.len() as f64;
        if header > 1 && (agreeing, header) > (best.0, best.1) {
            best = (agreeing, header, candidate);
        }
    }
    best.2
}

/// Fields of each of the first rows that are whole.
fn count_fields(head: &[u8], is_all: bool, delimiter: u8) -> Vec<usize> {
    let mut reader: Reader = ReaderBuilder::new().delimiter(delimiter).build();
    let mut rest = head;
    let mut output = [0; 4096];
    let mut ends = [0; 512];
    let mut counts = Vec::new();
    let mut count = 0;
    while counts.len() < ROWS {
        let (result, read, _, ended) = reader.read_record(rest, &mut output, &mut ends);
        rest = &rest[read..];
        count += ended;
        match result {
            // The last row may go on behind the head. Given nothing more, the parser would take it to be whole.
            ReadRecordResult::InputEmpty if !is_all => break,
            ReadRecordResult::End => break,
            ReadRecordResult::Record => counts.push(std::mem::take(&mut count)),
            _ => {}
        }
    }
    // A header longer than the head is better than nothing.
    if counts.is_empty() && count > 0 {
        counts.push(count + 1);
    }
    counts
}
