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

impl<I: Named> Registry<I> {
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

    /// The entry of that name.
    pub(crate) fn find(&self, name: &str) -> Result<&'static I> {
        let all = self.all();
        let found = all.iter().find(|info| info.name() == name).copied();
        found.ok_or_else(|| Error::unknown_name(self.field, name, all.iter().map(|info| info.name())))
    }

    /// Adds an entry. The same entry may be registered again; another one of the same name may not.
    pub(crate) fn register(&self, info: &'static I) -> Result<()> {
        let mut added = self.added.write().unwrap_or_else(PoisonError::into_inner);
        match self.own.iter().chain(added.iter()).find(|other| other.name() == info.name()) {
            Some(other) if std::ptr::eq(*other, info) => Ok(()),
            Some(_) => Err(Error::NameTaken { field: self.field, name: info.name() }),
            None if self.reserved.contains(&info.name()) => {
                Err(Error::NameTaken { field: self.field, name: info.name() })
            }
            None => {
                added.push(info);
                Ok(())
            }
        }
    }
}
