//! What one end node of a connection knows of its two paths to the other.
//!
//! An end node decides the paths of the packets that it sends. For those that it receives, it knows
//! the path that it has chosen or been told, and later the packets' source routes.

use super::selection::are_disjoint;
use crate::kernel::{Duration, Instant};
use crate::wire::dsr::{Direction, Path};
use crate::wire::{NodeId, Packet};

/// The two paths to one node, each starting at this node.
#[derive(Debug, Default)]
pub struct Peer {
    forward: Lane,
    reverse: Lane,
    /// Until when this node waits for the answer to its request for paths.
    pub asking_until: Instant,
    /// Earliest time of the next request for a replacement.
    pub quiet_until: Instant,
    usage: Usage,
}

/// The packets of one direction.
#[derive(Debug, Default)]
struct Lane {
    path: Option<Path>,
    /// Whether this node sends such packets.
    is_own: bool,
}

/// How long connections had paths \[s\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Since the connection's first packet.
    pub total_s: f64,
    /// With two paths that share no relay.
    pub two_paths_s: f64,
    /// Without any path.
    pub no_path_s: f64,
    since: Option<Instant>,
}

/// The direction of a packet: reverse for acknowledgments.
pub fn direction_of(packet: &Packet) -> Direction {
    match &packet.body {
        crate::wire::Body::Tcp(segment) if segment.is_ack() => Direction::Reverse,
        _ => Direction::Forward,
    }
}

/// The relays of a path.
pub fn relays_of(path: &[NodeId]) -> &[NodeId] {
    path.get(1..path.len().max(2) - 1).unwrap_or_default()
}

impl Peer {
    /// The path of packets of `direction`: their own or, if that is broken, the other.
    pub fn path(&self, direction: Direction) -> Option<&Path> {
        let [own, other] = match direction {
            Direction::Reverse => [&self.reverse, &self.forward],
            Direction::Forward | Direction::Both => [&self.forward, &self.reverse],
        };
        own.path.as_ref().or(other.path.as_ref())
    }

    /// The path of the other direction's packets, if known.
    pub fn opposite(&self, direction: Direction) -> Option<&Path> {
        match direction {
            Direction::Reverse => self.forward.path.as_ref(),
            Direction::Forward | Direction::Both => self.reverse.path.as_ref(),
        }
    }

    /// Whether there is one path for all packets.
    pub fn has_common_path(&self) -> bool {
        self.forward.path.is_some() && self.forward.path == self.reverse.path
    }

    /// Whether there are two paths that share no relay.
    pub fn has_two_paths(&self) -> bool {
        match (&self.forward.path, &self.reverse.path) {
            (Some(forward), Some(reverse)) => {
                forward != reverse && are_disjoint(relays_of(forward), relays_of(reverse))
            }
            _ => false,
        }
    }

    /// Of which packets of this node the path is missing while those of the other direction have
    /// one.
    pub fn missing(&self) -> Option<Direction> {
        match (&self.forward, &self.reverse) {
            (Lane { path: None, is_own: true }, Lane { path: Some(_), .. }) => {
                Some(Direction::Forward)
            }
            (Lane { path: Some(_), .. }, Lane { path: None, is_own: true }) => {
                Some(Direction::Reverse)
            }
            _ => None,
        }
    }

    /// Whether this node sends packets of `direction`.
    pub fn sends(&self, direction: Direction) -> bool {
        match direction {
            Direction::Forward => self.forward.is_own,
            Direction::Reverse => self.reverse.is_own,
            Direction::Both => self.forward.is_own && self.reverse.is_own,
        }
    }

    /// This node sends a packet of `direction`.
    pub fn send(&mut self, now: Instant, direction: Direction) {
        match direction {
            Direction::Reverse => self.reverse.is_own = true,
            Direction::Forward | Direction::Both if !self.forward.is_own => {
                self.forward.is_own = true;
                self.usage.since = Some(now);
            }
            Direction::Forward | Direction::Both => {}
        }
    }

    /// From now on packets of `direction` take `path`.
    pub fn set(&mut self, now: Instant, direction: Direction, path: Path) {
        self.settle(now);
        match direction {
            Direction::Forward => self.forward.path = Some(path),
            Direction::Reverse => self.reverse.path = Some(path),
            Direction::Both => {
                self.forward.path = Some(path.clone());
                self.reverse.path = Some(path);
            }
        }
    }

    /// The other end node says that packets of `direction` take `path`. A path of the other
    /// direction that shares a relay with it is from an earlier choice and is removed.
    pub fn hear(&mut self, now: Instant, direction: Direction, path: Path) {
        self.set(now, direction, path);
        if !self.has_common_path() && !self.has_two_paths() {
            match direction {
                Direction::Forward => self.reverse.path = None,
                Direction::Reverse => self.forward.path = None,
                Direction::Both => {}
            }
        }
    }

    /// A packet of `direction` has arrived by the reverse of `path`. If there was a common path and
    /// data now takes another that is not disjoint from it, or if `follow`, acknowledgments take
    /// that path, too.
    pub fn see(&mut self, now: Instant, direction: Direction, path: Path, follow: bool) {
        let known = match direction {
            Direction::Reverse => &self.reverse,
            Direction::Forward | Direction::Both => &self.forward,
        };
        if known.is_own || known.path.as_ref() == Some(&path) {
            return;
        }
        let follows = |common: &Path| {
            follow || self.has_common_path() && !are_disjoint(relays_of(common), relays_of(&path))
        };
        let direction = match (direction, &self.reverse.path) {
            (Direction::Forward, Some(common)) if follows(common) => Direction::Both,
            _ => direction,
        };
        self.set(now, direction, path);
    }

