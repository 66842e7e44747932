//! The schemes that a scenario can choose: routing by `routing.scheme`; from outside also
//! congestion controls, loss recoveries, reactions to broken routes, queue managements and rate
//! controls, each by its key; and named choices of routing, transport and MAC that can be applied
//! to any scenario.

mod additions;
mod chosen;
mod list;
mod named;
mod outside_policy;

pub use additions::Finder;
pub use chosen::choices;
pub use outside_policy::OutsidePolicy;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use toml::Table;

use crate::config::document::must_be_one_of;
use crate::config::outside::Choice;
use crate::config::table::take_choice;
use crate::config::{Error, Named};
use crate::link::{self, LinkConfig, QueueDiscipline};
use crate::mac::MacConfig;
use crate::mac::config::RateChoice;
use crate::mac::rates;
use crate::routing::{Routing, Scheme};
use crate::transport::sack::{self, RecoveryScheme};
use crate::transport::{Flavour, LinkFailure, TcpConfig, congestion, link_failure};
use additions::Additions;

/// The available schemes. Another crate adds its own: `Schemes::standard().with_routing::<Mine>()`.
#[derive(Clone, Debug, Default)]
pub struct Schemes {
    routing: Vec<Entry>,
    policy_finder: Option<Finder<OutsidePolicy>>,
    congestion_controls: Additions<Flavour>,
    loss_recoveries: Additions<RecoveryScheme>,
    reactions: Additions<LinkFailure>,
    queues: Additions<QueueDiscipline>,
    rate_controls: Additions<RateChoice>,
    named: Vec<Named>,
}

/// A routing scheme by its name.
#[derive(Clone, Copy, Debug)]
struct Entry {
    name: &'static str,
    about: &'static str,
    messages: &'static [(&'static str, &'static str)],
    keeps_routes: bool,
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
            messages: S::MESSAGES,
            keeps_routes: S::KEEPS_ROUTES,
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
    pub fn with_congestion_control(mut self, control: congestion::Outside) -> Schemes {
        self.congestion_controls.add(control);
        self
    }

    /// Adds a loss recovery, which `transport.recovery.scheme` then knows.
    ///
    /// # Panics
    /// If the name is taken.
    pub fn with_loss_recovery(mut self, recovery: sack::Outside) -> Schemes {
        self.loss_recoveries.add(recovery);
        self
    }

    /// Adds a reaction to broken routes, which `transport.link_failure` then knows.
    ///
    /// # Panics
    /// If the name is taken.
    pub fn with_link_failure(mut self, reaction: link_failure::Outside) -> Schemes {
        self.reactions.add(reaction);
        self
    }

    /// Adds a queue management, which `link.queue` then knows.
    ///
    /// # Panics
    /// If the name is taken.
    pub fn with_queue(mut self, queue: link::Outside) -> Schemes {
        self.queues.add(queue);
        self
    }

    /// Adds a rate control, which `mac.rate` then knows.
    ///
    /// # Panics
    /// If the name is taken.
    pub fn with_rate_control(mut self, control: rates::Outside) -> Schemes {
        self.rate_controls.add(control);
        self
    }

    /// Has `finder` look for congestion controls that are none of these.
    pub fn finding_congestion_controls(mut self, finder: Finder<congestion::Outside>) -> Schemes {
        self.congestion_controls.finder = Some(finder);
        self
    }

    /// Has `finder` look for policies and metrics of protocols where `routing.scheme` is none of these.
    pub fn finding_policies(mut self, finder: Finder<OutsidePolicy>) -> Schemes {
        self.policy_finder = Some(finder);
        self
    }

    /// Has `finder` look for rate controls that are none of these.
    pub fn finding_rate_controls(mut self, finder: Finder<rates::Outside>) -> Schemes {
        self.rate_controls.finder = Some(finder);
        self
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

    /// The names that messages have, and what each is, in the order of the schemes.
    pub fn messages(&self) -> Vec<(&'static str, &'static str)> {
        let mut messages: Vec<(&str, &str)> = Vec::new();
        for &(name, about) in self.routing.iter().flat_map(|entry| entry.messages) {
            if messages.iter().all(|(known, _)| *known != name) {
                messages.push((name, about));
            }
        }
        messages
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

    /// Whether nodes keep routes to all others by what `routing.scheme` calls `name`.
    pub fn keeps_routes(&self, name: &str) -> bool {
        let found = || self.policy_finder.and_then(|finder| finder(name)?.ok());
        match self.routing.iter().find(|entry| entry.name == name) {
            Some(entry) => entry.keeps_routes,
            None => found().is_some_and(OutsidePolicy::keeps_routes),
        }
    }

    /// Finds what the `[transport]` table at `path` names, if it comes from outside.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn find_transport(&self, transport: &mut TcpConfig, path: &str) -> Result<(), Error> {
        self.congestion_controls.find(&mut transport.scheme, format!("{path}.scheme"))?;
        if let Some(recovery) = &mut transport.recovery.scheme {
            self.loss_recoveries.find(recovery, format!("{path}.recovery.scheme"))?;
        }
        self.reactions.find(&mut transport.link_failure, format!("{path}.link_failure"))
    }

    /// Finds what the `[mac]` and `[link]` tables name, if it comes from outside.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn find_node(&self, mac: &mut MacConfig, link: &mut LinkConfig) -> Result<(), Error> {
        self.rate_controls.find(&mut mac.rate, RateChoice::KEY)?;
        match &mut link.queue {
            Some(queue) => self.queues.find(queue, QueueDiscipline::KEY),
            None => Ok(()),
        }
    }

    /// The definitions in the schema that those from outside add to, and what they add.
    pub fn additions(&self) -> [(&'static str, Vec<Value>); 5] {
        [
            self.congestion_controls.schemas(),
            self.loss_recoveries.schemas(),
            self.reactions.schemas(),
            self.queues.schemas(),
            self.rate_controls.schemas(),
        ]
    }

    /// The schema of the `[routing]` table: one variant for each scheme, with its name.
    pub fn routing_schema(&self, generator: &mut SchemaGenerator) -> Value {
        let mut variants: Vec<Value> = Vec::new();
        for entry in &self.routing {
            let keys = (entry.schema)(generator);
            let name = json!({ "type": "string", "const": entry.name });
            variants.push(with_scheme(entry.about, name, &[keys], generator));
        }
        if self.policy_finder.is_some() {
            let about = "A protocol with the choices, or the metric, of a class in a file.";
            let name = json!({ "type": "string", "pattern": "\\.py:" });
            let keys = OutsidePolicy::schemas(generator);
            variants.push(with_scheme(about, name, &keys, generator));
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

/// The schema of a table with the keys of all of `tables`, and `scheme`.
fn with_scheme(
    about: &str,
    scheme: Value,
    tables: &[Schema],
    generator: &SchemaGenerator,
) -> Value {
    let mut properties = Map::from_iter([("scheme".to_owned(), scheme)]);
    let mut table = Value::Null;
    for keys in tables {
        let name = keys.get("$ref").and_then(Value::as_str).and_then(|at| at.rsplit('/').next());
        table = name
            .and_then(|name| generator.definitions().get(name).cloned())
            .unwrap_or_else(|| keys.clone().to_value());
        if let Some(Value::Object(more)) = table.get_mut("properties").map(Value::take) {
            properties.extend(more);
        }
    }
    table["description"] = about.into();
    table["properties"] = properties.into();
    table["additionalProperties"] = false.into();
    table["required"] = json!(["scheme"]);
    table
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
