//! No routing: a node sends to its radio neighbours and no further. For emulation, where real
//! programs route.
//!
//! Source: none; what a network card in ad-hoc mode does.

use schemars::JsonSchema;
use serde::Serialize;
use toml::Table;

use super::{Context, DropReason, Layer, Nodes, Protocol, Scheme, Setting, Timer, World};
use crate::config::table::only_keys;
use crate::config::{ConfigError, Error};
use crate::kernel::Duration;
use crate::wire::{Body, IP_HEADER_BYTES, NodeId, Packet};

/// No routing has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Direct {}

impl Scheme for Direct {
    const NAME: &'static str = "none";
    const ABOUT: &'static str =
        "No routing: packets go to radio neighbours only; programs of `multihop emulate` route.";

    fn read(table: Table) -> Result<Direct, Error> {
        only_keys(&table, "routing", &["scheme"]).map(|()| Direct {})
    }

    fn check(&self, _: &Setting) -> Result<(), ConfigError> {
        Ok(())
    }

    fn is_multi_hop(&self) -> bool {
        false
    }

    fn needs_one_interface(&self) -> Option<&'static str> {
        None
    }

    fn build(&self, world: &World) -> Box<dyn Layer> {
        Box::new(Nodes::new(world, |_| DirectNode))
    }
}

/// A node without routing.
#[derive(Clone, Copy, Debug)]
struct DirectNode;

impl Protocol for DirectNode {
    fn may_overhear(&self) -> bool {
        false
    }

    fn on_send(&mut self, cx: &mut Context, mut packet: Packet) {
        if let Body::Udp(_) = packet.body {
            packet.size_bytes += IP_HEADER_BYTES;
        }
        packet.ttl = 1;
        let neighbour = packet.destination;
        let interface = cx.stations.shared(cx.node, neighbour).unwrap_or_default();
        cx.send_by(interface, packet, neighbour, Duration::ZERO);
    }

    /// It is for another node, or a message of a protocol that does not run.
    fn on_receive(&mut self, cx: &mut Context, packet: Packet, _: NodeId) {
        cx.drop(packet, DropReason::NoRoute);
    }

    fn on_link_failure(&mut self, cx: &mut Context, packet: Packet, _: NodeId) {
        if packet.source == cx.node && packet.is_transport() {
            cx.report_broken_route(packet.destination);
        }
        cx.drop(packet, DropReason::LinkFailure);
    }

    fn on_timer(&mut self, _: &mut Context, _: Timer) {}
}
