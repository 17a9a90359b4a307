//! Names that a policy, its crate and its module can have.

use optimist::policy;
use optimist_lab::input::shorten;

/// Words that Cargo or the compiler keep for themselves, and names that the crate itself uses.
const TAKEN: &[&str] = &[
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "build",
    "const",
    "continue",
    "core",
    "crate",
    "deps",
    "do",
    "dyn",
    "else",
    "enum",
    "examples",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "incremental",
    "let",
    "lib",
    "loop",
    "macro",
    "main",
    "match",
    "mod",
    "move",
    "mut",
    "optimist-lab",
    "override",
    "priv",
    "proc-macro",
    "pub",
    "ref",
    "return",
    "self",
    "serde",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
];

/// Cargo makes file names of it, and file systems have limits.
const LONGEST: usize = 64;

/// Whether a policy can have this name; otherwise why not, and the remedy.
pub(super) fn check(name: &str) -> Result<(), String> {
    let refuse = |what: &str| Err(format!("NAME is \"{}\": {what}", shorten(name)));
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if !name.split('-').all(is_word) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return refuse(
            "give lower-case letters and digits, in words joined by single hyphens, a letter first, such as my-policy",
        );
    }
    if name.len() > LONGEST {
        return refuse("give at most 64 letters");
    }
    if policy::info(name).is_ok() {
        return refuse("a policy of this name is registered already (`optimist policies` lists all), choose another");
    }
    if TAKEN.contains(&name) {
        return refuse("the compiler or the crate needs this word itself, choose another such as my-policy");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_that_nobody_has() {
        for name in ["my-policy", "a", "ucb-2", "x2-y", "random", &"a".repeat(64)] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for (name, what) in [
            ("", "give lower-case"),
            ("My", "give lower-case"),
            ("my_policy", "give lower-case"),
            ("-a", "give lower-case"),
            ("a-", "give lower-case"),
            ("a--b", "give lower-case"),
            ("2nd", "a letter first"),
            ("../a", "give lower-case"),
            ("é", "give lower-case"),
            ("a b", "give lower-case"),
            (&"a".repeat(65), "at most 64"),
            ("loop", "needs this word"),
            ("serde", "needs this word"),
            ("optimist-lab", "needs this word"),
        ] {
            let message = check(name).unwrap_err();
            assert!(message.contains(what) && message.starts_with("NAME is \""), "{message}");
        }
        for info in policy::registry() {
            assert!(check(info.name).unwrap_err().contains("registered already"), "{}", info.name);
        }
    }
}
