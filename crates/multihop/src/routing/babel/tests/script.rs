//! One node under test, node 0, whose neighbours say what a test has them say.

use super::super::address::{Address, Plan, Prefix, RouterId, interface};
use super::super::diversity::Channels;
use super::super::message::BabelPacket;
use super::super::parse::parse;
use super::super::seqno::Seqno;
use super::super::tlv::{Hello, SeqnoRequest, Tlv, Update};
use super::super::write::Writer;
use super::super::{Babel, BabelConfig};
use crate::routing::harness::Network;
use crate::routing::{Action, Protocol};
use crate::wire::{Body, Extension, NodeId, Packet};

/// Neighbours and others that a test may speak of.
pub const NODES: u32 = 10;
/// The cost of a link to a neighbour that [`Script::meet`] has met.
pub const COST: u16 = 256;

/// The node, and what it has sent.
pub struct Script {
    network: Network<Babel>,
    /// Actions looked at so far.
    seen: usize,
}

/// A TLV that the node has sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// When (s).
    pub at: f64,
    /// To whom; the broadcast address for all.
    pub to: NodeId,
    /// What.
    pub tlv: Tlv,
}

pub fn prefix(node: u32) -> Prefix {
    Prefix::host(Plan::Simulated.ipv4(NodeId(node)))
}

pub fn id(node: u32) -> RouterId {
    interface(NodeId(node))
}

pub fn link_local(node: u32) -> Address {
    Address::link_local(id(node))
}

/// An update for `prefix`, which `router_id` originates, with data going to `next_hop`.
pub fn update_for(prefix: Prefix, router_id: RouterId, next_hop: Option<Address>) -> Update {
    Update {
        prefix: Some(prefix),
        router_id: Some(router_id),
        next_hop,
        interval: 1600,
        seqno: Seqno(1),
        metric: 0,
        channels: Channels::default(),
    }
}

/// An update for the address of `of`, which originates it, as node `by` sends it.
pub fn update(by: u32, of: u32, seqno: u16, metric: u16) -> Tlv {
    let next_hop = Some(Plan::Simulated.ipv4(NodeId(by)));
    let update = update_for(prefix(of), id(of), next_hop);
    Tlv::Update(Update { seqno: Seqno(seqno), metric, ..update })
}

pub fn retraction(by: u32, of: u32) -> Tlv {
    update(by, of, 0, u16::MAX)
}

pub fn hello(seqno: u16, interval: u16) -> Tlv {
    Tlv::Hello(Hello { is_unicast: false, seqno: Seqno(seqno), interval })
}

pub fn ihu(rxcost: u16, interval: u16) -> Tlv {
    Tlv::Ihu { address: Some(link_local(0)), rxcost, interval }
}

pub fn seqno_request(of: u32, seqno: u16, hop_count: u8) -> Tlv {
    let (prefix, router_id) = (prefix(of), id(of));
    Tlv::SeqnoRequest(SeqnoRequest { prefix, router_id, seqno: Seqno(seqno), hop_count })
}

/// The octets of these TLVs as `from` sends them.
pub fn octets(from: u32, tlvs: &[Tlv]) -> Vec<u8> {
    let mut writer = Writer::new(2000, link_local(from));
    assert!(tlvs.iter().all(|tlv| writer.push(tlv)));
    writer.finish()
}

impl Script {
    /// A node with default keys.
    pub fn new() -> Script {
        Script::with(&BabelConfig::default())
    }

    /// A node with these keys.
    pub fn with(config: &BabelConfig) -> Script {
        let node = |node| Babel::new(NodeId(node), NODES as usize, config, false);
        let network = Network::of((0..NODES).map(node).collect(), &[]);
        Script { network, seen: 0 }
    }

    /// A node that has met nodes 1 to `neighbours`, over perfect links for ten minutes.
    pub fn among(neighbours: u32) -> Script {
        let mut script = Script::new();
        (1..=neighbours).for_each(|neighbour| script.meet(neighbour));
        script.run_to(1.0);
        script.take();
        script
    }

