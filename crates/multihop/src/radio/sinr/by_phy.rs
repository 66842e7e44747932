//! The rules of receivers where stations have several PHYs.

use super::Rules;
use crate::wire::NodeId;

/// The [`Rules`] of each PHY that stations have.
#[derive(Debug)]
pub struct RulesByPhy {
    all: Vec<Rules>,
    /// The PHY of each station, if there are several.
    phys: Vec<u8>,
}

impl RulesByPhy {
    /// Those of `all` PHYs, of which `phys` has the place of each station's.
    pub fn new(all: Vec<Rules>, phys: Vec<u8>) -> RulesByPhy {
        let phys = if all.len() == 1 { Vec::new() } else { phys };
        RulesByPhy { all, phys }
    }

    fn place(&self, station: NodeId) -> usize {
        self.phys.get(station.index()).map_or(0, |&phy| usize::from(phy))
    }

    /// Those of `station`.
    #[inline]
    pub fn of(&self, station: NodeId) -> &Rules {
        &self.all[self.place(station)]
    }

    /// The same, to change them.
    pub fn of_mut(&mut self, station: NodeId) -> &mut Rules {
        let place = self.place(station);
        &mut self.all[place]
    }
}

/// The same for all stations.
impl From<Rules> for RulesByPhy {
    fn from(rules: Rules) -> RulesByPhy {
        RulesByPhy::new(vec![rules], Vec::new())
    }
}
