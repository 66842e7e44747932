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
use crate::routing::copas::{CopasConfig, CopasTable};
use crate::routing::dcar::{DcarConfig, DcarTable};
use crate::routing::dsr::DsrConfig;
use crate::routing::multipath::{MultipathConfig, PathsConfig};

/// Which routing protocol, with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case")]
pub enum Routing {
    /// AODV.
    Aodv(AodvConfig),
    /// CCAR: AODV whose data takes the paths of an all-knowing centre.
    Ccar(CcarTable),
    /// DSR with two paths, one for data and one for acknowledgments, chosen by contention.
    Copas(Box<CopasTable>),
    /// DCAR: AODV that goes round congestion.
    Dcar(Box<DcarTable>),
    /// DSR.
    Dsr(DsrConfig),
    /// AODV that finds several paths at once.
    MultipathAodv(MultipathConfig),
    /// Shortest paths known from the start; no routing packets.
    Static,
}

impl Default for Routing {
    fn default() -> Self {
        Routing::Aodv(AodvConfig::default())
    }
}

/// CCAR's keys and those of AODV.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CcarTable {
    /// The centre.
    #[serde(flatten)]
    pub ccar: CcarConfig,
    /// Requests, replies and route errors.
    #[serde(flatten)]
    pub aodv: AodvConfig,
}

impl CcarTable {
    /// AODV's keys where they are not given: requests flood the network, and only destinations answer.
    fn usual_aodv() -> AodvConfig {
        AodvConfig {
            expanding_ring: false,
            local_repair: false,
            intermediate_replies: false,
            ..AodvConfig::default()
        }
    }
}

impl Routing {
    pub(super) fn read(mut table: Table) -> Result<Routing, Error> {
        let known = ["aodv", "ccar", "copas", "dcar", "dsr", "multipath-aodv", "static"];
        match take_choice(&mut table, "routing", "scheme", &known, Some("aodv"))?.as_str() {
            "aodv" => read("routing", table.into()).map(Routing::Aodv),
            "ccar" => {
                let (ccar, aodv) = read_beside(table, |_: &CcarConfig| CcarTable::usual_aodv())?;
                Ok(Routing::Ccar(CcarTable { ccar, aodv }))
            }
            "copas" => {
                let usual = |_: &CopasConfig| CopasTable::default().dsr;
                let (copas, dsr) = read_beside(table, usual)?;
                Ok(Routing::Copas(Box::new(CopasTable { dsr, copas })))
            }
            "dcar" => {
                let usual = |_: &DcarConfig| DcarTable::default().aodv;
                let (dcar, aodv) = read_beside(table, usual)?;
                Ok(Routing::Dcar(Box::new(DcarTable { aodv, dcar })))
            }
            "dsr" => read("routing", table.into()).map(Routing::Dsr),
            "multipath-aodv" => {
                let (paths, aodv) = read_beside(table, PathsConfig::usual_aodv)?;
                Ok(Routing::MultipathAodv(MultipathConfig { paths, aodv }))
            }
            "static" => only_keys(&table, "routing", &["scheme"]).map(|()| Routing::Static),
            other => Err(Error::new("routing.scheme", must_be_one_of(&known, other))),
        }
    }

    /// Checks every key against its bounds and the way nodes move.
    pub(super) fn check(&self, mobility: &Mobility) -> Result<(), ConfigError> {
        match self {
            Routing::Aodv(aodv) => aodv.check(),
            Routing::Ccar(CcarTable { ccar, aodv }) => {
                if aodv.local_repair {
                    return Err(ConfigError::new(
                        "local_repair",
                        "must be false: only ends ask for paths",
                    ));
                }
                if aodv.intermediate_replies {
                    let fault = "must be false: relays do not know the centre's paths";
                    return Err(ConfigError::new("intermediate_replies", fault));
                }
                if ccar.variant == Variant::H2 && *mobility != Mobility::Static {
                    let fault = "cannot be \"h2\" if nodes move: it never changes a path";
                    return Err(ConfigError::new("variant", fault));
                }
                ccar.check()?;
                aodv.check()
            }
            Routing::Copas(copas) => copas.check(),
            Routing::Dcar(dcar) => dcar.check(),
            Routing::Dsr(dsr) => dsr.check(),
            Routing::MultipathAodv(config) => config.check(),
            Routing::Static => Ok(()),
        }
    }
}

/// Reads a table that holds a scheme's own keys beside those of its base, whose defaults depend on them.
fn read_beside<Own, Base>(
    table: Table,
    usual_base: impl FnOnce(&Own) -> Base,
) -> Result<(Own, Base), Error>
where
    Own: JsonSchema + DeserializeOwned,
    Base: JsonSchema + Serialize + DeserializeOwned,
{
    let (own, base) = (keys_of::<Own>(), keys_of::<Base>());
    let known: Vec<&str> = own.iter().chain(&base).map(String::as_str).collect();
    only_keys(&table, "routing", &known)?;
    let (own, rest): (Table, Table) = table.into_iter().partition(|(key, _)| own.contains(key));
    let own: Own = read("routing", own.into())?;
    let mut base = Table::try_from(usual_base(&own)).expect("a configuration is plain data");
    base.extend(rest);
    Ok((own, read("routing", base.into())?))
}

/// The keys of a table, by its schema.
fn keys_of<T: JsonSchema>() -> Vec<String> {
    let schema = schemars::schema_for!(T).to_value();
    schema["properties"].as_object().into_iter().flat_map(|keys| keys.keys().cloned()).collect()
}
