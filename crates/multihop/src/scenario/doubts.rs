//! What is likely not meant although it can be run: warnings of the choices that a scenario makes
//! together.

use toml::{Table, Value};

use super::topology::Topology;
use super::{Network, Scenario};
use crate::radio::config::{RadioConfig, Reception};

impl Scenario {
    /// What is likely not meant, one sentence each.
    pub fn doubts(&self, network: &Network) -> Vec<String> {
        [self.reach_beyond_power(), self.flows_without_routes(network)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Frames of a PHY by table are received from farther away than its power reaches.
    fn reach_beyond_power(&self) -> Option<String> {
        let is_by_range = self.radio.reception == Reception::Threshold
            && self.radio.gains_db.is_none()
            && !matches!(*self.topology, Topology::Links(_));
        let signal = self.mac.signal().filter(|_| is_by_range)?;
        let by_signal = Table::from_iter([("reception".to_owned(), Value::from("sinr"))]);
        let by_power_m = RadioConfig::read(by_signal, Some(signal)).ok()?.receive_range_m;
        let range_m = self.radio.receive_range_m;
        (range_m > by_power_m).then(|| {
            format!(
                "radio.reception \"threshold\" receives every frame up to {range_m:.0} m, at {} Mbit/s as well; \
                 with \"sinr\" power, noise and rate decide, and that rate reaches {by_power_m:.0} m",
                self.mac.data_rate_bps / 1e6
            )
        })
    }

    /// Flows over several hops where nobody forwards.
    fn flows_without_routes(&self, network: &Network) -> Option<String> {
        if self.routing.is_multi_hop() {
            return None;
        }
        let flows = &network.flows;
        let is_far = |hops: Option<u32>| hops.is_some_and(|hops| hops > 1);
        let first = flows.iter().position(|flow| is_far(flow.least_hops))?;
        let far = flows.iter().filter(|flow| is_far(flow.least_hops)).count();
        let flow = &flows[first];
        Some(format!(
            "routing.scheme {:?} forwards nothing, and {far} of {} flows go over several hops: {}, from node \
             {} to node {}, delivers nothing",
            self.routing.name(),
            flows.len(),
            flow.called(first),
            self.topology.names.told(flow.source),
            self.topology.names.told(flow.destination)
        ))
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::Scenario;

    fn doubts(more: &[(&str, &str)]) -> Vec<String> {
        let text = "duration_s = 9\n[topology]\nkind = \"chain\"\nhops = 2\nspacing_m = 60\n\
                    [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 1\n\
                    [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 2\n";
        let more: Vec<_> = more.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        let scenario = Scenario::from_toml(text, &more).unwrap();
        scenario.doubts(&scenario.network(1).unwrap())
    }

    #[test]
    fn a_fast_rate_by_range_alone_is_doubted_and_by_signal_is_not() {
        let fast = [("mac.phy", "802.11n"), ("mac.data_rate_bps", "65e6")];
        let [doubt] = &doubts(&fast)[..] else { panic!("one doubt") };
        assert!(doubt.contains("up to 250 m, at 65 Mbit/s"), "{doubt}");
        let near = [fast[0], fast[1], ("radio.receive_range_m", "70")];
        assert_eq!(doubts(&near), [""; 0]);
        assert_eq!(doubts(&[fast[0], ("radio.reception", "sinr")]), [""; 0]);
        assert_eq!(doubts(&[]), [""; 0]);
    }

    #[test]
    fn without_routing_only_flows_between_neighbours_are_not_doubted() {
        let apart = [("routing.scheme", "none"), ("topology.spacing_m", "200")];
        let [doubt] = &doubts(&apart)[..] else { panic!("one doubt") };
        assert!(doubt.contains("1 of 2 flows") && doubt.contains("flow 1, from node 0 to node 2"));
        assert_eq!(doubts(&[apart[0]]), [""; 0]);
    }
}
