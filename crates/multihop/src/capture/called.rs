//! What people call nodes and flows, for files that they open in other programs.

use crate::radio::StationLayout;
use crate::wire::NodeId;

/// The names of nodes and flows, fit to be shown.
#[derive(Clone, Debug, Default)]
pub struct Called {
    nodes: Vec<String>,
    flows: Vec<Option<String>>,
    /// By station, where nodes have several.
    stations: Vec<String>,
}

impl Called {
    /// By node what it is told as, if nodes have names, and by flow the name of its table.
    pub fn new(nodes: Vec<String>, flows: Vec<Option<String>>) -> Called {
        let nodes = nodes.iter().map(|name| shown(name)).collect();
        let flows = flows.iter().map(|name| name.as_deref().map(shown)).collect();
        Called { nodes, flows, stations: Vec::new() }
    }

    /// The same with the nodes' stations, if some have several: each by its node and its interface.
    #[must_use]
    pub fn with_stations(self, layout: &StationLayout) -> Called {
        let all = (0..layout.count() as u32).map(NodeId).filter(|_| layout.are_several());
        let station = |station| {
            format!("{} {}", self.node(layout.node(station)), shown(layout.name(station)))
        };
        let stations = all.map(station).collect();
        Called { stations, ..self }
    }

    /// A node, if nodes have names.
    pub fn named(&self, node: NodeId) -> Option<&str> {
        self.nodes.get(node.index()).map(String::as_str)
    }

    /// A node: by its number if nodes have no names.
    pub fn node(&self, node: NodeId) -> String {
        self.named(node).map_or_else(|| node.0.to_string(), str::to_owned)
    }

    /// A station: its node, where nodes have one each.
    pub fn station(&self, station: NodeId) -> String {
        self.stations.get(station.index()).cloned().unwrap_or_else(|| self.node(station))
    }

    /// A flow by its number, and its name if it has one.
    pub fn flow(&self, flow: u32) -> String {
        match self.flows.get(flow as usize) {
            Some(Some(name)) => format!("flow {flow} ({name})"),
            _ => format!("flow {flow}"),
        }
    }
}

/// The text without characters that a program would obey, such as those that turn the direction of
/// writing.
pub fn shown(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
            || matches!(c, '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().map(|c| if is_hidden(c) { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_and_obeyed_by_nothing() {
        let called = Called::new(
            vec!["a\u{1b}[31m\u{202e} (0)".to_owned(), "1".to_owned()],
            vec![None, Some("call\n".to_owned())],
        );
        assert_eq!(called.node(NodeId(0)), "a?[31m? (0)");
        assert_eq!((called.flow(0), called.flow(1)), ("flow 0".into(), "flow 1 (call?)".into()));
        assert_eq!(Called::default().node(NodeId(7)), "7");
    }
}
