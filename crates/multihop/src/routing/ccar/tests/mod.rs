//! CCAR on hand-driven networks, and its choices against exhaustive search.

mod choices;
mod protocol;
