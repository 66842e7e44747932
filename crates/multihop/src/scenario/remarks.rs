//! What is said about a network that is built all the same.

use std::fmt::Display;

use crate::config::shown::shown;

/// How many of a kind are named before the rest are counted.
pub(super) const NAMED: usize = 6;

/// What reading a scenario's files and placing its nodes has to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remarks {
    /// Warnings: they do not stop the run.
    pub warnings: Vec<String>,
    /// Each node's number in its file of movement or positions, where that is another; empty
    /// otherwise.
    pub node_numbers: Vec<u64>,
}

impl Remarks {
    /// Warns once.
    pub(super) fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Notes which of a file's `numbers` became which node.
    pub(super) fn on_numbers(&mut self, file: &str, numbers: &[u64]) {
        if numbers.is_empty() {
            return;
        }
        self.warn(format!(
            "{file}: its nodes are taken in the order of their numbers: {}",
            which_became_which(numbers)
        ));
        self.node_numbers = numbers.to_vec();
    }

    /// Notes which of a file's `ids`, some of which are no numbers, became which node.
    pub(super) fn on_ids(&mut self, file: &str, ids: &[String]) {
        if ids.is_empty() {
            return;
        }
        let told: Vec<String> = ids.iter().take(NAMED + 1).map(|id| shown(id)).collect();
        self.warn(format!(
            "{file}: its nodes are taken in the order of the lines: {}",
            which_became_which(&told)
        ));
    }
}

fn which_became_which(ids: &[impl Display]) -> String {
    let named = ids.iter().enumerate().take(NAMED);
    let named: Vec<String> = named.map(|(node, id)| format!("{id} is node {node}")).collect();
    let rest = if ids.len() > NAMED { ", and so on" } else { "" };
    format!("{}{rest}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_file_are_said_once() {
        let mut remarks = Remarks::default();
        remarks.on_numbers("a.tcl", &[]);
        remarks.on_numbers("a.tcl", &[6, 9]);
        remarks.on_numbers("a.tcl", &[6, 9]);
        let said =
            "a.tcl: its nodes are taken in the order of their numbers: 6 is node 0, 9 is node 1";
        assert_eq!((remarks.warnings, remarks.node_numbers), (vec![said.to_owned()], vec![6, 9]));
    }
}
