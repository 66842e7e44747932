//! The endpoints driven by hand, over a network that takes 10 ms for any packet.

use super::*;
use crate::kernel::{Duration, Slab};
use crate::radio::StationLayout;
use crate::scenario::Cbr;
use crate::simulation::clock::Due;
use crate::simulation::event::{Event, Timer};
use crate::simulation::recorder::Recording;
use crate::transport::scheme::Sending;
use crate::transport::{Flavour, TcpConfig};
use crate::wire::IP_HEADER_BYTES;
use crate::wire::tcp::SegmentKind;

const DELAY: Duration = Duration::from_millis(10);

fn at_ms(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

/// A flow from node 0 to node 1 that lives from 1 s to 9 s.
fn spec(tcp: Option<TcpConfig>, load: FlowLoad) -> scenario::FlowSpec {
    scenario::FlowSpec {
        kind: "test",
        name: None,
        arrival: None,
        tcp,
        load,
        source: NodeId(0),
        destination: NodeId(1),
        start: at_ms(1000),
        stop: at_ms(9000),
        shortest_hops: None,
        least_hops: None,
        class: crate::mac::Category::default(),
        is_two_way: false,
    }
}

struct Network {
    endpoints: Endpoints,
    clock: Clock,
    monitor: Monitor,
    /// On the way.
    packets: Slab<Packet>,
    /// All that was sent, with its time.
    sent: Vec<(Instant, Packet)>,
}

impl Network {
    fn new(specs: &[scenario::FlowSpec]) -> Network {
        let endpoints = Endpoints::new(specs, Profile::Ns2, 1, None);
        let mut clock = Clock::new(2, specs.len(), at_ms(10_000));
        for flow in &endpoints.flows {
            clock.schedule(flow.start, Event::FlowStart(flow.id));
            clock.schedule(flow.stop, Event::FlowStop(flow.id));
        }
        Network {
            endpoints,
            clock,
            monitor: Monitor::new(&Recording::default(), &StationLayout::alike(2), 50).unwrap(),
            packets: Slab::default(),
            sent: Vec::new(),
        }
    }

    /// Tells the endpoints something. What follows, as it is left.
    fn tell(&mut self, tell: impl FnOnce(&mut Endpoints, &mut Shared<'_>)) -> Vec<Effect> {
        let mut effects = Vec::new();
        let Network { endpoints, clock, monitor, .. } = self;
        tell(endpoints, &mut Shared { clock, monitor, effects: &mut effects });
        effects
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let more = match effect {
                Effect::Send(_, packet) => {
                    self.sent.push((self.clock.now(), packet.clone()));
                    let number = self.packets.insert(Packet { queued: self.clock.now(), ..packet });
                    self.clock.schedule(self.clock.now() + DELAY, Event::Up(number));
                    continue;
                }
                Effect::Wait(id, at) => {
                    self.clock.schedule(at, Event::Application(id));
                    continue;
                }
                Effect::Demand(_) => continue,
                Effect::Arrive(packet) => {
                    self.tell(|ends, shared| ends.on_arrival(shared, &packet))
                }
                Effect::Started(id) => self.tell(|ends, shared| ends.start_application(shared, id)),
                Effect::Delivered(id, way) => {
                    self.tell(|ends, shared| ends.on_delivered(shared, id, way))
                }
            };
            self.carry_out(more);
        }
    }

    fn run(&mut self) {
        while let Some(due) = self.clock.next() {
            let effects = match due {
                Due::Event(Event::FlowStart(id)) => self.tell(|ends, cx| ends.on_start(cx, id)),
                Due::Event(Event::FlowStop(id)) => self.tell(|ends, cx| ends.on_stop(cx, id)),
                Due::Event(Event::Application(id)) => {
                    self.tell(|ends, cx| ends.on_application_timer(cx, id))
                }
                Due::Timer(Timer::Flow(id, timer)) => {
                    self.tell(|ends, cx| ends.on_timer(cx, id, timer))
                }
                Due::Event(Event::Up(number)) => {
                    let packet = self.packets.remove(number);
                    self.tell(|ends, cx| ends.on_arrival(cx, &packet))
                }
                _ => continue,
            };
            self.carry_out(effects);
        }
    }

    fn tally(&self, id: usize) -> flow::Tally {
        let (ends, way) = self.endpoints.ends_of(&self.endpoints.flows[id]);
        ends.tally(way, self.clock.now())
    }
}

/// 3,000 bytes are two segments of 1,460 bytes and one of 80: a SYN and its answer take 20 ms, one
/// segment by ns-2's first window of one 20 ms, the two that its acknowledgment admits 10 ms.
#[test]
fn a_file_over_tcp_is_over_when_its_last_segment_has_arrived() {
    let mut network = Network::new(&[spec(Some(TcpConfig::default()), FlowLoad::File(3000))]);
    network.run();
    let data: Vec<u32> =
        network.sent.iter().filter_map(|(_, packet)| packet.payload_bytes()).collect();
    assert_eq!(data.iter().filter(|&&bytes| bytes > 0).collect::<Vec<_>>(), [&1460, &1460, &80]);
    let flow = &network.endpoints.flows[0];
    assert_eq!(flow.stop, at_ms(1000 + 20 + 20 + 10));
    assert_eq!(flow.transfers.first_time_s(), Some(0.05));
    let tally = flow.at_stop.unwrap();
    assert_eq!((tally.delivered_bytes, tally.delivered_segments), (3000, 3));
    assert_eq!((tally.retransmits, tally.timeouts), (0, 0));
    // With the SYN, as in ns-2.
    assert_eq!((flow.arrivals.packets, network.endpoints.sent(FlowId(0))), (4, 4));
}

/// The same over connections with state machines of their own, whose handshake takes 20 ms: the
/// client's first data arrive with the third flight.
#[test]
fn a_file_over_a_connection_with_state_machines_of_its_own_arrives_whole() {
    let has_own = |scheme: &Flavour| matches!(scheme.scheme().sending, Sending::Connection);
    let schemes: Vec<Flavour> =
        Flavour::OURS.iter().map(|&(_, scheme)| scheme).filter(has_own).collect();
    assert!(!schemes.is_empty());
    for scheme in schemes {
        let config = TcpConfig { scheme, ..TcpConfig::default() };
        let mut network = Network::new(&[spec(Some(config), FlowLoad::File(3000))]);
        network.run();
        let flow = &network.endpoints.flows[0];
        assert_eq!(flow.stop, at_ms(1000 + 20 + 10));
        let tally = network.tally(0);
        assert_eq!(
            (tally.delivered_bytes, tally.given_up, tally.acked_segments),
            (3000, None, None)
        );
    }
}

#[test]
fn datagrams_leave_at_their_rate_and_copies_of_them_count_once() {
    let cbr = FlowLoad::Cbr(Cbr { packet_bytes: 500, rate_bps: 1000.0 });
    let mut network = Network::new(&[spec(None, cbr)]);
    network.run();
    // A packet of 4,000 bit every 4 s.
    let times: Vec<Instant> = network.sent.iter().map(|&(at, _)| at).collect();
    assert_eq!(times, [at_ms(1000), at_ms(5000)]);
    let copy = network.sent[0].1.clone();
    let effects = network.tell(|ends, shared| ends.on_arrival(shared, &copy));
    assert_eq!(effects, []);
    let tally = network.tally(0);
    assert_eq!(
        (tally.sent_segments, tally.delivered_segments, tally.delivered_bytes),
        (2, 2, 1000)
    );
    assert_eq!(network.endpoints.flows[0].arrivals.packets, 2);
}

#[test]
fn only_senders_that_live_hear_of_a_route_lost_from_their_node_to_their_destination() {
    let mut specs = [(); 4].map(|()| spec(Some(TcpConfig::default()), FlowLoad::Endless));
    (specs[1].source, specs[1].destination) = (NodeId(1), NodeId(0));
    specs[2].start = at_ms(5000);
    specs[3].stop = at_ms(1500);
    let mut network = Network::new(&specs);
    network.clock.set_horizon(at_ms(2000));
    network.run();
    network.tell(|ends, shared| ends.on_route_error(shared, NodeId(0), NodeId(1)));
    let errors = [0, 1, 2, 3].map(|id| network.tally(id).link_failure.route_errors);
    assert_eq!(errors, [1, 0, 0, 0]);
}

#[test]
fn an_acknowledgment_that_waits_for_room_is_not_counted_before_it_leaves() {
    let mut network = Network::new(&[spec(Some(TcpConfig::default()), FlowLoad::Endless)]);
    network.clock.set_horizon(at_ms(1015));
    network.run();
    let acks = |network: &Network| network.tally(0).acks_sent;
    assert_eq!(acks(&network), Some(1), "that of the SYN");
    network.endpoints.on_held(FlowId(0), NodeId(1), true);
    assert_eq!(acks(&network), Some(0));
    network.endpoints.on_held(FlowId(0), NodeId(0), true);
    assert_eq!(acks(&network), Some(0), "the source has none");
    network.endpoints.on_held(FlowId(0), NodeId(1), false);
    assert_eq!(acks(&network), Some(1));
}

/// A request and its response of one segment each: the response carries the acknowledgment of the
/// request, as a delayed acknowledgment waits for it (RFC 9293, section 3.8.6.3).
#[test]
fn data_of_one_direction_carry_the_acknowledgment_of_the_other() {
    let text = r#"{"acks": {"delayed": true}}"#;
    let config: TcpConfig = serde_json::from_str(text).unwrap();
    let mut there = spec(Some(config.clone()), FlowLoad::File(1000));
    let mut back = spec(Some(config), FlowLoad::Answers);
    (back.source, back.destination) = (there.destination, there.source);
    (there.is_two_way, back.is_two_way) = (true, true);
    let mut network = Network::new(&[there, back]);
    network.clock.set_horizon(at_ms(1031));
    network.run();
    let way_of_answer = Way::Back;
    let effects = network.tell(|ends, cx| {
        ends.with_ends(cx, FlowId(0), |ends, _, cx| ends.on_supply(way_of_answer, 700, cx));
    });
    let carried = effects.iter().find_map(|effect| match effect {
        Effect::Send(FlowId(1), Packet { body: Body::Tcp(segment), .. }) => match segment.kind {
            SegmentKind::Data { piggybacked, payload_bytes: 700, .. } => piggybacked,
            _ => None,
        },
        _ => None,
    });
    assert_eq!(carried.map(|ack| ack.number.get()), Some(1));
}

#[test]
fn frames_of_programs_are_a_flow_for_each_pair_of_nodes() {
    let mut network = Network::new(&[]);
    network.endpoints.programs = Some(Box::new(Programs::default()));
    let frame = |first: u8| vec![first; 534].into();
    let send = |network: &mut Network, from, to, first| {
        let ends = (NodeId(from), NodeId(to));
        network.tell(|ends_, cx| {
            assert!(ends_.on_frame(cx, ends, frame(first), at_ms(9000)).is_none())
        })
    };
    for (from, to, flow) in [(0, 1, 0), (1, 0, 1), (0, 1, 0)] {
        let effects = send(&mut network, from, to, 7);
        let [Effect::Send(id, packet)] = &effects[..] else { panic!("{effects:?}") };
        // The Ethernet header is left, and routing adds that of IP.
        assert_eq!((*id, packet.size_bytes), (FlowId(flow), 534 - 14 - IP_HEADER_BYTES));
        network.carry_out(effects);
    }
    network.run();
    let mut arrived = Vec::new();
    network.endpoints.take_arrived(&mut arrived);
    assert_eq!(arrived.iter().map(|frame| frame.node.0).collect::<Vec<_>>(), [1, 0, 1]);
    let so_far = network.endpoints.so_far();
    assert_eq!(
        so_far.iter().map(|flow| (flow.packets, flow.bytes)).collect::<Vec<_>>(),
        [(2, 1040), (1, 520)]
    );
}
