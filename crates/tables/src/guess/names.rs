//! What the name of a column says about it.

const IDENTIFIERS: &[&str] = &["id", "ids", "uuid", "guid", "uid", "key", "index", "idx", "rowid", "eventid", "userid"];
const CODES: &[&str] = &[
    "zip",
    "zipcode",
    "postcode",
    "postal",
    "plz",
    "code",
    "sku",
    "isbn",
    "label",
    "class",
    "category",
    "cat",
    "type",
    "kind",
    "group",
    "cluster",
    "segment",
    "arm",
    "action",
    "variant",
    "campaign",
    "region",
    "store",
    "department",
];

/// Whether the name ends like that of an identifier: `user_id`, `userId`, `EventId`.
pub(super) fn is_identifier(name: &str) -> bool {
    words(name).last().is_some_and(|last| IDENTIFIERS.contains(&&**last))
}

/// Whether a word of the name is that of a code: `zip`, `area code`, `storeType`.
pub(super) fn is_code(name: &str) -> bool {
    words(name).iter().any(|word| CODES.contains(&&**word))
}

/// The words of a name in small letters, separated by signs or by capitals within.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_small) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}
