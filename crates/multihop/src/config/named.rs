//! Named schemes: choices of routing, transport and MAC that can be applied to any scenario.

/// A named scheme. It is declared next to the protocol or study that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: &'static str,
    /// One line that describes it.
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