    pub fn node(&self) -> &Babel {
        &self.network.nodes[0]
    }

    pub fn node_mut(&mut self) -> &mut Babel {
        &mut self.network.nodes[0]
    }

    pub fn time(&self) -> crate::kernel::Instant {
        self.network.now
    }

    pub fn now(&self) -> f64 {
        self.network.now.as_secs_f64()
    }

    /// The node's seventh Hello and IHU.
    pub fn meet(&mut self, neighbour: u32) {
        for seqno in 100..106 {
            self.say(neighbour, &[hello(seqno, 60000), ihu(256, 60000)]);
        }
    }

    /// `from` says these TLVs, in one packet.
    pub fn say(&mut self, from: u32, tlvs: &[Tlv]) {
        self.say_octets(from, octets(from, tlvs));
    }

    pub fn say_octets(&mut self, from: u32, bytes: Vec<u8>) {
        let body = Body::Routing(Extension::new(BabelPacket { bytes }));
        let now = self.network.now;
        let packet = Packet::new(NodeId(from), NodeId::BROADCAST, now, body);
        self.network.call(0, |node, cx| node.on_receive(cx, packet, NodeId(from)));
    }

    /// The client `client` of the node has come or is gone.
    pub fn attach(&mut self, client: u32, is_here: bool) {
        self.network.call(0, |babel, cx| babel.on_client(cx, NodeId(client), is_here));
    }

    pub fn run_to(&mut self, seconds: f64) {
        self.network.run_to(seconds);
    }

    pub fn run_for(&mut self, seconds: f64) {
        self.network.run_to(self.now() + seconds);
    }

    /// What the node has asked for since the last call.
    pub fn actions(&mut self) -> Vec<(f64, Action)> {
        let new = self.network.log.iter().skip(self.seen);
        let of_node = new.filter(|(_, node, _)| *node == 0);
        let actions = of_node.map(|(at, _, action)| (at.as_secs_f64(), action.clone())).collect();
        self.seen = self.network.log.len();
        actions
    }

    /// The TLVs that the node has sent since the last call.
    pub fn take(&mut self) -> Vec<Sent> {
        let mut sent = Vec::new();
        for (at, action) in self.actions() {
            let Action::Send { packet, next_hop, .. } = action else { continue };
            let Body::Routing(message) = &packet.body else { continue };
            let bytes = &message.get::<BabelPacket>().expect("a Babel packet").bytes;
            assert_eq!(packet.size_bytes as usize, 48 + bytes.len());
            let malformed = parse(bytes, link_local(0), |tlv| {
                sent.push(Sent { at, to: next_hop, tlv });
            });
            assert_eq!(malformed, 0, "{bytes:?}");
        }
        sent
    }

    /// Of these, the updates for the address of `of`: to whom, sequence number and metric.
    pub fn updates_for(&mut self, of: u32) -> Vec<(NodeId, u16, u16)> {
        let sent = self.take();
        sent.iter()
            .filter_map(|sent| match sent.tlv {
                Tlv::Update(update) if update.prefix == Some(prefix(of)) => {
                    Some((sent.to, update.seqno.0, update.metric))
                }
                _ => None,
            })
            .collect()
    }

    /// The seqno requests since the last call: to whom, for whose address, number and hop count.
    pub fn seqno_requests(&mut self) -> Vec<(NodeId, SeqnoRequest)> {
        let requests = self.take().into_iter().filter_map(|sent| match sent.tlv {
            Tlv::SeqnoRequest(request) => Some((sent.to, request)),
            _ => None,
        });
        requests.collect()
    }

    /// The next hop and metric for node `of`.
    pub fn route(&self, of: u32) -> Option<(u32, u16)> {
        let next_hop = self.node().next_hop(NodeId(of))?;
        Some((next_hop.0, self.node().metric(NodeId(of))?))
    }
}
