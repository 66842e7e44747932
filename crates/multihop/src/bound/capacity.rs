//! What bounds the rates that a scenario's network can give its flows: who hears whom, how
//! strongly, over time, and how long the exchanges take that carry a packet. `docs/use/bound.md`
//! says what is made of it.

use serde::Serialize;

use super::exchange::{Exchange, Shapes, is_mixed};
use super::periods::{Period, periods};
use crate::config::Error;
use crate::kernel::Instant;
use crate::mac::Timing;
use crate::mac::config::MacConfig;
use crate::mac::reservation::{Mark, Timeline};
use crate::profile::Profile;
use crate::radio::config::Reception;
use crate::scenario::{
    EventTable, FlowLoad, FlowSpec, LargestPacket as Packet, Names, Role, Scenario,
};
use crate::wire::NodeId;

/// The network of a scenario, as far as it bounds what its flows can get.
#[derive(Clone, Debug, Serialize)]
pub struct Capacity {
    /// Nodes.
    pub nodes: usize,
    /// Simulated time \[s\].
    pub duration_s: f64,
    /// Seed of the network.
    pub seed: u64,
    /// Stations count a medium as busy while a captured frame is on the air: ns-2's profile.
    pub notes_captured: bool,
    /// How many times as strong as another a frame is that survives it; none if none does.
    pub capture_ratio: Option<f64>,
    /// The kinds of station: one, or those of `[[interfaces]]`, then one of each wire.
    pub kinds: Vec<Kind>,
    /// The node and the place in `kinds` of each station.
    pub stations: Vec<[u32; 2]>,
    /// What the nodes are called, unless they have numbers alone.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub node_names: Names,
    /// The flows.
    pub flows: Vec<Demand>,
    /// The network over time; one period if no node moves.
    pub periods: Vec<Period>,
}

/// Stations alike: a radio on a channel, or the ports of a wire.
#[derive(Clone, Debug, Serialize)]
pub struct Kind {
    /// Their channel; none if they are ports of a wire.
    pub channel: Option<u32>,
    /// They are clients of access points, and carry nothing for others.
    pub is_client: bool,
    /// They send in slots, without sensing the carrier before: no bound holds for them.
    pub is_slotted: bool,
    /// The slots that they reserve, if they do.
    pub slot: Option<Slot>,
    /// Short interframe space \[s\].
    pub sifs_s: f64,
    /// DCF interframe space \[s\].
    pub difs_s: f64,
    /// Extended interframe space \[s\].
    pub eifs_s: f64,
    /// Air time of an RTS \[s\].
    pub rts_s: f64,
    /// Air time of the CTS that answers it \[s\].
    pub cts_s: f64,
}

/// When things happen in a slot that stations reserve, from its begin on \[s\].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Slot {
    /// When the calls for an open slot are over.
    pub called_s: f64,
    /// When data begin: the rounds are over.
    pub data_s: f64,
    /// When acknowledgments begin, and after them what is returned.
    pub acks_s: f64,
    /// When the next slot begins.
    pub end_s: f64,
}

/// A flow, and what a packet of it costs.
#[derive(Clone, Debug, Serialize)]
pub struct Demand {
    /// Its number.
    pub id: usize,
    /// The name of its table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The kind of its table.
    pub kind: &'static str,
    /// Source node.
    pub source: u32,
    /// Destination node.
    pub destination: u32,
    /// Hops of a shortest path at the initial positions.
    pub hops: Option<u32>,
    /// Start \[s\].
    pub start_s: f64,
    /// Until when its arrivals count: its stop over TCP, the end of the run over UDP \[s\].
    pub end_s: f64,
    /// Payload of a packet at most \[bytes\].
    pub payload_bytes: u32,
    /// What it offers at most \[bit/s\]; none without limit.
    pub offered_bps: Option<f64>,
    /// The least that a packet takes over a link of each kind of station.
    pub exchanges: Vec<Exchange>,
}

