//! The scenario: parse, check, build.
