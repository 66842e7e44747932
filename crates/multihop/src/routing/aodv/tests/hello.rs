//! HELLO messages.

use super::harness::Network;
use crate::profile::Profile;
use crate::routing::Action;
use crate::routing::aodv::{Aodv, AodvConfig};
use crate::wire::aodv::Message;
use crate::wire::{Body, NodeId};

fn with_hellos(allowed_hello_loss: u32) -> Network<Aodv> {
    let config = AodvConfig { hello_interval_s: 1.0, allowed_hello_loss, ..AodvConfig::default() };
    let mut network = Network::chain_with(1, &config, Profile::Ns2);
    network.send(5.0, 0, 1, 0);
    network.run_to(6.0);
    network.cut(0, 1);
    network.run_to(11.0);
    network
}

fn hellos(network: &Network<Aodv>, node: u32) -> Vec<f64> {
    let is_hello = |body: &Body| matches!(body, Body::Aodv(Message::Hello { .. }));
    let sent = network.sent().filter(|sent| sent.1 == node && is_hello(&sent.4.body));
    sent.map(|sent| sent.0.as_secs_f64()).collect()
}

#[test]
fn none_are_sent_by_default() {
    let mut network = Network::chain(1);
    network.run_to(30.0);
    assert_eq!(network.sent().count(), 0);
}

#[test]
fn they_keep_their_interval_within_the_jitter() {
    let network = with_hellos(2);
    let at = hellos(&network, 0);
    assert!((9..=14).contains(&at.len()), "{at:?}");
    for pair in at.windows(2) {
        assert!((0.75..1.25).contains(&(pair[1] - pair[0])), "{at:?}");
    }
    assert_ne!(hellos(&network, 1)[0], at[0]);
}

#[test]
fn a_neighbour_whose_messages_stop_is_lost() {
    let lost = Action::RouteError { destination: NodeId(1) };
    assert_eq!(with_hellos(2).count(0, &lost), 1);
    assert_eq!(with_hellos(20).count(0, &lost), 0);
}
