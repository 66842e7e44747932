//! What a bound counts for a packet against the frames that runs send.

use std::collections::BTreeMap;

use multihop::bound::Capacity;
use multihop::capture::{Happening, Row, Watch};
use multihop::scenario::Scenario;
use multihop::simulation::{Recording, Simulation};
use multihop::wire::{Content, FrameKind};

const PHYS: [&str; 5] = [
    "",
    "phy = \"802.11b\"\npreamble = \"short\"",
    "phy = \"802.11a\"\nrate = \"minstrel\"",
    "phy = \"802.11n\"\nmcs = 7\naggregate = 16",
    "data_rate_bps = 5.5e6\nplcp_rate_bps = 2e6\nrts_threshold_bytes = 700",
];

const FLOWS: [&str; 8] = [
    "kind = \"ftp\"",
    "kind = \"ftp\"\ntransport = {segment_bytes = 1}",
    "kind = \"ftp\"\ntransport = {segment_bytes = 536, timestamps = true}",
    "kind = \"ftp\"\ntransport = {scheme = \"quic\"}",
    "kind = \"file\"\nbytes = 40001",
    "kind = \"cbr\"\npacket_bytes = 1000\nrate_bps = 3e5",
    "kind = \"voice\"",
    "kind = \"web\"",
];

/// The least air time of the data frames of flow 0 for each byte of payload in them \[s\]; A-MPDUs
/// as a whole.
fn least_s(scenario: &Scenario, payload: impl Fn(&Row) -> u32) -> f64 {
    let recording = Recording { events: Some(Watch::default()), ..Recording::default() };
    let mut simulation = Simulation::new(scenario, None, &recording).expect("a network");
    while !simulation.advance(u64::MAX) {}
    let events = simulation.take_events().expect("a record");
    let data = events.rows().filter(|row| {
        row.happening == Happening::Transmit
            && row.kind == Some(FrameKind::Data)
            && row.flow == 0
            && matches!(row.content, Content::TcpData | Content::Udp)
    });
    // Each frame of an A-MPDU begins when the one before it ends.
    let mut last: BTreeMap<u32, (u64, u64, u32)> = BTreeMap::new();
    let mut least_s = f64::INFINITY;
    let mut end = |airtime_ns: u64, bytes: u32| {
        if bytes > 0 {
            least_s = f64::min(least_s, airtime_ns as f64 / 1e9 / f64::from(bytes));
        }
    };
    for row in data {
        let own = (row.time_ns + u64::from(row.extent), u64::from(row.extent), payload(&row));
        match last.get_mut(&row.node) {
            Some(before) if before.0 == row.time_ns => {
                *before = (own.0, before.1 + own.1, before.2 + own.2);
            }
            _ => {
                if let Some((_, airtime_ns, bytes)) = last.insert(row.node, own) {
                    end(airtime_ns, bytes);
                }
            }
        }
    }
    last.into_values().for_each(|(_, airtime_ns, bytes)| end(airtime_ns, bytes));
    least_s
}

#[test]
fn no_data_frame_takes_less_time_for_its_payload_than_is_counted() {
    let mut exact = BTreeMap::new();
    for scheme in ["static", "aodv", "dsr", "dcar", "multipath-aodv"] {
        for profile in ["ns2", "standard"] {
            for (phy, flow) in PHYS.iter().flat_map(|phy| FLOWS.iter().map(move |flow| (phy, flow)))
            {
                let text = format!(
                    "duration_s = 2\nprofile = \"{profile}\"\n[topology]\nkind = \"chain\"\nhops = 2\n\
                     spacing_m = 200\n[mac]\n{phy}\n[routing]\nscheme = \"{scheme}\"\n[[flows]]\n{flow}\n\
                     source = 0\ndestination = 2\n"
                );
                let Ok(scenario) = Scenario::from_toml(&text, &[]) else { continue };
                let capacity = Capacity::new(&scenario, 1, 1.0).expect("a bound");
                let demand = &capacity.flows[0];
                let counted_s = demand.exchanges[0].data_s / f64::from(demand.payload_bytes);
                let sent_s = least_s(&scenario, |row| payload_of(row, flow, demand.payload_bytes));
                let name = format!("{scheme}, {profile}, {phy}, {flow}");
                assert!(counted_s <= sent_s * (1.0 + 1e-9), "{name}: {counted_s} > {sent_s}");
                if (sent_s / counted_s - 1.0).abs() < 1e-9 {
                    *exact.entry(scheme).or_insert(0) += 1;
                }
            }
        }
    }
    // With fixed rates and equal packets it is not too little either.
    assert!(exact["static"] >= 20 && exact["aodv"] >= 20, "{exact:?}");
}

/// Payload of the packet in `row` at most \[bytes\]: its size without the least headers.
fn payload_of(row: &Row, flow: &str, most: u32) -> u32 {
    let header = match row.content {
        Content::TcpData => 40,
        _ if flow.contains("quic") => 28,
        _ => 20,
    };
    row.bytes.saturating_sub(header).min(most)
}
