//! Which schemes there are, and which a scenario chooses, by the keys where those of another crate
//! can stand.

use toml::{Table, Value};

use super::Schemes;
use crate::config::Named;
use crate::config::document::Document;
use crate::config::outside::Choice;
use crate::link::QueueDiscipline;
use crate::mac::config::RateChoice;
use crate::transport::sack::RecoveryScheme;
use crate::transport::{Flavour, LinkFailure};

const ROUTING: &str = "routing.scheme";
/// Named schemes, which no key holds.
const NAMED: &str = "scheme";
/// The keys of a scenario that choose for all nodes.
const OF_NODES: [&str; 3] = [ROUTING, RateChoice::KEY, QueueDiscipline::KEY];
/// Those that a flow can choose for itself as well.
const OF_FLOWS: [&str; 3] = [Flavour::KEY, RecoveryScheme::KEY, LinkFailure::KEY];

impl Schemes {
    /// Every scheme as key and name: those of routing, those from outside, and `scheme` for named
    /// schemes.
    pub fn names(&self) -> Vec<(&'static str, &'static str)> {
        let named = self.named().iter().map(|&Named { name, .. }| (NAMED, name));
        let routing = self.routing_names().into_iter().map(|name| (ROUTING, name));
        named
            .chain(routing)
            .chain(self.congestion_controls.added())
            .chain(self.loss_recoveries.added())
            .chain(self.reactions.added())
            .chain(self.queues.added())
            .chain(self.rate_controls.added())
            .collect()
    }
}

/// What a scenario chooses, right or wrong, as key and name; keys of a flow's own transport are as
/// all flows' are.
pub fn choices(document: &Document) -> Vec<(&'static str, String)> {
    let flows = document.values.get("flows").and_then(Value::as_array).into_iter().flatten();
    let holders = flows.filter_map(Value::as_table).chain([&document.values]);
    let of_flows = holders.flat_map(|holder| OF_FLOWS.map(|key| (key, text(holder, key))));
    let of_nodes = OF_NODES.map(|key| (key, text(&document.values, key)));
    of_nodes.into_iter().chain(of_flows).filter_map(|(key, name)| Some((key, name?))).collect()
}

/// The text at the key path `path`.
fn text(values: &Table, path: &str) -> Option<String> {
    let (tables, key) = path.rsplit_once('.')?;
    let holder = tables.split('.').try_fold(values, |holder, name| holder.get(name)?.as_table());
    holder?.get(key)?.as_str().map(str::to_owned)
}
