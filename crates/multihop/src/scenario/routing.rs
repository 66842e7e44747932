//! The `[routing]` table: which protocol, with its parameters.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Table;

use super::document::{must_be_one_of, read};
use super::error::Error;
use super::mobility::Mobility;
use super::{only_keys, take_choice};
use crate::config::ConfigError;
use crate::routing::aodv::AodvConfig;
use crate::routing::ccar::{CcarConfig, Variant};
use crate::routing::dsr::DsrConfig;

/// Which routing protocol, with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case")]
pub enum Routing {
    /// AODV.
    Aodv(AodvConfig),
    /// CCAR: AODV whose data takes the paths of an all-knowing centre.
    Ccar(CcarTable),
    /// DSR.
    Dsr(DsrConfig),
    /// Shortest paths known from the start; no routing packets.
    Static,
}

impl Default for Routing {
    fn default() -> Self {
        Routing::Aodv(AodvConfig::default())
    }
}

/// CCAR's keys and those of AODV.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct CcarTable {
    /// The centre.
    #[serde(flatten)]
    pub ccar: CcarConfig,
    /// Requests, replies and route errors.
    #[serde(flatten)]
    pub aodv: AodvConfig,
}

impl Routing {
    pub(super) fn read(mut table: Table) -> Result<Routing, Error> {
        let known = ["aodv", "ccar", "dsr", "static"];
        match take_choice(&mut table, "routing", "scheme", &known, Some("aodv"))?.as_str() {
            "aodv" => read("routing", table.into()).map(Routing::Aodv),
            "ccar" => {
                let (ccar, aodv) = read_beside_aodv(table)?;
                Ok(Routing::Ccar(CcarTable { ccar, aodv }))
            }
            "dsr" => read("routing", table.into()).map(Routing::Dsr),
            "static" => only_keys(&table, "routing", &["scheme"]).map(|()| Routing::Static),
            other => Err(Error::new("routing.scheme", must_be_one_of(&known, other))),
        }
    }

    /// Checks every key against its bounds and the way nodes move.
    pub(super) fn check(&self, mobility: &Mobility) -> Result<(), ConfigError> {
        match self {
            Routing::Aodv(aodv) => aodv.check(),
            Routing::Ccar(CcarTable { ccar, aodv }) => {
                if ccar.variant == Variant::H2 && *mobility != Mobility::Static {
                    let fault = "cannot be \"h2\" if nodes move: it never changes a path";
                    return Err(ConfigError::new("variant", fault));
                }
                ccar.check()?;
                aodv.check()
            }
            Routing::Dsr(dsr) => dsr.check(),
            Routing::Static => Ok(()),
        }
    }
}

/// Reads a table that holds a scheme's own keys beside those of AODV.
fn read_beside_aodv<T>(table: Table) -> Result<(T, AodvConfig), Error>
where
    T: Default + Serialize + DeserializeOwned,
{
    let (own, aodv) = (keys_of(&T::default()), keys_of(&AodvConfig::default()));
    let known: Vec<&str> = own.iter().chain(&aodv).map(String::as_str).collect();
    only_keys(&table, "routing", &known)?;
    let (own, aodv): (Table, Table) = table.into_iter().partition(|(key, _)| own.contains(key));
    Ok((read("routing", own.into())?, read("routing", aodv.into())?))
}

/// The keys of a table.
fn keys_of(config: &impl Serialize) -> Vec<String> {
    let value = serde_json::to_value(config).unwrap_or_default();
    value.as_object().into_iter().flat_map(|table| table.keys().cloned()).collect()
}
