//! Names of what may come from outside: of another crate, or of a file that a scenario names.

use std::collections::BTreeSet;
use std::fmt::{self, Formatter};
use std::sync::{LazyLock, Mutex, PoisonError};

use schemars::Schema;
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

/// The names of all so far: a scenario's parameters are copied to every flow, so names are kept once.
static NAMES: LazyLock<Mutex<BTreeSet<&'static str>>> = LazyLock::new(Mutex::default);

/// A name, which is kept as long as the process lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Name(&'static str);

impl Name {
    /// The name `name`.
    pub fn new(name: &str) -> Name {
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        Name(names.get(name).copied().unwrap_or_else(|| {
            let name = Box::leak(name.to_owned().into_boxed_str());
            names.insert(name);
            name
        }))
    }

    /// Its text.
    pub fn text(self) -> &'static str {
        self.0
    }
}

/// A name is one of ours or from outside, never both.
pub(crate) fn one_of(schema: &mut Schema) {
    if let Some(forms) = schema.remove("anyOf") {
        schema.insert("oneOf".to_owned(), forms);
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Name;

            fn expecting(&self, f: &mut Formatter) -> fmt::Result {
                f.write_str("text")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Name, E> {
                Ok(Name::new(name))
            }
        }
        deserializer.deserialize_str(Text)
    }
}
