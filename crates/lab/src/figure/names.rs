//! What figures call policies and environments, and how users choose among environments.

use crate::error::{Error, Result};
use crate::input::nearest;

/// Names and what to call them in figures instead.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labels(Vec<String>);

impl Labels {
    /// Entries such as `optimist=Ours`: a name, and what to call it.
    pub fn new(entries: Vec<String>) -> Self {
        Self(entries)
    }

    /// What to call something instead of its name. Both may contain `=`, so an entry is for the name that it begins with.
    pub(super) fn find<'a>(&'a self, name: &str) -> Option<&'a str> {
        self.0.iter().rev().find_map(|entry| entry.strip_prefix(name)?.strip_prefix('='))
    }

    /// Refuses entries for names that are not there.
    pub(super) fn check(&self, names: &[String]) -> Result<()> {
        let is_for =
            |entry: &String, name: &String| entry.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('='));
        let Some(wrong) = self.0.iter().find(|entry| !names.iter().any(|name| is_for(entry, name))) else {
            return Ok(());
        };
        let name = wrong.split_once('=').map_or(wrong.as_str(), |(name, _)| name);
        Err(Error::input(format!(
            "label is {wrong:?}: {name:?} is neither a policy nor an environment; {}",
            list(name, names)
        )))
    }
}

/// The numbers of the environments that are wanted, by number from 1, by name, or by words of the name.
pub(super) fn chosen(wanted: &[String], names: &[String]) -> Result<Vec<usize>> {
    let is_wanted = |wish: &str, i: usize| {
        let words: Vec<&str> = names[i].split_whitespace().collect();
        wish.parse() == Ok(i + 1) || names[i] == wish || wish.split_whitespace().all(|word| words.contains(&word))
    };
    if let Some(unknown) =
        wanted.iter().find(|wish| wish.trim().is_empty() || !(0..names.len()).any(|i| is_wanted(wish, i)))
    {
        return Err(Error::input(format!(
            "environments: {unknown:?} is none; give numbers from 1 to {}, or words of names such as kappa=50; {}",
            names.len(),
            list(unknown, names)
        )));
    }
    Ok((0..names.len()).filter(|&i| wanted.iter().any(|wish| is_wanted(wish, i))).collect())
}

fn list(given: &str, names: &[String]) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match nearest(given, &names) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("there are {}", crate::input::quoted(&names)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn labels_are_for_whole_names() {
        let labels = Labels::new(texts(&["a=Ours", "a radius=paper=The a = b rule"]));
        assert_eq!((labels.find("a"), labels.find("b")), (Some("Ours"), None));
        assert_eq!(labels.find("a radius=paper"), Some("The a = b rule"));
        assert!(labels.check(&texts(&["a", "a radius=paper"])).is_ok());
        let error = labels.check(&texts(&["b"])).unwrap_err().to_string();
        assert!(error.starts_with("label is \"a=Ours\"") && error.contains("\"b\""), "{error}");
    }

    #[test]
    fn environments_are_chosen_by_number_name_or_words() {
        let names = texts(&["d=2 kappa=5", "d=2 kappa=50", "d=3 kappa=5"]);
        let choose = |wanted: &[&str]| chosen(&texts(wanted), &names);
        assert_eq!(choose(&["kappa=5"]).unwrap(), [0, 2]);
        assert_eq!(choose(&["3", "d=2 kappa=50"]).unwrap(), [1, 2]);
        assert_eq!(choose(&["kappa=5 d=3"]).unwrap(), [2]);
        for wrong in ["0", "4", "kappa=500", "", " "] {
            let error = choose(&[wrong]).unwrap_err().to_string();
            assert!(error.starts_with("environments: ") && error.contains("1 to 3"), "{error}");
        }
    }
}
