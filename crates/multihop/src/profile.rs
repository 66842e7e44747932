//! temporary
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Profile { #[default] Ns2, Standard }
