//! Named schemes: a choice of routing, transport and MAC that can be laid over any scenario.

/// A named scheme. Each stands in the room of what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The keys that it sets, with their values in TOML.
    pub keys: &'static [(&'static str, &'static str)],
}

impl Named {
    /// The scheme `name`.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        keys: &'static [(&'static str, &'static str)],
    ) -> Named {
        Named { name, about, keys }
    }
}
