//! The schemes that a scenario can choose: routing by `routing.scheme`, congestion controls and reactions to broken
//! routes from outside by `transport.scheme` and `transport.link_failure`, and named choices of routing, transport
//! and MAC that can be applied to any scenario.

mod chosen;
mod list;
mod named;

pub use chosen::choices;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use toml::Table;

use crate::config::document::must_be_one_of;
use crate::config::table::take_choice;
use crate::config::{Error, Named};
use crate::mac::config::RateChoice;
use crate::mac::rates::Outside as OutsideRateControl;
use crate::routing::aodv::{AodvConfig, OutsidePolicy};
use crate::routing::{Routing, Scheme};
use crate::transport::congestion::Outside;
use crate::transport::link_failure::{LinkFailure, Outside as OutsideReaction};
use crate::transport::{Flavour, TcpConfig};

/// The available schemes. Another crate adds its own: `Schemes::standard().with_routing::<Mine>()`.
#[derive(Clone, Debug, Default)]
pub struct Schemes {
    routing: Vec<Entry>,
    congestion_controls: Vec<Outside>,
    reactions: Vec<OutsideReaction>,
    finder: Option<Finder>,
    policy_finder: Option<PolicyFinder>,
    rate_finder: Option<RateFinder>,
    named: Vec<Named>,
}

/// Finds a congestion control by what a scenario calls it. None if the name is not for this finder; else what it found,
/// or the fault.
pub type Finder = fn(&str) -> Option<Result<Outside, String>>;

/// The same for policies of AODV, which `routing.scheme` calls.
pub type PolicyFinder = fn(&str) -> Option<Result<OutsidePolicy, String>>;

/// The same for rate controls.
pub type RateFinder = fn(&str) -> Option<Result<OutsideRateControl, String>>;

/// A routing scheme by its name.
#[derive(Clone, Copy, Debug)]
struct Entry {
    name: &'static str,
    about: &'static str,
    read: fn(Table) -> Result<Routing, Error>,
    schema: fn(&mut SchemaGenerator) -> Schema,
    report_schema: fn(&mut SchemaGenerator) -> Option<Schema>,
}

impl Schemes {
    /// The schemes of this crate.
    pub fn standard() -> Schemes {
        list::standard()
    }

    /// Adds routing scheme `S`, with its named schemes.
    ///
    /// # Panics
    /// If a name is taken.
    pub fn with_routing<S: Scheme>(mut self) -> Schemes {
        assert!(self.routing.iter().all(|known| known.name != S::NAME), "two called {}", S::NAME);
        self.routing.push(Entry {
            name: S::NAME,
            about: S::ABOUT,
            read: |table| S::read(table).map(Routing::of),
            schema: |generator| generator.subschema_for::<S>(),
            report_schema: S::report_schema,
        });
        self.with_named(S::NAMED)
    }

    /// Adds a congestion control, which `transport.scheme` then knows.
    ///
    /// # Panics
    /// If the name is taken.
    pub fn with_congestion_control(mut self, control: Outside) -> Schemes {
        let name = control.name();
        let is_taken = Flavour::NAMES.contains(&name)
            || self.congestion_controls.iter().any(|known| known.name() == name);
        assert!(!is_taken, "two congestion controls called {name}");
        self.congestion_controls.push(control);
        self
    }

    /// Adds a reaction to broken routes, which `transport.link_failure` then knows.
    ///
    /// # Panics
    /// If the name is taken.
    pub fn with_link_failure(mut self, reaction: OutsideReaction) -> Schemes {
        let name = reaction.name();
        assert!(
            !self.reaction_names().contains(&name),
            "two reactions to broken routes called {name}"
        );
        self.reactions.push(reaction);
        self
    }

    /// Has `finder` look for congestion controls that are none of these.
    pub fn finding_congestion_controls(self, finder: Finder) -> Schemes {
        Schemes { finder: Some(finder), ..self }
    }

    /// Has `finder` look for policies of AODV where `routing.scheme` is none of these.
    pub fn finding_aodv_policies(self, finder: PolicyFinder) -> Schemes {
        Schemes { policy_finder: Some(finder), ..self }
    }

    /// Has `finder` look for rate controls that are none of ours.
    pub fn finding_rate_controls(self, finder: RateFinder) -> Schemes {
        Schemes { rate_finder: Some(finder), ..self }
    }

    /// Adds these named schemes.
    ///
    /// # Panics
    /// If a name is taken.
    pub fn with_named(mut self, more: &[Named]) -> Schemes {
        for named in more {
            let is_free = self.named.iter().all(|known| known.name != named.name);
            assert!(is_free, "two schemes called {}", named.name);
            self.named.push(*named);
        }
        self
    }

