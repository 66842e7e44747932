//! What may come from outside: of another crate, or of a file that a scenario names.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{self, Debug, Formatter};
use std::sync::{LazyLock, Mutex, PoisonError};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// The names of all so far: a scenario's parameters are copied to every flow, so names are kept
/// once.
static NAMES: LazyLock<Mutex<BTreeSet<&'static str>>> = LazyLock::new(Mutex::default);

/// A name, which is kept as long as the process lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Name(&'static str);

impl Name {
    /// The name `name`.
    fn new(name: &str) -> Name {
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        Name(names.get(name).copied().unwrap_or_else(|| {
            let name = Box::leak(name.to_owned().into_boxed_str());
            names.insert(name);
            name
        }))
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

/// Something from outside by its name, with what makes it. Two of the same name are equal.
pub struct Outside<Make: ?Sized + 'static> {
    name: Name,
    /// None until it is found, which is part of reading a scenario.
    make: Option<&'static Make>,
}

impl<Make: ?Sized> Outside<Make> {
    /// What `name` stands for, made by `make`, which is kept as long as the process lives.
    pub(crate) fn made_by(name: &str, make: Box<Make>) -> Outside<Make> {
        Outside { name: Name::new(name), make: Some(Box::leak(make)) }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name.0
    }

    /// What makes it.
    pub(crate) fn maker(self) -> &'static Make {
        self.make.expect("found when the scenario was read")
    }
}

impl<Make: ?Sized> Clone for Outside<Make> {
    fn clone(&self) -> Outside<Make> {
        *self
    }
}

impl<Make: ?Sized> Copy for Outside<Make> {}

impl<Make: ?Sized> Debug for Outside<Make> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "Outside({:?})", self.name())
    }
}

impl<Make: ?Sized> PartialEq for Outside<Make> {
    fn eq(&self, other: &Outside<Make>) -> bool {
        self.name == other.name
    }
}

impl<Make: ?Sized> Eq for Outside<Make> {}

impl<Make: ?Sized> Serialize for Outside<Make> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<Make: ?Sized> JsonSchema for Outside<Make> {
    fn schema_name() -> Cow<'static, str> {
        "Outside".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "\\.py:" })
    }
}

/// A choice of a scenario that can fall on something from outside.
pub trait Choice: Copy + 'static {
    /// What makes it.
    type Make: ?Sized + 'static;

    /// The key of a scenario that holds it.
    const KEY: &'static str;

    /// Its definition in the schema.
    const DEFINITION: &'static str;

    /// Each of ours, by name.
    const OURS: &'static [(&'static str, Self)];

    /// One from outside.
    fn from_outside(outside: Outside<Self::Make>) -> Self;

    /// The choice, if it is from outside.
    fn outside(&mut self) -> Option<&mut Outside<Self::Make>>;
}

/// Makes the choice one by name, whose variant `Outside` is what comes from outside.
macro_rules! chosen_by_name {
    (impl $choosable:ident for $choice:ident {
        type Make = $make:ty;
        const KEY = $key:literal;
        const DEFINITION = $definition:literal;
        const OURS = $ours:expr;
    }) => {
        impl $crate::config::outside::$choosable for $choice {
            type Make = $make;
            const KEY: &'static str = $key;
            const DEFINITION: &'static str = $definition;
            const OURS: &'static [(&'static str, $choice)] = $ours;

            fn from_outside(outside: $crate::config::outside::Outside<$make>) -> $choice {
                $choice::Outside(outside)
            }

            fn outside(&mut self) -> Option<&mut $crate::config::outside::Outside<$make>> {
                match self {
                    $choice::Outside(outside) => Some(outside),
                    _ => None,
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $choice {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$choice, D::Error> {
                $crate::config::outside::choice(from)
            }
        }
    };
}
pub(crate) use chosen_by_name;

/// What scenarios call `choice`.
pub(crate) fn name_of<C: Choice + PartialEq>(mut choice: C) -> &'static str {
    match choice.outside() {
        Some(outside) => outside.name(),
        None => C::OURS.iter().find(|(_, ours)| *ours == choice).expect("one of ours").0,
    }
}

/// Reads a choice by its name: one that is none of ours has still to be found.
///
/// # Errors
/// If it is no text.
pub(crate) fn choice<'de, C: Choice, D: Deserializer<'de>>(deserializer: D) -> Result<C, D::Error> {
    let name = Name::deserialize(deserializer)?;
    let ours = C::OURS.iter().find(|(known, _)| *known == name.0);
    Ok(ours.map_or_else(|| C::from_outside(Outside { name, make: None }), |&(_, ours)| ours))
}

/// A name is one of ours or from outside, never both.
pub(crate) fn one_of(schema: &mut Schema) {
    if let Some(forms) = schema.remove("anyOf") {
        schema.insert("oneOf".to_owned(), forms);
    }
}
