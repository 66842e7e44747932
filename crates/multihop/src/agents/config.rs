//! The `[[agents]]` tables: policies that steer flows or nodes of a scenario.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::policy::{LayerTable, Policy};
use super::quantity::{Of, Quantity};
use crate::config::document::must_be_one_of;
use crate::config::{Error, within};

/// Agents of one policy, each of a flow or a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentTable {
    /// A title for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What each is of.
    pub of: Of,
    /// The flows or nodes, by number. Default: all nodes, or all flows with a congestion window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<u32>>,
    /// Time from one decision to the next (s); the first is at this time.
    pub every_s: f64,
    /// What they observe, in the order in which the first layer takes it.
    pub observes: Vec<String>,
    /// What they set, in the order in which the last layer gives it.
    pub sets: Vec<String>,
    /// The policy: each layer's numbers go into the next.
    pub layers: Vec<LayerTable>,
}

impl AgentTable {
    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), Error> {
        let every = within("every_s", self.every_s, 1e-6, 1e6);
        every.map_err(|error| Error::new(error.key, error.fault))?;
        let quantities = self.of.quantities();
        let observed = indices("observes", &self.observes, quantities.observed)?;
        let set = indices("sets", &self.sets, quantities.set)?;
        Policy::check(&self.layers, observed.len(), set.len())
    }
}

/// Where each of `names`, given at `key`, is among the `known`.
///
/// # Errors
/// If there are none, or one is unknown or there twice.
pub fn indices(key: &str, names: &[String], known: &[Quantity]) -> Result<Vec<usize>, Error> {
    if names.is_empty() {
        return Err(Error::new(key, "must hold at least one name (got none)"));
    }
    let mut indices = Vec::with_capacity(names.len());
    for (number, name) in names.iter().enumerate() {
        let fault = match known.iter().position(|quantity| quantity.name == name) {
            Some(index) if !indices.contains(&index) => {
                indices.push(index);
                continue;
            }
            Some(_) => format!("\"{name}\" is there twice"),
            None => {
                let known: Vec<&str> = known.iter().map(|quantity| quantity.name).collect();
                must_be_one_of(&known, name)
            }
        };
        return Err(Error::new(format!("{key}.{number}"), fault));
    }
    Ok(indices)
}
