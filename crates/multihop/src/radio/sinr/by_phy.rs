//! The rules of receivers where stations have several PHYs.

use super::Rules;
use crate::wire::NodeId;

/// The [`Rules`] of each PHY that stations have.
#[derive(Debug)]
pub struct RulesByPhy {
    /// Those of the first PHY, at hand: mostly there is no other.
    first: Rules,
    others: Vec<Rules>,
    /// The PHY of each station, if there are several.
    phys: Vec<u8>,
}

impl RulesByPhy {
    /// Those of `first` and `others`, of which `phys` has the place of each station's.
    pub fn new(first: Rules, others: Vec<Rules>, phys: Vec<u8>) -> RulesByPhy {
        let phys = if others.is_empty() { Vec::new() } else { phys };
        RulesByPhy { first, others, phys }
    }

    /// Those of `station`.
    #[inline(always)]
    pub fn of(&self, station: NodeId) -> &Rules {
        if self.phys.is_empty() { &self.first } else { self.other(station) }
    }

    #[cold]
    fn other(&self, station: NodeId) -> &Rules {
        match self.phys[station.index()] {
            0 => &self.first,
            phy => &self.others[usize::from(phy) - 1],
        }
    }

    /// The same, to change them.
    pub fn of_mut(&mut self, station: NodeId) -> &mut Rules {
        match self.phys.get(station.index()) {
            None | Some(0) => &mut self.first,
            Some(&phy) => &mut self.others[usize::from(phy) - 1],
        }
    }
}

/// The same for all stations.
impl From<Rules> for RulesByPhy {
    fn from(rules: Rules) -> RulesByPhy {
        RulesByPhy::new(rules, Vec::new(), Vec::new())
    }
}
