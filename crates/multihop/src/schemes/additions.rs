//! What a key of scenarios can choose beside the package's own.

use std::fmt::{self, Debug, Formatter};

use serde_json::{Value, json};

use crate::config::Error;
use crate::config::document::must_be_one_of;
use crate::config::outside::{Choice, Outside};

/// Finds something by what a scenario calls it. None if the name is not for this finder; else what
/// it found, or the fault.
pub type Finder<Made> = fn(&str) -> Option<Result<Made, String>>;

/// Those of one key, and what looks for others.
pub(super) struct Additions<C: Choice> {
    known: Vec<Outside<C::Make>>,
    pub finder: Option<Finder<Outside<C::Make>>>,
}

impl<C: Choice> Additions<C> {
    /// Adds one.
    ///
    /// # Panics
    /// If the name is taken.
    pub fn add(&mut self, one: Outside<C::Make>) {
        assert!(!self.names().contains(&one.name()), "two called {} for {}", one.name(), C::KEY);
        self.known.push(one);
    }

    /// Finds what `key` chooses, if that is from outside.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn find(&self, choice: &mut C, key: impl Into<String>) -> Result<(), Error> {
        let Some(outside) = choice.outside() else { return Ok(()) };
        let name = outside.name();
        let known = self.known.iter().find(|known| known.name() == name);
        let found = match known {
            Some(known) => Ok(*known),
            None => self
                .finder
                .and_then(|finder| finder(name))
                .unwrap_or_else(|| Err(must_be_one_of(&self.names(), name))),
        };
        *outside = found.map_err(|fault| Error::new(key.into(), fault))?;
        Ok(())
    }

    /// Those that were added, as key and name.
    pub fn added(&self) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
        self.known.iter().map(|known| (C::KEY, known.name()))
    }

    /// The definition in the schema that they add to, and what they add.
    pub fn schemas(&self) -> (&'static str, Vec<Value>) {
        let of = |known: &Outside<_>| json!({ "type": "string", "const": known.name() });
        (C::DEFINITION, self.known.iter().map(of).collect())
    }

    /// What the key can be, but for what the finder finds.
    fn names(&self) -> Vec<&'static str> {
        let ours = C::OURS.iter().map(|(name, _)| *name);
        ours.chain(self.known.iter().map(|known| known.name())).collect()
    }
}

impl<C: Choice> Clone for Additions<C> {
    fn clone(&self) -> Additions<C> {
        Additions { known: self.known.clone(), finder: self.finder }
    }
}

impl<C: Choice> Debug for Additions<C> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.debug_list().entries(&self.known).finish()
    }
}

impl<C: Choice> Default for Additions<C> {
    fn default() -> Additions<C> {
        Additions { known: Vec::new(), finder: None }
    }
}
