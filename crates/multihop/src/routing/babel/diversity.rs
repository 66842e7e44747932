//! Diversity of channels: hops of a path on one channel wait for each other, so that a path is
//! worth more if its hops differ.
//!
//! Updates say which channels a route takes, from its first hop on, in a sub-TLV; what a route
//! costs follows from them. By `channel` and `path` a link that shares no channel with the route
//! behind it counts for a part of its cost (J. Chroboczek:
//! draft-chroboczek-babel-diversity-routing-00, 2014, and option `-z` of babeld: without and with
//! memory). By `wcett` a route costs (1 - b) times the sum over its links and b times the largest
//! sum over those on one channel (R. Draves, J. Padhye, B. Zill: "Routing in Multi-Radio, Multi-Hop
//! Wireless Mesh Networks", MobiCom 2004).
//!
//! What was compared: with babeld's manual, kinds 2 and 3 of `-z` and its factor, 128 of 256; with
//! RFC 8966 section 5, the sub-TLV's number; with the abstracts of the draft and of the paper, what
//! they are for. The texts of both were not at hand: what "memory" is, the sub-TLV's octets,
//! WCETT's formula and its b of 0.5 are from memory.
//!
//! Deviation: the paper has sources choose whole paths by WCETT, which a distance vector cannot:
//! the best route of a neighbour may not be the best to go on from here. Every metric grows with
//! each link, so that the feasibility condition still holds off loops.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::seqno::{INFINITY, add};

/// Channels that an update names at most. Ours, to bound its size.
const MOST: usize = 6;

/// What the channels of a route do to its metric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Diversity {
    /// Nothing.
    #[default]
    None,
    /// A link counts in part unless the next hop's own is on its channel.
    Channel,
    /// A link counts in part unless any behind it is on its channel.
    Path,
    /// The weighted cumulative expected transmission time.
    Wcett,
}

impl Diversity {
    /// Whether it changes nothing.
    pub fn is_none(&self) -> bool {
        *self == Diversity::None
    }
}

/// The channels of a route, the one of its first hop first, each with the cost of its links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channels {
    len: u8,
    of: [(u8, u16); MOST],
}

impl Channels {
    /// Each channel with the cost of its links.
    pub fn iter(&self) -> impl Iterator<Item = (u8, u16)> {
        self.of.into_iter().take(self.len.into())
    }

    /// Whether none is named.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A link of `channel` that costs so much, and then these. Of too many the last is left out.
    #[must_use]
    pub fn behind(&self, (channel, cost): (u8, u16)) -> Channels {
        let before = self.iter().find(|one| one.0 == channel).map_or(0, |one| one.1);
        let mut all = Channels::default();
        all.push(channel, add(before, cost));
        self.iter().filter(|one| one.0 != channel).for_each(|(other, cost)| all.push(other, cost));
        all
    }

    /// Appends a channel, if there is room.
    pub fn push(&mut self, channel: u8, cost: u16) {
        if let Some(place) = self.of.get_mut(usize::from(self.len)) {
            *place = (channel, cost);
            self.len += 1;
        }
    }
}

/// How metrics follow from costs.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// By which rule.
    pub diversity: Diversity,
    /// The part for which a link counts that shares no channel.
    pub factor: f64,
    /// The weight of the busiest channel, b.
    pub beta: f64,
}

impl Weights {
    /// The metric of a route that is announced with metric `advertised` over these channels, by a
    /// link of a channel that costs so much.
    pub fn metric(
        &self,
        advertised: u16,
        channels: Option<&Channels>,
        (channel, cost): (u8, u16),
    ) -> u16 {
        let Some(channels) = channels.filter(|_| advertised != INFINITY && cost != INFINITY) else {
            return add(advertised, cost);
        };
        let shares = match self.diversity {
            Diversity::None => true,
            Diversity::Channel => channels.iter().next().is_none_or(|first| first.0 == channel),
            Diversity::Path => {
                channels.is_empty() || channels.iter().any(|other| other.0 == channel)
            }
            Diversity::Wcett => return self.wcett(advertised, &channels.behind((channel, cost))),
        };
        let part = (f64::from(cost) * self.factor).round().max(1.0) as u16;
        add(advertised, if shares { cost } else { part })
    }

    /// The metric over these channels; more than that of the part which was announced.
    fn wcett(&self, advertised: u16, channels: &Channels) -> u16 {
        let sum: u32 = channels.iter().map(|one| u32::from(one.1)).sum();
        let busiest = channels.iter().map(|one| one.1).max().unwrap_or(0);
        let metric = (1.0 - self.beta) * f64::from(sum) + self.beta * f64::from(busiest);
        let metric = metric.round().min(f64::from(INFINITY - 1)) as u16;
        metric.max(add(advertised, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channels(list: &[(u8, u16)]) -> Channels {
        let mut channels = Channels::default();
        list.iter().for_each(|&(channel, cost)| channels.push(channel, cost));
        channels
    }

    fn metric(diversity: Diversity, advertised: u16, list: &[(u8, u16)], link: (u8, u16)) -> u16 {
        let weights = Weights { diversity, factor: 0.5, beta: 0.5 };
        weights.metric(advertised, Some(&channels(list)), link)
    }

    #[test]
    fn a_link_counts_half_that_shares_no_channel_with_the_next_or_with_any_behind_it() {
        let behind = [(1, 256), (6, 512)];
        let of = |diversity, channel| metric(diversity, 768, &behind, (channel, 256)) - 768;
        assert_eq!([1, 6, 11].map(|channel| of(Diversity::Channel, channel)), [256, 128, 128]);
        assert_eq!([1, 6, 11].map(|channel| of(Diversity::Path, channel)), [256, 256, 128]);
        assert_eq!(metric(Diversity::Path, 0, &[], (1, 256)), 256, "the neighbour itself");
    }

    // By hand: (1 - b) times the sum, b times the largest sum of a channel.
    #[test]
    fn wcett_weighs_the_sum_and_the_busiest_channel() {
        assert_eq!(metric(Diversity::Wcett, 0, &[], (1, 256)), 256);
        assert_eq!(metric(Diversity::Wcett, 256, &[(6, 256)], (1, 256)), 384, "512/2 + 256/2");
        assert_eq!(metric(Diversity::Wcett, 256, &[(1, 256)], (1, 256)), 512);
        assert_eq!(metric(Diversity::Wcett, 512, &[(1, 256), (6, 256)], (6, 100)), 513, "grows");
    }

    #[test]
    fn a_route_that_is_retracted_or_a_link_that_is_down_has_no_metric() {
        for diversity in [Diversity::None, Diversity::Path, Diversity::Wcett] {
            assert_eq!(metric(diversity, INFINITY, &[], (1, 256)), INFINITY);
            assert_eq!(metric(diversity, 256, &[(1, 256)], (1, INFINITY)), INFINITY);
        }
    }

    #[test]
    fn channels_are_kept_from_the_first_hop_on_and_once_each() {
        let list = |channels: Channels| channels.iter().collect::<Vec<_>>();
        let all = channels(&[(1, 10), (6, 20)]);
        assert_eq!(list(all.behind((6, 5))), [(6, 25), (1, 10)]);
        let many = (1..=6).fold(Channels::default(), |all, channel| all.behind((channel, 1)));
        assert_eq!(list(many.behind((7, 1))), [7, 6, 5, 4, 3, 2].map(|channel| (channel, 1)));
    }
}
