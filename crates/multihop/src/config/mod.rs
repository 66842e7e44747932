//! What the configuration tables of all layers share: values, located errors, documents, schemas.

pub mod document;
mod error;
pub mod json;
mod named;
pub(crate) mod outside;
pub mod per_node;
pub mod shown;
pub mod table;

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use error::Error;
pub use named::Named;

/// A fault in one table of a scenario, found by the layer that the table configures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The key within its table.
    pub key: &'static str,
    /// What is wrong and what is allowed.
    pub fault: String,
}

impl ConfigError {
    /// A fault of `key`.
    pub fn new(key: &'static str, fault: impl Into<String>) -> ConfigError {
        ConfigError { key, fault: fault.into() }
    }

    /// `key` was given though it belongs to another choice than that made: to `owner` of `choice`.
    pub fn only_with(key: &'static str, choice: &str, owner: &str, chosen: &str) -> ConfigError {
        let fault = format!("can be given only with {choice} \"{owner}\" (got \"{chosen}\")");
        ConfigError::new(key, fault)
    }
}

/// Checks that `value` of `key` is between `low` and `high`, both included. NaN is refused.
///
/// # Errors
/// Names the key, the bounds and the value.
pub fn within(key: &'static str, value: f64, low: f64, high: f64) -> Result<(), ConfigError> {
    match value >= low && value <= high {
        true => Ok(()),
        false => Err(ConfigError::new(key, format!("must be {low} to {high} (got {value})"))),
    }
}

/// Checks that `value` of `key` is above 0 and at most `high`. NaN is refused.
///
/// # Errors
/// Names the key, the bounds and the value.
pub fn positive(key: &'static str, value: f64, high: f64) -> Result<(), ConfigError> {
    match value > 0.0 && value <= high {
        true => Ok(()),
        false => {
            let fault = format!("must be above 0 and at most {high} (got {value})");
            Err(ConfigError::new(key, fault))
        }
    }
}

/// The shortest interval at which anything repeats (s): with much shorter ones a run does not get
/// on.
pub const LEAST_INTERVAL_S: f64 = 0.001;

/// Checks that `value` of `key` is an interval at which something may repeat, of at most `high`
/// seconds.
///
/// # Errors
/// Names the key, the bounds and the value.
pub fn interval(key: &'static str, value: f64, high: f64) -> Result<(), ConfigError> {
    within(key, value, LEAST_INTERVAL_S, high)
}

/// A whole number or `inf`, for limits that can be lifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// This many.
    Finite(u32),
    /// No limit.
    Infinite,
}

impl Limit {
    /// The number, if there is one.
    pub const fn finite(self) -> Option<u32> {
        match self {
            Limit::Finite(number) => Some(number),
            Limit::Infinite => None,
        }
    }
}

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Limit::Finite(number) => serializer.serialize_u32(*number),
            Limit::Infinite => serializer.serialize_str("inf"),
        }
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LimitVisitor)
    }
}

struct LimitVisitor;

impl Visitor<'_> for LimitVisitor {
    type Value = Limit;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number, 0 to 4294967295, or inf")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Limit, E> {
        u32::try_from(value)
            .map(Limit::Finite)
            .map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Limit, E> {
        u32::try_from(value)
            .map(Limit::Finite)
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Limit, E> {
        if value == f64::INFINITY {
            return Ok(Limit::Infinite);
        }
        Err(E::invalid_value(de::Unexpected::Float(value), &self))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Limit, E> {
        if value == "inf" {
            return Ok(Limit::Infinite);
        }
        Err(E::invalid_value(de::Unexpected::Str(value), &self))
    }
}

impl JsonSchema for Limit {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Limit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [{ "type": "integer", "minimum": 0 }, { "const": "inf" }] })
    }
}

/// In schemas: a node of a scenario, by its number or by its name.
pub struct NodeOrName;

impl JsonSchema for NodeOrName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NodeOrName".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }] })
    }
}

/// A number of decibels, `inf` included: JSON has no infinity, so it is written as text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decibels(pub f64);

impl Decibels {
    /// As a plain ratio.
    pub fn ratio(self) -> f64 {
        10f64.powf(self.0 / 10.0)
    }
}

impl Serialize for Decibels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.is_finite() {
            true => serializer.serialize_f64(self.0),
            false => serializer.serialize_str("inf"),
        }
    }
}

impl<'de> Deserialize<'de> for Decibels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DecibelsVisitor)
    }
}

struct DecibelsVisitor;

impl Visitor<'_> for DecibelsVisitor {
    type Value = Decibels;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or inf")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Decibels, E> {
        Ok(Decibels(value as f64))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Decibels, E> {
        Ok(Decibels(value as f64))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Decibels, E> {
        Ok(Decibels(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Decibels, E> {
        if value == "inf" {
            return Ok(Decibels(f64::INFINITY));
        }
        Err(E::invalid_value(de::Unexpected::Str(value), &self))
    }
}

impl JsonSchema for Decibels {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Decibels".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "oneOf": [{ "type": "number" }, { "const": "inf" }] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_refuse_what_is_not_a_number() {
        assert!(within("k", f64::NAN, 0.0, 1.0).is_err());
        assert!(positive("k", f64::NAN, 1.0).is_err());
        assert!(positive("k", 0.0, 1.0).is_err() && positive("k", 1.0, 1.0).is_ok());
    }

    #[test]
    fn ten_decibels_are_ten_times() {
        assert_eq!(Decibels(10.0).ratio(), 10.0);
        assert_eq!(Decibels(f64::INFINITY).ratio(), f64::INFINITY);
    }
}