impl Capacity {
    /// Of `scenario` with `seed`, each period at most `step_s` long if nodes move. What is sent in
    /// slots is counted as if the DCF sent it.
    ///
    /// # Errors
    /// If the network can't be built, receivers go by signal and noise, stations have access
    /// categories, or events or empty batteries take links or nodes away.
    pub fn new(scenario: &Scenario, seed: u64, step_s: f64) -> Result<Capacity, Error> {
        if scenario.radio.reception != Reception::Threshold {
            let fault = "must be \"threshold\" for a bound: by signal over noise there is no rule for which \
                         frames can be in the air together";
            return Err(Error::new("radio.reception", fault));
        }
        if scenario.mac.edca {
            let fault = "must be false for a bound: it counts the wait for the medium before every frame, and a \
                         turn has many";
            return Err(Error::new("mac.edca", fault));
        }
        // Where a signal no longer passes it disturbs nobody either, so a run could be above.
        let is_outage = |event: &EventTable| !matches!(event, EventTable::LinkFailure(_));
        if let Some(number) = scenario.events.iter().position(is_outage) {
            let fault = "must be \"link-failure\" for a bound: cuts change who disturbs whom";
            return Err(Error::new(format!("events.{number}.kind"), fault));
        }
        if scenario.radio.energy.as_ref().is_some_and(|energy| energy.battery_j.is_some()) {
            let fault = "must not be given for a bound: empty batteries change who disturbs whom";
            return Err(Error::new("radio.energy.battery_j", fault));
        }
        let network = scenario.network(seed)?;
        let layout = scenario.stations()?;
        let timing = |mac| Timing::covering(mac, scenario.profile, network.coverage);
        let timings: Vec<Timing> = scenario.station_macs().map(timing).collect();
        let rates: Vec<_> = timings.iter().map(|timing| scenario.data_rates(timing)).collect();
        let is_mixed = is_mixed(scenario, &network);
        let shapes: Vec<Shapes> = std::iter::zip(&timings, &rates)
            .map(|(timing, rates)| Shapes { timing, rates, is_mixed })
            .collect();
        let flows = network.flows.iter().enumerate();
        let kinds = std::iter::zip(scenario.station_macs(), &shapes).enumerate();
        let stations = (0..layout.count() as u32).map(NodeId);
        Ok(Capacity {
            nodes: network.positions.len(),
            duration_s: scenario.duration_s,
            seed,
            notes_captured: scenario.profile == Profile::Ns2,
            capture_ratio: Some(scenario.radio.capture_db.ratio())
                .filter(|ratio| ratio.is_finite()),
            kinds: kinds
                .map(|(place, (mac, shapes))| Kind::new(scenario, place, mac, shapes))
                .collect(),
            stations: stations
                .map(|station| [layout.node(station).0, layout.kind(station).0.into()])
                .collect(),
            node_names: scenario.topology.names.clone(),
            flows: flows.map(|(id, flow)| demand(scenario, id, flow, &shapes)).collect(),
            periods: periods(scenario, (&network, &layout), seed, step_s),
        })
    }
}

impl Kind {
    /// The kind number `place` of a scenario.
    fn new(scenario: &Scenario, place: usize, mac: &MacConfig, shapes: &Shapes) -> Kind {
        let timing = shapes.timing;
        let timeline = mac.reservation().map(|config| config.timeline(timing));
        let table = scenario.interfaces.get(place);
        Kind {
            channel: match scenario.wire(place) {
                Some(_) => None,
                None => Some(table.map_or(0, |table| table.channel)),
            },
            is_client: table.is_some_and(|table| table.role == Some(Role::Client)),
            is_slotted: mac.access.is_slotted(),
            slot: timeline.as_ref().map(Slot::of),
            sifs_s: timing.sifs.as_secs_f64(),
            difs_s: timing.difs.as_secs_f64(),
            eifs_s: timing.eifs.as_secs_f64(),
            rts_s: timing.rts(timing.rts_rate()).as_secs_f64(),
            cts_s: shapes.cts().as_secs_f64(),
        }
    }
}

impl Slot {
    fn of(timeline: &Timeline) -> Slot {
        let into_s = |at: Instant| at.saturating_since(timeline.begin(0)).as_secs_f64();
        Slot {
            called_s: into_s(timeline.mark(0, 0, Mark::Begin)),
            data_s: into_s(timeline.data(0)),
            acks_s: into_s(timeline.acks(0)),
            end_s: into_s(timeline.begin(1)),
        }
    }
}

