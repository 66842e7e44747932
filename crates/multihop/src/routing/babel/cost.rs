//! What a link costs (appendix A.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::history::History;
use super::seqno::INFINITY;

/// The cost of a perfect link by ETX.
pub const PERFECT: u16 = 256;

/// How a link's cost is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Expected transmissions, 256 each, by the share of Hellos that come (appendix A.2.2).
    #[default]
    Etx,
    /// A constant, as long as enough of the last Hellos come (appendix A.2.1).
    KOutOfJ,
}

/// The way to compute costs, with its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// How.
    pub metric: Metric,
    /// Hellos that ETX looks back on.
    pub window: u8,
    /// Of the last `j` Hellos.
    pub j: u8,
    /// So many have to come.
    pub k: u8,
    /// The cost of a link that is up, if these come.
    pub nominal: u16,
}

impl Costs {
    /// The cost of hearing a neighbour.
    pub fn rxcost(&self, multicast: &History, unicast: &History) -> u16 {
        match self.metric {
            Metric::Etx => {
                let (came, of) = (multicast.came(self.window), u32::from(self.window));
                let cost = (u32::from(PERFECT) * of + came / 2).checked_div(came);
                cost.map_or(INFINITY, |cost| cost as u16)
            }
            Metric::KOutOfJ => {
                let is_up = |history: &History| history.came(self.j) >= self.k.into();
                if is_up(multicast) || is_up(unicast) { self.nominal } else { INFINITY }
            }
        }
    }

    /// The cost of the link to a neighbour which hears us at `txcost`.
    pub fn cost(&self, rxcost: u16, txcost: u16) -> u16 {
        if rxcost == INFINITY || txcost == INFINITY {
            return INFINITY;
        }
        match self.metric {
            Metric::Etx => {
                let product = u32::from(txcost.max(PERFECT)) * u32::from(rxcost);
                u16::try_from(product / u32::from(PERFECT)).unwrap_or(INFINITY)
            }
            // A neighbour may say 0, and a cost is positive (section 3.4.3).
            Metric::KOutOfJ => txcost.max(1),
        }
    }

    /// Whether the latest Hellos have all come, so that IHUs may be sent less often.
    pub fn is_lossless(&self, multicast: &History) -> bool {
        let of = match self.metric {
            Metric::Etx => self.window,
            Metric::KOutOfJ => self.j,
        };
        multicast.came(of) == u32::from(of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Instant;
    use crate::routing::babel::seqno::Seqno;
    use crate::routing::babel::tlv::Hello;

    fn costs(metric: Metric) -> Costs {
        Costs { metric, window: 6, j: 3, k: 2, nominal: 96 }
    }

    fn history(seqnos: &[u16]) -> History {
        let mut history = History::default();
        for &seqno in seqnos {
            let hello = Hello { is_unicast: false, seqno: Seqno(seqno), interval: 400 };
            history.hear(Instant::ZERO, &hello);
        }
        history
    }

    // Appendix A.2.2.
    #[test]
    fn rxcost_by_etx_is_256_over_the_share_of_hellos_that_came() {
        let none = History::default();
        let etx = |seqnos: &[u16]| costs(Metric::Etx).rxcost(&history(seqnos), &none);
        assert_eq!(etx(&[1, 2, 3, 4, 5, 6]), 256);
        assert_eq!(etx(&[1, 2, 3, 5, 6]), 307, "256 * 6 / 5");
        assert_eq!(etx(&[1, 3, 5]), 512);
        assert_eq!(etx(&[1]), 1536);
        assert_eq!(etx(&[]), INFINITY);
    }

    // Appendix A.2.2.
    #[test]
    fn etx_counts_no_unicast_hellos() {
        let costs = costs(Metric::Etx);
        assert_eq!(costs.rxcost(&History::default(), &history(&[1, 2, 3])), INFINITY);
    }

    // Appendix A.2.2.
    #[test]
    fn cost_by_etx_is_the_product_of_both_directions() {
        let cost = |rxcost, txcost| costs(Metric::Etx).cost(rxcost, txcost);
        assert_eq!([cost(256, 256), cost(512, 384), cost(307, 256)], [256, 768, 307]);
        assert_eq!(cost(512, 96), 512, "a txcost below 256 counts as that");
        assert_eq!([cost(INFINITY, 256), cost(256, INFINITY), cost(9000, 9000)], [INFINITY; 3]);
    }

    // Appendix A.2.1.
    #[test]
    fn two_out_of_three_hellos_of_either_kind_make_a_link() {
        let (costs, none) = (costs(Metric::KOutOfJ), History::default());
        assert_eq!(costs.rxcost(&history(&[1]), &none), INFINITY);
        assert_eq!(costs.rxcost(&history(&[1, 2]), &none), 96);
        assert_eq!(costs.rxcost(&history(&[1, 2, 4]), &none), 96);
        assert_eq!(costs.rxcost(&history(&[1, 2, 5]), &none), INFINITY);
        assert_eq!(costs.rxcost(&none, &history(&[1, 2])), 96);
        assert_eq!([costs.cost(96, 200), costs.cost(INFINITY, 96)], [200, INFINITY]);
    }
}
