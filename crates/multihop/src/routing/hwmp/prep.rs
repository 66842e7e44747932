//! Path replies (IEEE Std 802.11-2012 section 13.10.10).

use super::frames::{MeshFrame, Prep};
use super::table::Offer;
use super::{Hwmp, of_tu, over};
use crate::kernel::Duration;
use crate::routing::Context;
use crate::wire::NodeId;

impl Hwmp {
    /// Sends a PREP of this node towards its originator.
    pub(super) fn originate_prep(&mut self, cx: &mut Context, prep: Prep) {
        let Some(path) = self.paths.active(cx.now, prep.originator) else { return };
        let next_hop = path.next_hop;
        self.counts.preps_originated += 1;
        self.send(cx, MeshFrame::Prep(prep), next_hop, Duration::ZERO);
    }

    /// Section 13.10.10.4.
    pub(super) fn on_prep(&mut self, cx: &mut Context, prep: &Prep, from: NodeId, link: u32) {
        if prep.target == self.node {
            return;
        }
        self.meet(cx, from, link);
        let offer = Offer {
            destination: prep.target,
            next_hop: from,
            sequence: prep.target_sequence,
            metric: over(link, prep.metric),
            hops: prep.hops.saturating_add(1),
            until: cx.now + of_tu(prep.lifetime_tu),
        };
        if !self.paths.take(cx.now, &offer) {
            return;
        }
        if prep.originator != self.node {
            self.pass_prep_on(cx, prep, &offer);
        }
        self.send_waiting(cx, prep.target);
    }

    fn pass_prep_on(&mut self, cx: &mut Context, prep: &Prep, offer: &Offer) {
        let Some(path) = self.paths.active(cx.now, prep.originator) else { return };
        if prep.ttl <= 1 {
            return;
        }
        let back = path.next_hop;
        self.paths.add_precursor(prep.target, back);
        self.paths.add_precursor(prep.originator, offer.next_hop);
        let until = cx.now + of_tu(prep.lifetime_tu);
        self.paths.refresh(cx.now, prep.originator, until);
        let prep =
            Prep { hops: offer.hops, ttl: prep.ttl - 1, metric: offer.metric, ..prep.clone() };
        self.counts.preps_forwarded += 1;
        self.send(cx, MeshFrame::Prep(prep), back, Duration::ZERO);
    }
}