fn demand(scenario: &Scenario, id: usize, flow: &FlowSpec, shapes: &[Shapes]) -> Demand {
    let packet = Packet::of(scenario, flow);
    let exchanges = shapes.iter().enumerate().map(|(place, shapes)| match scenario.wire(place) {
        Some(wire) => Exchange::by_wire(&packet, wire),
        None => shapes.exchange(&packet),
    });
    Demand {
        id,
        name: flow.name.clone(),
        kind: flow.kind,
        source: flow.source.0,
        destination: flow.destination.0,
        hops: flow.shortest_hops,
        start_s: flow.start.as_secs_f64(),
        end_s: match flow.tcp {
            Some(_) => flow.stop.as_secs_f64().min(scenario.duration_s),
            None => scenario.duration_s,
        },
        payload_bytes: packet.payload,
        offered_bps: match &flow.load {
            FlowLoad::Cbr(cbr) => Some(cbr.rate_bps),
            _ => None,
        },
        exchanges: exchanges.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capacity(text: &str) -> Capacity {
        let scenario = Scenario::from_toml(text, &[]).unwrap();
        Capacity::new(&scenario, 1, 1.0).unwrap()
    }

    const CHAIN: &str = "duration_s = 9\n[topology]\nkind = \"chain\"\nhops = 3\nspacing_m = 200\n\
                         [routing]\nscheme = \"static\"\n[[flows]]\nkind = \"ftp\"\nsource = 0\n\
                         destination = 3\n";

    #[test]
    fn an_exchange_is_the_sum_of_its_frames() {
        let Demand { exchanges, payload_bytes, .. } = capacity(CHAIN).flows[0].clone();
        let exchange = exchanges[0];
        assert_eq!(payload_bytes, 1460);
        // 1460 + 40 + 34 bytes at 2 Mbit/s after 192 µs; RTS 352, CTS and ACK 304, SIFS 10, DIFS 50
        // µs.
        let micros = |seconds: f64| (seconds * 1e6).round();
        assert_eq!(micros(exchange.data_s), 6328.0);
        assert_eq!(micros(exchange.core_s), 352.0 + 10.0 + 304.0 + 10.0 + 6328.0);
        assert_eq!(micros(exchange.whole_s), 50.0 + 7004.0 + 10.0 + 304.0);
    }

    #[test]
    fn static_nodes_hear_each_other_as_they_do_in_a_run() {
        let Capacity { periods, .. } = capacity(CHAIN);
        let heard: Vec<_> = std::iter::zip(&periods[0].ends, &periods[0].certain)
            .filter(|(ends, _)| ends[0] == 0)
            .collect();
        assert_eq!(heard, [(&[0, 1], &[true, true]), (&[0, 2], &[false, true])]);
    }

    #[test]
    fn packets_of_an_a_mpdu_share_what_is_before_and_after_it() {
        let mac = "[mac]\nphy = \"802.11n\"\nmcs = 7\n";
        let alone = capacity(&format!("{CHAIN}{mac}")).flows[0].exchanges[0];
        let shared = capacity(&format!("{CHAIN}{mac}aggregate = 8\n")).flows[0].exchanges[0];
        assert_eq!((alone.packets, shared.packets), (1, 8));
        assert!(shared.whole_s < 0.6 * alone.whole_s, "{shared:?} {alone:?}");
        assert!(shared.whole_s > 1520.0 * 8.0 / 65e6, "{shared:?}");
    }

    #[test]
    fn a_file_may_end_in_a_packet_that_wastes_less_or_goes_without_rts() {
        let file = CHAIN.replace("kind = \"ftp\"", "kind = \"file\"\nbytes = 3000");
        let mac = "[mac]\nphy = \"802.11a\"\ndata_rate_bps = 6e6\nbasic_rate_bps = 6e6\n";
        let of = |text: &str| capacity(&format!("{text}{mac}")).flows[0].exchanges[0];
        let micros = |seconds: f64| (seconds * 1e6 * 10.0).round() / 10.0;
        // 1534 bytes: with 22 bits of service and tail 512.25 symbols, or 2045.3 µs of bits alone;
        // preamble 20 µs.
        assert_eq!(micros(of(CHAIN).data_s), 20.0 + 513.0 * 4.0);
        assert_eq!(micros(of(&file).data_s), 20.0 + 2045.3);
        let with_threshold = format!("{mac}rts_threshold_bytes = 500\n");
        let exchange = capacity(&format!("{file}{with_threshold}")).flows[0].exchanges[0];
        assert!(!exchange.is_cleared && exchange.core_s == exchange.data_s);
        assert!(capacity(&format!("{CHAIN}{with_threshold}")).flows[0].exchanges[0].is_cleared);
    }

    /// Two nodes with two channels and a cable, and one with the second alone.
    const SITES: &str = "duration_s = 9\n[topology]\nkind = \"chain\"\nhops = 2\nspacing_m = 200\n\
         [routing]\nscheme = \"static\"\n[[interfaces]]\nname = \"a\"\nchannel = 36\n\
         phy = \"802.11a\"\nnodes = [0, 1]\n\
         [interfaces.antenna]\nkind = \"omni\"\ngain_dbi = 3\n[[interfaces]]\nname = \"b\"\nchannel = 1\n\
         [[wires]]\nname = \"c\"\nnodes = [0, 1]\nrate_bps = 1e8\n\
         [[flows]]\nkind = \"ftp\"\nsource = 0\ndestination = 2\n";

    #[test]
    fn stations_hear_those_on_their_channel_and_ports_pass_packets_unheard() {
        let Capacity { kinds, stations, periods, flows, .. } = capacity(SITES);
        let channels: Vec<_> = kinds.iter().map(|kind| kind.channel).collect();
        assert_eq!(channels, [Some(36), Some(1), None]);
        assert_eq!(stations, [[0, 0], [1, 0], [2, 1], [0, 1], [1, 1], [0, 2], [1, 2]]);
        let of_first: Vec<_> = std::iter::zip(&periods[0].ends, &periods[0].certain)
            .filter(|(ends, _)| stations[ends[0] as usize][0] == 0)
            .map(|(&ends, &certain)| (ends, certain))
            .collect();
        let (passes, sensed) = ([true, true], [false, true]);
        let heard = [([0, 1], passes), ([3, 4], passes), ([3, 2], sensed), ([5, 6], [true, false])];
        assert_eq!(of_first, heard);
        let whole_us = flows[0].exchanges.iter().map(|it| (it.whole_s * 1e6).round());
        let whole_us: Vec<f64> = whole_us.collect();
        // 1500 bytes and 38 at 100 Mbit/s; 802.11a in less time than DSSS at 2 Mbit/s.
        assert_eq!(whole_us[2], 123.0);
        assert!(whole_us[0] < 3000.0 && whole_us[1] == 7368.0, "{whole_us:?}");
    }

    #[test]
    fn in_a_cell_packets_go_between_client_and_access_point_alone() {
        let cells = CHAIN.replace("destination = 3", "destination = 2").replace(
            "[[flows]]",
            "[[interfaces]]\nname = \"mesh\"\nchannel = 6\nnodes = [0, 1]\n\
             [[interfaces]]\nname = \"cell\"\nchannel = 1\nnodes = [0, 1]\nrole = \"access-point\"\n\
             [[interfaces]]\nname = \"phones\"\nchannel = 1\nnodes = [2, 3]\nrole = \"client\"\n\
             access_points = [1]\n[[flows]]",
        );
        let Capacity { kinds, stations, periods, .. } = capacity(&cells);
        let clients: Vec<_> = kinds.iter().map(|kind| kind.is_client).collect();
        assert_eq!(clients, [false, false, true]);
        let of_node = |station: u32| stations[station as usize][0];
        let mut passing: Vec<_> = std::iter::zip(&periods[0].ends, &periods[0].certain)
            .filter(|(_, certain)| certain[0])
            .map(|(ends, _)| ends.map(of_node))
            .collect();
        passing.sort_unstable();
        // Node 3 is 400 m from node 1, and node 2, though near, is a client like it.
        assert_eq!(passing, [[0, 1], [1, 0], [1, 2], [2, 1]]);
    }

    #[test]
    fn reception_by_signal_and_noise_is_refused() {
        let text = format!("{CHAIN}[radio]\nreception = \"sinr\"\n[mac]\nphy = \"802.11a\"\n");
        let scenario = Scenario::from_toml(&text, &[]).unwrap();
        let error = Capacity::new(&scenario, 1, 1.0).unwrap_err();
        assert_eq!(error.key, "radio.reception");
    }
}
