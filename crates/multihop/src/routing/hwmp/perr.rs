//! Path errors (IEEE Std 802.11-2012 section 13.10.11).

use std::collections::BTreeSet;

use super::frames::{MeshFrame, Perr, Unreachable};
use super::{ERRORS, Hwmp};
use crate::kernel::{Duration, Instant};
use crate::routing::{Context, Timer};
use crate::wire::NodeId;

/// The most destinations in a PERR, whose length has 8 bits.
const MOST: usize = 19;

/// What a node has to tell of, and when it may.
#[derive(Debug, Default)]
pub struct Errors {
    told: Option<Instant>,
    held: Vec<(NodeId, Unreachable)>,
}

impl Hwmp {
    /// The link to `peer` is gone.
    pub(super) fn lose(&mut self, cx: &mut Context, peer: NodeId) {
        let lost = self.paths.lose(cx.now, peer);
        self.tell_of(cx, lost);
    }

    /// Section 13.10.11.4.3.
    pub(super) fn on_perr(&mut self, cx: &mut Context, perr: &Perr, from: NodeId) {
        let lost = self.paths.believe(cx.now, from, &perr.unreachable);
        if perr.ttl > 1 {
            self.tell_of(cx, lost);
        }
    }

    /// Tells this node's transport, and the peers that send frames over the paths.
    fn tell_of(
        &mut self,
        cx: &mut Context,
        (lost, precursors): (Vec<Unreachable>, BTreeSet<NodeId>),
    ) {
        for one in &lost {
            cx.report_broken_route(one.node);
        }
        let mut precursors = precursors.into_iter();
        match (precursors.next(), precursors.next()) {
            (None, _) => {}
            (Some(only), None) => self.tell(cx, lost, only),
            _ => self.tell(cx, lost, NodeId::BROADCAST),
        }
    }

    /// Tells `to` that `lost` cannot be reached, as soon as a PERR may leave.
    pub(super) fn tell(&mut self, cx: &mut Context, lost: Vec<Unreachable>, to: NodeId) {
        let is_first = self.errors.held.is_empty();
        for one in lost {
            let is_told = |held: &(NodeId, Unreachable)| held.0 == to && held.1.node == one.node;
            match self.errors.held.iter_mut().find(|held| is_told(held)) {
                Some(held) => held.1 = one,
                None => self.errors.held.push((to, one)),
            }
        }
        let spacing = Duration::from_secs_f64(self.config.perr_min_interval_s);
        match self.errors.told.map(|told| told + spacing).filter(|at| *at > cx.now) {
            Some(at) if is_first => cx.set_timer(Timer::of(ERRORS), at),
            Some(_) => {}
            None => self.send_errors(cx),
        }
    }

    /// Sends what is held, to each peer that it is for, or to all.
    pub(super) fn send_errors(&mut self, cx: &mut Context) {
        let mut held = std::mem::take(&mut self.errors.held);
        held.sort_by_key(|(to, _)| *to);
        if !held.is_empty() {
            self.errors.told = Some(cx.now);
        }
        for of_one in held.chunk_by(|a, b| a.0 == b.0) {
            for part in of_one.chunks(MOST) {
                let unreachable = part.iter().map(|held| held.1).collect();
                let perr = Perr { ttl: self.config.net_diameter, unreachable };
                self.counts.perrs_sent += 1;
                self.send(cx, MeshFrame::Perr(perr), part[0].0, Duration::ZERO);
            }
        }
    }
}
