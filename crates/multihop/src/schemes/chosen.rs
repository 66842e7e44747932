//! Which schemes there are, and which a scenario chooses, by the keys where those of another crate can stand.

use toml::{Table, Value};

use super::Schemes;
use crate::config::Named;
use crate::config::document::Document;

const ROUTING: &str = "routing.scheme";
const CONGESTION_CONTROL: &str = "transport.scheme";
const LINK_FAILURE: &str = "transport.link_failure";
/// Named schemes, which no key holds.
const NAMED: &str = "scheme";

impl Schemes {
    /// Every scheme as key and name: `routing.scheme`, `transport.scheme`, `transport.link_failure`, and `scheme` for
    /// named schemes.
    pub fn names(&self) -> Vec<(&'static str, &'static str)> {
        let named = self.named().iter().map(|&Named { name, .. }| (NAMED, name));
        let routing = self.routing_names().into_iter().map(|name| (ROUTING, name));
        let controls =
            self.congestion_controls.iter().map(|known| (CONGESTION_CONTROL, known.name()));
        let reactions = self.reactions.iter().map(|known| (LINK_FAILURE, known.name()));
        named.chain(routing).chain(controls).chain(reactions).collect()
    }
}

/// What a scenario chooses, right or wrong, as key and name; keys of a flow's own transport are as all flows' are.
pub fn choices(document: &Document) -> Vec<(&'static str, String)> {
    let of_transport = |transport: &Table| {
        let keys = [(CONGESTION_CONTROL, "scheme"), (LINK_FAILURE, "link_failure")];
        keys.into_iter().filter_map(|(key, name)| Some((key, text(transport, name)?))).collect()
    };
    let routing = table(&document.values, "routing").and_then(|routing| text(routing, "scheme"));
    let flows = document.values.get("flows").and_then(Value::as_array).into_iter().flatten();
    let tables = flows.filter_map(Value::as_table).chain([&document.values]);
    let transports = tables.filter_map(|holder| table(holder, "transport"));
    let of_transports = transports.flat_map(|transport| -> Vec<_> { of_transport(transport) });
    routing.map(|name| (ROUTING, name)).into_iter().chain(of_transports).collect()
}

fn table<'a>(values: &'a Table, key: &str) -> Option<&'a Table> {
    values.get(key).and_then(Value::as_table)
}

fn text(values: &Table, key: &str) -> Option<String> {
    values.get(key).and_then(Value::as_str).map(str::to_owned)
}
