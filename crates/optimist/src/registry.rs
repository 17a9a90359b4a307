//! Registries: what there is by name, and what callers add to it.

use std::sync::{PoisonError, RwLock};

use crate::error::{Error, Result};

/// An entry of a registry.
pub(crate) trait Named {
    fn name(&self) -> &'static str;
}

/// Entries of this crate, and those that other crates have registered since the program began.
pub(crate) struct Registry<I: 'static> {
    /// What an entry is called in errors.
    field: &'static str,
    own: &'static [&'static I],
    /// Names of this crate that are stored but not listed: nothing else may have them.
    reserved: &'static [&'static str],
    added: RwLock<Vec<&'static I>>,
}

impl<I: Named + PartialEq> Registry<I> {
    pub(crate) const fn new(
        field: &'static str,
        own: &'static [&'static I],
        reserved: &'static [&'static str],
    ) -> Self {
        Self { field, own, reserved, added: RwLock::new(Vec::new()) }
    }

    /// All entries: this crate's, then the others in the order in which they were registered.
    pub(crate) fn all(&self) -> Vec<&'static I> {
        let added = self.added.read().unwrap_or_else(PoisonError::into_inner);
        self.own.iter().chain(added.iter()).copied().collect()
    }

    /// The entry of that name, if there is one.
    pub(crate) fn get(&self, name: &str) -> Option<&'static I> {
        let added = self.added.read().unwrap_or_else(PoisonError::into_inner);
        self.own.iter().chain(added.iter()).copied().find(|info| info.name() == name)
    }

    /// The entry of that name.
    pub(crate) fn find(&self, name: &str) -> Result<&'static I> {
        self.get(name).ok_or_else(|| Error::unknown_name(self.field, name, self.all().iter().map(|info| info.name())))
    }

    /// Adds an entry. The same entry may be registered again; another one of the same name may not. Entries are compared by
    /// what they say: a constant has no one address.
    pub(crate) fn register(&self, info: &'static I) -> Result<()> {
        let (field, name) = (self.field, info.name());
        if !is_kebab_case(name) {
            return Err(Error::BadName { field, name });
        }
        let mut added = self.added.write().unwrap_or_else(PoisonError::into_inner);
        match self.own.iter().chain(added.iter()).find(|other| other.name() == name) {
            Some(other) if *other == info => Ok(()),
            Some(_) => Err(Error::NameTaken { field, name }),
            None if self.reserved.contains(&name) => Err(Error::NameTaken { field, name }),
            None => {
                added.push(info);
                Ok(())
            }
        }
    }
}

/// Lower-case letters and digits, in words joined by single hyphens: what needs no quoting anywhere.
pub(crate) fn is_kebab_case(name: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.split('-').all(is_word)
}

#[cfg(test)]
mod tests {
    use super::is_kebab_case;

    #[test]
    fn names_that_need_no_quoting() {
        assert!(["ofulog", "log-ucb-2", "7"].into_iter().all(is_kebab_case));
        let others = ["", "-", "a-", "-a", "a--b", "A", "a_b", "a b", "a\"b", "a\\", "é", "a.b"];
        assert!(!others.into_iter().any(is_kebab_case));
    }
}