    /// The link from `from` to `to` is broken: removes paths over it. Returns whether this node
    /// sends on one of them.
    pub fn lose(&mut self, now: Instant, from: NodeId, to: NodeId) -> bool {
        self.settle(now);
        let mut is_lost = false;
        for lane in [&mut self.forward, &mut self.reverse] {
            let path = lane.path.as_deref().unwrap_or_default();
            if path.windows(2).any(|link| link == [from, to]) {
                lane.path = None;
                is_lost |= lane.is_own;
            }
        }
        is_lost
    }

    /// How long the connection, whose data this node sends, has had paths.
    pub fn usage(&self, now: Instant) -> Usage {
        let Some(since) = self.usage.since else { return self.usage };
        let mut usage = self.usage;
        let passed_s = now.saturating_since(since).as_secs_f64();
        usage.total_s += passed_s;
        if self.has_two_paths() {
            usage.two_paths_s += passed_s;
        } else if self.path(Direction::Forward).is_none() {
            usage.no_path_s += passed_s;
        }
        usage.since = Some(now);
        usage
    }

    fn settle(&mut self, now: Instant) {
        self.usage = self.usage(now);
    }

    /// Delays the next request for a replacement.
    pub fn be_quiet(&mut self, now: Instant, spacing: Duration) {
        self.quiet_until = now + spacing;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(nodes: &[u32]) -> Path {
        nodes.iter().map(|&node| NodeId(node)).collect()
    }

    fn at(seconds: f64) -> Instant {
        Instant::from_secs_f64(seconds)
    }

    fn with_two() -> Peer {
        let mut peer = Peer::default();
        peer.send(at(1.0), Direction::Forward);
        peer.set(at(2.0), Direction::Forward, path(&[0, 1, 9]));
        peer.set(at(3.0), Direction::Reverse, path(&[0, 2, 9]));
        peer
    }

    #[test]
    fn packets_of_a_broken_path_take_the_other_path() {
        let mut peer = with_two();
        assert!(peer.has_two_paths() && !peer.has_common_path());
        assert!(!peer.lose(at(4.0), NodeId(2), NodeId(9)), "this node does not send on it");
        assert_eq!(peer.path(Direction::Reverse), Some(&path(&[0, 1, 9])));
        let mut peer = with_two();
        assert!(!peer.lose(at(4.0), NodeId(9), NodeId(1)), "a link breaks in one direction");
        assert!(peer.lose(at(4.0), NodeId(1), NodeId(9)));
        assert_eq!(peer.path(Direction::Forward), Some(&path(&[0, 2, 9])));
        assert!(!peer.lose(at(5.0), NodeId(2), NodeId(9)));
        assert_eq!(peer.path(Direction::Forward), None);
    }

    #[test]
    fn time_is_counted_by_number_of_paths() {
        let mut peer = with_two();
        peer.lose(at(5.0), NodeId(1), NodeId(9));
        peer.lose(at(7.0), NodeId(2), NodeId(9));
        let usage = peer.usage(at(11.0));
        // No path from 1 to 2 s and from 7 s on, two paths from 3 to 5 s.
        assert_eq!([usage.total_s, usage.two_paths_s, usage.no_path_s], [10.0, 2.0, 5.0]);
    }

    #[test]
    fn a_reply_that_shares_a_relay_with_the_other_path_replaces_both() {
        let mut peer = with_two();
        peer.hear(at(4.0), Direction::Forward, path(&[0, 4, 2, 9]));
        assert_eq!(peer.opposite(Direction::Forward), None);
        peer.hear(at(4.0), Direction::Reverse, path(&[0, 5, 9]));
        assert!(peer.has_two_paths());
    }

    #[test]
    fn received_packets_show_their_path_but_not_that_of_sent_packets() {
        let mut peer = with_two();
        peer.see(at(4.0), Direction::Forward, path(&[0, 7, 9]), false);
        assert_eq!(peer.path(Direction::Forward), Some(&path(&[0, 1, 9])));
        peer.see(at(4.0), Direction::Reverse, path(&[0, 7, 9]), false);
        assert_eq!(peer.path(Direction::Reverse), Some(&path(&[0, 7, 9])));
    }

    #[test]
    fn acknowledgments_follow_data_from_a_common_path_unless_it_is_disjoint() {
        let common = || {
            let mut peer = Peer::default();
            peer.send(at(1.0), Direction::Reverse);
            peer.set(at(1.0), Direction::Both, path(&[0, 1, 2, 9]));
            peer
        };
        let mut peer = common();
        peer.see(at(2.0), Direction::Forward, path(&[0, 3, 2, 9]), false);
        assert_eq!(peer.path(Direction::Reverse), Some(&path(&[0, 3, 2, 9])));
        let mut peer = common();
        peer.see(at(2.0), Direction::Forward, path(&[0, 3, 4, 9]), false);
        assert!(peer.has_two_paths());
        let mut peer = common();
        peer.see(at(2.0), Direction::Forward, path(&[0, 3, 4, 9]), true);
        assert!(peer.has_common_path());
    }
}