    /// What `routing.scheme` can be.
    pub fn routing_names(&self) -> Vec<&'static str> {
        self.routing.iter().map(|entry| entry.name).collect()
    }

    /// Every named scheme.
    pub fn named(&self) -> &[Named] {
        &self.named
    }

    /// The overrides (key path, value) of the named scheme `name`, if there is one.
    pub fn overrides(&self, name: &str) -> Option<Vec<(String, String)>> {
        let named = self.named.iter().find(|known| known.name == name)?;
        Some(named.keys.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect())
    }

    /// Reads a scenario's `[routing]` table.
    ///
    /// # Errors
    /// If no scheme has its name, or a key is unknown or has the wrong shape.
    pub fn read_routing(&self, mut table: Table) -> Result<Routing, Error> {
        let names = self.routing_names();
        let name =
            take_choice(&mut table, "routing", "scheme", &names, Some(list::DEFAULT_ROUTING))?;
        if let Some(entry) = self.routing.iter().find(|entry| entry.name == name) {
            return (entry.read)(table);
        }
        let fault = match self.policy_finder.and_then(|finder| finder(&name)) {
            Some(Ok(policy)) => return policy.routing(table),
            Some(Err(fault)) => fault,
            None => must_be_one_of(&names, &name),
        };
        Err(Error::new("routing.scheme", fault))
    }

    /// Finds what the `[transport]` table at `path` names, if it comes from outside.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn find(&self, transport: &mut TcpConfig, path: &str) -> Result<(), Error> {
        if let Flavour::Outside(outside) = &mut transport.scheme {
            let (name, key) = (outside.name(), format!("{path}.scheme"));
            let known = self.congestion_controls.iter().find(|known| known.name() == name);
            *outside = match (known, self.finder.and_then(|finder| finder(name))) {
                (Some(known), _) => *known,
                (None, Some(found)) => found.map_err(|fault| Error::new(key, fault))?,
                (None, None) => {
                    return Err(Error::new(key, must_be_one_of(&self.flavours(), name)));
                }
            };
        }
        if let LinkFailure::Outside(outside) = &mut transport.link_failure {
            let name = outside.name();
            let known = self.reactions.iter().find(|known| known.name() == name);
            *outside = *known.ok_or_else(|| {
                let fault = must_be_one_of(&self.reaction_names(), name);
                Error::new(format!("{path}.link_failure"), fault)
            })?;
        }
        Ok(())
    }

    /// Finds the rate control that `mac.rate` names, if it comes from outside.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn find_rate_control(&self, rate: &mut RateChoice) -> Result<(), Error> {
        let RateChoice::Outside(outside) = rate else { return Ok(()) };
        let name = outside.name();
        *outside = match self.rate_finder.and_then(|finder| finder(name)) {
            Some(found) => found.map_err(|fault| Error::new("mac.rate", fault))?,
            None => {
                let names = RateChoice::OURS.map(|(known, _)| known);
                return Err(Error::new("mac.rate", must_be_one_of(&names, name)));
            }
        };
        Ok(())
    }

    /// The schemas of what transports have from outside, by the definition that each adds to.
    pub fn transport_schemas(&self) -> [(&'static str, Vec<Value>); 2] {
        let of = |name: &str| json!({ "type": "string", "const": name });
        let controls = self.congestion_controls.iter().map(|known| of(known.name()));
        let reactions = self.reactions.iter().map(|known| of(known.name()));
        [("Flavour", controls.collect()), ("LinkFailureReaction", reactions.collect())]
    }

    /// What `transport.scheme` can be, but for what a finder finds.
    fn flavours(&self) -> Vec<&str> {
        let outside = self.congestion_controls.iter().map(|known| known.name());
        Flavour::NAMES.iter().copied().chain(outside).collect()
    }

    /// What `transport.link_failure` can be.
    fn reaction_names(&self) -> Vec<&'static str> {
        let outside = self.reactions.iter().map(|known| known.name());
        LinkFailure::OURS.iter().map(|ours| ours.name()).chain(outside).collect()
    }

    /// The schema of the `[routing]` table: one variant for each scheme, with its name.
    pub fn routing_schema(&self, generator: &mut SchemaGenerator) -> Value {
        let variant = |entry: &Entry| {
            let mut variant = (entry.schema)(generator).to_value();
            variant["description"] = entry.about.into();
            variant["type"] = "object".into();
            let scheme = json!({ "type": "string", "const": entry.name });
            variant["properties"] = json!({ "scheme": scheme });
            variant["required"] = json!(["scheme"]);
            variant
        };
        let mut variants: Vec<Value> = self.routing.iter().map(variant).collect();
        if self.policy_finder.is_some() {
            let mut variant = generator.subschema_for::<AodvConfig>().to_value();
            variant["description"] = "AODV with the choices of a class in a file.".into();
            variant["type"] = "object".into();
            let scheme = json!({ "type": "string", "pattern": "\\.py:" });
            variant["properties"] = json!({ "scheme": scheme });
            variant["required"] = json!(["scheme"]);
            variants.push(variant);
        }
        json!({ "description": "The routing protocol and its parameters.", "oneOf": variants })
    }

    /// The schemas of the schemes' reports in a result, by scheme.
    pub fn report_schemas(&self, generator: &mut SchemaGenerator) -> Map<String, Value> {
        let schemas = self.routing.iter().filter_map(|entry| {
            let schema = (entry.report_schema)(generator)?;
            Some((entry.name.to_owned(), schema.to_value()))
        });
        schemas.collect()
    }
}

/// The schema of `[routing]` that a scenario refers to; [`Schemes::routing_schema`] replaces it.
impl JsonSchema for Routing {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Routing".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    const CHAIN: &str = "duration_s = 1\n[topology]\nkind = \"chain\"\nhops = 1\n[[flows]]\n\
                         kind = \"ftp\"\nsource = 0\ndestination = 1\n";

    #[test]
    fn every_named_scheme_applies_to_a_scenario() {
        let schemes = Schemes::standard();
        for named in schemes.named() {
            let overrides = schemes.overrides(named.name).unwrap();
            Scenario::from_toml(CHAIN, &overrides).unwrap();
        }
        assert_eq!(schemes.overrides("nonsense"), None);
    }
}
