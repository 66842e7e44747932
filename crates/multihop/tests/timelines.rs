//! Worked timelines: instants of frames that follow from the rules for known backoffs.

use crate::common::run;
use multihop::simulation::{FrameReport, Recording};
use multihop::wire::{FrameKind, PacketKind};

/// Propagation over 200 m, rounded up \[ns\].
const DELAY_NS: u64 = 667;
const SLOT_NS: u64 = 20_000;

fn us(micros: u64) -> u64 {
    micros * 1000
}

/// Slots of a backoff that started, with a DIFS of 50 µs, at `from_ns` and ended at `to_ns`.
fn slots(from_ns: u64, to_ns: u64) -> u64 {
    let counted = to_ns - from_ns - us(50);
    assert_eq!(counted % SLOT_NS, 0, "whole slots from {from_ns} to {to_ns}");
    counted / SLOT_NS
}

fn end(frame: &FrameReport) -> u64 {
    frame.time_ns + frame.airtime_ns + DELAY_NS
}

#[test]
fn one_hop_exchanges_follow_each_other_as_the_standard_says() {
    let result = run(
        "duration_s = 5\n[topology]\nkind = \"chain\"\nhops = 1\n[routing]\nscheme = \"static\"\n\
         [link]\narp = false\n[[flows]]\nkind = \"cbr\"\nsource = 0\ndestination = 1\n\
         packet_bytes = 1000\nrate_bps = 3e6\n",
        1,
        &Recording { frames: true, ..Recording::default() },
    );
    let mut drawn = [0u32; 31];
    let mut idle_from = us(25);
    for exchange in result.frames.chunks_exact(4) {
        let [rts, cts, data, ack] = exchange else { unreachable!("chunks of four") };
        drawn[slots(idle_from, rts.time_ns) as usize] += 1;
        let kinds = exchange.iter().map(|frame| frame.kind);
        let expected = [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack];
        assert!(kinds.eq(expected), "{exchange:?}");
        assert_eq!(cts.time_ns, end(rts) + us(10));
        assert_eq!(data.time_ns, end(cts) + us(10));
        assert_eq!(ack.time_ns, end(data) + us(10));
        let airtimes = [rts, cts, data, ack].map(|frame| frame.airtime_ns / 1000);
        assert_eq!(airtimes, [352, 304, 4408, 304]);
        assert_eq!([rts.duration_us, cts.duration_us, data.duration_us], [0x13b6, 0x127c, 0x13a]);
        idle_from = end(ack);
    }
    let exchanges: u32 = drawn.iter().sum();
    assert!(exchanges > 850, "{exchanges}");
    assert!(drawn.iter().all(|&count| count > 0), "every backoff from 0 to 30: {drawn:?}");
}

#[test]
fn a_discovery_over_two_hops_follows_the_protocol_step_by_step() {
    let result = run(
        "duration_s = 1.5\n[topology]\nkind = \"chain\"\nhops = 2\n[[flows]]\nkind = \"ftp\"\n\
         source = 0\ndestination = 2\nstart_s = 1\n",
        1,
        &Recording { frames: true, ..Recording::default() },
    );
    let all = &result.frames;
    let second = us(1_000_000);
    // The request: link delay, DIFS and backoff; the next node adds its link delay and jitter.
    let (first, passed_on) = (&all[0], &all[1]);
    assert_eq!((first.transmitter, first.packet), (0, Some(PacketKind::Routing)));
    assert!(slots(second + us(25), first.time_ns) < 31);
    assert_eq!(first.airtime_ns, us(848));
    assert_eq!((passed_on.transmitter, passed_on.receiver), (1, None));
    let wait = passed_on.time_ns - end(first);
    assert!((us(25 + 25 + 50)..us(25 + 25 + 50 + 10_000 + 600)).contains(&wait), "{wait}");
    // The reply waits for an address: ARP request, 5 µs after the route request arrived.
    let arp = &all[2];
    assert_eq!((arp.transmitter, arp.packet), (2, Some(PacketKind::Arp)));
    let came_up = end(passed_on) + us(25);
    assert!(slots(came_up + us(5), arp.time_ns) < 31);
    assert_eq!(arp.airtime_ns, us(688));
    // The ARP reply, as a unicast exchange, and the held route reply after it.
    let kinds: Vec<_> = all[3..11].iter().map(|f| (f.transmitter, f.kind, f.packet)).collect();
    let exchange = |from: u32, to: u32, packet| {
        [
            (from, FrameKind::Rts, None),
            (to, FrameKind::Cts, None),
            (from, FrameKind::Data, Some(packet)),
            (to, FrameKind::Ack, None),
        ]
    };
    let mut expected = exchange(1, 2, PacketKind::Arp).to_vec();
    expected.extend(exchange(2, 1, PacketKind::Routing));
    assert_eq!(kinds, expected);
    // Two addresses, the route reply's second hop, then the first TCP segment.
    let syn = all.iter().find(|f| f.packet == Some(PacketKind::TcpData)).expect("a SYN");
    assert_eq!((syn.transmitter, syn.airtime_ns), (0, us(488)));
    let ack = all.iter().find(|f| f.packet == Some(PacketKind::TcpAck)).expect("its answer");
    assert_eq!((ack.transmitter, ack.airtime_ns), (2, us(488)));
}
