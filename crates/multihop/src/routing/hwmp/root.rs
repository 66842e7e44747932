//! Paths that a root keeps ready: by PREQs for all (IEEE Std 802.11-2012 sections 13.10.4.2 and
//! 13.10.9.3, case E) or by announcements (sections 13.10.4.3 and 13.10.12).

use super::frames::{MeshFrame, Prep, Rann};
use super::{Hwmp, ROOT, RootMode, config, over};
use crate::kernel::{Duration, Instant};
use crate::routing::{Context, Timer};
use crate::wire::NodeId;
use crate::wire::aodv::SequenceNumber;

/// What a node knows of the root.
#[derive(Debug, Default)]
pub struct Root {
    heard: Option<Heard>,
    /// The number of the root's PREQ that this node has answered.
    answered: Option<SequenceNumber>,
    /// When this node asked for the path to an announced root.
    confirmed: Option<Instant>,
}

/// The best announcement so far.
#[derive(Clone, Copy, Debug)]
struct Heard {
    root: NodeId,
    sequence: SequenceNumber,
    metric: u32,
    from: NodeId,
    until: Instant,
}

impl Hwmp {
    /// This node is the root, and makes itself known.
    pub(super) fn make_root_known(&mut self, cx: &mut Context) {
        if self.config.root_mode == RootMode::Rann {
            self.sequence = self.sequence.plus(1);
            let rann = Rann {
                hops: 0,
                ttl: self.config.net_diameter,
                root: self.node,
                sequence: self.sequence,
                interval_tu: config::tu(self.config.root_interval_s),
                metric: 0,
            };
            self.counts.ranns_sent += 1;
            self.send(cx, MeshFrame::Rann(rann), NodeId::BROADCAST, Duration::ZERO);
        } else {
            self.request(cx, NodeId::BROADCAST, true, None);
        }
        let interval = Duration::from_secs_f64(self.config.root_interval_s);
        cx.set_timer(Timer::of(ROOT), cx.now + interval);
    }

    /// Section 13.10.12.4.
    pub(super) fn on_rann(&mut self, cx: &mut Context, rann: &Rann, from: NodeId, link: u32) {
        if rann.root == self.node {
            return;
        }
        let metric = over(link, rann.metric);
        let known = self.root.heard.filter(|heard| heard.root == rann.root);
        let is_better = known.is_none_or(|heard| match heard.sequence == rann.sequence {
            true => metric < heard.metric,
            false => rann.sequence.is_newer_than(heard.sequence),
        });
        if !is_better {
            return;
        }
        let until = cx.now + config::of_tu(rann.interval_tu) * 3;
        let (root, sequence) = (rann.root, rann.sequence);
        self.root.heard = Some(Heard { root, sequence, metric, from, until });
        let spacing = Duration::from_secs_f64(self.config.confirmation_interval_s);
        if self.root.confirmed.is_none_or(|last| last + spacing <= cx.now) {
            self.root.confirmed = Some(cx.now);
            self.request(cx, rann.root, true, Some(from));
        }
        if rann.ttl > 1 {
            let rann = Rann {
                hops: rann.hops.saturating_add(1),
                ttl: rann.ttl - 1,
                metric,
                ..rann.clone()
            };
            let delay = self.jitter(cx);
            self.counts.ranns_sent += 1;
            self.send(cx, MeshFrame::Rann(rann), NodeId::BROADCAST, delay);
        }
    }

    /// The peer from which the best announcement of `root` came.
    pub(super) fn next_to_root(&self, now: Instant, root: NodeId) -> Option<NodeId> {
        let heard = self.root.heard.filter(|heard| heard.root == root && heard.until > now)?;
        Some(heard.from)
    }

    /// Data go to `destination`: if it is a root that has asked for no answers, it gets one before
    /// the first (section 13.10.4.2).
    pub(super) fn answer_root(&mut self, cx: &mut Context, destination: NodeId) {
        let is_root = self.config.root == destination.0;
        if self.config.root_mode == RootMode::Preq && is_root && destination != self.node {
            let path = self.paths.active(cx.now, destination);
            let sequence = path.and_then(|path| path.sequence);
            if sequence.is_some() && self.root.answered != sequence {
                self.root.answered = sequence;
                self.tell_root(cx, destination);
            }
        }
    }

    /// Sends `root` a PREP for this node.
    pub(super) fn tell_root(&mut self, cx: &mut Context, root: NodeId) {
        let Some(path) = self.paths.active(cx.now, root) else { return };
        let Some(sequence) = path.sequence else { return };
        self.sequence = self.sequence.plus(1);
        let prep = Prep {
            hops: 0,
            ttl: self.config.net_diameter,
            target: self.node,
            target_sequence: self.sequence,
            lifetime_tu: config::tu(self.config.active_path_to_root_timeout_s),
            metric: 0,
            originator: root,
            sequence,
        };
        self.originate_prep(cx, prep);
    }
}
