//! A value for all nodes, or one for each.

use schemars::JsonSchema;
use serde::de::{self, DeserializeOwned};
use serde::{Deserialize, Deserializer, Serialize};
use toml::Value;

use super::ConfigError;

/// A value for all nodes, or one for each.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PerNode<T> {
    /// For all.
    All(T),
    /// For each, in their order.
    Each(Vec<T>),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for PerNode<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PerNode<T>, D::Error> {
        let read = |value: Value| match value {
            value @ Value::Array(_) => value.try_into().map(PerNode::Each),
            value => value.try_into().map(PerNode::All),
        };
        let fault = "must be a number or a list of numbers, one for each node";
        read(Value::deserialize(deserializer)?).map_err(|_| de::Error::custom(fault))
    }
}

impl<T: Copy> PerNode<T> {
    /// The value of the node at `place`.
    pub fn of(&self, place: usize) -> T {
        match self {
            PerNode::All(value) => *value,
            PerNode::Each(values) => values[place],
        }
    }

    /// All of them.
    pub fn values(&self) -> &[T] {
        match self {
            PerNode::All(value) => std::slice::from_ref(value),
            PerNode::Each(values) => values,
        }
    }

    /// Checks that there is one for each of `nodes`, if not one for all.
    ///
    /// # Errors
    /// Names `key` and both numbers.
    pub fn check_count(&self, key: &'static str, nodes: usize) -> Result<(), ConfigError> {
        match self {
            PerNode::Each(values) if values.len() != nodes => {
                let got = values.len();
                let fault = format!("must be one value or {nodes}, one for each node (got {got})");
                Err(ConfigError::new(key, fault))
            }
            _ => Ok(()),
        }
    }
}
