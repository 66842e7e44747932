//! Enumerations whose values have names in records.

/// Makes an enumeration with a word for each value, as `NAME::WORDS` with what it stands for.
macro_rules! words {
    ($(#[$about:meta])* $name:ident {
        $($(#[doc = $doc:literal])+ $variant:ident = $word:literal,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[doc = $doc])+ $variant,)* }

        impl $name {
            /// Every word and what it stands for, in the order of the variants.
            pub const WORDS: &'static [(&'static str, &'static str)] =
                &[$(($word, concat!($($doc),+))),*];

            /// The value's word.
            pub const fn word(self) -> &'static str {
                Self::WORDS[self as usize].0
            }
        }
    };
}
pub(crate) use words;
